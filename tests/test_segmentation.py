"""Hands and loose discs: told apart by size and by what reaches in from outside."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from sim_scenes import BOARD, SCATTERED, Studio, compared, gate_over, hand_over, studio, unmatched

from models.pieces import Kind, Piece, Seat
from referee.foreground.background import BackgroundModel, ForegroundFrame, Mask
from referee.foreground.illumination import Illumination
from referee.foreground.segmentation import Segmentation, Segmenter, reaching
from referee.sim.scene import HandPose

HANDS = [hand_over(Seat.SOUTH, 0.0, -200.0), hand_over(Seat.SOUTH, 150.0, 60.0), hand_over(Seat.NORTH, -80.0, 120.0),
         hand_over(Seat.NORTH, 200.0, 200.0, pinch=1.0)]  # fmt: skip


def scene(background: BackgroundModel, pieces: tuple[Piece, ...] = (), hands: tuple[HandPose, ...] = (),
          explained: Mask | None = None) -> Segmentation:  # fmt: skip
    reader = Segmenter(background, BOARD.half, BOARD.coin_radius)
    nothing = np.zeros(background.lattice.shape, np.uint8)
    return reader.read(
        compared(background, studio().picture(pieces, hands), 1.0), nothing if explained is None else explained
    )


def at(mask: Mask, background: BackgroundModel, x: float, y: float) -> bool:
    column, row = np.round(background.lattice.to_cells([(x, y)])[0]).astype(int)
    return bool(mask[row, column])


def test_on_an_empty_board_there_is_neither_hand_nor_blob() -> None:
    found = scene(gate_over())
    assert not found.hand.any()
    assert not found.near_hand.any()
    assert found.blobs == ()


@pytest.mark.parametrize("pose", HANDS, ids=lambda p: f"{p.seat}{p.x_mm:+.0f}{p.y_mm:+.0f}")
def test_a_hand_is_a_hand(pose: HandPose) -> None:
    background = gate_over()
    found = scene(background, hands=(pose,))
    knuckle = pose.x_mm - 60 * math.cos(pose.heading), pose.y_mm - 60 * math.sin(pose.heading)
    assert at(found.hand, background, *knuckle)
    assert found.blobs == ()


def test_two_hands_are_both_hands() -> None:
    background = gate_over()
    found = scene(background, hands=(HANDS[0], HANDS[2]))
    assert at(found.hand, background, 0.0, -260.0)
    assert at(found.hand, background, -80.0, 190.0)


def test_pieces_are_no_hands_but_blobs_where_they_lie() -> None:
    found = scene(gate_over(), SCATTERED)
    assert not found.hand.any()
    true = [(p.x_mm, p.y_mm) for p in SCATTERED]
    assert unmatched([(b.x, b.y) for b in found.blobs], true, 6.0) == ([], [])


def test_a_striker_against_the_cushion_is_no_hand() -> None:
    edge = BOARD.half - BOARD.striker_radius
    found = scene(gate_over(), (Piece(Kind.STRIKER, 40.0, -edge), Piece(Kind.BLACK, -BOARD.half + 15.5, 100.0)))
    assert not found.hand.any()
    assert len(found.blobs) == 2


def test_a_blobs_tint_tells_dark_from_pale() -> None:
    found = scene(gate_over(), (Piece(Kind.BLACK, -150.0, 0.0), Piece(Kind.QUEEN, 150.0, 0.0)))
    dark, red = sorted(found.blobs, key=lambda b: b.x)
    assert dark.tint[0] < 60
    assert red.tint[2] > dark.tint[2] + 10


def test_explained_pieces_are_no_blobs() -> None:
    background = gate_over()
    explained = background.cover(SCATTERED[:5], BOARD)
    found = scene(background, SCATTERED, explained=explained)
    assert unmatched([(b.x, b.y) for b in found.blobs], [(p.x_mm, p.y_mm) for p in SCATTERED[5:]], 6.0) == ([], [])


def test_touching_discs_are_two_blobs() -> None:
    found = scene(gate_over(), (Piece(Kind.BLACK, 100.0, 0.0), Piece(Kind.BLACK, 131.0, 0.0)))
    assert unmatched([(b.x, b.y) for b in found.blobs], [(100.0, 0.0), (131.0, 0.0)], 6.0) == ([], [])


def test_of_touching_discs_each_has_its_own_look_and_size() -> None:
    apart = BOARD.coin_radius + BOARD.striker_radius
    found = scene(gate_over(), (Piece(Kind.BLACK, 100.0, 0.0), Piece(Kind.STRIKER, 100.0 + apart, 0.0)))
    coin, striker = sorted(found.blobs, key=lambda b: b.x)
    alone = sorted(scene(gate_over(), (Piece(Kind.BLACK, -100.0, 0.0), Piece(Kind.STRIKER, 100.0, 0.0))).blobs,
                   key=lambda b: b.x)  # fmt: skip
    for together, by_itself in zip((coin, striker), alone, strict=True):
        assert together.tint == pytest.approx(by_itself.tint, abs=8.0)
        assert together.area_mm2 == pytest.approx(by_itself.area_mm2, rel=0.15)


@pytest.mark.parametrize("corner", [(1, 1), (-1, 1), (1, -1), (-1, -1)])
def test_discs_that_touch_each_other_at_a_cushion_are_no_hand(corner: tuple[int, int]) -> None:
    """A striker that drives two coins into a corner: as large together as fingers."""
    sx, sy = corner
    edge = BOARD.half - BOARD.coin_radius
    places = ((Kind.BLACK, sx * edge, sy * 250.0), (Kind.STRIKER, sx * (edge - 30.0), sy * 271.0),
              (Kind.BLACK, sx * (edge - 2.0), sy * 294.0))  # fmt: skip
    found = scene(gate_over(), tuple(Piece(*p) for p in places))
    assert not found.hand.any()
    assert unmatched([(b.x, b.y) for b in found.blobs], [(x, y) for _, x, y in places], 7.0) == ([], [])


def test_a_coin_beside_a_hand_stays_a_blob() -> None:
    background = gate_over()
    coin = Piece(Kind.BLACK, -120.0, -60.0)
    found = scene(background, (coin,), (HANDS[0],))
    assert unmatched([(b.x, b.y) for b in found.blobs], [(coin.x_mm, coin.y_mm)], 6.0) == ([], [])
    assert not at(found.near_hand, background, coin.x_mm, coin.y_mm)


def test_right_beside_a_hand_nothing_is_believed_free() -> None:
    background = gate_over()
    found = scene(background, hands=(HANDS[0],))
    assert np.all(found.near_hand[found.hand > 0])
    assert np.count_nonzero(found.near_hand) > 1.05 * np.count_nonzero(found.hand)


def test_a_hands_shadow_is_its_own_up_to_thirty_millimetres_from_it() -> None:
    background = gate_over()
    reader, nothing = Segmenter(background, BOARD.half, BOARD.coin_radius), np.zeros(background.lattice.shape, np.uint8)
    solid, shade = nothing.copy(), np.full_like(nothing, 255)
    solid[:, 150:170] = 255
    shade[solid > 0] = 0
    foreground = ForegroundFrame(
        0.0, np.zeros((3, *nothing.shape), np.uint8), Illumination.even(nothing.shape), solid, shade
    )
    background.empty = foreground.yuv
    near = reader.read(foreground, nothing).near_hand
    away = np.maximum(background.x[0, 150] - background.x, background.x - background.x[0, 169])
    np.testing.assert_array_equal(near > 0, away < 30.0 + background.lattice.step / 2)


def by_labels(mask: Mask, border: Mask) -> list[tuple[int, Mask]]:
    """Size and cells of each connected patch of a mask that touches another: all patches are labelled and asked."""
    labels = cv2.connectedComponents(mask, connectivity=8)[1]
    patches = [np.where(labels == i, 255, 0).astype(np.uint8) for i in range(1, labels.max() + 1)]
    return [(int(np.count_nonzero(p)), p) for p in patches if np.any(p & border)]


@pytest.mark.parametrize("seed", range(5))
def test_of_what_crosses_the_cushion_each_patch_is_found_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mask = np.where(cv2.GaussianBlur(rng.normal(size=(90, 70)), (0, 0), 2.5) > 0.05, 255, 0).astype(np.uint8)
    border = np.zeros_like(mask)
    border[:, :12] = border[80:] = 255
    found = sorted(((cells, patch) for patch, cells in reaching(mask, border)), key=lambda f: (f[0], f[1].tobytes()))
    expected = sorted(by_labels(mask, border), key=lambda f: (f[0], f[1].tobytes()))
    assert len(expected) > 1
    assert [cells for cells, _ in found] == [cells for cells, _ in expected]
    for (_, patch), (_, true) in zip(found, expected, strict=True):
        np.testing.assert_array_equal(patch, true)


def test_noise_makes_neither_hands_nor_blobs() -> None:
    loud = Studio(noise=6.0)
    background = gate_over(at=loud)
    foreground = compared(background, loud.picture(), 1.0)
    found = Segmenter(background, BOARD.half, BOARD.coin_radius).read(
        foreground, np.zeros(background.lattice.shape, np.uint8)
    )
    assert not found.hand.any()
    assert found.blobs == ()


def test_blobs_are_those_that_opencv_counts_each_with_the_mean_of_what_it_shows() -> None:
    background = gate_over()
    foreground = compared(background, studio().picture(SCATTERED), 1.0)
    free = cv2.morphologyEx(foreground.solid, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3)))
    _, labels, stats, centres = cv2.connectedComponentsWithStats(free)
    bare = background.ground * foreground.light.gain
    expected = []
    for i in range(1, len(stats)):
        area = stats[i, cv2.CC_STAT_AREA] * background.lattice.step**2
        if area > 0.5 * math.pi * BOARD.coin_radius**2:
            luma, blue, red = (float(plane[labels == i].mean()) for plane in foreground.yuv)
            tint = np.array([luma, blue - 128, red - 128]) * 100 / bare[labels == i].mean()
            expected.append((*background.lattice.to_board(centres[i])[0], area, *tint))
    found = [(b.x, b.y, b.area_mm2, *b.tint) for b in scene(background, SCATTERED).blobs]
    np.testing.assert_allclose(sorted(found), sorted(expected), rtol=2e-3)
