"""Stale background: an arm lay over the board when the bare board was learned, and has gone since.

A match may begin under a hand. The arm is then learned as bare board, and once it has gone its shape differs for ever:
a hand that never leaves. But the board is of one wood. A region that differed from the wood, reached in from outside
and equals the wood now has been uncovered.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.geometry.camera import F64
from calibration.geometry.least_squares import MAD_SIGMA
from calibration.geometry.picture import U8
from referee.foreground.background import BACKGROUND_EDGE_MM, BackgroundModel, ForegroundFrame, Mask, mask_of
from referee.foreground.illumination import SUBSAMPLE
from referee.foreground.segmentation import HAND_LEAST_MM2, Segmentation, reaching, round_kernel

STALE_AGAIN_S = 0.4
"""Interval between checks of a hand. One that has not moved since the last check may be none."""
ENTRY_MM = 25.0
"""Distance from a cushion within which an arm enters. Nearer lies the cushion's shade."""
STALE_AROUND_MM, SKIN_MM = 15.0, 80.0
"""Reach of an arm's shade, and of its board-coloured rest, which shows in specks only."""
GRAIN_SIGMAS = 3.0
"""Standard deviations of the board's grain beyond which a cell is no wood."""
LEAST_GRAIN = 3.0, 1.5, 1.5
"""Least standard deviations of Y, U and V, levels: those of noise."""
STALE_STILL = 0.95
"""Share of unchanged cells above which a hand does not move."""
STALE_BARE = 0.6
"""Share of a hand that must equal the wood, where the learned board differed from it."""
STALE_ROUNDS = 6
"""Rounds of the robust fit of the wood's colour."""


@dataclass(frozen=True, slots=True, eq=False)
class ClearedBackground:
    """A part of the board that an arm had hidden."""

    place: Mask
    """The whole region with the frame beside it, (n, n)."""
    bare: Mask
    """Cells of it that equal the wood, and the frame, (n, n)."""


class StaleBackground:
    """Call `update` for each frame, once the background model has learned the board."""

    def __init__(self, background: BackgroundModel) -> None:
        self._background = background
        self.suspect = self._suspect()
        """Region where an arm may have lain, (n, n); None without one."""
        self._next = 0.0
        self._before: U8 | None = None

    def update(self, foreground: ForegroundFrame, scene: Segmentation) -> ClearedBackground | None:
        """Returns the region uncovered before this frame; None if none was, or if hands move there."""
        if self.suspect is None or foreground.t < self._next or not cv2.countNonZero(scene.hand):
            return None
        self._next = foreground.t + STALE_AGAIN_S
        before, self._before = self._before, foreground.yuv
        if before is None:
            return None
        stirs, wood = (
            self._background.differs(foreground.yuv, before),
            mask_of(self._off(foreground.yuv) < GRAIN_SIGMAS),
        )
        hands = reaching(scene.hand, scene.hand)
        ghosts = [hand for hand, _ in hands if _is_ghost(hand & self._background.surface, stirs, wood, self.suspect)]
        if not ghosts:
            return None
        place = self._place(np.bitwise_or.reduce(ghosts), wood, foreground)
        # The arm may withdraw step by step: the part that is still there remains suspect.
        left = np.asarray(cv2.subtract(self.suspect, place & wood), np.uint8)
        self.suspect = left if cv2.countNonZero(left) else None
        return ClearedBackground(place, place & (wood | self._background.frame))

    def _place(self, ghost: Mask, wood: Mask, foreground: ForegroundFrame) -> Mask:
        """Returns the region (n, n) of the arm: around the ghost, and where specks of it remain."""
        away = cv2.distanceTransform(cv2.bitwise_not(ghost), cv2.DIST_L2, 5) * self._background.lattice.step
        specks = np.asarray(cv2.dilate(foreground.solid, np.ones((3, 3), np.uint8)), np.uint8) & wood
        return mask_of((away < STALE_AROUND_MM) | ((away < SKIN_MM) & (specks > 0)))

    def _suspect(self) -> Mask | None:
        background = self._background
        assert background.empty is not None
        seen = cv2.bitwise_and(background.surface, background.known)
        unlike = cv2.bitwise_and(mask_of(self._off(background.empty) > GRAIN_SIGMAS), seen)
        unlike = cv2.morphologyEx(unlike, cv2.MORPH_OPEN, round_kernel(BACKGROUND_EDGE_MM, background))
        entry = mask_of(np.maximum(np.abs(background.x), np.abs(background.y)) > background.half - ENTRY_MM)
        arms = [patch for patch, cells in reaching(np.asarray(unlike, np.uint8), entry)
                if cells * background.lattice.step**2 > HAND_LEAST_MM2]  # fmt: skip
        if not arms:
            return None
        return np.asarray(cv2.dilate(np.bitwise_or.reduce(arms), round_kernel(SKIN_MM, background)), np.uint8)

    def _off(self, yuv: U8) -> F64:
        """Returns the distance (n, n) of samples (3, n, n) from the wood's colour, in standard deviations of
        its grain.
        """
        x, y = self._background.x / self._background.half, self._background.y / self._background.half
        forms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], -1)
        sparse = np.s_[::SUBSAMPLE, ::SUBSAMPLE]
        sample = self._background.surface[sparse] > 0
        off = np.zeros_like(x)
        for plane, least in zip(yuv, LEAST_GRAIN, strict=True):
            wood, grain = _wood(forms[sparse][sample], plane[sparse][sample].astype(np.float64))
            off = np.maximum(off, np.abs(plane - forms @ wood) / max(grain, least))
        return off


def _is_ghost(hand: Mask, stirs: Mask, wood: Mask, suspect: Mask) -> bool:
    """Tells whether a hand is the ghost of an arm: it does not move, equals the wood, and the learned board there did
    not.
    """
    size = max(cv2.countNonZero(hand), 1)
    still, bare = (cv2.countNonZero(hand & mask) / size for mask in (~stirs, wood & suspect))
    return still > STALE_STILL and bare > STALE_BARE


def _wood(forms: F64, seen: F64) -> tuple[F64, float]:
    """Returns the robust fit: coefficients (k,) of `forms` (m, k) to the values `seen` (m,), and their standard
    deviation.
    """
    sigma, wood = 1.0, np.asarray([np.median(seen), *[0.0] * (forms.shape[1] - 1)])
    for _ in range(STALE_ROUNDS):
        off = seen - forms @ wood
        sigma = max(MAD_SIGMA * float(np.median(np.abs(off))), 0.5)
        weight = 1.0 / (1.0 + (off / (2 * sigma)) ** 2) ** 2
        wood = np.asarray(np.linalg.lstsq(forms * np.sqrt(weight)[:, None], seen * np.sqrt(weight), rcond=None)[0])
    return wood, sigma
