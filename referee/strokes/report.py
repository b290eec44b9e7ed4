"""Builds the reported stroke, with its fouls and their probabilities, from what was tracked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from calibration.profile import Profile
from models.pieces import Kind, Piece, Seat, to_side
from referee.facts import Foul, OffBoard, OtherFalls, Placement, Pocketed, Stroke
from referee.fouls.stories import fitted as stories
from referee.outcome.first_contact import Approach, Contact, first_contact
from referee.outcome.readings import Claim, PieceFate, StrokeReading
from referee.striker.baseline_search import StrikerSighting
from referee.striker.placement_rules import beyond_lines, judge_placement
from referee.tracking.tracker import Track

REPORT_LIKELY = 0.5
"""Least probability at which a foul of the hand is reported."""


@dataclass(frozen=True, slots=True)
class StrokeDraft:
    """Tracking and census results of one stroke."""

    n: int
    t_strike: float
    t_rest: float
    t_called: float
    striker: Track | None
    contacts: tuple[Contact, ...]
    """Time at which each coin left its place, and the coin, in order of time."""
    missing: tuple[Claim, ...]
    """The pieces without a disc."""
    lay: tuple[Piece, ...] = ()
    """The coins that lay on the board at the strike."""
    handling: Mapping[Foul, float] = field(default_factory=lambda: MappingProxyType({}))
    """Probability of each foul of the hand that was looked for."""
    rested: Piece | None = None
    """The striker as it lies after the stroke; None if it was not found."""
    confidence: float = 1.0
    """Probability that this was a stroke and that exactly the `missing` pieces left the board."""
    other: StrokeReading | None = None
    """The second likeliest fate of the pieces."""


def report_stroke(profile: Profile, draft: StrokeDraft, stood: tuple[StrikerSighting, float] | None) -> Stroke:
    """Returns the stroke of a draft; `stood` is the sighting of the placed striker, and the time since which it
    stood.
    """
    seat = stood[0].seat if stood else _seat_by_track(draft)
    placement = None
    if stood is not None:
        s, radius = stood[0], profile.board.striker_radius
        placement = judge_placement(profile, s.seat, s.x, s.y, radius, s.sigma)
    pocketed, off = _falls(draft.missing, draft.t_rest)
    then = draft.other
    other = None if then is None else OtherFalls(*_falls(then.claims, draft.t_rest), round(then.weight, 3))
    fouls = _fouls(profile, seat, placement, pocketed, off, draft)
    place = (stood[0].x, stood[0].y) if stood else None
    approach = Approach(draft.contacts, draft.lay, draft.striker, draft.t_strike, place)
    return Stroke(
        draft.n, seat, stood[1] if stood else None, draft.t_strike, max(draft.t_rest, draft.t_strike), draft.t_called,
        placement, first_contact(profile.board, approach), pocketed, off, tuple(fouls), MappingProxyType(fouls),
        round(draft.confidence, 3), other,
    )  # fmt: skip


def _falls(claims: tuple[Claim, ...], t_rest: float) -> tuple[tuple[Pocketed, ...], tuple[OffBoard, ...]]:
    """Returns the pieces that fell and those that left, in order of time; unseen ones left by `t_rest`."""
    left = sorted(((m.t or t_rest, m) for m in claims), key=lambda each: each[0])
    return (tuple(Pocketed(m.kind, m.pocket, t) for t, m in left if m.fate is PieceFate.FELL),
            tuple(OffBoard(m.kind, t) for t, m in left if m.fate is PieceFate.OFF))  # fmt: skip


def _seat_by_track(draft: StrokeDraft) -> Seat:
    """Returns the side nearest to where the striker was first seen, or to the first coin that moved."""
    if draft.striker is not None and draft.striker.places:
        x, y = draft.striker.places[0]
    else:
        x, y = draft.contacts[0][1].place if draft.contacts else (0.0, -1.0)
    return max(Seat, key=lambda s: -to_side(s, x, y)[1])


def _fouls(profile: Profile, seat: Seat, placement: Placement | None, pocketed: tuple[Pocketed, ...],
           off: tuple[OffBoard, ...], draft: StrokeDraft) -> dict[Foul, float]:  # fmt: skip
    fouls: dict[Foul, float] = {}
    if placement is not None and placement.legal is False and placement.reason is not None:
        fouls[Foul(f"placement:{placement.reason}")] = 0.95
    if any(p.kind is Kind.STRIKER for p in pocketed):
        fouls[Foul.STRIKER_POCKETED] = 0.95
    for o in off:
        fouls[Foul.STRIKER_OFF_BOARD if o.kind is Kind.STRIKER else Foul.COIN_OFF_BOARD] = 0.95
    beyond = _beyond(profile, seat, draft)
    stayed = {} if beyond is None else {Foul.NO_LEAVE: stories().probability(Foul.NO_LEAVE, beyond)}
    return fouls | {f: round(p, 3) for f, p in (stayed | dict(draft.handling)).items() if p >= REPORT_LIKELY}


def _beyond(profile: Profile, seat: Seat, draft: StrokeDraft) -> float | None:
    """Returns how far (mm) off its lines a striker that touched nothing was detected at most, moving or at rest.

    None if it touched a coin, was not tracked, rolled along its lines into a pocket or left the board.
    """
    if draft.contacts or draft.striker is None or len(draft.striker.places) < 2:
        return None
    if any(m.kind is Kind.STRIKER and m.left for m in draft.missing):
        return None
    marks, radius, half = profile.sides.get(seat), profile.board.striker_radius, profile.board.half
    rested = [draft.rested.place] if draft.rested is not None else []
    # Over the frame the track was still the hand that flicked it; behind the lines too if the striker rests elsewhere.
    back = half if all(math.dist(draft.striker.place, place) < radius for place in rested) else profile.board.base_y
    places = [(x, y) for x, y in draft.striker.places if max(abs(x), abs(y)) < half and to_side(seat, x, y)[1] > -back]
    return max((beyond_lines(marks, seat, x, y, radius) for x, y in (*places, *rested)), default=-math.inf)
