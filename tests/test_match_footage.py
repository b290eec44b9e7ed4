"""The match fed with the truth of the shared clips: its turns are those of the script that played them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from models.pieces import Kind, Piece, Pocket, Seat
from referee.match import Match, Start, ruling_line
from referee.strokes.facts import Formation, Foul, OffBoard, Pocketed, Returned, Stroke, Table

SHARED = os.environ.get("CARROM_SHARED")
pytestmark = pytest.mark.skipif(SHARED is None, reason="CARROM_SHARED is not set: the shared clips are not here")


def facts(truth):
    """What perfect eyes would have reported, in the order of the reports."""
    start = pieces(truth["start"])
    if len(start) == 19:
        yield Formation(0.0, start, Seat(truth["strokes"][0]["seat"]))
    yield Table(0.0, start)
    for n, s in enumerate(truth["strokes"], 1):
        known = {f.value for f in Foul}
        yield Stroke(
            n, Seat(s["seat"]), s["t_placed"], s["t_strike"], s["t_rest"], s["t_rest"] + 0.2, None,
            Kind(s["first_contact"]) if s["first_contact"] else None,
            tuple(Pocketed(Kind(p["kind"]), Pocket(p["pocket"]), p["t"]) for p in s["pocketed"]),
            tuple(OffBoard(Kind(o["kind"]), o["t"]) for o in s["off_board"]),
            tuple(Foul(f) for f in s["fouls"] if f in known and not f.startswith("placement")),
        )  # fmt: skip
        yield Table(s["t_rest"] + 0.2, pieces(s["rest"]))
        for r in s["returned"]:
            yield Returned(r["t"], Kind(r["kind"]), r["x_mm"], r["y_mm"], None)


def pieces(discs):
    return tuple(Piece(Kind(d["kind"]), d["x_mm"], d["y_mm"]) for d in discs
                 if d["kind"] != "striker" and d.get("where", "board") == "board")  # fmt: skip


@pytest.mark.parametrize("clip", ["board_a", "board_b"])
def test_turns_follow_the_laws_and_nothing_but_a_proposal_is_uncertain(clip):
    truth = json.loads((Path(SHARED) / "footage" / f"{clip}.truth.json").read_text())
    match = Match.of(Start(clip), facts(truth))
    for n, s in enumerate(truth["strokes"], 1):
        line = ruling_line(match.rulings[n])
        expected = s["turn_after"] if s["turn_after"] in set(Seat) else None
        proposed = bool(match.rulings[n].proposals)
        assert (line["turn"], line["certain"]) == (expected, not proposed), (n, line["decisions"])
