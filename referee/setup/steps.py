"""The steps of a set-up and how far it has come, as a value and as a small file's JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, Self

VERSION = 1

Corners = tuple[tuple[float, float], ...]


class Step(StrEnum):
    """In their order; people may go back to any of them."""

    CAMERA = "camera"
    """The picture itself: focus, exposure, blur, flicker, glare."""
    BOARD = "board"
    LENS = "lens"
    COLOURS = "colours"
    """From the opening formation."""
    STRIKER = "striker"
    """On the middle of the board."""
    MATCH = "match"
    """Rule book and players."""
    CARD = "card"
    """Whether all of it suffices."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What people say of the board because no picture tells it, or tells it surely."""

    board: str | None = None
    """Its model; None = recognised."""
    surface_mm: float | None = None
    """The side of the playing surface by a tape measure; None = by the model."""
    turn: int = 0
    """Clockwise quarter turns from the side nearest the picture's bottom to south."""
    mirror: bool = False
    """The camera delivers its picture flipped left to right."""
    corners: Corners | None = None
    """Where the surface's corners were dragged to (TL TR BR BL, px); None = the board is found by itself."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a set-up has come."""

    source: str = ""
    """What the camera is called that it is made for."""
    at: Step = Step.CAMERA
    done: tuple[Step, ...] = ()
    choices: Choices = field(default_factory=Choices)
    has_sheet: bool = False
    """The lens was measured from the sheet."""
    match: dict[str, Any] | None = None
    """Rule book and players as the page asked for them."""
    finished: bool = False

    def with_done(self, step: Step, anew: bool = False) -> Self:
        """The step is done; measured `anew`, those that rest on it are to be done again."""
        gone = {step, *(RESTS_ON.get(step, ()) if anew else ())}
        return replace(self, done=(*(s for s in self.done if s not in gone), step))

    def to_json(self) -> str:
        """Inverse of `from_json`."""
        return json.dumps({"version": VERSION, **asdict(self)}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Raises ValueError for anything else."""
        try:
            d = json.loads(text)
            if d.pop("version") != VERSION:
                raise ValueError("made by another version")
            choices = d.pop("choices")
            corners = choices.pop("corners")
            corners_px = None if corners is None else tuple((float(x), float(y)) for x, y in corners)
            done = tuple(Step(s) for s in d.pop("done"))
            return cls(at=Step(d.pop("at")), done=done, choices=Choices(corners=corners_px, **choices), **d)
        except (KeyError, TypeError, AttributeError) as e:
            raise ValueError(f"no set-up: {e!r}") from None


RESTS_ON: dict[Step, tuple[Step, ...]] = {
    Step.BOARD: (Step.COLOURS, Step.STRIKER),
    Step.LENS: (Step.COLOURS, Step.STRIKER),
}
"""Looks are measured where the board is: with a board found anew they must be taken again."""
