"""Converts tracks to plain lists for JSON, as a player draws them: each disc with its path."""

from __future__ import annotations

from typing import Any

import numpy as np

from referee.replay.interpolate import detections_by_track
from referee.replay.tracks import TRACKS_LETTERS, TRACKS_SURE_MM, Tracks

KIND_OF = {letter: kind.value for kind, letter in TRACKS_LETTERS.items()}
TRACK_JSON_TIME_DIGITS, TRACK_JSON_MM_DIGITS = 4, 1


def tracks_document(tracks: Tracks) -> dict[str, Any]:
    """Returns the tracks as a JSON document; times in seconds on the log's clock, places in board millimetres.

    `lying`: pieces at rest from `t` on, `[kind, x, y]` each, until the next entry. `discs`: moving discs, each with the
    times and places at which it was measured, and whether each is `sure`; between two a disc is on the straight line,
    and over a gap of more than 0.045 s it was not detected. `striker`: its places before the strike, `[t, x, y]` each.
    `hands`: outlines `[x, y]` of hands at `t`; the hands have gone if no other entry follows within 0.15 s.
    """
    return {
        "span": [round(float(t), TRACK_JSON_TIME_DIGITS) for t in tracks.span],
        "lying": [{"t": round(float(t), TRACK_JSON_TIME_DIGITS), "pieces": _pieces(tracks, i)}
                  for i, t in enumerate(tracks.changes)],
        "discs": [_disc(rows) for rows in detections_by_track(tracks)],
        "striker": [[round(float(s["t"]), TRACK_JSON_TIME_DIGITS), _mm(s["x"]), _mm(s["y"])] for s in tracks.placed],
        "hands": _hands(tracks),
    }  # fmt: skip


def _pieces(tracks: Tracks, change: int) -> list[list[Any]]:
    rows = tracks.lying[tracks.lying["change"] == change]
    return [[KIND_OF.get(r["kind"]), _mm(r["x"]), _mm(r["y"])] for r in rows]


def _disc(rows: Any) -> dict[str, Any]:
    times = np.round(rows["t"], TRACK_JSON_TIME_DIGITS).tolist()
    return {"kind": KIND_OF.get(bytes(rows["kind"][0])), "t": times,
            "x": [_mm(x) for x in rows["x"]], "y": [_mm(y) for y in rows["y"]],
            "sure": (rows["sigma"] <= TRACKS_SURE_MM).tolist()}  # fmt: skip


def _hands(tracks: Tracks) -> list[dict[str, Any]]:
    """Returns the outlines grouped by time."""
    by_time: dict[float, dict[int, list[list[int]]]] = {}
    for row in tracks.hands:
        outlines = by_time.setdefault(round(float(row["t"]), TRACK_JSON_TIME_DIGITS), {})
        outlines.setdefault(int(row["outline"]), []).append([int(row["x"]), int(row["y"])])
    return [{"t": t, "outlines": list(outlines.values())} for t, outlines in by_time.items()]


def _mm(value: Any) -> float:
    return round(float(value), TRACK_JSON_MM_DIGITS)
