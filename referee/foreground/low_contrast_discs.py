"""Shady discs: pieces so like the board that the gate takes them for shade, as brown "white" coins on brown wood.

At rest they are told by their rims; moving they would be nobody's, their falls and contacts untold. On boards with such
pieces round shade of a disc's size, away from hands, is taken for a disc; looking for it takes a fifth of a break's
frame, so it is left where no piece needs it.
"""

from __future__ import annotations

import math

import cv2
import numpy as np

from calibration.profile import Colour
from referee.foreground.background import SHADE_DARKEST, Gate, Mask

BRIGHTEST = 1.1
"""A piece brighter than the board by more is told by that."""
HUE_SLACK = 2
"""Levels beyond the gate's step for tints by which grain and noise still hide half of a piece."""
SIZES = 0.75, 2.0
"""A disc with its shade has a radius between so many of a coin's."""
ROUND = 0.72
"""It fills this share of the circle about it; shade between coins and of fingers less."""
TOLD = 0.5
"""More of a disc than this that differs otherwise than shade does is a blob by itself."""


def is_like_board(colour: Colour, gate: Gate) -> bool:
    """Whether pieces of a look pass for shade on the board as the gate remembers it."""
    assert gate.empty is not None
    seen = np.flatnonzero((gate.known > 0) & (gate.surface > 0))
    if not len(seen):
        return False
    luma, blue, red = (float(np.median(plane.take(seen))) for plane in gate.empty)
    bright, bluish, reddish = (luma * part / 100.0 for part in colour.mean)
    aside = max(abs(bluish + 128.0 - blue), abs(reddish + 128.0 - red))
    return SHADE_DARKEST * luma < bright < BRIGHTEST * luma and aside <= gate.steps[1] + HUE_SLACK


def shady_discs(shade: Mask, free: Mask, coin_cells: float, gap: Mask) -> Mask | None:
    """The discs (n, n) in `shade` that are neither hands nor known pieces, `free` being what differs otherwise; None
    where there are none. A coin covers so many cells; gaps as wide as `gap` is thick are closed.
    """
    dark = cv2.morphologyEx(cv2.bitwise_or(shade, free), cv2.MORPH_CLOSE, gap)
    coin = math.sqrt(coin_cells / math.pi)
    discs: Mask | None = None
    for outline in cv2.findContours(dark, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
        if len(outline) < 2 * math.pi * SIZES[0] * coin / math.sqrt(2):
            continue
        radius = cv2.minEnclosingCircle(outline)[1]
        if not SIZES[0] * coin < radius < SIZES[1] * coin or cv2.contourArea(outline) < ROUND * math.pi * radius**2:
            continue
        disc = np.zeros_like(free)
        cv2.drawContours(disc, [outline], -1, 255, cv2.FILLED)
        if cv2.countNonZero(cv2.bitwise_and(disc, free)) < TOLD * cv2.countNonZero(disc):
            discs = disc if discs is None else np.asarray(cv2.bitwise_or(discs, disc), np.uint8)
    return discs
