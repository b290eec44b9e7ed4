"""A referee that is killed goes on with its match when it is started again, as the service does."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_run import ended, running
from web_stage import until

from referee.log import read_log


def test_killed_in_mid_match_it_goes_on_in_the_same_log(clip: Path, profile_file: Path, tmp_path: Path,
                                                        monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    matches = tmp_path / "carrom-referee" / "matches"
    words = ("run", clip, "--profile", profile_file, "--no-web", "--resume")
    with running(*words) as process:
        until(lambda: any(b"formation" in log.read_bytes() for log in matches.glob("*.jsonl")))
        process.kill()
    with running(*words) as process:
        assert "1 stroke," in ended(process)
    (log,) = matches.glob("*.jsonl")
    contents = read_log(log)
    assert len(contents.headers) == 2
    assert [line["type"] for line in contents.lines].count("stroke") == 1
    assert contents.problems == ()
