"""The vision process tells how it does: rates, losses, delays, and why nothing can be judged."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from test_pipeline import Recorded, frames

from calibration.profile import load_profile
from referee.facts import AlertKind
from referee.pipeline import MatchSettings, referee
from referee.pipeline.vitals import CameraState, Vitals


@dataclass
class Sight:
    """What of the vision process matters here: the last frame's time and the frames lost."""

    t: float = 0.0
    dropped: int = 0
    unrecorded: int = 0
    troubles: frozenset[AlertKind] = frozenset()
    passport: dict[Any, Any] = field(default_factory=dict)
    seeing: Any = None


class Told:
    """Vitals on a clock of the test's own, and what they published."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.now = 100.0
        self.vitals = Vitals(self.messages.append, lambda: self.now)

    def see(self, t: float, late: float = 0.0, dropped: int = 0) -> None:
        self.now = 100.0 + t + late
        self.vitals.on_frame(Sight(t, dropped))  # type: ignore[arg-type]


def test_rate_losses_and_delays_are_those_of_the_last_seconds() -> None:
    told = Told()
    for i in range(120):
        told.see(i / 30, late=0.02 if i % 10 else 0.12, dropped=i // 60)
    last = told.messages[-1]
    assert last["camera"] == "judging"
    assert last["fps"] == pytest.approx(30, rel=0.06)
    assert (last["lost"], last["delay_s"]) == (1, 0)
    assert last["delay_worst_s"] == pytest.approx(0.1)
    assert last["lost_share"] == pytest.approx(1 / (last["frames"] + 1), abs=1e-4)


def test_it_speaks_every_two_seconds_only() -> None:
    told = Told()
    for i in range(300):
        told.see(i / 30)
    assert len(told.messages) == 5


def test_a_rulings_delay_counts_from_the_frame_at_which_it_was_called() -> None:
    told = Told()
    told.see(1.0)
    told.now = 102.6
    told.vitals.on_line({"type": "stroke", "t_called": 2.5})
    told.vitals.on_line({"type": "ruling"})
    told.see(5.0)
    assert told.messages[-1]["ruling_s"] == pytest.approx(0.1)


def test_frames_lost_before_the_camera_came_back_stay_counted(profile_file: Path) -> None:
    told, looking = Told(), SimpleNamespace(profile=load_profile(profile_file))
    told.see(0.0, dropped=5)
    told.vitals.began(Recorded([]), Sight(seeing=looking), Path("a"))  # type: ignore[arg-type]
    told.see(4.0, dropped=2)
    assert (told.messages[-1]["lost"], told.messages[-1]["frames"]) == (7, 2)


def test_why_nothing_can_be_judged_is_told_at_once() -> None:
    told = Told()
    told.see(0.0)
    told.vitals.waits(CameraState.AWAY, "no camera is connected")
    assert (told.messages[-1]["camera"], told.messages[-1]["why"]) == ("away", "no camera is connected")


def test_a_whole_source_is_told_from_its_first_frame_to_its_end(profile_file: Path, tmp_path: Path) -> None:
    told: list[dict[str, Any]] = []
    setting = MatchSettings(load_profile(profile_file))
    referee(Recorded(frames(20)), setting, tmp_path / "a.jsonl", "m", audience=Vitals(told.append))
    assert [message["camera"] for message in (told[0], told[-1])] == ["judging", "ended"]
    assert (told[-1]["frames"], told[-1]["source"], told[-1]["nominal_fps"]) == (20, "recorded", 30.0)
