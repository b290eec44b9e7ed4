"""Trajectories: the sightings of a disc as glides, straight and evenly slowed, from one impact to the next."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from statistics import NormalDist

import numpy as np

from calibration.geometry.camera import F64
from referee.tracking.flight import SLID_MM
from referee.tracking.tracker import JITTER_MM, RESTITUTION, Place, Sighting, Track

SLOWING, SLOWING_SIGMA = 1150.0, 450.0
"""Deceleration by friction and its standard deviation, mm/s2: 800 to 1500 on powdered boards, more on damp ones."""
TRAJECTORY_SIGHTING_MM = 1.5
"""Standard deviation of a sighting of a disc in flight, each axis."""
OFF_SIGMAS = 4.0
"""Distance from the glide's prediction, in standard deviations, from which a sighting lies beyond an impact."""
FREE_SIGMA = 4000.0
"""Standard deviation of the unknown speed of a glide with one sighting, mm/s along each axis."""
CREEP_S = 0.1
"""Time for which a disc that seems to rest may creep on, as its speed is uncertain."""
TAIL = 24
"""Number of a disc's last sightings that are asked for its last glide."""
BEYOND_MM = 1e-3
"""Distance of a disc's middle beyond its cushion from which it lies over the frame, mm."""
LONGEST = 16
"""Number of a glide's last sightings that are fitted. More take time and add little."""
SLIDE_FAR_MM, SLIDE_LONG_S, OFTEN = 100.0, 0.2, 5
"""Least path, time and number of sightings from which a deceleration is measured."""
FRICTION_MM_S2 = 300.0, 3000.0
"""Range of deceleration by friction: 800 to 1500 mm/s2 on powdered boards, more on damp ones. Hands brake harder."""


@dataclass(frozen=True, slots=True, eq=False)
class Glide:
    """A disc that slides freely, as fitted to its sightings."""

    t0: float
    """Time of its first sighting, s."""
    t: float
    """Time of its last sighting, s."""
    place: Place
    """Position at `t`."""
    ahead: Place
    """Unit vector of the motion; (1, 0) if unknown."""
    speed: float
    """Speed at `t`, mm/s."""
    slowing: float
    """Deceleration until it rests, mm/s2."""
    covariance: F64
    """Covariance (3, 3) of position along the path, speed and deceleration."""
    across: float
    """Standard deviation (mm) of the position across the path."""
    turn: float
    """Standard deviation (radians) of the direction."""
    n: int = 1
    """Number of its sightings."""

    @property
    def way_mm(self) -> float:
        """Returns the distance from its first sighting to its last."""
        return -self.gone(self.t0 - self.t)

    @property
    def velocity(self) -> Place:
        """Velocity at `t`, mm/s."""
        return self.speed * self.ahead[0], self.speed * self.ahead[1]

    @property
    def rest_s(self) -> float:
        """Time after `t` at which it comes to rest if nothing stops it, s."""
        return self.speed / self.slowing

    @property
    def run_mm(self) -> float:
        """Distance from `place` at which it comes to rest if nothing stops it."""
        return self.speed * self.rest_s / 2

    def gone(self, after_s: float) -> float:
        """Returns the distance (mm) along its path `after_s` seconds after `t`; negative before `t`."""
        s = min(after_s, self.rest_s)
        return self.speed * s - self.slowing * s * s / 2

    def at(self, t: float) -> Place:
        """Returns the position at a time, on a board without cushions."""
        way = self.gone(t - self.t)
        return self.place[0] + way * self.ahead[0], self.place[1] + way * self.ahead[1]

    def sigma_at(self, t: float) -> tuple[float, float]:
        """Returns the standard deviations (mm) of the position at a time, along and across the path."""
        if self.t == self.t0:
            return FREE_SIGMA * (t - self.t), FREE_SIGMA * (t - self.t)
        s = min(t - self.t, max(self.rest_s, CREEP_S))
        slope = np.array([1.0, s, -s * s / 2])
        along = math.sqrt(max(0.0, float(slope @ self.covariance @ slope)))
        return along, math.hypot(self.across, self.turn * abs(self.gone(s)))

    def run_sigma(self) -> float:
        """Returns the standard deviation (mm) of `run_mm`."""
        slope = np.array([1.0, self.rest_s, -(self.rest_s**2) / 2])
        return math.sqrt(max(0.0, float(slope @ self.covariance @ slope)))

    def rests(self, inner_mm: float) -> Place:
        """Returns the position of rest on a board whose cushions reflect its middle at `inner_mm` from the axes."""
        *_, (at, ahead, way) = legs(self.place, self.ahead, self.run_mm, inner_mm)
        return at[0] + way * ahead[0], at[1] + way * ahead[1]

    def reaches(self, centre: Place, radius_mm: float) -> tuple[float, float]:
        """Returns the probability that it comes within `radius_mm` of a point, going straight on, and the time (s)
        after `t`.
        """
        x, y = centre[0] - self.place[0], centre[1] - self.place[1]
        along, aside = x * self.ahead[0] + y * self.ahead[1], y * self.ahead[0] - x * self.ahead[1]
        if along <= 0 or self.speed <= 0:
            return 0.0, math.inf
        spread = math.hypot(self.across, self.turn * along)
        share_below = NormalDist().cdf
        hits = share_below((radius_mm - aside) / spread) - share_below((-radius_mm - aside) / spread)
        short = max(0.0, along - radius_mm)
        gets = share_below((self.run_mm - short) / max(self.run_sigma(), 1.0))
        root = self.speed**2 - 2 * self.slowing * min(short, self.run_mm)
        return hits * gets, (self.speed - math.sqrt(max(0.0, root))) / self.slowing


def slide_s(way_mm: float) -> float:
    """Returns the time (s) in which friction brings a disc to rest on a way."""
    return math.sqrt(2 * way_mm / SLOWING)


def legs(place: Place, ahead: Place, run_mm: float, inner_mm: float) -> Iterator[tuple[Place, Place, float]]:
    """Yields the start, unit direction and length (mm) of each straight part of a run over the cushions.

    The cushions reflect the disc's middle at `inner_mm` from the axes. There it loses a part of its speed towards
    them, and so turns towards the cushion, and a part of the run that is left. A disc that lies beyond goes straight.
    """
    at, (dx, dy), left = place, ahead, run_mm
    while True:
        walls = [(math.copysign(inner_mm, d) - a) / d if d else math.inf for a, d in zip(at, (dx, dy), strict=True)]
        way = min((max(w, 0.0) for w in walls), default=math.inf)
        if way >= left or max(map(abs, at)) > inner_mm + BEYOND_MM:
            yield at, (dx, dy), left
            return
        yield at, (dx, dy), way
        at = at[0] + way * dx, at[1] + way * dy
        dx, dy = (-RESTITUTION * dx, dy) if walls[0] <= walls[1] else (dx, -RESTITUTION * dy)
        share = math.hypot(dx, dy)
        dx, dy, left = dx / share, dy / share, (left - way) * share**2


def glides(sightings: Sequence[Sighting]) -> Iterator[Glide]:
    """Yields the glides of a disc from its first sighting to its last, with an impact between any two."""
    start = 0
    last: Glide | None = None
    for i in range(len(sightings)):
        if last is not None and _is_off(last, *sightings[i]):
            # Nothing on a board speeds up: what seems to was set off before its last sighting.
            start = i - 1 if last.n == 2 and _gains_speed(sightings[i - 2 : i + 1]) else i
            yield last if start == i else _fitted(sightings[i - 2 : i - 1], last.t0, 1)
        last = _fitted(sightings[max(start, i - LONGEST + 1) : i + 1], sightings[start][0], i + 1 - start)
    if last is not None:
        yield last


def last_glide(sightings: Sequence[Sighting]) -> Glide:
    """Returns the last glide of a disc with at least one sighting, by its last sightings alone."""
    return _last_of(tuple(sightings[-TAIL:]))


@lru_cache(maxsize=512)
def _last_of(sightings: tuple[Sighting, ...]) -> Glide:
    *_, last = glides(sightings)
    return last


def deflected(sightings: Sequence[Sighting], inner_mm: float, coins: Sequence[Place] = (),
              reach_mm: float = 0.0) -> Iterator[Glide]:  # fmt: skip
    """Yields the glides of a disc that end where it meets a cushion, its middle at `inner_mm` from the axes, or is
    within `reach_mm` of one of `coins`.
    """
    for glide, then in pairwise(glides(sightings)):
        ends = glide.place, glide.at(then.t0)
        aways = (math.dist(end, coin) - reach_mm for end in ends for coin in coins)
        away = min([inner_mm - max(map(abs, ends[1])), *aways])
        if glide.way_mm > SLID_MM and away < JITTER_MM:
            yield glide


def coasts(track: Track) -> bool:
    """Tells whether a track ends in a long glide that friction slows evenly. A carried disc first gathers speed."""
    sightings = list(track.sightings)
    last = last_glide(sightings)
    if last.n < OFTEN or last.way_mm < SLIDE_FAR_MM or last.t - last.t0 < SLIDE_LONG_S:
        return False
    least, most = FRICTION_MM_S2
    off = math.dist(last.at(last.t0), next(place for t, place in sightings if t == last.t0))
    return least < last.slowing < most and last.speed > 0 and off < OFF_SIGMAS * math.hypot(*last.sigma_at(last.t0))


def _gains_speed(three: Sequence[Sighting]) -> bool:
    """Tells whether the second of two steps is the faster one."""
    first, second = (math.dist(p, q) / (t - s) for (s, p), (t, q) in pairwise(three))
    return second > first


def _is_off(glide: Glide, t: float, place: Place) -> bool:
    """Tells whether a glide cannot have led to a sighting."""
    x, y = glide.at(t)
    along, across = glide.sigma_at(t)
    dx, dy = place[0] - x, place[1] - y
    off = dx * glide.ahead[0] + dy * glide.ahead[1], dy * glide.ahead[0] - dx * glide.ahead[1]
    sigmas = (math.hypot(sigma, TRAJECTORY_SIGHTING_MM) for sigma in (along, across))
    return math.hypot(*(d / sigma for d, sigma in zip(off, sigmas, strict=True))) > OFF_SIGMAS


def _fitted(sightings: Sequence[Sighting], t0: float, n: int) -> Glide:
    """Returns the glide of n sightings since t0 through some of them, by least squares with a prior on friction."""
    t, place = sightings[-1]
    s = np.array([when - t for when, _ in sightings])
    xy = np.array([p for _, p in sightings])
    way = xy[-1] - xy[0]
    far = float(np.hypot(*way))
    rough = np.diag([TRAJECTORY_SIGHTING_MM**2, FREE_SIGMA**2, SLOWING_SIGMA**2])
    if len(sightings) < 2 or s[0] == 0:
        return Glide(t0, t, place, (1.0, 0.0), 0.0, SLOWING, rough, TRAJECTORY_SIGHTING_MM, math.pi, n)
    across, down = (xy - xy.mean(0)).T
    angle = math.atan2(2 * float(across @ down), float(across @ across - down @ down)) / 2
    axis = np.array([math.cos(angle), math.sin(angle)])
    ahead = axis if axis @ way >= 0 else -axis
    along = (xy - xy[-1]) @ ahead
    rows = np.stack([np.ones(len(s)), s, -s * s / 2], 1) / TRAJECTORY_SIGHTING_MM
    rows = np.vstack([rows, [0.0, 0.0, 1.0 / SLOWING_SIGMA]])
    covariance = np.linalg.inv(rows.T @ rows + np.diag([0.0, 1.0 / FREE_SIGMA**2, 0.0]))
    off, speed, slowing = covariance @ (rows.T @ np.append(along / TRAJECTORY_SIGHTING_MM, SLOWING / SLOWING_SIGMA))
    (x, y), (dx, dy) = (xy[-1] + off * ahead).tolist(), ahead.tolist()
    turn = min(math.pi, TRAJECTORY_SIGHTING_MM * math.sqrt(12 / len(s)) / max(far, 1e-6))
    return Glide(t0, t, (x, y), (dx, dy), max(0.0, float(speed)), max(100.0, float(slowing)),
                 np.asarray(covariance, np.float64), TRAJECTORY_SIGHTING_MM, turn, n)  # fmt: skip
