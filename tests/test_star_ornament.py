"""Stars: where a small red middle has the ink of the points about it, it is print until the queen's look is known."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np
import pytest
from sim_scenes import BOARD, LOOK, Studio

from calibration.geometry.camera import Camera
from calibration.geometry.picture import Picture, picture_from_bgr
from calibration.profile import Profile
from models.pieces import Kind, Piece
from referee.pieces.detector import find_pieces
from referee.pieces.disc_fit import Disc
from referee.pieces.print_rejection import standing
from referee.pieces.scan import View
from referee.pieces.star_ornament import hides_shade, rim_width
from referee.sim.texture import circle

QUEEN = Piece(Kind.QUEEN, 0.6, -0.4)


@lru_cache(maxsize=4)
def star(height: int = 480, points: int = 8) -> Studio:
    return Studio(height * 4 // 3, height, look=replace(LOOK, points=points))


def middle(picture: Picture, profile: Profile) -> Disc:
    """The circle that is drawn best in the board's middle."""
    view = View(picture, profile)
    return view.disc(max((r for r in view.coins if math.hypot(r.x, r.y) < 8.0), key=lambda r: r.response))


def told(at: Studio, height: int) -> bool:
    return hides_shade(at.picture(), at.profile, middle(at.picture(), at.profile))


@pytest.mark.parametrize("points", [8, 11])
def test_a_small_star_with_points_of_its_middles_ink_hides_shade(points: int) -> None:
    assert told(star(points=points), 480)


def test_a_large_star_shows_light_between_its_points() -> None:
    assert not told(star(1088), 1088)


def softened(picture: Picture, sigma_px: float) -> Picture:
    return picture_from_bgr(cv2.GaussianBlur(picture.bgr(), (0, 0), sigma_px))


@pytest.mark.parametrize("times", [1, 2])
def test_a_soft_or_enlarged_star_hides_shade_however_many_pixels_show_it(times: int) -> None:
    """A photograph that was enlarged by half had its star's middle told for the queen."""
    at = star(1088 if times == 1 else 540)
    soft = cv2.GaussianBlur(at.picture().bgr(), (0, 0), 3.0 / times)
    image = np.asarray(cv2.resize(soft, (1448, 1088), interpolation=cv2.INTER_CUBIC), np.uint8)
    ratio = 1448 / at.picture().width
    k = at.camera.k * [[ratio], [ratio], [1.0]]
    profile = replace(at.profile, camera=Camera.of(1448, 1088, k, at.camera.dist, at.camera.r, at.camera.t))
    enlarged = picture_from_bgr(image)
    assert hides_shade(enlarged, profile, middle(enlarged, profile))


@pytest.mark.parametrize("height", [480, 1088])
def test_a_rim_is_as_wide_as_the_picture_is_soft(height: int) -> None:
    """A step that is blurred by sigma passes from nine tenths to one tenth within 2.56 sigma."""
    at = star(height)
    radius_px = BOARD.coin_radius * float(at.camera.px_per_mm()[0])
    soft = softened(at.picture(), 0.2 * radius_px)
    assert rim_width(soft, at.profile, middle(soft, at.profile)) == pytest.approx(2.56 * 0.2, abs=0.12)


def test_a_middle_without_points_and_one_of_another_ink_hide_nothing() -> None:
    plain = star(points=0)
    assert not told(plain, 480)
    at = star()
    disc = middle(at.picture(), at.profile)
    y, u, v = disc.colour
    orange = replace(disc, colour=(y, u - 16.0, v))
    assert not hides_shade(at.picture(), at.profile, orange)


def test_no_star_where_points_lead_to_one_side_only() -> None:
    at = star()
    picture = at.picture()
    bare = star(points=0).picture()
    half = picture.bgr().copy()
    half[:, : half.shape[1] // 2] = bare.bgr()[:, : half.shape[1] // 2]
    cut = picture_from_bgr(half)
    assert not hides_shade(cut, at.profile, middle(cut, at.profile))


def shaded(at: Studio) -> Picture:
    """The star, its middle without a ring and dark about it, as black points and a soft picture make it."""
    image = at.picture().bgr().copy()
    for radius, ink in ((BOARD.coin_radius + 3.0, LOOK.lines), (BOARD.coin_radius, LOOK.red)):
        outline = at.camera.to_pixels(circle((0.0, 0.0), radius), 0.0)
        cv2.fillPoly(image, [np.round(outline * 16).astype(np.int32)], ink, cv2.LINE_AA, 4)
    return picture_from_bgr(cv2.GaussianBlur(image, (0, 0), 0.8))


def test_a_stars_middle_that_black_points_shade_is_no_queen() -> None:
    at = star()
    picture = shaded(at)
    assert find_pieces(picture, at.profile) == []
    disc = middle(picture, at.profile)
    assert standing([disc], at.profile) == [disc], "it would pass for her"
    assert standing([replace(disc, starred=True)], at.profile) == []


def test_a_queen_of_another_red_is_found_on_a_small_star() -> None:
    at = star()
    assert [kind for kind, _ in find_pieces(at.picture([QUEEN]), at.profile)] == [Kind.QUEEN]
