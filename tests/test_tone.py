"""Pixels and lenses mix light: half of a white and a black one is brighter than the middle of their levels."""

from __future__ import annotations

import numpy as np
import pytest

from referee.sim.tone import blurred, shrunk

HALF = 255 * 0.5 ** (1 / 2.2)
"""The level of half the light (IEC 61966-2-1: a camera stores about its 2.2nd root)."""


def test_a_pixel_half_on_white_and_half_on_black_holds_half_the_light() -> None:
    stripes = np.zeros((4, 8, 3), np.float32)
    stripes[:, ::2] = 255
    assert shrunk(stripes, 4, 2) == pytest.approx(np.full((2, 4, 3), HALF), abs=0.01)


def test_an_edge_out_of_focus_lies_where_light_is_half() -> None:
    edge = np.zeros((20, 40), np.uint8)
    edge[:, 20:] = 255
    row = blurred(edge, 3.0)[10].astype(float)
    assert np.interp(HALF, row, np.arange(40)) == pytest.approx(19.5, abs=0.05)
    assert np.interp(127.5, row, np.arange(40)) < 19


def test_what_has_one_level_keeps_it() -> None:
    for level in (0, 16, 100, 235, 255):
        assert np.all(blurred(np.full((9, 9), level, np.uint8), 1.5) == level)
