"""The loupe: finds the exact place of a moving disc in what was kept of a frame, and asks whether it looks its kind."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import F64
from calibration.discs import QUICK, Disc, Fan, refine
from calibration.lattice import Lattice
from calibration.looks import tint_distance
from calibration.picture import U8, Picture
from calibration.profile import Profile
from models.pieces import Kind
from referee.replay.scraps import Scrap

GROUND_MM, DARKEST = 30.0, 8.0
"""The empty board is looked at so far around a disc; a luma below the second tells nothing."""
INNER = np.array([(0.0, 0.0), *((r * np.cos(a), r * np.sin(a)) for r in (0.2, 0.4, 0.65)
                  for a in np.arange(12) * (np.pi / 6))])  # fmt: skip
"""Points (n, 2) of a top face at which it is looked, in its radii."""


@dataclass(frozen=True, slots=True)
class Guess:
    """Where a disc of a kind is sought."""

    kind: Kind
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Fix:
    """Where it was found."""

    x: float
    y: float
    """Board mm."""
    sigma: float
    """Standard deviation (mm) by its outline."""
    strange: float
    """How far it looks from its kind, in standard deviations."""
    looks: Kind | None
    """The kind that it looks most like; None where no looks are known."""


class Loupe:
    """Looks at scraps of the frames of one stroke."""

    def __init__(self, profile: Profile, lattice: Lattice, empty: U8, rest: float = 0.0) -> None:
        """`empty` (3, n, n) is the empty board on the gate's lattice.

        After each look it rests `rest` times as long as that took: the vision wants the interpreter too.
        """
        self._profile, self._lattice, self._rest = profile, lattice, rest
        side = 2 * round(GROUND_MM / lattice.step) + 1
        self._ground = np.asarray(cv2.medianBlur(empty[0], side), np.float64)

    def look(self, scrap: Scrap, guesses: Sequence[Guess], fan: Fan = QUICK) -> list[Fix]:
        """Each disc sought at its guess, by the edges around it."""
        if not guesses:
            return []
        began = time.perf_counter()
        found = self._look(scrap, guesses, fan)
        if self._rest:
            time.sleep(self._rest * (time.perf_counter() - began))
        return found

    def _look(self, scrap: Scrap, guesses: Sequence[Guess], fan: Fan) -> list[Fix]:
        camera, board = self._profile.camera, self._profile.board
        picture = scrap.picture(camera.width, camera.height)
        heights = np.array([board.height(g.kind) for g in guesses])
        found = refine(picture, camera, [self._disc(g) for g in guesses], heights, fan)
        tints = self._tints(scrap, picture, found, heights)
        return [self._fix(disc, guess.kind, tint) for disc, guess, tint in zip(found, guesses, tints, strict=True)]

    def _disc(self, guess: Guess) -> Disc:
        """What is known of a disc before it is found: its size, and how light its kind is."""
        look, board = self._profile.colours.get(guess.kind), self._profile.board
        luma = look.mean[0] if look else 0.0
        return Disc(guess.x, guess.y, board.radius(guess.kind), 1.0, (luma, 128.0, 128.0), (100.0, 128.0, 128.0),
                    (0.0, 128.0, 128.0), 100.0)  # fmt: skip

    def _fix(self, disc: Disc, kind: Kind, tint: F64) -> Fix:
        off = {k: tint_distance(tint, c) for k, c in self._profile.colours.items()}
        return Fix(disc.x, disc.y, disc.sigma, off.get(kind, 0.0), min(off, key=off.__getitem__, default=None))

    def _tints(self, scrap: Scrap, picture: Picture, discs: Sequence[Disc], heights: F64) -> F64:
        """The discs' top faces (n, 3) relative to the board around them, as `calibration.profile.Colour` has it."""
        places = np.array([(d.x, d.y) for d in discs])
        points = places[:, None] + INNER * np.array([d.radius for d in discs])[:, None, None]
        px = self._profile.camera.to_pixels(points.reshape(-1, 2), np.repeat(heights, len(INNER)))
        columns, rows = np.clip(np.rint(px).astype(int), 0, (picture.width - 1, picture.height - 1)).T
        planes = (picture.y[rows, columns], picture.u[rows // 2, columns // 2], picture.v[rows // 2, columns // 2])
        faces = np.median(np.reshape(planes, (3, len(discs), -1)), axis=2).T - (0, 128, 128)
        ground = self._ground[self._lattice.nearest(places)]
        return np.asarray(faces * (100.0 / np.maximum(ground * scrap.gain, DARKEST))[:, None])
