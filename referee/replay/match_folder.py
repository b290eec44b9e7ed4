"""Where what is kept of a match lies: one folder beside its log, one file for each stroke and sort."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path

from referee.atomic_files import PART

MATCH_FOLDER_SUFFIX = ".replay"
"""`evening.jsonl` has its replays in `evening.replay`."""
KEPT_SUFFIXES = frozenset({".npz", ".mp4", ".json", ".jpg"})
"""Of what is never empty; marks are."""
BESIDE_BYTES = 4 << 20
"""Of times and evidence: those of a long clip have 0.2 MB."""
PASSING = f".*{PART}"
"""Names of what is packed, unpacked or taken in, in the data folder; nobody's but ours."""


class MatchFolder:
    """The paths of one match; nothing is made before something is written."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.path = log.with_suffix(MATCH_FOLDER_SUFFIX)

    def tracks(self, stroke: int) -> Path:
        """What moved in a stroke, see `referee.replay.tracks`."""
        return self.path / f"{stroke:04}.npz"

    def tail(self, stroke: int, start: int) -> Path:
        """What moved after the last stroke of the log's `start`-th start; `stroke` is that stroke's number, or 0."""
        return self.path / f"{stroke:04}_tail{start}.npz"

    def clip(self, stroke: int) -> Path:
        """The video of a stroke."""
        return self.path / f"{stroke:04}.mp4"

    def clip_times(self, stroke: int) -> Path:
        """The time of each picture of the video, see `referee.replay.clip`."""
        return self.path / f"{stroke:04}.times.json"

    def keep_mark(self, stroke: int) -> Path:
        """Lies there when people want the stroke's video kept whatever its age."""
        return self.path / f"{stroke:04}.keep"

    def evidence(self, stroke: int) -> Path:
        """What the stroke's decisive pictures show, see `referee.replay.evidence_pictures`."""
        return self.path / f"{stroke:04}.evidence.json"

    def picture(self, stroke: int, name: str) -> Path:
        """One of them."""
        return self.path / f"{stroke:04}_{name}.jpg"

    @property
    def profile(self) -> Path:
        """The board as last calibrated."""
        return self.path / "profile.json"


def read_beside(path: Path) -> str:
    """A file of words beside a match, in ASCII; raises OSError, or ValueError for one that is longer than any."""
    if path.stat().st_size > BESIDE_BYTES:
        raise ValueError(f"{path.name} is longer than any such file")
    return path.read_text(encoding="ascii")


def tidy(folder: Path, names: str = f"*{PART}") -> None:
    """Removes what a power cut left half written, as far as that goes; only for the one who writes there."""
    for part in folder.glob(names):
        if part.is_dir():
            shutil.rmtree(part, ignore_errors=True)
        else:
            with suppress(OSError):
                part.unlink(missing_ok=True)


def tidy_match(folder: MatchFolder) -> None:
    """Removes what a kill or a power cut left of replays: half-written and empty files, and pictures that no index
    names; only for the one who writes there."""
    tidy(folder.path)
    for path in folder.path.glob("*"):
        with suppress(OSError):
            if path.suffix in KEPT_SUFFIXES and (path.stat().st_size == 0 or not _is_indexed(folder, path)):
                path.unlink()


def _is_indexed(folder: MatchFolder, path: Path) -> bool:
    """Whether a picture is named by its stroke's index, or something else is no picture; True where it is not known."""
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
