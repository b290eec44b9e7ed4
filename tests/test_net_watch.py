"""The nets: what lies in one shows larger when something falls on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from models.pieces import Pocket
from referee.outcome.net_watch import Fall, NetWatch


def watched(areas: Sequence[float], fps: float) -> list[Fall]:
    """What is told of a net over which so much is seen, frame by frame from time 0."""
    nets = NetWatch()
    for i, area in enumerate(areas):
        nets.update(i / fps, {Pocket.NW: area})
    return nets.falls


def lies(fps: float) -> list[float]:
    """A coin that lies in a net for half a second."""
    return [740.0] * round(fps / 2)


def covered(fps: float) -> list[float]:
    """What is seen while another comes over it within 0.04 s (clip board_b, a pale coin on pale wood)."""
    return [740.0 + 450.0 * min(1.0, i / fps / 0.04) for i in range(1, round(0.12 * fps) + 1)]


@pytest.mark.parametrize("fps", [30, 60, 120])
def test_a_coin_that_falls_on_another_in_a_net_is_told_once_when_it_covers_it(fps: int) -> None:
    (fall,) = watched(lies(fps) + covered(fps) + lies(fps), fps)
    assert fall[1] is Pocket.NW
    assert fall[0] == pytest.approx(0.5, abs=3 / fps)


@pytest.mark.parametrize("fps", [30, 60, 120])
def test_two_that_fall_one_after_the_other_are_told_both(fps: int) -> None:
    assert len(watched((lies(fps) + covered(fps)) * 2 + lies(fps), fps)) == 2


def settling(fps: int) -> list[float]:
    """A coin that fell swings in the net for as long as it is seen (clips own_direct and bump)."""
    return [800.0 * (0.85 + 0.15 * (-1) ** (i * 10 // fps)) for i in range(2 * fps)]


def slowly(fps: int) -> list[float]:
    """A coin that slides out from under the frame."""
    return [500.0 + 200.0 * i / fps for i in range(2 * fps)]


def noisy(fps: int) -> list[float]:
    """A net that shows much more in single frames."""
    return [740.0 * (1.5 if i % 20 == 19 else 1.0) for i in range(2 * fps)]


@pytest.mark.parametrize("fps", [30, 60, 120])
@pytest.mark.parametrize("course", [lies, settling, slowly, noisy])
def test_what_settles_in_a_net_tells_no_fall(course: Callable[[int], list[float]], fps: int) -> None:
    assert watched(course(fps), fps) == []


def test_what_is_seen_first_over_a_pocket_tells_no_fall() -> None:
    assert watched([300.0, 900.0, 900.0, 900.0], 60) == []
