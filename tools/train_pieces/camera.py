"""Simulates the camera over a scene: light, tone, blur, noise and compression; and the remembered empty board."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from canvas import F32, SIZE, U8, WINDOW, Rng
from numpy.typing import NDArray


def uneven_light(rng: Rng) -> tuple[F32, F32]:
    """Returns the gain (SIZE, SIZE) of uneven light with borders of shade, and the added glare (SIZE, SIZE) of mirrored
    lamps.
    """
    yy, xx = np.mgrid[:SIZE, :SIZE].astype(np.float32) / SIZE - 0.5
    a, b = rng.normal(0, 0.3, 2)
    share, glare = np.clip(1 + a * xx + b * yy, 0.3, 1.8), np.zeros((SIZE, SIZE), np.float32)
    if rng.random() < 0.2:
        turn, at, soft = rng.uniform(0, math.tau), rng.uniform(-0.3, 0.3), rng.uniform(0.003, 0.1)
        side = 1 / (1 + np.exp(np.clip((xx * math.cos(turn) + yy * math.sin(turn) - at) / soft, -30, 30)))
        share *= 1 - rng.uniform(0.1, 0.6) * side
    for _ in range(rng.poisson(0.4)):
        x, y, r = *rng.uniform(-0.5, 0.5, 2), rng.uniform(0.02, 0.3)
        glare += rng.uniform(0.03, 0.6) / (1 + (np.hypot(xx - x, yy - y) / r) ** rng.uniform(2, 6))
    return share.astype(np.float32), glare.astype(np.float32)


@dataclass
class Tone:
    """A camera's response: how it changes brightness and colours."""

    gain: float
    gamma: float
    saturation: float
    tint: NDArray[np.float64]

    @classmethod
    def of(cls, rng: Rng) -> Tone:
        """Draws a response."""
        return cls(rng.uniform(0.5, 1.3), rng.uniform(0.6, 1.6), rng.uniform(0.3, 1.5), rng.normal(0, 0.02, 3))

    def bend(self, image: F32) -> F32:
        """Returns a picture (h, w, 3), 0..1, with this response."""
        image = np.clip(image * np.float32(self.gain), 0, 1) ** np.float32(self.gamma)
        grey = image.mean(2, keepdims=True)
        return np.clip(grey + (image - grey) * np.float32(self.saturation) + self.tint.astype(np.float32), 0, 1)


def yuv_of(bgr: U8) -> tuple[U8, U8, U8]:
    """Returns Y, U, V planes of a picture, luma in video range."""
    y, cr, cb = cv2.split(cv2.cvtColor(bgr, cv2.COLOR_BGR2YCrCb))
    return np.clip(16 + y.astype(np.float32) * 219 / 255, 0, 255).astype(np.uint8), cb, cr


def remember_board(image: F32, tone: Tone, rng: Rng) -> U8:
    """Returns Y, U, V (3, WINDOW, WINDOW) of an empty board, softer and with less noise than a picture, slightly
    displaced.
    """
    small = cv2.resize(image, (WINDOW, WINDOW), interpolation=cv2.INTER_AREA)
    slip = rng.normal(0, rng.choice((0.2, 0.8, 1.5)), 2)
    move = np.array([[1, 0, slip[0]], [0, 1, slip[1]]])
    small = cv2.warpAffine(small, move, (WINDOW, WINDOW), borderMode=cv2.BORDER_REPLICATE)
    small = cv2.GaussianBlur(small, (0, 0), rng.uniform(0.4, 1.6))
    grain = rng.standard_normal(small.shape, np.float32) * np.float32(rng.uniform(0.3, 2.5))
    return np.stack(yuv_of(np.clip(tone.bend(small) * 255 + grain, 0, 255).astype(np.uint8)))


def photograph(image: F32, tone: Tone, rng: Rng) -> U8:
    """Returns Y, U, V (3, WINDOW, WINDOW) of a scene from a camera of random resolution, focus and noise."""
    per_mm = float(np.exp(rng.uniform(np.log(0.5), np.log(2.0))))
    size = max(64, round(WINDOW * per_mm / 2) * 2)
    if rng.random() < 0.12:
        blur = np.zeros((15, 15), np.float32)
        turn, length = rng.uniform(0, math.pi), rng.uniform(1, 7)
        cv2.line(
            blur,
            *[
                tuple(np.round(7 + s * length * np.array([math.cos(turn), math.sin(turn)])).astype(int).tolist())
                for s in (-1, 1)
            ],
            1.0,
        )
        image = cv2.filter2D(image, -1, blur / blur.sum())
    small = cv2.resize(image, (size, size), interpolation=cv2.INTER_AREA)
    focus = rng.uniform(0.2, 0.9) if rng.random() < 0.7 else rng.uniform(0.9, 1.8)
    small = cv2.GaussianBlur(small, (0, 0), focus)
    if rng.random() < 0.4:
        small = small + rng.uniform(0.2, 1.5) * (small - cv2.GaussianBlur(small, (0, 0), rng.uniform(0.6, 1.6)))
    small = tone.bend(small)
    level = float(np.exp(rng.uniform(np.log(0.3), np.log(9.0))))
    grain = rng.standard_normal(small.shape, np.float32) * np.float32(level)
    if rng.random() < 0.5:
        grain = cv2.GaussianBlur(grain, (0, 0), 0.7) * 1.6
    bgr = np.clip(small * 255 + grain, 0, 255).astype(np.uint8)
    if rng.random() < 0.7:
        bgr = cv2.imdecode(cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 97))])[1], 1)
    y, cb, cr = yuv_of(bgr)
    half = (size // 2, size // 2)
    u, v = (cv2.resize(p, half, interpolation=cv2.INTER_AREA) for p in (cb, cr))
    method = cv2.INTER_LINEAR if per_mm < 1.5 else cv2.INTER_AREA
    return np.stack([cv2.resize(p, (WINDOW, WINDOW), interpolation=m)
                     for p, m in ((y, method), (u, cv2.INTER_LINEAR), (v, cv2.INTER_LINEAR))])  # fmt: skip


def downsample_mask(mask: F32) -> U8:
    """Returns a mask (WINDOW, WINDOW), 255 where more than 0.4 of a point is covered."""
    return (cv2.resize(mask, (WINDOW, WINDOW), interpolation=cv2.INTER_AREA) > 0.4).astype(np.uint8) * 255
