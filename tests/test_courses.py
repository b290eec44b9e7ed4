"""A base circle's ring and the disc within are followed together; alone each is sought where the other is too."""

from __future__ import annotations

import math
from itertools import islice

import numpy as np
import pytest

from calibration.calibrate import calibrate
from calibration.camera import F64
from calibration.courses import moon_courses
from models.pieces import from_side
from referee.sim.source import SimSource
from referee.sim.texture import RING_MM
from referee.sim.variety import world

ANGLES = np.arange(16) * np.pi / 8
NORMALS = np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])
TAPS = np.arange(-6.0, 6.01, 0.25)
APART = 3.0
"""By the book the ring lies so far outside of the disc's edge."""


def responses(*marks: tuple[F64, float]) -> F64:
    """What windows all round show (w, taps): marks at offsets (w,), each so strong."""
    return np.asarray(sum(strong * np.exp(-0.5 * ((TAPS - at[:, None]) / 0.6) ** 2) for at, strong in marks))


@pytest.mark.parametrize("aside", [(0.0, 0.0), (-1.2, 0.5), (2.0, -1.5)])
@pytest.mark.parametrize(("grown", "gap"), [(0.0, 3.2), (-0.5, 3.3), (0.8, 2.2), (0.3, 4.4)])
def test_ring_and_disc_are_told_apart_though_each_looks_like_the_other(
    aside: tuple[float, float], grown: float, gap: float
) -> None:
    """World 13335: a masters board, on which the ring was found at the disc's edge in a third of the windows."""
    ring = NORMALS @ aside + grown
    disc = ring + APART - gap
    like_disc, like_ring = disc - APART, ring + APART
    rings, discs = responses((ring, 0.3), (like_disc - 0.6, 0.4)), responses((disc, 0.3), (like_ring, 0.25))
    found = moon_courses((rings, NORMALS, TAPS), (discs, NORMALS, TAPS), APART)
    assert np.abs(found[0] - ring).max() < 1.0
    assert np.abs(found[1] - disc).max() < 1.0
    assert np.all(found[0] + APART > found[1])


def test_a_ring_that_is_worn_off_lies_as_usual_about_its_disc() -> None:
    disc = NORMALS @ (0.75, 0.0)
    found = moon_courses((np.zeros((16, len(TAPS))), NORMALS, TAPS), (responses((disc, 0.3)), NORMALS, TAPS), 3.2)
    assert np.abs(found[1] - disc).max() < 0.3
    assert np.abs(found[0] - disc).max() < 0.3


def test_a_circle_that_differs_from_the_book_is_measured_where_it_lies() -> None:
    """World 13335: ring and disc were both found between the two, and the circle 2.6 mm aside."""
    with SimSource(world(13335, 4)) as source:
        found = calibrate([frame.picture for frame in islice(source, 3)])
        circles = [c for side in found.sides.values() for c in (side.left_circle, side.right_circle)]
        assert len(circles) == 8
        for seat, side in found.sides.items():
            for circle, sign in ((side.left_circle, -1), (side.right_circle, 1)):
                assert circle is not None
                true = from_side(seat, sign * source.board.base_circle_x, -source.board.base_y)
                assert math.dist(circle.centre, true) < 0.5
                assert circle.radius == pytest.approx(source.board.base_circle_radius - RING_MM / 2, abs=0.3)
