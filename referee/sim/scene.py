"""Ground truth: the simulated world at one moment, and what each simulated stroke really did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from models.pieces import Kind, Piece, Pocket, Seat

F64 = NDArray[np.float64]


class Where(StrEnum):
    """Where a piece is."""

    BOARD = "board"
    HELD = "held"
    """Between fingers above the board."""
    FALLING = "falling"
    """On its way down a pocket."""
    NET = "net"
    AWAY = "away"
    """With a player, beside the board."""


@dataclass(frozen=True, slots=True)
class HandPose:
    """A hand at one moment, given by the tip of its index finger; board mm, radians."""

    seat: Seat
    x_mm: float
    y_mm: float
    z_mm: float
    """Height of the fingertips over the playing surface."""
    heading: float
    """Direction from the wrist to the fingertip."""
    pinch: float = 0.0
    """0: resting, with fingers curled behind a pointing index finger. 1: thumb and fingers hold a disc."""
    flick_mm: float = 0.0
    """Distance by which the index finger has snapped forward, mm."""
    flick_heading: float = 0.0
    """Direction of the snap."""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """The world during one exposure."""

    t: float
    """Middle of the exposure, seconds."""
    kinds: tuple[Kind, ...]
    where: tuple[Where, ...]
    trail_mm: F64
    """Centres (k, n, 2) at k even moments of the exposure; k = 1 when nothing slides."""
    lift_mm: F64
    """Height (n,) of each bottom face over the surface; negative on the way down a pocket."""
    moving: NDArray[np.bool_]
    """Pieces (n,) that slide, are carried or fall."""
    hands: tuple[HandPose, ...]

    @property
    def pos_mm(self) -> F64:
        """Centres (n, 2) at the middle of the exposure."""
        return np.asarray(self.trail_mm[len(self.trail_mm) // 2])

    def pieces(self) -> tuple[Piece, ...]:
        """Returns the pieces that lie or slide on the playing surface, the striker too."""
        rows = zip(self.kinds, self.where, self.pos_mm, strict=True)
        return tuple(Piece(kind, float(x), float(y)) for kind, where, (x, y) in rows if where is Where.BOARD)


def with_rolling_shutter(scene: Scene, own: Mapping[int, Scene]) -> Scene:
    """Returns the scene with each piece of `own` as in its own scene, a little earlier or later: a rolling shutter."""
    steps = max(len(s.trail_mm) for s in (scene, *own.values()))
    where, moving = list(scene.where), scene.moving.copy()
    trail, lift = _stretched(scene.trail_mm, steps), scene.lift_mm.copy()
    for i, other in own.items():
        where[i], moving[i], lift[i] = other.where[i], other.moving[i], other.lift_mm[i]
        trail[:, i] = _stretched(other.trail_mm, steps)[:, i]
    return replace(scene, where=tuple(where), trail_mm=trail, lift_mm=lift, moving=moving)


def _stretched(trail_mm: F64, steps: int) -> F64:
    """Returns a trail resampled to `steps` moments, at least as many as it has."""
    return np.array(trail_mm[np.linspace(0, len(trail_mm) - 1, steps).round().astype(int)])


@dataclass(frozen=True, slots=True)
class TrueFall:
    """A piece that fell into a pocket."""

    kind: Kind
    pocket: Pocket
    t: float


@dataclass(frozen=True, slots=True)
class TrueReturn:
    """A coin put back on the board by a hand."""

    kind: Kind
    x_mm: float
    y_mm: float
    t: float
    by: Seat


class Infringement(StrEnum):
    """A hand's infringement, named as the fouls of the log."""

    PUSH = "push"
    OVER_DIAGONAL = "hand_over_diagonal"
    TOUCHED_COIN = "touched_coin"
    NO_LEAVE = "no_leave"


@dataclass(frozen=True, slots=True)
class TrueStroke:
    """Ground truth of a stroke."""

    n: int
    """Number of the stroke since the simulator started, from 1."""
    board: int
    """Number of the board, from 1."""
    seat: Seat
    t_placed: float
    t_strike: float
    t_rest: float
    x_mm: float
    y_mm: float
    """Place of the striker."""
    legal: bool
    """False if the player placed it illegally on purpose."""
    first_contact: Kind | None
    pocketed: tuple[TrueFall, ...]
    """Pieces in the order they fell, the striker too."""
    slip: Infringement | None = None
    """The hand's infringement."""
