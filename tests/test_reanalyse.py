"""A stored match seen again: from its tracks and from its clips, with what differs stroke by stroke."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner
from engines import Broker, Database
from hall_stage import Club, worker
from web_stage import until

from referee.cli import main
from referee.hub.database import connect
from referee.log import Line, LogWriter, read_log
from referee.log.identity import match_uid
from referee.pipeline.judge_again import JudgeTask, judge_task
from referee.pipeline.reanalyse_clips import reanalysed_from_clips
from referee.replay.match_folder import MatchFolder
from referee.replay.reanalyse import differing_facts, from_tracks, judged_again, reanalysed_from_tracks
from referee.replay.store import Replay

Doctor = Callable[[Line], Line]


@pytest.fixture
def doctored(kept: MatchFolder, tmp_path: Path) -> Callable[[Doctor], Replay]:
    """The recorded match, its stroke's line changed."""

    def changed(doctor: Doctor) -> Replay:
        folder = MatchFolder(tmp_path / "a.jsonl")
        shutil.copytree(kept.path, folder.path)
        with LogWriter(folder.log) as log:
            for line in read_log(kept.log).lines:
                log.write(doctor(line) if line["type"] == "stroke" else line)
        return Replay(folder.log)

    return changed


def with_white(line: Line) -> Line:
    return line | {"pocketed": [{"kind": "white", "pocket": "NE", "t": line["t_rest"]}]}


def test_tracks_tell_the_same_as_the_log(kept: MatchFolder) -> None:
    replay = Replay(kept.log)
    (change,) = judged_again(replay.stored, reanalysed_from_tracks(replay), None)
    assert change.again.line is not None
    assert not change.differs


def test_a_coin_that_the_log_invents_is_not_in_the_tracks(doctored: Callable[[Doctor], Replay]) -> None:
    replay = doctored(with_white)
    (change,) = judged_again(replay.stored, reanalysed_from_tracks(replay), None)
    assert change.facts == ("pocketed",)
    assert change.ruling.now["stroke_text"] == "-"


def test_coins_gone_from_the_tracks_are_told_with_their_pocket(kept: MatchFolder) -> None:
    replay = Replay(kept.log)
    tracks, board = replay.tracks(1), replay.header(1)["board"]
    lying = tracks.lying
    last = lying["change"].max()
    lost = next(i for i in range(len(lying)) if lying["change"][i] == last and lying["kind"][i] == b"B")
    without = lying[[i for i in range(len(lying)) if i != lost]]
    again = from_tracks(replay.strokes[1].line, replace(tracks, lying=without), board)
    assert again.line is not None
    assert [p["kind"] for p in again.line["pocketed"]] == ["black"]


def test_the_clip_shows_the_same_stroke_to_todays_eyes(kept: MatchFolder) -> None:
    replay = Replay(kept.log)
    (again,) = reanalysed_from_clips(replay)
    assert again.line is not None, again.why
    assert again.line["t_strike"] == pytest.approx(replay.strokes[1].line["t_strike"], abs=0.05)
    assert differing_facts(replay.strokes[1].line, again.line) in ((), ("placement",), ("fouls", "placement"))


def test_a_stroke_without_its_video_is_told_and_judged_as_logged(doctored: Callable[[Doctor], Replay]) -> None:
    replay = doctored(lambda line: line)
    replay.folder.clip(1).unlink()
    replay = Replay(replay.log)
    (change,) = judged_again(replay.stored, reanalysed_from_clips(replay), "masters")
    assert change.again.line is None
    assert "deleted to make room" in change.again.why
    assert change.ruling.now["rules"] == "masters"


def test_the_command_tells_what_differs(doctored: Callable[[Doctor], Replay]) -> None:
    replay = doctored(with_white)
    result = CliRunner().invoke(main, ["replay", str(replay.log), "--from", "tracks", "--changes"])
    assert result.exit_code == 0, result.output
    assert "      pocketed: white -> none" in result.output
    assert "1 of 1 strokes seen again, 1 told otherwise; 0 rulings differ under icf" in result.output


def test_without_the_boards_profile_the_video_cannot_be_seen_again(doctored: Callable[[Doctor], Replay]) -> None:
    replay = doctored(lambda line: line)
    replay.folder.profile.unlink()
    result = CliRunner().invoke(main, ["replay", str(replay.log), "--from", "video"])
    assert result.exit_code == 1
    assert "cannot read the profile" in result.output


def test_workers_of_a_hall_fetch_clips_from_the_board_and_see_them_again(
    kept: MatchFolder, broker: Broker, database: Database, tmp_path: Path
) -> None:
    """A stroke a job: seen as by this program, then with a damaged clip, then without."""
    club = Club(tmp_path, broker, database)
    with club.hub("--pin", "off"), club.board("8") as board, worker(club.address):
        copy = MatchFolder(board.stage.folder / "a.jsonl")
        shutil.copytree(kept.path, copy.path)
        shutil.copyfile(kept.log, copy.log)
        uid = match_uid(copy.log)
        arrived = "select 1 from match where uid = %s and have = %s"

        with connect(club.address) as base:
            until(lambda: base.execute(arrived, [uid, copy.log.stat().st_size]).fetchone())
        done = CliRunner().invoke(main, ["hub", "--database", club.address, "--data", str(club.data), "rebuild"])
        assert done.exit_code == 0, done.output

        def judged(source: str) -> dict[str, Any]:
            """Asks for all strokes, and returns the batch once it is done."""
            for path in club.data.glob(f"boards/{board.station}/{uid}.replay/*"):
                path.unlink()
            number = club.post("api/hall/again", {"source": source, "player": "Asha"})["batch"]
            found: dict[str, Any] = {}
            until(lambda: found.update(club.get(f"api/hall/again/{number}")) or found["done"] + found["failed"] == 1)
            return found

        seen = judged("video")
        (logged,) = Replay(kept.log).strokes
        assert (seen["parts"], seen["done"], seen["unseen"]) == (1, 1, 0)
        direct = judge_task(JudgeTask(str(kept.log), logged, "video"))
        with connect(club.address) as base:
            (digest,) = base.execute("select digest from part where batch = %s", [seen["id"]]).fetchone() or ("",)
        assert digest == direct.digest
        copy.clip(logged).write_bytes((5008).to_bytes(4) + b"free" + bytes(5000))  # whole, and no video in it
        damaged = judged("video")
        assert [(f["stroke"], f["attempts"]) for f in damaged["failures"]] == [(logged, 3)]
        assert "cannot be read" in damaged["failures"][0]["problem"]
        assert judged("tracks")["done"] == 1
        copy.clip(logged).unlink()
        assert [d["unseen"] for d in judged("video")["differences"]] == ["no_video"]
        for path in ("", "/0001.mp4"):
            address = f"{club.url}api/again/{seen['id']}/{uid}/{logged}{path}"
            for headers in ({}, {"authorization": "Bearer x"}):
                with pytest.raises(HTTPError, match="401"):
                    urlopen(Request(address, headers=headers))
