"""Hands of the board's own colour, which the gate takes for shade or for the board itself."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from sim_scenes import BOARD, LOOK, Studio, gate_over, hand_over, shadowed, studio

from models.pieces import Kind, Piece, Seat
from referee.foreground.background import BackgroundModel, ForegroundFrame, Mask
from referee.foreground.board_coloured_skin import DISC_MM2, LONG, SKIN_ROUND, BoardColouredSkin, _discs, skin_beside
from referee.foreground.segmentation import Segmentation, Segmenter
from referee.sim.viewpoint import Appearance

POSE = hand_over(Seat.SOUTH, 30.0, -150.0)
SLEEVE = (60, 70, 85)
"""Hardly another colour than the frame."""
PLAIN = (200, 90, 60)
"""A hand that nobody can miss: where it is seen is where all of them are."""


def scene_of(look: Appearance, pieces: tuple[Piece, ...] = ()) -> tuple[BackgroundModel, Segmentation, ForegroundFrame]:
    """A hand with its arm over a board, and what is told of it at once."""
    place = Studio(look=look)
    background = gate_over(at=place)
    foreground, nothing = background.see(place.picture(pieces, (POSE,)), 1.0), np.zeros_like(background.inside)
    return background, Segmenter(background, BOARD.half, BOARD.coin_radius).read(foreground, nothing), foreground


def arms_of(look: Appearance, pieces: tuple[Piece, ...] = ()) -> Mask:
    """The hand with its skin."""
    background, scene, foreground = scene_of(look, pieces)
    return BoardColouredSkin(background).arms(scene.hand, foreground, np.zeros_like(background.inside))


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
        for mask in (arms(PLAIN), BoardColouredSkin(background).arms(nothing, foreground, nothing))
    )
    assert np.count_nonzero(clear & found) > 0.75 * np.count_nonzero(clear)
    assert np.count_nonzero(found & ~clear) < 0.6 * np.count_nonzero(clear)


def test_a_shadow_that_falls_in_over_the_frame_is_no_arm() -> None:
    background, gain = gate_over(), np.ones((studio().camera.height, studio().camera.width))
    gain[: gain.shape[0] // 2, gain.shape[1] // 3 : gain.shape[1] // 2] = 0.7
    foreground, nothing = (
        background.see(shadowed(studio().picture(), gain.tolist()), 1.0),
        np.zeros_like(background.inside),
    )
    assert np.count_nonzero(foreground.shade) > 2000
    assert not np.any(BoardColouredSkin(background).arms(nothing, foreground, nothing))


def test_a_coin_before_a_pale_hand_is_no_part_of_it() -> None:
    blue, green, red = LOOK.wood
    coin = Piece(Kind.BLACK, 30.0, -100.0)
    background = gate_over()
    found = arms((round(0.86 * blue), round(0.86 * green), round(0.86 * red)), (coin,))
    assert not np.any(found[background.lattice.disc_cells(coin.x_mm, coin.y_mm, BOARD.coin_radius / 2)])


def discs_by_statistics(mask: Mask, cell_mm2: float) -> Mask:
    """The slow twin of `_discs`, by OpenCV's statistics of the patches."""
    out = np.zeros_like(mask)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    for i, (_, _, width, height, cells) in enumerate(stats.tolist()[1:], 1):
        is_sized = DISC_MM2[0] < cells * cell_mm2 < DISC_MM2[1]
        if is_sized and cells > SKIN_ROUND * width * height and max(width, height) < LONG * min(width, height):
            out[labels == i] = 255
    return out


def test_discs_are_those_that_opencvs_statistics_of_the_patches_tell() -> None:
    rng, mask = np.random.default_rng(1), np.zeros((150, 180), np.uint8)
    for x, y, a, b in rng.integers((0, 0, 2, 2), (180, 150, 14, 14), (25, 4)).tolist():
        cv2.ellipse(mask, (x, y), (a, b), 0, 0, 360, (255,), cv2.FILLED)
    mask[rng.random(mask.shape) < 0.02] ^= 255
    told = _discs(mask, 6.25)
    assert 0 < np.count_nonzero(told) < np.count_nonzero(mask)
    np.testing.assert_array_equal(told, discs_by_statistics(mask, 6.25))
    assert not np.any(_discs(np.zeros_like(mask), 6.25))


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


def test_a_line_along_all_cushions_makes_no_hand_of_the_board() -> None:
    hand, shade, unlike, gap = planes()
    hand[:], shade[:] = 0, 0
    hand[10:110, 10:110], hand[14:106, 14:106] = 255, 0
    unlike[14:106, 14:106] = np.where(np.random.default_rng(3).random((92, 92)) < 0.2, 255, 0)
    assert skin_beside(hand, shade, unlike, gap, 1.0) is not None
    assert skin_beside(hand, shade, unlike, gap, 6.25) is None
