"""Hands of the board's own colour, which the gate takes for shade or for the board itself."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest
from sim_scenes import BOARD, LOOK, Studio, compared, gate_over, hand_over, shadowed, studio

from models.pieces import Kind, Piece, Seat
from referee.foreground.background import BackgroundModel, ForegroundFrame, Mask
from referee.foreground.board_coloured_skin import arms_with_skin, skin_beside
from referee.foreground.segmentation import Segmentation, Segmenter
from referee.sim.viewpoint import Appearance

POSE = hand_over(Seat.SOUTH, 30.0, -150.0)
SLEEVE = (60, 70, 85)
"""Hardly another colour than the frame."""
PLAIN = (200, 90, 60)
"""A hand that nobody can miss: where it is seen is where all of them are."""


@cache
def scene_of(look: Appearance, pieces: tuple[Piece, ...] = ()) -> tuple[BackgroundModel, Segmentation, ForegroundFrame]:
    """A hand with its arm over a board, and what is told of it at once."""
    place = Studio(look=look)
    background = gate_over(at=place)
    foreground, nothing = (
        compared(background, place.picture(pieces, (POSE,)), 1.0),
        np.zeros_like(background.inside),
    )
    return background, Segmenter(background, BOARD.half, BOARD.coin_radius).read(foreground, nothing), foreground


def arms_of(look: Appearance, pieces: tuple[Piece, ...] = ()) -> Mask:
    """The hand with its skin."""
    background, scene, foreground = scene_of(look, pieces)
    return arms_with_skin(background, scene.hand, foreground, np.zeros_like(background.inside))


def arms(skin: tuple[int, int, int], pieces: tuple[Piece, ...] = ()) -> Mask:
    """The same of a hand sleeved in what nobody can miss."""
    return arms_of(Appearance(skin=skin, sleeves=((120, 74, 52), (120, 74, 52))), pieces)


@pytest.mark.parametrize("share", [0.8, 0.86, 0.92, 0.98])
def test_a_hand_as_pale_as_the_wood_is_seen_as_far_as_it_reaches(share: float) -> None:
    """Slipping worlds 9007 and 9010: only the sleeve was known for a hand, and pushes were not seen."""
    blue, green, red = LOOK.wood
    skin = round(share * blue + 4), round(share * green - 3), round(share * red + 2)
    clear, found = arms(PLAIN) > 0, arms(skin) > 0
    assert np.count_nonzero(clear & found) > 0.85 * np.count_nonzero(clear)
    assert np.count_nonzero(found & ~clear) < 0.12 * np.count_nonzero(clear)


@pytest.mark.parametrize("darker", [40, 55, 70])
def test_a_dark_hand_of_the_woods_hue_in_a_sleeve_like_the_frame_is_seen(darker: int) -> None:
    """Slipping world 9262: all of it passed for shade, and it was known for no hand at all. The shadow that
    it casts cannot be told from it.
    """
    blue, green, red = (c - darker for c in LOOK.wood)
    background, _, foreground = scene_of(Appearance(skin=(blue, green, red), sleeves=(SLEEVE, SLEEVE)))
    nothing = np.zeros_like(background.inside)
    clear, found = (
        mask[background.inside > 0] > 0
        for mask in (arms(PLAIN), arms_with_skin(background, nothing, foreground, nothing))
    )
    assert np.count_nonzero(clear & found) > 0.75 * np.count_nonzero(clear)
    assert np.count_nonzero(found & ~clear) < 0.6 * np.count_nonzero(clear)


def test_a_shadow_that_falls_in_over_the_frame_is_no_arm() -> None:
    background, gain = gate_over(), np.ones((studio().camera.height, studio().camera.width))
    gain[: gain.shape[0] // 2, gain.shape[1] // 3 : gain.shape[1] // 2] = 0.7
    foreground, nothing = (
        compared(background, shadowed(studio().picture(), gain.tolist()), 1.0),
        np.zeros_like(background.inside),
    )
    assert np.count_nonzero(foreground.shade) > 2000
    assert not np.any(arms_with_skin(background, nothing, foreground, nothing))


def test_a_coin_before_a_pale_hand_is_no_part_of_it() -> None:
    blue, green, red = LOOK.wood
    coin = Piece(Kind.BLACK, 30.0, -100.0)
    background = gate_over()
    found = arms((round(0.86 * blue), round(0.86 * green), round(0.86 * red)), (coin,))
    assert not np.any(found[background.lattice.disc_cells(coin.x_mm, coin.y_mm, BOARD.coin_radius / 2)])


def planes() -> tuple[Mask, Mask, Mask, Mask]:
    """A sleeve below a square of shade, nothing unlike the board, and a disc to close gaps."""
    hand, shade, unlike = np.zeros((3, 120, 120), np.uint8)
    hand[90:, 40:80], shade[40:90, 40:80] = 255, 255
    return hand, shade, unlike, np.ones((5, 5), np.uint8)


@pytest.mark.parametrize(("share", "is_skin"), [(0.0, False), (0.02, False), (0.1, True), (0.3, True)])
def test_what_differs_in_single_cells_is_skin_and_what_does_not_is_shade(share: float, is_skin: bool) -> None:
    hand, shade, unlike, gap = planes()
    specks = np.random.default_rng(3).random(shade.shape) < share
    unlike[specks & (shade > 0)] = 255
    skin = skin_beside(hand, shade, unlike, gap, 6.25)
    assert (skin is not None) is is_skin
    if skin is not None:
        assert np.count_nonzero(skin[40:90, 40:80]) > 0.9 * 50 * 40
        assert not np.any(skin & hand)


@pytest.mark.parametrize(("across_mm", "along_mm", "is_skin"), [
    (31.8, 31.8, False), (41.3, 41.3, False), (20.0, 80.0, True), (80.0, 80.0, True),
], ids=["coin", "striker", "finger", "palm"])  # fmt: skip
def test_a_disc_before_board_coloured_skin_is_no_part_of_it(across_mm: float, along_mm: float, is_skin: bool) -> None:
    hand, shade, unlike, gap = planes()
    unlike[(np.random.default_rng(3).random(shade.shape) < 0.1) & (shade > 0)] = 255
    shape = np.zeros_like(unlike)
    cv2.ellipse(shape, (60, 65), (round(along_mm / 5.0), round(across_mm / 5.0)), 90, 0, 360, (255,), cv2.FILLED)
    unlike[cv2.dilate(shape, np.ones((5, 5), np.uint8)) > 0] = 0
    skin = skin_beside(hand, shade, unlike | shape, gap, 6.25)
    assert skin is not None
    assert np.mean(skin[shape > 0] > 0) == float(is_skin)


def test_a_line_along_all_cushions_makes_no_hand_of_the_board() -> None:
    hand, shade, unlike, gap = planes()
    hand[:], shade[:] = 0, 0
    hand[10:110, 10:110], hand[14:106, 14:106] = 255, 0
    unlike[14:106, 14:106] = np.where(np.random.default_rng(3).random((92, 92)) < 0.2, 255, 0)
    assert skin_beside(hand, shade, unlike, gap, 1.0) is not None
    assert skin_beside(hand, shade, unlike, gap, 6.25) is None
