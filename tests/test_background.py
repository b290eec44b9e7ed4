"""The gate: each frame held against the empty board, whatever the light."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from sim_scenes import (
    BOARD,
    FORMATION,
    LOOK,
    RADIUS,
    SCATTERED,
    SIZE,
    Studio,
    compared,
    gate_over,
    hand_over,
    lit,
    shadowed,
    studio,
)

from calibration.geometry.picture import Picture
from models.pieces import Kind, Piece, Seat
from referee.foreground.background import BackgroundModel, ForegroundFrame
from referee.foreground.patches import DiscPatches

Lit = Callable[[Picture, Sequence[Sequence[float]] | float], Picture]
COIN_MM2 = np.pi * BOARD.coin_radius**2


def area(mask: NDArray[np.uint8], background: BackgroundModel) -> float:
    """Area (mm2) of a mask on the playing surface."""
    return int(np.count_nonzero((mask > 0) & (background.inside > 0))) * background.lattice.step**2


def share(mask: NDArray[np.uint8], background: BackgroundModel, piece: Piece) -> float:
    """Share of a piece's disc that a mask covers."""
    rows, columns = background.lattice.disc_cells(piece.x_mm, piece.y_mm, 0.85 * RADIUS[piece.kind])
    return float(np.mean(mask[rows, columns] > 0))


def seen(background: BackgroundModel, *pieces: Piece) -> ForegroundFrame:
    return compared(background, studio().picture(pieces), 1.0)


def lamp(west: float, east: float) -> NDArray[np.float64]:
    """Light by pixel that grows from west to east over a third of the picture."""
    width, height = SIZE
    return np.interp(np.arange(width), (width / 3, 2 * width / 3), (west, east))[None, :].repeat(height, 0)


def test_an_empty_board_is_seen_empty() -> None:
    background = gate_over()
    foreground = seen(background)
    assert area(foreground.solid, background) < 50
    assert area(foreground.shade, background) < 50


@pytest.mark.parametrize("gain", [0.55, 0.8, 1.1, 1.25])
def test_another_brightness_leaves_the_empty_board_empty(gain: float) -> None:
    background = gate_over()
    foreground = compared(background, lit(studio().picture(), gain), 1.0)
    assert foreground.light.gain[background.inside > 0].mean() == pytest.approx(gain, abs=0.06)
    assert area(foreground.solid, background) < 100


@pytest.mark.parametrize("light", [lit, shadowed])
@pytest.mark.parametrize(("west", "east"), [(0.5, 1.0), (1.0, 0.5)])
def test_a_lamp_twice_as_bright_on_one_half_leaves_the_empty_board_empty(west: float, east: float, light: Lit) -> None:
    background = gate_over(light(studio().picture(), 0.5))
    foreground = compared(background, light(studio().picture(), lamp(west, east).tolist()), 1.0)
    assert area(foreground.solid, background) < 0.5 * COIN_MM2
    assert area(foreground.shade, background) < 0.005 * BOARD.surface**2


@pytest.mark.parametrize("light", [lit, shadowed])
@pytest.mark.parametrize(("depth", "width"), [(0.36, 0.27), (0.43, 0.54)])
def test_the_soft_shadow_of_a_person_leaves_a_colourful_board_empty(depth: float, width: float, light: Lit) -> None:
    """Simulated worlds 15075 and 15085: where the wood is colourful a shadow takes more of its blue and red difference
    than noise does, and was a hand over a third of the board.
    """
    at = Studio(look=replace(LOOK, wood=(70.0, 120.0, 190.0)))
    background = gate_over(at=at)
    across = (np.arange(SIZE[0]) / SIZE[0] - 0.35) / (width / 2)
    dim = np.tile(1.0 - depth * np.exp(-(across**2)), (SIZE[1], 1))
    foreground = compared(background, light(at.picture(), dim.tolist()), 1.0)
    assert area(foreground.solid, background) < COIN_MM2
    coin = Piece(Kind.BLACK, -80.0, 60.0)
    solid = compared(background, light(at.picture([coin]), dim.tolist()), 2.0).solid
    assert share(solid, background, coin) > 0.5


@pytest.mark.parametrize("piece", SCATTERED, ids=lambda p: f"{p.kind}{p.x_mm:+.0f}{p.y_mm:+.0f}")
def test_a_piece_hides_the_board_where_it_lies(piece: Piece) -> None:
    background = gate_over()
    foreground = seen(background, piece)
    hidden = foreground.solid | foreground.shade
    assert share(hidden, background, piece) > 0.5
    assert area(hidden, background) < 2.0 * np.pi * RADIUS[piece.kind] ** 2


def test_a_shadow_is_shade_and_nothing_solid() -> None:
    background = gate_over()
    dim = np.ones((SIZE[1], SIZE[0]))
    dim[225:240, 300:420] = 0.75
    foreground = compared(background, shadowed(studio().picture(), dim), 1.0)
    assert area(foreground.shade, background) > 2 * COIN_MM2
    assert area(foreground.solid, background) < 0.1 * area(foreground.shade, background)


def test_a_hand_is_solid() -> None:
    background = gate_over()
    foreground = compared(background, studio().picture((), [hand_over(Seat.SOUTH, 0.0, -100.0)]), 1.0)
    assert area(foreground.solid, background) > 10 * COIN_MM2


def test_what_lay_on_the_board_at_first_is_guessed_from_around_it() -> None:
    at, background = studio(), BackgroundModel(studio().profile)
    coin = Piece(Kind.BLACK, 0.0, 170.0)
    background.remember(background.lattice.sample(at.picture([coin])), background.cover([coin], BOARD))
    foreground = compared(background, at.picture(), 1.0)
    assert area(foreground.solid, background) < 50
    patch = DiscPatches.of(background.lattice, coin.x_mm, coin.y_mm, BOARD.coin_radius)
    assert not background.knows(patch)
    background.remember(foreground.yuv, np.zeros(background.lattice.shape, np.uint8))
    assert background.knows(patch)


@pytest.mark.parametrize("place", [(BOARD.base_circle_x, -BOARD.base_y), (-BOARD.base_y - 12.0, 60.0)])
def test_a_print_under_a_coin_that_lay_there_at_first_is_guessed_from_the_other_sides(
    place: tuple[float, float],
) -> None:
    """The coin's track stayed with the uncovered print while the coin fell (clip `rear_line`; a clip with a queen)."""
    at, background = studio(), BackgroundModel(studio().profile)
    coin = Piece(Kind.WHITE, *place)
    background.remember(background.lattice.sample(at.picture([coin])), background.cover([coin], BOARD))
    foreground = compared(background, at.picture(), 1.0)
    patch = DiscPatches.of(background.lattice, coin.x_mm, coin.y_mm, BOARD.coin_radius)
    assert patch.shares(foreground.solid)[0] < 0.2


def test_the_board_is_remembered_in_the_light_of_the_first_time() -> None:
    background = gate_over()
    before = background.empty.astype(np.float64)
    dim = compared(background, lit(studio().picture(), 0.6), 1.0)
    background.remember(dim.yuv, np.zeros(background.lattice.shape, np.uint8))
    inside = background.inside > 0
    assert abs(np.median(background.empty[0][inside] - before[0][inside])) < 6.0
    assert area(compared(background, lit(studio().picture(), 0.6), 2.0).solid, background) < 100


def test_a_lamp_that_flickers_does_not_wear_the_remembered_board_away() -> None:
    """A light of a frame before was taken for the look's own: what it was off by added up, look for look, until a coin
    that lay there looked so unlike itself that it was lost (simulated world 14921)."""
    background, bare, rows = gate_over(), studio().picture(()), np.arange(SIZE[1])[:, None]
    assert background.empty is not None
    first, nothing = background.empty[0].astype(np.float64), np.zeros(background.lattice.shape, np.uint8)
    rng = np.random.default_rng(3)
    for i in range(300):
        # A rolling shutter of 120 fps under mains of 50 Hz shows flicker as bands, each time in another place.
        flicker = 1 + 0.02 * np.sin(math.tau * (100.0 * i / 120 + 0.8 * rows / SIZE[1]))
        foreground = compared(background, shadowed(bare, flicker), i / 120)
        if rng.random() < 0.1:
            background.remember(foreground.yuv, nothing)
    worn = cv2.blur(background.empty[0] / first, (25, 25))[background.inside > 0]
    assert 0.98 < worn.min() < worn.max() < 1.02


def test_only_what_is_not_hidden_is_remembered() -> None:
    background = gate_over()
    before = background.empty.copy()
    foreground = seen(background, *FORMATION)
    background.remember(foreground.yuv, background.cover(FORMATION, BOARD))
    rows, columns = background.lattice.disc_cells(0.0, 0.0, 60.0)
    np.testing.assert_array_equal(background.empty[:, rows, columns], before[:, rows, columns])


def test_two_looks_at_the_same_board_do_not_differ_and_a_moved_coin_does() -> None:
    at, background = studio(), gate_over()
    looks = [background.lattice.sample(at.picture(p)) for p in (SCATTERED, SCATTERED, SCATTERED[1:])]
    assert area(background.differs(looks[0], looks[1]), background) < 60
    assert area(background.differs(looks[0], looks[2]), background) > 0.3 * COIN_MM2


def test_a_noisier_camera_raises_what_counts() -> None:
    loud = Studio(noise=6.0)
    background = gate_over(at=loud)
    assert background.noise[0] > 2 * gate_over().noise[0]
    assert background.steps() > gate_over().steps()
    assert area(compared(background, loud.picture(), 1.0).solid, background) < 0.03 * BOARD.surface**2


def test_a_look_over_a_hole_or_the_frame_is_held_against_the_board_beside_it() -> None:
    background = gate_over()
    assert background.empty is not None
    for pocket, circle in studio().profile.pockets.items():
        x, y = circle.centre
        beside = background.lattice.disc_cells(x - 80 * np.sign(x), y - 80 * np.sign(y), 10.0)
        hole, frame = (
            background.lattice.disc_cells(x, y, 15.0),
            background.lattice.disc_cells(np.sign(x) * (background.half + 20), 0, 8.0),
        )
        board = float(background.empty[0][beside].mean())
        assert background.empty[0][hole].mean() < 0.7 * board, pocket
        for there in (hole, frame):
            assert background.ground[there].mean() == pytest.approx(board, rel=0.15), pocket


@pytest.mark.parametrize("noise", [(2.0, 1.0), (14.0, 3.0)], ids=["clear", "noisy"])
def test_solid_and_shade_are_what_each_cell_held_against_the_empty_board_tells(noise: tuple[float, float]) -> None:
    background = gate_over()
    background.noise = noise
    now = compared(background, lit(studio().picture(SCATTERED), 0.8), 1.0)
    assert background.empty is not None
    luma, blue, red = (plane.astype(int) for plane in now.yuv)
    bare = np.asarray(cv2.multiply(background.empty[0], now.light.gain, dtype=cv2.CV_8U)).astype(int)
    lit_up = (np.asarray(np.round((b - 128.0) * now.light.colour + 128.0 + round(d)), int) for b, d in
              zip(background.empty[1:].astype(np.float32), now.light.tint, strict=True))  # fmt: skip
    tints = (np.abs(a - b) for a, b in zip((blue, red), lit_up, strict=True))
    step, tint_step = background.steps()
    dark = bare - luma > step
    deep = luma < np.asarray(cv2.convertScaleAbs(bare.astype(np.uint8), alpha=0.5))
    solid = (np.maximum(*tints) > tint_step) | (luma - bare > step) | (dark & deep)
    np.testing.assert_array_equal(now.solid > 0, solid)
    np.testing.assert_array_equal(now.shade > 0, dark & ~solid)
