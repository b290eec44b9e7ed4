"""Clips in another light: their frames as another camera, lamp and white balance would have recorded them.

What was learned from a clip must help on unseen ones. Truth in millimetres stays true under other tones, colours,
lamps, noise and focus, so each clip yields many.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.picture import U8, Picture
from referee.frames.frame import Frame, Source
from referee.frames.source_wrapper import ForwardingSource

F32 = NDArray[np.float32]

FEWEST, MOST = 2, 4
"""Least and greatest number of properties changed at once."""
TO_BLUE, TO_RED = 0.12, 0.1
"""Shifts of the blue and red difference by the strongest white balance, as shares of the luma."""
NOISES = 3
"""Number of noise fields, laid over frames at varying offsets."""


@dataclass(frozen=True, slots=True)
class Light:
    """Properties of a clip's light; the defaults change nothing. Drawn at random by `light`."""

    gamma: float = 1.0
    """Exponent of the brightness curve."""
    black: float = 0.0
    white: float = 1.0
    """Luma of black and white, as shares of its span: haze, and a dull lens."""
    cast: float = 0.0
    """White balance from -1 (bluish) to 1 (reddish)."""
    saturation: float = 1.0
    hue: float = 0.0
    """Rotation of all hues, radians."""
    lamp: float = 1.0
    lamp_towards: float = 0.0
    """Share of the light left on the side away from a lamp, and the direction of the lamp, radians from the right."""
    spot: float = 0.0
    spot_at: tuple[float, float] = (0.5, 0.5)
    spot_size: float = 0.1
    """A lamp's reflection: luma (share of the span), place and width (shares of the picture)."""
    noise: float = 0.0
    """Standard deviation of noise, levels."""
    blur_px: float = 0.0
    """Standard deviation of Gaussian blur, px."""


def light(seed: int, name: str) -> Light:
    """Returns another light for the clip of this name: some properties changed, the same for the same `seed`."""
    rng = np.random.default_rng([seed, *name.encode()])
    black, white = rng.uniform(0.0, 0.17), rng.uniform(0.75, 1.0)
    ways: tuple[dict[str, object], ...] = (
        {"gamma": math.exp(rng.uniform(math.log(0.6), math.log(1.6)))},
        {"black": black, "white": white},
        {"cast": rng.uniform(-1.0, 1.0)},
        {"saturation": rng.uniform(0.35, 1.6)},
        {"hue": rng.uniform(-0.2, 0.2)},
        {"lamp": rng.uniform(0.35, 0.8), "lamp_towards": rng.uniform(0.0, math.tau)},
        {"spot": rng.uniform(0.16, 0.43), "spot_at": tuple(rng.uniform(0.3, 0.7, 2).tolist()),
         "spot_size": rng.uniform(0.08, 0.2)},
        {"noise": rng.uniform(3.0, 9.0)},
        {"blur_px": rng.uniform(0.6, 1.4)},
    )  # fmt: skip
    chosen = rng.permutation(len(ways))[: rng.integers(FEWEST, MOST + 1)]
    changes = {name: value for i in chosen for name, value in ways[int(i)].items()}
    return replace(Light(), **changes)  # type: ignore[arg-type]


class Relit(ForwardingSource):
    """Passes on a source's frames in another light."""

    def __init__(self, source: Source, shown: Light) -> None:
        super().__init__(source)
        self._light = shown
        self._look: _Look | None = None

    def __iter__(self) -> Iterator[Frame]:
        for frame in self._source:
            self._look = self._look or _Look(self._light, frame.picture)
            yield replace(frame, picture=self._look.of(frame.picture, frame.index), lasts=True)


class _Look:
    """A light for pictures of one size, with everything constant computed once."""

    def __init__(self, shown: Light, first: Picture) -> None:
        self._light, (self._height, self._width) = shown, first.y.shape
        self._floor, self._span = (0.0, 255.0) if first.full_range else (16.0, 219.0)

    def of(self, picture: Picture, index: int) -> Picture:
        """Returns the picture in that light; `index` selects the noise."""
        y, (u, v) = cv2.LUT(picture.y, self._tones), self._coloured(picture)
        if self._lit is not None:
            share, more, small = self._lit
            y = cv2.add(cv2.multiply(y, share, dtype=cv2.CV_32F), more, dtype=cv2.CV_8U)
            u, v = cv2.multiply(u, small), cv2.multiply(v, small)
        if self._light.blur_px:
            y = cv2.GaussianBlur(y, (0, 0), self._light.blur_px)
            u, v = (cv2.GaussianBlur(plane, (0, 0), self._light.blur_px / 2) for plane in (u, v))
        if self._light.noise:
            y = cv2.add(y, np.roll(self._noise[index % NOISES], 7 * index, axis=0), dtype=cv2.CV_8U)
        return Picture(np.asarray(y, np.uint8), _levels(u), _levels(v), picture.full_range)

    @cached_property
    def _tones(self) -> U8:
        """Brightness curve (256,) of luma."""
        share = np.clip((np.arange(256) - self._floor) / self._span, 0.0, 1.0) ** self._light.gamma
        share = self._light.black + (self._light.white - self._light.black) * share
        return np.asarray(np.clip(self._floor + self._span * share + 0.5, 0.0, 255.0), np.uint8)

    def _coloured(self, picture: Picture) -> tuple[Any, Any]:
        """Returns the blue and red difference (rows, columns) about 0, with hue and saturation changed, and shifted by
        the white balance in proportion to the luma.
        """
        shown, dull = self._light, self._light.white - self._light.black
        c, s = shown.saturation * dull * math.cos(shown.hue), shown.saturation * dull * math.sin(shown.hue)
        u = cv2.addWeighted(picture.u, c, picture.v, -s, -128.0 * (c - s), dtype=cv2.CV_32F)
        v = cv2.addWeighted(picture.u, s, picture.v, c, -128.0 * (c + s), dtype=cv2.CV_32F)
        if shown.cast:
            luma = cv2.resize(picture.y, (u.shape[1], u.shape[0]), interpolation=cv2.INTER_AREA)
            by = shown.cast * dull
            u = cv2.addWeighted(u, 1.0, luma, -TO_BLUE * by, TO_BLUE * by * self._floor, dtype=cv2.CV_32F)
            v = cv2.addWeighted(v, 1.0, luma, TO_RED * by, -TO_RED * by * self._floor, dtype=cv2.CV_32F)
        return u, v

    @cached_property
    def _lit(self) -> tuple[F32, F32, F32] | None:
        """Factor on a pixel's luma, amount added to it, and the factor for the chroma planes."""
        if self._light.lamp == 1.0 and self._light.spot == 0.0:
            return None
        y, x = np.mgrid[: self._height, : self._width].astype(np.float32)
        x, y = x / self._width, y / self._height
        turn, (at_x, at_y) = self._light.lamp_towards, self._light.spot_at
        towards = math.cos(turn) * (x - 0.5) + math.sin(turn) * (y - 0.5)
        near = (towards - towards.min()) / (towards.max() - towards.min())
        share = np.asarray(1.0 - (1.0 - self._light.lamp) * (1.0 - near), np.float32)
        off = ((x - at_x) * self._width / self._height) ** 2 + (y - at_y) ** 2
        glare = self._light.spot * self._span * np.exp(-off / (2 * self._light.spot_size**2))
        half = (self._width // 2, self._height // 2)
        small = np.asarray(cv2.resize(share, half, interpolation=cv2.INTER_AREA), np.float32)
        return share, np.asarray(self._floor * (1.0 - share) + glare, np.float32), small

    @cached_property
    def _noise(self) -> tuple[NDArray[np.int16], ...]:
        rng = np.random.default_rng(0)
        shape = (self._height, self._width)
        return tuple(np.rint(rng.normal(0.0, self._light.noise, shape)).astype(np.int16) for _ in range(NOISES))


def _levels(chroma: Any) -> U8:
    return np.asarray(np.clip(np.asarray(chroma, np.float32) + 128.5, 0.0, 255.0), np.uint8)
