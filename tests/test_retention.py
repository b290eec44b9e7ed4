"""Retention: old and bulky clips go, those of people's never; a match goes with all that was kept of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from match_logs import played, write

from referee.log import LogWriter
from referee.replay.kept_media import Recording
from referee.replay.match_folder import MatchFolder
from referee.replay.retention import clips_of, delete_match, disputed, keep_clip, make_room

DAY = 86400.0
NOW = 1_800_000_000.0
MB = 1_000_000


def match(folder: Path, name: str, ages: list[float]) -> MatchFolder:
    """A match whose strokes 1, 2, ... have clips of a megabyte, so many days old."""
    log = folder / f"{name}.jsonl"
    write(log, played())
    kept = MatchFolder(log)
    kept.path.mkdir()
    for stroke, days in enumerate(ages, 1):
        kept.clip(stroke).write_bytes(bytes(MB))
        os.utime(kept.clip(stroke), (NOW - days * DAY,) * 2)
        kept.tracks(stroke).write_bytes(b"tracks")
        kept.clip_times(stroke).write_text("{}")
    return kept


def under_way(folder: Path) -> Path:
    """The log of another match, for which room is made."""
    return folder / "now.jsonl"


def left(folder: MatchFolder) -> list[int]:
    return [clip.stroke for clip in clips_of(folder)]


def test_clips_go_when_they_are_too_old_and_their_tracks_stay(tmp_path):
    a = match(tmp_path, "a", [40, 31, 29])
    make_room(under_way(tmp_path), Recording(keep_days=30), NOW, least_free=0)
    assert left(a) == [3]
    assert all(a.tracks(n).exists() for n in (1, 2, 3))
    assert not a.clip_times(1).exists()


def test_the_oldest_of_all_matches_go_when_they_take_too_much(tmp_path):
    a, b = match(tmp_path, "a", [3, 1]), match(tmp_path, "b", [2, 4])
    make_room(under_way(tmp_path), Recording(keep_days=None, keep_gb=2.5e-3), NOW, least_free=0)
    assert (left(a), left(b)) == ([2], [1])


def test_a_clock_that_jumped_makes_no_clip_of_the_match_under_way_too_old(tmp_path):
    a, b = match(tmp_path, "a", [9000, 9000]), match(tmp_path, "b", [1, 2])
    make_room(a.log, Recording(keep_days=30), NOW, least_free=0)
    assert (left(a), left(b)) == ([1, 2], [1, 2])
    make_room(a.log, Recording(keep_days=30, keep_gb=2.5e-3), NOW, least_free=0)
    assert (left(a), left(b)) == ([1, 2], []), "they are the last to make room"


def test_clips_that_were_exported_or_disputed_are_never_deleted(tmp_path):
    a = match(tmp_path, "a", [90, 90, 90])
    keep_clip(a, 1)
    with LogWriter(a.log) as log:
        log.write({"type": "correction", "t": 1.0, "action": "correct", "stroke": 2, "stroke_text": "-"})
    assert disputed(a.log) == {2}
    make_room(under_way(tmp_path), Recording(keep_days=1, keep_gb=1e-9), NOW, least_free=0)
    assert left(a) == [1, 2]


def test_a_clip_deleted_while_it_is_watched_can_be_watched_to_its_end(tmp_path):
    a = match(tmp_path, "a", [90])
    with a.clip(1).open("rb") as watched:
        make_room(under_way(tmp_path), Recording(keep_days=1), NOW, least_free=0)
        assert left(a) == []
        assert len(watched.read()) == MB


def test_a_disk_that_others_fill_costs_no_clip_but_no_more_are_recorded(tmp_path):
    a = match(tmp_path, "a", [1, 2])
    with pytest.raises(OSError, match="MB are free"):
        make_room(a.log, Recording(), NOW, least_free=1 << 60)
    assert left(a) == [1, 2]


def test_nothing_is_deleted_where_the_owner_wants_all(tmp_path):
    a = match(tmp_path, "a", [9000])
    make_room(a.log, Recording(keep_days=None, keep_gb=None), NOW, least_free=0)
    assert left(a) == [1]


def test_a_match_goes_with_everything_that_was_kept_of_it(tmp_path):
    a, b = match(tmp_path, "a", [1]), match(tmp_path, "b", [1])
    delete_match(a.log)
    assert not a.path.exists()
    assert not a.log.exists()
    assert left(b) == [1]
