"""Board models: the lengths by the book from which a calibration starts before it measures the real board."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources

from models.pieces import Kind, Seat, to_side

SMALLER_MM, LARGER_MM = 1.0, 0.3
"""Scales (mm) on which a smaller and a larger measured radius speak against a striker of the book's size. Larger ones
are against the laws (ICF: at most 41.3 mm across), so only the measurement scatters there; house strikers are larger by
2 mm and more.
"""
ARC_RADIUS_MM = 31.75
"""Radius of the decorative arc at an arrow's inner end, mm (published drawings of the ICF board)."""


@dataclass(frozen=True, slots=True)
class BoardModel:
    """Lengths of a board's surface and markings in millimetres (ICF Laws of Carrom, section I, for `icf74`)."""

    name: str
    surface: float
    """Side of the square playing surface."""
    pocket_diameter: float
    pocket_inset: float
    """Distance of a pocket's centre from both cushions."""
    rear_line: float
    """Distance from the cushion to the middle of the thick, lower base line."""
    line_gap: float
    """Spacing of the two base lines, middle to middle; the base circles lie midway."""
    rear_line_thickness: float
    front_line_thickness: float
    base_circle_x: float
    """Distance of a base circle's centre from the board's middle axis, along the line."""
    base_circle_radius: float
    """Printed ring of a base circle."""
    base_disc_radius: float
    """Filled red disc within the ring."""
    centre_circle_radius: float
    outer_circle_radius: float
    arrow_start: float
    """Distance from the corner of the surface to the arrow's tip, measured along each axis."""
    arrow_length: float
    arrow_thickness: float
    frame_width: float
    frame_height: float
    coin_radius: float
    coin_height: float
    striker_radius: float
    striker_height: float

    @property
    def half(self) -> float:
        """Half the side of the playing surface: the cushions lie at x or y = +-half."""
        return self.surface / 2

    @property
    def base_y(self) -> float:
        """Distance of the base circles' centres from the board's middle, across the lines."""
        return self.half - self.rear_line - self.line_gap / 2

    def radius(self, kind: Kind) -> float:
        """Returns the radius of a piece, mm."""
        return self.striker_radius if kind is Kind.STRIKER else self.coin_radius

    def height(self, kind: Kind) -> float:
        """Returns the height of a piece's top face above the surface, mm."""
        return self.striker_height if kind is Kind.STRIKER else self.coin_height

    def off_lines(self, x: float, y: float) -> float:
        """Returns the distance (mm) of board (x, y) mm from the middle between the nearest side's base lines, extended
        endlessly.
        """
        return min(abs(to_side(seat, x, y)[1] + self.base_y) for seat in Seat)

    def striker_radius_of(self, measured_mm: float) -> float:
        """Returns the radius (mm) of a measured striker, drawn towards the book's the more, the closer the two are.

        The odds that it is of the book's size fall with the difference, from even ones where there is none. On 71 clips
        of boards drawn elsewhere the radius is off by 0.38 mm rms, the measured one by 0.49.
        """
        off = measured_mm - self.striker_radius
        odds = math.exp(-((off / (LARGER_MM if off > 0 else SMALLER_MM)) ** 2) / 2)
        return self.striker_radius + off / (1.0 + odds)


DEFAULT_BOARD = "icf74"


def board_names() -> list[str]:
    """Returns the names that `load_board` accepts."""
    folder = resources.files("models") / "boards"
    return sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml"))


@cache
def surface_spread() -> float:
    """Returns the range of the known boards' surfaces as a share of their mean.

    The scale of a board whose model is not certain may be off by as much.
    """
    surfaces = [load_board(name).surface for name in board_names()]
    return (max(surfaces) - min(surfaces)) * len(surfaces) / sum(surfaces)


def load_board(name: str = DEFAULT_BOARD) -> BoardModel:
    """Returns the board model `name`. Raises ValueError with the known names."""
    if name not in board_names():
        raise ValueError(f"unknown board {name!r}: choose one of {', '.join(board_names())}")
    text = (resources.files("models") / "boards" / f"{name}.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    known = {f.name for f in fields(BoardModel)} - {"name"}
    if set(data) != known:
        raise ValueError(f"board {name}: missing {sorted(known - set(data))}, unknown {sorted(set(data) - known)}")
    return BoardModel(name=name, **{k: float(v) for k, v in data.items()})
