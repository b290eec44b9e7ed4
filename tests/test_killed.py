"""A referee that is killed goes on with its match when it is started again, as the service does."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_run import ended, running
from web_stage import until

from referee.commands.matches import bookmarked
from referee.log import read_log
from referee.replay.match_folder import MatchFolder


def test_killed_again_and_again_it_goes_on_in_the_same_log(clip: Path, profile_file: Path, tmp_path: Path,
                                                           monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    matches = tmp_path / "carrom-referee" / "matches"
    words = ("run", clip, "--profile", profile_file, "--no-web", "--resume", "--record", "video")
    for starts, moment in enumerate((b"formation", b'"type":"stroke"'), 1):
        with running(*words) as process:
            until(lambda moment=moment, starts=starts: any(
                moment in log.read_bytes() and log.read_bytes().count(b'"type":"header"') == starts
                for log in matches.glob("*.jsonl")), within_s=60.0)  # fmt: skip
            process.kill()
    (log,) = matches.glob("*.jsonl")
    folder = MatchFolder(log)
    folder.path.mkdir(exist_ok=True)
    (folder.path / "0001.mp4.part").write_bytes(b"what a power cut left")
    with running(*words) as process:
        assert "2 strokes," in ended(process)
    contents = read_log(log)
    assert len(contents.headers) == 3
    assert [line["n"] for line in contents.lines if line["type"] == "stroke"] == [1, 2]
    assert contents.problems == ()
    assert bookmarked(matches) == log.name
    assert folder.clip(2).is_file()
    assert not list(folder.path.glob("*.part"))
