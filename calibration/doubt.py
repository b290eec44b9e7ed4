"""Propagates the uncertainty of the camera and of the pieces' heights to positions on the board.

A calibration gives one covariance of all solved parameters. It is stored as independent error directions (`ways`) of
one standard deviation each. A quantity measured with the camera is recomputed with the camera moved slightly along each
direction; the root sum of squares of the slopes is its standard deviation. An uncertain height counts as one more
direction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from calibration.fit_board.solve import CAMERA_SIZE, PLACE, camera_at, parameters
from calibration.geometry.camera import F64, Camera
from models.pieces import Kind

COIN_HEIGHT_MM, STRIKER_HEIGHT_MM = 0.5, 0.8
"""Standard deviations, in mm, of the heights of coins (laws: 7 to 9 mm) and of strikers (sold: 8 to 11 mm) about the
books' values."""
DOUBT_STEP = 0.02
"""Step of the numerical slopes, in sigmas. Small steps are needed because height and focal length are correlated: a
camera 10 % lower with a focal length 10 % shorter shows the same surface, but a linear step of that size would be off
by its square, 2 mm.
"""


@dataclass(frozen=True, slots=True, eq=False)
class CameraDoubt:
    """A camera's covariance as independent error directions, with the uncertainty of the pieces' heights."""

    ways: F64
    """Change (k, 14) of the camera's parameters by one sigma along each direction, see `fit_board.solve`."""
    coin_mm: float = COIN_HEIGHT_MM
    striker_mm: float = STRIKER_HEIGHT_MM
    """Standard deviations of the heights of coins' and strikers' top faces."""

    @classmethod
    def of(cls, covariance: F64) -> CameraDoubt:
        """Decomposes a covariance whose first rows are a camera's parameters."""
        camera = covariance[:CAMERA_SIZE, :CAMERA_SIZE]
        size = np.sqrt(np.maximum(np.diag(camera), 0.0))
        free = size > 0
        values, vectors = np.linalg.eigh(camera[np.ix_(free, free)] / np.outer(size[free], size[free]))
        # None is too small to count: where the height is uncertain by a tenth, a thousandth of its sigma shifts places.
        ways = np.zeros((len(values), CAMERA_SIZE))
        ways[:, free] = (vectors * np.sqrt(np.maximum(values, 0.0))).T * size[free]
        return cls(ways)

    def farther(self, ratio: float) -> CameraDoubt:
        """Returns the doubt of the camera that takes the same picture of a board `ratio` times as large."""
        ways = self.ways.copy()
        ways[:, PLACE] *= ratio
        return CameraDoubt(ways, self.coin_mm, self.striker_mm)

    def slopes(self, read: Callable[[Camera], F64], camera: Camera) -> list[F64]:
        """Returns the change of `read(camera)` by one sigma along each error direction."""
        own, at = read(camera), parameters(camera)
        return [(read(camera_at(at + DOUBT_STEP * way, camera)) - own) / DOUBT_STEP for way in self.ways]

    def height(self, kind: Kind) -> float:
        """Returns the standard deviation (mm) of the height of a piece's top face."""
        return self.striker_mm if kind is Kind.STRIKER else self.coin_mm

    def of_read(self, read: Callable[[Camera, float], F64], camera: Camera, z: float, z_sigma: float) -> F64:
        """Returns the standard deviations of `read(camera, z)`, where the height z mm has the sigma `z_sigma` mm."""
        off = self.slopes(lambda other: read(other, z), camera)
        off.append(read(camera, z + z_sigma) - read(camera, z))
        return np.asarray(np.sqrt(np.sum(np.square(off), axis=0)))

    def of_places(self, camera: Camera, places: F64, z: float, z_sigma: float = 0.0) -> F64:
        """Returns the standard deviations (n, 2) in mm of board positions (n, 2) measured z mm high."""
        pixels = camera.to_pixels(places, z)
        return self.of_read(lambda other, height: other.to_board(pixels, height), camera, z, z_sigma)

    def with_measured_height(self, camera: Camera, sigma_mm: float) -> CameraDoubt:
        """Returns the doubt that remains once the lens's height above the board is measured to `sigma_mm`."""
        rises = self._rises(camera)
        total = float(rises @ rises)
        if total == 0.0:
            return self
        # A measurement of one direction shrinks the error directions along it and leaves those perpendicular to it.
        shrunk = 1.0 / np.sqrt(1.0 + total / sigma_mm**2)
        along = np.outer(rises, rises @ self.ways) / total
        return CameraDoubt(self.ways - (1.0 - shrunk) * along, self.coin_mm, self.striker_mm)

    def height_sigma(self, camera: Camera) -> float:
        """Returns the standard deviation of the lens's height above the board as a share of that height."""
        return float(np.linalg.norm(self._rises(camera)) / camera.position[2])

    def _rises(self, camera: Camera) -> F64:
        """Returns how far (ways,) one sigma of each error direction raises the camera, in mm."""
        return np.array(self.slopes(lambda other: other.position[2:], camera)).reshape(-1)


DOUBT_CERTAIN = CameraDoubt(np.zeros((0, CAMERA_SIZE)), 0.0, 0.0)
"""The doubt of a camera and pieces that are known exactly."""
