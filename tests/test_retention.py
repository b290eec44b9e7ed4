"""Retention: old and bulky clips go, those of people's never; a match goes with all that was kept of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from match_logs import played, write

from referee.log import LogWriter
from referee.replay.cliptimes import is_whole
from referee.replay.key_frames import stored_pictures
from referee.replay.match_folder import MatchFolder, tidy_match
from referee.replay.recording_settings import Recording
from referee.replay.retention import clips_of, delete_match, disputed, make_room, pictures_of, protect_clip

DAY = 86400.0
NOW = 1_800_000_000.0
MB = 1_000_000
SHOWN = ("before", "after")


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
    protect_clip(a, 1)
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


def with_pictures(folder: MatchFolder, ages: list[float]) -> None:
    """Decisive pictures of strokes 1, 2, ..., so many days old, half a megabyte each stroke."""
    for stroke, days in enumerate(ages, 1):
        pictures = [folder.picture(stroke, name) for name in ("before", "after")]
        told = {"version": 1, "stroke": stroke, "pictures": [{"file": p.name} for p in pictures]}
        folder.evidence(stroke).write_text(json.dumps(told))
        for path in pictures:
            path.write_bytes(bytes(MB // 4))
            os.utime(path, (NOW - days * DAY,) * 2)


def test_pictures_go_with_their_age_as_clips_do(tmp_path):
    a = match(tmp_path, "a", [40, 20])
    with_pictures(a, [40, 20])
    make_room(under_way(tmp_path), Recording(keep_days=30), NOW, least_free=0)
    assert (left(a), sorted(p.name for p in a.path.glob("*.jpg"))) == ([2], ["0002_after.jpg", "0002_before.jpg"])
    assert not a.evidence(1).exists()
    assert a.tracks(1).exists()


def test_of_what_is_too_much_the_clips_go_before_the_pictures(tmp_path):
    a = match(tmp_path, "a", [3, 1])
    with_pictures(a, [3, 1])
    make_room(under_way(tmp_path), Recording(keep_days=None, keep_gb=1e-3), NOW, least_free=0)
    assert (left(a), [p.stroke for p in pictures_of(a)]) == ([], [1, 2])
    make_room(under_way(tmp_path), Recording(keep_days=None, keep_gb=0.5e-3), NOW, least_free=0)
    assert [p.stroke for p in pictures_of(a)] == [2]


def test_pictures_without_an_index_and_empty_files_are_tidied(tmp_path):
    a = match(tmp_path, "a", [1, 1])
    with_pictures(a, [1])
    a.picture(2, "before").write_bytes(b"killed before its index")
    a.clip(2).write_bytes(b"")
    a.tracks(2).write_bytes(b"")
    protect_clip(a, 1)
    tidy_match(a)
    assert not any(path.exists() for path in (a.picture(2, "before"), a.clip(2), a.tracks(2)))
    assert all(p.exists() for p in (a.clip(1), a.keep_mark(1), a.tracks(1), *(a.picture(1, n) for n in SHOWN)))


def test_an_empty_clip_and_an_empty_picture_pass_for_none(tmp_path):
    a = match(tmp_path, "a", [1])
    with_pictures(a, [1])
    a.clip(1).write_bytes(b"")
    assert not is_whole(a.clip(1))
    told = {"name": "before", "shows": "before", "t": 1.0, "x_mm": 0, "y_mm": 0, "reach_mm": 1, "size_px": 1}
    a.evidence(1).write_text(json.dumps({"pictures": [told | {"file": "0001_before.jpg"}]}))
    assert len(stored_pictures(a, 1)) == 1
    a.picture(1, "before").write_bytes(b"")
    assert stored_pictures(a, 1) == ()


FORWARD = """
import ctypes, sys, time
from pathlib import Path
import referee.replay.retention as retention
from referee.replay.recording_settings import Recording
real = time.time
retention.is_clock_set = lambda: True  # and it is kept in step, if with a wrong one
time.time = lambda: real() + 40 * 86400  # somebody sets the clock while the referee runs
retention.make_room(Path(sys.argv[1]), Recording(keep_days=30), least_free=0)
"""


def test_a_clock_set_forward_deletes_no_clip_of_another_match(tmp_path):
    a = match(tmp_path, "a", [0, 0])
    for n in (1, 2):
        os.utime(a.clip(n))
    subprocess.run([sys.executable, "-c", FORWARD, str(under_way(tmp_path))], check=True)
    assert left(a) == [1, 2]
