"""The profile: one JSON file that round-trips, and sentences for every file that does not."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from drawn_board import camera

from calibration.profile import (
    Background,
    Circle,
    Colour,
    Profile,
    ProfileError,
    Residuals,
    Segment,
    SideMarks,
    load_profile,
)
from calibration.turning import turned
from models.board import load_board
from models.pieces import Kind, Pocket, Seat, from_side


def side(seat: Seat) -> SideMarks:
    def at(x: float, y: float) -> tuple[float, float]:
        return from_side(seat, x, y)

    return SideMarks(
        Segment(at(-219.0, -268.5), at(219.0, -268.5), 5.5), None, Circle(at(-219.0, -252.6), 15.9), None,
        Segment(at(-300.0, -300.0), at(-120.0, -120.0), 1.5), None)  # fmt: skip


@pytest.fixture
def profile() -> Profile:
    rng = np.random.default_rng(2)
    pockets = {p: Circle((p.corner[0] * 347.0, p.corner[1] * 348.0), 22.0) for p in Pocket}
    ground = Background(4.0, rng.integers(0, 255, (3, 9, 9), dtype=np.uint8), np.full((9, 9), 255, np.uint8))
    colours = {Kind.WHITE: Colour((120.0, -4.0, 3.0), (2.0, 1.0, 1.0))}
    sides = {s: side(s) for s in Seat}
    return Profile(camera(), load_board(), sides, pockets, Residuals(0.2, 0.8, 39), colours, ground,
                   turn=2, lens="charuco")  # fmt: skip


def test_a_profile_survives_its_json(profile: Profile) -> None:
    again = Profile.from_json(profile.to_json())
    assert again.sides == profile.sides
    assert (again.pockets, again.colours, again.residuals) == (profile.pockets, profile.colours, profile.residuals)
    assert again.background is not None
    assert profile.background is not None
    assert np.array_equal(again.background.yuv, profile.background.yuv)
    assert (again.turn, again.lens, again.board) == (2, "charuco", profile.board)
    assert again.to_json() == profile.to_json()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("not json", "no JSON"),
        ("[1, 2]", "not a carrom profile"),
        (json.dumps({"type": "carrom-profile", "version": 999}), "version 999"),
        (json.dumps({"type": "carrom-profile", "version": 1}), "damaged"),
    ],
)
def test_a_wrong_file_is_told(text: str, said: str) -> None:
    with pytest.raises(ProfileError, match=said) as e:
        Profile.from_json(text)
    assert "referee calibrate" in str(e.value)


def test_a_profile_with_a_damaged_camera_is_told(profile: Profile) -> None:
    d = json.loads(profile.to_json())
    d["camera"]["K"] = [1, 2]
    with pytest.raises(ProfileError, match="damaged"):
        Profile.from_json(json.dumps(d))


@pytest.mark.parametrize(
    "nonsense",
    [
        {"K": np.zeros((3, 3)).tolist()},
        {"t_mm": [0.0, 0.0, 1e300]},
        {"t_mm": [0.0, 0.0, -900.0]},
        {"R": np.zeros((3, 3)).tolist()},
        {"dist": [1e300] * 5},
    ],
    ids=str,
)
def test_a_camera_that_cannot_see_the_board_is_told(profile: Profile, nonsense: dict[str, object]) -> None:
    d = json.loads(profile.to_json())
    d["camera"] |= nonsense
    with pytest.raises(ProfileError, match=r"damaged.*camera"):
        Profile.from_json(json.dumps(d))


@pytest.mark.parametrize("nonsense", [-1.0, 1e-9, 1e9, float("inf"), float("nan"), 10**400, "x", None, []], ids=repr)
@pytest.mark.parametrize(
    "place",
    [
        ("camera", "width"),
        ("board", "pocket_diameter"),
        ("board", "base_circle_radius"),
        ("board", "outer_circle_radius"),
        ("board", "coin_radius"),
        ("board", "striker_height"),
        ("sides", "south", "rear_line", "thickness"),
        ("sides", "south", "left_circle", "radius"),
        ("pockets", "NE", "radius"),
    ],
    ids="-".join,
)
def test_a_size_that_nothing_has_is_told(profile: Profile, place: tuple[str, ...], nonsense: object) -> None:
    d = at = json.loads(profile.to_json())
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = nonsense
    with pytest.raises(ProfileError, match=r"damaged.*referee calibrate"):
        Profile.from_json(json.dumps(d))


def test_a_profile_of_another_resolution_is_told(profile: Profile) -> None:
    with pytest.raises(ProfileError, match="1000x750 pictures but the source gives 640x480"):
        profile.for_picture(640, 480)
    assert profile.for_picture(1000, 750) is profile


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="cannot read"):
        load_profile(tmp_path / "none.json")


def test_turning_keeps_every_mark_in_its_place_in_the_picture(profile: Profile) -> None:
    found = turned(profile, 1)
    assert found.turn == 3
    new, old = found.sides[Seat.SOUTH].rear_line, profile.sides[Seat.WEST].rear_line
    assert new
    assert old
    assert np.allclose(found.camera.to_pixels([new.start]), profile.camera.to_pixels([old.start]))
    south_west = found.camera.to_pixels([found.pockets[Pocket.SW].centre])
    assert np.allclose(south_west, profile.camera.to_pixels([profile.pockets[Pocket.NW].centre]))
    assert found.background is None


def test_four_turns_are_none(profile: Profile) -> None:
    found = turned(turned(profile, 3), 1)
    assert found.sides == profile.sides
    assert found.pockets == profile.pockets
    assert found.turn == profile.turn
