"""Skin of the board's own colour: what of a hand the gate takes for shade, or for the board itself.

Shade keeps the board's tint and its grain, so hardly a cell of it differs otherwise. Skin that is nearly like the board
differs in many cells: in patches that a hand's size does not show, and in single ones. It tells what hands did; where
discs may be it does not tell, since one that touches a hand may pass for a part of it.
"""

from __future__ import annotations

import cv2
import numpy as np

from referee.foreground.background import Gate, Mask, Sight, mask_of
from referee.foreground.components import Cells, Window, labels_of
from referee.foreground.segmentation import GAP_MM, reaching, round_kernel

HAND_MM, PALM_MM = 250.0, 12.5
"""Length of a hand with its wrist, and half the width that no finger has."""
BORDER_MM, SLEEVE_MM2 = 8.0, 400.0
"""An arm is seen so far beyond the cushion, over so much of the frame, and so far within it."""
ALL: Window = (slice(None), slice(None))

LEAST_MM2, MOST_MM2 = 2200.0, 50000.0
"""Less of a hand than the first is no loss: its margin covers it. More than the second is no hand: a bumped camera
shows a line along all cushions, which encloses the board."""
UNLIKE = 0.05
"""Share of skin's cells that differ from the board as no shade does; of shade, 0 to 0.03."""
DISC_MM2 = 400.0, 2200.0
"""A disc covers between these areas."""
ROUND, LONG = 0.62, 1.5
"""A disc covers more than the first share of the rectangle about it, which is no longer than this to its width."""


class Skin:
    """Finds what hands are seen to be with the skin that the gate does not tell."""

    def __init__(self, gate: Gate) -> None:
        self._step = gate.lattice.step
        outward = np.maximum(np.abs(gate.x), np.abs(gate.y)) - gate.half
        self._within, self._frame = mask_of(outward < -BORDER_MM), mask_of(outward > BORDER_MM)
        self._gap, self._palm = (round_kernel(radius, gate) for radius in (GAP_MM, PALM_MM))

    def arms(self, hand: Mask, sight: Sight, explained: Mask) -> Mask:
        """A hand (n, n) with its skin; where no hand is known, what seems to be a whole one of the board's colour.

        `explained` (n, n) covers the pieces known to lie there.
        """
        part = _about(hand, round(HAND_MM / self._step)) if cv2.countNonZero(hand) else ALL
        shade, unlike = (np.asarray(cv2.subtract(m[part], explained[part]), np.uint8)
                         for m in (sight.shade, sight.solid))  # fmt: skip
        if part is ALL:
            skin = self._dark_arms(shade, unlike)
        else:
            skin = skin_beside(hand[part], shade, unlike, self._gap, self._step**2)
        if skin is None:
            return hand
        whole = hand.copy()
        cv2.bitwise_or(whole[part], skin, whole[part])
        return whole

    def _dark_arms(self, shade: Mask, unlike: Mask) -> Mask | None:
        """Patches (n, n) of shade as large as a palm that something over the frame reaches in with, which is unlike it.

        What a person's shadow is cast by is seen over the frame as a hand, or not at all; an arm's own is taken for a
        part of it.
        """
        cell, sleeve = self._step**2, cv2.bitwise_and(unlike, self._frame)
        if cv2.countNonZero(sleeve) * cell < SLEEVE_MM2:
            return None
        dark = cv2.morphologyEx(cv2.bitwise_or(shade, unlike), cv2.MORPH_CLOSE, self._gap)
        palm = cv2.bitwise_and(cv2.morphologyEx(dark, cv2.MORPH_OPEN, self._palm), self._within)
        patches = labels_of(np.asarray(dark, np.uint8))
        whole, palms, sleeves = (np.bincount(patches[m > 0], minlength=int(patches.max()) + 1) * cell
                                 for m in (dark, palm, sleeve))  # fmt: skip
        arm = (palms > LEAST_MM2) & (sleeves > SLEEVE_MM2) & (whole < MOST_MM2)
        arm[0] = False
        if not arm.any():
            return None
        return np.asarray(cv2.subtract(mask_of(arm).take(patches), _discs(unlike, cell)), np.uint8)


def _about(hand: Mask, margin: int) -> Window:
    """The rows and columns that hold a hand and `margin` cells around it."""
    x, y, w, h = cv2.boundingRect(hand)
    return slice(max(0, y - margin), y + h + margin), slice(max(0, x - margin), x + w + margin)


def skin_beside(hand: Mask, shade: Mask, unlike: Mask, gap: Mask, cell_mm2: float) -> Mask | None:
    """What (h, w) beside a hand is skin of the board's colour; None when nothing is.

    `shade` and `unlike` differ from the board as shade does and as it does not, pieces known to lie there left out.
    Gaps as wide as the disc `gap` is thick are closed.
    """
    beside = np.asarray(cv2.subtract(unlike, hand), np.uint8)
    if cv2.countNonZero(beside) * cell_mm2 < UNLIKE * LEAST_MM2:
        return None
    discs = _discs(beside, cell_mm2)
    outline = cv2.morphologyEx(cv2.bitwise_or(cv2.bitwise_or(shade, unlike), hand), cv2.MORPH_CLOSE, gap)
    within = cv2.subtract(_filled(np.asarray(outline, np.uint8), hand), cv2.bitwise_or(hand, discs))
    patches = labels_of(np.asarray(cv2.morphologyEx(within, cv2.MORPH_OPEN, gap), np.uint8))
    cells, different = (np.bincount(patches[plane > 0], minlength=int(patches.max()) + 1) for plane in (within, beside))
    covered = cells * cell_mm2
    skin = (covered > LEAST_MM2) & (covered < MOST_MM2) & (different > UNLIKE * cells)
    skin[0] = False
    return mask_of(skin).take(patches) if skin.any() else None


def _discs(mask: Mask, cell_mm2: float) -> Mask:
    """The patches of `mask` that a disc may be."""
    drawn: Mask = np.zeros(mask.shape, np.uint8)
    found = Cells.of(mask, (slice(0, mask.shape[0]), slice(0, mask.shape[1])))
    if not found.sizes:
        return drawn
    cells = np.array(found.sizes)
    first, area = np.cumsum(cells) - cells, cells * cell_mm2
    width, height = (np.maximum.reduceat(at, first) - np.minimum.reduceat(at, first) + 1
                     for at in (found.columns, found.rows))  # fmt: skip
    disc = (area > DISC_MM2[0]) & (area < DISC_MM2[1]) & (cells > ROUND * width * height)
    disc &= np.maximum(width, height) < LONG * np.minimum(width, height)
    here = np.repeat(disc, cells)
    drawn[found.rows[here], found.columns[here]] = 255
    return drawn


def _filled(mask: Mask, hand: Mask) -> Mask:
    """The patches of `mask` that a hand is part of, with all that they enclose."""
    filled: Mask = np.zeros(hand.shape, np.uint8)
    for patch, _ in reaching(mask, hand):
        outlines, _ = cv2.findContours(patch, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        cv2.drawContours(filled, outlines, -1, 255, cv2.FILLED)
    return filled
