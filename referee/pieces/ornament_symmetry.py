"""Ornaments tell themselves by symmetry: what is printed is printed again where the board's symmetry takes it.

Only within the board's middle, where makers print stars and rosettes; a piece there has no twins in the same places.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64, Camera
from calibration.geometry.lattice import Lattice
from calibration.geometry.picture import U8, Picture
from calibration.profile import Profile
from referee.pieces.disc_fit import Disc

ORNAMENT_STEP_MM = 2.0
ORNAMENT_ANGLES = 24
ORNAMENT_SHARES = (0.3, 0.6, 0.85, 1.1, 1.3)
"""Places in and around a disc that are compared, in shares of its radius."""
ORNAMENT_TURNS = tuple(math.radians(a) for a in (*range(30, 360, 30), 45, 135, 225, 315, 72, 144, 216, 288))
"""Turns that take rosettes of 4, 5, 6, 8 and 12 leaves onto themselves."""
ORNAMENT_ALIKE = 0.5
"""Two places show the same pattern when they differ by less than this share of the contrast within one of them, the
other taken for as bold as it is. Measured on 20 patterns: leaves differed by 0.46 at most, coins on them by 1.4 at
least."""
FAINT_ALIKE = 0.75
"""The same as a share of the contrast within the other one, where that is fainter: a coin on a leaf is a bit like the
bare leaves, and bolder. Brown coins on olive leaves differ by 0.82 at least; of 68 leaves of simulated boards each was
within 0.67 of two others."""
FAINTEST, BOLDEST = 0.4, 2.5
"""Times as bold as one leaf another may be: leaves are worn, lit and shaded unequally."""
LEAST_TWINS = 2
"""A disc with this many twins is print; one coin may have one by chance, and coins may lie on the other leaves."""
ORNAMENT_APART = 1.2
"""Places nearer to the disc than this share of its radius are the disc itself."""
CHROMA = 2.0
"""Chroma contrasts are about half of the luma's."""


@lru_cache(maxsize=2)
def middle(camera: Camera, outer_circle_mm: float) -> Lattice:
    """The board's middle at the height of the prints, as far as discs on the outer circle reach."""
    return Lattice.over(camera, outer_circle_mm + 60.0, ORNAMENT_STEP_MM, 0.0)


def twins(picture: Picture, profile: Profile, discs: Sequence[Disc]) -> list[int]:
    """How often each disc within the outer circle is seen again where an ornament would repeat it; 0 outside."""
    reach = profile.board.outer_circle_radius
    inside = [math.hypot(d.x, d.y) < reach for d in discs]
    if not any(inside):
        return [0] * len(discs)
    lattice = middle(profile.camera, reach)
    yuv = lattice.sample(picture)
    eye, height = profile.camera.position, profile.board.coin_height
    return [_twins(lattice, yuv, on_surface(d, eye, height), d.radius) if i else 0
            for d, i in zip(discs, inside, strict=True)]  # fmt: skip


def on_surface(disc: Disc, eye: F64, height: float) -> F64:
    """Where (2,) a disc seen on the plane of the coins' tops lies if it is print."""
    share = height / eye[2]
    return np.asarray((np.array([disc.x, disc.y]) - share * eye[:2]) / (1 - share))


def _twins(lattice: Lattice, yuv: U8, middle: F64, radius: float) -> int:
    turns = np.concatenate([np.array([0.0, *ORNAMENT_TURNS]), np.array([0.0, *ORNAMENT_TURNS])])
    sign = np.repeat([1.0, -1.0], len(ORNAMENT_TURNS) + 1)
    angle = np.arange(ORNAMENT_ANGLES) * (2 * math.pi / ORNAMENT_ANGLES)
    ray = np.stack([np.cos(angle), np.sin(angle)], -1)
    points = (middle + radius * np.array(ORNAMENT_SHARES)[:, None, None] * ray).reshape(-1, 2)
    x, y = points[:, 0], sign[:, None] * points[:, 1]
    c, s = np.cos(turns)[:, None], np.sin(turns)[:, None]
    seen = _seen(lattice, yuv, np.stack([c * x - s * y, s * x + c * y], -1))
    pattern = seen - seen.mean(1, keepdims=True)
    own = float(np.sum(pattern[0] ** 2))
    share = np.sum(pattern[1:] * pattern[0], (1, 2)) / max(own, 1e-9)
    off = np.sum((pattern[1:] - share[:, None, None] * pattern[0]) ** 2, (1, 2))
    same = (
        (off < ORNAMENT_ALIKE**2 * own)
        & (off < (FAINT_ALIKE * share) ** 2 * own)
        & (share > FAINTEST)
        & (share < BOLDEST)
    )
    home = (
        np.hypot(
            c * middle[0] - s * sign[:, None] * middle[1] - middle[0],
            s * middle[0] + c * sign[:, None] * middle[1] - middle[1],
        )[1:, 0]
        < ORNAMENT_APART * radius
    )
    return int(np.sum(same & ~home))


def _seen(lattice: Lattice, yuv: U8, points: F64) -> NDArray[np.float64]:
    """Luma and chroma (k, n, 3) at board points (k, n, 2), each of the k places made equally bright."""
    seen = np.moveaxis(lattice.between(yuv, points), 0, -1).astype(np.float64) - np.array([0.0, 128.0, 128.0])
    return np.asarray(seen * np.array([1.0, CHROMA, CHROMA]) / np.maximum(seen[..., :1].mean(1, keepdims=True), 8.0))
