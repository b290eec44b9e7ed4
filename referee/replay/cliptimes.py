"""Capture times of the pictures of a clip: stored beside the clip, read without FFmpeg."""

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
"""Head of a box in an MP4 file: length and name (ISO/IEC 14496-12, 4.2). A length of LARGE_BOX means that 64 bits
follow."""
MOST_FRAMES = 100_000
"""Greatest number of frames in one clip: a quarter of an hour at 120 a second."""
CLIP_TIME_DIGITS = 5
"""Decimals of a second: as fine as the clip's own time stamps."""


@dataclass(frozen=True, slots=True)
class ClipTimes:
    """Data of a clip besides its pictures."""

    width: int
    height: int
    masked: bool
    """Everything beyond the board's frame was painted over."""
    times: tuple[float, ...]
    """Time (s) of each picture on the log's clock; the clip's own clock begins with the first."""
    camera: dict[str, Any]
    """Camera when the stroke was called, for drawing over the clip: OpenCV's model as in the log's header."""
    top_mm: float
    """Height of the coins' top faces above the surface; the discs of the tracks lie there."""
    striker_top_mm: float
    """Height of the striker's top face above the surface."""
    poses: tuple[CameraPose, ...] = ()
    """Poses of a camera that moved during the clip; between them its pose is not known. Empty if it stood still."""

    def camera_at(self, t: float) -> dict[str, Any] | None:
        """Returns the camera at t; None while it moved."""
        if not self.poses:
            return self.camera
        return next((pose.camera for pose in self.poses if pose.contains(t)), None)

    def save(self, folder: MatchFolder, stroke: int) -> None:
        """Writes the data of a stroke's clip; raises OSError."""
        fields = {"version": VERSION, "stroke": stroke, "width": self.width, "height": self.height,
                "masked": self.masked, "camera": self.camera, "top_mm": self.top_mm,
                "striker_top_mm": self.striker_top_mm, "stays": [asdict(pose) for pose in self.poses],
                "times": [round(t, CLIP_TIME_DIGITS) for t in self.times]}  # fmt: skip
        with written(folder.clip_times(stroke)) as part:
            part.write_text(json.dumps(fields), encoding="ascii")


def clip_times(folder: MatchFolder, stroke: int) -> ClipTimes | None:
    """Returns the data of a stroke's clip; None if the clip is missing or incomplete or the data cannot be read."""
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
    """Tells whether a file is as long as its boxes state; after a power cut it may be shorter. Raises OSError."""
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
