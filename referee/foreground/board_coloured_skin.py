"""Board-coloured skin: parts of a hand that pass for shade or for the bare board.

Shade keeps the board's tint and grain, so hardly a cell of it differs otherwise. Skin of nearly the board's colour
differs in many single cells. The result says what hands did. It does not say where discs may be, because a disc that
touches a hand may pass for a part of it.
"""

from __future__ import annotations

import cv2
import numpy as np

from referee.foreground.background import BackgroundModel, ForegroundFrame, Mask, mask_of
from referee.foreground.components import labels_of
from referee.foreground.segmentation import (
    HAND_LEAST_MM2,
    LOOSE_LEAST_MM2,
    SEGMENT_GAP_MM,
    reaching,
    round_kernel,
    window_about,
)

SKIN_HAND_MM = 250.0
"""Length of a hand with its wrist."""

MOST_MM2 = 50000.0
"""Greatest area of missed skin. More is no hand: a bumped camera shows a line along all cushions, which encloses the
board."""
SKIN_UNLIKE = 0.05
"""Least share of skin's cells that differ from the board as no shade does (shade: 0 to 0.03)."""
SKIN_ROUND, LONG = 0.62, 1.5
"""Least share of its bounding box that a disc covers, and greatest ratio of the box's sides."""


def arms_with_skin(background: BackgroundModel, hand: Mask, foreground: ForegroundFrame, explained: Mask) -> Mask:
    """Returns a hand mask (n, n) with its board-coloured skin added.

    Without a hand, arms of the board's colour are sought beside whatever differs over the frame, as a sleeve does.
    `explained` (n, n) covers the known pieces.
    """
    seen = hand if cv2.countNonZero(hand) else np.asarray(cv2.bitwise_and(foreground.solid, background.frame), np.uint8)
    if not cv2.countNonZero(seen):
        return hand
    part = window_about(seen, round(SKIN_HAND_MM / background.lattice.step))
    shade, unlike = (np.asarray(cv2.subtract(mask[part], explained[part]), np.uint8)
                     for mask in (foreground.shade, foreground.solid))  # fmt: skip
    skin = skin_beside(seen[part], shade, unlike, round_kernel(SEGMENT_GAP_MM, background), background.lattice.step**2)
    if skin is None:
        return hand
    whole = seen.copy()
    cv2.bitwise_or(whole[part], skin, whole[part])
    return whole


def skin_beside(hand: Mask, shade: Mask, unlike: Mask, gap: Mask, cell_mm2: float) -> Mask | None:
    """Returns board-coloured skin (h, w) beside a hand; None without any.

    `shade` differs from the board as a shadow does, `unlike` as none does; known pieces are left out of both. Gaps up
    to the diameter of the kernel `gap` are closed.
    """
    beside = np.asarray(cv2.subtract(unlike, hand), np.uint8)
    if cv2.countNonZero(beside) * cell_mm2 < SKIN_UNLIKE * HAND_LEAST_MM2:
        return None
    discs = _discs(beside, cell_mm2)
    outline = cv2.morphologyEx(cv2.bitwise_or(cv2.bitwise_or(shade, unlike), hand), cv2.MORPH_CLOSE, gap)
    within = cv2.subtract(_filled(np.asarray(outline, np.uint8), hand), cv2.bitwise_or(hand, discs))
    patches = labels_of(np.asarray(cv2.morphologyEx(within, cv2.MORPH_OPEN, gap), np.uint8))
    cells, different = (np.bincount(patches[plane > 0], minlength=int(patches.max()) + 1) for plane in (within, beside))
    covered = cells * cell_mm2
    skin = (covered > HAND_LEAST_MM2) & (covered < MOST_MM2) & (different > SKIN_UNLIKE * cells)
    skin[0] = False
    return mask_of(skin).take(patches) if skin.any() else None


def _discs(mask: Mask, cell_mm2: float) -> Mask:
    """Returns components of `mask` with the size and shape of a disc."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    _, _, width, height, cells = stats.T
    area = cells * cell_mm2
    disc = (area > LOOSE_LEAST_MM2) & (area < HAND_LEAST_MM2) & (cells > SKIN_ROUND * width * height)
    disc &= np.maximum(width, height) < LONG * np.minimum(width, height)
    disc[0] = False
    return mask_of(disc).take(np.asarray(labels, np.int32))


def _filled(mask: Mask, hand: Mask) -> Mask:
    """Returns components of `mask` that touch a hand, with their holes filled."""
    filled: Mask = np.zeros(hand.shape, np.uint8)
    for patch, _ in reaching(mask, hand):
        outlines, _ = cv2.findContours(patch, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        cv2.drawContours(filled, outlines, -1, 255, cv2.FILLED)
    return filled
