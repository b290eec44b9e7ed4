"""The camera's picture for people: only while wanted, in a thread of its own, and square to the board."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from sim_clips import one_stroke
from web_stage import until

from calibration.profile import Profile, load_profile
from models.pieces import opening_formation
from referee.pipeline.preview import Preview

Shots = list[tuple[dict[str, Any], bytes]]


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def profile(profile_file: Path) -> Profile:
    return load_profile(profile_file)


def test_nothing_is_made_until_somebody_looks_and_again_when_nobody_does(profile: Profile) -> None:
    shots: Shots = []
    clock = Clock()
    picture = one_stroke(61)[0]
    with Preview(lambda body, jpeg: shots.append((body, jpeg)), clock) as preview:
        preview.offer(picture, profile, lambda: {"t": 0.0})
        preview.want()
        preview.offer(picture, profile, lambda: {"t": 1.0})
        until(lambda: len(shots) == 1)
        preview.offer(picture, profile, lambda: {"t": 1.1})
        clock.now += 0.3
        preview.offer(picture, profile, lambda: {"t": 2.0})
        until(lambda: len(shots) == 2)
        clock.now += 4.0
        preview.offer(picture, profile, lambda: {"t": 3.0})
    assert [body["seen"]["t"] for body, _ in shots] == [1.0, 2.0]


def test_the_picture_is_square_to_the_board_at_the_coins_height(profile: Profile) -> None:
    """Every coin of the formation lies in the picture where the vectors draw it, within two millimetres."""
    shots: Shots = []
    with Preview(lambda body, jpeg: shots.append((body, jpeg))) as preview:
        preview.want()
        preview.offer(one_stroke(61)[0], profile, lambda: {"t": 0.0})
        until(lambda: bool(shots))
    body, jpeg = shots[0]
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    mm = 2 * body["reach_mm"] / len(image)
    reddest = np.clip(image[..., 2].astype(float) - image[..., 1], 60, 400) - 60
    near = slice(round(len(image) / 2 - 25 / mm), round(len(image) / 2 + 25 / mm))
    weights = reddest[near, near]
    places = (np.arange(near.start, near.stop) + 0.5) * mm - body["reach_mm"]
    x, y = (weights.sum(0) @ places / weights.sum(), -(weights.sum(1) @ places) / weights.sum())
    queen = opening_formation(31.0)[0]
    assert (x, y) == pytest.approx((queen.x_mm, queen.y_mm), abs=2.0)
