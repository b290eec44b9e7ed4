"""Infringements by hand: pushes, arms over a diagonal, touched coins, strokes that hardly move the striker."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from models.pieces import Seat, from_side, to_side
from referee.sim.hands import HANDS_TOUCH_MM, HOVER_MM, Hand
from referee.sim.physics import Sliding
from referee.sim.player import Aim
from referee.sim.scene import HandPose, Infringement, Where
from referee.sim.script import Script, Tempo
from referee.sim.stage import STAGE_STRIKER, Stage

ELBOW_X_MM, ELBOW_Y_MM = (650.0, 750.0), (-420.0, -260.0)
"""Ranges of the elbow's place when an arm lies over a diagonal, as its player sees it, mm: beside the corner."""
PUSH_MM, PUSH_MM_S, PUSH_STEP_S = (60.0, 110.0), (500.0, 1000.0), 0.01
"""Ranges of the length (mm) and speed (mm/s) of a push, and the time step of its poses (s)."""
TOUCH_GAP_MM = 1.0
"""Distance of a pushing fingertip behind the striker's rim, mm."""
SLIPS_DRAG_MM, SLIPS_CLEAR_MM, SLIPS_OWN_MM = (6.0, 25.0), 4.0, 60.0
"""Range of a touched coin's displacement, and its least distance afterwards from any other disc and from the striker,
mm.
"""
SLIPS_WEAK_MM, SLIPS_ROOM_MM = (10.0, 26.0), 100.0
"""Range of the travel of a striker that does not leave its lines, and its least distance to the nearest coin, mm."""
SLIPS_TRIES = 20


class Slips:
    """Chooses and plays infringements."""

    def __init__(self, stage: Stage, pace: Tempo, rng: np.random.Generator, share: float, sliding: Sliding) -> None:
        """`share` is that of strokes with an infringement."""
        self._stage, self._lasts, self._rng, self._share = stage, pace.lasts, rng, share
        self._slowing, self._board = sliding.friction_mm_s2, stage.board

    def choose(self, aim: Aim, seat: Seat) -> Infringement | None:
        """Returns the infringement of a stroke, or None."""
        if self._share <= 0 or self._rng.random() >= self._share:
            return None
        may = [Infringement.PUSH, Infringement.OVER_DIAGONAL]
        may += [Infringement.TOUCHED_COIN] if self._drag(aim, seat) else []
        may += [Infringement.NO_LEAVE] if min(self._away(aim.x_mm, aim.y_mm), default=math.inf) > SLIPS_ROOM_MM else []
        return may[int(self._rng.integers(len(may)))]

    def weakened(self, aim: Aim, slip: Infringement | None) -> Aim:
        """Returns the stroke with the speed that its infringement gives it."""
        if slip is Infringement.PUSH:
            return replace(aim, speed_mm_s=float(self._rng.uniform(*PUSH_MM_S)))
        if slip is Infringement.NO_LEAVE:
            return replace(aim, speed_mm_s=math.sqrt(2 * self._slowing * float(self._rng.uniform(*SLIPS_WEAK_MM))))
        return aim

    def leaning(self, pose: HandPose) -> HandPose:
        """Returns a pose with the arm over the nearer of its side's diagonals."""
        x_side, _ = to_side(pose.seat, pose.x_mm, pose.y_mm)
        x, y = float(self._rng.uniform(*ELBOW_X_MM)), float(self._rng.uniform(*ELBOW_Y_MM))
        elbow = from_side(pose.seat, math.copysign(x, x_side), y)
        return replace(pose, heading=math.atan2(pose.y_mm - elbow[1], pose.x_mm - elbow[0]))

    def push(self, hand: Hand, aim: Aim) -> None:
        """Plans that the finger follows the striker instead of flicking it."""
        travel, length = 0.0, float(self._rng.uniform(*PUSH_MM))
        start, t = self._stage.now, 0.0
        last = aim.speed_mm_s / self._slowing
        pose = hand.pose(start)
        hand.move(start, 1e-3, self._behind(pose, aim, 0.0))
        while travel < length and t < last:
            t += PUSH_STEP_S
            travel = aim.speed_mm_s * t - self._slowing * t * t / 2
            hand.then(PUSH_STEP_S, self._behind(pose, aim, travel))

    def _behind(self, pose: HandPose, aim: Aim, travel: float) -> HandPose:
        """Returns a pose with the fingertip behind a striker that has travelled `travel` mm."""
        travel -= self._board.striker_radius + TOUCH_GAP_MM
        x, y = aim.x_mm + travel * math.cos(aim.heading), aim.y_mm + travel * math.sin(aim.heading)
        return replace(pose, x_mm=x, y_mm=y)

    def touch(self, hand: Hand, aim: Aim) -> Script[bool]:
        """Has the hand that placed the striker move a coin on its way; tells whether it found one."""
        drag = self._drag(aim, hand.seat)
        if drag is None:
            return False
        stage, (disc, (x, y)) = self._stage, drag
        x0, y0 = map(float, stage.pos[disc])
        hand.move(stage.now, self._lasts(0.4), hand.over(x0, y0, HOVER_MM, 0.3))
        yield hand.then(self._lasts(0.15), hand.over(x0, y0, HANDS_TOUCH_MM, 0.3))
        stage.pick_up(disc, hand.seat)
        yield hand.then(self._lasts(0.2), hand.over(x, y, HANDS_TOUCH_MM, 0.3))
        stage.put(disc, x, y)
        hand.then(self._lasts(0.15), hand.over(x, y, HOVER_MM, 0.3))
        return True

    def _drag(self, aim: Aim, seat: Seat) -> tuple[int, tuple[float, float]] | None:
        """Returns a coin on the player's own side and the place to move it to, or None."""
        near = [i for i in self._stage.indices(Where.BOARD) if i != STAGE_STRIKER and self._is_before(seat, i)
                and math.dist(self._stage.pos[i], (aim.x_mm, aim.y_mm)) > SLIPS_OWN_MM]  # fmt: skip
        for _ in range(SLIPS_TRIES if near else 0):
            disc, angle = near[int(self._rng.integers(len(near)))], float(self._rng.uniform(0, math.tau))
            length, (x0, y0) = float(self._rng.uniform(*SLIPS_DRAG_MM)), map(float, self._stage.pos[disc])
            x, y = x0 + length * math.cos(angle), y0 + length * math.sin(angle)
            if self._is_free(disc, x, y, aim):
                return disc, (x, y)
        return None

    def _is_before(self, seat: Seat, disc: int) -> bool:
        x, y = map(float, self._stage.pos[disc])
        return to_side(seat, x, y)[1] < 0

    def _is_free(self, disc: int, x: float, y: float, aim: Aim) -> bool:
        """Tells whether a coin may lie at x, y mm: on the surface, off the pockets, clear of all others."""
        room = 2 * self._board.coin_radius + SLIPS_CLEAR_MM
        inside = max(abs(x), abs(y)) < self._board.half - room
        corner = min(abs(x), abs(y)) > self._board.half - 2 * self._board.pocket_diameter
        clear = min(self._away(x, y, disc), default=math.inf) > room
        return inside and not corner and clear and math.dist((x, y), (aim.x_mm, aim.y_mm)) > SLIPS_OWN_MM

    def _away(self, x: float, y: float, disc: int = STAGE_STRIKER) -> list[float]:
        """Returns the distances (mm) of the coins on the board other than `disc` from x, y."""
        others = (i for i in self._stage.indices(Where.BOARD) if i not in (disc, STAGE_STRIKER))
        return [math.dist(self._stage.pos[i], (x, y)) for i in others]
