"""Where the camera stood when: over a push aside nothing is drawn that may be out of place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from calibration.geometry.camera import Camera
from models.board import load_board
from referee.replay.camera_poses import CameraPoses
from referee.replay.cliptimes import ClipTimes, clip_times
from referee.replay.match_folder import MatchFolder
from referee.sim.viewpoint import Mount, camera_over

HERE: Camera = camera_over(load_board(), 480, 360, Mount())
THERE = replace(HERE)
NEVER = float("inf")


def pushed() -> CameraPoses:
    """At 5 s the base lines were last seen in their place, at 5.7 s the board is found elsewhere."""
    stays = CameraPoses()
    stays.update(0.0, HERE, NEVER)
    stays.update(5.6, HERE, 5.0)
    stays.update(5.7, THERE, NEVER)
    return stays


def test_a_camera_that_stands_still_has_nothing_to_tell() -> None:
    stays = CameraPoses()
    assert stays.over(0.0, 9.0) == ()
    stays.update(0.0, HERE, NEVER)
    stays.update(9.0, HERE, NEVER)
    assert stays.over(0.0, 9.0) == ()


def test_between_the_last_look_in_place_and_the_board_found_again_nobody_knows() -> None:
    before, after = pushed().over(3.0, 9.0)
    assert before.contains(4.5)
    assert not before.contains(5.0)
    assert (after.since, after.until) == (5.7, None)


def test_a_clip_after_the_push_shows_one_camera() -> None:
    assert pushed().over(6.0, 9.0) == ()


def test_a_clip_that_ends_with_the_push_ends_the_camera_s_stay() -> None:
    (before,) = pushed().over(3.0, 5.5)
    assert not before.contains(5.5)


def test_stays_are_kept_beside_the_clip(tmp_path: Path) -> None:
    folder = MatchFolder(tmp_path / "a.jsonl")
    told = ClipTimes(480, 360, False, (3.0, 9.0), THERE.as_dict(), 8.0, 7.0, pushed().over(3.0, 9.0))
    told.save(folder, 1)
    folder.clip(1).write_bytes(b"\0\0\0\x08free")
    read = clip_times(folder, 1)
    assert read is not None
    assert read.camera_at(4.0) == HERE.as_dict()
    assert read.camera_at(5.2) is None
    assert read.camera_at(6.0) == THERE.as_dict()
