"""Pieces, seats and pockets, and the formation of the pieces at the beginning of a board."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, TypeVar


class _Negatable(Protocol):
    def __neg__(self) -> Any: ...


Length = TypeVar("Length", bound=_Negatable)
"""A number or an array of numbers, mm."""


class Kind(StrEnum):
    """Kind of a disc on the board."""

    WHITE = "white"
    BLACK = "black"
    QUEEN = "queen"
    STRIKER = "striker"


COINS = (Kind.WHITE, Kind.BLACK, Kind.QUEEN)
"""Kinds that are pocketed for points. The striker is not one of them."""

STRIKER_RADII = (19.5, 21.0, 22.5, 24.0, 26.0, 28.0, 31.0)
"""Radii (mm) of strikers, from those of the book (20.65 at most) to house strikers of twice a coin's size."""

FULL_SET = {Kind.WHITE: 9, Kind.BLACK: 9, Kind.QUEEN: 1}
"""Coins of a complete set (ICF equipment: nine of each colour and the queen)."""


class Seat(StrEnum):
    """A side of the board; south is nearest the picture's bottom edge. In clockwise order seen from above."""

    SOUTH = "south"
    WEST = "west"
    NORTH = "north"
    EAST = "east"

    @property
    def quarter_turns(self) -> int:
        """Clockwise quarter turns, seen from above, from south's side to this one."""
        return list(Seat).index(self)

    @property
    def inward(self) -> tuple[float, float]:
        """Unit vector (x, y) from this side towards the board's middle."""
        return {"south": (0.0, 1.0), "west": (1.0, 0.0), "north": (0.0, -1.0), "east": (-1.0, 0.0)}[self.value]

    @property
    def opposite(self) -> Seat:
        return self.turned(2)

    def turned(self, quarters: int) -> Seat:
        """Returns the side that lies so many clockwise quarter turns further, seen from above."""
        return list(Seat)[(self.quarter_turns + quarters) % 4]


class Pocket(StrEnum):
    """A corner pocket, named as on a map with south at the bottom."""

    SW = "SW"
    SE = "SE"
    NE = "NE"
    NW = "NW"

    @property
    def corner(self) -> tuple[int, int]:
        """Signs (x, y) of the pocket's corner in the board frame."""
        return (-1 if "W" in self.value else 1, -1 if "S" in self.value else 1)


@dataclass(frozen=True, slots=True)
class Piece:
    """A disc lying on the playing surface."""

    kind: Kind
    x_mm: float
    y_mm: float

    @property
    def place(self) -> tuple[float, float]:
        """Its middle, board mm."""
        return self.x_mm, self.y_mm


def to_side(seat: Seat, x: Length, y: Length) -> tuple[Length, Length]:
    """Returns board (x, y), numbers or arrays, in the frame of the player at `seat`: turned so that his side is
    south.
    """
    for _ in range(seat.quarter_turns):
        x, y = -y, x
    return x, y


def from_side(seat: Seat, x: Length, y: Length) -> tuple[Length, Length]:
    """Returns the inverse of `to_side`: a point of south's half turned to the side of `seat`."""
    for _ in range(seat.quarter_turns):
        x, y = y, -x
    return x, y


def opening_formation(coin_diameter_mm: float, arm_angle: float = -math.pi / 2) -> tuple[Piece, ...]:
    """Returns the nineteen coins as a board begins (ICF R14): queen, ring of six, ring of twelve, three white pairs as
    a Y.

    `arm_angle` (radians) is the direction of one arm of the Y; -pi/2 points at south. Neighbours touch, so the outer
    ring's corners lie two diameters from the middle and its edges sqrt(3) diameters.
    """
    d = coin_diameter_mm
    pieces = [Piece(Kind.QUEEN, 0.0, 0.0)]
    for k in range(6):
        corner = arm_angle + k * math.pi / 3
        inner = Kind.WHITE if k % 2 == 0 else Kind.BLACK
        pieces.append(Piece(inner, d * math.cos(corner), d * math.sin(corner)))
        pieces.append(Piece(Kind.WHITE, 2 * d * math.cos(corner), 2 * d * math.sin(corner)))
        edge = corner + math.pi / 6
        reach = math.sqrt(3) * d
        pieces.append(Piece(Kind.BLACK, reach * math.cos(edge), reach * math.sin(edge)))
    return tuple(pieces)
