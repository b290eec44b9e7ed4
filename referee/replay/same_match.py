"""Joins an imported match with what is stored of it: the longer log holds, and no file is lost or doubled."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from referee.atomic_files import PART, sync_folder
from referee.log.identity import match_uid
from referee.log.logfile import locked
from referee.replay.match_folder import MatchFolder

PROFILE = MatchFolder(Path("m")).profile.name


class Extent(StrEnum):
    """What one log of a match is to another of the same match."""

    KNOWN = "known"
    """The same lines, or the first of them."""
    LONGER = "longer"
    """The same lines and more."""
    DIFFERS = "differs"


def logs_of(uid: str, data: Path) -> Iterator[Path]:
    """Yields the logs of this match in the folder and below it."""
    for log in sorted(data.rglob("*.jsonl")):
        if not log.parent.name.endswith(PART):
            with suppress(OSError):
                if match_uid(log) == uid:
                    yield log


def extent(new: Path, here: Path) -> Extent:
    """Returns what the log `new` is to the log `here`; an unfinished last line counts for neither. Raises OSError."""
    ours, theirs = _whole_lines(here), _whole_lines(new)
    if ours.startswith(theirs):
        return Extent.KNOWN
    return Extent.LONGER if theirs.startswith(ours) else Extent.DIFFERS


def first_difference(new: Path, here: Path) -> int:
    """Returns the number of the first line, from 1, in which two logs differ."""
    rows = zip(_whole_lines(new).splitlines(), _whole_lines(here).splitlines(), strict=False)
    return 1 + next(i for i, (a, b) in enumerate(rows) if a != b)


def replace_shorter(new: Path, replays: Path, here: Path) -> None:
    """Puts the longer log `new` in the place of `here`, and adds the files in the folder `replays` that are missing.

    The log goes last: until then the match is the shorter one. Raises LogError if a referee is writing it.
    """
    with locked(here):
        _merge_replays(replays, MatchFolder(here).path)
        os.replace(new, here)
        sync_folder(here.parent)


def _merge_replays(new: Path, here: Path) -> None:
    """Moves files of `new` to `here`; those that are here stay, except for the profile, which is of the last start."""
    if not new.is_dir():
        return
    here.mkdir(exist_ok=True)
    for file in sorted(new.iterdir()):
        if file.name == PROFILE or not (here / file.name).exists():
            os.replace(file, here / file.name)
    sync_folder(here)


def _whole_lines(log: Path) -> bytes:
    data = log.read_bytes()
    return data[: data.rfind(b"\n") + 1]
