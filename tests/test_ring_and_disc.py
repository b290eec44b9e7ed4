"""Base circles that lie far from the book's place are measured where they are drawn, ring and disc told apart."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sim_scenes import BOARD, RING_INK_MM, studio

from calibration.fit_board.edge_colour import planes_of
from calibration.fit_board.mark_samples import layout_of
from calibration.fit_board.ring_and_disc import concentric

BOOK = layout_of(BOARD)


def test_circles_where_they_are_expected_are_left_alone() -> None:
    scene = studio()
    ink = planes_of(scene.picture([])).ink
    assert concentric(ink, scene.camera, BOOK, BOOK) is None
    near = replace(BOOK, circle_x=BOOK.circle_x + 0.8, ring=BOOK.ring - 0.8)
    assert concentric(ink, scene.camera, near, BOOK) is None


@pytest.mark.parametrize(
    "askew", [(2.6, 0.0, -2.9), (-2.9, 0.8, 0.0), (3.3, -0.8, -1.5), (0.0, 0.0, -2.9), (-5.7, 0.7, 1.0)]
)
def test_circles_taken_for_other_than_they_are_are_found_where_they_are_drawn(
    askew: tuple[float, float, float],
) -> None:
    """Even far from the book's place: 5.7 mm in simulated world 14581, where a moon was cut that was not."""
    scene = studio()
    away, aside, grown = askew
    wrong = replace(BOOK, circle_x=BOOK.circle_x + away, circle_y=BOOK.circle_y + aside, ring=BOOK.ring + grown,
                    disc=BOOK.ring)  # fmt: skip
    found = concentric(planes_of(scene.picture([])).ink, scene.camera, wrong, BOOK)
    assert found is not None
    assert found.circle_x == pytest.approx(BOOK.circle_x, abs=0.75)
    assert found.circle_y == pytest.approx(BOOK.circle_y, abs=0.75)
    # A ring is printed within the book's radius.
    assert found.ring == pytest.approx(BOOK.ring - RING_INK_MM / 2, abs=0.5)
    assert replace(found, circle_x=wrong.circle_x, circle_y=wrong.circle_y, ring=wrong.ring, disc=wrong.disc) == wrong
