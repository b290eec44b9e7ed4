"""Uploads what a board keeps of a stroke (pictures, clip, tracks) to the hub, which asks for it when somebody looks."""

from __future__ import annotations

import base64
import logging
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError

from referee.membership.place import Membership
from referee.replay.match_folder import STORED_SUFFIXES, MatchFolder

logger = logging.getLogger(__name__)

UPLOAD_S = 60.0
"""Longest wait for one file to be accepted, s."""
UPLOAD_PATH = "api/station/kept"
"""Path of uploads below the hub's address, followed by uid and name of the file."""


def stored_files(log: Path, stroke: int) -> Iterator[Path]:
    """Yields the files of a stroke, the smallest first, so that pictures come before the clip.

    The profile of the board is among them: with it the clip can be judged again.
    """
    folder = MatchFolder(log)
    found = [path for path in folder.files(stroke) if path.suffix in STORED_SUFFIXES and path.is_file()]
    if found and folder.profile.is_file():
        found.append(folder.profile)
    yield from sorted(found, key=lambda path: path.stat().st_size)


def upload(place: Membership, uid: str, path: Path) -> None:
    """Sends one file. Raises OSError."""
    login = base64.b64encode(f"{place.user}:{place.secret}".encode()).decode("ascii")
    headers = {"authorization": f"Basic {login}", "content-type": "application/octet-stream"}
    with path.open("rb") as file:
        length = {"content-length": str(path.stat().st_size)}
        address = f"{place.hub.rstrip('/')}/{UPLOAD_PATH}/{uid}/{path.name}"
        request = urllib.request.Request(address, data=file, headers=headers | length, method="PUT")
        with urllib.request.urlopen(request, timeout=UPLOAD_S, context=place.tls()) as answer:
            answer.read()


def upload_all(place: Membership, uid: str, log: Path, stroke: int) -> int:
    """Sends every file of a stroke; returns how many. One that fails ends it, since the next would fail too."""
    count = 0
    for path in stored_files(log, stroke):
        try:
            upload(place, uid, path)
        except (OSError, URLError) as e:
            logger.warning("%s was not taken by the hub: %s", path.name, e)
            return count
        count += 1
    return count
