"""Calibrates a lens from pictures of a ChArUco sheet, or holds one whose parameters are given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64, Camera
from calibration.reason import CalibrationFault, CalibrationReason

LENS_SQUARES = (9, 6)
SQUARE_MM, MARKER_MM = 30.0, 21.9
"""Sizes of the printed sheet's squares and of the markers in them."""
LENS_LEAST_CORNERS = 8
LENS_LEAST_PICTURES = 4
WORST_RMS_PX = 1.5
LEAST_RMS_PX = 0.05
"""Least root mean square residual assumed of a sheet's corners, px."""
WORST_SIGMA = 0.008
"""Greatest uncertainty of focal length and principal point, in focal lengths; above it the pictures of the sheet are
too alike. Twelve good ones reach 0.001 to 0.002, the same one taken four times 0.011 and more."""
LEAST_TILT_RAD = np.radians(15.0)
"""Least angle between the two most different tilts of the sheet, in radians. Without tilt a flat sheet does not
determine the focal length; good sets differ by 40 degrees."""
FLAT_TERMS = cv2.CALIB_ZERO_TANGENT_DIST | cv2.CALIB_FIX_K3
LENS_SUFFIXES = (".jpg", ".jpeg", ".png")


class LensError(ValueError):
    """Raised when the pictures do not determine a lens; the message says why and what to do."""


class LensOrigin(StrEnum):
    """Source of a camera's lens parameters."""

    GIVEN = "given"
    CHARUCO = "charuco"
    """Measured with the sheet."""
    ESTIMATED = "estimated"
    """Estimated from the board alone."""
    DATASHEET = "datasheet"
    """Estimated with the focal length of the sensor's standard lens."""
    EXIF = "exif"
    """Estimated with the focal length that the photograph states."""
    EXCHANGED = "exchanged"
    """Estimated from the board, which contradicts the stated focal length."""

    @property
    def is_measured(self) -> bool:
        return self in (LensOrigin.GIVEN, LensOrigin.CHARUCO)


@dataclass(frozen=True, slots=True)
class StatedLens:
    """Focal length that a datasheet or a photograph states for pictures of one size; the lens may be another one."""

    focal_px: float
    """Focal length, pixels of the picture."""
    spread: float
    """Standard deviation of the logarithm of such cameras' focal lengths from the stated one."""
    share: float
    """Share of such cameras that have this lens, 0 to 1."""
    origin: LensOrigin


@dataclass(frozen=True, slots=True, eq=False)
class Lens:
    """A lens with its sensor, for one picture size."""

    width: int
    height: int
    k: F64
    """Intrinsic matrix (3, 3), pixels."""
    dist: F64
    """k1 k2 p1 p2 k3 (5,)."""
    rms_px: float = 0.0
    """Root mean square residual of the sheet's corners, pixels."""
    origin: LensOrigin = LensOrigin.GIVEN
    information: F64 | None = None
    """Inverse covariance (8, 8) of `parameters`; None if they are exact."""

    @property
    def parameters(self) -> F64:
        """Logarithm of the focal length, aspect ratio of a pixel, principal point (px), k1, k2, p1, p2 (8,)."""
        k = self.k
        return np.array([np.log(k[0, 0]), k[1, 1] / k[0, 0], k[0, 2], k[1, 2], *self.dist[:4]])

    def camera(self, width: int, height: int) -> Camera:
        """Returns a camera with this lens, looking straight down from 1.1 m; raises LensError for another picture
        size.
        """
        if (width, height) != (self.width, self.height):
            raise LensError(
                CalibrationReason(CalibrationFault.LENS_SIZE, width=self.width, height=self.height, w=width, h=height)
            )
        return Camera.of(width, height, self.k, self.dist, np.diag([1.0, -1.0, -1.0]), [0, 0, 1100.0])


def charuco_board() -> cv2.aruco.CharucoBoard:
    """Returns the sheet's definition: 9 x 6 squares of 30 mm with markers of DICT_5X5_100."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100)
    return cv2.aruco.CharucoBoard(LENS_SQUARES, SQUARE_MM, MARKER_MM, dictionary)


def sheet_corners(grey: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Returns the detected corners of the sheet's squares in a picture (h, w): pixels (n, 2) and corner numbers
    (n,).
    """
    found: Any = cv2.aruco.CharucoDetector(charuco_board()).detectBoard(grey)
    corners, ids = found[:2]
    if ids is None:
        return np.empty((0, 2), np.float32), np.empty(0, np.int32)
    return np.asarray(corners, np.float32).reshape(-1, 2), np.asarray(ids, np.int32).ravel()


def lens_from_charuco(folder: Path) -> Lens:
    """Returns the lens that took the sheet's pictures in `folder`; raises LensError when they do not suffice."""
    files = sorted(f for f in folder.iterdir() if f.suffix.lower() in LENS_SUFFIXES) if folder.is_dir() else []
    if not files:
        raise LensError(f"no pictures (jpg, png) of the sheet in {folder}: take about twelve from different angles")
    board = charuco_board()
    world, found, size = [], [], (0, 0)
    for file in files:
        grey = cv2.imread(str(file), cv2.IMREAD_GRAYSCALE)
        if grey is None:
            raise LensError(f"cannot read the picture {file}: remove it or take it again")
        if size not in ((0, 0), grey.shape[::-1]):
            raise LensError(f"{file} has another size than the pictures before it: use one camera setting for all")
        size = (int(grey.shape[1]), int(grey.shape[0]))
        corners, ids = sheet_corners(np.asarray(grey, np.uint8))
        if len(ids) >= LENS_LEAST_CORNERS:
            world.append(np.asarray(board.getChessboardCorners(), np.float32)[ids])
            found.append(corners.reshape(-1, 1, 2))
    return solved_lens(world, found, size, len(files))


def solved_lens(world: list[NDArray[np.float32]], seen: list[NDArray[np.float32]], size: tuple[int, int],
                files: int) -> Lens:  # fmt: skip
    """Returns the lens by corners of the sheet in some of `files` pictures: sheet mm (n, 3) and pixels (n, 1, 2).

    Raises LensError when they do not suffice.
    """
    if len(seen) < LENS_LEAST_PICTURES:
        raise LensError(CalibrationReason(CalibrationFault.SHEET_FEW, n=len(seen), of=files, least=LENS_LEAST_PICTURES))
    rms, k, dist, turns, places, sigma = cv2.calibrateCameraExtended(
        world, seen, size, np.eye(3), np.zeros(5), flags=FLAT_TERMS
    )[:6]
    if rms > WORST_RMS_PX:
        raise LensError(CalibrationReason(CalibrationFault.SHEET_BENT, n=round(float(rms), 1)))
    focal, terms = np.asarray(k, np.float64), np.asarray(dist, np.float64).ravel()[:5]
    if float(np.max(sigma[:4])) > WORST_SIGMA * float(focal[0, 0]) or _tilted(turns) < LEAST_TILT_RAD:
        raise LensError(CalibrationReason(CalibrationFault.SHEET_ALIKE, n=len(seen)))
    flat = Lens(size[0], size[1], focal, terms, float(rms), LensOrigin.CHARUCO)
    return _with_tangential(flat, zip(world, seen, turns, places, strict=True))


def _with_tangential(flat: Lens, pictures: Iterable[tuple[Any, Any, Any, Any]]) -> Lens:
    """Returns the lens with tangential terms too, by one step from their absence, and with its information.

    `pictures` hold the sheet's corners in mm, their pixels, and the sheet's pose.
    """
    information, slope = np.zeros((8, 8)), np.zeros(8)
    for corners, px, turn, place in pictures:
        at, jac = cv2.projectPoints(corners, turn, place, flat.k, flat.dist)
        fx, fy, cx, cy, k1, k2, p1, p2 = jac[:, 6:14].T
        ways = np.stack([flat.k[0, 0] * fx + flat.k[1, 1] * fy, flat.k[0, 0] * fy, cx, cy, k1, k2, p1, p2], 1)
        # What a change of the sheet's pose explains tells nothing of the lens.
        posed = np.linalg.qr(jac[:, :6])[0]
        own, off = (each - posed @ (posed.T @ each) for each in (ways, (px - at).ravel()))
        information += own.T @ own
        slope += own.T @ off
    log_f, aspect, x, y, *terms = flat.parameters + np.linalg.solve(information, slope)
    k = np.array([[np.exp(log_f), 0.0, x], [0.0, np.exp(log_f) * aspect, y], [0.0, 0.0, 1.0]])
    noise_px = max(flat.rms_px, LEAST_RMS_PX) / np.sqrt(2.0)
    return replace(flat, k=k, dist=np.array([*terms, 0.0]), information=information / noise_px**2)


def _tilted(turns: Sequence[Any]) -> float:
    """Returns the largest angle (rad) between the sheet's normals in any two pictures."""
    normals = np.array([np.asarray(cv2.Rodrigues(turn)[0])[:, 2] for turn in turns])
    return float(np.arccos(np.clip(normals @ normals.T, -1.0, 1.0)).max())
