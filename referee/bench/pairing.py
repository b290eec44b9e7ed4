"""Matches logged strokes to true ones by time, and detected pieces to true ones by place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models.pieces import Piece
from referee.bench.truth import TruePlay
from referee.facts import Stroke
from referee.tracking.assignment import assigned

STROKE_WINDOW_S = 0.35
"""Greatest time between a logged strike and the true one, s."""
PAIRING_SAME_DISC_MM = 12.0
"""Greatest distance between a detected piece and the true one, mm."""


@dataclass(frozen=True, slots=True)
class StrokePairs:
    """True and logged strokes, matched."""

    pairs: tuple[tuple[TruePlay, Stroke], ...]
    missed: tuple[TruePlay, ...]
    spare: tuple[Stroke, ...]
    """Logged strokes without a true one."""


def pair_strokes(true: Sequence[TruePlay], logged: Sequence[Stroke]) -> StrokePairs:
    """Matches true to logged strokes by least total time difference."""
    if not true or not logged:
        return StrokePairs((), tuple(true), tuple(logged))
    apart = np.abs(np.subtract.outer([s.t_strike for s in true], [s.t_strike for s in logged]))
    rows, columns = assigned(np.minimum(apart, 10 * STROKE_WINDOW_S))
    near = [(r, c) for r, c in zip(rows, columns, strict=True) if apart[r, c] <= STROKE_WINDOW_S]
    taken, used = {r for r, _ in near}, {c for _, c in near}
    return StrokePairs(
        tuple((true[r], logged[c]) for r, c in near),
        tuple(s for i, s in enumerate(true) if i not in taken),
        tuple(s for i, s in enumerate(logged) if i not in used),
    )


@dataclass(frozen=True, slots=True)
class PiecePairs:
    """True and detected pieces, matched."""

    pairs: tuple[tuple[Piece, Piece], ...]
    """True pieces and those detected there."""
    missed: int
    invented: int


def pair_pieces(true: Sequence[Piece], detected: Sequence[Piece]) -> PiecePairs:
    """Matches true to detected pieces by least total distance, whatever their kinds."""
    if not true or not detected:
        return PiecePairs((), len(true), len(detected))
    a, b = (np.array([(p.x_mm, p.y_mm) for p in pieces]) for pieces in (true, detected))
    apart = np.hypot(*(a[:, None] - b[None]).transpose(2, 0, 1))
    rows, columns = assigned(np.minimum(apart, 4 * PAIRING_SAME_DISC_MM))
    near = [(r, c) for r, c in zip(rows, columns, strict=True) if apart[r, c] <= PAIRING_SAME_DISC_MM]
    pairs = tuple((true[r], detected[c]) for r, c in near)
    return PiecePairs(pairs, len(true) - len(pairs), len(detected) - len(pairs))
