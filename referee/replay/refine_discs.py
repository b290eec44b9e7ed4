"""Measures the exact place of a moving disc in the retained image tiles, and its colour distance from each kind."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.geometry.camera import F64
from calibration.geometry.lattice import Lattice
from calibration.geometry.picture import U8
from calibration.profile import Profile
from models.pieces import Kind
from referee.pieces.colour_classes import tint_distance
from referee.pieces.disc import Disc
from referee.pieces.disc_place import PATCH_RADII, ImagePlanes, place_discs
from referee.replay.pace import Pace
from referee.replay.tile_batch import Mosaic
from referee.replay.tiles import FrameTiles

GROUND_MM, REFINE_DARKEST = 30.0, 8.0
"""GROUND_MM: radius around a disc over which the median luma of the empty board is its reference. REFINE_DARKEST: least
luma of that reference."""
BATCH_SIZE = 16
"""Number of discs measured at once; more would keep the interpreter from the vision for longer."""
REFINE_INNER = np.array([(0.0, 0.0), *((r * np.cos(a), r * np.sin(a)) for r in (0.2, 0.4, 0.65)
                  for a in np.arange(12) * (np.pi / 6))])  # fmt: skip
"""Points (n, 2) of a top face at which its colour is sampled, in its radii."""


@dataclass(frozen=True, slots=True)
class DiscGuess:
    """Kind of a disc and the place (board mm) where it is sought."""

    kind: Kind
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class DiscMeasurement:
    """Measured place of a disc."""

    x: float
    y: float
    """Board mm."""
    sigma: float
    """Standard deviation (mm) of the place, by the outline."""
    strange: float
    """Distance of its colour from that of its kind, in standard deviations."""
    likeliest: Kind | None
    """Kind with the nearest colour; None if no colours are known."""


class DiscMeasurer:
    """Measures discs in the retained image tiles of one stroke."""

    def __init__(self, profile: Profile, lattice: Lattice, empty: U8, pace: Pace | None = None) -> None:
        """`empty` (3, n, n): the empty board on the background's lattice.

        `pace` pauses it after each batch; without it there are no pauses.
        """
        self._profile, self._lattice, self._pace = profile, lattice, pace or Pace()
        side = 2 * round(GROUND_MM / lattice.step) + 1
        self._ground = np.asarray(cv2.medianBlur(empty[0], side), np.float64)

    @property
    def within_mm(self) -> float:
        """Greatest distance from the board's axes at which a disc can be seen, mm: it lies on the frame there."""
        return self._profile.board.half + self._profile.board.frame_width

    def refine(self, wanted: Sequence[tuple[FrameTiles, DiscGuess]]) -> list[DiscMeasurement]:
        """Measures each disc near its guess in the tiles of its frame.

        Raises OutOfTime if the program ends meanwhile.
        """
        found: list[DiscMeasurement] = []
        for first in range(0, len(wanted), BATCH_SIZE):
            began = time.perf_counter()
            cutouts, guesses = zip(*wanted[first : first + BATCH_SIZE], strict=True)
            found += self._refine(cutouts, guesses)
            self._pace.pause(time.perf_counter() - began)
        return found

    def _refine(self, cutouts: Sequence[FrameTiles], guesses: Sequence[DiscGuess]) -> list[DiscMeasurement]:
        discs, heights = self._discs(guesses)
        mosaic = self._mosaic(cutouts, discs, heights)
        found = place_discs(mosaic, self._profile.camera, discs, heights, in_flight=True)
        gains = np.array([cutout.gain for cutout in cutouts])
        return self._fixes(guesses, found, self._tints(mosaic, found, heights, gains))

    def refine_closely(self, cutout: FrameTiles, guesses: Sequence[DiscGuess]) -> list[DiscMeasurement]:
        """Measures discs at rest, all in the tiles of one frame, with the finer search."""
        discs, heights = self._discs(guesses)
        camera = self._profile.camera
        picture = cutout.picture(camera.width, camera.height)
        found = place_discs(picture, camera, discs, heights)
        return self._fixes(guesses, found, self._tints(picture, found, heights, np.full(len(found), cutout.gain)))

    def _discs(self, guesses: Sequence[DiscGuess]) -> tuple[list[Disc], F64]:
        """Returns the discs that are sought, and the heights (n,) mm of their tops."""
        return [self._disc(g) for g in guesses], np.array([self._profile.board.height(g.kind) for g in guesses])

    def _mosaic(self, cutouts: Sequence[FrameTiles], discs: Sequence[Disc], heights: F64) -> Mosaic:
        """Returns the pixels around the discs, as far as they are searched."""
        camera = self._profile.camera
        reach = PATCH_RADII * max(d.radius for d in discs)
        aside = np.array([(0, 0), (reach, 0), (-reach, 0), (0, reach), (0, -reach)])
        points = np.array([(d.x, d.y) for d in discs])[:, None] + aside
        px = camera.to_pixels(points.reshape(-1, 2), np.repeat(heights, len(aside))).reshape(len(discs), -1, 2)
        return Mosaic.of(cutouts, px[:, 0], float(np.abs(px - px[:, :1]).max()), camera.width)

    def _disc(self, guess: DiscGuess) -> Disc:
        """Returns a disc before it is measured: its guessed place, its radius, and the luma of its kind."""
        colour, board = self._profile.colours.get(guess.kind), self._profile.board
        luma = colour.mean[0] if colour else 0.0
        return Disc(guess.x, guess.y, board.radius(guess.kind), 1.0, (luma, 128.0, 128.0), (100.0, 128.0, 128.0), 100.0)

    def _fixes(self, guesses: Sequence[DiscGuess], discs: Sequence[Disc], tints: F64) -> list[DiscMeasurement]:
        return [self._fix(disc, guess.kind, tint) for disc, guess, tint in zip(discs, guesses, tints, strict=True)]

    def _fix(self, disc: Disc, kind: Kind, tint: F64) -> DiscMeasurement:
        luma, blue, red = tint.tolist()
        off = {k: tint_distance((luma, blue, red), c) for k, c in self._profile.colours.items()}
        return DiscMeasurement(
            disc.x, disc.y, disc.sigma, off.get(kind, 0.0), min(off, key=off.__getitem__, default=None)
        )

    def _tints(self, shown: ImagePlanes, discs: Sequence[Disc], heights: F64, gains: F64) -> F64:
        """Returns the colours (n, 3) of the discs' top faces relative to the board around them, as in
        `calibration.profile.Colour`.

        `gains` (n,): brightness of each cutout relative to that of the empty board.
        """
        places = np.array([(d.x, d.y) for d in discs])
        points = places[:, None] + REFINE_INNER * np.array([d.radius for d in discs])[:, None, None]
        px = self._profile.camera.to_pixels(points.reshape(-1, 2), np.repeat(heights, len(REFINE_INNER)))
        across, down = shown.at(*np.asarray(px.T.reshape(2, len(discs), -1), np.float32))
        rows, columns = (np.clip(np.rint(at).astype(int), 0, most - 1)
                         for at, most in zip((down, across), shown.y.shape, strict=True))  # fmt: skip
        planes = (shown.y[rows, columns], shown.u[rows // 2, columns // 2], shown.v[rows // 2, columns // 2])
        faces = np.median(np.asarray(planes), axis=2).T - (0, 128, 128)
        ground = self._ground[self._lattice.nearest(places)]
        return np.asarray(faces * (100.0 / np.maximum(ground * gains, REFINE_DARKEST))[:, None])
