"""Fixtures shared by all tests: a recorded stroke of the simulator, and the profile of its board."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from engines import broker, database
from hypothesis import settings
from once import made_once
from sim_clips import one_stroke, record
from web_browser import browser, errors, page
from web_stage import eyes, house, link, stage

from calibration.calibrate import calibrate
from referee.cli import main
from referee.replay.match_folder import MatchFolder

# A busy machine is no fault of the code. The bench measures time, not the tests.
settings.register_profile("house", deadline=None)
settings.load_profile("house")

CLIP = "one_stroke.mkv"

__all__ = ["broker", "browser", "database", "errors", "eyes", "house", "link", "page", "stage"]


@pytest.fixture(scope="session", autouse=True)
def data_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keeps the user's data folder out of every test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Records one stroke from the opening formation, three and a half seconds."""
    folder = made_once(tmp_path_factory, "clip", lambda to: record(to / CLIP, one_stroke()))
    return folder / CLIP


@pytest.fixture(scope="session")
def profile_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Calibrates the clip's board and writes its profile."""

    def make(to: Path) -> None:
        (to / "board.json").write_text(calibrate(one_stroke(65)).to_json(), encoding="utf-8")

    return made_once(tmp_path_factory, "profile", make) / "board.json"


@pytest.fixture(scope="session")
def analysed(clip: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Writes the log of the clip, calibrated from its first frames."""

    def make(to: Path) -> None:
        result = CliRunner().invoke(main, ["analyse", str(clip), "--log", str(to / "match.jsonl")])
        assert result.exit_code == 0, result.output
        assert result.stdout.startswith("1 stroke,")
        assert "note: the picture is small, " in result.stderr

    return made_once(tmp_path_factory, "analysed", make) / "match.jsonl"


@pytest.fixture(scope="session")
def kept(clip: Path, profile_file: Path, tmp_path_factory: pytest.TempPathFactory) -> MatchFolder:
    """Records the clip's match with video. Tests must not change it."""

    def make(to: Path) -> None:
        options = ["--record", "video", "--profile", str(profile_file), "--players", "south=Asha,north=Ravi"]
        result = CliRunner().invoke(main, ["analyse", str(clip), "--log", str(to / "a.jsonl"), *options])
        assert result.exit_code == 0, result.output

    return MatchFolder(made_once(tmp_path_factory, "kept", make) / "a.jsonl")
