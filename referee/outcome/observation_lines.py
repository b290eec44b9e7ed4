"""Writes observations as lines of JSON and reads them back; places are rounded to 0.01 mm."""

from __future__ import annotations

import json
from typing import Any

from models.pieces import Kind, Piece, Pocket
from referee.board_state.occupancy import Presence
from referee.outcome.cells import Cells
from referee.outcome.observation import (
    Detection,
    HandSeen,
    Observation,
    ObservedColours,
    ObservedRim,
    ObservedTable,
    Place,
    Remembered,
    Sighted,
    Unlike,
)

VERSION = 1


class ObservationError(ValueError):
    """Raised for a line that is no valid observation; the message is one sentence with the cause and the remedy."""


def to_line(o: Observation, **more: Any) -> str:
    """Returns one line of JSON without a line break; `more` adds fields, which reading ignores."""
    return json.dumps({"observation": VERSION, **more, **_observation(o)}, separators=(",", ":"))


def from_line(line: str) -> Observation:
    """Returns the observation in a line; raises ObservationError."""
    try:
        d = json.loads(line)
    except json.JSONDecodeError as e:
        raise ObservationError(f"not a line of JSON ({e}); give a file that the referee recorded") from None
    return from_dict(d)


def from_dict(d: dict[str, Any]) -> Observation:
    """Returns the observation in a decoded line; raises ObservationError."""
    if not isinstance(d, dict) or d.get("observation") != VERSION:
        raise ObservationError(f"no observation of version {VERSION}; record it again with this program")
    try:
        return _read(d)
    except (KeyError, TypeError, ValueError, IndexError) as e:
        raise ObservationError(f"a damaged observation ({type(e).__name__}: {e}); record it again") from None


def _observation(o: Observation) -> dict[str, Any]:
    t = o.table
    return {
        "table": {
            "half": round(t.half, 2), "coin_radius": round(t.coin_radius, 3),
            "striker_radius": round(t.striker_radius, 3),
            "pockets": {p: [_mm(rim.centre), round(rim.radius, 2)] for p, rim in t.pockets.items()},
            "full_set": dict(t.full_set), "out": dict(t.out),
        },
        "t": o.t, "t_strike": o.t_strike, "t_rest": o.t_rest, "stood": _mm(o.stood),
        "lay": [{"kind": r.piece.kind, "at": _mm((r.piece.x_mm, r.piece.y_mm)), "presence": r.presence.value,
                 "seen": r.seen, "seen_bare": r.seen_bare, "track": r.track} for r in o.lay],
        "striker": o.striker,
        "found": [_detection(d) for d in o.found], "weak": [_detection(d) for d in o.weak],
        "tracks": [_sighted(k) for k in o.tracks],
        "hidden": _cells(o.hidden),
        "hands": [{"t": h.t, "arms": _cells(h.arms)} for h in o.hands],
        "net_falls": [[t, p] for t, p in o.net_falls], "disturbed": o.disturbed, "stranger": o.stranger,
    }  # fmt: skip


def _detection(d: Detection) -> dict[str, Any]:
    return {"kind": d.kind, "at": _mm(d.place), "evidence": round(d.evidence, 3), "unlike": _unlike(d.unlike)}


def _sighted(k: Sighted) -> dict[str, Any]:
    shown = k.shown and {"unlike": _unlike(k.shown.unlike), "bare_unlike": _unlike(k.shown.bare_unlike),
                         "hides": round(k.shown.hides, 3), "rim_hides": round(k.shown.rim_hides, 3)}  # fmt: skip
    return {"number": k.number, "kind": k.kind, "home": _mm(k.home), "times": list(k.times),
            "places": [_mm(p) for p in k.places], "unlike": _unlike(k.unlike),
            "end_unlike": _unlike(k.end_unlike), "live": k.live, "shown": shown}  # fmt: skip


def _cells(c: Cells) -> list[Any]:
    return [round(c.half_mm, 2), c.side, c.packed.hex()]


def _mm(place: Place | None) -> list[float] | None:
    return None if place is None else [round(place[0], 2), round(place[1], 2)]


def _unlike(u: Unlike) -> dict[str, float]:
    return {kind: round(d, 2) for kind, d in u.items()}


def _read(d: dict[str, Any]) -> Observation:
    t = d["table"]
    table = ObservedTable(t["half"], t["coin_radius"], t["striker_radius"],
                  {Pocket(p): ObservedRim((x, y), r) for p, ((x, y), r) in t["pockets"].items()},
                  _read_counts(t["full_set"]), _read_counts(t["out"]))  # fmt: skip
    return Observation(
        table, d["t"], d["t_strike"], d["t_rest"], _place(d["stood"]),
        tuple(Remembered(Piece(Kind(r["kind"]), *r["at"]), Presence(r["presence"]), r["seen"], r["seen_bare"],
                         r["track"]) for r in d["lay"]),
        d["striker"], tuple(map(_read_detection, d["found"])), tuple(map(_read_detection, d["weak"])),
        tuple(map(_read_sighted, d["tracks"])), _read_cells(d["hidden"]),
        tuple(HandSeen(h["t"], _read_cells(h["arms"])) for h in d["hands"]),
        tuple((at, Pocket(p)) for at, p in d["net_falls"]), d["disturbed"], d.get("stranger", False),
    )  # fmt: skip


def _read_detection(d: dict[str, Any]) -> Detection:
    x, y = d["at"]
    return Detection(Kind(d["kind"]), x, y, d["evidence"], _read_unlike(d["unlike"]))


def _read_sighted(d: dict[str, Any]) -> Sighted:
    s = d["shown"]
    shown = s and ObservedColours(_read_unlike(s["unlike"]), _read_unlike(s["bare_unlike"]), s["hides"], s["rim_hides"])
    return Sighted(d["number"], None if d["kind"] is None else Kind(d["kind"]), _place(d["home"]),
                   tuple(d["times"]), tuple((x, y) for x, y in d["places"]), _read_unlike(d["unlike"]),
                   _read_unlike(d["end_unlike"]), d["live"], shown)  # fmt: skip


def _read_cells(d: list[Any]) -> Cells:
    return Cells(d[0], d[1], bytes.fromhex(d[2]))


def _place(d: list[float] | None) -> Place | None:
    return None if d is None else (d[0], d[1])


def _read_counts(d: dict[str, int]) -> dict[Kind, int]:
    return {Kind(k): n for k, n in d.items()}


def _read_unlike(d: dict[str, float]) -> Unlike:
    return {Kind(k): v for k, v in d.items()}
