"""Measures how far the hand goes along with the striker instead of flicking it, which is a push (ICF R7).

The input is the striker's track and the hand masks around the strike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from calibration.geometry.camera import F64
from models.board import BoardModel
from models.pieces import Piece
from referee.foreground.background import BackgroundModel, Mask
from referee.foreground.hand_history import HandHistory
from referee.fouls.over_diagonal import AIMING_S
from referee.striker.baseline_search import StrikerSighting
from referee.tracking.tracker import Place, Sighting, Track
from referee.tracking.trajectory import deflected

FREE_TO_MM = 160.0
"""Way of the striker, in mm, after which a pushing hand has let go of it."""
AFTER_S = 0.35
"""Greatest duration of a push, in seconds."""
FRONT_MM, BIN_MM = 100.0, 5.0
"""Distance to both sides of the striker's way up to which a hand's front is measured, and width of its bins, in mm."""
BEHIND_MM, FRONT_LEAST = 150.0, 5
"""Distance in mm behind the striker beyond which the arm begins, and least number of bins to measure a hand's
advance."""
STAYING = 25
"""Percentage of a hand's front that may stay in place, or be undetected, in a push."""
PUSH_RIM_MM = 8.0
"""Distance in mm by which a blurred striker appears beyond its rim."""
PUSH_ASIDE_MM, PUSH_ASIDE_COST, IN_VIEW = 30.0, 3.0, 0.85
"""Limits of the sideways movement of a hand that gets behind the striker.

In order: greatest movement in mm; disagreement in mm that each bin of it must save; least share of the front that must
still be visible."""
UNSURE_S, PUSH_LATE_S = 0.05, 0.25
"""Greatest times, in seconds, by which a push begins before the reported strike: in general, and if the finger hides
the striker's movement."""
KEEPS_UP = 0.4
"""Least share of the striker's way that a pushing hand has gone."""
WIDE_MM = 60.0
"""Width in mm that a hand has and no finger.

A hand that was not seen to aim is behind the striker until it pushes, and then ahead of where the striker stood: by 2
to 52 mm in simulated pushes, and by less than -10 mm in simulated flicks."""
REACHED_MM = 35.0
"""Advance, in mm, to which it amounts when a hand that was not seen to aim reaches to where the striker stood."""


def advanced(hands: HandHistory, stood: StrikerSighting, striker: Track, board: BoardModel, lay: Sequence[Piece],
             t_strike: float) -> float:  # fmt: skip
    """Returns how far, in mm, the hand advanced with the striker, which `stood` before t_strike while coins `lay`
    around it; 0 where no hand was seen to.

    In a flick the finger swings while the hand stays in place; in a push most of the hand's front advances. Skin that
    resembles the board or a shadow is not segmented while the hand aims, but once it moves: what then lies ahead of the
    striker's place has advanced there.
    """
    origin = stood.x, stood.y
    flight = flight_of(striker, t_strike)
    # A hand of the striker's colour that goes along hides for a while that it has left.
    outset = _outset(origin, flight, 1.0)
    left = min(stood.until, t_strike - UNSURE_S, t_strike if outset is None else outset)
    left = max(left, t_strike - PUSH_LATE_S)
    gone = [(t, p) for t, p in flight if math.dist(p, origin) > board.striker_radius]
    if not gone:
        return 0.0
    turned = next((glide.t for glide in deflected(flight, board.half - board.striker_radius)), math.inf)
    _, towards = next(((t, p) for t, p in gone if t >= turned or math.dist(p, origin) > FREE_TO_MM), gone[-1])
    front = Front(hands.background, origin, towards, board, lay)
    aiming = [front.of(arm, origin) for _, arm in hands.arms(origin, left - AIMING_S, left)]
    # Under the hand it is not detected: it is taken to move evenly from where it stood to where it comes out.
    times, places = [left, *(t for t, _ in flight)], np.array([origin, *(p for _, p in flight)])
    fronts = []
    for t, arm in hands.arms(origin, left, times[-1], and_next=True):
        at = float(np.interp(t, times, places[:, 0])), float(np.interp(t, times, places[:, 1]))
        if (way := math.dist(at, origin)) < FREE_TO_MM:
            fronts.append((way, front.of(arm, at)))
    if not fronts:
        return 0.0
    aimed = np.median(aiming, axis=0) if aiming else fronts[0][1]
    if _lies_ahead(aimed, board.striker_radius + (0.0 if aiming else fronts[0][0])):
        return 0.0
    on = _followed(aimed, fronts)
    return on if aiming else max(on, REACHED_MM + _reached(fronts))


def flight_of(striker: Track, t_strike: float) -> list[Sighting]:
    """Returns a striker's sightings within AFTER_S after the strike."""
    return [s for s in striker.sightings if t_strike < s[0] < t_strike + AFTER_S]


def is_over(t_strike: float, t: float) -> bool:
    """Tells whether a push that began at t_strike is over at t."""
    return t > t_strike + AFTER_S


def began(origin: Place, striker: Track, t_strike: float) -> float | None:
    """Returns when a hand began to push the striker from its `origin`; None if no movement was tracked.

    Evenly accelerated from rest, the striker takes twice as long as at the speed with which it comes out.
    """
    return _outset(origin, flight_of(striker, t_strike), 2.0)


def _outset(origin: Place, flight: Sequence[Sighting], times: float) -> float | None:
    """Returns when a flight left its `origin` if its first way took so many `times` as long as at the speed seen then.

    The first speed reads too high as the striker comes out from under the hand; later ones are higher while it is
    pushed.
    """
    speeds = [math.dist(p, q) / (t - s) for (s, p), (t, q) in pairwise(flight)]
    speed = min(speeds[0], median(speeds)) if speeds else 0.0
    return flight[0][0] - times * math.dist(flight[0][1], origin) / speed if speed > 0 else None


def _reached(fronts: Sequence[tuple[float, F64]]) -> float:
    """Returns how far the farthest of these fronts reaches over a hand's width, in mm."""
    return max(float(np.sort(front)[-round(WIDE_MM / BIN_MM)]) for _, front in fronts)


def _lies_ahead(aimed: F64, limit_mm: float) -> bool:
    """Tells whether most of a front lies ahead of the striker: an arm across its way pushes nothing."""
    ahead = aimed[aimed > -BEHIND_MM]
    return len(ahead) > 0 and float(np.median(ahead)) > limit_mm


def _followed(aimed: F64, fronts: Sequence[tuple[float, F64]]) -> float:
    """Returns how far, in mm, a front advanced from where it `aimed` while keeping up with the striker.

    Each of the `fronts` comes with the way in mm that the striker had gone then."""
    advances = [(way, advance(aimed, front)) for way, front in fronts]
    return max((on for way, on in advances if on > KEEPS_UP * way), default=0.0)


class Front:
    """Measures how far hands reach along the way of a striker."""

    def __init__(
        self, background: BackgroundModel, origin: Place, towards: Place, board: BoardModel, lay: Sequence[Piece]
    ) -> None:
        """The striker goes from `origin` `towards` a place, both in mm. The coins that `lay` there are masked out,
        since they may be mistaken for the hand."""
        self._background, self._clear = background, board.striker_radius + PUSH_RIM_MM
        dx, dy = np.subtract(towards, origin) / math.dist(towards, origin)
        x, y = background.x[:1] - origin[0], background.y[:, :1] - origin[1]
        self._along, self._across = x * dx + y * dy, x * dy - y * dx
        self._near = np.abs(self._across) < FRONT_MM
        self._near &= background.cover(lay, board) == 0

    def of(self, arm: Mask, striker: Place) -> F64:
        """Returns how far, in mm, an arm (n, n) reaches in each bin across the way; -inf in bins without the arm.

        The disc of the `striker`, which may be joined with the arm in the mask, is left out.
        """
        hand = (arm > 0) & self._near
        window, inside = self._background.lattice.disc(*striker, self._clear)
        hand[window] &= ~inside
        reach = np.full(round(2 * FRONT_MM / BIN_MM), -np.inf)
        bins = ((self._across[hand] + FRONT_MM) / BIN_MM).astype(np.int64)
        np.maximum.at(reach, bins, self._along[hand])
        return reach


def advance(before: F64, after: F64) -> float:
    """Returns by how much, in mm, most of a hand's front has advanced; 0 if too little of it is visible.

    The front may also have moved sideways; the shift at which its parts agree best is used.
    """
    steps, aimed = round(PUSH_ASIDE_MM / BIN_MM), before > -BEHIND_MM
    beside = sliding_window_view(np.pad(after, steps, constant_values=-np.inf), len(before))[:, aimed]
    visible, asides = np.isfinite(beside), abs(np.arange(-steps, steps + 1))
    least = np.where(asides > 0, IN_VIEW * np.count_nonzero(aimed), 0.0)
    enough = np.count_nonzero(visible, axis=1) >= np.maximum(FRONT_LEAST, least)
    if not enough.any():
        return 0.0
    ahead = np.where(visible, beside - before[aimed], np.nan)[enough]
    some, most = np.nanpercentile(ahead, (STAYING, 100 - STAYING), axis=1)
    return float(some[np.argmin(most - some + PUSH_ASIDE_COST * asides[enough])])
