"""Detects a hung camera or bridge: it delivers one picture again and again, with times that go on."""

from __future__ import annotations

import math

import cv2

from calibration.geometry.picture import U8, Picture

FROZEN_S = 5.0
"""Time, in seconds, for which a picture is repeated before it is reported; encoders with long intervals between key
frames repeat it briefly."""
REPEATED = 1.0
"""Greatest difference (levels) of any sample between two repeats of one picture: an encoder refines it by one. In five
compressed recordings with a sensor's noise every two successive pictures differ by 4 or more somewhere."""
ROWS = 16
"""Step between the rows of a picture that are compared: noise is everywhere."""


class RepeatedPicture:
    """Detector of repeats: call `update` for each frame; `frozen` is True while the camera repeats one picture."""

    def __init__(self) -> None:
        self._rows: tuple[U8, ...] = ()
        self._since = math.nan
        self.frozen = False

    def update(self, picture: Picture, t: float) -> bool:
        """Compares the picture at t with the one before; tells whether `frozen` has changed."""
        rows = tuple(plane[::ROWS] for plane in (picture.y, picture.u, picture.v))
        was = self.frozen
        if self._repeats(rows):
            self.frozen = t >= self._since + FROZEN_S
        else:
            self._since, self.frozen = t, False
        # Copied, because a camera reuses its buffers.
        self._rows = tuple(row.copy() for row in rows)
        return self.frozen is not was

    def _repeats(self, rows: tuple[U8, ...]) -> bool:
        """Tells whether these rows are those of the picture before."""
        pairs = list(zip(rows, self._rows, strict=False))
        return bool(pairs) and all(a.shape == b.shape and cv2.norm(a, b, cv2.NORM_INF) <= REPEATED for a, b in pairs)
