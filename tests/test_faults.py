"""What befalls a referee that is left alone for a season: its disk fills, its clock is set. The score goes on."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from match_logs import unchained
from test_run import ended, line_with, running
from web_stage import state
from web_stage import until as until_within

from referee.log import read_log

DISK_BYTES = 3_000_000
LONGEST_S = 120.0
"""Whole programs start, wait for room and begin anew here, on machines that may be busy."""


def until(holds: Callable[[], bool], what: str = "") -> None:
    until_within(holds, what, LONGEST_S)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of three megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(place)]
    if os.name != "posix" or os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk can only be mounted by root, where mounting is allowed")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(disk: Path) -> Path:
    """A file that takes all the room there is."""
    path = disk / "filler"
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
    assert shutil.disk_usage(disk).free == 0
    return path


def alerts(url: str) -> list[str]:
    return [alert["kind"] for alert in (state(url).get("health") or {}).get("alerts", [])]


def corrected_until_refused(url: str) -> list[str]:
    """Has the umpire correct a stroke until the log cannot be written; what was sent, the last not confirmed."""
    with httpx.Client(base_url=url) as umpire:
        assert umpire.post("api/session", json={"pin": "246802"}).status_code == 204, "the desk opens all the same"
        taken: list[str] = []
        while "no_log" not in alerts(url):
            answer = umpire.post("api/umpire", json={"action": "correct", "stroke": 1, "stroke_text": "W@NE"})
            sent = answer.json()["id"]
            until(lambda sent=sent: "no_log" in alerts(url) or state(url)["log"].get("last_correction") == sent)
            taken.append(sent)
    return taken


def test_a_full_disk_ends_the_recording_first_then_the_desk_is_told_and_the_match_goes_on_when_there_is_room(
    clip: Path, profile_file: Path, disk: Path
) -> None:
    log = disk / "match.jsonl"
    words = ("run", clip, "--profile", profile_file, "--log", log, "--record", "video", "--port", "0", "--host",
             "127.0.0.1", "--stay", "--wait", "--pin", "246802")  # fmt: skip
    with running(*words) as process:
        url = line_with(process, "Scoreboard: ")
        until(lambda: state(url).get("live", {}).get("phase") == "ended", "the recording's end")
        told = [line["kind"] for line in read_log(log).lines if line["type"] == "alert"]
        assert told == ["recording_stopped", "source_ended"], "the score went on without video"
        assert state(url)["view"]["strokes"] == 1

        filler = fill(disk)
        taken = corrected_until_refused(url)
        why = httpx.get(f"{url}api/health").json()["eyes"]["why"]
        assert "cannot be written (No space left on device)" in why
        full = read_log(log)
        # There may be room for the last one, but not for what follows from it.
        assert [line["id"] for line in full.lines if line["type"] == "correction"] in (taken[:-1], taken)
        assert full.problems == ()

        filler.unlink()
        until(lambda: "no_log" not in alerts(url) and len(read_log(log).headers) == 2, "the match under way again")
        until(lambda: state(url)["view"]["strokes"] == 2, "another stroke")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LONGEST_S)
    assert (process.returncode, "2 strokes," in out, err.count(f"the match log {log}")) == (0, True, 1)
    whole = read_log(log)
    assert whole.lines[: len(full.lines)] == full.lines
    assert whole.problems == ()


CLOCK = """
import time
from pathlib import Path

true = time.time
time.time = lambda: true() + 86400.0 * float(Path({path!r}).read_text() or 0)
"""
"""Sets the time of day of a Python process by so many days as a file says at that moment; its steady clock goes on."""


def test_a_clock_that_is_set_forth_and_back_changes_no_call(clip: Path, analysed: Path, tmp_path: Path,
                                                            monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    days, log = tmp_path / "days", tmp_path / "match.jsonl"
    days.write_text("-3650")
    (tmp_path / "sitecustomize.py").write_text(CLOCK.format(path=str(days)))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    with running("run", clip, "--log", log, "--no-web", "--record", "video", "--keep-days", "1") as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("Match log: "), "loaded; the board is still to be found"
        until(lambda: log.exists() and b"formation" in log.read_bytes())
        days.write_text("3650")
        until(lambda: b'"type":"stroke"' in log.read_bytes())
        days.write_text("-7")
        assert "1 stroke," in ended(process)
    assert unchained(log) == unchained(analysed)
    assert read_log(log).headers[0]["wall"] < time.time() - 86400 * 3600, "it began ten years ago"
    assert (log.with_suffix(".replay") / "0001.mp4").is_file(), "no clip is too old because the clock jumped"


def test_a_source_that_is_cut_off_and_comes_back_goes_on_in_the_same_match(clip: Path, profile_file: Path,
                                                                         tmp_path: Path) -> None:  # fmt: skip
    source, log = tmp_path / "camera.mkv", tmp_path / "match.jsonl"
    words = ("run", source, "--profile", profile_file, "--log", log, "--no-web", "--wait", "--port", "0")
    with running(*words) as process:
        assert process.stderr is not None
        assert "no such file" in process.stderr.readline(), "it was never there"
        (tmp_path / "half").write_bytes(clip.read_bytes()[: clip.stat().st_size // 2])
        (tmp_path / "half").replace(source)
        assert any("breaks off" in line for line in process.stderr), "it went away"
        shutil.copy(clip, tmp_path / "whole")
        (tmp_path / "whole").replace(source)
        out, err = process.communicate(timeout=LONGEST_S)
    assert (process.returncode, err, "1 stroke," in out) == (0, "", True)
    contents = read_log(log)
    assert len(contents.headers) == 2
    assert [line["kind"] for line in contents.lines if line["type"] == "alert"] == ["source_failed", "source_ended"]
