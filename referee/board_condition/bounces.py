"""Measures the restitution of the cushions from bounces: two glides of one disc that meet at a cushion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from calibration.geometry.camera import F64
from referee.board_condition.glides import MeasuredGlide

LONGEST_GAP_S = 0.1
"""Greatest time, in seconds, from the last sighting before a bounce to the first after it."""
AT_WALL_MM = 8.0
"""Greatest distance of the disc's rim from the cushion, in mm, where the two glides of a bounce meet."""
LEAST_IN_MM_S = 300.0
"""Least speed towards the cushion, in mm/s: friction changes a slower disc's speed much between two sightings."""


@dataclass(frozen=True, slots=True)
class Bounce:
    """One bounce off a cushion."""

    left: float
    """Coefficient of restitution: share of the speed towards the cushion that is left after the bounce, 0 to 1."""
    sigma: float


def bounces(
    glides: Sequence[MeasuredGlide], friction_mm_s2: float, half_mm: float, radius_mm: float
) -> Iterator[Bounce]:
    """Yields the bounces between glides, which must come disc by disc in the order of time.

    `half_mm` is the distance from the board's middle to a cushion, `radius_mm` the radius of the discs.
    """
    for before, after in pairwise(glides):
        gap = after.t[0] - before.t[-1]
        if before.track == after.track and 0 < gap <= LONGEST_GAP_S:
            yield from _bounce(before, after, friction_mm_s2, half_mm - radius_mm)


def _bounce(before: MeasuredGlide, after: MeasuredGlide, friction: float, wall: float) -> Iterator[Bounce]:
    for axis in (0, 1):
        speed_in, speed_out = _speeds(before, friction), _speeds(after, friction)
        t = _meeting(before, after, speed_in, speed_out, axis)
        place_in, v_in, s_in = _at(before, speed_in, friction, t, axis)
        _, v_out, s_out = _at(after, speed_out, friction, t, axis)
        if v_in * v_out < 0 < v_in * place_in and abs(v_in) >= LEAST_IN_MM_S and abs(abs(place_in) - wall) < AT_WALL_MM:
            left = abs(v_out / v_in)
            yield Bounce(left, left * float(np.hypot(s_in / v_in, s_out / v_out)))


def _speeds(glide: MeasuredGlide, friction: float) -> tuple[float, float]:
    """Returns the speed in mm/s at a glide's mean time, and its standard deviation, given the friction in mm/s²."""
    coefficients, covariance, _ = glide.fit(1, -friction)
    return float(coefficients[1]), float(np.sqrt(covariance[1, 1]))


def _meeting(before: MeasuredGlide, after: MeasuredGlide, speed_in: tuple[float, float], speed_out: tuple[float, float],
             axis: int) -> float:  # fmt: skip
    """Returns when both glides are at the same place along `axis`, limited to the gap between them."""
    (x0, t0), (x1, t1) = ((float(g.xy[:, axis].mean()), float(g.t.mean())) for g in (before, after))
    v0, v1 = speed_in[0] * before.direction[axis], speed_out[0] * after.direction[axis]
    t = (x1 - x0 + v0 * t0 - v1 * t1) / (v0 - v1) if v0 != v1 else t0
    return float(np.clip(t, before.t[-1], after.t[0]))


def _at(
    glide: MeasuredGlide, speed: tuple[float, float], friction: float, t: float, axis: int
) -> tuple[float, float, float]:
    """Returns position (mm), velocity (mm/s) and its standard deviation along `axis` at a time near the glide."""
    since = t - float(glide.t.mean())
    u: F64 = glide.direction
    along = speed[0] * since - 0.5 * friction * (since**2 - float(np.mean((glide.t - glide.t.mean()) ** 2)))
    return (float(glide.xy[:, axis].mean() + u[axis] * along), float(u[axis] * (speed[0] - friction * since)),
            float(abs(u[axis]) * speed[1]))  # fmt: skip
