"""The base lines as they look now against how they looked at first: how sharp the picture is, and whether it moved.

Base lines are long and dark on every board, run both ways and lie at all four sides. A run of one, averaged along, is
a profile with little noise. What hides a line changes its profile altogether; a lens out of focus widens its edges and
a camera pushed aside moves them.
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
"""Each line is looked at over so many runs of this length, evenly spaced."""
ALONG_MM, ACROSS_MM = 2.5, 0.6
"""Spacing of the points of a run: one to three pixels apart along it, less than one across."""
WINDOW_MM, REACH_MM = 6.0, 10.0
"""A profile reaches this far to both sides of its line, and is looked for within this distance."""
LEAST_SPREAD = 6.0
"""Spread (levels) of a profile that shows a line."""
LEAST_LIKE = 0.8
"""Least correlation of a profile with the first one: the line is seen and nothing lies on it."""
LEAST_RUNS = 6
"""So many runs must show their line to tell anything."""
STIRRED_MM = 0.3
"""Unless a quarter of the runs have moved by more than this none has."""
AGREED_MM, AGREED, SEEN = 0.3, 0.8, 0.6
"""A motion is believed when this share of the runs moves as it says, to within so much, and when this share of the
runs seen at first is seen still: lines seen far from where they were are others."""
LEAST_TOLD = 1.0
"""Least singular value of a motion's equations, by runs: lines along one side alone tell no turn."""
ROUNDS = 3
"""Runs half hidden are told apart in so many rounds."""


Motion = tuple[float, float, float]
"""How far the picture of the board has moved: mm along x and y, and radians about its middle."""


@dataclass(frozen=True, slots=True)
class MarkSight:
    """What the base lines show."""

    sharpness: float
    """How steep edges are against the first look: 1 the same, less when they are wider."""
    moved: Motion | None
    """None when the lines agree on no motion."""


class MarkMeter:
    """The base lines under one camera."""

    def __init__(self, profile: Profile, pictures: Sequence[Picture]) -> None:
        """Takes the lines as they look in `pictures` for what they look like."""
        lines = chain.from_iterable((s.rear_line, s.front_line) for s in profile.sides.values())
        runs = [run for line in lines if line is not None for run in _runs(line)]
        self._half = profile.board.half
        self._middle = np.array([m for m, _ in runs]).reshape(-1, 2)
        self._along = np.array([a for _, a in runs]).reshape(-1, 2)
        self.relocate(profile.camera)
        profiles = np.mean([self._profiles(p) for p in pictures], 0)
        margin = round((REACH_MM - WINDOW_MM) / ACROSS_MM)
        first = profiles[:, margin : profiles.shape[1] - margin]
        self._plain = first.std(1) > LEAST_SPREAD
        self._steep, self._first = _steepness(first), _normed(first)

    def relocate(self, camera: Camera) -> None:
        """The same lines under a camera that has moved."""
        self._maps = _maps(camera, self._middle, self._along)

    def look(self, picture: Picture) -> MarkSight | None:
        """The lines in a picture; None when too few are seen."""
        profiles = self._profiles(picture)
        windows = np.lib.stride_tricks.sliding_window_view(profiles, self._first.shape[1], axis=1)
        like = np.einsum("rln,rn->rl", _normed(windows), self._first)
        best = like.argmax(1)
        seen = np.flatnonzero((like.max(1) > LEAST_LIKE) & self._plain)
        if len(seen) < LEAST_RUNS:
            return None
        sharper = _steepness(windows[seen, best[seen]]) / self._steep[seen]
        offset = (_peak(like[seen], best[seen]) - (like.shape[1] - 1) / 2) * ACROSS_MM
        return MarkSight(float(np.median(sharper)), self._motion(seen, offset))

    def _profiles(self, picture: Picture) -> F64:
        """Luma (runs, across) over each run, averaged along it."""
        points = cv2.remap(picture.y, *self._maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        runs, across = len(self._middle), points.shape[1]
        sums = np.add.reduce(points.reshape(runs, -1, across), 1, dtype=np.float64)
        return np.asarray(sums * (runs / len(points)), np.float64)

    def _motion(self, seen: NDArray[np.intp], offset: F64) -> Motion | None:
        """The shift and turn that explain how far each run seen has moved across itself."""
        if len(seen) < SEEN * np.count_nonzero(self._plain):
            return None
        if np.count_nonzero(np.abs(offset) > STIRRED_MM) < len(seen) / 4:
            return 0.0, 0.0, 0.0
        place, normal = self._middle[seen], _normals(self._along[seen])
        turned = (place[:, 0] * normal[:, 1] - place[:, 1] * normal[:, 0]) / self._half
        rows, keep = np.column_stack([normal, turned]), np.ones(len(seen), bool)
        for _ in range(ROUNDS):
            if np.linalg.svd(rows[keep], compute_uv=False)[-1] < LEAST_TOLD:
                return None
            fit = np.linalg.lstsq(rows[keep], offset[keep], rcond=None)[0]
            off = np.abs(rows @ fit - offset)
            keep = off <= max(AGREED_MM, 2.0 * float(np.median(off)))
        if np.count_nonzero(off <= AGREED_MM) < AGREED * len(seen):
            return None
        dx, dy, turn = fit.tolist()
        return dx, dy, turn / self._half


def _runs(line: Segment) -> list[tuple[F64, F64]]:
    """Middles and directions of the runs of a line."""
    a, b = np.array(line.start), np.array(line.end)
    length = float(np.linalg.norm(b - a))
    along = (b - a) / length
    places = np.linspace(RUN_MM / 2, length - RUN_MM / 2, RUNS) if length > RUN_MM else np.array([length / 2])
    return [(a + s * along, along) for s in places]


def _normals(along: F64) -> F64:
    return np.column_stack([-along[:, 1], along[:, 0]])


def _maps(camera: Camera, middle: F64, along: F64) -> tuple[NDArray[np.int16], NDArray[np.uint16]]:
    """Where in the picture the points (runs * along, across) of all runs lie."""
    u = np.arange(-RUN_MM / 2, RUN_MM / 2, ALONG_MM) + ALONG_MM / 2
    v = np.arange(-round(REACH_MM / ACROSS_MM), round(REACH_MM / ACROSS_MM) + 1) * ACROSS_MM
    normal = _normals(along)
    points = (
        middle[:, None, None] + u[None, :, None, None] * along[:, None, None] + v[:, None] * normal[:, None, None]
    )  # (runs, along, across, 2)
    px = camera.to_pixels(points.reshape(-1, 2)).astype(np.float32).reshape(-1, len(v), 2)
    maps = cv2.convertMaps(px[..., 0], px[..., 1], cv2.CV_16SC2)
    return np.asarray(maps[0], np.int16), np.asarray(maps[1], np.uint16)


def _steepness(profiles: F64) -> F64:
    """Mean square slope of profiles (k, n) over their variance: it falls as edges grow wider, whatever the light."""
    return np.asarray(np.diff(profiles).var(1) / np.maximum(profiles.var(1), 1.0))


def _normed(profiles: F64) -> F64:
    """Profiles (..., n) of mean 0 and length 1."""
    free = profiles - profiles.mean(-1, keepdims=True)
    return np.asarray(free / np.maximum(np.sqrt(np.einsum("...n,...n->...", free, free)), 1e-6)[..., None])


def _peak(like: F64, best: NDArray[np.intp]) -> F64:
    """Where between the lags each row's likeness is highest."""
    rows, inner = np.arange(len(like)), np.clip(best, 1, like.shape[1] - 2)
    low, mid, high = (like[rows, inner + d] for d in (-1, 0, 1))
    bend = np.minimum(low - 2 * mid + high, -1e-9)
    return np.asarray(inner + np.clip(0.5 * (low - high) / bend, -1.0, 1.0))
