"""Renders text of any script as a picture: shaped by HarfBuzz, drawn in the shipped fonts.

Lines may mix scripts and directions; they are ordered as the Unicode bidirectional algorithm (UAX 9) orders text
without embeddings and brackets. Letters that no shipped font has (Chinese, Japanese, Korean) show as boxes.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from itertools import groupby

import numpy as np
import uharfbuzz as hb
from numpy.typing import NDArray

from referee.languages import fonts_folder

LETTERING_FIRST = "NotoSans"
"""Font that is tried first: Latin, Greek and Cyrillic letters, digits, signs."""

Coverage = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Run:
    """Letters of one font and one direction."""

    text: str
    font: str
    level: int
    """Embedding level (UAX 9): odd for right to left."""


def is_right_to_left(text: str) -> bool:
    """Tells whether the line's first letter is of a script that runs right to left (UAX 9, P2 and P3)."""
    return next((c in ("R", "AL") for c in map(unicodedata.bidirectional, text) if c in ("L", "R", "AL")), False)


def render_text(text: str, size_px: float) -> Coverage:
    """Returns the line's coverage, shape (height, width), 0 to 255; `size_px` is the size of the font."""
    draw, x = hb.RasterDraw(), 0.0
    for run in _visual(_runs(text)):
        x = _draw(draw, run, size_px, x)
    width, height, below = max(1, round(x)), round(1.9 * size_px), round(0.7 * size_px)
    draw.extents = hb.RasterExtents(0, -below, width, height, width)
    image = draw.render()
    return np.frombuffer(image.buffer, np.uint8).reshape(height, image.extents.stride)[::-1, :width].copy()


def _draw(draw: hb.RasterDraw, run: Run, size_px: float, x: float) -> float:
    """Draws a run from `x` on; returns where it ends."""
    font = _font(run.font)
    scale = size_px / font.face.upem
    buffer = hb.Buffer()
    buffer.add_str(run.text)
    buffer.guess_segment_properties()
    buffer.direction = "rtl" if run.level % 2 else "ltr"
    hb.shape(font, buffer)
    for glyph, place in zip(buffer.glyph_infos, buffer.glyph_positions, strict=True):
        draw.transform = (scale, 0.0, 0.0, scale, x + place.x_offset * scale, place.y_offset * scale)
        draw.draw_glyph(font, glyph.codepoint)
        x += place.x_advance * scale
    return x


def _runs(text: str) -> list[Run]:
    """Returns the line cut where font or direction change, in the order of reading."""
    levels, fonts = _levels(text), _fonts(text)
    parts = groupby(range(len(text)), key=lambda i: (fonts[i], levels[i]))
    return [Run("".join(text[i] for i in each), font, level) for (font, level), each in parts]


def _visual(runs: list[Run]) -> list[Run]:
    """Returns the runs from left to right (UAX 9, L2)."""
    deepest = max((run.level for run in runs), default=0)
    for level in range(deepest, 0, -1):
        parts = groupby(runs, key=lambda run: run.level >= level)
        runs = [run for turned, each in parts for run in (reversed([*each]) if turned else each)]
    return runs


def _levels(text: str) -> list[int]:
    """Returns each character's embedding level (UAX 9, W1 to W7, N1, N2, I1, I2)."""
    base = int(is_right_to_left(text))
    strong, kinds = "R" if base else "L", []
    for kind in map(unicodedata.bidirectional, text):
        if kind in ("L", "R", "AL"):
            strong = "L" if kind == "L" else "R"
            kinds.append(strong)
        elif kind in ("EN", "AN"):
            kinds.append("N" if strong == "R" else "L")
        else:
            kinds.append(kinds[-1] if kind == "NSM" and kinds else "")
    return [_depth(kind or _neutral(kinds, i, base), base) for i, kind in enumerate(kinds)]


def _neutral(kinds: list[str], at: int, base: int) -> str:
    """Returns the direction of a space or sign: its neighbours' where both agree, else the line's."""
    before = next((k for k in reversed(kinds[:at]) if k), "")
    after = next((k for k in kinds[at:] if k), "")
    sides = {"R" if k == "N" else k or ("R" if base else "L") for k in (before, after)}
    return sides.pop() if len(sides) == 1 else "R" if base else "L"


def _depth(kind: str, base: int) -> int:
    return {"R": 1, "N": 2, "L": 2 if base else 0}[kind]


def _fonts(text: str) -> list[str]:
    """Returns the font of each character; combining marks and control characters keep that of the letter before."""
    chosen: list[str] = []
    for letter in text:
        stays = chosen and unicodedata.category(letter)[0] in "MC"
        fonts = (chosen[-1], *_names()) if stays else _names()
        chosen.append(next((name for name in fonts if _font(name).get_nominal_glyph(ord(letter))), LETTERING_FIRST))
    return chosen


@cache
def _names() -> tuple[str, ...]:
    others = sorted(file.stem for file in fonts_folder().glob("*.ttf") if file.stem != LETTERING_FIRST)
    return (LETTERING_FIRST, *others)


@cache
def _font(name: str) -> hb.Font:
    return hb.Font(hb.Face(hb.Blob.from_file_path(str(fonts_folder() / f"{name}.ttf"))))
