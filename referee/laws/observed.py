"""From what the camera observed to what the laws read: tokens for the certain, proposals for what people must decide.

A camera over the board cannot tell how high a hand was or whose sleeve touched a coin, so those infringements count
only if the match's policy accepts them. Placement is judged from the clearances, since books differ in their limits.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from models.pieces import Kind
from models.rulebook import FoulName, Limit, Verdict
from models.rules import Book
from referee.facts import PLACEMENT_SIGMAS, Foul, Placement, Stroke
from referee.laws.apply import AnyState
from referee.laws.figure import is_infringement
from referee.laws.tokens import StrokeTokens, Token, TokenKind

CERTAIN_CONFIDENCE = 0.9
"""Least confidence of a stroke for a certain ruling, as the log's format states; a less sure foul is only proposed."""

UNDECIDED = 0.5
"""Confidence of a placement foul that is too close to call."""

_OBSERVED_FOULS = {
    Foul.HAND_OVER_DIAGONAL: FoulName.HAND_OVER_DIAGONAL,
    Foul.TOUCHED_COIN: FoulName.TOUCH,
    Foul.PUSH: FoulName.PUSH,
}
"""Infringements that are proposals unless accepted."""

_PLACEMENT_FOULS = {
    Limit.FRONT_LINE: FoulName.PLACEMENT,
    Limit.REAR_LINE: FoulName.PLACEMENT,
    Limit.MOON: FoulName.CUT_MOON,
    Limit.ARROW: FoulName.TOUCHING_ARROW,
    Limit.ENDS: FoulName.PLACEMENT,
    Limit.CIRCLE: FoulName.PLACEMENT,
}


@dataclass(frozen=True, slots=True)
class Proposal:
    """An infringement that people have to decide; `StrokeTokens.with_foul` makes it count."""

    foul: FoulName
    observed: FoulName
    """The foul as observed, to which a policy refers; `hand_over_diagonal` may mean `elbow` to a book."""
    confidence: float
    """Probability that it happened, as far as vision can tell."""


def tokens_of(
    stroke: Stroke, state: AnyState, rules: Book, accepted: AbstractSet[FoulName] = frozenset()
) -> StrokeTokens:
    """Returns the stroke as the laws read it; of the doubtful infringements only those in `accepted` are in it."""
    fell = [(p.t, Token(TokenKind.POCKETED, p.kind, p.pocket)) for p in stroke.pocketed]
    flew = [(o.t, Token(TokenKind.OFF, o.kind)) for o in stroke.off_board]
    tokens = [token for _, token in sorted(fell + flew, key=lambda item: item[0])]
    certain, doubtful = _fouls(stroke, rules)
    fouls = dict.fromkeys([*certain, *(p.foul for p in doubtful if p.observed in accepted)])
    fouls |= dict.fromkeys(_unplayed_fouls(stroke, state))
    return StrokeTokens((*tokens, *(Token(TokenKind.FOUL, foul=foul) for foul in fouls)))


def proposals_of(stroke: Stroke, rules: Book, accepted: AbstractSet[FoulName] = frozenset()) -> tuple[Proposal, ...]:
    """Returns the infringements known to this book that wait for people; none that is in `accepted` or already
    a token.
    """
    certain, doubtful = _fouls(stroke, rules)
    open_ones = {p.foul: p for p in doubtful if p.observed not in accepted and p.foul not in certain}
    return tuple(open_ones.values())


def _fouls(stroke: Stroke, rules: Book) -> tuple[list[FoulName], list[Proposal]]:
    """Returns the infringements that are certain, and those that are not."""
    certain: list[FoulName] = []
    doubtful: list[Proposal] = []
    for observed in (foul for foul in _OBSERVED_FOULS if foul in stroke.fouls):
        name = _name_of(observed, rules)
        if is_infringement(name, rules):
            doubtful.append(Proposal(name, _OBSERVED_FOULS[observed], stroke.foul_confidence.get(observed, 1.0)))
    call = _placement_call(stroke, rules) if stroke.placement else None
    if not call:
        return certain, doubtful
    name, sure = call
    if sure and rules.fouls[name].verdict is Verdict.FOUL:
        certain.append(name)
    else:
        # Where the book names no penalty, people decide, however certain the observation is (row C13).
        doubtful.append(Proposal(name, name, 1.0 if sure else UNDECIDED))
    return certain, doubtful


def _name_of(observed: Foul, rules: Book) -> FoulName:
    """Returns the book's infringement for an observed foul. Where the hand may cross the diagonal, the arm may not
    (R6).
    """
    name = _OBSERVED_FOULS[observed]
    return FoulName.ELBOW if name is FoulName.HAND_OVER_DIAGONAL and not is_infringement(name, rules) else name


def _placement_call(stroke: Stroke, rules: Book) -> tuple[FoulName, bool] | None:
    """Returns the limit of this book that the placement missed by most, and whether that is certain; None if it was
    legal.
    """
    placement = stroke.placement
    clearances = _clearances(placement, rules) if placement else {}
    if not placement or not clearances:
        return None
    limit = min(clearances, key=lambda each: clearances[each])
    margin, name = clearances[limit], _PLACEMENT_FOULS[limit]
    near = abs(margin) < PLACEMENT_SIGMAS * placement.sigma_mm
    if limit is Limit.CIRCLE:
        # Not a limit of the ICF, so vision's verdict does not cover it.
        return (name, not near) if near or margin < 0 else None
    if near and placement.legal is None:
        return name, False
    if margin >= 0:
        return None
    reported = [f for f in stroke.fouls if f.value.startswith("placement:")]
    sure = all(stroke.foul_confidence.get(f, 1.0) >= CERTAIN_CONFIDENCE for f in reported)
    # Vision calls a placement legal by the ICF's limits, so a limit missed all the same is a contradiction.
    return name, sure and placement.legal is not True and (placement.legal is False or not near)


@dataclass(frozen=True, slots=True)
class PlacementVerdict:
    """Verdict on a placement by one book, before the stroke."""

    limit: Limit
    """The limit missed by most, or kept by least."""
    margin_mm: float
    """Distance to it, positive on the legal side."""
    legal: bool | None
    """None = too close to call."""


def standing(placement: Placement, rules: Book) -> PlacementVerdict | None:
    """Returns the verdict of `rules` on a striker on its lines; None if the board lacks every mark of the book."""
    clearances = _clearances(placement, rules)
    if not clearances:
        return None
    limit = min(clearances, key=lambda each: clearances[each])
    margin = clearances[limit]
    return PlacementVerdict(limit, margin, None if abs(margin) < PLACEMENT_SIGMAS * placement.sigma_mm else margin > 0)


def _clearances(placement: Placement, rules: Book) -> dict[Limit, float]:
    measured = {limit: getattr(placement.clearance_mm, limit.value) for limit in rules.placement}
    fouls = {limit: _PLACEMENT_FOULS[limit] for limit in measured}
    return {limit: mm for limit, mm in measured.items() if mm is not None and is_infringement(fouls[limit], rules)}


def _unplayed_fouls(stroke: Stroke, state: AnyState) -> list[FoulName]:
    """Returns the infringements of a striker that stayed on the lines, and of a break attempt that touched nothing."""
    if Foul.NO_LEAVE in stroke.fouls:
        return [FoulName.NO_LEAVE]
    gone = [p.kind for p in stroke.pocketed] + [o.kind for o in stroke.off_board]
    coins_moved = any(kind is not Kind.STRIKER for kind in gone)
    unbroken = state.breaks is not None and stroke.first_contact is None and not coins_moved
    return [FoulName.NO_BREAK] if unbroken else []
