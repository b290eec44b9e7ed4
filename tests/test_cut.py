"""Photographs that somebody cropped or stretched: the lens's middle is not the picture's, a pixel not a square."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from drawn_board import board_with, camera, picture
from numpy.typing import NDArray

from calibration.calibrate import calibrate
from calibration.find_board.hypotheses import corners_of, hypotheses
from calibration.find_board.model_selection import SearchPicture, fit_guess
from calibration.find_board.search import fit_guesses
from calibration.fit_board.mark_samples import Mark, expected, layout_of
from calibration.geometry.camera import Camera
from calibration.geometry.least_squares import minimise
from calibration.geometry.picture import Picture
from models.board import BoardModel, load_board

F64 = NDArray[np.float64]
CORNER_MM = 4.0
"""Tolerance of the corners of a photograph's board, half a percent of its side."""
CUT = 0.02
"""Distance of the lens's axis from the picture's middle, as a share of its width, that no whole picture has."""
SQUARE = np.array([[-1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])


def cropped(seen: Picture, x: slice, y: slice) -> Picture:
    half = tuple(slice(s.start // 2, s.stop // 2) for s in (y, x))
    planes = (seen.y[y, x], seen.u[half], seen.v[half])
    return Picture(*map(np.ascontiguousarray, planes), seen.full_range)


def stretched(seen: Picture, width: int) -> Picture:
    sizes = ((width, seen.height), (width // 2, seen.height // 2), (width // 2, seen.height // 2))
    planes = (np.asarray(cv2.resize(p, size, interpolation=cv2.INTER_AREA), np.uint8)
              for p, size in zip((seen.y, seen.u, seen.v), sizes, strict=True))  # fmt: skip
    return Picture(*planes, seen.full_range)


def corners(view: Camera, board: BoardModel) -> F64:
    return view.to_pixels(SQUARE * board.half)


def off_mm(found: Camera, half: float, true: F64) -> float:
    """How far the worst corner lies from its true pixel, in mm of the board."""
    side = np.linalg.norm(true - np.roll(true, 1, axis=0), axis=1).mean()
    return float(np.linalg.norm(found.to_pixels(SQUARE * half) - true, axis=1).max() / side * 2 * half)


WAYS: dict[str, Callable[[Picture, F64], tuple[Picture, F64]]] = {
    "cut off at the left and above": lambda p, c: (cropped(p, slice(180, 1000), slice(60, 750)), c - (180, 60)),
    "cut to the board": lambda p, c: (cropped(p, slice(180, 820), slice(40, 640)), c - (180, 40)),
    "narrowed": lambda p, c: (stretched(p, 920), c * (0.92, 1.0)),
    "cut and narrowed": lambda p, c: (stretched(cropped(p, slice(180, 1000), slice(0, 750)), 780),
                                      (c - (180, 0)) * (780 / 820, 1.0)),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_a_board_in_a_changed_photograph_is_found_where_it_is(way: str) -> None:
    board, view = load_board(), camera(tilt=14.0, focal=0.9, board_share=0.7)
    photograph, true = WAYS[way](picture(view), corners(view, board))
    profile = calibrate([photograph])
    assert off_mm(profile.camera, profile.board.half, true) < CORNER_MM


def off_centre(view: Camera) -> float:
    """How far from the picture's middle the lens's axis meets it, as a share of the width."""
    return float(np.hypot(view.k[0, 2] - (view.width - 1) / 2, view.k[1, 2] - (view.height - 1) / 2)) / view.width


@pytest.mark.parametrize("way", ["cut off at the left and above", "cut and narrowed"])
def test_taken_for_a_whole_picture_it_would_need_an_unusual_camera_or_be_explained_worse_by_far(way: str) -> None:
    board, view = load_board(), camera(tilt=14.0, focal=0.9, board_share=0.7)
    photograph, true = WAYS[way](picture(view), corners(view, board))
    seen = SearchPicture.of(photograph)
    guesses = hypotheses(seen.edges, layout_of(seen.default_model))[:3]
    whole, best = fit_guess(seen, guesses[0]), fit_guesses(seen, guesses)
    assert best is not None
    assert off_centre(best.fit.camera) > CUT
    assert not best.is_likelier_cropped
    assert off_mm(best.fit.camera, best.fit.layout.half, true) < CORNER_MM
    assert whole is None or best.is_better(whole, -0.1 if whole.is_likelier_cropped else 0.1)


def test_a_whole_picture_is_taken_as_one() -> None:
    seen = SearchPicture.of(picture(camera()))
    best = fit_guesses(seen, hypotheses(seen.edges, layout_of(seen.default_model))[:3])
    assert best is not None
    assert off_centre(best.fit.camera) < CUT
    assert not best.is_likelier_cropped


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_among_many_stripes_the_base_circles_still_lead_to_the_board(seed: int) -> None:
    """Squares between the stripes look better drawn than the board's thin lines."""
    view, board = camera(board_share=0.75), board_with(rear_line_thickness=0.3, front_line_thickness=0.3)
    plain = picture(view, board, coins=False)
    seen = SearchPicture.of(Picture(striped(plain.y, 30, seed), plain.u, plain.v, plain.full_range))
    layout = layout_of(board)
    best = hypotheses(seen.edges, layout)[0]
    found = corners_of(best, seen.edges, layout)[[3, 2, 1, 0]]
    assert np.abs(found - corners(view, board)).max() < 3.0


def striped(luma: NDArray[np.uint8], stripes: int, seed: int) -> NDArray[np.uint8]:
    """A picture with so many dark stripes from side to side and as many from top to bottom."""
    rng = np.random.default_rng(seed)
    height, width = luma.shape
    out = luma.copy()
    for down in range(2):
        for at in rng.uniform(0, width if down else height, stripes).round():
            end, length = at + rng.uniform(-40, 40), height if down else width
            ends = [[at, 0.0], [end, length]] if down else [[0.0, at], [length, end]]
            cv2.polylines(out, [np.array(ends, np.int32)], False, 40, 4, cv2.LINE_AA)
    return out


def test_marks_asked_for_are_the_same_as_those_taken_from_all() -> None:
    layout = layout_of(load_board())
    for marks in ((Mark.FOOT, Mark.POCKET), (Mark.DISC,), (Mark.REAR, Mark.FRONT, Mark.ARROW, Mark.RING, Mark.WALL)):
        some, whole = expected(layout, 20.0, 4, marks), expected(layout, 20.0, 4)
        whole = whole.select(np.isin(whole.mark, marks))
        assert np.array_equal(some.points, whole.points)
        assert np.array_equal(some.moves, whole.moves)
        assert np.array_equal(some.mark, whole.mark)


def test_slopes_taken_together_lead_where_those_taken_in_turn_do() -> None:
    x = np.linspace(0, 4, 60)
    y = 2.0 * np.exp(-0.7 * x) + np.random.default_rng(2).normal(0, 0.02, 60)

    def residuals(p: F64) -> F64:
        return np.asarray((y - p[..., :1] * np.exp(-p[..., 1:] * x)) / 0.02)

    start = np.array([1.0, 1.0])
    in_turn, together = minimise(lambda p: residuals(p), start), minimise(residuals, start, residuals)
    assert np.allclose(in_turn.x, together.x, atol=1e-9)
    assert np.allclose(in_turn.spread, together.spread)
    assert together.x == pytest.approx([2.0, 0.7], abs=0.05)
