"""Settled boards for restoring: which of them the game itself led to, and which a disturbance left behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from math import hypot
from typing import Any

BOARDS_SHOWN = 20
"""Number of boards to choose from."""
ALIKE_MM = 3.0
"""Distance between two measurements below which a piece has not been moved, mm."""
EXPLAINS = frozenset({"header", "stroke", "formation", "returned", "running"})
"""Types of lines that explain a changed board."""

Layout = dict[str, Any]
Pieces = list[Mapping[str, Any]]


def layouts_of(lines: Iterable[Mapping[str, Any]], annulled: Collection[int]) -> list[Layout]:
    """Returns the last settled boards, newest first: `t`, `pieces`, `stroke` (the last one before) and `certified`.

    Certified boards follow a stroke, a coin put back by hand, or the formation. Not certified are a changed board
    without any of these, as after a knock, and one left by an annulled stroke (`annulled`).
    """
    found: list[Layout] = []
    stroke, explained, certain = 0, True, None
    for line in lines:
        explained = explained or line["type"] in EXPLAINS
        stroke = line["n"] if line["type"] == "stroke" else stroke
        if line["type"] not in ("table", "formation"):
            continue
        pieces: Pieces = line["pieces"]
        certified = stroke not in annulled and (explained or (certain is not None and lie_alike(certain, pieces)))
        found.append({"t": line["t"], "pieces": pieces, "stroke": stroke, "certified": certified})
        if certified:
            certain, explained = pieces, False
    return found[: -BOARDS_SHOWN - 1 : -1]


def lie_alike(some: Pieces, others: Pieces) -> bool:
    """Tells whether the same coins lie at the same places."""
    kinds = [Counter(piece["kind"] for piece in pieces if piece["kind"] != "striker") for pieces in (some, others)]
    return kinds[0] == kinds[1] and all(
        any(_apart(piece, other) < ALIKE_MM for other in others if other["kind"] == piece["kind"])
        for piece in some
        if piece["kind"] != "striker"
    )


def _apart(piece: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    return hypot(piece["x_mm"] - other["x_mm"], piece["y_mm"] - other["y_mm"])
