"""The diagonal: whether the arm that plays lies over its side's diagonals, which bound where it may be (ICF R11b)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from models.pieces import Seat, to_side
from referee.foreground.background import BackgroundModel, Mask
from referee.foreground.hand_history import HandHistory, crosses_cushion, probability

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


def over_diagonal(hands: HandHistory, seat: Seat, place: tuple[float, float], t_strike: float) -> float:
    """Probability that the arm of `seat`, its hand at `place` mm, lay over a diagonal when it struck."""
    resting = next((k.arms for k in hands.during(-math.inf, t_strike - HERE_SINCE_S)), None)
    arms = (
        _arm(hands, seat, sighting.arms, place, resting) for sighting in hands.during(t_strike - AIMING_S, t_strike)
    )
    reaches = [_reach_over(hands.background, seat, arm) for arm in arms if arm is not None]
    return probability(float(np.median(reaches)), OVER_SIGMA_MM) if reaches else 0.0


def _arm(hands: HandHistory, seat: Seat, seen: Mask, place: tuple[float, float], resting: Mask | None) -> Mask | None:
    """The arm that plays among all that are `seen` (n, n): the one near the striker.

    Skin of the wood's colour is seen in pieces or only over the frame: where the hand's own piece does not come in over
    the frame, the one piece that does on the player's half, and is not `resting` there since before, belongs to it.
    """
    background = hands.background
    near = hands.arm_at(seen, place)
    if near is not None and _comes_in(background, _over_frame(background, near)):
        return near
    coming = [c for c in _coming(background, seat, seen) if resting is None or not np.any(resting[c > 0])]
    if len(coming) != 1:
        return near
    return coming[0] if near is None else np.asarray(cv2.bitwise_or(near, coming[0]), np.uint8)


def _coming(background: BackgroundModel, seat: Seat, seen: Mask) -> Iterator[Mask]:
    """The connected patches (n, n) that come in over the half of the frame before which `seat` sits."""
    count, labels = cv2.connectedComponents(seen)
    for n in range(1, count):
        patch = np.asarray(labels == n, np.uint8)
        over = _over_frame(background, patch)
        if (
            _comes_in(background, over)
            and np.median(to_side(seat, background.x[over > 0], background.y[over > 0])[1]) < 0
        ):
            yield patch


def _over_frame(background: BackgroundModel, patch: Mask) -> Mask:
    """What of a patch (n, n) lies over the frame."""
    return np.asarray(cv2.bitwise_and(patch, background.frame), np.uint8)


def _comes_in(background: BackgroundModel, over: Mask) -> bool:
    """Whether so much lies `over` the frame (n, n) that it comes in there."""
    return cv2.countNonZero(over) * background.lattice.step**2 > AREA_MM2


def _reach_over(background: BackgroundModel, seat: Seat, arm: Mask) -> float:
    """How far (mm) an arm lies over its side's diagonals; negative on its own side."""
    sx, sy = to_side(seat, background.x[arm > 0], background.y[arm > 0])
    beyond = (sy + np.abs(sx)) / math.sqrt(2)
    forearm = beyond[crosses_cushion(background, np.maximum(np.abs(sx), np.abs(sy)))]
    return max(_crossed(background, beyond) - FINGERS_MM, _crossed(background, forearm))


def _crossed(background: BackgroundModel, beyond: NDArray[np.float64]) -> float:
    cells = round(AREA_MM2 / background.lattice.step**2)
    return float(np.partition(beyond, -cells)[-cells]) if len(beyond) >= cells else -math.inf
