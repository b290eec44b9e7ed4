"""The steps of a set-up and its progress, with their JSON form."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, Self

VERSION = 1

Corners = tuple[tuple[float, float], ...]


class Step(StrEnum):
    """Steps in their order. The user may go back to any of them."""

    CAMERA = "camera"
    """The picture itself: focus, exposure, blur, flicker, glare."""
    BOARD = "board"
    LENS = "lens"
    COLOURS = "colours"
    """Coins' colours, from the opening formation."""
    STRIKER = "striker"
    """Striker's colour and size, on the middle of the board."""
    MATCH = "match"
    """Rule book and players."""
    CARD = "card"
    """Final card: does the set-up suffice?"""


@dataclass(frozen=True, slots=True)
class Choices:
    """What the user states about the board because no picture shows it, or not surely."""

    board: str | None = None
    """Board model; None = recognised."""
    surface_mm: float | None = None
    """Side of the playing surface by tape measure, mm; None = the model's."""
    turn: int = 0
    """Clockwise quarter turns from the side nearest the picture's bottom to south."""
    mirror: bool = False
    """The camera delivers its picture flipped left to right."""
    height_mm: float | None = None
    """Height of the lens above the surface by tape measure, mm; None = estimated."""
    corners: Corners | None = None
    """Corners of the surface as dragged by the user (TL TR BR BL, px); None = found automatically."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a set-up."""

    source: str = ""
    """Name of the camera that is being set up."""
    at: Step = Step.CAMERA
    done: tuple[Step, ...] = ()
    choices: Choices = field(default_factory=Choices)
    has_sheet: bool = False
    """The lens was measured from the sheet."""
    match: dict[str, Any] | None = None
    """Rule book and players as the page requested them."""
    finished: bool = False

    def with_done(self, step: Step, anew: bool = False) -> Self:
        """Marks a step as done. If it was measured `anew`, the steps that rest on it must be repeated."""
        gone = {step, *(RESTS_ON.get(step, ()) if anew else ())}
        return replace(self, done=(*(s for s in self.done if s not in gone), step))

    def to_json(self) -> str:
        """Returns the JSON text that `from_json` reads."""
        return json.dumps({"version": VERSION, **asdict(self)}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Reads the progress from JSON; raises ValueError if it is invalid or of another version."""
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
"""Steps to be repeated after a step with a new result: colours are measured at places on the board."""
