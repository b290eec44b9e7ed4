"""Low-contrast discs: pieces of the board's colour, which pass for shade, such as brown "white" coins on brown wood.

At rest their rims show them; in motion nothing would. On boards with such pieces a round shade of a disc's size, away
from hands, counts as a disc. The search costs a fifth of a frame during a break, so it runs only where a set needs it.
"""

from __future__ import annotations

import math

import cv2
import numpy as np

from calibration.profile import Colour
from referee.foreground.background import SHADE_DARKEST, BackgroundModel, Mask

FAINT_DISC_BRIGHTEST = 1.1
"""Greatest luma of a low-contrast piece, as a multiple of the board's."""
HUE_SLACK = 2
"""Levels beyond the background model's chroma step by which grain and noise still hide half of a piece."""
FAINT_DISC_SIZES = 0.75, 2.0
"""Radius range of a disc with its shade, in radii of a coin."""
FAINT_DISC_ROUND = 0.72
"""Least share of its enclosing circle that a disc fills. Shade between coins and of fingers fills less."""
SOLIDITY = 0.5
"""Share of solid foreground above which a disc is a blob of its own."""


def is_like_board(colour: Colour, background: BackgroundModel) -> bool:
    """Tells whether pieces of a colour pass for shade on the bare board."""
    assert background.empty is not None
    seen = np.flatnonzero((background.known > 0) & (background.surface > 0))
    if not len(seen):
        return False
    luma, blue, red = (float(np.median(plane.take(seen))) for plane in background.empty)
    bright, bluish, reddish = (luma * part / 100.0 for part in colour.mean)
    aside = max(abs(bluish + 128.0 - blue), abs(reddish + 128.0 - red))
    return SHADE_DARKEST * luma < bright < FAINT_DISC_BRIGHTEST * luma and aside <= background.steps()[1] + HUE_SLACK


def low_contrast_discs(shade: Mask, free: Mask, coin_cells: float, gap: Mask) -> Mask:
    """Returns `free` with the discs (n, n) in `shade`.

    Neither mask holds hands or known pieces; `free` is the solid foreground. A coin covers `coin_cells`; gaps up to the
    diameter of the kernel `gap` are closed.
    """
    dark = cv2.morphologyEx(cv2.bitwise_or(shade, free), cv2.MORPH_CLOSE, gap)
    coin = math.sqrt(coin_cells / math.pi)
    discs = free.copy()
    for outline in cv2.findContours(dark, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
        radius = cv2.minEnclosingCircle(outline)[1]
        if (
            not FAINT_DISC_SIZES[0] * coin < radius < FAINT_DISC_SIZES[1] * coin
            or cv2.contourArea(outline) < FAINT_DISC_ROUND * math.pi * radius**2
        ):
            continue
        disc = np.zeros_like(free)
        cv2.drawContours(disc, [outline], -1, 255, cv2.FILLED)
        if cv2.countNonZero(cv2.bitwise_and(disc, free)) < SOLIDITY * cv2.countNonZero(disc):
            cv2.bitwise_or(discs, disc, discs)
    return discs
