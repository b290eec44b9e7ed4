"""The diagonal: whether the arm that plays lies over its side's diagonals, which bound where it may be (ICF R11b)."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from models.pieces import Seat, to_side
from referee.detect.gate import Gate, Mask
from referee.strokes.handling import BORDER_MM, HandMemory, probability

AREA_MM2 = 50.0
"""A limit counts as crossed when more than this area lies beyond it."""
AIMING_S = 0.4
"""The arm that plays is the one seen so long before the strike: it may have placed the striker otherwise."""
FINGERS_MM = 25.0
"""Fingers behind a striker on the base circle reach over the diagonal by up to this much, and legally so."""
OVER_SIGMA_MM = 12.0
"""Spread of an arm's border: its height above the board shifts it in the picture, sleeves hang."""
HERE_SINCE_S = 1.5
"""What lay over the frame so long before the strike is another's arm at rest."""


def over_diagonal(hands: HandMemory, seat: Seat, place: tuple[float, float], t_strike: float) -> float:
    """Probability that the arm of `seat`, its hand at `place` mm, lay over a diagonal when it struck."""
    arms = (_arm(hands, seat, kept.arms, place, t_strike) for kept in hands.during(t_strike - AIMING_S, t_strike))
    reaches = [_reach_over(hands.gate, seat, arm) for arm in arms if arm is not None]
    return probability(float(np.median(reaches)), OVER_SIGMA_MM) if reaches else 0.0


def _arm(hands: HandMemory, seat: Seat, seen: Mask, place: tuple[float, float], t_strike: float) -> Mask | None:
    """The arm that plays among all that are `seen` (n, n): the one near the striker.

    Skin of the wood's colour is seen in pieces or only over the frame: where the hand's own piece does not come in over
    the frame, the one piece that does on the player's half, and was not there before, belongs to it.
    """
    gate = hands.gate
    near = hands.arm_at(seen, place)
    if near is not None and _comes_in(gate, near):
        return near
    rested = hands.first()
    old = rested.arms if rested.t < t_strike - HERE_SINCE_S else np.zeros_like(seen)
    coming = [c for c in _crossing(gate, seen) if not np.any(old[c > 0]) and _is_on_half(gate, seat, c)]
    if len(coming) != 1:
        return near
    return coming[0] if near is None else np.asarray(cv2.bitwise_or(near, coming[0]), np.uint8)


def _frame(gate: Gate) -> NDArray[np.bool_]:
    """Where (n, n) the frame lies."""
    return np.asarray(np.maximum(np.abs(gate.x), np.abs(gate.y)) > gate.half)


def _crossing(gate: Gate, seen: Mask) -> list[Mask]:
    """The connected patches (n, n) that come in over the frame."""
    count, labels = cv2.connectedComponents(seen)
    patches = (np.asarray(labels == n, np.uint8) for n in range(1, count))
    return [patch for patch in patches if _comes_in(gate, patch)]


def _comes_in(gate: Gate, patch: Mask) -> bool:
    """Whether a patch (n, n) is seen over the frame too."""
    return bool(np.count_nonzero(patch[_frame(gate)]) * gate.lattice.step**2 > AREA_MM2)


def _is_on_half(gate: Gate, seat: Seat, patch: Mask) -> bool:
    """Whether a patch comes in over the half of the frame before which `seat` sits."""
    at = (patch > 0) & _frame(gate)
    return bool(np.median(to_side(seat, gate.x[at], gate.y[at])[1]) < 0)


def _reach_over(gate: Gate, seat: Seat, arm: Mask) -> float:
    """How far (mm) an arm lies over its side's diagonals; negative on its own side."""
    sx, sy = to_side(seat, gate.x[arm > 0], gate.y[arm > 0])
    beyond = (sy + np.abs(sx)) / math.sqrt(2)
    forearm = beyond[np.maximum(np.abs(sx), np.abs(sy)) > gate.half - BORDER_MM]
    return max(_crossed(gate, beyond) - FINGERS_MM, _crossed(gate, forearm))


def _crossed(gate: Gate, beyond: NDArray[np.float64]) -> float:
    cells = round(AREA_MM2 / gate.lattice.step**2)
    return float(np.partition(beyond, -cells)[-cells]) if len(beyond) >= cells else -math.inf
