"""What boards and matches came to: told once they are over, kept when the next match begins in the same log."""

from __future__ import annotations

from dataclasses import dataclass

from referee.match.seating import Points, Seating


@dataclass(frozen=True, slots=True)
class BoardScore:
    """A board that is over. Numbers are by side, in the order of the match's sides."""

    game: int
    board: int
    """Number within the game; 0 when nobody knows."""
    points: Points
    """What each side won in this board."""
    score: Points
    """Points of the game after it."""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A match that was won."""

    winner: int
    """Index of the side that won."""
    seating: Seating
    """Who sat where in its last board."""
    games: Points
    """Games won, by side."""
    score: Points
    """Points of the last game, by side."""
    boards: tuple[BoardScore, ...]
