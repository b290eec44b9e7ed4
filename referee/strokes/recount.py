"""The recount: an explanation put in terms of the table: which piece lies where now, and what became of the others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from calibration.profile import Profile
from models.board import BoardModel
from models.pieces import Kind, Piece
from referee.board_state.occupancy import RestingPiece
from referee.outcome.explanation import Claim, How, PieceFate
from referee.outcome.fates import CensusFate, Missing, with_likely_pocket
from referee.outcome.stroke_in_progress import Play
from referee.pieces.disc_fit import Disc
from referee.striker.baseline_search import StrikerSighting
from referee.striker.placement_rules import between_lines
from referee.strokes.weak_stroke import STAY_LEAST_MM
from referee.tracking.tracker import Track

OPEN_LEAST = 0.05
"""A call is left open while a piece is hidden, or told by nothing seen, in readings of so much weight."""


@dataclass(frozen=True, slots=True, eq=False)
class Recount:
    """A census held against the pieces that have left their places."""

    gone: list[RestingPiece]
    moved: list[tuple[Piece, Track | None]]
    """What is sought: the pieces gone, in their order, and last the striker if it was never known to lie anywhere."""
    found: list[tuple[Kind, Disc]]
    pairs: list[tuple[int, int]]
    """Which of `moved` is which of `found`."""
    overlooked: list[Piece]
    """Found pieces that nobody knew of before."""
    missing: list[Missing]
    """What became of the others."""
    confidence: float = 1.0
    """Probability that just those left the board that are said to have."""
    other: tuple[tuple[Missing, ...], float] | None = None
    """What else may have become of the pieces, with how likely that is."""
    hides: float = 0.0
    """Share of the readings in which a hand hides a piece."""
    unseen: float = 0.0
    """Share of those in which nothing that was seen tells where one is."""

    @property
    def hidden(self) -> bool:
        """Whether a piece may lie where nobody can see."""
        return self.hides > OPEN_LEAST

    @property
    def lost(self) -> bool:
        """Whether a piece may have gone unseen, or be overlooked: a pale one may be in a frame's noise."""
        return self.unseen > OPEN_LEAST

    def is_none(self, flew: bool, stands: bool) -> bool:
        """Whether it was no stroke: nothing has gone, and nothing `flew` or the striker `stands` where it stood.

        A hand's shape was taken for a striker, its patches for coins that lie where they lay.
        """
        fell = any(m.fate is CensusFate.POCKETED or m.piece.kind is not Kind.STRIKER for m in self.missing)
        return not fell and (stands or not flew)

    def flew(self, play: Play) -> bool:
        """Whether anything is found elsewhere that cannot have been carried there unseen."""
        if any(m.fate is CensusFate.LIES and play.led_to(m.piece.x_mm, m.piece.y_mm) for m in self.missing):
            return True
        return any(self.moved[i][0].kind is not Kind.STRIKER or self.found[j][0] is Kind.STRIKER
                   or play.led_to(self.found[j][1].x, self.found[j][1].y) for i, j in self.pairs)  # fmt: skip

    def stands(self, board: BoardModel, stood: StrikerSighting | None) -> bool:
        """Whether the striker lies where it `stood`, what seemed to fly being the hand that left it; where it was not
        seen to stand, whether it lies where a hand may just have placed it.
        """
        lying = [(d.x, d.y) for k, d in self.found if k is Kind.STRIKER]
        lying += [(m.piece.x_mm, m.piece.y_mm) for m in self.missing
                  if m.fate is CensusFate.LIES and m.piece.kind is Kind.STRIKER]  # fmt: skip
        if stood is None:
            return any(between_lines(board, *at) for at in lying)
        return any(math.dist(at, (stood.x, stood.y)) < STAY_LEAST_MM for at in lying)

    def arrived(self) -> list[Piece]:
        """The pieces where they lie now."""
        new = [replace(self.moved[i][0], x_mm=self.found[j][1].x, y_mm=self.found[j][1].y) for i, j in self.pairs]
        return new + self.overlooked + [m.piece for m in self.missing if m.fate is CensusFate.LIES]


def missing_of(claims: Sequence[Claim], profile: Profile, t: float) -> list[Missing]:
    """What became of the pieces that are no disc found, at a census of time t."""
    return [_missing(m, profile, t) for m in claims if m.how is not How.FOUND]


def _missing(m: Claim, profile: Profile, t: float) -> Missing:
    seen = m.how is not How.UNSEEN
    if m.sought is None:
        # A coin that nobody knew of lay anywhere.
        return Missing(Piece(m.kind, 0.0, 0.0), _fate(m), m.pocket, m.t or t, seen)
    piece = m.sought.piece if m.at is None else replace(m.sought.piece, x_mm=m.at[0], y_mm=m.at[1])
    missing = Missing(piece, _fate(m), m.pocket, m.t or t, seen)
    last = m.sought.track.place if m.sought.track is not None else (piece.x_mm, piece.y_mm)
    return with_likely_pocket(profile, missing, [last])


def _fate(m: Claim) -> CensusFate:
    if m.fate is PieceFate.FELL:
        return CensusFate.POCKETED
    if m.fate is PieceFate.OFF:
        return CensusFate.OFF_BOARD
    return BY_HOW[m.how]


BY_HOW = {How.RESTS: CensusFate.LIES, How.FAINT: CensusFate.LIES, How.HIDDEN: CensusFate.HIDDEN,
          How.TAKEN: CensusFate.TAKEN, How.UNSEEN: CensusFate.UNKNOWN}  # fmt: skip
"""What is told of a piece on the board that is no disc found."""
