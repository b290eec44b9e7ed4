"""Patches: places compared sector by sector, one or many at a time."""

from __future__ import annotations

import numpy as np
import pytest
from sim_scenes import BOARD, RADIUS, SCATTERED, compared, gate_over, lit, studio

from models.pieces import Kind, Piece
from referee.foreground.background import BackgroundModel, ForegroundFrame
from referee.foreground.patches import F32, DiscPatches


def patches(background: BackgroundModel) -> list[DiscPatches]:
    return [DiscPatches.of(background.lattice, p.x_mm, p.y_mm, RADIUS[p.kind]) for p in SCATTERED]


def sample(patch: DiscPatches, seen: ForegroundFrame) -> F32:
    return patch.sample(seen.yuv, seen.light)


@pytest.mark.parametrize("gain", [1.0, 0.7])
def test_patches_taken_together_differ_as_each_does_alone(gain: float) -> None:
    background, at = gate_over(), studio()
    each, nothing = patches(background), np.zeros(background.lattice.shape, np.uint8)
    before, now = (
        compared(background, at.picture(SCATTERED[2:]), 0.0),
        compared(background, lit(at.picture(SCATTERED), gain), 1.0),
    )
    together = DiscPatches.joined(each)
    alone = [p.differences(sample(p, before), sample(p, now))[0] for p in each]
    np.testing.assert_array_equal(together.differences(sample(together, before), sample(together, now)), alone)
    assert background.empty is not None
    bare = together.differences(sample(together, now), together.at(background.empty))
    np.testing.assert_array_equal(bare, [background.difference(now, p, nothing) for p in each])


def test_sectors_are_summed_as_if_each_point_were_sorted_out() -> None:
    background, at = gate_over(), studio()
    before, now = (
        compared(background, at.picture(SCATTERED[2:]), 0.0),
        compared(background, at.picture(SCATTERED), 1.0),
    )
    for patch in [*patches(background), DiscPatches.of(background.lattice, BOARD.half + 44.0, 0.0, RADIUS[Kind.BLACK])]:
        off = sample(patch, now) - sample(patch, before)
        means = [np.bincount(patch.sector, plane, patch.sizes.size) / patch.sizes[0] for plane in off]
        expected = np.abs(means).mean(1) @ (1.0, 2.0, 2.0)
        assert patch.differences(sample(patch, now), sample(patch, before))[0] == pytest.approx(expected, rel=1e-6)


def test_what_lies_beside_a_place_does_not_make_it_differ() -> None:
    background, at = gate_over(), studio()
    coin = Piece(Kind.BLACK, 120.0, 40.0)
    foreground, nothing = (
        compared(background, at.picture([coin]), 1.0),
        np.zeros(background.lattice.shape, np.uint8),
    )
    beside = DiscPatches.of(background.lattice, 120.0 + 1.8 * RADIUS[Kind.BLACK], 40.0, RADIUS[Kind.BLACK])
    explained = background.cover([coin], BOARD)
    assert background.difference(foreground, beside, nothing) > 10.0
    assert background.difference(foreground, beside, explained) < 5.0
    own = DiscPatches.of(background.lattice, coin.x_mm, coin.y_mm, RADIUS[Kind.BLACK])
    assert background.difference(foreground, own, nothing) > 30.0


def test_shares_are_told_patch_by_patch() -> None:
    background = gate_over()
    each = patches(background)
    mask = np.where(np.random.default_rng(0).random(background.lattice.shape) < 0.3, np.uint8(255), np.uint8(0))
    np.testing.assert_allclose(DiscPatches.joined(each).shares(mask), [np.mean(mask.take(p.cells) > 0) for p in each])


def test_no_patches_tell_nothing() -> None:
    background = gate_over()
    none = DiscPatches.joined([])
    look = sample(none, compared(background, studio().picture(), 0.0))
    assert look.shape == (3, 0)
    assert none.differences(look, look).shape == none.shares(background.inside).shape == (0,)
