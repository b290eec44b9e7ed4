"""Results of boards and matches that are over, also of earlier matches in the same log."""

from __future__ import annotations

from dataclasses import dataclass

from referee.match.seating import Seating, SidePoints


@dataclass(frozen=True, slots=True)
class BoardScore:
    """Result of a board that is over. Points are by side, in the order of the match's sides."""

    game: int
    board: int
    """Number within the game; 0 if unknown."""
    points: SidePoints
    """Points that each side won in this board."""
    score: SidePoints
    """Points of the game after it."""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """Result of a match that was won."""

    winner: int
    """Index of the side that won."""
    seating: Seating
    """Seating in its last board."""
    games: SidePoints
    """Games won, by side."""
    score: SidePoints
    """Points of the last game, by side."""
    boards: tuple[BoardScore, ...]
