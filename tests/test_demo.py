"""`referee demo`: a match without hardware, from the simulated camera to the served scoreboard."""

from __future__ import annotations

from pathlib import Path

import httpx
from match_play import Play
from test_run import ended, line_with, running
from web_stage import state, until

from models.pieces import Kind, Piece, Seat
from referee.commands.analyse import announcer_of
from referee.frames.video import VideoFile
from referee.log import read_log
from referee.pipeline.frame_referee import ignore_ruling
from referee.sim.script import MatchConditions
from referee.sim.source import SimSource


def test_the_demo_calibrates_itself_serves_the_board_and_ends(tmp_path: Path) -> None:
    log = tmp_path / "demo.jsonl"
    words = ("demo", "--seconds", "4", "--port", "0", "--host", "127.0.0.1", "--log", log)
    with running(*words) as process:
        url = line_with(process, "Scoreboard: ")
        assert httpx.get(line_with(process, "Tour in four pictures: ")).text.count("<img") == 4
        until(lambda: len((state(url).get("live") or {}).get("pieces", [])) >= 19, "the formation on the live board")
        assert state(url)["view"]["match"] == "demo"
        assert "picture_small" not in [alert["kind"] for alert in httpx.get(f"{url}health").json()["alerts"]]
        assert "stroke" in ended(process)
    contents = read_log(log)
    assert contents.headers[0]["source"] == "simulator"
    assert [line["type"] for line in contents.lines][1] == "formation"


def test_the_players_are_told_whose_turn_it_is_and_what_goes_back() -> None:
    play, lying = Play(), [Piece(k, -200.0 + 50.0 * i, 100.0) for i, k in enumerate([Kind.WHITE, Kind.BLACK] * 3)]
    sim = SimSource(fps=10.0, manner=MatchConditions(start=tuple(lying), strokes=2))
    play.formation("south")
    play.stroke("south", "W")
    ruling, is_told = play.stroke("south", "W,S"), False
    for _ in sim.scenes():
        if sim.strokes and not is_told:
            announcer_of(sim)(ruling)
            is_told = True
    assert [back.kind for back in sim.returns][:2] == [Kind.WHITE, Kind.WHITE]
    assert [stroke.seat for stroke in sim.strokes] == [Seat.SOUTH, Seat.SOUTH]


def test_real_players_are_told_by_the_scoreboard_only(clip: Path) -> None:
    assert announcer_of(VideoFile(str(clip))) is ignore_ruling
