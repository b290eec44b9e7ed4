"""Translates the explanation of a census into table terms: which piece lies where now, and the fate of the others."""

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
"""Greatest weight of the readings with a hidden or unseen piece at which a stroke is still reported without waiting."""


@dataclass(frozen=True, slots=True, eq=False)
class Recount:
    """A census matched with the pieces that have left their places."""

    gone: list[RestingPiece]
    moved: list[tuple[Piece, Track | None]]
    """The sought pieces with their tracks: those of `gone`, in order, and last a striker that was never known to lie
    anywhere.
    """
    found: list[tuple[Kind, Disc]]
    pairs: list[tuple[int, int]]
    """Matches, as pairs of indices into `moved` and `found`."""
    overlooked: list[Piece]
    """Detected pieces that were unknown before."""
    missing: list[Missing]
    """Fates of the pieces that match no detected disc."""
    left: tuple[RestingPiece, ...] = ()
    """The pieces of `gone` that no longer lie at their places: all but those that a hand still covers there."""
    confidence: float = 1.0
    """Probability that exactly the reported pieces left the board."""
    other: tuple[tuple[Missing, ...], float] | None = None
    """The second likeliest fate of the pieces, and its probability."""
    hides: float = 0.0
    """Weight of the readings in which a hand hides a piece, 0 to 1."""
    unseen: float = 0.0
    """Weight of the readings in which no observation shows where a piece is, 0 to 1."""

    @property
    def hidden(self) -> bool:
        """Tells whether a hand may hide a piece."""
        return self.hides > OPEN_LEAST

    @property
    def lost(self) -> bool:
        """Tells whether a piece may have left unseen or be overlooked: noise may hide a pale one."""
        return self.unseen > OPEN_LEAST

    def is_none(self, flew: bool, stands: bool) -> bool:
        """Tells whether there was no stroke: nothing has left, and nothing `flew` or the striker `stands` where it
        stood.

        Then a hand was mistaken for a striker, and its patches for coins.
        """
        fell = any(m.fate is CensusFate.POCKETED or m.piece.kind is not Kind.STRIKER for m in self.missing)
        return not fell and (stands or not flew)

    def flew(self, play: Play) -> bool:
        """Tells whether any piece lies elsewhere that cannot have been carried there unseen."""
        if any(m.fate is CensusFate.LIES and play.led_to(m.piece.x_mm, m.piece.y_mm) for m in self.missing):
            return True
        return any(self.moved[i][0].kind is not Kind.STRIKER or self.found[j][0] is Kind.STRIKER
                   or play.led_to(self.found[j][1].x, self.found[j][1].y) for i, j in self.pairs)  # fmt: skip

    def stands(self, board: BoardModel, stood: StrikerSighting | None) -> bool:
        """Tells whether the striker lies where it `stood`, so that the apparent flight was the leaving hand.

        If it was not seen to stand, tells whether it lies between base lines, where a hand may just have placed it.
        """
        lying = [(d.x, d.y) for k, d in self.found if k is Kind.STRIKER]
        lying += [(m.piece.x_mm, m.piece.y_mm) for m in self.missing
                  if m.fate is CensusFate.LIES and m.piece.kind is Kind.STRIKER]  # fmt: skip
        if stood is None:
            return any(between_lines(board, *at) for at in lying)
        return any(math.dist(at, (stood.x, stood.y)) < STAY_LEAST_MM for at in lying)

    def arrived(self) -> list[Piece]:
        """Returns the moved and new pieces at their present places."""
        new = [replace(self.moved[i][0], x_mm=self.found[j][1].x, y_mm=self.found[j][1].y) for i, j in self.pairs]
        return new + self.overlooked + [m.piece for m in self.missing if m.fate is CensusFate.LIES]


def missing_of(claims: Sequence[Claim], profile: Profile, t: float) -> list[Missing]:
    """Returns the fates of the claimed pieces that match no detected disc, at a census of time t."""
    return [_missing(m, profile, t) for m in claims if m.how not in (How.FOUND, How.COVERED)]


def _missing(m: Claim, profile: Profile, t: float) -> Missing:
    seen = m.how is not How.UNSEEN
    if m.sought is None:
        # The place of a previously unknown coin is unknown.
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
"""Reported fate of a piece that matches no detected disc and neither fell nor left the board."""
