"""Pushing: a hand that goes with the striker instead of flicking it (ICF R7)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from models.board import BoardModel
from models.pieces import Piece
from referee.foreground.background import BackgroundModel, Mask
from referee.foreground.hand_history import HandHistory, probability
from referee.striker.baseline_search import StrikerSighting
from referee.tracking.flight import before_cushion
from referee.tracking.tracker import Sighting, Track

FREE_TO_MM = 160.0
"""A hand that pushes has let go of the striker by here."""
AIMED_S, AFTER_S = 0.2, 0.35
"""The aiming hand is the one seen so long before the strike; pushing takes no longer than the other."""
FRONT_MM, BIN_MM = 100.0, 5.0
"""A hand's front is told so far to both sides of the striker's way, in steps so wide."""
BEHIND_MM, FRONT_LEAST = 150.0, 5
"""What lies farther behind the striker is the arm; so many steps of a front tell how far a hand went."""
STAYING = 25
"""Percentage of a hand's front that may stay where it is, or stayed unseen, in a push."""
PUSH_RIM_MM = 8.0
"""The striker, blurred, is seen this far beyond its rim."""
PUSH_ASIDE_MM, PUSH_ASIDE_COST, IN_VIEW = 30.0, 3.0, 0.85
"""A hand that goes with the striker goes aside by up to the first, getting behind it; mm of disagreement that each step
aside must save, and how much of its front is seen again then."""
UNSURE_S, PUSH_LATE_S = 0.05, 0.25
"""A finger may go with the striker so long before the strike that is told; so long where it hides that it goes."""
KEEPS_UP = 0.4
"""Least share of the striker's way that a hand has gone which pushes it."""
WIDE_MM = 60.0
"""A hand is this wide and no finger is; one that was not seen to aim is behind the striker until it pushes, and then
ahead of where that stood (by 2 to 52 mm in simulated pushes, where fingers flicked by less than -10)."""
PUSH_FOLLOWS_MM, FOLLOWS_SIGMA_MM = 35.0, 8.0
"""A hand that flicks stays within less than this; one that pushes goes on. In between there is doubt."""
BACK_MM = 12.0
"""A striker that flies on is never seen so much nearer to where it stood than a moment before."""

F64 = NDArray[np.float64]
Place = tuple[float, float]


def pushed(hands: HandHistory, stood: StrikerSighting, striker: Track, board: BoardModel, lay: Sequence[Piece],
           t_strike: float) -> float:  # fmt: skip
    """Probability that the hand went with the striker, which `stood` before t_strike while coins `lay` around it.

    A finger that flicks swings, while the hand stays where it is; in a push most of the hand's front goes ahead. Skin
    that passes for the board or its shade while it aims is seen as it moves, and what then lies ahead has gone there.
    """
    origin = stood.x, stood.y
    flight = _flight(striker, origin, t_strike)
    left = max(min(stood.until, t_strike - UNSURE_S, _left_at(origin, flight)), t_strike - PUSH_LATE_S)
    gone = [p for _, p in flight if math.dist(p, origin) > board.striker_radius]
    if not gone:
        return 0.0
    turned = before_cushion(flight, board.half - board.striker_radius)
    end = turned[0] if turned else None
    towards = next((p for p in gone if p == end or math.dist(p, origin) > FREE_TO_MM), gone[-1])
    front = Front(hands.background, origin, towards, board, lay)
    aiming = [front.of(arm, origin) for _, arm in hands.arms(origin, left - AIMED_S, left)]
    # Under the hand it is not seen: then it goes evenly from where it stood to where it comes out.
    times, places = [left, *(t for t, _ in flight)], np.array([origin, *(p for _, p in flight)])
    fronts = []
    for t, arm in hands.arms(origin, left, times[-1], and_next=True):
        at = _place(t, times, places)
        if (way := math.dist(at, origin)) < FREE_TO_MM:
            fronts.append((way, front.of(arm, at)))
    if not fronts:
        return 0.0
    aimed = np.median(aiming, axis=0) if aiming else fronts[0][1]
    if _lies_ahead(aimed, board.striker_radius + (0.0 if aiming else fronts[0][0])):
        return 0.0
    on = _followed(aimed, fronts) - PUSH_FOLLOWS_MM
    return probability(on if aiming else max(on, _reached(fronts)), FOLLOWS_SIGMA_MM)


def _flight(striker: Track, origin: Place, t_strike: float) -> list[Sighting]:
    """The striker's sightings after the strike, without those at first from which it seems to turn back to its
    `origin`: they were a patch of the hand's.
    """
    seen = flight_of(striker, t_strike)
    way = [math.dist(p, origin) for _, p in seen]
    first = next((i for i in range(len(way) - 1) if way[i] < way[i + 1] + BACK_MM), 0)
    return seen[first:]


def flight_of(striker: Track, t_strike: float) -> list[Sighting]:
    """A striker's sightings within AFTER_S of the strike."""
    return [s for s in striker.sightings if t_strike < s[0] < t_strike + AFTER_S]


def _left_at(origin: Place, flight: Sequence[Sighting]) -> float:
    """When the striker left its `origin` if it was as fast all the way as it is seen to be; infinite if never seen so.

    A hand of the striker's look that goes with it hides for a while that it has left.
    """
    if len(flight) < 2:
        return math.inf
    (t0, first), (t1, then) = flight[:2]
    way, step = math.dist(origin, first), math.dist(first, then)
    return t0 - way * (t1 - t0) / step if step > 0 else math.inf


def began(origin: Place, striker: Track, t_strike: float) -> float:
    """Since when a hand has pushed a striker from its `origin` that was seen to go at t_strike: faster and faster from
    rest it takes twice as long as at the speed with which it comes out. Before all time if it is never seen to go.
    """
    flight = _flight(striker, origin, t_strike)
    speeds = [math.dist(p, q) / (t - s) for (s, p), (t, q) in pairwise(flight)]
    # It seems to come out from under the hand faster than it goes, and goes faster later on while it is pushed.
    speed = min(speeds[0], median(speeds)) if speeds else 0.0
    return flight[0][0] - 2 * math.dist(flight[0][1], origin) / speed if speed > 0 else -math.inf


def _reached(fronts: Sequence[tuple[float, F64]]) -> float:
    """How far (mm) the farthest of these fronts reaches over a hand's width."""
    return max(float(np.sort(front)[-round(WIDE_MM / BIN_MM)]) for _, front in fronts)


def _lies_ahead(aimed: F64, limit_mm: float) -> bool:
    """Whether most of a front lies ahead of the striker: an arm across its way goes with nothing."""
    seen = aimed[aimed > -BEHIND_MM]
    return len(seen) > 0 and float(np.median(seen)) > limit_mm


def _followed(aimed: F64, fronts: Sequence[tuple[float, F64]]) -> float:
    """How far (mm) a front went on from where it `aimed`, keeping up with the striker that had gone each one's way."""
    advances = [(way, advance(aimed, front)) for way, front in fronts]
    return max((on for way, on in advances if on > KEEPS_UP * way), default=0.0)


class Front:
    """How far hands reach along the way of a striker."""

    def __init__(
        self, background: BackgroundModel, origin: Place, towards: Place, board: BoardModel, lay: Sequence[Piece]
    ) -> None:
        """The striker goes from `origin` `towards` a place, both mm; coins that `lay` there may pass for the hand."""
        self._background, self._clear = background, board.striker_radius + PUSH_RIM_MM
        dx, dy = np.subtract(towards, origin) / math.dist(towards, origin)
        x, y = background.x[:1] - origin[0], background.y[:, :1] - origin[1]
        self._along, self._across = x * dx + y * dy, x * dy - y * dx
        self._near = np.abs(self._across) < FRONT_MM
        self._near &= background.cover(lay, board) == 0

    def of(self, arm: Mask, striker: Place) -> F64:
        """How far (mm) an arm (n, n) reaches in each BIN_MM of the FRONT_MM to both sides of the way, but for the
        `striker` that it may be one with; -inf where it is not.
        """
        hand = (arm > 0) & self._near
        window, inside = self._background.lattice.disc(*striker, self._clear)
        hand[window] &= ~inside
        reach = np.full(round(2 * FRONT_MM / BIN_MM), -np.inf)
        bins = ((self._across[hand] + FRONT_MM) / BIN_MM).astype(np.int64)
        np.maximum.at(reach, bins, self._along[hand])
        return reach


def _place(t: float, times: Sequence[float], places: F64) -> Place:
    """Where something was at t that was at `places` (n, 2) at the given times."""
    return float(np.interp(t, times, places[:, 0])), float(np.interp(t, times, places[:, 1]))


def advance(before: F64, after: F64) -> float:
    """By how much (mm) most of a hand's front has gone ahead; 0 where too little of it is seen.

    It may have gone aside a little too: by as much as makes its parts agree best.
    """
    steps, aimed = round(PUSH_ASIDE_MM / BIN_MM), before > -BEHIND_MM
    beside = sliding_window_view(np.pad(after, steps, constant_values=-np.inf), len(before))[:, aimed]
    seen, asides = np.isfinite(beside), abs(np.arange(-steps, steps + 1))
    least = np.where(asides > 0, IN_VIEW * np.count_nonzero(aimed), 0.0)
    enough = np.count_nonzero(seen, axis=1) >= np.maximum(FRONT_LEAST, least)
    if not enough.any():
        return 0.0
    ahead = np.where(seen, beside - before[aimed], np.inf)[enough]
    some, most = _percentiles(ahead, (STAYING, 100 - STAYING))
    return float(some[np.argmin(most - some + PUSH_ASIDE_COST * asides[enough])])


def _percentiles(values: F64, wanted: Sequence[float]) -> list[F64]:
    """Percentiles (n,) of each row of `values` (n, k), of what is finite in it; as NumPy's, row by row, tell them."""
    last = np.count_nonzero(np.isfinite(values), axis=1) - 1
    ranked = np.sort(values, axis=1)
    advances = []
    for percent in wanted:
        below, part = np.divmod(last * percent / 100, 1)
        low, high = (ranked[np.arange(len(ranked)), i.astype(np.int64)] for i in (below, np.minimum(below + 1, last)))
        advances.append(low + (high - low) * part)
    return advances
