"""Uncovering: where an arm lay when the empty board was remembered, and has gone since.

A match may be looked at from when a hand is over the board already. What the arm hid is then remembered as it looked,
and once it has gone all of its shape differs from that: a hand that never leaves. But the board is of one wood, which
the rest of it shows: what was unlike that, reached in from outside, and looks like it now has been uncovered.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.geometry.camera import F64
from calibration.geometry.picture import U8
from referee.foreground.background import Gate, Mask, Sight, mask_of
from referee.foreground.segmentation import HAND_LEAST_MM2, Scene, reaching, round_kernel

AGAIN_S = 0.4
"""Hands in the picture are looked at again after this time; one that has not stirred since may be none."""
ENTRY_MM = 25.0
"""An arm is seen this near to a cushion; nearer lies the cushion's shade."""
THIN_MM = 8.0
"""Lines, and the shade along a cushion, are less than twice so wide."""
AROUND_MM, SKIN_MM = 15.0, 80.0
"""An arm's shade lies this far about what is plainly no board, and the rest of it that has the board's colour, so that
the board that it hid differs in specks from it."""
UNLIKE, LIKE = 3.5, 2.5
"""Standard deviations of the board's grain beyond which a look is none of it, and within which it is."""
LEAST_GRAIN = 3.0, 1.5, 1.5
"""The least of these (levels of Y, U, V), as noise has."""
STILL = 0.95
"""Less of a hand than this share looks as it did a moment ago where one stirs."""
BARE, SUSPECT = 0.6, 0.3
"""What seems a hand is uncovered board where so much of it looks like wood, and so much lies where none was seen."""
SPARSE, ROUNDS = 4, 6
"""The wood's look is told by every so many cells each way, in so many rounds that leave out what is no wood."""


@dataclass(frozen=True, slots=True, eq=False)
class Uncovered:
    """A part of the board that an arm hid until now."""

    place: Mask
    """All of it, and the frame beside it, (n, n)."""
    bare: Mask
    """What of it looks like wood, and that frame, (n, n)."""


class Uncovering:
    """Call `look` for each frame; needs a gate that has remembered the empty board."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self.suspect = self._suspect()
        """Where an arm may have lain (n, n); None where none has."""
        self._next = 0.0
        self._before: U8 | None = None

    def look(self, sight: Sight, scene: Scene) -> Uncovered | None:
        """What was uncovered before this frame; None where nothing was, or hands stir there."""
        if self.suspect is None or sight.t < self._next or not cv2.countNonZero(scene.hand):
            return None
        self._next = sight.t + AGAIN_S
        before, self._before = self._before, sight.yuv
        if before is None:
            return None
        stirs, wood = self._gate.differs(sight.yuv, before), mask_of(self._off(sight.yuv) < LIKE)
        count, labels = cv2.connectedComponents(scene.hand, connectivity=4)
        hands = (mask_of(labels == i) for i in range(1, count))
        ghosts = [hand for hand in hands if _is_ghost(hand & self._gate.surface, stirs, wood, self.suspect)]
        if not ghosts:
            return None
        place = self._place(np.bitwise_or.reduce(ghosts), wood, sight)
        # The arm may withdraw bit by bit, and what of it is still there lay there too.
        left = np.asarray(cv2.subtract(self.suspect, place & wood), np.uint8)
        self.suspect = left if cv2.countNonZero(left) else None
        return Uncovered(place, place & (wood | self._gate.frame))

    def _place(self, ghost: Mask, wood: Mask, sight: Sight) -> Mask:
        """Where the arm was: about what seems one (n, n), and where specks of it are left."""
        away = cv2.distanceTransform(cv2.bitwise_not(ghost), cv2.DIST_L2, 5) * self._gate.lattice.step
        specks = np.asarray(cv2.dilate(sight.solid, np.ones((3, 3), np.uint8)), np.uint8) & wood
        return mask_of((away < AROUND_MM) | ((away < SKIN_MM) & (specks > 0)))

    def _suspect(self) -> Mask | None:
        gate = self._gate
        assert gate.empty is not None
        seen = cv2.bitwise_and(gate.surface, gate.known)
        unlike = cv2.bitwise_and(mask_of(self._off(gate.empty) > UNLIKE), seen)
        unlike = cv2.morphologyEx(unlike, cv2.MORPH_OPEN, round_kernel(THIN_MM, gate))
        entry = mask_of(np.maximum(np.abs(gate.x), np.abs(gate.y)) > gate.half - ENTRY_MM)
        arms = [patch for patch, cells in reaching(np.asarray(unlike, np.uint8), entry)
                if cells * gate.lattice.step**2 > HAND_LEAST_MM2]  # fmt: skip
        if not arms:
            return None
        return np.asarray(cv2.dilate(np.bitwise_or.reduce(arms), round_kernel(SKIN_MM, gate)), np.uint8)

    def _off(self, yuv: U8) -> F64:
        """How far (n, n) a look (3, n, n) is from the wood's, in standard deviations of its grain."""
        x, y = self._gate.x / self._gate.half, self._gate.y / self._gate.half
        forms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], -1)
        sparse = np.s_[::SPARSE, ::SPARSE]
        sample = self._gate.surface[sparse] > 0
        off = np.zeros_like(x)
        for plane, least in zip(yuv, LEAST_GRAIN, strict=True):
            wood, grain = _wood(forms[sparse][sample], plane[sparse][sample].astype(np.float64))
            off = np.maximum(off, np.abs(plane - forms @ wood) / max(grain, least))
        return off


def _is_ghost(hand: Mask, stirs: Mask, wood: Mask, suspect: Mask) -> bool:
    """Whether what seems a hand is where an arm was: it does not stir, looks like wood, and lies where none was."""
    size = max(cv2.countNonZero(hand), 1)
    still, bare, odd = (cv2.countNonZero(hand & mask) / size for mask in (~stirs, wood, suspect))
    return still > STILL and bare > BARE and odd > SUSPECT


def _wood(forms: F64, seen: F64) -> tuple[F64, float]:
    """The combination (k,) of forms (m, k) that most of what is `seen` (m,) agrees upon, and its standard deviation."""
    sigma, wood = 1.0, np.asarray([np.median(seen), *[0.0] * (forms.shape[1] - 1)])
    for _ in range(ROUNDS):
        off = seen - forms @ wood
        sigma = max(1.4826 * float(np.median(np.abs(off))), 0.5)
        weight = 1.0 / (1.0 + (off / (2 * sigma)) ** 2) ** 2
        wood = np.asarray(np.linalg.lstsq(forms * np.sqrt(weight)[:, None], seen * np.sqrt(weight), rcond=None)[0])
    return wood, sigma
