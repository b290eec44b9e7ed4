"""The simulator's prints lie where its truth has them."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from sim_scenes import BOARD, LOOK

from referee.sim.texture import RING_MM, circle, playing_surface

PER_MM = 4.0


@pytest.mark.parametrize("radius", [15.9, 19.0])
def test_the_middle_of_a_base_circles_ring_is_as_far_from_its_centre_as_the_truth_says(radius: float) -> None:
    board = replace(BOARD, base_circle_radius=radius, base_disc_radius=radius - 3.2)
    surface = playing_surface(board, replace(LOOK, worn=0.0), PER_MM, np.random.default_rng(1))
    luma = cv2.GaussianBlur(cv2.cvtColor(surface, cv2.COLOR_BGR2GRAY), (0, 0), 1.0)
    radii = np.arange(radius - 1.5, radius + 2.5, 0.05)
    # Away from the base lines, which run into the circle towards the board's middle.
    outer = np.arange(-60, 61)
    around = [circle((board.base_circle_x, -board.base_y), r, 360)[outer] for r in radii]
    px = [((p + np.array([board.half, -board.half])) * (1, -1) * PER_MM - 0.5).astype(np.float32) for p in around]
    mean = np.array([cv2.remap(luma, p[:, :1], p[:, 1:], cv2.INTER_LINEAR).mean() for p in px])
    dark = mean < (mean.min() + mean[-10:].mean()) / 2
    assert radii[dark].mean() == pytest.approx(radius, abs=0.1)
    assert np.ptp(radii[dark]) == pytest.approx(RING_MM, abs=0.5)
