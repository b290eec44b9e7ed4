"""A star about the centre circle: points that bear the ink of its middle, which then is print unless more speaks for
the queen.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64
from calibration.geometry.picture import Picture
from calibration.profile import Profile
from referee.pieces.disc_fit import Disc
from referee.pieces.ornament_symmetry import middle, on_surface

STAR_SHARES = np.arange(1.4, 2.4, 0.1)
"""In radii: where a star's points are wide and clear of what its middle's blurred edge reaches."""
STAR_ANGLES = 96
STAR_LEAST_SHARE, STAR_ASIDE = 0.35, 0.35
"""A point shows this share of the middle's step in hue from the board, and is no farther aside of it than the second
share of its own step: thin points are blurred with wood and with the black ones."""
STAR_LEAST_POINTS, STAR_EVEN = 3, 1.5
"""So many points make a star, none of whose gaps is wider than so many even ones."""
OWN_INK, OWN_SHARE = math.tan(math.radians(8.0)), 0.5
"""All of them together have the middle's ink where they are no farther aside, and show this share of its step. Of 27
bare stars in simulated worlds 24 do, and half of the queens on one: on the others the ink tells her."""
RIM = np.arange(0.4, 1.9, 0.02)
"""In radii: from well within a star's middle to well outside, along which its rim is followed."""
STAR_CLEAR, STAR_BARE = 1.4, 0.25
"""Farther out than so many radii, and between the points, less than this share of the middle's step is seen."""
GAP, STAR_SOFT = 0.43, 0.7
"""The gap (radii) between two of eight points beside the middle, and the share of it over which the rim of what a
picture shows softly passes from nine tenths of its step to one: blurred so far, the gap's middle keeps 93 % of its
light, as little as the board beside coins does."""


def hides_shade(picture: Picture, profile: Profile, disc: Disc) -> bool:
    """Whether a star leads away from a disc in the disc's own ink, all round, and is too softly drawn to show the light
    between its points: then a queen cannot be told from it, and hardly ever lies there.
    """
    off, step = _hues(picture, profile, disc, STAR_SHARES), np.array(disc.colour[1:]) - np.array(disc.ground[1:])
    own = _own(off, step, STAR_LEAST_SHARE, STAR_ASIDE).mean(1) > 0.5
    starts = np.flatnonzero(own & ~np.roll(own, 1))
    gaps = np.diff(starts, append=starts[:1] + STAR_ANGLES)
    if len(starts) < STAR_LEAST_POINTS or gaps.max() > STAR_EVEN * STAR_ANGLES / len(starts):
        return False
    if not _own(np.median(off[own].reshape(-1, 2), axis=0), step, OWN_SHARE, OWN_INK):
        return False
    return rim_width(picture, profile, disc) > STAR_SOFT * GAP


def rim_width(picture: Picture, profile: Profile, disc: Disc) -> float:
    """Over how much, in radii, a star's middle passes from nine tenths of its step in hue from the board to one tenth,
    on the whole of the ways between the points; infinite where none is bare.
    """
    step = np.array(disc.colour[1:]) - np.array(disc.ground[1:])
    share = _hues(picture, profile, disc, RIM) @ step / max(float(step @ step), 1e-9)
    bare = share[:, RIM > STAR_CLEAR].mean(axis=1) < STAR_BARE
    if not bare.any():
        return math.inf
    course = np.median(share[bare], axis=0)
    inner, outer = float(course[RIM < 0.6].mean()), float(course[RIM > 1.5].mean())
    drawn = (course - outer) / max(inner - outer, 1e-9)
    full, begun = RIM[drawn >= 0.9], RIM[drawn >= 0.1]
    return float(begun.max() - full.max()) if len(full) else math.inf


def _hues(picture: Picture, profile: Profile, disc: Disc, shares: F64) -> F64:
    """How far blue and red difference (angles, shares, 2) about a disc, on the board's surface, are from the board's;
    `shares` are distances from its middle in radii.
    """
    lattice = middle(profile.camera, profile.board.outer_circle_radius)
    turn = np.arange(STAR_ANGLES) * (2 * math.pi / STAR_ANGLES)
    ray = np.stack([np.cos(turn), np.sin(turn)], -1)
    centre = on_surface(disc, profile.camera.position, profile.board.coin_height)
    points = centre + disc.radius * shares[:, None] * ray[:, None]
    hues = np.moveaxis(lattice.between(lattice.sample(picture)[1:], points), 0, -1).astype(np.float64)
    return np.asarray(hues - np.array(disc.ground[1:]))


def _own(off: F64, step: F64, least: float, most_aside: float) -> NDArray[np.bool_]:
    """Which steps in hue from the board (..., 2) are at least so much of the disc's `step` (2,), and aside no more."""
    share = off @ step / max(float(step @ step), 1e-9)
    aside = np.linalg.norm(off - share[..., None] * step, axis=-1)
    return np.asarray((share > least) & (aside < most_aside * share * np.linalg.norm(step)))
