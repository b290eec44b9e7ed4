"""Models the camera over the board: projects board points to pixels, and pixels to board points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

F64 = NDArray[np.float64]

MANY_POINTS = 16384
"""Number of points projected at a time."""


def _frozen(values: ArrayLike, shape: tuple[int, ...]) -> F64:
    array = np.array(values, np.float64).reshape(shape)
    array.setflags(write=False)
    return array


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """OpenCV's pinhole model with five distortion terms: x_cam = R X_board + t; pixel centres at integers.

    `mirror` says that the delivered picture is flipped left to right; the pinhole model describes the unflipped one.
    """

    width: int
    height: int
    k: F64
    """Intrinsic matrix (3, 3), pixels."""
    dist: F64
    """k1 k2 p1 p2 k3 (5,)."""
    r: F64
    """Rotation (3, 3) from board to camera."""
    t: F64
    """Translation (3,) mm from board to camera."""
    mirror: bool = False

    @classmethod
    def of(cls, width: int, height: int, k: ArrayLike, dist: ArrayLike, r: ArrayLike, t: ArrayLike,
           mirror: bool = False) -> Camera:  # fmt: skip
        """Returns a camera from anything array-like; raises ValueError when a shape does not fit."""
        return cls(width, height, _frozen(k, (3, 3)), _frozen(dist, (5,)), _frozen(r, (3, 3)), _frozen(t, (3,)), mirror)

    def to_pixels(self, points: ArrayLike, z: float | ArrayLike = 0.0) -> F64:
        """Returns pixels (n, 2) of board points (n, 2) mm at height z mm (a number or (n,))."""
        xy = np.asarray(points, np.float64).reshape(-1, 2)
        height = np.broadcast_to(np.asarray(z, np.float64), len(xy))
        turned, out = self.r[:, :2] @ xy.T, np.empty_like(xy)
        # Intermediate results of this many points fit the processor's caches.
        for first in range(0, len(xy), MANY_POINTS):
            some = slice(first, first + MANY_POINTS)
            ahead = turned[:, some] + self.r[:, 2:] * height[some] + self.t[:, None]
            out[some, 0], out[some, 1] = self._projected(ahead)
        if self.mirror:
            out[:, 0] = self.width - 1 - out[:, 0]
        return out

    def _projected(self, ahead: F64) -> tuple[F64, F64]:
        """Returns columns and rows (n,) of points (3, n) in camera coordinates, in the unflipped picture."""
        with np.errstate(all="ignore"):  # a fit may try a camera in the board's plane
            x, y = self._bent(ahead[0] / ahead[2], ahead[1] / ahead[2])
        return x * self.k[0, 0] + self.k[0, 2], y * self.k[1, 1] + self.k[1, 2]

    def _bent(self, x: F64, y: F64) -> tuple[F64, F64]:
        """Returns distorted coordinates of ideal ones (n,), both in focal lengths from the optical axis.

        It is OpenCV's model, written out because `projectPoints` also computes fifteen derivatives of every point.
        """
        k1, k2, p1, p2, k3 = self.dist.tolist()
        r2, xy2 = x * x + y * y, 2 * x * y
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        return x * radial + p1 * xy2 + p2 * (r2 + 2 * x * x), y * radial + p1 * (r2 + 2 * y * y) + p2 * xy2

    def to_board(self, pixels: ArrayLike, z: float | ArrayLike = 0.0) -> F64:
        """Returns the board points (n, 2) mm at height z mm that are shown at pixels (n, 2)."""
        px = np.array(pixels, np.float64).reshape(-1, 2)
        if not len(px):
            return np.empty((0, 2))
        if self.mirror:
            px[:, 0] = self.width - 1 - px[:, 0]
        criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 30, 1e-9)
        norm = cv2.undistortPoints(px.reshape(-1, 1, 2), self.k, self.dist, R=None, P=None, criteria=criteria)
        rays = np.column_stack([np.asarray(norm, np.float64).reshape(-1, 2), np.ones(len(px))]) @ self.r
        eye = self.position
        reach = (np.asarray(z, np.float64) - eye[2]) / rays[:, 2]
        return np.asarray(eye[:2] + rays[:, :2] * np.reshape(reach, (-1, 1)))

    @property
    def position(self) -> F64:
        """Position (3,) of the lens, board mm."""
        return np.asarray(-self.r.T @ self.t)

    def along_sight(self, points: ArrayLike, z: float, other_z: float) -> F64:
        """Returns where the lines of sight through points (n, 2) at height `z` meet height `other_z`, board mm."""
        xy, eye = np.asarray(points, np.float64), self.position
        return np.asarray(xy + (eye[:2] - xy) * ((other_z - z) / (eye[2] - z)))

    def px_per_mm(self, points: ArrayLike = ((0.0, 0.0),), z: float = 0.0) -> F64:
        """Returns the local scale (n,), pixels per mm, at board points (n, 2): the mean of both directions."""
        xy = np.asarray(points, np.float64).reshape(-1, 2)
        dx, dy = np.array([0.5, 0.0]), np.array([0.0, 0.5])
        across = self.to_pixels(xy + dx, z) - self.to_pixels(xy - dx, z)
        along = self.to_pixels(xy + dy, z) - self.to_pixels(xy - dy, z)
        return np.asarray((np.hypot(*across.T) + np.hypot(*along.T)) / 2)

    def turned(self, quarter_turns: int) -> Camera:
        """Returns the camera after south is redefined as the side `quarter_turns` clockwise (seen from above) of
        south.
        """
        a = -np.pi / 2 * quarter_turns
        turn = np.array([[np.cos(a), -np.sin(a), 0.0], [np.sin(a), np.cos(a), 0.0], [0.0, 0.0, 1.0]])
        return Camera.of(self.width, self.height, self.k, self.dist, self.r @ np.round(turn), self.t, self.mirror)

    def sized(self, width: int, height: int) -> Camera:
        """Returns the camera for pictures resized to `width` x `height` pixels."""
        across, down = width / self.width, height / self.height
        stretch = np.array([[across, 0.0, (across - 1) / 2], [0.0, down, (down - 1) / 2], [0.0, 0.0, 1.0]])
        return Camera.of(width, height, stretch @ self.k, self.dist, self.r, self.t, self.mirror)

    def farther(self, ratio: float) -> Camera:
        """Returns the camera that takes the same picture of a board `ratio` times as large, at `ratio` times the
        distance.
        """
        return Camera.of(self.width, self.height, self.k, self.dist, self.r, self.t * ratio, self.mirror)

    def about(self, middle: tuple[float, float]) -> Camera:
        """Returns the camera in board coordinates whose origin is at the point `middle` (mm)."""
        t = self.r[:, :2] @ np.array(middle) + self.t
        return Camera.of(self.width, self.height, self.k, self.dist, self.r, t, self.mirror)

    def as_dict(self) -> dict[str, Any]:
        """Returns plain lists for JSON, as in the match log's header and the profile."""
        return {"width": self.width, "height": self.height, "K": self.k.tolist(), "dist": self.dist.tolist(),
                "R": self.r.tolist(), "t_mm": self.t.tolist(), "mirror": self.mirror}  # fmt: skip

    @classmethod
    def from_dict(cls, d: dict[str, Any]) -> Camera:
        """Returns the camera that `as_dict` described; raises KeyError or ValueError on a malformed value."""
        return cls.of(int(d["width"]), int(d["height"]), d["K"], d["dist"], d["R"], d["t_mm"], bool(d["mirror"]))
