"""Discs sliding on a board: Coulomb friction, impacts between discs and with the cushions, falls into the pockets."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.board import BoardModel
from models.pieces import Pocket

F64 = NDArray[np.float64]
Flags = NDArray[np.bool_]

STEP_S = 1 / 480
"""Time step, s. Friction acts once a step; impacts within a step are computed exactly, so it may be this long."""
MAX_IMPACTS = 400
"""Greatest number of impacts resolved in one step. A packed cluster that rattles longer has come to rest."""
SOFT_MM_S = 8.0
"""Closing speed below which an impact does not bounce, mm/s. Real discs lose the last of their bounce in the powder."""
PHYSICS_EDGE_MM = 1e-7
"""Gap below which discs count as touching, mm, so that rounding never hides an impact."""


@dataclass(frozen=True, slots=True)
class Sliding:
    """Friction and restitution of discs on powdered, varnished ply."""

    friction_mm_s2: float = 1100.0
    """Deceleration of a sliding disc, friction coefficient times g; 800-1500 by the amount of powder."""
    disc_restitution: float = 0.90
    """Bounce of disc on disc, 0-1."""
    cushion_restitution: float = 0.70
    """Bounce off the wooden frame, 0-1."""
    cushion_grip: float = 0.93
    """Share of the speed along the cushion that a bounce leaves."""


@dataclass(frozen=True, slots=True, eq=False)
class Discs:
    """Discs at one moment; rows of all arrays belong to the same disc."""

    pos_mm: F64
    """Centres (n, 2)."""
    vel_mm_s: F64
    """Velocities (n, 2)."""
    radius_mm: F64
    """Radii (n,)."""
    mass_g: F64
    """Masses (n,)."""
    live: Flags
    """Lies on the playing surface (n,); the others take no part."""

    def energy(self) -> float:
        """Returns the kinetic energy of the discs on the board, g mm^2 / s^2."""
        speed2 = np.sum(self.vel_mm_s**2, axis=1)
        return float(np.sum(0.5 * self.mass_g * speed2 * self.live))


@dataclass(frozen=True, slots=True)
class Fall:
    """A disc went into a pocket."""

    disc: int
    pocket: Pocket
    t: float
    at_mm: tuple[float, float]
    """Its centre when it tipped over the rim."""


@dataclass(frozen=True, slots=True)
class Collision:
    """Two discs met."""

    first: int
    second: int
    t: float


class Flight:
    """The motion that follows a stroke, computed only as far as it is queried.

    The steps do not depend on the queries, so every frame rate sees the same stroke.
    """

    def __init__(self, board: BoardModel, discs: Discs, start_s: float, sliding: Sliding | None = None) -> None:
        self.start_s = start_s
        self.falls: list[Fall] = []
        self.contacts: list[Collision] = []
        self._sliding = sliding or Sliding()
        self._pos = discs.pos_mm.copy()
        self._vel = np.where(discs.live[:, None], discs.vel_mm_s, 0.0)
        self._live = discs.live.copy()
        self._radius, self._mass = discs.radius_mm, discs.mass_g
        self._limit = board.half - discs.radius_mm
        self._pockets = tuple(Pocket)
        reach = board.half - board.pocket_inset
        self._holes = np.array([p.corner for p in self._pockets], np.float64) * reach
        self._hole_radius = board.pocket_diameter / 2
        self._i, self._j = np.triu_indices(len(self._pos), 1)
        self._sum = self._radius[self._i] + self._radius[self._j]
        self._track = [self._pos.copy()]
        self._rest_s: float | None = None if self._moves() else start_s

    @property
    def discs(self) -> Discs:
        """The discs at the end of the motion computed so far."""
        return Discs(self._pos.copy(), self._vel.copy(), self._radius, self._mass, self._live.copy())

    def at(self, t: float) -> F64:
        """Returns the centres (n, 2) mm at time t; a disc that fell stays where it tipped over the rim."""
        self._until(t)
        steps = min(max((t - self.start_s) / STEP_S, 0.0), len(self._track) - 1.0)
        k = min(int(steps), len(self._track) - 2) if len(self._track) > 1 else 0
        part = steps - k
        here = self._track[k]
        return here + (self._track[min(k + 1, len(self._track) - 1)] - here) * part

    def moving(self, t: float) -> Flags:
        """Returns which discs (n,) still slide at time t."""
        self._until(t + STEP_S)
        last = len(self._track) - 1
        first = min(max(int((t - self.start_s) / STEP_S), 0), last)
        return np.asarray(np.any(self._track[first] != self._track[min(first + 2, last)], axis=1))

    def rests_by(self, t: float) -> bool:
        """Tells whether everything is at rest at time t."""
        self._until(t)
        return self._rest_s is not None and self._rest_s <= t

    @property
    def rest_s(self) -> float | None:
        """Time at which the last disc came to rest, s; None while the motion has not been computed so far."""
        return self._rest_s

    def _until(self, t: float) -> None:
        while self._rest_s is None and self.start_s + (len(self._track) - 1) * STEP_S < t:
            self._step()

    def _moves(self) -> bool:
        return bool(np.any(self._vel))

    def _step(self) -> None:
        now = self.start_s + (len(self._track) - 1) * STEP_S
        left = STEP_S
        for count in range(MAX_IMPACTS):
            pair_s, pair = self._next_pair()
            wall_s, disc, axis = self._next_cushion()
            if min(pair_s, wall_s) > left:
                break
            bounces = count < MAX_IMPACTS // 2
            if pair_s <= wall_s:
                left = self._glide(pair_s, left)
                self._collide(pair, bounces, now + STEP_S - left)
            else:
                left = self._glide(wall_s, left)
                self._rebound(disc, axis, bounces)
        else:
            left = 0.0
        self._pos += self._vel * left
        self._slow_down()
        self._drop(now + STEP_S)
        self._track.append(self._pos.copy())
        if not self._moves():
            self._rest_s = now + STEP_S

    def _glide(self, duration: float, left: float) -> float:
        self._pos += self._vel * duration
        return left - duration

    def _next_pair(self) -> tuple[float, int]:
        """Returns the time to the next impact of two discs and the index of that pair; infinite if none is due."""
        apart = self._pos[self._j] - self._pos[self._i]
        speed = self._vel[self._j] - self._vel[self._i]
        b = np.einsum("nk,nk->n", apart, speed)
        closing = (b < -1e-6 * self._sum) & self._live[self._i] & self._live[self._j]
        candidates = np.flatnonzero(closing)
        if not len(candidates):
            return math.inf, -1
        apart, speed, b = apart[candidates], speed[candidates], b[candidates]
        a = np.einsum("nk,nk->n", speed, speed)
        c = np.einsum("nk,nk->n", apart, apart) - (self._sum[candidates] + PHYSICS_EDGE_MM) ** 2
        root = b * b - a * c
        meets = root >= 0
        t = np.where(meets, (-b - np.sqrt(np.maximum(root, 0.0))) / a, math.inf)
        t = np.maximum(t, 0.0)
        best = int(np.argmin(t))
        return float(t[best]), int(candidates[best])

    def _next_cushion(self) -> tuple[float, int, int]:
        """Returns the time to the next impact on a cushion, the disc and the axis (0 x, 1 y)."""
        outward = np.abs(self._vel) > 0
        room = self._limit[:, None] - np.sign(self._vel) * self._pos
        t = np.full(self._pos.shape, math.inf)
        np.divide(room, np.abs(self._vel), out=t, where=outward & self._live[:, None])
        t = np.maximum(t, 0.0)
        disc, axis = divmod(int(np.argmin(t)), 2)
        return float(t[disc, axis]), disc, axis

    def _collide(self, pair: int, bounces: bool, t: float) -> None:
        i, j = int(self._i[pair]), int(self._j[pair])
        apart = self._pos[j] - self._pos[i]
        normal = apart / math.hypot(*apart)
        closing = float(normal @ (self._vel[i] - self._vel[j]))
        restitution = self._sliding.disc_restitution if bounces and closing > SOFT_MM_S else 0.0
        m_i, m_j = self._mass[i], self._mass[j]
        push = (1 + restitution) * closing * m_i * m_j / (m_i + m_j)
        self._vel[i] -= normal * (push / m_i)
        self._vel[j] += normal * (push / m_j)
        if closing > SOFT_MM_S:
            self.contacts.append(Collision(i, j, t))

    def _rebound(self, disc: int, axis: int, bounces: bool) -> None:
        speed = abs(self._vel[disc, axis])
        restitution = self._sliding.cushion_restitution if bounces and speed > SOFT_MM_S else 0.0
        self._pos[disc, axis] = math.copysign(self._limit[disc], self._pos[disc, axis])
        self._vel[disc, axis] *= -restitution
        self._vel[disc, 1 - axis] *= self._sliding.cushion_grip

    def _slow_down(self) -> None:
        speed = np.hypot(self._vel[:, 0], self._vel[:, 1])
        left = np.maximum(speed - self._sliding.friction_mm_s2 * STEP_S, 0.0)
        scale = np.divide(left, speed, out=np.zeros_like(speed), where=speed > 0)
        self._vel *= scale[:, None]

    def _drop(self, t: float) -> None:
        """Lets discs fall whose centres are over a pocket's opening."""
        gap = self._pos[:, None, :] - self._holes[None]
        over = (np.hypot(gap[..., 0], gap[..., 1]) < self._hole_radius) & self._live[:, None]
        for disc, hole in zip(*np.nonzero(over), strict=True):
            x, y = self._pos[disc]
            self.falls.append(Fall(int(disc), self._pockets[hole], t, (float(x), float(y))))
            self._live[disc] = False
            self._vel[disc] = 0.0
