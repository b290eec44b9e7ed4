"""The log says in a line of its own what play has added to the profile: the striker, and a camera that was pushed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sim_clips import FPS, one_stroke
from test_pipeline import Recorded, pushed

from calibration.geometry.camera import Camera
from calibration.profile import Profile, load_profile
from models.board import load_board
from referee.frames.frame import Frame
from referee.log import read_log
from referee.pipeline import MatchSettings, referee

BOARD = load_board()


@pytest.fixture
def profile(profile_file: Path) -> Profile:
    return load_profile(profile_file)


def logged(frames: list[Frame], profile: Profile, folder: Path) -> list[dict[str, Any]]:
    referee(Recorded(frames), MatchSettings(profile), folder / "a.jsonl", "m")
    return list(read_log(folder / "a.jsonl").lines)


def played(count: int) -> list[Frame]:
    return [Frame(picture, i / FPS, i, 0.0) for i, picture in enumerate(one_stroke()[:count])]


def test_the_striker_as_measured_is_logged_before_its_stroke(profile: Profile, tmp_path: Path) -> None:
    unknown = replace(profile, board=replace(profile.board, striker_radius=BOARD.striker_radius + 0.5))
    lines = logged(played(len(one_stroke())), unknown, tmp_path)
    kinds = [line["type"] for line in lines]
    assert kinds.index("profile") < kinds.index("stroke")
    (learned,) = [line for line in lines if line["type"] == "profile"]
    assert BOARD.striker_radius < learned["striker_mm"] < unknown.board.striker_radius - 0.1
    assert learned["colours"].keys() == {"striker"}
    assert "calibration" not in learned


def test_a_camera_pushed_during_a_match_is_logged_where_it_stands_now(profile: Profile, tmp_path: Path) -> None:
    px = 16
    aside = [replace(f, t=(40 + i) / FPS, index=40 + i) for i, f in enumerate(pushed(40, px) * 3)]
    lines = logged([*played(40), *aside], profile, tmp_path)
    header, (moved,) = lines[0], [line for line in lines if line["type"] == "profile" and "calibration" in line]
    corners = np.array([[-BOARD.half, -BOARD.half], [BOARD.half, BOARD.half]])
    before, now = (Camera.from_dict(each["calibration"]).to_pixels(corners) for each in (header, moved))
    assert now - before == pytest.approx(np.array([[px, 0.0]] * 2), abs=0.7)


def test_a_board_on_which_nothing_happens_adds_nothing(profile: Profile, tmp_path: Path) -> None:
    assert "profile" not in [line["type"] for line in logged(played(40), profile, tmp_path)]
