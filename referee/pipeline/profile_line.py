"""Builds the log line of what play has added to the profile: the size of the striker, colours, a moved camera."""

from __future__ import annotations

from typing import Any

from calibration.profile import Colour, Profile
from referee.log.line import Line


def profile_line(before: Profile, now: Profile, t: float) -> Line | None:
    """Returns the line of what differs between two profiles at t (s); None if nothing does.

    `striker_mm` is the striker's radius and `colours` are the kinds learned: luma, blue and red difference in percent
    of the board's luma. `calibration` is OpenCV's model of the camera where it stands now.
    """
    new: dict[str, Any] = {}
    if now.board.striker_radius != before.board.striker_radius:
        new["striker_mm"] = round(now.board.striker_radius, 3)
    learned = {kind: colour for kind, colour in now.colours.items() if not _is_same(before.colours.get(kind), colour)}
    if learned:
        new["colours"] = {kind.value: [round(value, 1) for value in c.mean] for kind, c in learned.items()}
    if (camera := now.camera.as_dict()) != before.camera.as_dict():
        new["calibration"] = camera
    return {"type": "profile", "t": round(t, 4), **new} if new else None


def _is_same(known: Colour | None, colour: Colour) -> bool:
    return known is not None and known.mean == colour.mean
