"""What becomes of each infringement that the camera reports: it counts, is proposed, is noted, or is left out."""

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
    """How one kind of infringement is taken."""

    ACCEPT = "accept"
    """It counts as if the umpire had called it."""
    PROPOSE = "propose"
    """The ruling goes on without it and says what would change."""
    LOG = "log"
    """It is noted with the ruling and nothing follows."""
    IGNORE = "ignore"


PEOPLES_CALL = frozenset({FoulName.HAND_OVER_DIAGONAL, FoulName.TOUCH, FoulName.PUSH})
"""Kinds that a camera sees only in part: heights, sleeves and fingers are the umpire's, so they are proposed."""

CHOSEN = (FoulName.PLACEMENT, FoulName.CUT_MOON, FoulName.TOUCHING_ARROW, FoulName.HAND_OVER_DIAGONAL, FoulName.TOUCH,
          FoulName.PUSH, FoulName.OUT_OF_TURN)  # fmt: skip
"""Kinds that a camera reports, in the order in which people are asked what becomes of them."""

RULING_OR_PLAYER = 0.5
"""Confidence of a stroke out of turn: as well the ruling before it may have been wrong."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The treatment of each kind; kinds that nobody chose are proposed if they are the people's call, else count."""

    chosen: Mapping[FoulName, Treatment] = field(default_factory=lambda: MappingProxyType({}))

    def of(self, foul: FoulName) -> Treatment:
        proposed = foul in PEOPLES_CALL or foul is FoulName.OUT_OF_TURN
        return self.chosen.get(foul, Treatment.PROPOSE if proposed else Treatment.ACCEPT)

    def changed(self, to: Policy) -> Policy:
        """This policy with what `to` chooses chosen anew."""
        return Policy(MappingProxyType({**self.chosen, **to.chosen}))

    def __bool__(self) -> bool:
        """Something was chosen."""
        return bool(self.chosen)

    @classmethod
    def parse(cls, d: Mapping[str, str]) -> Policy:
        """The policy that `{"push": "accept", ...}` says; raises ValueError."""
        return cls(MappingProxyType({FoulName(foul): Treatment(word) for foul, word in d.items()}))

    def as_dict(self) -> dict[str, str]:
        """Inverse of `parse`."""
        return {foul.value: word.value for foul, word in sorted(self.chosen.items())}


@dataclass(frozen=True, slots=True)
class PolicyReading:
    """A stroke as the match takes it."""

    tokens: StrokeTokens
    proposed: tuple[Proposal, ...] = ()
    noted: tuple[FoulName, ...] = ()


def read_stroke(stroke: Stroke, state: AnyState, rules: Book, policy: Policy) -> PolicyReading:
    """What the camera saw in the laws' terms, sorted by the policy."""
    accepted = {foul for foul in PEOPLES_CALL if policy.of(foul) is Treatment.ACCEPT}
    tokens = tokens_of(stroke, state, rules, accepted)
    doubtful = proposals_of(stroke, rules, accepted)
    held = [f for f in tokens.fouls() if f not in SPECIAL_FOULS and policy.of(f) is not Treatment.ACCEPT]
    counted = tuple(t for t in tokens.tokens if t.kind is not TokenKind.FOUL or t.foul not in held)
    waiting = [*(Proposal(f, f, 1.0) for f in held), *doubtful]
    return PolicyReading(
        StrokeTokens(counted),
        tuple(p for p in waiting if policy.of(p.seen_as) in (Treatment.PROPOSE, Treatment.ACCEPT)),
        tuple(p.foul for p in waiting if policy.of(p.seen_as) is Treatment.LOG),
    )


def with_out_of_turn(reading: PolicyReading, policy: Policy) -> PolicyReading:
    """The stroke came from another seat than the ruling before gave it to: partners have a turn each, too."""
    foul = FoulName.OUT_OF_TURN
    match policy.of(foul):
        case Treatment.ACCEPT:
            return replace(reading, tokens=reading.tokens.with_foul(foul))
        case Treatment.PROPOSE:
            return replace(reading, proposed=(*reading.proposed, Proposal(foul, foul, RULING_OR_PLAYER)))
        case Treatment.LOG:
            return replace(reading, noted=(*reading.noted, foul))
        case Treatment.IGNORE:
            return reading
