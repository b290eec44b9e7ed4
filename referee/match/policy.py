"""Policy for infringements that the camera reports: each kind counts, is proposed, is noted, or is ignored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

from models.rulebook import SPECIAL_FOULS, FoulName
from models.rules import Book
from referee.facts import Stroke
from referee.laws import AnyState, StrokeTokens, TokenKind
from referee.laws.observed import Proposal, proposals_of, tokens_of


class Treatment(StrEnum):
    """Treatment of one kind of infringement."""

    ACCEPT = "accept"
    """It counts as if the umpire had called it."""
    PROPOSE = "propose"
    """The ruling is made without it and states what would change."""
    LOG = "log"
    """It is noted with the ruling and has no consequence."""
    IGNORE = "ignore"


UMPIRES_CALL = frozenset({FoulName.HAND_OVER_DIAGONAL, FoulName.TOUCH, FoulName.PUSH})
"""Kinds that a camera detects only in part: heights, sleeves and fingers are for the umpire, so they are proposed."""

ADJUSTABLE_FOULS = (
    FoulName.PLACEMENT,
    FoulName.CUT_MOON,
    FoulName.TOUCHING_ARROW,
    FoulName.HAND_OVER_DIAGONAL,
    FoulName.TOUCH,
    FoulName.PUSH,
    FoulName.OUT_OF_TURN,
)
"""Kinds that a camera reports, in the order in which people choose their treatment."""

OUT_OF_TURN_CONFIDENCE = 0.5
"""Confidence of a stroke out of turn: the ruling before it may have been wrong just as well."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Treatment of each kind.

    By default those in UMPIRES_CALL and strokes out of turn are proposed, all others count.
    """

    chosen: Mapping[FoulName, Treatment] = field(default_factory=lambda: MappingProxyType({}))

    def of(self, foul: FoulName) -> Treatment:
        proposed = foul in UMPIRES_CALL or foul is FoulName.OUT_OF_TURN
        return self.chosen.get(foul, Treatment.PROPOSE if proposed else Treatment.ACCEPT)

    def changed(self, to: Policy) -> Policy:
        """Returns this policy with the choices of `to` replaced."""
        return Policy(MappingProxyType({**self.chosen, **to.chosen}))

    def __bool__(self) -> bool:
        """Tells whether any treatment was chosen."""
        return bool(self.chosen)

    @classmethod
    def parse(cls, d: Mapping[str, str]) -> Policy:
        """Returns the policy in `{"push": "accept", ...}`; raises ValueError."""
        return cls(MappingProxyType({FoulName(foul): Treatment(word) for foul, word in d.items()}))

    def as_dict(self) -> dict[str, str]:
        """Returns the dict that `parse` reads."""
        return {foul.value: word.value for foul, word in sorted(self.chosen.items())}


@dataclass(frozen=True, slots=True)
class SortedStroke:
    """A stroke sorted by the policy: what counts, what is proposed, what is noted."""

    tokens: StrokeTokens
    proposed: tuple[Proposal, ...] = ()
    noted: tuple[FoulName, ...] = ()


def read_stroke(stroke: Stroke, state: AnyState, rules: Book, policy: Policy) -> SortedStroke:
    """Returns the detected stroke in the laws' terms, sorted by the policy."""
    accepted = {foul for foul in UMPIRES_CALL if policy.of(foul) is Treatment.ACCEPT}
    tokens = tokens_of(stroke, state, rules, accepted)
    doubtful = proposals_of(stroke, rules, accepted)
    held = [f for f in tokens.fouls() if f not in SPECIAL_FOULS and policy.of(f) is not Treatment.ACCEPT]
    counted = tuple(t for t in tokens.tokens if t.kind is not TokenKind.FOUL or t.foul not in held)
    waiting = [*(Proposal(f, f, 1.0) for f in held), *doubtful]
    return SortedStroke(
        StrokeTokens(counted),
        tuple(p for p in waiting if policy.of(p.observed) in (Treatment.PROPOSE, Treatment.ACCEPT)),
        tuple(p.foul for p in waiting if policy.of(p.observed) is Treatment.LOG),
    )


def with_out_of_turn(reading: SortedStroke, policy: Policy) -> SortedStroke:
    """Adds to the reading, as the policy has it, that the stroke came from another seat than ruled.

    Partners have turns of their own, too.
    """
    foul = FoulName.OUT_OF_TURN
    match policy.of(foul):
        case Treatment.ACCEPT:
            return replace(reading, tokens=reading.tokens.with_foul(foul))
        case Treatment.PROPOSE:
            return replace(reading, proposed=(*reading.proposed, Proposal(foul, foul, OUT_OF_TURN_CONFIDENCE)))
        case Treatment.LOG:
            return replace(reading, noted=(*reading.noted, foul))
        case Treatment.IGNORE:
            return reading
