"""Frame difference: whether a picture shows the same as an earlier one, by its planes alone.

Between strokes most frames repeat the last one. Comparing planes as the camera gives them saves the lattice, the light
and all that follows.
"""

from __future__ import annotations

import math
from collections import deque

import cv2
import numpy as np

from calibration.geometry.camera import Camera
from calibration.geometry.lattice import fetched, halved
from calibration.geometry.picture import U8, Picture
from referee.foreground.background import BackgroundModel
from referee.foreground.noise import unspecked

POINT_MM = 3.0
"""Size of a point after averaging. Noise shrinks, and a coin still spans ten points."""
LUMA_MM2, CHROMA_MM2 = 40.0, 350.0
"""Areas of differing luma and chroma up to which pictures are equal.

A moving coin changes the luma over more, and the chroma over half its area when it comes or goes. Encoders change
chroma in whole blocks.
"""

PHASES = 6
"""Different pictures of one scene under a lamp of 100 flickers a second at 120 frames a second."""

Planes = tuple[U8, U8, U8]


class FrameDifference:
    """Compares the board's part of each picture with reference pictures."""

    def __init__(self, camera: Camera, background: BackgroundModel) -> None:
        self._background = background
        self.relocate(camera)

    def relocate(self, camera: Camera) -> None:
        """Follows a camera that has moved; all references are dropped."""
        self.lattice = self._background.lattice
        density = float(camera.px_per_mm(z=self.lattice.z)[0])
        self._halvings = max(1, round(math.log2(POINT_MM * density)))
        points = density**2 / 4**self._halvings
        self._most = LUMA_MM2 * points, CHROMA_MM2 * points
        self.forget()

    def forget(self) -> None:
        """Drops all references."""
        self._references: deque[Planes] = deque(maxlen=PHASES)

    def planes(self, picture: Picture) -> Planes:
        """Returns the averaged planes of a picture, as copies that outlive the camera's buffer."""
        crop = self.lattice.crop
        u, v = (_small(plane[crop.of_chroma], self._halvings - 1) for plane in (picture.u, picture.v))
        return _small(fetched(picture.y, crop), self._halvings), u, v

    def refer(self, planes: Planes, also: bool = False) -> None:
        """Makes planes a reference; with `also` in addition to the others, else instead of them."""
        if not also:
            self._references.clear()
        self._references.append(planes)

    def is_same(self, planes: Planes) -> bool:
        """Tells whether a picture equals one of the references."""
        (luma_step, chroma_step), (luma, chroma) = self._background.steps(), self._most
        steps, most = (luma_step, chroma_step, chroma_step), (luma, chroma, chroma)
        return any(all(map(_is_same, planes, then, steps, most)) for then in reversed(self._references))


def _small(plane: U8, halvings: int) -> U8:
    """Returns a copy of a plane halved repeatedly, which OpenCV does faster than at once. Odd ends are cut off."""
    for _ in range(halvings):
        plane = halved(plane[: plane.shape[0] // 2 * 2, : plane.shape[1] // 2 * 2], 1)
    return plane if halvings else plane.copy()


def _is_same(now: U8, then: U8, step: int, most: float) -> bool:
    """Tells whether at most `most` points of two planes differ by more than `step` levels, isolated points left out."""
    differs = cv2.threshold(cv2.absdiff(now, then), step, 1, cv2.THRESH_BINARY)[1]
    return cv2.countNonZero(differs) <= most or cv2.countNonZero(unspecked(np.asarray(differs, np.uint8))) <= most
