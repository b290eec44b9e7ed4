"""Lowers the confidence of strokes that may involve the queen when the camera gives no colour.

Without colour only brightness distinguishes the queen from a coin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from models.pieces import COINS, Kind, Piece
from referee.facts import Fact, Stroke

QUEEN_SURE = 0.5
"""Greatest confidence of a stroke that may have pocketed the queen, where only brightness distinguishes her."""


def in_doubt_of_queen(fact: Fact, lying: Sequence[Piece]) -> Fact:
    """Returns a fact with the confidence that a camera without colour allows; `lying` are the pieces left on the table.

    A stroke is doubtful if it removed the queen, or any coin while the queen still lay on the table: that coin may
    be the queen.
    """
    if not isinstance(fact, Stroke):
        return fact
    gone = {*(p.kind for p in fact.pocketed), *(o.kind for o in fact.off_board)}
    was_there = Kind.QUEEN in gone or any(p.kind is Kind.QUEEN for p in lying)
    if not (was_there and gone & set(COINS)):
        return fact
    return replace(fact, confidence=min(fact.confidence, QUEEN_SURE))
