"""Free glides in the tracks of a stroke: from one impact to the next a disc goes straight and slows down evenly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from calibration.geometry.camera import F64
from referee.replay.tracks import Tracks
from referee.tracking import trajectory

GLIDE_LEAST_SIGHTINGS = 4
"""A line and its speed can be told from so many."""
GLIDE_RESTS_MM = 3.0
"""A disc that stays this near to its last place has come to rest."""
GLIDE_LEAST_WAY_MM = 15.0
GLIDE_ASIDE_MM = 2.5
"""RMS distance of the sightings from a straight glide, at most; beyond it something was met that no step showed."""
NOISE_MM = 0.3
"""No sighting of a moving disc is better than this, however well a few agree."""


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredGlide:
    """A straight part of one disc's way."""

    track: int
    """The disc's number in its stroke."""
    kind: bytes
    """Its kind as tracks name it."""
    t: F64
    """Times (n,) s of the sightings."""
    xy: F64
    """Their places (n, 2) mm."""

    @property
    def lasts_s(self) -> float:
        return float(self.t[-1] - self.t[0])

    @property
    def direction(self) -> F64:
        """Unit vector (2,) of its way."""
        travel = self.xy[-1] - self.xy[0]
        return np.asarray(travel / np.hypot(*travel))

    def fit(self, degree: int, curve: float = 0.0) -> tuple[F64, F64, float]:
        """Polynomial of the way along its direction over the time since its middle.

        Coefficients (degree + 1,) from the constant on, their covariance, and the RMS distance (mm) of the sightings
        from the glide. `curve` (mm/s^2) is a known second derivative, taken out beforehand.
        """
        since = self.t - self.t.mean()
        off = self.xy - self.xy.mean(axis=0)
        u = self.direction
        along = off @ u - 0.5 * curve * since**2
        aside = off @ np.array([-u[1], u[0]])
        powers = np.vander(since, degree + 1, increasing=True)
        coefficients = np.linalg.lstsq(powers, along, rcond=None)[0]
        residual = along - powers @ coefficients
        rms = float(np.sqrt(np.mean(residual**2) + np.mean((aside - aside.mean()) ** 2)))
        freedom = max(1, len(since) - degree - 1)
        noise2 = max(NOISE_MM**2, float(residual @ residual) / freedom)
        return np.asarray(coefficients), np.asarray(noise2 * np.linalg.inv(powers.T @ powers)), rms


def glides(tracks: Tracks) -> Iterator[MeasuredGlide]:
    """The free glides of a stroke, disc by disc in the order of time."""
    for number in np.unique(tracks.discs["track"]):
        mine = tracks.discs[tracks.discs["track"] == number]
        # A piece is told at home in the very frame in which it is first seen elsewhere.
        mine = mine[np.append(np.diff(mine["t"]) > 0, True)]
        t, xy = mine["t"].astype(np.float64), np.column_stack([mine["x"], mine["y"]]).astype(np.float64)
        for part in _parts(t, xy):
            glide = MeasuredGlide(int(number), bytes(mine["kind"][0]), t[part], xy[part])
            if np.hypot(*(glide.xy[-1] - glide.xy[0])) >= GLIDE_LEAST_WAY_MM and glide.fit(2)[2] <= GLIDE_ASIDE_MM:
                yield glide


def _parts(t: F64, xy: F64) -> Iterator[slice]:
    """From one impact to the next, without the rest at the end."""
    away = np.flatnonzero(np.hypot(*(xy - np.median(xy[-3:], axis=0)).T) > GLIDE_RESTS_MM)
    end = int(away[-1]) + 1 if len(away) else 0
    way = [(float(when), (float(x), float(y))) for when, (x, y) in zip(t[:end], xy[:end], strict=True)]
    for glide in trajectory.glides(way):
        first, last = np.searchsorted(t[:end], (glide.t0, glide.t))
        if last - first + 1 >= GLIDE_LEAST_SIGHTINGS:
            yield slice(int(first), int(last) + 1)
