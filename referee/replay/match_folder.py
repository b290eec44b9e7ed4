"""Paths of a match's replay files: one folder beside its log, one file for each stroke and sort."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path

from referee.atomic_files import PART

MATCH_FOLDER_SUFFIX = ".replay"
"""`evening.jsonl` has its replays in `evening.replay`."""
STORED_SUFFIXES = frozenset({".npz", ".mp4", ".json", ".jpg"})
"""Suffixes of files that are never empty; marks (`.keep`) are empty."""
MOST_INDEX_BYTES = 4 << 20
"""Greatest size of a file of times or evidence, in bytes; those of a long clip have 0.2 MB."""
TEMPORARY_PATTERN = f".*{PART}"
"""Pattern of temporary files that this program makes in the data folder for exports and imports."""


class MatchFolder:
    """Paths of one match; none is created before it is written."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.path = log.with_suffix(MATCH_FOLDER_SUFFIX)

    def tracks(self, stroke: int) -> Path:
        """Returns the path of a stroke's tracks, see `referee.replay.tracks`."""
        return self.path / f"{stroke:04}.npz"

    def tail(self, stroke: int, start: int) -> Path:
        """Returns the path of the tracks after the last stroke of the log's `start`-th start.

        `stroke`: its number, or 0.
        """
        return self.path / f"{stroke:04}_tail{start}.npz"

    def clip(self, stroke: int) -> Path:
        """Returns the path of a stroke's video."""
        return self.path / f"{stroke:04}.mp4"

    def clip_times(self, stroke: int) -> Path:
        """Returns the path of the times of the video's pictures, see `referee.replay.cliptimes`."""
        return self.path / f"{stroke:04}.times.json"

    def keep_mark(self, stroke: int) -> Path:
        """Returns the path of a mark that protects the stroke's video from retention."""
        return self.path / f"{stroke:04}.keep"

    def evidence(self, stroke: int) -> Path:
        """Returns the path of the index of the stroke's decisive pictures, see `referee.replay.key_frames`."""
        return self.path / f"{stroke:04}.evidence.json"

    def files(self, stroke: int) -> list[Path]:
        """Returns the paths of all that is kept of a stroke."""
        return list(self.path.glob(f"{stroke:04}[._]*"))

    def picture(self, stroke: int, name: str) -> Path:
        """Returns the path of one decisive picture."""
        return self.path / f"{stroke:04}_{name}.jpg"

    @property
    def profile(self) -> Path:
        """Path of the profile of the last calibration."""
        return self.path / "profile.json"


def read_beside(path: Path) -> str:
    """Returns the text of an ASCII file beside a match.

    Raises OSError, or ValueError if it is longer than MOST_INDEX_BYTES.
    """
    if path.stat().st_size > MOST_INDEX_BYTES:
        raise ValueError(f"{path.name} is longer than any such file")
    return path.read_text(encoding="ascii")


def tidy(folder: Path, names: str = f"*{PART}") -> None:
    """Removes files that a power cut left half written, as far as possible.

    Only the process that writes there may call it.
    """
    for part in folder.glob(names):
        if part.is_dir():
            shutil.rmtree(part, ignore_errors=True)
        else:
            with suppress(OSError):
                part.unlink(missing_ok=True)


def tidy_match(folder: MatchFolder) -> None:
    """Removes what a kill or a power cut left: half-written and empty files, and pictures that no index names.

    Only the process that writes there may call it.
    """
    tidy(folder.path)
    for path in folder.path.glob("*"):
        with suppress(OSError):
            if path.suffix in STORED_SUFFIXES and (path.stat().st_size == 0 or not _is_indexed(folder, path)):
                path.unlink()


def _is_indexed(folder: MatchFolder, path: Path) -> bool:
    """Tells whether a picture is named by its stroke's index; True for other files and if the index cannot be read."""
    number = path.name.partition("_")[0]
    if path.suffix != ".jpg" or not number.isdigit():
        return True
    try:
        stated = json.loads(folder.evidence(int(number)).read_text(encoding="ascii"))
        return any(each["file"] == path.name for each in stated["pictures"])
    except FileNotFoundError:
        return False
    except (OSError, ValueError, LookupError, TypeError):
        return True
