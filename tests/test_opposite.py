"""Base circles of two opposite sides lay the board down, under any perspective and among other red spots."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_board import camera, picture
from numpy.typing import NDArray
from test_aslant import HEIGHT, WIDTH, corners, seen_from

from calibration.attempt import View
from calibration.camera import Camera
from calibration.circles import circle_centres
from calibration.layout import layout_of
from calibration.locate import project
from calibration.opposite import opposite_sides
from calibration.search import search
from models.board import load_board

F64 = NDArray[np.float64]
LAYOUT = layout_of(load_board())
CIRCLES = circle_centres(LAYOUT)
NEAR_PX = 2.0


def off_px(found: F64, true: F64) -> float:
    """How far the best of some homographies (n, 3, 3) has the worst corner from where it is."""
    return min((float(np.abs(corners(h, LAYOUT.half) - corners(true, LAYOUT.half)).max()) for h in found), default=1e9)


@pytest.mark.parametrize("way", [0.0, 50.0, 130.0, 270.0])
@pytest.mark.parametrize(("tilt", "focal"), [(0.0, 1.1), (18.0, 0.7), (28.0, 1.1)])
def test_eight_spots_among_others_are_told(tilt: float, focal: float, way: float) -> None:
    h = seen_from(tilt, way, focal)
    others = np.random.default_rng(4).uniform(0.0, 1.0, (20, 2)) * (WIDTH, HEIGHT)
    spots = np.concatenate([others, project(h[None], CIRCLES)[0]])
    assert off_px(opposite_sides(spots, CIRCLES, HEIGHT), h) < NEAR_PX


@pytest.mark.parametrize("hidden", [(0,), (2,), (0, 5), (3, 6)])
def test_circles_of_two_sides_will_do(hidden: tuple[int, ...]) -> None:
    h = seen_from(20.0, 75.0)
    spots = np.delete(project(h[None], CIRCLES)[0], hidden, axis=0)
    assert off_px(opposite_sides(spots, CIRCLES, HEIGHT), h) < NEAR_PX


def test_a_stretched_picture_hides_nothing() -> None:
    h = np.diag([0.85, 1.0, 1.0]) @ seen_from(15.0, 40.0)
    assert off_px(opposite_sides(project(h[None], CIRCLES)[0], CIRCLES, HEIGHT), h) < NEAR_PX


def test_without_circles_of_other_sides_nothing_is_told() -> None:
    spots = project(seen_from(10.0, 0.0)[None], CIRCLES)[0]
    for some in (spots[:0], spots[:3], spots[[0, 1, 4, 5]], spots[[0, 1, 2, 4, 5]]):
        assert opposite_sides(some, CIRCLES, HEIGHT).shape == (0, 3, 3)


def tilted(tilt: float) -> Camera:
    """A photograph cut out of a larger one at its corner, of a camera that looks at the board aslant."""
    whole = camera(1500, 1200, focal=0.8, tilt=tilt, board_share=0.62)
    k = whole.k - np.array([[0.0, 0.0, 330.0], [0.0, 0.0, 210.0], [0.0, 0.0, 0.0]])
    return Camera.of(1000, 880, k, whole.dist, whole.r, whole.t)


@pytest.mark.parametrize("tilt", [16.0, 23.0])
def test_the_better_guess_is_worked_out_as_a_cut_photograph_before_the_next_one(tilt: float) -> None:
    """A rank lower lay guesses whose lines fit the next ones of the board, 4 % off, under a usual camera."""
    view = tilted(tilt)
    found = search(View.of(picture(view)))
    assert found is not None
    assert not found.reasons
    half, square = load_board().half, np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    off = found.fit.camera.to_pixels(square * found.fit.layout.half) - view.to_pixels(square * half)
    assert np.abs(off).max() < 0.006 * 2 * half * float(view.px_per_mm()[0])
