"""How much the surroundings of circles look alike: a coin's rim, grooves, wall and shade, held against another's.

Prints and what other pieces hide are left out, but a coin's own face hides the prints beneath it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64
from calibration.profile import Profile
from calibration.rings import CHROMA_GAIN, F32
from referee.pieces.circles import Ring
from referee.pieces.disc_fit import Disc
from referee.pieces.scan import View

TEMPLATE_STEP_MM = 2.0
"""Spacing of the points that are compared: shade and walls are as wide as this."""
TEMPLATE_REACH = 1.35
"""In radii: how much of a coin's surroundings is compared, for its wall and its shade lie there."""
TEMPLATE_STRAY_MM = 4.0
"""The search finds a pale coin within this of its place."""
OWN_REACH = 1.1
"""In radii: what other pieces hide of a coin's surroundings."""
FACE = 0.8
"""In radii: a coin hides the prints within this; nearer its rim two base lines beside it draw what a rim does."""
TEMPLATE_LEAST_SEEN = 0.6
"""Share of the compared points that must be free of prints and other pieces."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """How much the surroundings of a place look as those of others do."""

    alike: float
    """Correlation, -1..1."""
    strength: float
    """How strongly they are drawn, 1 for as strongly as about the others on the whole."""


NONE_ALIKE = Likeness(0.0, 0.0)


class Surroundings:
    """What some circles of one picture show in common, and how much other circles look so."""

    def __init__(self, view: View, pieces: Sequence[Disc]) -> None:
        """`pieces` are all that were told in the picture."""
        self._lattice, self._every = view.lattice, round(TEMPLATE_STEP_MM / view.lattice.step)
        radius = view.profile.board.coin_radius
        reach = round(TEMPLATE_REACH * radius / TEMPLATE_STEP_MM)
        self._stray = round(TEMPLATE_STRAY_MM / TEMPLATE_STEP_MM)
        self._pad = reach + self._stray
        rows, columns = np.mgrid[-reach : reach + 1, -reach : reach + 1]
        share = np.hypot(rows, columns) * TEMPLATE_STEP_MM / radius
        self._own = share <= OWN_REACH
        self._face = (share <= FACE).astype(np.float32)
        self._around = ((share > FACE) & (share <= TEMPLATE_REACH)).astype(np.float32)
        self._planes = self._thinned(view.yuv)
        clean = self._on_board(view.profile) & (view.prints == 0)
        self._clean, self._bare = self._weights(clean, ()), self._weights(clean, pieces)

    def _thinned(self, yuv: NDArray[np.uint8]) -> F32:
        """The look (3, n, n) at the points compared, padded so that windows may reach over its border."""
        planes = []
        for plane, gain in zip(yuv, (1.0, CHROMA_GAIN, CHROMA_GAIN), strict=True):
            thin = cv2.GaussianBlur(plane, (0, 0), self._every / 2.0)[:: self._every, :: self._every]
            planes.append(self._padded(thin.astype(np.float32) * np.float32(gain), cv2.BORDER_REPLICATE))
        return np.array(planes)

    def _padded(self, plane: F32, border: int = cv2.BORDER_CONSTANT) -> F32:
        pad = self._pad
        return np.asarray(cv2.copyMakeBorder(plane, pad, pad, pad, pad, border), np.float32)

    def _on_board(self, profile: Profile) -> NDArray[np.bool_]:
        """Which points of the lattice (n, n) lie on the playing surface."""
        rows, columns = (np.column_stack([np.arange(n)] * 2) for n in self._lattice.shape)
        x, y = self._lattice.to_board(columns)[:, 0], self._lattice.to_board(rows)[:, 1]
        return profile.outward(x, y[:, None]) < 0.0

    def _weights(self, clean: NDArray[np.bool_], pieces: Sequence[Disc]) -> F32:
        """1 where a `clean` point shows none of the pieces (n, n), else 0."""
        free = clean.astype(np.uint8)
        for piece in pieces:
            rows, columns = self._lattice.disc_cells(piece.x, piece.y, OWN_REACH * piece.radius)
            free[rows, columns] = 0
        return self._padded(free[:: self._every, :: self._every].astype(np.float32))

    def _at(self, circle: Disc | Ring) -> tuple[int, int]:
        """Row and column of a circle's middle in the padded planes."""
        column, row = self._lattice.to_cells([(circle.x, circle.y)])[0] / self._every
        return round(float(row)) + self._pad, round(float(column)) + self._pad

    def common(self, fellows: Sequence[Disc | Ring]) -> F32:
        """What some circles show (3, k, k), weighted by what is seen of each."""
        reach, disc = self._face.shape[0] // 2, self._face + self._around
        total, weight = np.zeros((3, *disc.shape)), np.full(disc.shape, 1e-6)
        for fellow in fellows:
            row, column = self._at(fellow)
            window = np.s_[row - reach : row + reach + 1, column - reach : column + reach + 1]
            free = self._face + self._around * np.where(self._own, self._clean[window], self._bare[window])
            planes = np.array([p[window] for p in self._planes])
            ground = (planes * free).sum((1, 2)) / float(free.sum())
            total += (planes - ground[:, None, None]) * free
            weight += free
        mean = total / weight
        mean -= (mean * disc).sum((1, 2))[:, None, None] / disc.sum()
        return np.asarray(mean * disc, np.float32)

    def likeness(self, circle: Disc | Ring, shown: F32) -> Likeness:
        """How much a circle looks as what others have in `common`, at the best place within STRAY_MM of its middle.

        Prints count where a coin's face would hide them, but not around it.
        """
        (row, column), pad = self._at(circle), self._pad
        window = np.s_[row - pad : row + pad + 1, column - pad : column + pad + 1]
        free = self._bare[window]
        if free.shape != (2 * pad + 1, 2 * pad + 1):
            return NONE_ALIKE

        def sums(values: F32, weights: F32) -> F64:
            """Sums of values (2 pad + 1, 2 pad + 1) where they count, under weights shifted over them."""
            face = cv2.matchTemplate(values, weights * self._face, cv2.TM_CCORR)
            return np.asarray(face + cv2.matchTemplate(values * free, weights * self._around, cv2.TM_CCORR), np.float64)

        one, every = np.ones_like(free), np.ones_like(self._face)
        seen = sums(one, every)
        both = own = common = np.zeros_like(seen)
        for plane, like in zip(self._planes, shown, strict=True):
            values = plane[window] - plane[row, column]
            mean, mean_like = sums(values, every) / seen, sums(one, like) / seen
            both = both + sums(values, like) - seen * mean * mean_like
            own = own + sums(values * values, every) - seen * mean * mean
            common = common + sums(one, like * like) - seen * mean_like * mean_like
        alike = both / np.sqrt(np.maximum(own * common, 1e-6))
        alike[seen < TEMPLATE_LEAST_SEEN * every.size * np.pi / 4] = 0.0
        best = np.unravel_index(int(alike.argmax()), alike.shape)
        return Likeness(float(alike[best]), float(both[best] / max(float(common[best]), 1e-6)))
