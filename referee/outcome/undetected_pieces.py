"""Faint coins: those that never left the place where they lay, on board that has not been seen bare.

At a break all coins seem to leave. Where one stayed, the search may find it too faint to be believed on board of which
nothing is known; but if one of its kind is missing that nobody saw go or fall, that is it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from models.pieces import Kind, Piece
from referee.outcome.fates import FATE_UNSEEN, SAME_PLACE_MM, CensusFate, Missing
from referee.outcome.missing_pieces import STAYS_UNSEEN
from referee.pieces.disc_fit import Disc

Discs = Sequence[tuple[Kind, Disc]]


def faint_on(places: Sequence[Piece], discs: Discs) -> list[tuple[Kind, Disc]]:
    """Those of the discs that lie where a piece of their kind lay."""
    at = [(p.kind, (p.x_mm, p.y_mm)) for p in places]
    return [(kind, d) for kind, d in discs
            if any(k is kind and math.dist(place, (d.x, d.y)) < SAME_PLACE_MM for k, place in at)]  # fmt: skip


def never_left(missing: Sequence[Missing], faint: Discs) -> list[Missing]:
    """What became of the missing pieces, those that nobody saw go or fall being the faint discs of their kind."""
    left, out = list(faint), []
    for m in missing:
        unseen = m.fate is CensusFate.POCKETED and m.pocket is None and m.confidence <= FATE_UNSEEN
        here = next((each for each in left if unseen and each[0] is m.piece.kind), None)
        if here is not None:
            left.remove(here)
            lies = replace(m.piece, x_mm=here[1].x, y_mm=here[1].y)
            m = replace(m, piece=lies, fate=CensusFate.LIES, confidence=STAYS_UNSEEN)
        out.append(m)
    return out
