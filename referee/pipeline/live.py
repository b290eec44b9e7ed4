"""What the eyes see this moment, in board millimetres, for the pages' live board."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np

from calibration.lattice import Lattice
from models.pieces import Kind
from referee.detect.hands import Blob
from referee.seeing import Moment, Seeing
from referee.strokes.watch import Phase

OUTLINE_STEPS = 1.2
"""Hands' outlines are drawn to this many lattice steps (3 mm): they are shadows, not measurements."""
LEAST_CORNERS = 3
SLIDING = frozenset({Phase.MOVING, Phase.SETTLING})
"""Phases in which loose discs are drawn; at other times they are glints and fingertips."""

Live = dict[str, Any]


def live(seeing: Seeing, t: float) -> Live:
    """Phase, pieces lying and sliding, and hands' outlines at time `t`, as a message for the link."""
    moment, half = seeing.moment, seeing.profile.board.half
    pieces = [_piece(p.kind, p.x_mm, p.y_mm) for p in seeing.watch.table.pieces()]
    hands: list[list[list[int]]] = []
    if moment is not None:
        free = [b for b in moment.scene.blobs if max(abs(b.x), abs(b.y)) < half] if seeing.phase in SLIDING else []
        pieces += [_piece(_likeliest(b, seeing), b.x, b.y) for b in free]
        hands = list(_hands(moment, seeing.watch.gate.lattice))
    return {"type": "live", "t": round(t, 3), "phase": seeing.phase.value, "pieces": pieces, "hands": hands}


def _piece(kind: Kind, x: float, y: float) -> dict[str, Any]:
    return {"kind": kind.value, "x_mm": round(float(x), 1), "y_mm": round(float(y), 1)}


def _likeliest(blob: Blob, seeing: Seeing) -> Kind:
    """The kind whose look a sliding disc comes nearest to; blurred, so good enough to draw and no more."""
    off = {kind: float(np.linalg.norm(np.subtract(blob.tint, c.mean))) for kind, c in seeing.profile.colours.items()}
    return min(off, key=off.__getitem__, default=Kind.STRIKER)


def _hands(moment: Moment, lattice: Lattice) -> Iterator[list[list[int]]]:
    """Outlines (x, y) mm of hands and arms."""
    for outline in cv2.findContours(moment.scene.hand, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]:
        corners = cv2.approxPolyDP(outline, OUTLINE_STEPS, True).reshape(-1, 2)
        if len(corners) >= LEAST_CORNERS:
            yield np.rint(lattice.to_board(corners)).astype(int).tolist()
