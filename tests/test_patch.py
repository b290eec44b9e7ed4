"""Patches: places compared sector by sector, one or many at a time."""

from __future__ import annotations

import numpy as np
import pytest
from sim_scenes import BOARD, RADIUS, SCATTERED, gate_over, lit, studio

from models.pieces import Kind, Piece
from referee.foreground.background import Gate
from referee.foreground.patches import Patch, Patches


def patches(gate: Gate) -> list[Patch]:
    return [Patch.of(gate.lattice, p.x_mm, p.y_mm, RADIUS[p.kind]) for p in SCATTERED]


@pytest.mark.parametrize("gain", [1.0, 0.7])
def test_patches_taken_together_differ_as_each_does_alone(gain: float) -> None:
    gate, at = gate_over(), studio()
    each, nothing = patches(gate), np.zeros(gate.lattice.shape, np.uint8)
    before, now = gate.see(at.picture(SCATTERED[2:]), 0.0), gate.see(lit(at.picture(SCATTERED), gain), 1.0)
    together = Patches(each, gate.lattice.shape)
    alone = [p.difference(p.look(before), p.look(now)) for p in each]
    np.testing.assert_array_equal(together.differences(together.look(before), together.look(now)), alone)
    assert gate.empty is not None
    bare = together.differences(together.look(now), together.at(gate.empty))
    np.testing.assert_array_equal(bare, [gate.difference(now, p, nothing) for p in each])


def test_sectors_are_summed_as_if_each_point_were_sorted_out() -> None:
    gate, at = gate_over(), studio()
    before, now = gate.see(at.picture(SCATTERED[2:]), 0.0), gate.see(at.picture(SCATTERED), 1.0)
    for patch in [*patches(gate), Patch.of(gate.lattice, BOARD.half + 44.0, 0.0, RADIUS[Kind.BLACK])]:
        off = patch.look(now) - patch.look(before)
        means = [np.bincount(patch.group, plane, len(patch.sizes)) / patch.sizes for plane in off]
        expected = np.abs(means).mean(1) @ (1.0, 2.0, 2.0)
        assert patch.difference(patch.look(now), patch.look(before)) == pytest.approx(expected, rel=1e-6)


def test_what_lies_beside_a_place_does_not_make_it_differ() -> None:
    gate, at = gate_over(), studio()
    coin = Piece(Kind.BLACK, 120.0, 40.0)
    sight, nothing = gate.see(at.picture([coin]), 1.0), np.zeros(gate.lattice.shape, np.uint8)
    beside = Patch.of(gate.lattice, 120.0 + 1.8 * RADIUS[Kind.BLACK], 40.0, RADIUS[Kind.BLACK])
    explained = gate.cover([coin], BOARD)
    assert gate.difference(sight, beside, nothing) > 10.0
    assert gate.difference(sight, beside, explained) < 5.0
    own = Patch.of(gate.lattice, coin.x_mm, coin.y_mm, RADIUS[Kind.BLACK])
    assert gate.difference(sight, own, nothing) > 30.0


def test_shares_are_told_patch_by_patch() -> None:
    gate = gate_over()
    each = patches(gate)
    mask = np.where(np.random.default_rng(0).random(gate.lattice.shape) < 0.3, np.uint8(255), np.uint8(0))
    np.testing.assert_allclose(
        Patches(each, gate.lattice.shape).shares(mask), [np.mean(mask[p.rows, p.columns] > 0) for p in each]
    )


def test_no_patches_tell_nothing() -> None:
    gate = gate_over()
    none = Patches([], gate.lattice.shape)
    look = none.look(gate.see(studio().picture(), 0.0))
    assert look.shape == (3, 0)
    assert none.differences(look, look).shape == none.shares(gate.inside).shape == (0,)
