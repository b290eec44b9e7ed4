"""Prints are drawn as wide as they are told to be, however coarse the sheet: the truth of placements rests on it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from referee.sim.texture import Sheet

HALF_MM, LENGTH_MM, WHITE = 100.0, 120.0, (255, 255, 255)


def blank(per_mm: float) -> Sheet:
    side = round(2 * HALF_MM * per_mm)
    return Sheet(np.zeros((side, side, 3), np.uint8), HALF_MM)


def area(sheet: Sheet) -> float:
    """What is white, mm2."""
    return float(sheet.image[..., 0].sum()) / 255 / sheet.per_mm**2


@pytest.mark.parametrize("per_mm", [1.0, 1.3, 2.0, 4.0])
@pytest.mark.parametrize("turned_deg", [0.0, 1.2, 45.0])
@pytest.mark.parametrize("wide", [0.8, 1.5, 5.5])
def test_a_line_covers_its_width(per_mm: float, turned_deg: float, wide: float) -> None:
    turn = math.radians(turned_deg)
    along = np.array([math.cos(turn), math.sin(turn)])
    widths = []
    for aside in np.linspace(0.0, 1.0, 9):
        sheet, off = blank(per_mm), aside * np.array([-along[1], along[0]])
        sheet.stroke([off - along * LENGTH_MM / 2, off + along * LENGTH_MM / 2], wide, WHITE)
        widths.append(area(sheet) / LENGTH_MM)
    assert np.mean(widths) == pytest.approx(wide, abs=0.08)


@pytest.mark.parametrize("per_mm", [1.0, 1.3, 2.0, 4.0])
def test_discs_and_rings_cover_what_they_should(per_mm: float) -> None:
    disc, ring = blank(per_mm), blank(per_mm)
    disc.disc((0.3, 0.2), 15.9, WHITE)
    ring.ring((0.3, 0.2), 15.9, 1.5, WHITE)
    assert math.sqrt(area(disc) / math.pi) == pytest.approx(15.9, abs=0.05)
    assert area(ring) / (2 * math.pi * 15.15) == pytest.approx(1.5, abs=0.06)


def test_what_lies_beyond_a_sheet_is_not_drawn() -> None:
    sheet = blank(2.0)
    sheet.disc((3 * HALF_MM, 0.0), 15.9, WHITE)
    assert not sheet.image.any()
    sheet.disc((HALF_MM, 0.0), 15.9, WHITE)
    assert area(sheet) == pytest.approx(math.pi * 15.9**2 / 2, rel=0.02)
