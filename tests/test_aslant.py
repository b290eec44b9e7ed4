"""Boards that the camera does not look straight down on: what tells their squares and circles from other fours."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.find_board.base_circles import circle_guesses
from calibration.find_board.squares import aslant_squares, squares
from calibration.fit_board.mark_samples import Mark, expected, layout_of
from calibration.geometry.homography import project
from models.board import load_board

WIDTH, HEIGHT = 900, 680
NEAR_PX = 2.0
F64 = NDArray[np.float64]
SQUARE = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
"""Corners SW SE NE NW of a square of side 2."""


def lens(focal: float) -> F64:
    f = focal * HEIGHT
    return np.array([[f, 0.0, (WIDTH - 1) / 2], [0.0, f, (HEIGHT - 1) / 2], [0.0, 0.0, 1.0]])


def seen_from(tilt: float, way: float, focal: float = 1.1, roll: float = 5.0, share: float = 0.6) -> F64:
    """Homography (3, 3), board mm -> pixels, of a camera tilted by so many degrees in some direction; the board fills
    `share` of the height.
    """
    axis = np.array([np.cos(np.radians(way)), np.sin(np.radians(way)), 0.0])
    turned = cv2.Rodrigues(axis * np.radians(tilt))[0] @ np.diag([1.0, -1.0, -1.0])
    r = turned @ cv2.Rodrigues(np.array([0.0, 0.0, np.radians(roll)]))[0]
    k = lens(focal)
    return np.asarray(k @ np.column_stack([r[:, 0], r[:, 1], [10.0, -20.0, 740.0 * focal / share]]))


def corners(h: F64, half: float) -> F64:
    """Corners (4, 2) px SW SE NE NW."""
    return project(h[None], SQUARE * half)[0]


def lines_of(fours: list[F64]) -> F64:
    """Normal forms (n, 3) of the sides of some fours of corners (4, 2)."""
    rows = []
    for four in fours:
        for a, b in zip(four, np.roll(four, -1, axis=0), strict=True):
            normal = np.array([a[1] - b[1], b[0] - a[0]]) / np.linalg.norm(b - a)
            rows.append([*normal, normal @ a])
    return np.array(rows)


def is_among(four: F64, fours: F64) -> bool:
    """Whether corners (4, 2) are those of one of some fours (n, 4, 2), whichever comes first."""
    turns = [np.roll(four, k, axis=0) for k in range(4)]
    return any(np.abs(fours - turn).max(axis=(1, 2)).min(initial=np.inf) < NEAR_PX for turn in turns)


@pytest.mark.parametrize("way", [0.0, 50.0, 130.0, 270.0])
@pytest.mark.parametrize(("tilt", "focal"), [(18.0, 0.9), (25.0, 1.1), (30.0, 1.6)])
def test_a_square_seen_aslant_is_one_of_the_fours(tilt: float, focal: float, way: float) -> None:
    h = seen_from(tilt, way, focal)
    board, base = corners(h, 370.0), corners(h, 236.7)
    found = aslant_squares(lines_of([board, base]), lens(1.15))
    assert is_among(board, found)
    assert is_among(base, found)


def test_looking_straight_down_such_a_square_is_not_sought() -> None:
    board = corners(seen_from(30.0, 50.0), 370.0)
    assert not is_among(board, squares(lines_of([board]), HEIGHT))


@pytest.mark.parametrize(
    ("what", "four"),
    [
        ("a long rectangle", [[200.0, 560.0], [700.0, 560.0], [700.0, 260.0], [200.0, 260.0]]),
        ("a rhombus", [[150.0, 500.0], [500.0, 500.0], [650.0, 200.0], [300.0, 200.0]]),
        ("too small", [[400.0, 400.0], [480.0, 400.0], [480.0, 320.0], [400.0, 320.0]]),
    ],
)
def test_what_no_camera_shows_of_a_board_is_left_out(what: str, four: list[list[float]]) -> None:
    assert not len(aslant_squares(lines_of([np.array(four)]), lens(1.15))), what


def test_less_than_two_pairs_of_lines_make_no_square() -> None:
    assert aslant_squares(np.array([[1.0, 0.0, 100.0]]), lens(1.15)).shape == (0, 4, 2)


@pytest.mark.parametrize("way", [0.0, 75.0, 160.0, 290.0])
def test_red_circles_seen_aslant_place_the_board(way: float) -> None:
    layout, h = layout_of(load_board()), seen_from(28.0, way)
    disc = expected(layout, 100.0, 1)
    disc = disc.select(disc.mark == Mark.DISC)
    red = np.zeros((HEIGHT, WIDTH), np.float32)
    for part in range(8):
        centre = disc.middles[disc.part == part, :2].mean(axis=0)
        rim = centre + 14.0 * np.array([[np.cos(a), np.sin(a)] for a in np.linspace(0, 2 * np.pi, 24)])
        cv2.fillConvexPoly(red, np.rint(project(h[None], rim)[0]).astype(np.int32), 40.0)
    true = corners(h, layout.half)
    mm = np.linalg.norm(true[1] - true[0]) / (2 * layout.half)
    guesses = circle_guesses(red, layout, aslant=True)
    assert min(np.abs(corners(g, layout.half) - true).max() for g in guesses) < 8.0 * mm
