"""Discs at rest: placed to a fraction of a pixel, with a standard deviation that is theirs."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np
import pytest
from sim_scenes import BOARD, LOOK, RADIUS, SIZE, Studio, hand_over, studio

from calibration.geometry.camera import Camera
from calibration.geometry.picture import Picture, picture_from_bgr
from models.pieces import Kind, Piece, Seat
from referee.pieces.circles import Ring, scan_lattice
from referee.pieces.disc import Disc, describe
from referee.pieces.disc_place import place_discs
from referee.sim.viewpoint import Mount, Print, camera_over, scaled

PIXEL_MM = 1.75
"""About the size of a pixel on the board in the studio's pictures."""
SPOTS = [(0.0, 60.0), (-150.3, 90.8), (160.7, -251.9), (-291.2, -140.4), (300.6, 250.2)]
WOOD = (128, 176, 212)


def guess(kind: Kind, x: float, y: float, off: float = 0.8) -> Disc:
    """A disc found as roughly as a search finds it, to a millimetre."""
    nothing = (0.0, 128.0, 128.0)
    return Disc(x + off, y - 0.6 * off, RADIUS[kind], 0.8, nothing, nothing, 90.0)


def seen(picture: Picture, kind: Kind, x: float, y: float, at: Studio) -> Disc:
    """A disc found as roughly as that, with its look in the picture."""
    lattice = scan_lattice(at.camera, BOARD.half, BOARD.coin_height)
    return describe(lattice, lattice.sample(picture), Ring(x + 0.8, y - 0.5, RADIUS[kind], 0.8))


def placed(kind: Kind, x: float, y: float, at: Studio, *others: Piece) -> Disc:
    picture = at.picture([Piece(kind, x, y), *others])
    return place_discs(picture, at.camera, [seen(picture, kind, x, y, at)], BOARD.height(kind))[0]


def off(disc: Disc, x: float, y: float) -> float:
    return math.dist((disc.x, disc.y), (x, y))


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize(("x", "y"), SPOTS)
def test_a_disc_is_placed_to_less_than_half_a_pixel(kind: Kind, x: float, y: float) -> None:
    assert off(placed(kind, x, y, studio()), x, y) < 0.4 * PIXEL_MM


@lru_cache(maxsize=3)
def pale_studio(tone: float) -> Studio:
    """White coins of the wood's own colour, so much lighter."""
    return Studio(look=replace(LOOK, white=scaled(LOOK.wood, tone)))


@pytest.mark.parametrize("tone", [0.92, 1.0, 1.08])
@pytest.mark.parametrize(("x", "y"), SPOTS)
def test_a_disc_as_pale_as_the_wood_is_placed_to_less_than_half_a_pixel(tone: float, x: float, y: float) -> None:
    found = placed(Kind.WHITE, x, y, pale_studio(tone))
    assert off(found, x, y) < 0.4 * PIXEL_MM


@pytest.mark.parametrize("kind", [Kind.WHITE, Kind.BLACK])
@pytest.mark.parametrize(("x", "y"), SPOTS)
def test_a_disc_between_others_that_touch_it_is_placed_to_less_than_half_a_pixel(kind: Kind, x: float,
                                                                                 y: float) -> None:  # fmt: skip
    reach = 2 * BOARD.coin_radius
    others = Piece(Kind.WHITE, x + reach, y), Piece(Kind.BLACK, x, y - reach)
    assert off(placed(kind, x, y, studio(), *others), x, y) < 0.4 * PIXEL_MM


def test_the_told_sigma_is_that_of_the_errors() -> None:
    found = [(placed(k, x, y, studio()), x, y) for k in Kind for x, y in SPOTS]
    found += [(placed(Kind.WHITE, x, y, pale_studio(t)), x, y) for t in (0.92, 1.0, 1.08) for x, y in SPOTS]
    assert 0.6 < math.sqrt(np.mean([off(d, x, y) ** 2 / 2 / d.sigma**2 for d, x, y in found])) < 1.3


def test_half_under_a_hand_a_striker_is_placed_to_less_than_half_a_pixel() -> None:
    at = studio()
    for x, y in ((0.0, -253.0), (120.0, -253.0), (-200.0, -250.0)):
        picture = at.picture([Piece(Kind.STRIKER, x, y)], [hand_over(Seat.SOUTH, x, y - 12.0)])
        found = place_discs(picture, at.camera, [seen(picture, Kind.STRIKER, x, y, at)], BOARD.striker_height)[0]
        assert off(found, x, y) < 0.4 * PIXEL_MM


@pytest.mark.parametrize("colour", [(170, 214, 232), (40, 38, 40), (74, 44, 206), (214, 206, 190), (128, 200, 128)])
@pytest.mark.parametrize(("x", "y"), SPOTS)
def test_a_flat_disc_is_placed_to_half_a_millimetre_whatever_its_colour(colour: tuple[int, int, int], x: float,
                                                                        y: float) -> None:  # fmt: skip
    view = camera_over(BOARD, *SIZE, Mount())
    found = place_discs(flat(view, x, y, colour), view, [guess(Kind.WHITE, x, y)], 0.0)[0]
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
    known = place_discs(flat(view, 50.0, 50.0, (40, 38, 40)), view, [guess(Kind.BLACK, 50.0, 50.0)], 0.0)[0]
    unknown = place_discs(nothing, view, [guess(Kind.BLACK, 50.0, 50.0)], 0.0)[0]
    assert unknown.sigma > 2 * known.sigma


@pytest.mark.parametrize("start", [(4.0, 0.0), (-3.5, 2.0), (2.1, -3.8)])
def test_a_disc_found_beside_its_place_is_moved_there(start: tuple[float, float]) -> None:
    at, (x, y) = studio(), (-121.0, 289.8)
    picture = at.picture([Piece(Kind.WHITE, x, y)])
    told = replace(seen(picture, Kind.WHITE, x, y, at), x=x + start[0], y=y + start[1])
    assert off(place_discs(picture, at.camera, [told], BOARD.coin_height)[0], x, y) < 0.65 * PIXEL_MM


def test_in_an_empty_picture_a_disc_is_told_to_lie_anywhere_near() -> None:
    view = camera_over(BOARD, *SIZE, Mount())
    blank = picture_from_bgr(np.full((SIZE[1], SIZE[0], 3), 255, np.uint8))
    found = place_discs(blank, view, [guess(Kind.BLACK, 50.0, 50.0, 0.0)], 8.0)[0]
    assert found.sigma >= 1.0
    assert off(found, 50.0, 50.0) < found.sigma


def test_no_discs_are_placed_as_none() -> None:
    assert place_discs(studio().picture(), studio().camera, [], 8.0) == []


@lru_cache(maxsize=1)
def ringed() -> Studio:
    """A cream striker with two bold rings under a camera of 1.2 px/mm."""
    look = replace(LOOK, striker=(150, 190, 198), striker_print=Print.RING, striker_ink=(140, 150, 20))
    return Studio(1280, 960, look=look)


def errors_of_ringed() -> list[float]:
    """How far (mm) strikers are placed wrongly that stand about the lines, from wherever the search may find them."""
    at, found = ringed(), []
    for x, y in ((-180.0, -246.0), (216.0, -259.0), (40.0, -254.0), (-40.0, -240.0)):
        picture = at.picture([Piece(Kind.STRIKER, x, y)])
        lattice = scan_lattice(at.camera, BOARD.half, BOARD.striker_height)
        for dx, dy in ((0.0, 0.0), (2.0, 1.5), (-1.5, 2.0), (0.0, -2.5)):
            disc = describe(lattice, lattice.sample(picture), Ring(x + dx, y + dy, RADIUS[Kind.STRIKER], 0.8))
            found.append(off(place_discs(picture, at.camera, [disc], BOARD.striker_height)[0], x, y))
    return found


def test_rings_printed_on_a_striker_do_not_pass_for_its_rim() -> None:
    assert max(errors_of_ringed()) < 0.65


def test_a_striker_of_the_woods_colour_is_placed_with_its_doubt() -> None:
    """Its printed rings are all that is seen of it on one side (simulated world 14061)."""
    dull = (115, 158, 190)
    at = Studio(1280, 960, look=replace(LOOK, striker=dull, striker_print=Print.RING, striker_ink=(140, 150, 20)))
    lattice, seen = scan_lattice(at.camera, BOARD.half, BOARD.striker_height), []
    for x, y in ((-180.0, -246.0), (216.0, -259.0), (40.0, -254.0), (-40.0, -240.0)):
        picture = at.picture([Piece(Kind.STRIKER, x, y)])
        for dx, dy in ((0.0, 0.0), (2.0, 1.5)):
            disc = describe(lattice, lattice.sample(picture), Ring(x + dx, y + dy, RADIUS[Kind.STRIKER], 0.8))
            [placed] = place_discs(picture, at.camera, [disc], BOARD.striker_height)
            seen.append((off(placed, x, y), placed.sigma))
    assert max(far for far, _ in seen) < 1.0
    assert all(far < 3 * sigma for far, sigma in seen)
    assert max(sigma for _, sigma in seen) < 0.8


@pytest.mark.parametrize(("x", "y"), [(207.0, -240.0), (-207.0, -240.0), (-212.0, -247.0)])
def test_a_striker_of_the_woods_colour_is_not_drawn_aside_by_a_base_circle(x: float, y: float) -> None:
    """The circle's outline crosses it (slipping world 14900)."""
    look = replace(LOOK, striker=(120, 165, 200), striker_print=Print.RING, striker_ink=(140, 150, 20))
    at = Studio(800, 600, look=look)
    lattice = scan_lattice(at.camera, BOARD.half, BOARD.striker_height)
    picture = at.picture([Piece(Kind.STRIKER, x, y)])
    starts = [Ring(x + dx, y + dy, RADIUS[Kind.STRIKER], 0.8) for dx, dy in ((0.0, 0.0), (2.0, 1.5), (-1.5, 2.0))]
    discs = [describe(lattice, lattice.sample(picture), ring) for ring in starts]
    placed = place_discs(picture, at.camera, discs, BOARD.striker_height)
    assert max(off(p, x, y) for p in placed) < 0.6
    assert all(off(p, x, y) < 3 * p.sigma for p in placed)
