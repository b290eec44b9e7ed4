"""When each picture of a clip was taken: kept beside the clip, read without FFmpeg."""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from referee.atomic_files import written
from referee.log.schema import check_plain
from referee.replay.camera_poses import CameraPose
from referee.replay.match_folder import MatchFolder, read_beside

VERSION = 1
BOX_HEAD, LARGE_BOX = struct.Struct(">I4s"), 1
"""A box of an MP4 file begins with its length and name (ISO/IEC 14496-12, 4.2); this length: 64 bits follow."""
MOST_FRAMES = 100_000
"""Of one clip: a quarter of an hour at 120 a second."""
CLIP_TIME_DIGITS = 5
"""Decimals of a second: the clip's own stamps are as fine."""


@dataclass(frozen=True, slots=True)
class ClipTimes:
    """What is known of a clip besides its pictures."""

    width: int
    height: int
    masked: bool
    """Everything beyond the board's frame was left out."""
    times: tuple[float, ...]
    """Time (s) of each picture on the log's clock; the clip's own clock begins with the first."""
    camera: dict[str, Any]
    """How the camera stood when the stroke was told: OpenCV's model as in the log's header, to draw over it."""
    top_mm: float
    """Height of the coins' top faces above the surface: there the discs of the tracks lie."""
    striker_top_mm: float
    """The same of the striker's."""
    poses: tuple[CameraPose, ...] = ()
    """Where the camera moved meanwhile: when it stood how; at other times nobody knows. Empty where it stood still."""

    def camera_at(self, t: float) -> dict[str, Any] | None:
        """How the camera stood at t, None while it moved."""
        if not self.poses:
            return self.camera
        return next((pose.camera for pose in self.poses if pose.holds(t)), None)

    def save(self, folder: MatchFolder, stroke: int) -> None:
        """Keeps them for a stroke's clip; raises OSError."""
        fields = {"version": VERSION, "stroke": stroke, "width": self.width, "height": self.height,
                "masked": self.masked, "camera": self.camera, "top_mm": self.top_mm,
                "striker_top_mm": self.striker_top_mm, "stays": [asdict(pose) for pose in self.poses],
                "times": [round(t, CLIP_TIME_DIGITS) for t in self.times]}  # fmt: skip
        with written(folder.clip_times(stroke)) as part:
            part.write_text(json.dumps(fields), encoding="ascii")


def clip_times(folder: MatchFolder, stroke: int) -> ClipTimes | None:
    """The times of a stroke's clip; None when no whole clip is there or its times cannot be read."""
    try:
        if not is_whole(folder.clip(stroke)):
            return None
        fields = json.loads(read_beside(folder.clip_times(stroke)))
        check_plain("clip", fields, MOST_FRAMES)
        times = tuple(map(float, fields["times"]))
        return ClipTimes(
            int(fields["width"]),
            int(fields["height"]),
            bool(fields["masked"]),
            times,
            dict(fields["camera"]),
            float(fields["top_mm"]),
            float(fields.get("striker_top_mm", fields["top_mm"])),
            _poses(fields.get("stays", ())),
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def is_whole(mp4: Path) -> bool:
    """Whether a file has all that its boxes promise; a power cut may leave less. Raises OSError."""
    size, at = mp4.stat().st_size, 0
    with mp4.open("rb") as file:
        while at + BOX_HEAD.size <= size:
            file.seek(at)
            length, _ = BOX_HEAD.unpack(file.read(BOX_HEAD.size))
            if length == LARGE_BOX:
                length = int.from_bytes(file.read(8))
            if length < BOX_HEAD.size:
                return False
            at += length
    return 0 < at == size


def _poses(fields: list[dict[str, Any]]) -> tuple[CameraPose, ...]:
    times = [[None if s[end] is None else float(s[end]) for end in ("since", "until")] for s in fields]
    return tuple(CameraPose(since, until, dict(s["camera"])) for (since, until), s in zip(times, fields, strict=True))
