"""The camera's picture for people: rectified to the board and encoded in a thread of its own, only while requested."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from queue import Empty, Full, Queue
from types import TracebackType
from typing import Any, Self

from calibration.geometry.picture import Picture
from calibration.profile import Profile
from referee.replay.rectify import RectifiedView

PREVIEW_EVERY_S = 0.2
"""Time between two pictures, in seconds: five a second show what happens, more would take processor time from the
vision of a Pi."""
WANTED_S = 3.0
"""Time for which pictures are made after the last request, in seconds."""
SIZE_PX = 720
"""Width and height of the picture: a finger's breadth is ten pixels, and a picture takes some 60 kB."""
PREVIEW_QUALITY = 70
IDLE_S = 0.5
"""Interval at which the thread checks whether it is to end, in seconds."""

Publish = Callable[[dict[str, Any], bytes], None]


class Preview:
    """Makes preview pictures.

    Call `offer` for each frame: it costs nothing without viewers, else five copies of the planes a second.
    """

    def __init__(self, publish: Publish, clock: Callable[[], float] = time.monotonic) -> None:
        self._publish, self._clock = publish, clock
        self._wanted_until = self._next = float("-inf")
        self._waiting: Queue[tuple[Picture, Profile, dict[str, Any]]] = Queue(1)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._work, name="preview", daemon=True)
        self._square: RectifiedView | None = None
        self._profile: Profile | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self._ending.set()
        self._thread.join()

    def want(self) -> None:
        """Notes a viewer's request for pictures."""
        self._wanted_until = self._clock() + WANTED_S

    def offer(self, picture: Picture, profile: Profile, live_message: Callable[[], dict[str, Any]]) -> None:
        """Copies a frame if one is due and the last one is done; never waits.

        `live_message`: returns the live message of this very frame; it is only called for a frame that is copied.
        """
        now = self._clock()
        if now > self._wanted_until or now < self._next or self._waiting.full():
            return
        self._next = now + PREVIEW_EVERY_S
        copy = Picture(picture.y.copy(), picture.u.copy(), picture.v.copy(), picture.full_range)
        try:
            self._waiting.put_nowait((copy, profile, live_message()))
        except Full:
            return

    def _work(self) -> None:
        while not self._ending.is_set():
            try:
                picture, profile, live_message = self._waiting.get(timeout=IDLE_S)
            except Empty:
                continue
            reach = profile.board.half + profile.board.frame_width
            if self._square is None or self._profile is not profile:
                # At the coins' top faces, where pieces are measured: drawn over the picture they then cover its pieces.
                self._square = RectifiedView(profile.camera, (0.0, 0.0), reach, SIZE_PX, profile.board.coin_height)
                self._profile = profile
            self._publish(
                {"type": "preview", "reach_mm": reach, "seen": live_message},
                self._square.jpeg(picture, PREVIEW_QUALITY),
            )
