"""Which pictures of a stroke are decisive, and what is known of those that were kept; no pixels here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.pieces import Pocket
from referee.log import Line
from referee.log.schema import check_plain
from referee.replay.match_folder import MatchFolder, read_beside

if TYPE_CHECKING:
    from calibration.profile import Profile

PLACEMENT_REACH_MM, POCKET_REACH_MM = 60.0, 70.0
"""What the pictures of the striker and of a pocket show to each side: the striker with its lines, a pocket's mouth."""
CLOSE_PX, BOARD_PX = 600, 640
"""Sizes of pictures of a part and of the whole board."""
AT_STRIKE_S = 0.03
"""The hand is shown so long before the strike, when the finger still lies behind the striker."""
KEY_BEFORE_S = 0.1
"""Where nobody saw the striker stand still, it is shown so long before the strike."""
HAND_FOULS = frozenset({"hand_over_diagonal", "touched_coin", "push"})
HAND_LEAST = 0.1
"""A foul of the hand that is less likely than this needs no picture."""


class Shows(StrEnum):
    """What a picture is evidence of."""

    PLACEMENT = "placement"
    """The striker on its base lines, true to scale on the surface, its top face in its true place."""
    HAND = "hand"
    """The whole board just before the strike."""
    POCKETED = "pocketed"
    """A piece where it was last seen before it fell."""
    BEFORE = "before"
    AFTER = "after"
    """The whole board, before the strike and when the stroke was called."""


@dataclass(frozen=True, slots=True)
class Decisive:
    """A picture of the evidence."""

    name: str
    """Within its stroke; part of the file's name."""
    shows: Shows
    t: float
    """Time (s) of the frame; before it is cut, the time that is wanted."""
    x_mm: float
    y_mm: float
    """The picture's middle on the board."""
    reach_mm: float
    """How far the picture shows to each side."""
    size_px: int
    piece: str | None = None
    """The kind that fell."""
    file: str = ""


def decisive(stroke: Line, t_seen: float | None, profile: Profile) -> list[Decisive]:
    """The pictures that a stroke's line needs, in the order of their times.

    `t_seen` (s) is when the striker was last seen standing before the strike, None if nobody saw it.
    """
    frames = [*_of_placement(stroke, t_seen), *_of_board(stroke, profile), *_of_pockets(stroke, profile)]
    return sorted(frames, key=lambda d: d.t)


def _of_placement(stroke: Line, t_seen: float | None) -> Iterator[Decisive]:
    if place := stroke["placement"]:
        t = stroke["t_strike"] - KEY_BEFORE_S if t_seen is None else t_seen
        yield Decisive("placement", Shows.PLACEMENT, t, place["x_mm"], place["y_mm"], PLACEMENT_REACH_MM, CLOSE_PX)


def _of_board(stroke: Line, profile: Profile) -> Iterator[Decisive]:
    reach = profile.board.half + profile.board.frame_width
    began = stroke["t_placed"] if stroke["t_placed"] is not None else stroke["t_strike"] - KEY_BEFORE_S
    yield Decisive("before", Shows.BEFORE, began, 0.0, 0.0, reach, BOARD_PX)
    if any(stroke["foul_confidence"].get(foul, 0.0) >= HAND_LEAST for foul in HAND_FOULS):
        yield Decisive("hand", Shows.HAND, stroke["t_strike"] - AT_STRIKE_S, 0.0, 0.0, reach, BOARD_PX)
    yield Decisive("after", Shows.AFTER, stroke["t_called"], 0.0, 0.0, reach, BOARD_PX)


def late(fell: Line, profile: Profile) -> Decisive | None:
    """The picture that a line of a coin fallen after the call needs; None where this board's pocket is not known."""
    if (circle := profile.pockets.get(Pocket(fell["pocket"]))) is None:
        return None
    (x, y), name = circle.centre, f"fell{round(fell['t'] * 1000)}"
    return Decisive(name, Shows.POCKETED, fell["t"], x, y, POCKET_REACH_MM, CLOSE_PX, fell["kind"])


def _of_pockets(stroke: Line, profile: Profile) -> Iterator[Decisive]:
    for i, fell in enumerate(stroke["pocketed"], 1):
        circle = profile.pockets.get(Pocket(fell["pocket"])) if fell["pocket"] else None
        if circle is not None:
            x, y = circle.centre
            yield Decisive(f"pocketed{i}", Shows.POCKETED, fell["t"], x, y, POCKET_REACH_MM, CLOSE_PX, fell["kind"])


def kept_pictures(folder: MatchFolder, stroke: int) -> tuple[Decisive, ...]:
    """The pictures kept of a stroke, in the order of their times; none when no evidence is there or it is damaged."""
    try:
        frames = json.loads(read_beside(folder.evidence(stroke)))
        check_plain("picture", frames)
        found = [_decisive(each) for each in frames["pictures"]]
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ()
    return tuple(d for d in found if d.file == folder.picture(stroke, d.name).name and _is_there(folder.path / d.file))


def _decisive(frames: dict[str, Any]) -> Decisive:
    """A picture as its index tells of it; raises ValueError or TypeError for what is none."""
    piece = frames.get("piece")
    t, x, y, reach = (float(frames[name]) for name in ("t", "x_mm", "y_mm", "reach_mm"))
    texts = [frames["name"], frames["file"], *([] if piece is None else [piece])]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a name that is no text")
    return Decisive(
        frames["name"], Shows(frames["shows"]), t, x, y, reach, int(frames["size_px"]), piece, frames["file"]
    )


def _is_there(path: Path) -> bool:
    """Whether a picture is there; one of no bytes is what a power cut left."""
    try:
        return path.stat().st_size > 0
    except OSError:
        return False
