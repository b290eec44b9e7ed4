"""Strokes in which nobody saw the striker fly, so weak or of so little contrast, told by where it stood and lies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

import numpy as np

from calibration.profile import Profile
from models.pieces import Piece, to_side
from referee.outcome.fates import UNSTIRRED
from referee.striker.baseline_search import STRIP_SAME_MM, StrikerSighting
from referee.striker.placement_rules import has_left
from referee.tracking.flight import Point

WEAK_STEADY_S, STEADY_TIMES = 0.25, 3
"""A striker aimed with has stood this long, seen so often."""
STAY_S, PUSH_S = 0.4, 1.0
"""A striker struck too weakly to leave its lines rests again within this time, one that is pushed within the other."""
STAY_LEAST_MM, STAY_MOST_MM, PUSH_MOST_MM = 4.0, 45.0, 300.0
FOLLOWED_MM = 80.0
"""What lies so far from where it stood may have been flicked too weakly; farther, but not seen to fly, pushed: surely
where a hand goes so far along, for a finger that flicks is near a striker that comes barely off its lines too."""
LATER_SHARE, LATER_MM = 0.75, 110.0
"""A hand that pushes goes along for this share of the way, but no farther; the striker slides on without it."""
OPEN_SHARE = 0.8
"""A striker on its way of whose rim at least this share is seen of what was seen before is held by no hand: fingers
that brought one left 0.05 to 0.6 of it, one that had flicked it 0.9 and more (slipping worlds 11631 and 11637)."""
AHEAD_SHARE, PUSHED_AHEAD, SLID_AHEAD = 0.55, 0.35, 0.2
"""A flick sends the striker ahead by at least this share of its way; hands shift it along the lines. What was pushed
far off its lines may have gone rather aside, and more so what was seen sliding there with no finger on it."""
SLOWS_MM_S2 = 1000.0
"""Even a powdered board slows a striker by as much: one that was pushed takes no longer to where it rests."""
STAY_CONFIDENCE = 0.8
WEAK_FLOWN_MM, FLOWN_S, FLOWN_UNSEEN = 120.0, 3.0, 0.6
"""What lies so far from its lines, and from where it stood until no longer ago, flew there if no hand was there: how
sure it is then that a stroke was played."""


@dataclass(frozen=True, slots=True)
class WeakStroke:
    """A stroke in which nobody saw the striker fly; mostly it lies on or right before its base lines."""

    t_strike: float
    t_rest: float
    confidence: float
    """Probability that it never left its lines."""
    moved_mm: float
    stood: Point
    """Where it was struck, mm."""
    later: Point
    """Where it was when a hand that pushed it let it go at last, mm: a finger that only flicks does not come there."""
    sure: float = 1.0
    """How sure it is that this was a stroke."""


def stayed(sightings: Sequence[StrikerSighting], profile: Profile, lying: Piece, since: float,
           stirred: tuple[float, float] = UNSTIRRED) -> WeakStroke | None:  # fmt: skip
    """How the striker got there that lies free, `since` then by its track, if it was flicked or pushed there from where
    the `sightings` show it.

    A hand that puts it elsewhere on the lines takes longer, or shifts it along them (General 91). `stirred`: when
    the place where it stood last looked as before, and when that last changed.
    """
    here = list(takewhile(lambda s: s.is_at(lying.x_mm, lying.y_mm), reversed(sightings)))
    seen = here[-1].t if here else since
    stood = _stood(sightings, seen, here)
    if stood is None:
        return None
    # Under a hand its track is seen to rest sooner than its rim; one from before is the hand's.
    coasted = _coasted(sightings, stood, lying)
    since = min(since if stood.until < since < seen else seen, coasted)
    if stood.t < stirred[0] < min(stood.until, stirred[1]) and stirred[1] < min(since, stirred[0] + STAY_S):
        stood, since = replace(stood, since_then=stirred[0] - stood.t), stirred[1]
    moved = math.dist((stood.x, stood.y), (lying.x_mm, lying.y_mm))
    if since - stood.until > (STAY_S if moved < STAY_MOST_MM else PUSH_S):
        return None
    ahead = to_side(stood.seat, lying.x_mm, lying.y_mm)[1] - to_side(stood.seat, stood.x, stood.y)[1]
    left = has_left(profile.sides.get(stood.seat), stood.seat, lying.x_mm, lying.y_mm, profile.board.striker_radius)
    share = PUSHED_AHEAD if left and moved > STAY_MOST_MM else SLID_AHEAD if math.isfinite(coasted) else AHEAD_SHARE
    if not STAY_LEAST_MM < moved < PUSH_MOST_MM or ahead < share * moved:
        return None
    share = min(LATER_SHARE, LATER_MM / moved)
    later = stood.x + share * (lying.x_mm - stood.x), stood.y + share * (lying.y_mm - stood.y)
    # What hardly moves may be taken to stand where it stood until it is measured.
    slid = math.sqrt(2 * moved / SLOWS_MM_S2) if moved > STAY_MOST_MM else math.inf
    begun = max(stood.until, since - slid)
    return WeakStroke(min(begun, since), since, 0.0 if left else STAY_CONFIDENCE, moved, (stood.x, stood.y), later)


def flown(sightings: Sequence[StrikerSighting], profile: Profile, lying: Piece, since: float) -> WeakStroke | None:
    """How the striker got there that lies far from all base lines, where no hand was, and has since then: it was struck
    from where the `sightings` show that it stood.
    """
    stood = _stood(sightings, since, ())
    if stood is None or since - stood.until > FLOWN_S:
        return None
    place, board = (lying.x_mm, lying.y_mm), profile.board
    if min(board.off_lines(*place), math.dist((stood.x, stood.y), place)) < WEAK_FLOWN_MM:
        return None
    return WeakStroke(
        stood.until, since, 0.0, math.dist((stood.x, stood.y), place), (stood.x, stood.y), place, FLOWN_UNSEEN
    )


def _stood(
    sightings: Sequence[StrikerSighting], before: float, here: Sequence[StrikerSighting]
) -> StrikerSighting | None:
    """The last sighting before a time, apart from those `here`, of a striker that had been standing there."""
    past = [s for s in sightings if s.t < before and s not in here]
    return next((s for s in reversed(past) if _is_steady(s, sightings)), None)


def _is_steady(s: StrikerSighting, sightings: Sequence[StrikerSighting]) -> bool:
    same = [o for o in sightings if o.t <= s.t and o.is_at(s.x, s.y)]
    return len(same) >= STEADY_TIMES and s.until - same[0].t >= WEAK_STEADY_S


def _coasted(sightings: Sequence[StrikerSighting], stood: StrikerSighting, lying: Piece) -> float:
    """When the striker rested as `lying` if it slid there from where it `stood`, as its last sighting on its way
    tells, on which no hand lay more than before; infinite where none does.

    Friction slows it evenly: what is left of the way goes with the square of the time that is left.
    """
    way = np.subtract((lying.x_mm, lying.y_mm), (stood.x, stood.y))
    whole = float(np.hypot(*way))
    for s in reversed(sightings):
        if s.t <= stood.until:
            break
        gone = (s.x - stood.x, s.y - stood.y) @ way / whole
        across = math.sqrt(max(0.0, math.dist((s.x, s.y), (stood.x, stood.y)) ** 2 - gone**2))
        is_open = s.disc.support > OPEN_SHARE * stood.disc.support
        if STRIP_SAME_MM < gone < whole - STRIP_SAME_MM and across < STRIP_SAME_MM and is_open:
            return float(stood.until + (s.t - stood.until) / (1 - math.sqrt(1 - gone / whole)))
    return math.inf
