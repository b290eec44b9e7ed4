"""How high the camera hangs over a board that it sees squarely: by how far the frame's edge is displaced."""

from itertools import islice

import numpy as np
import pytest

from calibration.calibrate import MOST_PICTURES, calibrate
from referee.sim.source import SimSource
from referee.sim.variety import Odds, world

TOP_MM, AT_MM = 9.0, np.array([(x, y) for x in (-250.0, 0.0, 250.0) for y in (-250.0, 0.0, 250.0)])
"""Height of a striker's top, and places all over the board."""
HEIGHT_SHARE, ASIDE_MM = 0.2, 0.5
"""Frames differ from the book's by a seventh; so does what they tell."""


@pytest.mark.parametrize("seed", [14009, 14038, 14188, 14189])
def test_pieces_are_seen_where_they_are_under_a_camera_that_hangs_higher_than_most(seed: int) -> None:
    """Taken to hang a quarter lower, cameras displaced strikers by 0.5 to 0.9 mm: moons were left open."""
    with SimSource(world(seed, 4, Odds(slips=0.35))) as sim:
        found = calibrate([frame.picture for frame in islice(sim, MOST_PICTURES)]).camera
        true = sim.camera
    assert found.position[2] == pytest.approx(true.position[2], rel=HEIGHT_SHARE)
    seen = found.to_board(true.to_pixels(AT_MM, TOP_MM), TOP_MM)
    assert np.max(np.linalg.norm(seen - AT_MM, axis=1)) < ASIDE_MM
