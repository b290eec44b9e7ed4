"""What is kept while a match is refereed: clips and pictures when chosen, and no match ends for want of them."""

from __future__ import annotations

import json
import resource
import threading
from collections.abc import Iterator
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from sim_clips import one_stroke

from calibration.profile import load_profile
from referee.cli import main
from referee.log import read_log
from referee.pipeline.record_match import clip_span
from referee.replay.cliptimes import clip_times
from referee.replay.encoder import Encoder, frame_of
from referee.replay.evidence_pictures import keep_evidence
from referee.replay.key_frames import KeyFrameSubject, late_fall_picture, stored_pictures
from referee.replay.match_folder import MatchFolder
from referee.replay.worker import JobWorker


def analyse(clip: Path, log: Path, *options: str) -> list[dict[str, object]]:
    """The lines of the log of the clip."""
    result = CliRunner().invoke(main, ["analyse", str(clip), "--log", str(log), *options])
    assert result.exit_code == 0, result.output
    return list(read_log(log).lines)


def test_a_clip_is_kept_of_each_stroke_with_the_times_of_its_frames(kept: MatchFolder) -> None:
    told = clip_times(kept, 1)
    assert told is not None
    with av.open(str(kept.clip(1))) as container:
        shown = [frame.time for frame in container.decode(video=0)]
        assert container.streams.video[0].codec_context.name == "h264"
    assert shown == pytest.approx([t - told.times[0] for t in told.times], abs=1e-4)
    stroke = next(line for line in read_log(kept.log).lines if line["type"] == "stroke")
    assert told.times[0] <= stroke["t_strike"] - 1
    assert told.times[-1] >= stroke["t_rest"]


def test_the_clip_reaches_from_two_seconds_before_the_strike_or_from_the_placement() -> None:
    stroke = {"t_strike": 20.0, "t_placed": 19.5, "t_rest": 24.0, "t_called": 24.5}
    assert clip_span(stroke) == (18.0, 26.0)
    assert clip_span(stroke | {"t_placed": 12.0}) == (12.0, 26.0)
    assert clip_span(stroke | {"t_placed": None, "t_called": 29.0}) == (18.0, 29.0)


def test_the_evidence_shows_the_placement_and_the_board_before_and_after(kept: MatchFolder) -> None:
    shown = stored_pictures(kept, 1)
    assert [d.shows for d in shown if d.shows is not KeyFrameSubject.HAND] == [
        KeyFrameSubject.BEFORE,
        KeyFrameSubject.PLACEMENT,
        KeyFrameSubject.AFTER,
    ]
    stroke = next(line for line in read_log(kept.log).lines if line["type"] == "stroke")
    placement = next(d for d in shown if d.shows is KeyFrameSubject.PLACEMENT)
    assert placement.t < stroke["t_strike"]
    assert (placement.x_mm, placement.y_mm) == (stroke["placement"]["x_mm"], stroke["placement"]["y_mm"])


def test_in_the_picture_of_the_placement_the_striker_stands_in_the_middle_at_true_scale(kept: MatchFolder) -> None:
    placement = next(d for d in stored_pictures(kept, 1) if d.shows is KeyFrameSubject.PLACEMENT)
    grey = cv2.imread(str(kept.path / placement.file), cv2.IMREAD_GRAYSCALE)
    assert grey is not None
    scale = placement.size_px / 2 / placement.reach_mm
    away = np.hypot(*(np.indices(grey.shape) - placement.size_px / 2)) / scale
    inside, beyond = grey[away < 17], grey[(away > 23) & (away < 26)]
    assert abs(float(np.median(inside)) - float(np.median(beyond))) > 15


def test_the_picture_of_a_coin_that_fell_late_is_kept_with_the_others(profile_file: Path, tmp_path: Path) -> None:
    folder, profile = MatchFolder(tmp_path / "a.jsonl"), load_profile(profile_file)
    encoder = Encoder(480, 360, False)
    coded = [c for i, picture in enumerate(one_stroke(70)) for c in encoder.encode(frame_of(picture), i / 30)]
    for t in (0.1, 0.2):
        picture = late_fall_picture({"type": "fell", "t": t, "kind": "white", "pocket": "SW"}, profile)
        assert picture is not None
        keep_evidence(folder, 3, [picture], coded, profile)
    assert [d.name for d in stored_pictures(folder, 3)] == ["fell100", "fell200"]
    assert all(d.x_mm < 0 and d.y_mm < 0 and d.piece == "white" for d in stored_pictures(folder, 3))


def test_damaged_evidence_counts_as_none(kept: MatchFolder, tmp_path: Path) -> None:
    folder = MatchFolder(tmp_path / "b.jsonl")
    assert stored_pictures(folder, 1) == ()
    folder.path.mkdir()
    told = json.loads(kept.evidence(1).read_text())
    told["pictures"][0]["file"] = "../../secret.jpg"
    folder.evidence(1).write_text(json.dumps(told))
    assert stored_pictures(folder, 1) == ()
    folder.evidence(1).write_text("[")
    assert stored_pictures(folder, 1) == ()


def test_recording_is_off_until_chosen_and_does_not_change_the_log(kept: MatchFolder, analysed: Path) -> None:
    assert not list(MatchFolder(analysed).path.glob("*.mp4"))
    assert not list(MatchFolder(analysed).path.glob("*.jpg"))
    strokes = [[line for line in read_log(log).lines if line["type"] == "stroke"] for log in (kept.log, analysed)]
    assert strokes[0][0]["t_strike"] == strokes[1][0]["t_strike"]


@pytest.fixture
def small_files() -> Iterator[None]:
    """No file may grow beyond 60 kB, as if the disk were full: the log is smaller, a clip is not."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("small_files")
def test_a_disk_that_fills_while_a_clip_is_written_ends_the_recording_and_not_the_match(
    clip: Path, profile_file: Path, tmp_path: Path
) -> None:
    lines = analyse(clip, tmp_path / "a.jsonl", "--record", "video", "--profile", str(profile_file))
    assert [line["type"] for line in lines if line["type"] in ("stroke", "ruling")] == ["stroke", "ruling"]
    (alert,) = [line for line in lines if line.get("kind") == "recording_stopped"]
    assert "the score goes on: free some space" in str(alert["text"])
    folder = MatchFolder(tmp_path / "a.jsonl")
    assert folder.tracks(1).is_file()
    assert not folder.clip(1).exists()
    assert not list(folder.path.glob("*.part"))


def test_a_recording_waits_for_whoever_keeps_its_strokes() -> None:
    """What if strokes come faster than they are measured? Each that waits holds megabytes of pictures."""
    go, done = threading.Semaphore(0), []

    def job() -> None:
        go.acquire()
        done.append(True)

    with JobWorker("test") as worker:
        for _ in range(5):
            worker.send(job)
        for left in (4, 3, 2, 1, 0):
            go.release()
            worker.leave(left)
            assert len(done) == 5 - left
