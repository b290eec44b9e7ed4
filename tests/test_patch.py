"""Patches: places compared sector by sector, one or many at a time."""

from __future__ import annotations

import numpy as np
import pytest
from sim_scenes import RADIUS, SCATTERED, gate_over, lit, studio

from referee.detect.gate import Gate
from referee.detect.patch import Patch, Patches


def patches(gate: Gate) -> list[Patch]:
    return [Patch.of(gate.lattice, p.x_mm, p.y_mm, RADIUS[p.kind]) for p in SCATTERED]


@pytest.mark.parametrize("gain", [1.0, 0.7])
def test_patches_taken_together_differ_as_each_does_alone(gain: float) -> None:
    gate, at = gate_over(), studio()
    each = patches(gate)
    before, now = gate.see(at.picture(SCATTERED[2:]), 0.0), gate.see(lit(at.picture(SCATTERED), gain), 1.0)
    together = Patches(each, gate.lattice.shape)
    alone = [p.difference(p.look(before), p.look(now)) for p in each]
    np.testing.assert_array_equal(together.differences(together.look(before), together.look(now)), alone)
    np.testing.assert_array_equal(
        gate.differences(together.look(now), together), [gate.difference(now, p) for p in each]
    )


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
