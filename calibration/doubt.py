"""How the camera and the pieces' heights may be otherwise, and what that makes of a place on the board.

A calibration gives one covariance of all that it solves for. What is kept of it are independent ways of being wrong by
one standard deviation each: whatever is read off the board is read with a camera that goes a little of each way, and
the slopes are its standard deviation. A height that is not known counts as one way more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from calibration.fit_board.solve import CAMERA_SIZE, PLACE, camera_at, parameters
from calibration.geometry.camera import F64, Camera
from models.pieces import Kind

COIN_HEIGHT_MM, STRIKER_HEIGHT_MM = 0.5, 0.8
"""Standard deviations of the heights of coins (laws: 7 to 9 mm) and of strikers (sold: 8 to 11 mm) about the books'."""
DOUBT_LEAST_SHARE = 1e-6
"""Ways of a smaller share of the whole covariance, each parameter in its own sigma, say nothing."""
DOUBT_STEP = 0.02
"""Slopes are taken over so many sigmas. A camera that is lower by 10 % with its focal length less by as much shows the
same surface; one moved so far straight along both would be off by the square of it, 2 mm.
"""


@dataclass(frozen=True, slots=True, eq=False)
class CameraDoubt:
    """One covariance as independent ways of being wrong."""

    ways: F64
    """What one sigma of each way adds to a camera's parameters (k, 14), see `calibration.fit_board.solve`."""
    coin_mm: float = COIN_HEIGHT_MM
    striker_mm: float = STRIKER_HEIGHT_MM
    """Standard deviations of the heights of their top faces."""

    @classmethod
    def of(cls, covariance: F64) -> CameraDoubt:
        """The doubt of a covariance whose first rows are a camera's parameters."""
        camera = covariance[:CAMERA_SIZE, :CAMERA_SIZE]
        size = np.sqrt(np.maximum(np.diag(camera), 0.0))
        free = size > 0
        values, vectors = np.linalg.eigh(camera[np.ix_(free, free)] / np.outer(size[free], size[free]))
        significant = values > DOUBT_LEAST_SHARE * max(float(values.sum()), DOUBT_LEAST_SHARE)
        ways = np.zeros((int(significant.sum()), CAMERA_SIZE))
        ways[:, free] = (vectors[:, significant] * np.sqrt(values[significant])).T * size[free]
        return cls(ways)

    def farther(self, ratio: float) -> CameraDoubt:
        """That of the camera that takes the same picture of a board `ratio` times as large."""
        ways = self.ways.copy()
        ways[:, PLACE] *= ratio
        return CameraDoubt(ways, self.coin_mm, self.striker_mm)

    def slopes(self, read: Callable[[Camera], F64], camera: Camera) -> list[F64]:
        """By how much one sigma of each way changes what is `read` with a camera."""
        own, at = read(camera), parameters(camera)
        return [(read(camera_at(at + DOUBT_STEP * way, camera)) - own) / DOUBT_STEP for way in self.ways]

    def height(self, kind: Kind) -> float:
        """Standard deviation (mm) of the height of a piece's top face."""
        return self.striker_mm if kind is Kind.STRIKER else self.coin_mm

    def of_read(self, read: Callable[[Camera, float], F64], camera: Camera, z: float, z_sigma: float) -> F64:
        """Standard deviations of what is `read` with a camera of what lies z mm high."""
        off = self.slopes(lambda other: read(other, z), camera)
        off.append(read(camera, z + z_sigma) - read(camera, z))
        return np.asarray(np.sqrt(np.sum(np.square(off), axis=0)))

    def of_places(self, camera: Camera, places: F64, z: float, z_sigma: float = 0.0) -> F64:
        """Standard deviations (n, 2) mm of board places (n, 2) seen z mm high."""
        pixels = camera.to_pixels(places, z)
        return self.of_read(lambda other, height: other.to_board(pixels, height), camera, z, z_sigma)

    def taped(self, camera: Camera, sigma_mm: float) -> CameraDoubt:
        """What is left of it once the lens's height above the board is measured to so many mm."""
        rises = self._rises(camera)
        total = float(rises @ rises)
        if total == 0.0:
            return self
        # A measure of one direction shrinks the ways along it, and leaves those across it alone.
        shrunk = 1.0 / np.sqrt(1.0 + total / sigma_mm**2)
        along = np.outer(rises, rises @ self.ways) / total
        return CameraDoubt(self.ways - (1.0 - shrunk) * along, self.coin_mm, self.striker_mm)

    def height_sigma(self, camera: Camera) -> float:
        """Standard deviation of the lens's height above the board, as a share of it."""
        return float(np.linalg.norm(self._rises(camera)) / camera.position[2])

    def _rises(self, camera: Camera) -> F64:
        """By how much (ways,) mm one sigma of each way lifts a camera."""
        return np.array(self.slopes(lambda other: other.position[2:], camera)).reshape(-1)


DOUBT_CERTAIN = CameraDoubt(np.zeros((0, CAMERA_SIZE)), 0.0, 0.0)
"""Of a camera and pieces that are known exactly."""
