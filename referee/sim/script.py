"""How a match is played, and how its script counts time: a script yields the times at which it wants to go on."""

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
"""What happens when, in any order."""


def perform(plan: Plan) -> Script[None]:
    """Do all that is planned, each act at its time."""
    for t, act in sorted(plan, key=lambda step: step[0]):
        yield t
        act()


@dataclass(frozen=True, slots=True)
class Manner:
    """How a match is played."""

    seats: tuple[Seat, Seat] = (Seat.SOUTH, Seat.NORTH)
    """The two players, opposite each other; the first one breaks the first board."""
    boards: int | None = None
    """How many boards, None = without end."""
    skill: Skill = field(default_factory=Skill)
    tempo: float = 1.0
    """Length of all hand movements and pauses; 0.5 = twice as brisk."""
    strokes: int | None = None
    """After how many strokes the players stop, None = when the boards are over."""
    start: tuple[Piece, ...] | None = None
    """The coins on the board as the match begins, the others lie in the nets; None = the opening formation."""
    slips: float = 0.0
    """Share of the strokes in which the hand does something against the rules."""
    wait_s: float = 3.0
    """How long players wait for the referee's ruling before they judge themselves."""


class Tempo:
    """Durations of movements and pauses at one match's tempo."""

    def __init__(self, tempo: float, rng: np.random.Generator) -> None:
        self._tempo, self._rng = tempo, rng

    def lasts(self, low: float, high: float | None = None) -> float:
        """Seconds that something takes which takes `low` (to `high`) seconds at ordinary tempo."""
        return self._tempo * (low if high is None else float(self._rng.uniform(low, high)))


class Ear:
    """Where players hear rulings; the referee may speak from another thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._heard: Announcement | None = None

    def announce(self, heard: Announcement) -> None:
        """Say a ruling; one not yet heard is replaced."""
        with self._lock:
            self._heard = heard

    def hear(self) -> Announcement | None:
        """The last ruling, once."""
        with self._lock:
            heard, self._heard = self._heard, None
            return heard
