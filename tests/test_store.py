"""Stored matches: found by player and day, and of each stroke everything that was kept, whatever else is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from match_logs import played, write

from models.pieces import Seat
from referee.log import LogError, LogWriter, read_log
from referee.replay.match_folder import MatchFolder
from referee.replay.store import Library, MomentKind, Replay
from referee.replay.track_json import tracks_document
from referee.replay.tracks import TracksError

WALL = 1_700_000_000.0


@pytest.fixture
def library(tmp_path: Path) -> Library:
    write(tmp_path / "a.jsonl", played(), WALL)
    write(tmp_path / "b.jsonl", played("m2", ((Seat.SOUTH, "Ravi"),)), WALL + 86400)
    return Library(tmp_path)


def test_matches_are_found_by_player_and_day(library: Library) -> None:
    assert [row.path for row in library.find()] == ["b.jsonl", "a.jsonl"]
    assert [row.path for row in library.find(player="asha")] == ["a.jsonl"]
    assert [row.path for row in library.find(since=WALL + 1, until=WALL + 90000)] == ["b.jsonl"]


def test_a_stroke_tells_when_it_was_what_happened_and_how_it_was_ruled(library: Library) -> None:
    replay = library.open("a.jsonl")
    stroke = replay.strokes[1]
    assert stroke.wall == WALL + stroke.line["t_strike"]
    assert [m.what for m in stroke.moments] == [
        MomentKind.PLACED,
        MomentKind.STRUCK,
        MomentKind.POCKETED,
        MomentKind.POCKETED,
        MomentKind.RESTED,
        MomentKind.CALLED,
    ]
    assert stroke.ruling is not None
    assert str(stroke.ruling.tokens) == "W@NE,W@NE"
    assert not stroke.has_tracks
    assert stroke.clip is None
    assert stroke.pictures == ()
    assert replay.boards[0].strokes == (1, 2, 3, 4, 5)


def test_the_umpires_word_stands_beside_what_was_ruled_before(library: Library, tmp_path: Path) -> None:
    word = {"type": "correction", "t": 99.0, "action": "correct", "stroke": 2, "stroke_text": "W", "by": "Uma"}
    with LogWriter(tmp_path / "a.jsonl") as log:
        log.write(word)
    replay = library.open("a.jsonl")
    evidence = replay.evidence(2)
    assert [line["by"] for line in evidence.umpire] == ["Uma"]
    assert evidence.ruling is not None
    assert evidence.ruling.corrected
    first = replay.strokes[2].first_ruling
    assert first is not None
    assert not first["corrected"]
    assert library.disputed("a.jsonl") == {2}


def test_a_late_fall_is_a_moment_of_the_stroke_before_it(library: Library, tmp_path: Path) -> None:
    with LogWriter(tmp_path / "a.jsonl") as log:
        log.write({"type": "fell", "t": 1000.0, "kind": "white", "pocket": "SW"})
    last = library.open("a.jsonl").strokes[5].moments[-1]
    assert (last.what, last.kind, last.pocket) == (MomentKind.FELL, "white", "SW")


def test_times_of_a_second_start_count_from_its_own_header(library: Library, tmp_path: Path) -> None:
    match = library.open("a.jsonl").stored.match
    write(tmp_path / "a.jsonl", played(), WALL + 5000, after=match)
    walls = [s.wall for s in library.open("a.jsonl").strokes.values()]
    assert walls[-1] is not None
    assert walls[-1] > WALL + 5000


def test_what_was_not_kept_or_is_damaged_costs_only_itself(library: Library, tmp_path: Path) -> None:
    replay = library.open("a.jsonl")
    with pytest.raises(TracksError, match="no tracks were kept"):
        replay.tracks(1)
    replay.folder.path.mkdir()
    replay.folder.clip(1).write_bytes(b"video")
    replay.folder.tracks(2).write_bytes(b"torn")
    again = library.open("a.jsonl")
    assert again.strokes[1].clip is None
    with pytest.raises(TracksError, match="damaged"):
        again.tracks(2)


def test_replays_without_their_log_are_told_and_the_others_are_found(library: Library, tmp_path: Path) -> None:
    MatchFolder(tmp_path / "lost.jsonl").path.mkdir()
    (tmp_path / "newer.jsonl").write_text('{"type":"header","version":9}\n')
    assert len(library.find()) == 2
    assert any("lost.replay holds replays, but its match log lost.jsonl is missing" in p for p in library.problems)
    assert any("version 9" in p for p in library.problems)


@pytest.mark.parametrize("path", ["../a.jsonl", "/etc/passwd", "a.replay", "none.jsonl", ""])
def test_nothing_outside_the_folder_is_opened(library: Library, tmp_path: Path, path: str) -> None:
    with pytest.raises(LogError, match="there is no match"):
        Library(tmp_path / "inner").open(path) if path.startswith("..") else library.open(path)


def test_a_match_that_is_played_is_not_deleted_and_any_other_is_wholly(library: Library, tmp_path: Path) -> None:
    MatchFolder(tmp_path / "a.jsonl").path.mkdir()
    with pytest.raises(LogError, match="being played"):
        library.delete("a.jsonl", tmp_path / "a.jsonl")
    library.delete("a.jsonl", tmp_path / "b.jsonl")
    assert [row.path for row in library.find()] == ["b.jsonl"]
    assert not (tmp_path / "a.replay").exists()


def test_tracks_are_drawn_from_plain_lists(analysed: Path) -> None:
    replay = Replay(analysed)
    shown = json.loads(json.dumps(tracks_document(replay.tracks(1))))
    assert len(shown["lying"][0]["pieces"]) == 19
    striker = next(d for d in shown["discs"] if d["kind"] == "striker")
    assert len(striker["t"]) == len(striker["x"]) == len(striker["y"]) > 5
    assert shown["striker"]
    assert all(len(corner) == 2 for hand in shown["hands"] for outline in hand["outlines"] for corner in outline)
    header = replay.header(1)
    assert header == read_log(analysed).headers[0]
