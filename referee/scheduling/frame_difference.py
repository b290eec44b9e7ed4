"""Stillness: whether a picture shows the same as one before it, told without a look at the board itself.

Between strokes most frames show what the last one showed. Telling so takes a comparison of the planes as the camera
gives them; the lattice, the light and all that follows need not be worked out again.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

import cv2

from calibration.geometry.camera import Camera
from calibration.geometry.lattice import Lattice, fetched, halved
from calibration.geometry.picture import U8, Picture
from referee.foreground.noise import sigma_of

POINT_MM = 3.0
"""Planes are averaged down to points of about this size: noise shrinks, and a coin still spans ten of them."""
STEPS = (8, 5), (12, 6)
"""Least and most difference (levels of luma, of chroma) that counts: never more than what counts at the gate."""
NOISE_TIMES = 7.0
"""Differences below this many standard deviations of the noise (five of a difference) do not count."""
LUMA_MM2, CHROMA_MM2 = 40.0, 350.0
"""Pictures whose luma or chroma differs over less area than this are the same.

A coin that stirs changes the luma over more; it changes the chroma over half its area at least when it comes or goes,
while encoders stir chroma in whole blocks.
"""

TOGETHER = 3
"""What changes differs in so many of three by three points; the noise of dim pictures strikes points one by one."""

PHASES = 6
"""Under a flickering lamp pictures of one scene look by turns as many ways, at 100 flickers and 120 frames a second."""

Planes = tuple[U8, U8, U8]


class Stillness:
    """Compares the part of each picture that shows the board and its frame with the picture last referred to."""

    def __init__(self, camera: Camera, lattice: Lattice) -> None:
        self._steps: tuple[int, ...] = STEPS[0]
        self.relocate(camera, lattice)

    def relocate(self, camera: Camera, lattice: Lattice) -> None:
        """The same board under a camera that has moved; nothing is like what was before."""
        self.lattice = lattice
        density = float(camera.px_per_mm(z=lattice.z)[0])
        self._halvings = max(1, round(math.log2(POINT_MM * density)))
        points = density**2 / 4**self._halvings
        self._most = LUMA_MM2 * points, CHROMA_MM2 * points
        self.forget()

    def forget(self) -> None:
        """Nothing is like what was before."""
        self._references: deque[Planes] = deque(maxlen=PHASES)

    def learn_noise(self, pictures: Sequence[Picture]) -> None:
        """Measures what stirs in a few pictures of an unchanging board."""
        if len(pictures) < 2:
            return
        luma, blue, red = map(sigma_of, zip(*map(self.planes, pictures), strict=True))
        noise = luma, max(blue, red)
        least, most = STEPS
        self._steps = tuple(
            min(max(low, round(NOISE_TIMES * n)), high) for n, low, high in zip(noise, least, most, strict=True)
        )

    def planes(self, picture: Picture) -> Planes:
        """What is compared of a picture: copies, which stay good when a camera takes its picture back."""
        crop = self.lattice.crop
        u, v = (_small(plane[crop.of_chroma], self._halvings - 1) for plane in (picture.u, picture.v))
        return _small(fetched(picture.y, crop), self._halvings), u, v

    def refer(self, planes: Planes, also: bool = False) -> None:
        """What later pictures are compared with; `also`, not instead, where nothing has happened since the others."""
        if not also:
            self._references.clear()
        self._references.append(planes)

    def is_same(self, planes: Planes) -> bool:
        """Whether a picture shows what one of those referred to showed."""
        return any(self._are_same(planes, reference) for reference in reversed(self._references))

    def _are_same(self, now: Planes, then: Planes) -> bool:
        kinds = zip(now, then, (0, 1, 1), strict=True)
        return all(_is_same(a, b, self._steps[i], self._most[i]) for a, b, i in kinds)


def _small(plane: U8, halvings: int) -> U8:
    """A copy of a plane halved so often, step by step, which OpenCV does faster than at once; odd ends are cut off."""
    for _ in range(halvings):
        plane = halved(plane[: plane.shape[0] // 2 * 2, : plane.shape[1] // 2 * 2], 1)
    return plane if halvings else plane.copy()


def _is_same(now: U8, then: U8, step: int, most: float) -> bool:
    """Whether at most so many points of two planes differ by more than `step` levels, those apart from others aside."""
    differs = cv2.threshold(cv2.absdiff(now, then), step, 1, cv2.THRESH_BINARY)[1]
    if cv2.countNonZero(differs) <= most:
        return True
    beside = cv2.boxFilter(differs, cv2.CV_8U, (3, 3), normalize=False)
    return (
        cv2.countNonZero(cv2.bitwise_and(differs, cv2.threshold(beside, TOGETHER - 1, 1, cv2.THRESH_BINARY)[1])) <= most
    )
