"""The camera's picture for people: squared up to the board and encoded in a thread of its own, only while wanted."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from queue import Empty, Full, Queue
from types import TracebackType
from typing import Any, Self

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.picture import Picture
from calibration.profile import Profile

EVERY_S = 0.2
"""Pause between two pictures: five a second show what happens, more would take from a Pi what seeing needs."""
WANTED_S = 3.0
"""Pictures are made for so long after somebody last asked for them."""
SIZE_PX = 720
"""Width and height of the picture: a finger's breadth is ten pixels, and a picture some 60 kB."""
QUALITY = 70
IDLE_S = 0.5
"""How often the thread looks whether it is to end."""

U8 = NDArray[np.uint8]
F32 = NDArray[np.float32]
Publish = Callable[[dict[str, Any], bytes], None]


class Preview:
    """Call `offer` for each frame: it costs nothing while nobody looks, else five copies of the planes a second."""

    def __init__(self, publish: Publish, clock: Callable[[], float] = time.monotonic) -> None:
        self._publish, self._clock = publish, clock
        self._wanted_until = self._next = float("-inf")
        self._waiting: Queue[tuple[Picture, Profile, dict[str, Any]]] = Queue(1)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._work, name="preview", daemon=True)
        self._square: _Square | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self._ending.set()
        self._thread.join()

    def want(self) -> None:
        """Somebody looks."""
        self._wanted_until = self._clock() + WANTED_S

    def offer(self, picture: Picture, profile: Profile, seen: Callable[[], dict[str, Any]]) -> None:
        """Takes a copy of a frame if one is due and the last one is done; never waits.

        `seen` tells what was made of this very frame; it is only asked for a frame that is taken.
        """
        now = self._clock()
        if now > self._wanted_until or now < self._next or self._waiting.full():
            return
        self._next = now + EVERY_S
        copy = Picture(picture.y.copy(), picture.u.copy(), picture.v.copy(), picture.full_range)
        try:
            self._waiting.put_nowait((copy, profile, seen()))
        except Full:
            return

    def _work(self) -> None:
        while not self._ending.is_set():
            try:
                picture, profile, seen = self._waiting.get(timeout=IDLE_S)
            except Empty:
                continue
            if self._square is None or self._square.profile is not profile:
                self._square = _Square(profile)
            body = {"type": "preview", "reach_mm": self._square.reach_mm, "seen": seen}
            self._publish(body, self._square.jpeg(picture))


class _Square:
    """Where in the camera's picture each pixel of the squared-up one lies, for one profile."""

    def __init__(self, profile: Profile) -> None:
        board = profile.board
        self.profile = profile
        self.reach_mm = board.half + board.frame_width
        middles = (np.arange(SIZE_PX) + 0.5) / SIZE_PX * 2 - 1
        x, y = np.meshgrid(middles * self.reach_mm, -middles * self.reach_mm)
        # At the coins' top faces, where pieces are measured: drawn over the picture they cover those in it.
        px = profile.camera.to_pixels(np.column_stack([x.ravel(), y.ravel()]), board.coin_height)
        places = px.astype(np.float32).reshape(SIZE_PX, SIZE_PX, 2)
        # Chroma samples lie between the luma samples that share them.
        halves = (places[::2, ::2] + places[1::2, 1::2]) / 4 - np.float32(0.25)
        self._full, self._half = _maps(places), _maps(halves)

    def jpeg(self, picture: Picture) -> bytes:
        y = _drawn(picture.y, self._full, 16.0)
        u, v = (_drawn(plane, self._half, 128.0) for plane in (picture.u, picture.v))
        square = Picture(y, u, v, picture.full_range)
        encoded = cv2.imencode(".jpg", square.bgr(), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1]
        return bytes(encoded.tobytes())


def _maps(places: NDArray[Any]) -> tuple[F32, F32]:
    """Columns and rows of `places` (n, n, 2), each for itself as resampling wants them."""
    return places[..., 0].astype(np.float32), places[..., 1].astype(np.float32)


def _drawn(plane: U8, places: tuple[F32, F32], outside: float) -> U8:
    """A plane resampled at `places`; `outside` of the picture it has that value."""
    return np.asarray(cv2.remap(plane, *places, cv2.INTER_LINEAR, borderValue=outside), np.uint8)
