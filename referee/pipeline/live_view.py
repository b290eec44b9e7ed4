"""Builds the message for the pages' live board: pieces, hands and the striker being placed, in board millimetres."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.pieces import Kind
from models.rules import Book
from referee.foreground.segmentation import Blob
from referee.laws.observed import standing
from referee.replay.track_collector import outlines
from referee.seeing import Seeing
from referee.striker.placement_rules import judge_placement
from referee.striker.placement_tracker import sighting_sigma
from referee.strokes.stroke_machine import Phase

SLIDING = frozenset({Phase.MOVING, Phase.SETTLING})
"""Phases in which loose blobs are drawn as discs; in others they are glints and fingertips."""
SLIDING_SIGMA_MM = 2.5
"""Standard deviation (mm) of a sliding disc in the live view: one step of the lattice on which it is detected."""
LIVE_STANDS_S = 0.35
"""Greatest age, in seconds, of the last detection of a striker that counts as placed; it is searched for every 70
ms."""
PLACING = frozenset({Phase.WAITING, Phase.HAND})

Live = dict[str, Any]


def live(seeing: Seeing, t: float, rules: Book) -> Live:
    """Returns the live message for the link.

    It holds the phase, pieces at rest and sliding, outlines of hands, and the striker being placed.
    """
    moment, half = seeing.moment, seeing.profile.board.half
    sigma = max(seeing.profile.residuals.rms_mm, sighting_sigma())
    pieces = [_piece(p.kind, p.x_mm, p.y_mm, sigma) for p in seeing.watch.table.pieces()]
    hands: list[list[list[int]]] = []
    if moment is not None:
        free = [b for b in moment.scene.blobs if max(abs(b.x), abs(b.y)) < half] if seeing.phase in SLIDING else []
        pieces += [_piece(_likeliest(b, seeing), b.x, b.y, SLIDING_SIGMA_MM) for b in free]
        hands = [h.tolist() for h in outlines(moment.scene.hand, seeing.watch.background.lattice)]
    placement = _placement(seeing, t, rules)
    if placement and not any(p["kind"] == Kind.STRIKER for p in pieces):
        pieces.append(_piece(Kind.STRIKER, placement["x_mm"], placement["y_mm"], placement["sigma_mm"]))
    phase = "placed" if placement else seeing.phase.value
    return {"type": "live", "t": round(t, 3), "phase": phase, "pieces": pieces, "hands": hands, "placement": placement}


def _placement(seeing: Seeing, t: float, rules: Book) -> dict[str, Any] | None:
    """Returns the present placement of the striker by the match's rule book.

    It is None if the striker was not just detected on its lines.
    """
    sightings, profile = seeing.watch.striker.sightings, seeing.watch.profile
    if seeing.phase not in PLACING or not sightings or sightings[-1].until < t - LIVE_STANDS_S:
        return None
    s = sightings[-1]
    sigma = sighting_sigma(s.sigma)
    place = standing(judge_placement(profile, s.seat, s.x, s.y, profile.board.striker_radius, sigma), rules)
    if place is None:
        return None
    return {
        "seat": s.seat.value,
        "x_mm": round(s.x, 1),
        "y_mm": round(s.y, 1),
        "legal": place.legal,
        "limit": place.limit.value,
        "margin_mm": round(place.margin_mm, 2),
        "sigma_mm": round(sigma, 2),
    }


def _piece(kind: Kind, x: float, y: float, sigma: float) -> dict[str, Any]:
    place = {"x_mm": round(float(x), 1), "y_mm": round(float(y), 1)}
    return {"kind": kind.value, "sigma_mm": round(sigma, 2)} | place


def _likeliest(blob: Blob, seeing: Seeing) -> Kind:
    """Returns the kind whose colour is nearest to that of a sliding disc.

    The disc is blurred, so this is for drawing only.
    """
    off = {kind: float(np.linalg.norm(np.subtract(blob.tint, c.mean))) for kind, c in seeing.profile.colours.items()}
    return min(off, key=off.__getitem__, default=Kind.STRIKER)
