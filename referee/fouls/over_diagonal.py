"""Measures how far the playing arm lies over its side's diagonals, which bound where it may be (ICF R11b)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from models.pieces import Seat, to_side
from referee.foreground.background import BackgroundModel, Mask
from referee.foreground.hand_history import HandHistory, crosses_cushion

AREA_MM2 = 50.0
"""Area in mm² that must lie beyond a limit for it to count as crossed."""
AIMING_S = 0.4
"""Time before the strike, in seconds, in which the playing arm is examined: when placing the striker it may lie
elsewhere."""
FINGERS_MM = 25.0
"""Greatest distance, in mm, by which fingers behind a striker on the base circle legally reach over the diagonal."""
HERE_SINCE_S = 1.5
"""Time before the strike, in seconds, from which an arm over the frame is another person's resting arm."""


def reach_over(hands: HandHistory, seat: Seat, place: tuple[float, float], t_strike: float,
               coins: Mask | None = None) -> float | None:  # fmt: skip
    """Returns how far, in mm, the arm of `seat`, its hand at `place` mm, lay over a diagonal at the strike; negative on
    its own side, None if no arm was seen.

    The cells of `coins` (n, n) are left out: a coin beside the hand may be joined with it in the mask.
    """
    resting = next((k.arms for k in hands.during(-math.inf, t_strike - HERE_SINCE_S)), None)
    arms = (
        _arm(hands, seat, sighting.arms, place, resting) for sighting in hands.during(t_strike - AIMING_S, t_strike)
    )
    own = (arm if coins is None else cv2.subtract(arm, coins) for arm in arms if arm is not None)
    reaches = [_reach_over(hands.background, seat, np.asarray(arm, np.uint8)) for arm in own]
    return float(np.median(reaches)) if reaches else None


def _arm(hands: HandHistory, seat: Seat, arms: Mask, place: tuple[float, float], resting: Mask | None) -> Mask | None:
    """Returns the mask (n, n) of the playing one among the `arms` (n, n): the one near the striker.

    Skin of the wood's colour is segmented in pieces or only over the frame. If the hand's own piece does not cross the
    frame, the only piece that does on the player's half, and was not `resting` there before, is added to it.
    """
    background = hands.background
    near = hands.arm_at(arms, place)
    if near is not None and _comes_in(background, _over_frame(background, near)):
        return near
    coming = [c for c in _coming(background, seat, arms) if resting is None or not np.any(resting[c > 0])]
    if len(coming) != 1:
        return near
    return coming[0] if near is None else np.asarray(cv2.bitwise_or(near, coming[0]), np.uint8)


def _coming(background: BackgroundModel, seat: Seat, arms: Mask) -> Iterator[Mask]:
    """Yields the connected patches (n, n) that cross the half of the frame in front of `seat`."""
    count, labels = cv2.connectedComponents(arms)
    for n in range(1, count):
        patch = np.asarray(labels == n, np.uint8)
        over = _over_frame(background, patch)
        if (
            _comes_in(background, over)
            and np.median(to_side(seat, background.x[over > 0], background.y[over > 0])[1]) < 0
        ):
            yield patch


def _over_frame(background: BackgroundModel, patch: Mask) -> Mask:
    """Returns the part of a patch (n, n) that lies over the frame."""
    return np.asarray(cv2.bitwise_and(patch, background.frame), np.uint8)


def _comes_in(background: BackgroundModel, over: Mask) -> bool:
    """Tells whether the part `over` the frame (n, n) is large enough for the patch to come in there."""
    return cv2.countNonZero(over) * background.lattice.step**2 > AREA_MM2


def _reach_over(background: BackgroundModel, seat: Seat, arm: Mask) -> float:
    """Returns how far an arm lies over its side's diagonals, in mm; negative on its own side."""
    sx, sy = to_side(seat, background.x[arm > 0], background.y[arm > 0])
    beyond = (sy + np.abs(sx)) / math.sqrt(2)
    forearm = beyond[crosses_cushion(background, np.maximum(np.abs(sx), np.abs(sy)))]
    return max(_crossed(background, beyond) - FINGERS_MM, _crossed(background, forearm))


def _crossed(background: BackgroundModel, beyond: NDArray[np.float64]) -> float:
    cells = round(AREA_MM2 / background.lattice.step**2)
    return float(np.partition(beyond, -cells)[-cells]) if len(beyond) >= cells else -math.inf
