"""Infers strokes whose striker was never tracked in flight, from where the striker stood and where it lies.

The striker is not tracked if the stroke is very weak or the striker has little contrast with the board."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from calibration.profile import Profile
from models.pieces import Piece, to_side
from referee.facts import Foul
from referee.fouls.stories import fitted as stories
from referee.outcome.first_contact import nearest
from referee.striker.baseline_search import StrikerSighting
from referee.striker.placement_rules import beyond_lines
from referee.tracking.tracker import Place
from referee.tracking.trajectory import slide_s

WEAK_STEADY_S = 0.25
"""Least time, in seconds, for which a striker that is aimed with has stood in one place."""
STAY_S, PUSH_S = 0.4, 1.0
"""Greatest time, in seconds, until a striker rests again: one struck too weakly to leave its lines, and one pushed."""
STAY_LEAST_MM, STAY_MOST_MM, PUSH_MOST_MM = 4.0, 45.0, 300.0
FOLLOWED_MM = 80.0
"""Greatest way of the striker, in mm, on which a hand near it does not prove a push.

A striker that lies nearer to where it stood may have been flicked too weakly. One that lies farther but was not tracked
in flight was pushed if a hand went along with it. A finger that flicks is also near a striker that barely leaves its
lines."""
LATER_SHARE, LATER_MM = 0.75, 110.0
"""Part of the striker's way on which a pushing hand goes along: this share, but at most so many mm. The striker slides
on without it."""
OPEN_SHARE = 0.8
"""Least visible share of a moving striker's rim, relative to what was visible before, at which no hand holds it.

Fingers that carried a striker left 0.05 to 0.6 visible, a finger that had flicked it 0.9 and more (slipping worlds
11631 and 11637)."""
AHEAD_SHARE, MOVED_AHEAD = 0.55, 0.35
"""Least share of the striker's way that leads ahead, away from its base lines: after a flick, and after a push far off
the lines or for a striker that was seen sliding with no finger on it. Hands shift the striker along the lines."""
STRUCK_MM = 150.0
"""Way in mm that only a stroke sends a disc that no hand is near, even if the striker was not seen to stand or fly."""


@dataclass(frozen=True, slots=True)
class WeakStroke:
    """A stroke whose striker was not tracked in flight; mostly the striker lies on or just in front of its base
    lines.
    """

    t_strike: float
    t_rest: float
    no_leave: float
    """Probability that the striker never left its lines."""
    moved_mm: float
    stood: Place
    """Where the striker was struck, in mm."""
    later: Place
    """The last place, in mm, at which a pushing hand would have let the striker go; a finger that only flicks does not
    come there."""
    is_far: bool = False
    """Whether the striker lies far from all base lines and from where it stood."""


def stayed(sightings: Sequence[StrikerSighting], profile: Profile, lying: Piece, since: float) -> WeakStroke | None:
    """Returns the stroke that flicked or pushed the striker from where the `sightings` show it to where it is `lying`.

    Returns None if a hand may have moved it: a hand that puts the striker elsewhere on the lines takes longer, or
    shifts it along them (General 91). `since` is when the striker came to rest by its track.
    """
    here = list(takewhile(lambda s: s.is_at(lying.x_mm, lying.y_mm), reversed(sightings)))
    last_there = here[-1].t if here else since
    stood = _stood(sightings, last_there)
    if stood is None:
        return None
    # Under a hand the track comes to rest before the rim is detected; a track from before it left is the hand's.
    coasted = _coasted(sightings, stood, lying)
    since = min(since if stood.until < since < last_there else last_there, coasted)
    moved = math.dist((stood.x, stood.y), lying.place)
    if since - stood.until > (STAY_S if moved < STAY_MOST_MM else PUSH_S):
        return None
    ahead = to_side(stood.seat, lying.x_mm, lying.y_mm)[1] - to_side(stood.seat, stood.x, stood.y)[1]
    marks, radius = profile.sides.get(stood.seat), profile.board.striker_radius
    beyond = beyond_lines(marks, stood.seat, lying.x_mm, lying.y_mm, radius)
    went = math.isfinite(coasted) or (beyond > 0 and moved > STAY_MOST_MM)
    share = MOVED_AHEAD if went else AHEAD_SHARE
    if not STAY_LEAST_MM < moved < PUSH_MOST_MM or ahead < share * moved:
        return None
    share = min(LATER_SHARE, LATER_MM / moved)
    later = stood.x + share * (lying.x_mm - stood.x), stood.y + share * (lying.y_mm - stood.y)
    # A striker that hardly moves may be measured as standing where it stood until it is measured anew.
    slid = slide_s(moved) if moved > STAY_MOST_MM else math.inf
    begun = max(stood.until, since - slid)
    no_leave = stories().probability(Foul.NO_LEAVE, beyond)
    return WeakStroke(min(begun, since), since, no_leave, moved, (stood.x, stood.y), later)


def flown(sightings: Sequence[StrikerSighting], profile: Profile, lying: Piece, since: float) -> WeakStroke | None:
    """Returns the stroke that sent the striker from where the `sightings` show it to far off all base lines.

    Returns None if the striker lies too near to its lines. `since` is the time from which it is `lying` there. The
    caller must know that no hand was there since it stood.
    """
    stood = _stood(sightings, since)
    if stood is None:
        return None
    here, moved = (stood.x, stood.y), math.dist((stood.x, stood.y), lying.place)
    if min(profile.board.off_lines(*lying.place), moved) < STRUCK_MM:
        return None
    return WeakStroke(stood.until, since, 0.0, moved, here, lying.place, is_far=True)


def _stood(sightings: Sequence[StrikerSighting], before: float) -> StrikerSighting | None:
    """Returns the last sighting before a time of a striker that had been standing still."""
    past = [s for s in sightings if s.t < before]
    return next((s for s in reversed(past) if _is_steady(s, sightings)), None)


def _is_steady(s: StrikerSighting, sightings: Sequence[StrikerSighting]) -> bool:
    same = [o for o in sightings if o.t <= s.t and o.is_at(s.x, s.y)]
    return s.until - same[0].t >= WEAK_STEADY_S


def _coasted(sightings: Sequence[StrikerSighting], stood: StrikerSighting, lying: Piece) -> float:
    """Returns when the striker came to rest if it slid from `stood` to `lying`; infinite if no sighting shows the
    slide.

    The time is extrapolated from the last sighting on the way whose rim a hand covers hardly more than before.
    Friction slows the striker evenly: the remaining way is proportional to the square of the remaining time.
    """
    for s in reversed(sightings):
        if s.t <= stood.until:
            break
        share, foot = nearest((stood.x, stood.y), lying.place, (s.x, s.y))
        is_between = 0 < share < 1 and not stood.is_at(*foot) and not s.is_at(lying.x_mm, lying.y_mm)
        if is_between and s.is_at(*foot) and s.disc.support > OPEN_SHARE * stood.disc.support:
            return stood.until + (s.t - stood.until) / (1 - math.sqrt(1 - share))
    return math.inf
