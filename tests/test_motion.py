"""Motion: what moves on the board stirs the picture; noise and flicker do not."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from sim_scenes import gate_over, studio

from calibration.geometry.picture import U8
from models.pieces import Pocket
from referee.board_state.motion import MotionDetector
from referee.foreground.background import BackgroundModel, ForegroundFrame, Mask
from referee.foreground.illumination import Illumination
from referee.foreground.segmentation import Segmentation


@pytest.fixture(scope="module")
def background() -> BackgroundModel:
    return gate_over()


def nobody(background: BackgroundModel) -> Segmentation:
    empty = np.zeros(background.lattice.shape, np.uint8)
    return Segmentation(empty, empty, empty, ())


def foreground(background: BackgroundModel, t: float, yuv: U8) -> ForegroundFrame:
    nothing = np.zeros(background.lattice.shape, np.uint8)
    return ForegroundFrame(t, yuv, Illumination.even(background.lattice.shape), nothing, nothing)


def grainy(background: BackgroundModel, share: float) -> Mask:
    """Cells that differ by chance alone."""
    chance = np.random.default_rng(1).random(background.lattice.shape)
    return np.where(chance < share, np.uint8(255), np.uint8(0))


def creeping(background: BackgroundModel) -> Mask:
    """The rim, before and behind, of a coin that has crept on by a millimetre or two."""
    mask = np.zeros(background.lattice.shape, np.uint8)
    (column, row), radius = background.lattice.to_cells([(80.0, 60.0)])[0], 15.9 / background.lattice.step
    for side in (0.0, 180.0):
        cv2.ellipse(mask, (round(column), round(row)), (round(radius), round(radius)), side, -60.0, 60.0, 255, 1)
    return mask


def test_noise_in_single_cells_all_over_the_board_is_no_motion(background: BackgroundModel) -> None:
    assert not MotionDetector(background).stirs(grainy(background, 0.004), nobody(background))


def test_the_rim_of_a_creeping_coin_is_motion(background: BackgroundModel) -> None:
    assert MotionDetector(background).stirs(creeping(background), nobody(background))


def test_a_creeping_coin_is_seen_through_noise(background: BackgroundModel) -> None:
    motion, still = MotionDetector(background), nobody(background)
    for _ in range(60):
        motion.stirs(grainy(background, 0.004), still)
    assert motion.stirs(creeping(background) | grainy(background, 0.004), still)


def enough(background: BackgroundModel, row: int) -> list[bool]:
    """Whether a bar two cells high about a row is motion, by its width."""
    blank, scene, told = np.full((3, *background.lattice.shape), 90, np.uint8), nobody(background), []
    for width in range(1, 14):
        motion, moved = MotionDetector(background), blank.copy()
        moved[0, row - 1 : row + 1, 150 : 150 + width] += 60
        motion.add(foreground(background, 0.0, blank))
        motion.add(foreground(background, 0.02, moved))
        told.append(motion.goes_on(scene))
    return told


def test_in_a_stroke_as_much_motion_is_needed_wherever_it_is(background: BackgroundModel) -> None:
    in_a_part = enough(background, 120)
    assert {True, False} == set(in_a_part)
    for down in (0.25, 0.4, 0.5, 0.6, 0.75):
        assert enough(background, int(down * background.lattice.shape[0])) == in_a_part


def goes_on(background: BackgroundModel, moved: Mask) -> bool:
    """Whether a stroke goes on while the board looks otherwise where `moved` is not 0."""
    motion, blank = MotionDetector(background), np.full((3, *background.lattice.shape), 90, np.uint8)
    now = blank.copy()
    now[0][moved > 0] += 60
    motion.add(foreground(background, 0.0, blank))
    motion.add(foreground(background, 0.02, now))
    return motion.goes_on(nobody(background))


def spots(background: BackgroundModel, *places: tuple[float, float], radius: float = 3.5) -> Mask:
    """Small discs at places (mm)."""
    mask = np.zeros(background.lattice.shape, np.uint8)
    for x, y in places:
        mask[background.lattice.disc_cells(x, y, radius)] = 255
    return mask


def test_what_an_encoder_stirs_all_over_the_board_is_no_disc_that_moves_on(background: BackgroundModel) -> None:
    """Its new whole picture held a stroke open for a tenth of a second after the rest (clip `moon`)."""
    spread = [(-250.0, 100.0), (-80.0, -240.0), (40.0, 200.0), (180.0, -20.0)]
    assert not goes_on(background, spots(background, *spread))
    assert goes_on(background, spots(background, (40.0, 200.0), (60.0, 200.0), (40.0, 220.0)))
    assert goes_on(background, creeping(background))
    assert goes_on(background, spots(background, *spread, radius=9.0)), "as much as a coin's whole face"


def test_what_stirs_in_a_pocket_has_fallen_and_what_rocks_on_its_lip_has_not(background: BackgroundModel) -> None:
    """A coin that slipped through the net held a stroke open (clip `board_a`)."""
    hole = studio().profile.pockets[Pocket.NE]
    x, y = hole.centre
    assert not goes_on(background, spots(background, (x, y), radius=hole.radius - 4.0))
    lip = (hole.radius + 2.0) / 2**0.5
    assert goes_on(background, spots(background, (x - lip, y - lip), radius=15.9))
