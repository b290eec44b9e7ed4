"""Pausing, going on and ending: what happens meanwhile counts for nothing, and a log read again says the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from match_play import stroke, table

from models.pieces import Seat, opening_formation
from referee.facts import Alert, AlertKind, Formation
from referee.log import LineError, LogWriter
from referee.log.running import Running
from referee.log.session import Session
from referee.log.stored_match import stored_match
from referee.match import Start

PAUSE, GO_ON, END = (
    {"state": state, "by": "Mira", "id": "ab", "wall": 5.0} for state in ("paused", "playing", "ended")
)


def opened(log: LogWriter) -> Session:
    session = Session(log, Start("m1"))
    session.begin(1.0)
    return session


def test_strokes_while_paused_count_for_nothing_and_numbers_go_on(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    with LogWriter(path) as log:
        session = opened(log)
        session.add(Formation(0.0, opening_formation(31.0), Seat.SOUTH))
        session.add(stroke(1, "south", "W", 10.0))
        session.add(table(13.0, 8, 9, 1))
        session.run(PAUSE, table(14.0, 8, 9, 1))
        assert session.add(stroke(2, "south", "W,W", 20.0)) == ()
        session.add(Alert(21.0, AlertKind.CAMERA_MOVED, "The camera was moved."))
        session.run(GO_ON, table(30.0, 8, 9, 1))
        (ruling,) = session.add(stroke(3, "south", "-", 40.0))
        assert (ruling.stroke, ruling.turn, ruling.certain) == (2, Seat.NORTH, True)
        view = session.match.view()
    assert view["coins_left"]["white"] == 8
    stored = stored_match(path)
    assert stored.problems == ()
    assert stored.match.view() == view
    assert [line["by"] for line in stored.contents.lines if line["type"] == "running"] == ["Mira", "Mira"]


def test_a_pause_outlives_the_referee(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    with LogWriter(path) as log:
        opened(log).run(END, table(1.0, 9, 9, 1))
    with LogWriter(path) as log:
        session = opened(log)
        assert session.running is Running.ENDED
        assert session.add(stroke(1, "south", "W", 10.0)) == ()
        session.run(GO_ON, table(11.0, 9, 9, 1))
        assert session.add(stroke(2, "south", "W", 20.0))[0].stroke == 1


def test_nonsense_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    with LogWriter(tmp_path / "m.jsonl") as log:
        session = opened(log)
        with pytest.raises(LineError, match="'asleep'"):
            session.run({"state": "asleep", "by": "x", "id": "y"}, table(1.0, 9, 9, 1))
        assert session.running is Running.PLAYING
