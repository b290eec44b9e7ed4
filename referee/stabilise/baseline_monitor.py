"""Baseline monitor: focus and motion of the camera, measured by cross profiles of the base lines.

Base lines are long, run both ways and lie at all four sides of every board. A run averaged along its line is a profile
with little noise. An object on a line changes its profile altogether, a lens out of focus widens its edges, and a moved
camera shifts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64, Camera
from calibration.geometry.picture import Picture
from calibration.profile import Profile, Segment

RUN_MM, RUNS = 40.0, 4
"""Length of a run, and evenly spaced runs a line."""
BASELINE_ALONG_MM, BASELINE_ACROSS_MM = 2.5, 0.6
"""Spacing of a run's points: one to three pixels along it, less than one across."""
BASELINE_WINDOW_MM, BASELINE_REACH_MM = 6.0, 10.0
"""Half width of a profile, and greatest shift at which it is sought."""
LEAST_SPREAD = 6.0
"""Least standard deviation of a profile that shows a line, levels."""
LEAST_LIKE = 0.8
"""Least correlation with the first profile at which the line is visible and uncovered."""
LEAST_RUNS = 6
"""Least number of visible runs for a reading."""
AGREED_MM, AGREED, BASELINE_VISIBLE = 0.3, 0.8, 0.6
"""Acceptance of a motion: residual of a run, share of runs within it, and share of the first runs that must still be
visible, so that lines of several sides determine it. Lines found far from their places are other lines. Unless a
quarter of the runs are shifted by more than the residual nothing has moved."""
FIT_ROUNDS = 3
"""Rounds of a fit that rejects outliers, such as half-covered runs, or weighs them less."""


RigidMotion = tuple[float, float, float]
"""Motion of the board's picture: mm along x and y, radians about the board's middle."""


@dataclass(frozen=True, slots=True)
class BaselineReading:
    """One measurement of the base lines."""

    sharpness: float
    """Steepness of the edges relative to the first pictures: 1 equal, less when blurred."""
    moved: RigidMotion


class BaselineMonitor:
    """Measures the base lines under one camera against its first pictures."""

    def __init__(self, profile: Profile, pictures: Sequence[Picture]) -> None:
        """Learns the profiles from `pictures`."""
        lines = chain.from_iterable((s.rear_line, s.front_line) for s in profile.sides.values())
        runs = [run for line in lines if line is not None for run in _runs(line)]
        self._half = profile.board.half
        self._middle = np.array([m for m, _ in runs]).reshape(-1, 2)
        self._along = np.array([a for _, a in runs]).reshape(-1, 2)
        self.relocate(profile.camera)
        profiles = np.mean([self._profiles(p) for p in pictures], 0)
        margin = round((BASELINE_REACH_MM - BASELINE_WINDOW_MM) / BASELINE_ACROSS_MM)
        first = profiles[:, margin : profiles.shape[1] - margin]
        self._plain = first.std(1) > LEAST_SPREAD
        self._steep, self._first = _steepness(first), _normed(first)

    def relocate(self, camera: Camera) -> None:
        """Follows a camera that has moved."""
        self._maps = _maps(camera, self._middle, self._along)

    def measure(self, picture: Picture) -> BaselineReading | None:
        """Returns the reading of a picture; None if too few runs are visible, or if they agree on no motion."""
        profiles = self._profiles(picture)
        windows = np.lib.stride_tricks.sliding_window_view(profiles, self._first.shape[1], axis=1)
        like = np.einsum("rln,rn->rl", _normed(windows), self._first)
        best = like.argmax(1)
        visible = np.flatnonzero((like.max(1) > LEAST_LIKE) & self._plain)
        if len(visible) < LEAST_RUNS:
            return None
        sharper = _steepness(windows[visible, best[visible]]) / self._steep[visible]
        offset = (_peak(like[visible], best[visible]) - (like.shape[1] - 1) / 2) * BASELINE_ACROSS_MM
        moved = self._motion(visible, offset)
        return None if moved is None else BaselineReading(float(np.median(sharper)), moved)

    def _profiles(self, picture: Picture) -> F64:
        """Returns the luma profiles (runs, across), averaged along each run."""
        points = cv2.remap(picture.y, *self._maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        runs, across = len(self._middle), points.shape[1]
        sums = np.add.reduce(points.reshape(runs, -1, across), 1, dtype=np.float64)
        return np.asarray(sums * (runs / len(points)), np.float64)

    def _motion(self, visible: NDArray[np.intp], offset: F64) -> RigidMotion | None:
        """Returns the rigid motion that fits the shift of each visible run across its line."""
        if len(visible) < BASELINE_VISIBLE * np.count_nonzero(self._plain):
            return None
        if np.count_nonzero(np.abs(offset) > AGREED_MM) < len(visible) / 4:
            return 0.0, 0.0, 0.0
        place, normal = self._middle[visible], _normals(self._along[visible])
        turned = (place[:, 0] * normal[:, 1] - place[:, 1] * normal[:, 0]) / self._half
        rows, keep = np.column_stack([normal, turned]), np.ones(len(visible), bool)
        for _ in range(FIT_ROUNDS):
            fit = np.linalg.lstsq(rows[keep], offset[keep], rcond=None)[0]
            off = np.abs(rows @ fit - offset)
            keep = off <= max(AGREED_MM, 2.0 * float(np.median(off)))
        if np.count_nonzero(off <= AGREED_MM) < AGREED * len(visible):
            return None
        dx, dy, turn = fit.tolist()
        return dx, dy, turn / self._half


def _runs(line: Segment) -> list[tuple[F64, F64]]:
    """Returns the middles and directions of the runs of a line."""
    a, b = np.array(line.start), np.array(line.end)
    length = float(np.linalg.norm(b - a))
    along = (b - a) / length
    places = np.linspace(RUN_MM / 2, length - RUN_MM / 2, RUNS) if length > RUN_MM else np.array([length / 2])
    return [(a + s * along, along) for s in places]


def _normals(along: F64) -> F64:
    return np.column_stack([-along[:, 1], along[:, 0]])


def _maps(camera: Camera, middle: F64, along: F64) -> tuple[NDArray[np.int16], NDArray[np.uint16]]:
    """Returns the remap tables of the points (runs * along, across) of all runs."""
    u = np.arange(-RUN_MM / 2, RUN_MM / 2, BASELINE_ALONG_MM) + BASELINE_ALONG_MM / 2
    steps = round(BASELINE_REACH_MM / BASELINE_ACROSS_MM)
    v = np.arange(-steps, steps + 1) * BASELINE_ACROSS_MM
    rows = middle[:, None] + u[:, None] * along[:, None]
    points = rows[:, :, None] + v[:, None] * _normals(along)[:, None, None]  # (runs, along, across, 2)
    px = camera.to_pixels(points.reshape(-1, 2)).astype(np.float32).reshape(-1, len(v), 2)
    maps = cv2.convertMaps(px[..., 0], px[..., 1], cv2.CV_16SC2)
    return np.asarray(maps[0], np.int16), np.asarray(maps[1], np.uint16)


def _steepness(profiles: F64) -> F64:
    """Returns the mean square slope of profiles (k, n) over their variance: falls as edges widen, whatever the
    light.
    """
    return np.asarray(np.diff(profiles).var(1) / np.maximum(profiles.var(1), 1.0))


def _normed(profiles: F64) -> F64:
    """Returns profiles (..., n) scaled to mean 0 and length 1."""
    free = profiles - profiles.mean(-1, keepdims=True)
    return np.asarray(free / np.maximum(np.sqrt(np.einsum("...n,...n->...", free, free)), 1e-6)[..., None])


def _peak(like: F64, best: NDArray[np.intp]) -> F64:
    """Returns the sub-step lag of each row's greatest correlation, by a parabola."""
    rows, inner = np.arange(len(like)), np.clip(best, 1, like.shape[1] - 2)
    low, mid, high = (like[rows, inner + d] for d in (-1, 0, 1))
    bend = np.minimum(low - 2 * mid + high, -1e-9)
    return np.asarray(inner + np.clip(0.5 * (low - high) / bend, -1.0, 1.0))
