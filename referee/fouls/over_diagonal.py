"""Measures how far the playing arm lies over its side's diagonals, which bound where it may be (ICF R11b)."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from models.pieces import Seat, to_side
from referee.foreground.background import BackgroundModel, Mask
from referee.foreground.hand_history import HandHistory, crosses_cushion

AREA_MM2 = 50.0
"""Area in mm² that must lie beyond a limit for it to count as crossed."""
AIMING_S = 0.2
"""Time before the strike, in seconds, in which the playing hand and arm are examined: when placing the striker they may
lie elsewhere."""
FINGERS_MM = 5.0
"""Distance, in mm, by which a raised hand behind a striker on the base circle seems to reach over the diagonal: legal
hands measured 3.5 mm at most, hands over it 5.3 mm and more, in 17 rendered and recorded strokes."""


def reach_over(hands: HandHistory, seat: Seat, place: tuple[float, float], t_strike: float,
               coins: Mask | None = None) -> float | None:  # fmt: skip
    """Returns how far, in mm, the arm of `seat`, its hand at `place` mm, lay over a diagonal at the strike; negative on
    its own side, None if no arm was seen.

    The cells of `coins` (n, n) are left out: a coin beside the hand may be joined with it in the mask. So may its
    shadow, which is left out too.
    """
    arms = (arm for _, arm in hands.arms(place, t_strike - AIMING_S, t_strike, with_shadow=False))
    own = (arm if coins is None else cv2.subtract(arm, coins) for arm in arms)
    reaches = [_reach_over(hands.background, seat, np.asarray(arm, np.uint8)) for arm in own]
    return float(np.median(reaches)) if reaches else None


def _reach_over(background: BackgroundModel, seat: Seat, arm: Mask) -> float:
    """Returns how far an arm lies over its side's diagonals, in mm; negative on its own side."""
    sx, sy = to_side(seat, background.x[arm > 0], background.y[arm > 0])
    beyond = (sy + np.abs(sx)) / math.sqrt(2)
    forearm = beyond[crosses_cushion(background, np.maximum(np.abs(sx), np.abs(sy)))]
    return max(_crossed(background, beyond) - FINGERS_MM, _crossed(background, forearm))


def _crossed(background: BackgroundModel, beyond: NDArray[np.float64]) -> float:
    cells = round(AREA_MM2 / background.lattice.step**2)
    return float(np.partition(beyond, -cells)[-cells]) if len(beyond) >= cells else -math.inf
