"""Makes room for new clips: deletes the oldest clips and pictures first, and protected ones never; tracks stay."""

from __future__ import annotations

import errno
import logging
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from referee.log import LogError, read_log
from referee.replay.ages import is_clock_set, steady_wall
from referee.replay.match_folder import MATCH_FOLDER_SUFFIX, MatchFolder
from referee.replay.recording_settings import Recording

logger = logging.getLogger(__name__)

DAY_S = 86400.0
LEAST_FREE_BYTES = 500_000_000
"""Least free space for the log and the system, in bytes; with less nothing is recorded."""
MEGABYTE = 1_000_000
DISK_FULL = "less than {mb} MB are free"


@dataclass(frozen=True, slots=True)
class Clip:
    """Video of a stroke on the disk, or its decisive pictures."""

    folder: MatchFolder
    stroke: int
    size: int
    """Bytes."""
    made: float
    """Unix seconds."""
    is_video: bool = True


def clips_of(folder: MatchFolder) -> list[Clip]:
    """Returns the videos of a match, by stroke."""
    found = []
    for path in folder.path.glob("*.mp4"):
        if path.stem.isdigit():
            with suppress(FileNotFoundError):
                stat = path.stat()
                found.append(Clip(folder, int(path.stem), stat.st_size, stat.st_mtime))
    return sorted(found, key=lambda c: c.stroke)


def pictures_of(folder: MatchFolder) -> list[Clip]:
    """Returns the decisive pictures of a match, those of each stroke together."""
    sizes: dict[int, int] = {}
    made: dict[int, float] = {}
    for path in folder.path.glob("*_*.jpg"):
        if (number := path.name.partition("_")[0]).isdigit():
            with suppress(FileNotFoundError):
                stat, n = path.stat(), int(number)
                sizes[n], made[n] = sizes.get(n, 0) + stat.st_size, max(made.get(n, 0.0), stat.st_mtime)
    return [Clip(folder, n, sizes[n], made[n], is_video=False) for n in sorted(sizes)]


def protect_clip(folder: MatchFolder, stroke: int) -> None:
    """Protects this stroke's clip from retention; raises OSError."""
    folder.keep_mark(stroke).touch()


def disputed(log: Path) -> frozenset[int]:
    """Returns the strokes that the umpire has corrected or decided; none if the log cannot be read."""
    try:
        lines = read_log(log).lines
    except LogError:
        return frozenset()
    named = (line.get("stroke") for line in lines if line["type"] == "correction")
    return frozenset(n for n in named if isinstance(n, int))


def is_protected(clip: Clip, about: frozenset[int]) -> bool:
    """Tells whether a clip is protected: exported, marked, or of a disputed stroke (`about`)."""
    return clip.stroke in about or clip.folder.keep_mark(clip.stroke).exists()


def make_room(log: Path, recording: Recording, now: float | None = None, least_free: int = LEAST_FREE_BYTES) -> None:
    """Deletes unprotected clips and pictures of all matches in the log's folder that are too old or exceed the space.

    Those of the match logged at `log` go last, and never for their age. Nothing is deleted for its age while the clock
    is not set: a machine without a clock of its own may have dated files years back, or wake years ahead. To save space
    clips go before pictures. Nothing is deleted for other programs that fill the disk: raises OSError if less than
    `least_free` bytes are free. `now`: Unix seconds, by default those of `ages.steady_wall`.
    """
    clips = [clip for folder in _folders(log.parent) for clip in (*clips_of(folder), *pictures_of(folder))]
    clips.sort(key=lambda clip: (clip.folder.log == log, not clip.is_video, clip.made))
    total = sum(clip.size for clip in clips)
    oldest = _oldest(recording, now)
    most = float("inf") if recording.keep_gb is None else recording.keep_gb * 1e9
    about: dict[Path, frozenset[int]] = {}
    for clip in clips:
        is_old = clip.made < oldest and clip.folder.log != log
        if (is_old or total > most) and not is_protected(clip, _disputed_once(clip.folder.log, about)):
            (delete_clip if clip.is_video else delete_pictures)(clip.folder, clip.stroke)
            total -= clip.size
    leave_room(log.parent, least_free)


def _oldest(recording: Recording, now: float | None) -> float:
    """Returns the time (Unix seconds) before which files are too old."""
    if recording.keep_days is None or (now is None and not is_clock_set()):
        return float("-inf")
    return (steady_wall() if now is None else now) - recording.keep_days * DAY_S


def leave_room(folder: Path, least_free: int) -> None:
    """Raises OSError when fewer bytes than `least_free` are free on the folder's disk."""
    if shutil.disk_usage(folder).free < least_free:
        raise OSError(errno.ENOSPC, DISK_FULL.format(mb=least_free // MEGABYTE))


def _disputed_once(log: Path, known: dict[Path, frozenset[int]]) -> frozenset[int]:
    """Returns the disputed strokes of `log`; reads each log once, and only when one of its clips is to go."""
    if log not in known:
        known[log] = disputed(log)
    return known[log]


def delete_clip(folder: MatchFolder, stroke: int) -> None:
    """Deletes a stroke's clip with its times and its mark; its tracks and pictures stay. Raises OSError."""
    for path in (folder.clip(stroke), folder.clip_times(stroke), folder.keep_mark(stroke)):
        path.unlink(missing_ok=True)


def delete_pictures(folder: MatchFolder, stroke: int) -> None:
    """Deletes the decisive pictures of a stroke and their index. Raises OSError."""
    for path in (folder.evidence(stroke), *folder.path.glob(f"{stroke:04}_*.jpg")):
        path.unlink(missing_ok=True)


def delete_match(log: Path) -> None:
    """Deletes a match with all its replay files, for its owner. Raises OSError; the log goes last."""
    folder = MatchFolder(log)
    if folder.path.is_dir():
        shutil.rmtree(folder.path)
    log.unlink()


def _folders(data: Path) -> list[MatchFolder]:
    return [
        MatchFolder(path.with_suffix(".jsonl"))
        for path in sorted(data.glob(f"*{MATCH_FOLDER_SUFFIX}"))
        if path.is_dir()
    ]
