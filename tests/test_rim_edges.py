"""Bounds: at a rim the disc ends and the board begins; at a ring printed on it or where its shade ends they do not."""

from __future__ import annotations

import numpy as np
import pytest

from referee.pieces.rim_edges import board_edge_weights

STEP = 0.25
STEPS = np.arange(-5.0, 8.0 + STEP / 2, STEP)
"""Places along a ray: mm beyond the rim."""
CREAM, INK, WOOD = (190.0, 112.0, 130.0), (110.0, 150.0, 100.0), (186.0, 98.0, 146.0)
SHADE = (0.6 * WOOD[0], 128 + 0.6 * (WOOD[1] - 128), 128 + 0.6 * (WOOD[2] - 128))
SHADE_MM, RING_MM = 4.0, (-4.2, -2.8)


def ray(*, shaded: bool = False, beyond: tuple[float, float, float] = WOOD) -> np.ndarray:
    """Y, U, V (3, 1, 1, steps) across a ring, a rim, and the shade at its foot."""
    tones = np.where((STEPS < 0)[:, None], CREAM, beyond)
    tones = np.where(((RING_MM[0] < STEPS) & (RING_MM[1] > STEPS))[:, None], INK, tones)
    if shaded:
        tones = np.where(((STEPS > 0) & (STEPS < SHADE_MM))[:, None], SHADE, tones)
    return np.asarray(tones.T[:, None, None, :], np.float32)


def told(tones: np.ndarray, mm: float) -> float:
    face, ground = (np.array(c, np.float32)[:, None] for c in (CREAM, WOOD))
    return float(np.interp(mm, STEPS, board_edge_weights(tones, face, ground, STEP)[0, 0]))


@pytest.mark.parametrize("shaded", [False, True])
def test_a_rim_is_where_the_board_begins_lit_or_shaded(shaded: bool) -> None:
    assert told(ray(shaded=shaded), 0.0) > 0.9


def test_within_a_printed_ring_the_disc_goes_on() -> None:
    assert told(ray(), RING_MM[1]) < 0.25


def test_where_a_shade_ends_the_board_has_begun_before() -> None:
    assert told(ray(shaded=True), SHADE_MM) < 0.2


def test_beside_another_disc_no_board_begins() -> None:
    assert told(ray(beyond=INK), 0.0) < 0.2
