"""Why an operator's event is impossible: facts, put into words by `referee.laws.sentences.objection_text`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from referee.laws.sides import Side


class Obstacle(StrEnum):
    """The obstacle; every member has its sentence in every language's `laws.toml`."""

    BOARD_OVER = "board_over"
    NO_PLAYERS = "no_players"
    """A player was named by number in a game of colours."""
    NAME_PLAYER = "name_player"
    """No player, or one too many, was named in a game of `count` players."""
    MOVER_UNKNOWN = "mover_unknown"
    OWES_LESS = "owes_less"
    """`side` owes no more than `count` coins."""
    WAIVE_ALL = "waive_all"
    """The book waives all of the `count` coins that `side` owes, or none."""
    TOO_MANY_POINTS = "too_many_points"
    """No board gives more than `count` points."""
    OFF_LESS = "off_less"
    """No more than `count` coins of the colour `coin` are off the board."""
    HAS_LESS = "has_less"
    """`side` has no more than `count` coins of the colour `coin`."""
    QUEEN_LIES = "queen_lies"
    TOO_MANY_TO_CONCEDE = "too_many_to_concede"
    NOT_MOST = "not_most"
    """`side` would have `count` points, and another player as many or more."""
    WON_UNKNOWN = "won_unknown"


@dataclass(frozen=True, slots=True)
class Objection:
    """One reason, with the values for its sentence."""

    why: Obstacle
    side: str | None = None
    """Colour, or player of a collecting game (`P2`)."""
    coin: Side | None = None
    count: int = 0
