"""The evidence of a stroke: how tracks ended, by what was observed of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from observed_stroke import DT, HALF, INSET, RIMS, STRIKE, glide, gone, observed, track

from models.pieces import Kind, Piece, Pocket
from referee.outcome.evidence import End, FallEvidence, evidence_of
from referee.outcome.observation import Sighted
from referee.tracking.tracker import Place

COIN = Piece(Kind.WHITE, 0.0, 0.0)


def ends(*tracks: Sighted) -> tuple[FallEvidence, ...]:
    return evidence_of(observed([gone(COIN, 1)], tracks=tracks)).falls


def ended(*way: Place) -> tuple[FallEvidence, ...]:
    return ends(track(1, Kind.WHITE, way))


def at_rim(last: float) -> float:
    """At what share of its way from there to a hole's middle a coin comes over the hole."""
    return 1.0 - RIMS[Pocket.NE].radius / math.dist((last, last), (INSET, INSET))


@pytest.mark.parametrize("pocket", Pocket)
def test_a_track_that_ended_over_a_hole_ended_there_when_it_came_over_the_rim(pocket: Pocket) -> None:
    sx, sy = pocket.corner
    (fall,) = ended((sx * 300.0, sy * 300.0), (sx * 325.0, sy * 325.0), (sx * INSET, sy * INSET))
    assert (fall.end, fall.pocket) == (End.HOLE, pocket)
    assert fall.t == pytest.approx(STRIKE + DT + DT * at_rim(325.0))


def test_a_coin_seen_lying_in_the_net_fell_when_it_came_over_the_hole() -> None:
    (fall,) = ended((300.0, 300.0), (320.0, 320.0), *[(INSET, INSET)] * 20)
    assert fall.t == pytest.approx(STRIKE + DT + DT * at_rim(320.0))


def test_of_two_coins_that_come_over_two_holes_between_two_looks_the_nearer_one_fell_first() -> None:
    """All rolled out slowly, and every fourth frame was looked at: both falls were told for one moment (13908)."""
    first, then = ends(track(1, Kind.WHITE, [(310.0, 310.0), (330.0, 330.0), (INSET, INSET)]),
                       track(2, Kind.WHITE, [(0.0, 0.0), (-318.0, 318.0), (-INSET, INSET)]))  # fmt: skip
    assert STRIKE + DT < first.t < then.t < STRIKE + 2 * DT


@pytest.mark.parametrize(("last", "gap_s", "t"), [(320.0, 0.1, 0.0), (320.0, 2 * DT, None), (280.0, 0.1, 0.1)])
def test_a_coin_lost_at_the_rim_fell_then_though_another_is_seen_in_the_net_later(
    last: float, gap_s: float, t: float | None
) -> None:
    """Of two coins that followed each other the first was told as the last to fall (simulated world 12126)."""
    way = [(last - 15.0, last - 15.0), (last, last), (INSET, INSET)]
    times = STRIKE, STRIKE + DT, STRIKE + DT + gap_s
    lost = track(1, Kind.WHITE, way)
    (fall,) = ends(Sighted(1, lost.kind, lost.home, times, tuple(way), lost.unlike, False))
    assert fall.t == pytest.approx(STRIKE + DT + (at_rim(last) * gap_s if t is None else t))


@pytest.mark.parametrize(("way", "end", "pocket"), [
    ([(250.0, -250.0), (280.0, -280.0), (315.0, -315.0)], End.MOUTH, Pocket.SE),
    ([(-100.0, 100.0), (-150.0, 150.0), (-200.0, 200.0), (-250.0, 250.0)], End.AHEAD, Pocket.NW),
    ([(240.0, 12.0), (320.0, 16.0), (400.0, 20.0)], End.OVER_FRAME, None),
    ([(-12.0, 226.8), (-16.0, 302.4), (-20.0, 378.0)], End.OVER_FRAME, None),
])  # fmt: skip
def test_a_track_ends_at_a_mouth_before_a_pocket_or_over_the_frame(
    way: Sequence[Place], end: End, pocket: Pocket | None
) -> None:
    (fall,) = ended(*way)
    assert (fall.end, fall.pocket) == (end, pocket)
    assert STRIKE < fall.t < STRIKE + (len(way) - 1) * DT + 0.05


@pytest.mark.parametrize("way", [
    glide((0.0, 0.0), (50.0, 0.0)),
    glide((0.0, 0.0), (256.0, 256.0)),
    [(-100.0, 100.0), (-150.0, 130.0), (-200.0, 160.0), (-250.0, 190.0)],
    [(27.0, HALF + 20.0)],
    [(-125.0, -HALF - 7.0), (-127.0, -311.0), (-138.0, -329.0), (-161.0, -HALF - 42.0)],
], ids=["stopped", "too slow", "beside the pocket", "never on the board", "a finger from outside"])  # fmt: skip
def test_what_stops_passes_by_or_comes_from_outside_ends_nowhere(way: Sequence[Place]) -> None:
    assert ended(*way) == ()
