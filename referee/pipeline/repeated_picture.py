"""Repeated picture: a hung camera or bridge delivers one picture again and again, with times that go on."""

from __future__ import annotations

import math

import cv2

from calibration.geometry.picture import U8, Picture

FROZEN_S = 5.0
"""A picture repeated for so long is told; encoders with long intervals between key pictures repeat it for moments."""
REPEATED = 1.0
"""Greatest difference (levels) of any sample of two pictures that are one: an encoder refines it by one. Of five
recordings with a sensor's noise, compressed, no two running pictures differ by less than 4 somewhere."""
ROWS = 16
"""Every so many rows of a picture are compared: noise is everywhere."""


class RepeatedPicture:
    """Call `see` for each frame; `frozen` says whether the camera repeats one picture."""

    def __init__(self) -> None:
        self._rows: tuple[U8, ...] = ()
        self._since = math.nan
        self.frozen = False

    def see(self, picture: Picture, t: float) -> bool:
        """Takes in a picture at t; whether `frozen` has changed."""
        rows = tuple(plane[::ROWS] for plane in (picture.y, picture.u, picture.v))
        was = self.frozen
        if self._repeats(rows):
            self.frozen = t >= self._since + FROZEN_S
        else:
            self._since, self.frozen = t, False
        # A camera lends its buffers.
        self._rows = tuple(row.copy() for row in rows)
        return self.frozen is not was

    def _repeats(self, rows: tuple[U8, ...]) -> bool:
        """Whether these rows are those of the picture before."""
        pairs = list(zip(rows, self._rows, strict=False))
        return bool(pairs) and all(a.shape == b.shape and cv2.norm(a, b, cv2.NORM_INF) <= REPEATED for a, b in pairs)
