"""Motion: what moves on the board stirs the picture; noise and flicker do not."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from sim_scenes import gate_over

from referee.detect.gate import Gate, Mask
from referee.detect.hands import Scene
from referee.strokes.motion import Motion


@pytest.fixture(scope="module")
def gate() -> Gate:
    return gate_over()


def nobody(gate: Gate) -> Scene:
    empty = np.zeros(gate.lattice.shape, np.uint8)
    return Scene(empty, empty, ())


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
    assert not Motion(gate).stirs(grainy(gate, 0.004), nobody(gate), idle=False)


def test_the_rim_of_a_creeping_coin_is_motion(gate: Gate) -> None:
    assert Motion(gate).stirs(creeping(gate), nobody(gate), idle=False)


def test_a_creeping_coin_is_seen_through_noise(gate: Gate) -> None:
    motion, still = Motion(gate), nobody(gate)
    for _ in range(60):
        motion.stirs(grainy(gate, 0.004), still, idle=True)
    assert motion.stirs(creeping(gate) | grainy(gate, 0.004), still, idle=False)
