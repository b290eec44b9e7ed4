"""Frame difference: whether a picture shows the same as an earlier one, by its planes alone.

Between strokes most frames repeat the last one. Comparing planes as the camera gives them saves the lattice, the light
and all that follows.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

import cv2
import numpy as np

from calibration.geometry.camera import Camera
from calibration.geometry.lattice import Lattice, fetched, halved
from calibration.geometry.picture import U8, Picture
from referee.foreground.noise import NoiseFollower, believable, sigma_of, unspecked

POINT_MM = 3.0
"""Size of a point after averaging. Noise shrinks, and a coin still spans ten points."""
DIFFERENCE_STEPS = (8, 5), (12, 6)
"""Range of the least difference that counts, for luma and chroma: never above the background model's."""
DIFFERENCE_NOISE_TIMES = 7.0
"""Standard deviations of the noise below which differences do not count (five of a difference)."""
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

    def __init__(self, camera: Camera, lattice: Lattice) -> None:
        self._steps: tuple[int, ...] = DIFFERENCE_STEPS[0]
        self._noise = believable(0.0, 0.0, 0.0)
        self._follower = NoiseFollower()
        self.relocate(camera, lattice)

    def relocate(self, camera: Camera, lattice: Lattice) -> None:
        """Follows a camera that has moved; all references are dropped."""
        self.lattice = lattice
        density = float(camera.px_per_mm(z=lattice.z)[0])
        self._halvings = max(1, round(math.log2(POINT_MM * density)))
        points = density**2 / 4**self._halvings
        self._most = LUMA_MM2 * points, CHROMA_MM2 * points
        self.forget()

    def forget(self) -> None:
        """Drops all references."""
        self._references: deque[Planes] = deque(maxlen=PHASES)

    def learn_noise(self, pictures: Sequence[Picture]) -> None:
        """Measures the noise from a few pictures of a board at rest."""
        if len(pictures) < 2:
            return
        luma, blue, red = map(sigma_of, zip(*map(self.planes, pictures), strict=True))
        self.believe_noise(believable(luma, blue, red))

    def believe_noise(self, noise: tuple[float, float]) -> None:
        """Sets the standard deviations of averaged luma and chroma, levels."""
        self._noise = noise
        least, most = DIFFERENCE_STEPS
        self._steps = tuple(
            min(max(low, round(DIFFERENCE_NOISE_TIMES * n)), high)
            for n, low, high in zip(noise, least, most, strict=True)
        )

    def follow_noise(self, t: float, planes: Planes) -> tuple[float, float] | None:
        """Adopts the noise of later pictures if it differs from that of the first ones, and returns it then;
        else None.
        """
        if (noise := self._follower.update(t, planes, self._noise)) is not None:
            self.believe_noise(noise)
        return noise

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
        return any(self._are_same(planes, reference) for reference in reversed(self._references))

    def _are_same(self, now: Planes, then: Planes) -> bool:
        kinds = zip(now, then, (0, 1, 1), strict=True)
        return all(_is_same(a, b, self._steps[i], self._most[i]) for a, b, i in kinds)


def _small(plane: U8, halvings: int) -> U8:
    """Returns a copy of a plane halved repeatedly, which OpenCV does faster than at once. Odd ends are cut off."""
    for _ in range(halvings):
        plane = halved(plane[: plane.shape[0] // 2 * 2, : plane.shape[1] // 2 * 2], 1)
    return plane if halvings else plane.copy()


def _is_same(now: U8, then: U8, step: int, most: float) -> bool:
    """Tells whether at most `most` points of two planes differ by more than `step` levels, isolated points left out."""
    differs = cv2.threshold(cv2.absdiff(now, then), step, 1, cv2.THRESH_BINARY)[1]
    return cv2.countNonZero(differs) <= most or cv2.countNonZero(unspecked(np.asarray(differs, np.uint8))) <= most
