"""A player: chooses a coin, a pocket and a place for the striker by ghost-coin geometry, and errs as people do."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.board import BoardModel
from models.pieces import Pocket, Seat, from_side, to_side
from referee.sim.physics import Sliding

F64 = NDArray[np.float64]

STEEPEST_CUT = math.radians(65)
"""Greatest cut angle, radians. Thinner hits are not tried."""
BEST_ANGLE_RAD = 1e-4
"""Standard deviation of direction that even a perfect player assumes when comparing strokes, radians."""
PLAYER_CLEAR_MM = 1.5
"""Gap that a player wants between a moving disc and others, mm."""
ARRIVAL_MM_S = 550.0
"""Speed at which a well struck coin should reach its pocket, mm/s."""
PLAYER_SLOWEST_MM_S, FASTEST_MM_S = 750.0, 4200.0
"""Range of stroke speeds, mm/s."""
BREAK_MM_S = (2600.0, 4600.0)
"""Range of speeds of opening strokes, mm/s."""
HARD_MM_S = (1600.0, 3200.0)
"""Range of speeds of strokes that only scatter the coins, mm/s."""
WORTH_TRYING = 0.12
"""Chance of pocketing below which a player scatters the coins instead."""
POCKET_SHARE = 0.75
"""Share of a pocket's radius within which the coin's centre must arrive."""
PLAY_MM, COVER_PLAY_MM = 2.5, 1.2
"""Greatest errors across the lines of a striker placed between them, and on a base circle, mm."""
CARELESS_MM = 3.0
"""Standard deviation of a careless player's striker about a limit, mm."""
PLAYER_SURE_MM = 0.4
"""Least margin to every limit of a legally placed striker, mm."""


@dataclass(frozen=True, slots=True)
class Skill:
    """How well somebody plays."""

    angle_rad: float = 0.006
    """Spread of the stroke's direction; 0.003 for a champion, 0.03 for a beginner."""
    speed_share: float = 0.08
    """Spread of the stroke's speed, as a share of it."""
    place_mm: float = 1.0
    """Spread of the striker's place across the base lines."""
    illegal: float = 0.0
    """Share of strokes whose striker is placed illegally on purpose of the test."""
    careless: float = 0.0
    """Share of strokes whose striker is placed anywhere about the lines, legally or not."""


@dataclass(frozen=True, slots=True)
class Aim:
    """A stroke as it is going to be played; board mm, radians, mm/s."""

    x_mm: float
    y_mm: float
    heading: float
    speed_mm_s: float
    legal: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class PlayerView:
    """The board as a player sees it, turned so that his side is south."""

    coins: F64
    """Centres (n, 2) of every coin on the board."""
    targets: F64
    """Centres (m, 2) of those he may pocket."""
    untouched: bool
    """The opening formation has not been broken yet."""


class Player:
    """Chooses strokes for one seat."""

    def __init__(self, seat: Seat, board: BoardModel, sliding: Sliding, skill: Skill,
                 masses: tuple[float, float]) -> None:  # fmt: skip
        """`masses` are those of a coin and of the striker, grams."""
        self.seat = seat
        self._board, self._sliding, self._skill = board, sliding, skill
        coin, striker = masses
        self._transfer = (1 + sliding.disc_restitution) * striker / (striker + coin)
        self._pockets = np.array([p.corner for p in Pocket], np.float64) * (board.half - board.pocket_inset)

    def choose(self, coins: F64, targets: F64, untouched: bool, rng: np.random.Generator) -> Aim:
        """Returns the next stroke, errors included; `coins` and `targets` (n, 2) board mm."""
        view = PlayerView(_turned(coins, self.seat), _turned(targets, self.seat), untouched)
        places = self._places(view, rng)
        aim = self._break(rng) if untouched else self._pot(view, places) or self._stir(view, places, rng)
        return self._as_played(aim, view, rng)

    def _places(self, view: PlayerView, rng: np.random.Generator) -> F64:
        """Returns legal places (p, 2) free of coins: along the base lines and on the two base circles."""
        b = self._board
        reach = b.base_circle_x - b.base_circle_radius - b.striker_radius - 3.0
        play = self._play_mm()
        along = np.linspace(-reach, reach, 15)
        across = np.clip(rng.normal(0, self._skill.place_mm, len(along)), -play, play)
        places = np.column_stack([along, across - b.base_y])
        if self._circles_clear_arrows():
            cover = min(COVER_PLAY_MM, b.striker_radius - b.base_circle_radius - PLAYER_SURE_MM)
            off = np.clip(rng.normal(0, self._skill.place_mm, 2), -cover, cover)
            circles = np.column_stack([[-b.base_circle_x, b.base_circle_x], off - b.base_y])
            places = np.concatenate([places, circles])
        free = _nearest(places, view.coins) > b.striker_radius + b.coin_radius + PLAYER_CLEAR_MM
        return places[free] if np.any(free) else places

    def _play_mm(self) -> float:
        """Returns the greatest offset across the lines at which a striker still surely touches both, mm."""
        return min(PLAY_MM, self._board.striker_radius - self._board.line_gap / 2 - PLAYER_SURE_MM)

    def _circles_clear_arrows(self) -> bool:
        """Tells whether a striker that covers a base circle is off the arrow beside it; on small boards it is not."""
        b = self._board
        gap = (b.base_y - COVER_PLAY_MM - b.base_circle_x) / math.sqrt(2)
        return gap - b.striker_radius - b.arrow_thickness / 2 > PLAYER_SURE_MM

    def _break(self, rng: np.random.Generator) -> Aim:
        x = float(rng.normal(0, 12))
        play = self._play_mm()
        y = -self._board.base_y + float(np.clip(rng.normal(0, self._skill.place_mm), -play, play))
        aside = rng.normal(0, 6.0)
        return Aim(x, y, math.atan2(-y, aside - x), float(rng.uniform(*BREAK_MM_S)))

    def _pot(self, view: PlayerView, places: F64) -> Aim | None:
        """Returns the direct stroke most likely to pocket a coin; None if none is worth trying."""
        if not len(view.targets):
            return None
        b = self._board
        run = self._pockets[None] - view.targets[:, None]
        run_mm = np.hypot(run[..., 0], run[..., 1])
        unit = run / run_mm[..., None]
        ghost = view.targets[:, None] - unit * (b.coin_radius + b.striker_radius)
        travel = ghost[None] - places[:, None, None]
        way_mm = np.hypot(travel[..., 0], travel[..., 1])
        cosine = np.einsum("pcqk,cqk->pcq", travel, unit) / way_mm
        error = max(self._skill.angle_rad, BEST_ANGLE_RAD)
        spread = error * way_mm / (b.coin_radius + b.striker_radius) / np.maximum(cosine, 0.05)
        chance = np.tanh(POCKET_SHARE * b.pocket_diameter / 2 / run_mm[None] / spread)
        possible = (cosine > math.cos(STEEPEST_CUT)) & (travel[..., 1] > 0.15 * way_mm)
        possible &= np.all(np.abs(ghost) < b.half - b.striker_radius, axis=-1)[None]
        possible &= self._run_is_free(view, run_mm)[None] & self._way_is_free(view, places, ghost)
        chance = np.asarray(np.where(possible, chance, 0.0))
        p, c, q = (int(k) for k in np.unravel_index(int(np.argmax(chance)), chance.shape))
        if chance[p, c, q] < WORTH_TRYING:
            return None
        speed = self._speed(float(run_mm[c, q]), float(way_mm[p, c, q]), float(cosine[p, c, q]))
        heading = math.atan2(travel[p, c, q, 1], travel[p, c, q, 0])
        return Aim(float(places[p, 0]), float(places[p, 1]), heading, speed)

    def _speed(self, run_mm: float, way_mm: float, cosine: float) -> float:
        """Returns the speed (mm/s) at which the striker must start for the coin to reach its pocket at
        `ARRIVAL_MM_S`.
        """
        braking = 2 * self._sliding.friction_mm_s2
        hit = math.sqrt(ARRIVAL_MM_S**2 + braking * run_mm) / (self._transfer * cosine)
        return math.sqrt(hit**2 + braking * way_mm)

    def _run_is_free(self, view: PlayerView, run_mm: F64) -> NDArray[np.bool_]:
        """Tells whether each target (m) reaches each pocket (4) without hitting another coin."""
        room = 2 * self._board.coin_radius + PLAYER_CLEAR_MM
        free = np.ones(run_mm.shape, bool)
        for c, target in enumerate(view.targets):
            others = view.coins[np.hypot(*(view.coins - target).T) > 1.0]
            gaps = _segment_gap(target[None], self._pockets, others)
            free[c] = gaps[0] > room
        return free

    def _way_is_free(self, view: PlayerView, places: F64, ghost: F64) -> NDArray[np.bool_]:
        """Tells whether the striker reaches each ghost place (m, 4) from each place (p) without hitting another
        coin.
        """
        room = self._board.coin_radius + self._board.striker_radius
        free = np.ones((len(places), *ghost.shape[:2]), bool)
        for c, target in enumerate(view.targets):
            others = view.coins[np.hypot(*(view.coins - target).T) > 1.0]
            free[:, c] = _segment_gap(places, ghost[c], others) > room + PLAYER_CLEAR_MM
        return free

    def _stir(self, view: PlayerView, places: F64, rng: np.random.Generator) -> Aim:
        """Returns a hard stroke at an own coin, straight or off the far cushion, for when nothing can be pocketed."""
        aims = view.targets if len(view.targets) else view.coins
        target = aims[int(rng.integers(len(aims)))] if len(aims) else np.zeros(2)
        place = places[int(rng.integers(len(places)))]
        limit = self._board.half - self._board.striker_radius
        if target[1] < place[1] + 60.0:
            bounce = self._sliding.cushion_restitution / self._sliding.cushion_grip
            target = np.array([target[0], limit + (limit - target[1]) / bounce])
        travel = target - place
        low, high = HARD_MM_S if target[1] < self._board.half else (HARD_MM_S[1], FASTEST_MM_S)
        return Aim(float(place[0]), float(place[1]), math.atan2(travel[1], travel[0]), float(rng.uniform(low, high)))

    def _as_played(self, aim: Aim, view: PlayerView, rng: np.random.Generator) -> Aim:
        """Returns the aim with this player's errors, in the board frame."""
        skill = self._skill
        heading = aim.heading + rng.normal(0, skill.angle_rad)
        speed = float(
            np.clip(aim.speed_mm_s * (1 + rng.normal(0, skill.speed_share)), PLAYER_SLOWEST_MM_S, FASTEST_MM_S)
        )
        x, y, legal = aim.x_mm, aim.y_mm, True
        if rng.random() < skill.illegal:
            x, y, legal = self._misplaced(view, rng, aim)
        elif skill.careless and rng.random() < skill.careless:
            x, y = self._carelessly(view, rng, aim)
        bx, by = from_side(self.seat, x, y)
        turn = -math.pi / 2 * self.seat.quarter_turns
        return Aim(bx, by, math.remainder(heading + turn, math.tau), speed, legal)

    def _misplaced(self, view: PlayerView, rng: np.random.Generator, aim: Aim) -> tuple[float, float, bool]:
        """Returns a place that clearly breaks a limit, by cutting the moon or leaving one base line.

        If coins lie there it returns the legal place instead. The third value tells whether the place is legal.
        """
        b = self._board
        edge = b.striker_radius - b.line_gap / 2
        choices = np.array([
            (b.base_circle_x - 15.0, -b.base_y),
            (15.0 - b.base_circle_x, -b.base_y),
            (aim.x_mm, -b.base_y - edge - 5.0),
            (aim.x_mm, -b.base_y + edge + 6.0),
        ])  # fmt: skip
        x, y = choices[int(rng.integers(len(choices)))]
        if _nearest(np.array([[x, y]]), view.coins)[0] < b.striker_radius + b.coin_radius + PLAYER_CLEAR_MM:
            return aim.x_mm, aim.y_mm, True
        return float(x), float(y), False

    def _carelessly(self, view: PlayerView, rng: np.random.Generator, aim: Aim) -> tuple[float, float]:
        """Returns a place near one of the limits, on either side of it."""
        b = self._board
        edge = b.striker_radius - b.line_gap / 2
        circle = float(rng.choice((-1.0, 1.0))) * b.base_circle_x
        beside = circle - math.copysign(b.striker_radius + b.base_circle_radius, circle)
        x = float(rng.choice((aim.x_mm, beside, circle))) + float(rng.normal(0, CARELESS_MM))
        y = float(rng.choice((0.0, -edge, edge))) + float(rng.normal(0, CARELESS_MM)) - b.base_y
        free = _nearest(np.array([[x, y]]), view.coins)[0] > b.striker_radius + b.coin_radius + PLAYER_CLEAR_MM
        return (x, y) if free else (aim.x_mm, aim.y_mm)


def _turned(points: F64, seat: Seat) -> F64:
    return np.array([to_side(seat, x, y) for x, y in points], np.float64).reshape(-1, 2)


def _nearest(points: F64, others: F64) -> F64:
    """Returns the distance (n,) of each point to the nearest of the others."""
    if not len(others):
        return np.full(len(points), math.inf)
    gap = points[:, None] - others[None]
    return np.asarray(np.hypot(gap[..., 0], gap[..., 1]).min(axis=1))


def _segment_gap(starts: F64, ends: F64, others: F64) -> F64:
    """Returns the smallest distance (s, e) of any of the others (n, 2) from the segments between each start and each
    end.
    """
    if not len(others):
        return np.full((len(starts), len(ends)), math.inf)
    travel = ends[None] - starts[:, None]
    length2 = np.maximum(np.sum(travel**2, axis=-1), 1e-9)
    to = others[None, None] - starts[:, None, None]
    part = np.clip(np.einsum("senk,sek->sen", to, travel) / length2[..., None], 0.0, 1.0)
    gap = to - part[..., None] * travel[:, :, None]
    return np.asarray(np.hypot(gap[..., 0], gap[..., 1]).min(axis=-1))
