"""What people chose to keep of a match besides its tracks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Keeps(StrEnum):
    """Which pictures of the camera are kept; the score and the tracks always are."""

    NOTHING = "off"
    PICTURES = "pictures"
    """A few decisive pictures of each stroke, cut to what they show; no video."""
    VIDEO = "video"
    """These, and a clip of each stroke."""


@dataclass(frozen=True, slots=True)
class Recording:
    """The choice; off until somebody makes it."""

    keeps: Keeps = Keeps.NOTHING
    masked: bool = False
    """Everything beyond the board's frame is left out of clips and pictures."""
    every_frame: bool = False
    """All frames are kept, also while nothing moves; else thirty a second then, and all of a stroke."""
    keep_days: float | None = 30.0
    """Clips older than this are deleted; None = never for their age."""
    keep_gb: float | None = 20.0
    """The oldest clips are deleted when all in the folder together take more (10^9 bytes); None = never."""
