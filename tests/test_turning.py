"""South moved to another side: the same board under the same camera, seats and marks renamed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sim_scenes import studio

from calibration.turning import south_on
from models.pieces import Pocket, Seat, from_side


@pytest.mark.parametrize("side", Seat)
def test_what_lies_before_the_side_that_was_tapped_lies_before_south(side: Seat) -> None:
    before = studio().profile
    after = south_on(before, side)
    place = 60.0, -250.0
    seen = before.camera.to_pixels([from_side(side, *place)], 9.0)
    np.testing.assert_allclose(after.camera.to_pixels([place], 9.0), seen, atol=1e-6)
    rear = after.sides[Seat.SOUTH].rear_line
    assert rear is not None
    assert rear.start[1] < -200
    assert after.turn == list(Seat).index(side)


@pytest.mark.parametrize("side", Seat)
def test_four_taps_on_the_same_side_come_round(side: Seat) -> None:
    profile = studio().profile
    for _ in range(4):
        profile = south_on(profile, side)
    for pocket in Pocket:
        assert math.dist(profile.pockets[pocket].centre, studio().profile.pockets[pocket].centre) < 1e-9
    assert profile.turn == 0
