"""The match fed with the truth of the shared clips: its turns are those of the script that played them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from models.pieces import Kind, Piece, Pocket, Seat
from referee.facts import (
    Clearances,
    Formation,
    Foul,
    OffBoard,
    Placement,
    PlacementReason,
    Pocketed,
    Returned,
    Stroke,
    Table,
)
from referee.match import Match, Start

SHARED = os.environ.get("CARROM_SHARED")
pytestmark = pytest.mark.skipif(SHARED is None, reason="CARROM_SHARED is not set: the shared clips are not here")

LIMITS = {
    "cutting_moon": "moon",
    "not_touching_front_line": "front_line",
    "not_touching_rear_line": "rear_line",
    "touching_arrow": "arrow",
    "outside_baseline": "ends",
}
"""Which clearance a reason speaks of."""


def facts(truth):
    """What perfect eyes would have reported, in the order of the reports."""
    start = pieces(truth["start"])
    if len(start) == 19:
        yield Formation(0.0, start, Seat(truth["strokes"][0]["seat"]))
    yield Table(0.0, start)
    for n, s in enumerate(truth["strokes"], 1):
        known = {f.value for f in Foul}
        yield Stroke(
            n, Seat(s["seat"]), s["t_placed"], s["t_strike"], s["t_rest"], s["t_rest"] + 0.2, placement(s["placement"]),
            Kind(s["first_contact"]) if s["first_contact"] else None,
            tuple(Pocketed(Kind(p["kind"]), Pocket(p["pocket"]), p["t"]) for p in s["pocketed"]),
            tuple(OffBoard(Kind(o["kind"]), o["t"]) for o in s["off_board"]),
            tuple(Foul(f) for f in s["fouls"] if f in known),
        )  # fmt: skip
        yield Table(s["t_rest"] + 0.2, pieces(s["rest"]))
        for r in s["returned"]:
            yield Returned(r["t"], Kind(r["kind"]), r["x_mm"], r["y_mm"], None)


def pieces(discs):
    return tuple(Piece(Kind(d["kind"]), d["x_mm"], d["y_mm"]) for d in discs
                 if d["kind"] != "striker" and d.get("where", "board") == "board")  # fmt: skip


def placement(p) -> Placement:
    """The placement as perfect eyes measure it; only the limit that decided is told."""
    limit = LIMITS.get(p["reason"] or "", "moon")
    clearance = Clearances(**{limit: p["margin_mm"]})
    return Placement(
        p["x_mm"], p["y_mm"], p["legal"], p["reason"] and PlacementReason(p["reason"]), p["margin_mm"], 0.1, clearance
    )


def test_a_board_without_incidents_is_ruled_as_it_was_played_and_all_certain():
    truth, match = judged("board_a")
    for n, s in enumerate(truth["strokes"], 1):
        assert (match.rulings[n].turn, match.rulings[n].certain) == (s["turn_after"], True)


def test_a_board_with_an_arm_over_the_diagonal_is_uncertain_where_players_took_it_for_a_foul():
    """Stroke 3 carries the proposal; before stroke 4 the players paid a penalty coin that no ruling had asked for."""
    truth, match = judged("board_b")
    assert [match.rulings[n].turn for n in match.rulings] == [s["turn_after"] for s in truth["strokes"]]
    assert [n for n, ruling in match.rulings.items() if not ruling.certain] == [3, 4]
    assert match.state.dues == (truth["result"]["due"]["white"], truth["result"]["due"]["black"])


def judged(clip):
    truth = json.loads((Path(SHARED) / "footage" / f"{clip}.truth.json").read_text())
    return truth, Match.of(Start(clip), facts(truth))
