"""The stroke as it is told: facts drawn from what was followed, each with its confidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from calibration.profile import Profile
from models.pieces import Kind, Piece, Seat, to_side
from referee.strokes.census import Fate, Missing
from referee.strokes.facts import Foul, OffBoard, Placement, Pocketed, Stroke
from referee.strokes.placement import judge
from referee.strokes.strip import Standing
from referee.track import Track

FIRST_CONTACT_TIE_S = 0.012
EXTRA_DOUBT = 0.8
"""Confidence is multiplied by this for every disc that nothing explains."""
LIKELY = 0.5
"""A foul of the hand is told when it is at least this probable."""


@dataclass(frozen=True, slots=True)
class StrokeDraft:
    """What was followed of one stroke."""

    n: int
    t_strike: float
    t_rest: float
    t_called: float
    striker: Track | None
    contacts: tuple[tuple[float, Piece], ...]
    """When each coin left its place, and which."""
    missing: tuple[Missing, ...]
    unexplained: int
    """Discs found that no piece explains."""
    handling: Mapping[Foul, float] = field(default_factory=lambda: MappingProxyType({}))
    """Probability of each foul that was looked for by what the hand did."""


def tell(profile: Profile, draft: StrokeDraft, stood: tuple[Standing, float] | None) -> Stroke:
    """The stroke of a draft; `stood` is where the striker was placed, and since when."""
    seat = stood[0].seat if stood else _seat_by_track(draft)
    placement = _placement(profile, stood)
    pocketed = tuple(Pocketed(m.piece.kind, m.pocket, m.t) for m in _by_time(draft.missing, Fate.POCKETED))
    off = tuple(OffBoard(m.piece.kind, m.t) for m in _by_time(draft.missing, Fate.OFF_BOARD))
    fouls = _fouls(placement, pocketed, off, draft)
    confidence = EXTRA_DOUBT**draft.unexplained
    for m in draft.missing:
        confidence *= m.confidence if m.fate is not Fate.TAKEN else 0.97
    return Stroke(
        draft.n, seat, stood[1] if stood else None, draft.t_strike, max(draft.t_rest, draft.t_strike), draft.t_called,
        placement, _first_contact(draft), pocketed, off, tuple(fouls), MappingProxyType(fouls), round(confidence, 3),
    )  # fmt: skip


def _by_time(missing: tuple[Missing, ...], fate: Fate) -> list[Missing]:
    return sorted((m for m in missing if m.fate is fate), key=lambda m: m.t)


def _placement(profile: Profile, stood: tuple[Standing, float] | None) -> Placement | None:
    if stood is None:
        return None
    s = stood[0]
    return judge(profile, s.seat, s.x, s.y, profile.board.striker_radius, s.sigma)


def _seat_by_track(draft: StrokeDraft) -> Seat:
    """The side from which the striker came: where it was first seen moving, against its course."""
    if draft.striker is not None and draft.striker.places:
        x, y = draft.striker.places[0]
    else:
        x, y = (draft.contacts[0][1].x_mm, draft.contacts[0][1].y_mm) if draft.contacts else (0.0, -1.0)
    return max(Seat, key=lambda s: -to_side(s, x, y)[1])


def _first_contact(draft: StrokeDraft) -> Kind | None:
    """The kind of the first coin to leave its place; of several at once the one nearest to the striker's course."""
    if not draft.contacts:
        return None
    first = min(t for t, _ in draft.contacts)
    tied = [p for t, p in draft.contacts if t - first <= FIRST_CONTACT_TIE_S]
    if len(tied) > 1 and draft.striker is not None:
        before = [p for t, p in zip(draft.striker.times, draft.striker.places, strict=True) if t <= first]
        x, y = before[-1] if before else draft.striker.places[0]
        tied.sort(key=lambda p: (p.x_mm - x) ** 2 + (p.y_mm - y) ** 2)
    return tied[0].kind


def _fouls(placement: Placement | None, pocketed: tuple[Pocketed, ...], off: tuple[OffBoard, ...],
           draft: StrokeDraft) -> dict[Foul, float]:  # fmt: skip
    fouls: dict[Foul, float] = {}
    if placement is not None and placement.legal is False and placement.reason is not None:
        fouls[Foul(f"placement:{placement.reason}")] = 0.95
    if any(p.kind is Kind.STRIKER for p in pocketed):
        fouls[Foul.STRIKER_POCKETED] = 0.95
    for o in off:
        fouls[Foul.STRIKER_OFF_BOARD if o.kind is Kind.STRIKER else Foul.COIN_OFF_BOARD] = 0.95
    if _stayed(draft):
        fouls[Foul.NO_LEAVE] = 0.9
    return fouls | {f: round(p, 3) for f, p in draft.handling.items() if p >= LIKELY}


def _stayed(draft: StrokeDraft) -> bool:
    """Whether the striker touched nothing and came to rest where it was played from."""
    if draft.contacts or draft.striker is None or len(draft.striker.places) < 2:
        return False
    (x0, y0), (x1, y1) = draft.striker.places[0], draft.striker.place
    return abs(x1 - x0) + abs(y1 - y0) < 30.0
