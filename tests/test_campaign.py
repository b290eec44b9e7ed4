"""The campaign in short; the whole of it: `PYTHONPATH=tests python -m campaign`."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaign.cameras import camera_faults
from campaign.cuts import compiled, kills, power_cuts
from campaign.damage import TARGETS, damaged_logs, fuzzed
from campaign.doors import pins
from campaign.pictures import disturbed_pictures


def test_nothing_that_was_shown_is_lost_to_a_kill(tmp_path: Path) -> None:
    result = kills(tmp_path, 10)
    assert (result.tries, result.lost) == (10, [])


@pytest.mark.parametrize(("delay_ms", "fails"), [(0, 0), (500, 0), (5, 7)])
def test_nothing_that_was_shown_is_lost_to_a_power_cut(tmp_path: Path, delay_ms: int, fails: int) -> None:
    if compiled(tmp_path) is None:
        pytest.skip("no C compiler for the disk that loses what was not synced")
    result = power_cuts(tmp_path, 2, delay_ms, fails)
    assert (result.tries, result.lost) == (2, [])
    assert result.figures["shown"] > 0


def test_damage_is_told_and_never_accepted(tmp_path: Path) -> None:
    result = damaged_logs(tmp_path, 300)
    assert (result.tries, result.lost) == (300, [])


@pytest.mark.parametrize("target", TARGETS)
def test_nonsense_comes_to_a_sentence(tmp_path: Path, target: str) -> None:
    assert fuzzed(tmp_path, target, 2.0).lost == []


def test_at_most_a_hundred_wrong_pins_an_hour_and_the_umpire_is_never_kept_out() -> None:
    result = pins(1)
    assert result.lost == []
    assert 50 <= result.figures["most_an_hour"] <= 100


def test_faulty_cameras_make_nothing_wrong_and_sure(tmp_path: Path) -> None:
    result = camera_faults(tmp_path, 3)
    assert (result.tries, result.lost) == (3, [])


def test_cropped_turned_shaded_and_half_empty_pictures_make_nothing_wrong_and_sure() -> None:
    result = disturbed_pictures(6)
    assert (result.tries, result.lost) == (6, [])
    assert result.figures["sure"] > 0
