"""What hands do against the rules: they push, reach over a diagonal, touch a coin, or hardly move the striker."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from models.pieces import Seat, from_side, to_side
from referee.sim.hands import HANDS_TOUCH_MM, HOVER_MM, Hand
from referee.sim.physics import Sliding
from referee.sim.player import Aim
from referee.sim.scene import HandPose, Slip, Where
from referee.sim.script import Script, Tempo
from referee.sim.stage import STAGE_STRIKER, Stage

ELBOW_X_MM, ELBOW_Y_MM = (650.0, 750.0), (-420.0, -260.0)
"""Where the elbow of an arm that lies over a diagonal rests, as its player sees it: beside the corner."""
PUSH_MM, PUSH_MM_S, PUSH_STEP_S = (60.0, 110.0), (500.0, 1000.0), 0.01
"""How far a finger goes with the striker, how fast, and how often its way is told."""
TOUCH_GAP_MM = 1.0
"""A pushing finger is seen this far behind the striker's rim."""
SLIPS_DRAG_MM, SLIPS_CLEAR_MM, SLIPS_OWN_MM = (6.0, 25.0), 4.0, 60.0
"""How far a touched coin is moved, at least how far from any other disc it then lies, and from where the striker is."""
SLIPS_WEAK_MM, SLIPS_ROOM_MM = (10.0, 26.0), 100.0
"""How far a striker goes that stays on its lines, and how far from it the nearest coin lies."""
SLIPS_TRIES = 20


class Slips:
    """Chooses slips and plays them."""

    def __init__(self, stage: Stage, pace: Tempo, rng: np.random.Generator, share: float, sliding: Sliding) -> None:
        """`share` of the strokes has one."""
        self._stage, self._lasts, self._rng, self._share = stage, pace.lasts, rng, share
        self._slowing, self._board = sliding.friction_mm_s2, stage.board

    def choose(self, aim: Aim, seat: Seat) -> Slip | None:
        """The slip of a stroke so aimed, if it has one."""
        if self._share <= 0 or self._rng.random() >= self._share:
            return None
        may = [Slip.PUSH, Slip.OVER_DIAGONAL]
        may += [Slip.TOUCHED_COIN] if self._drag(aim, seat) else []
        may += [Slip.NO_LEAVE] if min(self._away(aim.x_mm, aim.y_mm), default=math.inf) > SLIPS_ROOM_MM else []
        return may[int(self._rng.integers(len(may)))]

    def weakened(self, aim: Aim, slip: Slip | None) -> Aim:
        """The stroke as it is really played."""
        if slip is Slip.PUSH:
            return replace(aim, speed_mm_s=float(self._rng.uniform(*PUSH_MM_S)))
        if slip is Slip.NO_LEAVE:
            return replace(aim, speed_mm_s=math.sqrt(2 * self._slowing * float(self._rng.uniform(*SLIPS_WEAK_MM))))
        return aim

    def leaning(self, pose: HandPose) -> HandPose:
        """A pose with its arm over the nearer of its side's diagonals."""
        x_side, _ = to_side(pose.seat, pose.x_mm, pose.y_mm)
        x, y = float(self._rng.uniform(*ELBOW_X_MM)), float(self._rng.uniform(*ELBOW_Y_MM))
        elbow = from_side(pose.seat, math.copysign(x, x_side), y)
        return replace(pose, heading=math.atan2(pose.y_mm - elbow[1], pose.x_mm - elbow[0]))

    def push(self, hand: Hand, aim: Aim) -> None:
        """Plans that the finger that is to strike now goes with the striker instead."""
        travel, length = 0.0, float(self._rng.uniform(*PUSH_MM))
        start, t = self._stage.now, 0.0
        last = aim.speed_mm_s / self._slowing
        pose = hand.pose(start)
        hand.go(start, 1e-3, self._behind(pose, aim, 0.0))
        while travel < length and t < last:
            t += PUSH_STEP_S
            travel = aim.speed_mm_s * t - self._slowing * t * t / 2
            hand.then(PUSH_STEP_S, self._behind(pose, aim, travel))

    def _behind(self, pose: HandPose, aim: Aim, travel: float) -> HandPose:
        """A pose with its fingertip behind a striker that has gone so far (mm)."""
        travel -= self._board.striker_radius + TOUCH_GAP_MM
        x, y = aim.x_mm + travel * math.cos(aim.heading), aim.y_mm + travel * math.sin(aim.heading)
        return replace(pose, x_mm=x, y_mm=y)

    def touch(self, hand: Hand, aim: Aim) -> Script[bool]:
        """The hand that has placed the striker moves a coin on its way; whether it found one to move."""
        drag = self._drag(aim, hand.seat)
        if drag is None:
            return False
        stage, (disc, (x, y)) = self._stage, drag
        x0, y0 = map(float, stage.pos[disc])
        hand.go(stage.now, self._lasts(0.4), hand.over(x0, y0, HOVER_MM, 0.3))
        yield hand.then(self._lasts(0.15), hand.over(x0, y0, HANDS_TOUCH_MM, 0.3))
        stage.pick_up(disc, hand.seat)
        yield hand.then(self._lasts(0.2), hand.over(x, y, HANDS_TOUCH_MM, 0.3))
        stage.put(disc, x, y)
        hand.then(self._lasts(0.15), hand.over(x, y, HOVER_MM, 0.3))
        return True

    def _drag(self, aim: Aim, seat: Seat) -> tuple[int, tuple[float, float]] | None:
        """A coin of the player's own side, and where it may be moved to."""
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
        """Whether a coin may lie at x, y mm: on the surface, off the pockets, clear of all others."""
        room = 2 * self._board.coin_radius + SLIPS_CLEAR_MM
        inside = max(abs(x), abs(y)) < self._board.half - room
        corner = min(abs(x), abs(y)) > self._board.half - 2 * self._board.pocket_diameter
        clear = min(self._away(x, y, disc), default=math.inf) > room
        return inside and not corner and clear and math.dist((x, y), (aim.x_mm, aim.y_mm)) > SLIPS_OWN_MM

    def _away(self, x: float, y: float, disc: int = STAGE_STRIKER) -> list[float]:
        """How far (mm) the coins on the board other than `disc` lie from x, y."""
        others = (i for i in self._stage.indices(Where.BOARD) if i not in (disc, STAGE_STRIKER))
        return [math.dist(self._stage.pos[i], (x, y)) for i in others]
