"""Motion: what moves on the board stirs the picture; noise and flicker do not."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from sim_scenes import gate_over, studio

from calibration.geometry.picture import U8
from models.pieces import Pocket
from referee.board_state.motion import BANDS, Motion
from referee.foreground.background import Gate, Mask, Sight
from referee.foreground.illumination import Light
from referee.foreground.segmentation import Scene


@pytest.fixture(scope="module")
def gate() -> Gate:
    return gate_over()


def nobody(gate: Gate) -> Scene:
    empty = np.zeros(gate.lattice.shape, np.uint8)
    return Scene(empty, empty, empty, ())


def sight(gate: Gate, t: float, yuv: U8) -> Sight:
    nothing = np.zeros(gate.lattice.shape, np.uint8)
    return Sight(t, yuv, Light.even(gate.lattice.shape), nothing, nothing)


def grainy(gate: Gate, share: float) -> Mask:
    """Cells that differ by chance alone."""
    chance = np.random.default_rng(1).random(gate.lattice.shape)
    return np.where(chance < share, np.uint8(255), np.uint8(0))


def creeping(gate: Gate) -> Mask:
    """The rim, before and behind, of a coin that has crept on by a millimetre or two."""
    mask = np.zeros(gate.lattice.shape, np.uint8)
    (column, row), radius = gate.lattice.to_cells([(80.0, 60.0)])[0], 15.9 / gate.lattice.step
    for side in (0.0, 180.0):
        cv2.ellipse(mask, (round(column), round(row)), (round(radius), round(radius)), side, -60.0, 60.0, 255, 1)
    return mask


def test_noise_in_single_cells_all_over_the_board_is_no_motion(gate: Gate) -> None:
    assert not Motion(gate).stirs(grainy(gate, 0.004), nobody(gate))


def test_the_rim_of_a_creeping_coin_is_motion(gate: Gate) -> None:
    assert Motion(gate).stirs(creeping(gate), nobody(gate))


def test_a_creeping_coin_is_seen_through_noise(gate: Gate) -> None:
    motion, still = Motion(gate), nobody(gate)
    for _ in range(60):
        motion.stirs(grainy(gate, 0.004), still)
    assert motion.stirs(creeping(gate) | grainy(gate, 0.004), still)


def enough(gate: Gate, row: int) -> list[bool]:
    """Whether a bar two cells high about a row is motion, by its width."""
    blank, scene, told = np.full((3, *gate.lattice.shape), 90, np.uint8), nobody(gate), []
    for width in range(1, 14):
        motion, moved = Motion(gate), blank.copy()
        moved[0, row - 1 : row + 1, 150 : 150 + width] += 60
        motion.take(sight(gate, 0.0, blank))
        motion.take(sight(gate, 0.02, moved))
        told.append(motion.goes_on(scene))
        assert told[-1] == motion.goes_on(scene), "looked at again where most moved"
    return told


def test_in_a_stroke_as_much_motion_is_needed_wherever_it_is(gate: Gate) -> None:
    """What if it lies on the border of two of the parts that are looked at one after the other?"""
    in_a_part = enough(gate, 120)
    assert {True, False} == set(in_a_part)
    for part in range(1, BANDS):
        assert enough(gate, part * gate.lattice.shape[0] // BANDS) == in_a_part


def goes_on(gate: Gate, moved: Mask) -> bool:
    """Whether a stroke goes on while the board looks otherwise where `moved` is not 0."""
    motion, blank = Motion(gate), np.full((3, *gate.lattice.shape), 90, np.uint8)
    now = blank.copy()
    now[0][moved > 0] += 60
    motion.take(sight(gate, 0.0, blank))
    motion.take(sight(gate, 0.02, now))
    return motion.goes_on(nobody(gate))


def spots(gate: Gate, *places: tuple[float, float], radius: float = 3.5) -> Mask:
    """Small discs at places (mm)."""
    mask = np.zeros(gate.lattice.shape, np.uint8)
    for x, y in places:
        mask[gate.lattice.disc_cells(x, y, radius)] = 255
    return mask


def test_what_an_encoder_stirs_all_over_the_board_is_no_disc_that_moves_on(gate: Gate) -> None:
    """Its new whole picture held a stroke open for a tenth of a second after the rest (clip `moon`)."""
    spread = [(-250.0, 100.0), (-80.0, -240.0), (40.0, 200.0), (180.0, -20.0)]
    assert not goes_on(gate, spots(gate, *spread))
    assert goes_on(gate, spots(gate, (40.0, 200.0), (60.0, 200.0), (40.0, 220.0)))
    assert goes_on(gate, creeping(gate))
    assert goes_on(gate, spots(gate, *spread, radius=9.0)), "as much as a coin's whole face"


def test_what_stirs_in_a_pocket_has_fallen_and_what_rocks_on_its_lip_has_not(gate: Gate) -> None:
    """A coin that slipped through the net held a stroke open (clip `board_a`)."""
    hole = studio().profile.pockets[Pocket.NE]
    x, y = hole.centre
    assert not goes_on(gate, spots(gate, (x, y), radius=hole.radius - 4.0))
    lip = (hole.radius + 2.0) / 2**0.5
    assert goes_on(gate, spots(gate, (x - lip, y - lip), radius=15.9))
