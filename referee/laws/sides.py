"""The two sides of a race game: whoever plays white, whoever plays black."""

from __future__ import annotations

from enum import StrEnum

from models.pieces import Kind


class Side(StrEnum):
    """Owner of a colour on this board; the seats behind it change from board to board."""

    WHITE = "white"
    BLACK = "black"

    @property
    def other(self) -> Side:
        return Side.BLACK if self is Side.WHITE else Side.WHITE

    @property
    def slot(self) -> int:
        """Index in a (white, black) pair."""
        return 0 if self is Side.WHITE else 1

    @property
    def letter(self) -> str:
        """`W` or `B`, as in the text form."""
        return "W" if self is Side.WHITE else "B"

    @property
    def kind(self) -> Kind:
        """The coins of this side."""
        return Kind.WHITE if self is Side.WHITE else Kind.BLACK


SIDE_OF = {"W": Side.WHITE, "B": Side.BLACK}
"""Sides by their letter in the text form."""
