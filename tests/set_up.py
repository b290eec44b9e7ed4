"""Drives a set-up without a page: pictures and requests go in, the newest state comes out."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from sim_scenes import Studio

from calibration.geometry.picture import Picture
from models.pieces import Piece
from referee.frames.frame import Frame
from referee.setup.progress import SetUpFiles
from referee.setup.wizard import SetUpWizard

WAIT_S = 120.0
"""Longest wait for work in the set-up's thread on a slow machine."""
FPS = 30.0
PACE_S = 0.01
"""Pause between two frames, in which the set-up's thread gets the processor, as beside a camera."""
HASTE = 6.0
"""Factor by which the set-up's pauses pass faster than real time."""


SIZE = (480, 360)
"""Size of the pictures. In a small picture a board is found in half the time."""


@cache
def small() -> Studio:
    """Returns a camera with small pictures."""
    return Studio(*SIZE)


@cache
def shots(*pieces: Piece) -> tuple[Picture, ...]:
    """Returns pictures of these pieces that differ only in their noise."""
    return tuple(small().picture(pieces, grain=i) for i in range(3))


class Bench:
    """A camera that shows the same pictures over and over, with a set-up on it."""

    def __init__(self, folder: Path, pictures: Sequence[Picture], source: str = "test") -> None:
        self.pictures = pictures
        self.kept = SetUpFiles(folder / "board.json")
        self.state: dict[str, Any] = {}
        self.jpeg = b""
        self.desk = SetUpWizard(self.kept, source, self._told, lambda: time.monotonic() * HASTE)
        self._n = 0

    def ask(self, what: str, **more: Any) -> None:
        self.desk.ask({"ask": what, **more})

    def see(self, count: int = 1) -> None:
        """Feeds `count` more frames."""
        for _ in range(count):
            self.desk.looked_at()
            self.desk.update(Frame(self.pictures[self._n % len(self.pictures)], self._n / FPS, self._n, 0.0))
            self._n += 1

    def until(self, holds: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """Feeds frames until the reported state fulfils `holds`, and returns the state."""
        end = time.monotonic() + WAIT_S
        self.state = {}
        while not (self.state and self.state["busy"] is None and holds(self.state)):
            assert time.monotonic() < end, self.state
            self.see()
            time.sleep(PACE_S)
        return self.state

    def done(self, what: str, **more: Any) -> dict[str, Any]:
        """Sends a request, and feeds frames until it is done."""
        self.ask(what, **more)
        return self.until(lambda state: True)

    def _told(self, state: dict[str, Any], jpeg: bytes) -> None:
        self.state, self.jpeg = state, jpeg
