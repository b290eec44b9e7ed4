"""How a match is played, and how its script tracks time: a script yields the times at which it wants to continue."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from threading import Lock
from typing import TypeVar

import numpy as np

from models.pieces import Piece, Seat
from referee.sim.player import Skill
from referee.sim.simple_rules import Announcement

T = TypeVar("T")
Script = Generator[float, None, T]
"""Yields simulated times in order; resumed at each of them."""

Plan = list[tuple[float, Callable[[], None]]]
"""Actions and their times, in any order."""


def perform(plan: Plan) -> Script[None]:
    """Performs all that is planned, each action at its time."""
    for t, act in sorted(plan, key=lambda step: step[0]):
        yield t
        act()


@dataclass(frozen=True, slots=True)
class MatchConditions:
    """Conditions under which a match is played."""

    seats: tuple[Seat, Seat] = (Seat.SOUTH, Seat.NORTH)
    """The two players, opposite each other. The first one breaks the first board."""
    boards: int | None = None
    """Number of boards; None = without end."""
    skill: Skill = field(default_factory=Skill)
    tempo: float = 1.0
    """Factor on the duration of all hand movements and pauses; 0.5 = twice as brisk."""
    strokes: int | None = None
    """Number of strokes after which the players stop; None = when the boards are over."""
    start: tuple[Piece, ...] | None = None
    """Coins on the board when the match begins, the others lie in the nets; None = the opening formation."""
    slips: float = 0.0
    """Share of strokes in which the hand infringes a rule."""
    wait_s: float = 3.0
    """Time for which players wait for the referee's ruling before they judge themselves, s."""


class Tempo:
    """Durations of movements and pauses at one match's tempo."""

    def __init__(self, tempo: float, rng: np.random.Generator) -> None:
        self._tempo, self._rng = tempo, rng

    def lasts(self, low: float, high: float | None = None) -> float:
        """Returns the duration of what takes `low` (to `high`) seconds at ordinary tempo, s."""
        return self._tempo * (low if high is None else float(self._rng.uniform(low, high)))


class AnnouncementQueue:
    """Passes rulings to the players; the referee may speak from another thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._heard: Announcement | None = None

    def announce(self, heard: Announcement) -> None:
        """Announces a ruling; it replaces one not yet heard."""
        with self._lock:
            self._heard = heard

    def listen(self) -> Announcement | None:
        """Returns the last ruling, once."""
        with self._lock:
            heard, self._heard = self._heard, None
            return heard
