"""Finds the free glides in the tracks of a stroke.

A glide is the way of a disc from one impact to the next, on which it moves straight and slows down evenly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from calibration.geometry.camera import F64
from referee.replay.tracks import Tracks
from referee.tracking import trajectory

GLIDE_LEAST_SIGHTINGS = 4
"""Least number of sightings that determine a glide's line and speed."""
GLIDE_RESTS_MM = 3.0
"""Distance from its last place, in mm, within which a disc has come to rest."""
GLIDE_LEAST_WAY_MM = 15.0
GLIDE_ASIDE_MM = 2.5
"""Greatest RMS distance of the sightings from a straight glide, in mm; above it there was an undetected impact."""
NOISE_MM = 0.3
"""Least position noise of a moving disc in mm, however well a few sightings agree."""


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredGlide:
    """Sightings of one free glide of a disc."""

    track: int
    """The disc's number in its stroke."""
    kind: bytes
    """The disc's kind, as the letter used in tracks."""
    t: F64
    """Times (n,) of the sightings, in seconds."""
    xy: F64
    """Positions (n, 2) of the sightings, in mm."""

    @property
    def lasts_s(self) -> float:
        return float(self.t[-1] - self.t[0])

    @property
    def direction(self) -> F64:
        """Unit vector (2,) from the first to the last sighting."""
        travel = self.xy[-1] - self.xy[0]
        return np.asarray(travel / np.hypot(*travel))

    def fit(self, degree: int, curve: float = 0.0) -> tuple[F64, F64, float]:
        """Fits a polynomial to the way along the glide's direction, over the time since its mean time.

        Returns the coefficients (degree + 1,) from the constant on, in mm and seconds, their covariance, and the RMS
        distance of the sightings from the glide in mm. `curve` (mm/s²) is a known second derivative, subtracted before
        the fit.
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


def measured_glides(tracks: Tracks) -> Iterator[MeasuredGlide]:
    """Yields the free glides of a stroke, disc by disc in the order of time."""
    for number in np.unique(tracks.discs["track"]):
        mine = tracks.discs[tracks.discs["track"] == number]
        # A moved piece is recorded at its old place in the same frame in which it is first detected elsewhere.
        mine = mine[np.append(np.diff(mine["t"]) > 0, True)]
        t, xy = mine["t"].astype(np.float64), np.column_stack([mine["x"], mine["y"]]).astype(np.float64)
        for part in _parts(t, xy):
            glide = MeasuredGlide(int(number), bytes(mine["kind"][0]), t[part], xy[part])
            if np.hypot(*(glide.xy[-1] - glide.xy[0])) >= GLIDE_LEAST_WAY_MM and glide.fit(2)[2] <= GLIDE_ASIDE_MM:
                yield glide


def _parts(t: F64, xy: F64) -> Iterator[slice]:
    """Yields the index ranges from one impact to the next, without the rest at the end."""
    away = np.flatnonzero(np.hypot(*(xy - np.median(xy[-3:], axis=0)).T) > GLIDE_RESTS_MM)
    end = int(away[-1]) + 1 if len(away) else 0
    way = [(float(when), (float(x), float(y))) for when, (x, y) in zip(t[:end], xy[:end], strict=True)]
    for glide in trajectory.glides(way):
        first, last = np.searchsorted(t[:end], (glide.t0, glide.t))
        if last - first + 1 >= GLIDE_LEAST_SIGHTINGS:
            yield slice(int(first), int(last) + 1)
