"""Challenges: each side may ask for a review of a stroke, and loses one of a few when the call stands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from referee.match.refusals import MatchError, Refusal, Refused


@dataclass(frozen=True, slots=True)
class Challenge:
    """A side's request for a review."""

    target: str
    """Name of the challenge, for the answer."""
    stroke: int
    seat: str
    """Seat of the player who asked."""
    side: int | None
    """Index of the side in the match; None while the seating is unknown."""
    game: tuple[int, int]
    """Number of the match in its log, and of the game in which it was asked."""
    upheld: bool | None
    """Whether it was right; None until it is answered."""


def open_challenge(asked: Iterable[Challenge]) -> Challenge | None:
    """Returns the challenge that waits for its answer."""
    return next((c for c in asked if c.upheld is None), None)


def challenges_left(asked: Iterable[Challenge], allowed: int, side: int, game: tuple[int, int]) -> int:
    """Returns how many challenges a side has left in a game: one that waits for its answer is not left."""
    return max(0, allowed - sum(c.side == side and c.game == game and c.upheld is not True for c in asked))


def check_challenge(asked: tuple[Challenge, ...], allowed: int, side: int | None, game: tuple[int, int]) -> None:
    """Raises MatchError if the side may not challenge now."""
    if open_challenge(asked) is not None:
        raise MatchError(Refusal(Refused.CHALLENGE_OPEN))
    if side is None:
        raise MatchError(Refusal(Refused.NOTHING_KNOWN))
    if challenges_left(asked, allowed, side, game) == 0:
        raise MatchError(Refusal(Refused.NO_CHALLENGE_LEFT))


def check_answer(asked: tuple[Challenge, ...], target: str) -> None:
    """Raises MatchError unless the challenge that is answered waits for its answer."""
    waiting = open_challenge(asked)
    if waiting is None or waiting.target != target:
        raise MatchError(Refusal(Refused.NO_CHALLENGE))
