"""A base circle's ring and the disc within are followed together; alone each is sought where the other is too."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.camera import F64
from calibration.courses import moon_courses

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
