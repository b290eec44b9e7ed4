"""Boards by the book: the lengths that a calibration starts from before it measures the board in view."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from importlib import resources

from models.pieces import Kind, Seat, to_side

BOARD_OFF_BOOK_MM = 0.8
"""A radius nearer the book's is taken for the book's: lamps that draw a rim to one side mislead by half as much."""


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
        """Radius of a piece."""
        return self.striker_radius if kind is Kind.STRIKER else self.coin_radius

    def height(self, kind: Kind) -> float:
        """How far a piece's top face lies above the surface."""
        return self.striker_height if kind is Kind.STRIKER else self.coin_height

    def off_lines(self, x: float, y: float) -> float:
        """How far (mm) board (x, y) mm lies from the middle between the nearest side's base lines, if they went on."""
        return min(abs(to_side(seat, x, y)[1] + self.base_y) for seat in Seat)

    def striker_radius_of(self, measured_mm: float) -> float:
        """A striker's radius, measured: this board's where that is nearly it."""
        return measured_mm if abs(measured_mm - self.striker_radius) > BOARD_OFF_BOOK_MM else self.striker_radius


DEFAULT_BOARD = "icf74"


def board_names() -> list[str]:
    """Names accepted by `load_board`."""
    folder = resources.files("models") / "boards"
    return sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml"))


def load_board(name: str = DEFAULT_BOARD) -> BoardModel:
    """The board model `name`; raises ValueError naming the known ones."""
    if name not in board_names():
        raise ValueError(f"unknown board {name!r}: choose one of {', '.join(board_names())}")
    text = (resources.files("models") / "boards" / f"{name}.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    known = {f.name for f in fields(BoardModel)} - {"name"}
    if set(data) != known:
        raise ValueError(f"board {name}: missing {sorted(known - set(data))}, unknown {sorted(set(data) - known)}")
    return BoardModel(name=name, **{k: float(v) for k, v in data.items()})
