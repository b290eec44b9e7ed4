"""What became of the pieces of a stroke: claims of single pieces, and the readings that they make up.

A reading says which pieces left the board. Its weight is its share of the weights of all readings.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from models.pieces import Kind, Piece, Pocket
from referee.outcome.evidence import Sought
from referee.tracking.tracker import Place


class PieceFate(Enum):
    """The fate of a piece."""

    BOARD = "board"
    FELL = "fell"
    OFF = "off"


class How(Enum):
    """The evidence from which a piece's fate is inferred."""

    FOUND = "found"
    SEEN = "seen"
    """The end of a track."""
    RESTS = "rests"
    """Its own track at rest where no disc is found."""
    UNSEEN = "unseen"
    HIDDEN = "hidden"
    COVERED = "covered"
    """No evidence: a hand has covered its place since before the rest."""
    TAKEN = "taken"


class Extra(Enum):
    """What a disc is that is no missing piece."""

    OVERLOOKED = "overlooked"
    """A coin that the board state lacked."""
    PUT_BACK = "put_back"
    """A coin that a hand put down after the rest."""
    NO_PIECE = "no_piece"
    """A print or a shade."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The inferred fate of one piece."""

    sought: Sought | None
    """None for an unknown coin."""
    kind: Kind
    fate: PieceFate
    how: How
    at: Place | None = None
    """Its place on the board, mm."""
    pocket: Pocket | None = None
    t: float | None = None
    """Time when it fell or left, s, if a track or net showed that."""
    disc: int | None = None
    """Index of its disc in `Observation.found`."""

    @property
    def piece(self) -> Piece:
        """Returns the piece where it lies, or else where it lay; an unknown coin's place is not known."""
        if self.sought is None:
            return Piece(self.kind, 0.0, 0.0)
        return self.sought.piece if self.at is None else Piece(self.kind, *self.at)

    @property
    def left(self) -> bool:
        """Tells whether the piece left the board."""
        return self.fate is not PieceFate.BOARD

    @property
    def lies(self) -> bool:
        """Tells whether the piece lies on the board though the search finds no clear disc there."""
        return self.how is How.RESTS


@dataclass(frozen=True, slots=True)
class Left:
    """The kinds of the pieces that left the board, each tuple sorted."""

    pocketed: tuple[Kind, ...]
    off_board: tuple[Kind, ...]

    @classmethod
    def of(cls, pocketed: Iterable[Kind], off_board: Iterable[Kind]) -> Left:
        """Sorts the kinds, which may come in any order."""
        return cls(tuple(sorted(pocketed)), tuple(sorted(off_board)))


@dataclass(frozen=True, slots=True)
class StrokeReading:
    """One reading of a stroke: which pieces left the board, by the heaviest assignment with that result."""

    left: Left
    weight: float
    """Probability, 0 to 1: its share of the weights of all readings."""
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """All relevant readings of a stroke, the likeliest first."""

    readings: tuple[StrokeReading, ...]
    hidden: float
    """Probability of the readings in which a hand hides a missing piece."""
    unseen: float
    """Probability of the readings in which a missing piece has no detection at all."""
    nets: float
    """Log likelihood ratio, by the call, that the board's nets hold coins in view."""
    extras: tuple[Extra, ...]
    """For each disc found: what it is likeliest if it is no missing piece."""

    @property
    def call(self) -> StrokeReading:
        """Returns the likeliest reading."""
        return self.readings[0]

    @property
    def other(self) -> StrokeReading | None:
        """Returns the second likeliest reading; None if there is one only."""
        return self.readings[1] if len(self.readings) > 1 else None

    def share(self, left: Left) -> float:
        """Returns the probability that exactly these pieces left the board.

        A result that is no reading has half of the probability that the readings leave.
        """
        claim = sum(r.weight for r in self.readings)
        return next((r.weight for r in self.readings if r.left == left), (1.0 - claim) / 2)
