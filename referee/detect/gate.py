"""The gate: each frame on a coarse lattice, held against the empty board; says where anything is or moves.

Everything costly happens only where the gate has seen something. Lattice points are board points at the height of the
coins' tops, so that everything after the gate thinks in millimetres whatever the camera.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lattice import Lattice
from calibration.picture import U8, Picture
from calibration.profile import Profile
from models.pieces import Piece

STEP_MM = 2.5
"""Six points span a coin's radius: enough to tell one coin from two, cheap enough for every frame."""
FRAME_REACH_MM = 45.0
"""The lattice covers the playing surface and this much of the frame, where arms come in and coins jump out."""
LUMA_STEP, CHROMA_STEP = 12, 6
"""Least difference (levels) from the empty board that counts; above the noise of any usable picture."""
NOISE_TIMES = 4.0
"""Differences below this many standard deviations of the noise do not count."""
SHADE_DARKEST = 0.5
"""A shadow keeps at least this share of the board's luma, and the board's tint."""
GAIN_SPAN = (0.4, 2.5)
CHROMA_WEIGHT = 2.0
"""Chroma differences are small and telling."""
COVER_MM = 6.0
"""A piece hides the board up to this far beyond its rim: its wall and its shadow."""

Mask = NDArray[np.uint8]
"""255 where true, 0 elsewhere, (n, n)."""


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """One frame as the gate saw it."""

    t: float
    yuv: U8
    """The lattice's look (3, n, n)."""
    gain: float
    """Luma now over luma of the empty board as remembered."""
    solid: Mask
    """Differs from the empty board in tint or brightness as no shadow does."""
    shade: Mask
    """Darker than the empty board as a shadow is."""


class Gate:
    """Holds the empty board as last seen and compares each frame with it."""

    def __init__(self, profile: Profile) -> None:
        half = profile.board.half
        self.lattice = Lattice.over(profile.camera, half + FRAME_REACH_MM, STEP_MM, profile.board.coin_height)
        self.x, self.y = self.lattice.points()
        self.inside: Mask = _mask((np.abs(self.x) < half) & (np.abs(self.y) < half))
        self.empty: U8 | None = None
        self.known: Mask = np.zeros(self.lattice.shape, np.uint8)
        self.noise = (2.0, 1.0)
        self._gain = 1.0

    def remember(self, yuv: U8, hidden: Mask) -> None:
        """Takes a look (3, n, n) for the empty board wherever it is not `hidden`; guesses what was never seen."""
        fresh = hidden == 0
        if self.empty is None:
            self.empty = np.stack([cv2.inpaint(plane, hidden, 5, cv2.INPAINT_TELEA) for plane in yuv])
        else:
            scale = 1.0 / self._gain
            luma = np.clip(yuv[0] * scale, 0, 255).astype(np.uint8)
            self.empty[0][fresh] = luma[fresh]
            self.empty[1][fresh], self.empty[2][fresh] = yuv[1][fresh], yuv[2][fresh]
        self.known[fresh] = 255

    def see(self, picture: Picture, t: float) -> Sight:
        """The frame held against the empty board; needs `remember` first."""
        assert self.empty is not None
        yuv = self.lattice.look(picture)
        self._gain = self._measure_gain(yuv[0])
        expected = cv2.convertScaleAbs(self.empty[0], alpha=self._gain)
        luma_step, chroma_step = self.steps
        tint = cv2.max(cv2.absdiff(yuv[1], self.empty[1]), cv2.absdiff(yuv[2], self.empty[2]))
        brighter = cv2.subtract(yuv[0], expected)
        darker = cv2.subtract(expected, yuv[0])
        deep = cv2.compare(yuv[0], cv2.convertScaleAbs(expected, alpha=SHADE_DARKEST), cv2.CMP_LT)
        dark = cv2.compare(darker, luma_step, cv2.CMP_GT)
        solid = cv2.bitwise_or(cv2.compare(tint, chroma_step, cv2.CMP_GT), cv2.compare(brighter, luma_step, cv2.CMP_GT))
        solid = cv2.bitwise_or(solid, cv2.bitwise_and(deep, dark))
        shade = cv2.bitwise_and(dark, cv2.bitwise_not(solid))
        return Sight(t, yuv, self._gain, np.asarray(solid, np.uint8), np.asarray(shade, np.uint8))

    @property
    def steps(self) -> tuple[int, int]:
        """Differences (luma, chroma) from the empty board that count at the present noise."""
        luma, chroma = (round(NOISE_TIMES * n) for n in self.noise)
        return max(LUMA_STEP, luma), max(CHROMA_STEP, chroma)

    def differs(self, a: U8, b: U8) -> Mask:
        """Where two looks (3, n, n) differ beyond the noise."""
        return _differs(a, b, self.noise)

    def difference(self, sight: Sight, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> float:
        """Mean weighted difference (levels) between a frame and the empty board at some lattice points."""
        assert self.empty is not None
        return weighted_difference(levelled(sight, rows, columns), self.empty[:, rows, columns].astype(np.float32))

    def learn_noise(self, looks: list[U8]) -> None:
        """Measures the sensor's noise from a few looks (3, n, n) at an unchanging board."""
        if len(looks) < 2:
            return
        diffs = [np.abs(a.astype(np.int16) - b) for a, b in pairwise(looks)]
        sigma = [float(np.percentile([d[i] for d in diffs], 68)) / np.sqrt(2) for i in range(3)]
        self.noise = (max(0.5, sigma[0]), max(0.5, sigma[1], sigma[2]))

    def _measure_gain(self, luma: U8) -> float:
        """Median ratio of luma now to luma of the empty board over a sparse sample of the surface."""
        assert self.empty is not None
        now, then = luma[::5, ::5].astype(np.float32), self.empty[0][::5, ::5].astype(np.float32)
        use = (self.inside[::5, ::5] > 0) & (then > 30)
        if use.sum() < 200:
            return self._gain
        return float(np.clip(np.median(now[use] / then[use]), *GAIN_SPAN))

    def cover(self, pieces: Iterable[Piece], radius_of: dict[str, float]) -> Mask:
        """Where pieces hide the empty board (n, n)."""
        mask = np.zeros(self.lattice.shape, np.uint8)
        for p in pieces:
            rows, columns = self.lattice.disc_cells(p.x_mm, p.y_mm, radius_of[p.kind] + COVER_MM)
            mask[rows, columns] = 255
        return mask


def _mask(where: NDArray[np.bool_]) -> Mask:
    return np.where(where, np.uint8(255), np.uint8(0))


def _differs(a: U8, b: U8, noise: tuple[float, float]) -> Mask:
    """Where two looks (3, n, n) differ beyond the noise."""
    luma_step, chroma_step = max(10, round(5 * noise[0])), max(6, round(5 * noise[1]))
    luma = cv2.compare(cv2.absdiff(a[0], b[0]), luma_step, cv2.CMP_GT)
    chroma = cv2.compare(cv2.max(cv2.absdiff(a[1], b[1]), cv2.absdiff(a[2], b[2])), chroma_step, cv2.CMP_GT)
    return np.asarray(cv2.bitwise_or(luma, chroma), np.uint8)


def levelled(sight: Sight, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float32]:
    """Y, U, V (3, k) of lattice points, luma as it would be at gain 1."""
    look = sight.yuv[:, rows, columns].astype(np.float32)
    look[0] /= sight.gain
    return look


def weighted_difference(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    """Mean difference (levels) of two looks (3, k), the chroma's counted more."""
    off = np.abs(a - b).mean(1)
    return float(off[0] + CHROMA_WEIGHT * (off[1] + off[2]))
