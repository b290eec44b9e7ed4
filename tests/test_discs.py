"""Discs: placed by their outline to a fraction of a pixel, and described by their look."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from sim_scenes import BOARD, RADIUS, SIZE, Studio, studio

from calibration.camera import Camera
from calibration.discs import Disc, refine
from calibration.picture import Picture, picture_from_bgr
from models.pieces import Kind, Piece
from referee.sim.view import Mount, camera_over

PIXEL_MM = 1.75
"""About the size of a pixel on the board in the studio's pictures."""
SPOTS = [(0.0, 60.0), (-150.3, 90.8), (160.7, -251.9), (-291.2, -140.4), (300.6, 250.2)]
WOOD = (128, 176, 212)


def guess(kind: Kind, x: float, y: float, off: float = 0.8) -> Disc:
    """A disc found as roughly as a search finds it, to a millimetre."""
    nothing = (0.0, 128.0, 128.0)
    return Disc(x + off, y - 0.6 * off, RADIUS[kind], 0.8, nothing, nothing, nothing, 90.0)


def placed(kind: Kind, x: float, y: float, at: Studio) -> Disc:
    return refine(at.picture([Piece(kind, x, y)]), at.camera, [guess(kind, x, y)], BOARD.height(kind))[0]


def off(disc: Disc, x: float, y: float) -> float:
    return math.dist((disc.x, disc.y), (x, y))


@pytest.mark.parametrize("kind", [Kind.BLACK, Kind.QUEEN])
@pytest.mark.parametrize(("x", "y"), SPOTS)
def test_a_dark_disc_is_placed_to_half_a_millimetre(kind: Kind, x: float, y: float) -> None:
    assert off(placed(kind, x, y, studio()), x, y) < 0.5


@pytest.mark.parametrize("kind", [Kind.WHITE, Kind.STRIKER])
@pytest.mark.parametrize(("x", "y"), SPOTS)
def test_a_pale_disc_is_placed_to_a_pixel(kind: Kind, x: float, y: float) -> None:
    assert off(placed(kind, x, y, studio()), x, y) < 1.15 * PIXEL_MM


@pytest.mark.parametrize("colour", [(170, 214, 232), (40, 38, 40), (74, 44, 206), (214, 206, 190), (128, 200, 128)])
@pytest.mark.parametrize(("x", "y"), SPOTS)
def test_a_flat_disc_is_placed_to_half_a_millimetre_whatever_its_colour(colour: tuple[int, int, int], x: float,
                                                                        y: float) -> None:  # fmt: skip
    view = camera_over(BOARD, *SIZE, Mount())
    found = refine(flat(view, x, y, colour), view, [guess(Kind.WHITE, x, y)], 0.0)[0]
    assert off(found, x, y) < 0.5
    assert abs(found.excess) < 0.5


def flat(view: Camera, x: float, y: float, colour: tuple[int, int, int]) -> Picture:
    """A disc without height on a plain board."""
    fine = 4
    image = np.full((view.height * fine, view.width * fine, 3), WOOD, np.uint8)
    angle = np.linspace(0, 2 * math.pi, 90, endpoint=False)
    rim = np.column_stack([x + 15.5 * np.cos(angle), y + 15.5 * np.sin(angle)])
    px = (view.to_pixels(rim) + 0.5) * fine - 0.5
    cv2.fillPoly(image, [np.rint(px * 64).astype(np.int32)], colour, cv2.LINE_AA, 6)
    small = cv2.resize(image, (view.width, view.height), interpolation=cv2.INTER_AREA)
    noise = np.random.default_rng(1).normal(0, 1.5, small.shape)
    return picture_from_bgr(np.clip(cv2.GaussianBlur(small, (0, 0), 0.5) + noise, 0, 255).astype(np.uint8))


def test_where_nothing_is_drawn_the_place_is_told_to_be_unsure() -> None:
    view = camera_over(BOARD, *SIZE, Mount())
    grain = np.random.default_rng(1).normal(0, 1.5, (SIZE[1], SIZE[0], 3))
    nothing = picture_from_bgr(np.clip(np.array(WOOD) + grain, 0, 255).astype(np.uint8))
    known = refine(flat(view, 50.0, 50.0, (40, 38, 40)), view, [guess(Kind.BLACK, 50.0, 50.0)], 0.0)[0]
    unknown = refine(nothing, view, [guess(Kind.BLACK, 50.0, 50.0)], 0.0)[0]
    assert unknown.sigma > 2 * known.sigma


def test_no_discs_refine_to_none() -> None:
    assert refine(studio().picture(), studio().camera, [], 8.0) == []
