"""Translates the explanation of a census into table terms: which piece lies where now, and which are missing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models.board import BoardModel
from models.pieces import Kind, Piece
from referee.board_state.occupancy import RestingPiece
from referee.outcome.first_contact import Contact
from referee.outcome.readings import Claim, Explanation, Extra, How, PieceFate
from referee.outcome.stroke_in_progress import Play
from referee.pieces.disc import Disc
from referee.striker.baseline_search import StrikerSighting
from referee.striker.placement_rules import between_lines
from referee.strokes.weak_stroke import STAY_LEAST_MM

OPEN_LEAST = 0.05
"""Greatest weight of the readings with a hidden or unseen piece at which a stroke is still reported without waiting."""


@dataclass(frozen=True, slots=True, eq=False)
class Recount:
    """A census matched with the pieces that have left their places."""

    explanation: Explanation
    lying: Sequence[RestingPiece]
    """The known pieces before the census, to which `Sought.lay` refers."""
    found: Sequence[tuple[Kind, Disc]]
    """The discs to which `Claim.disc` refers."""
    uncovered: Sequence[Piece] = ()
    """Detected pieces that had been covered since before the stroke."""

    @property
    def missing(self) -> tuple[Claim, ...]:
        """Returns the claims of the pieces that match no detected disc."""
        return tuple(m for m in self.explanation.call.claims if m.how not in (How.FOUND, How.COVERED))

    @property
    def hidden(self) -> bool:
        """Tells whether a hand may hide a piece."""
        return self.explanation.hidden > OPEN_LEAST

    @property
    def lost(self) -> bool:
        """Tells whether a piece may have left unseen or be overlooked: noise may hide a pale one."""
        return self.explanation.unseen > OPEN_LEAST

    def unknown(self) -> tuple[Contact, ...]:
        """Returns the time (s) at which each coin fell that was not known to lie on the board, and the coin."""
        return tuple((m.t, m.piece) for m in self.missing if m.sought is None and m.t is not None)

    def left(self) -> Iterator[RestingPiece]:
        """Yields the known pieces that no longer lie at their places: not those that a hand still covers there."""
        for m in self.explanation.call.claims:
            if m.sought is not None and m.sought.lay is not None and m.how is not How.COVERED:
                yield self.lying[m.sought.lay]

    def moved(self) -> Iterator[tuple[RestingPiece, Disc]]:
        """Yields the known pieces found elsewhere, each with its disc."""
        for m in self.explanation.call.claims:
            if m.disc is not None and m.sought is not None and m.sought.lay is not None:
                yield self.lying[m.sought.lay], self.found[m.disc][1]

    def is_none(self, flew: bool, stands: bool) -> bool:
        """Tells whether there was no stroke: nothing has left, and nothing `flew` or the striker `stands` where it
        stood.

        Then a hand was mistaken for a striker, and its patches for coins.
        """
        fell = any(m.fate is PieceFate.FELL or m.kind is not Kind.STRIKER for m in self.missing)
        return not fell and (stands or not flew)

    def flew(self, play: Play) -> bool:
        """Tells whether any piece lies elsewhere that cannot have been carried there unseen."""
        return any(((m.lies or m.disc is not None) and play.led_to(m.piece.x_mm, m.piece.y_mm))
                   or (m.disc is not None and (m.kind is not Kind.STRIKER or self.found[m.disc][0] is Kind.STRIKER))
                   for m in self.explanation.call.claims)  # fmt: skip

    def is_striker_unmoved(self, board: BoardModel, stood: StrikerSighting | None) -> bool:
        """Tells whether the striker lies where it `stood`, so that the apparent flight was the leaving hand.

        If it was not seen to stand, tells whether it lies between base lines, where a hand may just have placed it.
        """
        lying = [(d.x, d.y) for k, d in self.found if k is Kind.STRIKER]
        lying += [m.piece.place for m in self.missing if m.lies and m.kind is Kind.STRIKER]
        if stood is None:
            return any(between_lines(board, *at) for at in lying)
        return any(math.dist(at, (stood.x, stood.y)) < STAY_LEAST_MM for at in lying)

    def extra(self, *what: Extra) -> list[Piece]:
        """Returns the discs that match no known piece and are likeliest one of these."""
        used = {m.disc for m in self.explanation.call.claims}
        return [Piece(kind, disc.x, disc.y) for j, (kind, disc) in enumerate(self.found)
                if j not in used and self.explanation.extras[j] in what]  # fmt: skip

    def arrived(self) -> list[Piece]:
        """Returns the moved and new pieces at their present places."""
        claims = self.explanation.call.claims
        matched, lying = [m.piece for m in claims if m.disc is not None], (m.piece for m in claims if m.lies)
        return [*matched, *self.uncovered, *self.extra(Extra.OVERLOOKED, Extra.PUT_BACK), *lying]
