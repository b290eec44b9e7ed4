"""Queen's doubt: where a camera gives no colour, only brightness tells the queen from a coin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from models.pieces import COINS, Kind, Piece
from referee.facts import Seen, Stroke

QUEEN_SURE = 0.5
"""Greatest confidence of a stroke that may have pocketed the queen, where only brightness tells her from others."""


def in_doubt_of_queen(fact: Seen, lying: Sequence[Piece]) -> Seen:
    """A fact as a camera without colour may tell it; `lying` are the pieces on the table after it.

    A stroke is in doubt that took the queen, or any coin while she still lay there: that coin may be she.
    """
    if not isinstance(fact, Stroke):
        return fact
    gone = {*(p.kind for p in fact.pocketed), *(o.kind for o in fact.off_board)}
    was_there = Kind.QUEEN in gone or any(p.kind is Kind.QUEEN for p in lying)
    if not (was_there and gone & set(COINS)):
        return fact
    return replace(fact, confidence=min(fact.confidence, QUEEN_SURE))
