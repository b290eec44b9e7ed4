"""Selects the decisive pictures of a stroke, and reads the index of those stored; no pixels here."""

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
"""Half sides of the pictures of the striker with its lines and of a pocket's mouth."""
CLOSE_PX, BOARD_PX = 600, 640
"""Sides of the pictures of a part and of the whole board."""
AT_STRIKE_S = 0.03
"""Time of the hand's picture before the strike, in seconds: the finger still lies behind the striker."""
KEY_BEFORE_S = 0.1
"""Time of the pictures of striker and board before the strike, in seconds, if the striker was not detected at rest."""
HAND_FOULS = frozenset({"hand_over_diagonal", "touched_coin", "push"})
HAND_LEAST = 0.1
"""Least probability of a foul of the hand that needs a picture."""


class KeyFrameSubject(StrEnum):
    """Subject of a picture."""

    PLACEMENT = "placement"
    """Striker on its base lines, true to scale on the surface, its top face drawn in its true place."""
    HAND = "hand"
    """Whole board just before the strike."""
    POCKETED = "pocketed"
    """Pocket when a piece fell into it."""
    BEFORE = "before"
    AFTER = "after"
    """Whole board, before the strike and when the stroke was called."""


@dataclass(frozen=True, slots=True)
class KeyFrame:
    """One picture of the evidence."""

    name: str
    """Name within its stroke; part of the file's name."""
    shows: KeyFrameSubject
    t: float
    """Time (s) of the frame; before it is cut, the time requested."""
    x_mm: float
    y_mm: float
    """Centre of the picture on the board."""
    reach_mm: float
    """Half side of the picture."""
    size_px: int
    piece: str | None = None
    """Kind that fell."""
    file: str = ""


def decisive(stroke: Line, t_at_rest: float | None, profile: Profile) -> list[KeyFrame]:
    """Returns the pictures that a stroke's line needs, in order of time.

    `t_at_rest`: time (s) at which the striker was last detected at rest before the strike, None if it was not.
    """
    frames = [*_of_placement(stroke, t_at_rest), *_of_board(stroke, profile), *_of_pockets(stroke, profile)]
    return sorted(frames, key=lambda d: d.t)


def _of_placement(stroke: Line, t_at_rest: float | None) -> Iterator[KeyFrame]:
    if place := stroke["placement"]:
        t = stroke["t_strike"] - KEY_BEFORE_S if t_at_rest is None else t_at_rest
        yield KeyFrame(
            "placement", KeyFrameSubject.PLACEMENT, t, place["x_mm"], place["y_mm"], PLACEMENT_REACH_MM, CLOSE_PX
        )


def _of_board(stroke: Line, profile: Profile) -> Iterator[KeyFrame]:
    reach = profile.board.half + profile.board.frame_width
    began = stroke["t_placed"] if stroke["t_placed"] is not None else stroke["t_strike"] - KEY_BEFORE_S
    yield KeyFrame("before", KeyFrameSubject.BEFORE, began, 0.0, 0.0, reach, BOARD_PX)
    if any(stroke["foul_confidence"].get(foul, 0.0) >= HAND_LEAST for foul in HAND_FOULS):
        yield KeyFrame("hand", KeyFrameSubject.HAND, stroke["t_strike"] - AT_STRIKE_S, 0.0, 0.0, reach, BOARD_PX)
    yield KeyFrame("after", KeyFrameSubject.AFTER, stroke["t_called"], 0.0, 0.0, reach, BOARD_PX)


def late_fall_picture(fell: Line, profile: Profile) -> KeyFrame | None:
    """Returns the picture for the line of a coin that fell after the call; None if this board's pocket is not known."""
    if (circle := profile.pockets.get(Pocket(fell["pocket"]))) is None:
        return None
    (x, y), name = circle.centre, f"fell{round(fell['t'] * 1000)}"
    return KeyFrame(name, KeyFrameSubject.POCKETED, fell["t"], x, y, POCKET_REACH_MM, CLOSE_PX, fell["kind"])


def _of_pockets(stroke: Line, profile: Profile) -> Iterator[KeyFrame]:
    for i, fell in enumerate(stroke["pocketed"], 1):
        circle = profile.pockets.get(Pocket(fell["pocket"])) if fell["pocket"] else None
        if circle is not None:
            x, y = circle.centre
            yield KeyFrame(
                f"pocketed{i}", KeyFrameSubject.POCKETED, fell["t"], x, y, POCKET_REACH_MM, CLOSE_PX, fell["kind"]
            )


def stored_pictures(folder: MatchFolder, stroke: int) -> tuple[KeyFrame, ...]:
    """Returns the stored pictures of a stroke in the order of their index; empty if that is missing or damaged."""
    try:
        frames = json.loads(read_beside(folder.evidence(stroke)))
        check_plain("picture", frames)
        found = [_decisive(each) for each in frames["pictures"]]
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ()
    return tuple(d for d in found if d.file == folder.picture(stroke, d.name).name and _is_there(folder.path / d.file))


def _decisive(frames: dict[str, Any]) -> KeyFrame:
    """Returns the picture of an entry of the index; raises ValueError or TypeError for an invalid one."""
    piece = frames.get("piece")
    t, x, y, reach = (float(frames[name]) for name in ("t", "x_mm", "y_mm", "reach_mm"))
    texts = [frames["name"], frames["file"], *([] if piece is None else [piece])]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a name that is no text")
    return KeyFrame(
        frames["name"], KeyFrameSubject(frames["shows"]), t, x, y, reach, int(frames["size_px"]), piece, frames["file"]
    )


def _is_there(path: Path) -> bool:
    """Tells whether a picture exists and is not empty, as a power cut may leave it."""
    try:
        return path.stat().st_size > 0
    except OSError:
        return False
