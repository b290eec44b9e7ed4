"""A star about the centre circle: points that bear the ink of its middle, which then is print unless more speaks for
the queen.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from calibration.camera import F64
from calibration.discs import Disc
from calibration.picture import Picture
from calibration.profile import Profile
from calibration.symmetry import middle, on_surface

SHARES = np.arange(1.4, 2.4, 0.1)
"""In radii: where a star's points are wide and clear of what its middle's blurred edge reaches."""
ANGLES = 96
LEAST_SHARE, ASIDE = 0.35, 0.35
"""A point shows this share of the middle's step in hue from the board, and is no farther aside of it than the second
share of its own step: thin points are blurred with wood and with the black ones."""
LEAST_POINTS, EVEN = 3, 1.5
"""So many points make a star, none of whose gaps is wider than so many even ones."""
OWN_INK, OWN_SHARE = math.tan(math.radians(8.0)), 0.5
"""All of them together have the middle's ink where they are no farther aside, and show this share of its step. Of 27
bare stars in simulated worlds 24 do, and half of the queens on one: on the others the ink tells her."""
LEAST_RADIUS_PX = 12.0
"""Of smaller discs the shade tells nothing: a gap between two points, not half as wide, is blurred all over."""


def hides_shade(picture: Picture, profile: Profile, disc: Disc) -> bool:
    """Whether a star leads away from a disc in the disc's own ink, all round, and is too small to show the light
    between its points: then a queen cannot be told from it, and hardly ever lies there.
    """
    if disc.radius * float(profile.camera.px_per_mm([(disc.x, disc.y)])[0]) > LEAST_RADIUS_PX:
        return False
    off = _hues(picture, profile, disc) - np.array(disc.ground[1:])
    step = np.array(disc.colour[1:]) - np.array(disc.ground[1:])
    own = _own(off, step, LEAST_SHARE, ASIDE).mean(1) > 0.5
    starts = np.flatnonzero(own & ~np.roll(own, 1))
    gaps = np.diff(starts, append=starts[:1] + ANGLES)
    if len(starts) < LEAST_POINTS or gaps.max() > EVEN * ANGLES / len(starts):
        return False
    return bool(_own(np.median(off[own].reshape(-1, 2), axis=0), step, OWN_SHARE, OWN_INK))


def _hues(picture: Picture, profile: Profile, disc: Disc) -> F64:
    """Blue and red difference (angles, shares, 2) about a disc, on the board's surface."""
    lattice = middle(profile.camera, profile.board.outer_circle_radius)
    turn = np.arange(ANGLES) * (2 * math.pi / ANGLES)
    ray = np.stack([np.cos(turn), np.sin(turn)], -1)
    centre = on_surface(disc, profile.camera.position, profile.board.coin_height)
    points = centre + disc.radius * SHARES[:, None] * ray[:, None]
    return np.moveaxis(lattice.between(lattice.look(picture)[1:], points), 0, -1).astype(np.float64)


def _own(off: F64, step: F64, least: float, most_aside: float) -> NDArray[np.bool_]:
    """Which steps in hue from the board (..., 2) are at least so much of the disc's `step` (2,), and aside no more."""
    share = off @ step / max(float(step @ step), 1e-9)
    aside = np.linalg.norm(off - share[..., None] * step, axis=-1)
    return np.asarray((share > least) & (aside < most_aside * share * np.linalg.norm(step)))
