"""Settings of what is recorded of a match besides its tracks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class RecordedMedia(StrEnum):
    """Which pictures of the camera are recorded; the score and the tracks always are."""

    NOTHING = "off"
    PICTURES = "pictures"
    """A few decisive pictures of each stroke, cut to what they show; no video."""
    VIDEO = "video"
    """The decisive pictures, and a clip of each stroke."""


@dataclass(frozen=True, slots=True)
class Recording:
    """Recording settings; off by default."""

    keeps: RecordedMedia = RecordedMedia.NOTHING
    masked: bool = False
    """Everything beyond the board's frame is painted over in clips and pictures."""
    every_frame: bool = False
    """True records every frame; False records all of a stroke, and 30 a second while nothing moves."""
    keep_days: float | None = 30.0
    """Age in days from which clips are deleted; None = never for their age."""
    keep_gb: float | None = 20.0
    """Greatest size of all clips in the folder, in 10^9 bytes, beyond which the oldest are deleted; None = no limit."""
