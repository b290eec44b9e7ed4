"""The board's passport: simulated boards of known friction and bounce are measured, and what changed is told."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from sim_clips import one_stroke
from test_pipeline import Recorded

from calibration.meters.lighting import LightReading
from calibration.profile import Profile, load_profile
from models.board import load_board
from models.pieces import Kind
from referee.board_condition.condition import (
    PASSPORT_NAME,
    Matter,
    Passport,
    Quantity,
    Trait,
    as_dict,
    changes,
    lines,
    load,
    of_dict,
    save,
)
from referee.board_condition.glides import measured_glides
from referee.board_condition.traits import Survey, lengths_run, of_light, of_profile, typical
from referee.cli import main
from referee.frames.frame import Frame
from referee.log import read_log
from referee.pipeline import MatchSettings, referee
from referee.replay.tracks import DISC, HAND, LYING, PLACED, TRACKS_LETTERS, Tracks
from referee.sim.physics import Discs, Flight, Sliding

BOARD = load_board("icf74")
FPS, NOISE_MM = 60.0, 0.7
"""What moving discs are seen to within; measured on simulated pictures of 640x480."""


def stroke(sliding: Sliding, speed: float, angle: float, rng: np.random.Generator) -> Tracks:
    """A striker sent over a board with four coins, as it is seen."""
    pos = np.array([[0.0, -250.0], [60.0, 40.0], [-120.0, 90.0], [150.0, -80.0], [-60.0, 200.0]])
    vel = np.zeros_like(pos)
    vel[0] = speed * math.sin(angle), speed * math.cos(angle)
    radius = np.array([BOARD.striker_radius] + [BOARD.coin_radius] * 4)
    flight = Flight(BOARD, Discs(pos, vel, radius, np.array([15.0] + [5.3] * 4), np.ones(5, bool)), 0.0, sliding)
    kinds = [TRACKS_LETTERS[Kind.STRIKER], *[TRACKS_LETTERS[Kind.WHITE]] * 4]
    rows = [(*row, NOISE_MM) for row in sightings(flight, pos, kinds, rng)]
    empty = [np.array([], kind) for kind in (LYING, PLACED, HAND)]
    return Tracks(np.array(1), np.array([0.0, 5.0]), np.array(rows, DISC), np.array([0.0]), *empty)


def sightings(flight: Flight, start: np.ndarray, kinds: list[bytes],
              rng: np.random.Generator) -> Iterator[tuple[float, int, bytes, float, float]]:  # fmt: skip
    for i in range(round(5 * FPS)):
        t = i / FPS
        places, falls = flight.at(t), {fall.disc: fall.t for fall in flight.falls}
        for disc, (x, y) in enumerate(places + rng.normal(0, NOISE_MM, places.shape)):
            if t < falls.get(disc, math.inf) and np.any(places[disc] != start[disc]):
                yield t, disc, kinds[disc], x, y


def surveyed(sliding: Sliding, strokes: int = 12) -> Passport:
    rng = np.random.default_rng(3)
    survey = Survey(BOARD)
    for _ in range(strokes):
        survey.add(stroke(sliding, rng.uniform(1500, 4000), rng.uniform(-0.7, 0.7), rng), 0.0)
    return survey.passport()


@pytest.mark.parametrize(("friction", "left"), [(700.0, 0.6), (1100.0, 0.7), (1600.0, 0.78)])
def test_friction_is_measured_to_two_percent_and_the_bounce_to_three_hundredths(friction: float, left: float) -> None:
    measured = surveyed(Sliding(friction_mm_s2=friction, cushion_restitution=left))
    told, bounce = measured[Trait.FRICTION], measured[Trait.RESTITUTION]
    assert told.value == pytest.approx(friction, rel=0.02)
    assert bounce.value == pytest.approx(left, abs=0.03)
    assert abs(told.value - friction) < 4 * told.sigma
    assert abs(bounce.value - left) < 4 * bounce.sigma
    assert (told.n > 20, bounce.n > 3, measured[Trait.STRIKE].n > 8) == (True, True, True)
    assert 3000 < measured[Trait.STRIKE].value < 4100


def test_a_board_is_told_by_its_last_strokes_alone_however_long_the_match() -> None:
    before, after = (stroke(Sliding(friction_mm_s2=f), 2500.0, 0.3, np.random.default_rng(1)) for f in (1600.0, 800.0))
    long, short = Survey(BOARD), Survey(BOARD)
    for _ in range(10):
        long.add(before, 0.0)
    for _ in range(60):
        long.add(after, 0.0)
        short.add(after, 0.0)
    assert long.passport()[Trait.FRICTION] == short.passport()[Trait.FRICTION]


def test_nothing_is_told_from_too_little() -> None:
    assert Trait.FRICTION not in Survey(BOARD).passport()
    assert typical([1.0, 1.1, 9.0]).value == 1.1


def test_a_piece_told_twice_in_the_frame_in_which_it_left_is_no_knock() -> None:
    whole = stroke(Sliding(), 2500.0, 0.1, np.random.default_rng(1))
    first = whole.discs[:1].copy()
    first["x"] -= 9.0
    twice = replace(whole, discs=np.concatenate([first, whole.discs]))
    assert [len(glide.t) for glide in measured_glides(twice)] == [len(glide.t) for glide in measured_glides(whole)]


def test_runs_follow_from_speed_friction_and_bounce() -> None:
    assert lengths_run(1000.0, 1000.0, 0.7, 1000.0) == pytest.approx(0.5)
    assert lengths_run(math.sqrt(2000.0), 1.0, 0.0, 1000.0) == pytest.approx(1.0)
    # One length, then half of the energy that was left.
    assert lengths_run(2000.0, 1000.0, math.sqrt(0.5), 1000.0) == pytest.approx(1.5)
    runs = surveyed(Sliding())[Trait.RUNS]
    assert runs.sigma > 0
    assert runs.value == pytest.approx(lengths_run(4000.0, 1100.0, 0.7, 2 * (BOARD.half - BOARD.striker_radius)), 0.15)


def test_light_and_its_flicker_are_told_from_two_seconds_of_it() -> None:
    t = np.arange(0, 2.0, 1 / 50)
    lights = [LightReading(x, np.full((12, 8), 0.4 * (1 + 0.06 * math.sin(2 * math.pi * 7.3 * x)))) for x in t.tolist()]
    told = of_light(lights)
    assert told[Trait.LIGHT].value == pytest.approx(40, abs=0.5)
    assert told[Trait.FLICKER].value == pytest.approx(6, abs=1)
    assert of_light(lights[:5]) == {}


def test_the_profile_tells_pockets_and_scale(profile_file: Path) -> None:
    profile = load_profile(profile_file)
    told = of_profile(profile)
    assert told[Trait.POCKET].value == pytest.approx(profile.board.pocket_diameter, abs=1.5)
    assert 0.2 < told[Trait.SCALE].value < 0.6
    assert Trait.HEIGHT not in told, "without a measured lens nobody knows it"


@cache
def same() -> Passport:
    return surveyed(Sliding(), 6)


def test_an_unchanged_board_is_not_told_and_a_changed_one_is_with_both_figures() -> None:
    again = surveyed(Sliding(), 12)
    assert list(changes(same(), again)) == []
    (powder,) = changes(same(), surveyed(Sliding(friction_mm_s2=1400.0), 6))
    assert (powder.trait, powder.matter) == (Trait.FRICTION, Matter.POWDER)
    assert "look at the powder (1" in powder.text
    assert " instead of 1" in powder.text
    told = {}
    for trait in Trait:
        was, more = Quantity(1.0, 1e-6, 9), Quantity(1000.0, 1e-6, 9)
        told[trait] = [c.trait for c in changes({trait: was}, {trait: more})]
        assert list(changes({trait: was}, {trait: Quantity(1000.0, 1000.0, 9)})) == []
    assert all(traits == [trait] for trait, traits in told.items() if traits)
    assert sum(map(len, told.values())) > 3


def test_a_passport_is_kept_and_read_and_a_damaged_one_is_measured_anew(tmp_path: Path) -> None:
    path = tmp_path / PASSPORT_NAME
    save(path, same())
    assert load(path) == same() == of_dict(as_dict(same()) | {"of another version": 1})
    path.write_text('{"friction_mm_s2": 3}')
    assert load(path) == {}
    assert load(tmp_path / "none") == {}


@pytest.fixture
def profile(profile_file: Path) -> Profile:
    return load_profile(profile_file)


def played(profile: Profile, folder: Path) -> list[tuple[str, str]]:
    """Kind and text of the alerts while the clip is played before a live camera."""
    log = folder / f"{len(list(folder.glob('*.jsonl')))}.jsonl"
    whole = [Frame(picture, i / 30, i, 0.0) for i, picture in enumerate(one_stroke())]
    referee(Recorded(whole, live=True), MatchSettings(profile), log, "m")
    contents = read_log(log)
    (told,) = [line for line in contents.lines if line["type"] == "passport"]
    traits = of_dict(told["traits"])
    assert traits[Trait.FRICTION].value == pytest.approx(Sliding().friction_mm_s2, rel=0.05)
    assert traits[Trait.COLOURS].value > 3
    return [(line["kind"], line["text"]) for line in contents.lines if line["type"] == "alert"]


def test_a_match_tells_what_is_another_than_at_the_last_one_and_keeps_its_own(profile: Profile, tmp_path: Path) -> None:
    assert [kind for kind, _ in played(profile, tmp_path)] == ["source_ended"]
    first = load(tmp_path / PASSPORT_NAME)
    assert [kind for kind, _ in played(profile, tmp_path)] == ["source_ended"]
    other = {Trait.FRICTION: Quantity(800.0, 8.0, 40), Trait.SCALE: Quantity(0.9, 0.002, 300)}
    save(tmp_path / PASSPORT_NAME, {**first, **other})
    told = played(profile, tmp_path)
    assert [kind for kind, _ in told] == ["camera_differs", "powder_changed", "source_ended"]
    assert "instead of 800 ± 8 mm/s^2" in told[1][1]
    assert load(tmp_path / PASSPORT_NAME)[Trait.FRICTION] == first[Trait.FRICTION]


def test_check_shows_the_passport(tmp_path: Path) -> None:
    words = ["check", "--data", str(tmp_path)]
    assert "not measured yet" in CliRunner().invoke(main, words).output
    (tmp_path / "matches").mkdir()
    save(tmp_path / "matches" / PASSPORT_NAME, same())
    told = CliRunner().invoke(main, words).output
    assert all(line in told for line in lines(same()))
    friction = re.search(r"friction (\d+)", told)
    assert friction is not None
    assert 1050 < float(friction[1]) < 1150
