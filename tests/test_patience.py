"""A camera that goes away or was never there is waited for, and the match goes on in the same log."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from test_pipeline import Recorded, frames

from calibration.profile import Profile, load_profile
from referee.commands.matches import going_on, last_log, matches
from referee.commands.patience import RetryPolicy
from referee.frames.frame import Source, SourceError
from referee.laws import parse_state
from referee.link import VisionEnd
from referee.log import LogWriter, read_log
from referee.log.running import Running, running_line
from referee.log.session import Session
from referee.match import Start
from referee.pipeline import MatchOutcome, MatchSettings
from referee.pipeline.frame_referee import Players, ignore_ruling
from referee.pipeline.publisher import Publisher

STATE = parse_state("W4 B2 Q=board due 0/0 score 0:0 mv W")


@pytest.fixture
def profile(profile_file: Path) -> Profile:
    return load_profile(profile_file)


class Waits:
    """Patience that takes no time, with what it told and how long it meant to wait."""

    def __init__(self, from_the_start: bool, ending: Callable[[], bool] = lambda: False) -> None:
        self.told: list[str] = []
        self.seconds = 0.0
        self.patience = RetryPolicy(lambda trouble: self.told.append(str(trouble)), ending, from_the_start, self._sleep)

    def _sleep(self, seconds: float) -> None:
        self.seconds += seconds


def play(log: Path, sources: Iterator[Source | str], setting: MatchSettings, waits: Waits) -> MatchOutcome | None:
    """Referees these sources in turn; a text stands for a camera that cannot be opened."""

    def opened() -> tuple[Source, Players]:
        source = next(sources)
        if isinstance(source, str):
            raise SourceError(source)
        return source, ignore_ruling

    with VisionEnd(log.parent) as link, Publisher(link) as audience:
        return matches(opened, setting, log, audience, lambda t: False, patience=waits.patience)[0]


def test_a_match_goes_on_in_its_log_when_the_camera_is_back(profile: Profile, tmp_path: Path) -> None:
    log, waits = tmp_path / "a.jsonl", Waits(from_the_start=False)
    sources = [Recorded(frames(12), live=True, trouble="the cable is out"), "no camera", "no camera",
               Recorded(frames(20), live=True)]  # fmt: skip
    outcome = play(log, iter(sources), MatchSettings(profile, state=STATE), waits)
    assert outcome is not None
    assert outcome.frames == 20
    contents = read_log(log)
    assert len(contents.headers) == 2
    assert [line["kind"] for line in contents.lines if line["type"] == "alert"] == ["source_failed", "source_ended"]
    assert waits.told == ["the cable is out", "no camera"]
    assert 5 < waits.seconds < 10
    assert not [line for line in contents.lines if line["type"] == "correction"], "the state is said only once"


def test_the_trouble_is_gone_from_the_scoreboard_when_the_match_goes_on(profile: Profile, tmp_path: Path) -> None:
    sources = [Recorded(frames(12), live=True, trouble="the cable is out"), Recorded(frames(12), live=True)]
    outcome = play(tmp_path / "a.jsonl", iter(sources), MatchSettings(profile), Waits(from_the_start=False))
    assert outcome is not None
    assert [alert.kind.value for alert in outcome.match.alerts] == ["source_ended"]


def test_a_camera_that_was_never_there_ends_the_command_unless_it_is_to_wait(profile: Profile, tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    with pytest.raises(SourceError, match="no camera"):
        play(log, iter(["no camera"]), MatchSettings(profile), Waits(from_the_start=False))
    sources = iter(["no camera", Recorded(frames(12), live=True)])
    assert play(log, sources, MatchSettings(profile), Waits(from_the_start=True)) is not None


def test_a_board_that_is_not_seen_yet_is_waited_for(tmp_path: Path) -> None:
    waits = Waits(from_the_start=True)
    sources = [Recorded([], live=True), Recorded(frames(12), live=True)]
    assert play(tmp_path / "a.jsonl", iter(sources), MatchSettings(), waits) is not None
    assert "gave no picture" in waits.told[0]


def test_a_recording_that_breaks_is_not_waited_for(profile: Profile, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="damaged"):
        play(tmp_path / "a.jsonl", iter([Recorded(frames(12), trouble="damaged")]), MatchSettings(profile),
             Waits(from_the_start=False))  # fmt: skip


def test_who_waits_can_be_ended(profile: Profile, tmp_path: Path) -> None:
    waits = Waits(from_the_start=True, ending=lambda: waits.seconds > 0.5)
    assert play(tmp_path / "a.jsonl", iter(["no camera"] * 9), MatchSettings(profile), waits) is None
    assert waits.seconds < 1


def logged(path: Path, rules: str = "icf", ends: bool = False) -> Path:
    with LogWriter(path) as writer:
        session = Session(writer, Start("m", rules))
        session.begin(1.0)
        if ends:
            session.write(running_line(Running.ENDED, 2.0, "Mira", 3.0, "ab"))
    return path


def test_the_last_match_is_gone_on_with_unless_it_was_ended(tmp_path: Path) -> None:
    assert last_log(tmp_path, 1000.0) is None
    first, second = logged(tmp_path / "2.jsonl"), logged(tmp_path / "1.jsonl", "masters")
    os.utime(first, (1000, 1000))
    os.utime(second, (2000, 2000))
    assert last_log(tmp_path, 2100.0) == second
    assert last_log(tmp_path, 1500.0) == second, "a clock that was set back"
    assert last_log(tmp_path, 2000.0 + 5 * 3600) == second
    assert last_log(tmp_path, 2000.0 + 8 * 3600) is None, "yesterday's"
    os.utime(logged(tmp_path / "3.jsonl", ends=True), (3000, 3000))
    assert last_log(tmp_path, 3100.0) is None, "ended"


def test_a_damaged_log_does_not_keep_the_referee_from_starting(tmp_path: Path) -> None:
    sound = logged(tmp_path / "1.jsonl")
    damaged = tmp_path / "2.jsonl"
    damaged.write_bytes(b"\0" * 100)
    assert last_log(tmp_path, sound.stat().st_mtime) == sound
    assert damaged.read_bytes() == b"\0" * 100


def test_a_match_that_goes_on_keeps_its_rules_and_state(tmp_path: Path, profile: Profile) -> None:
    said = MatchSettings(rules="icf", state=STATE)
    assert going_on(said, tmp_path / "new.jsonl") is said
    assert going_on(said, logged(tmp_path / "a.jsonl", "masters"), profile) == MatchSettings(profile)
