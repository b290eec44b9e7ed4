"""Hands between strokes: remove the striker, put coins back, clear the board and build the next formation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from models.pieces import Kind, Piece, Seat, opening_formation
from referee.sim.hands import HANDS_TOUCH_MM, HOVER_MM, Hand
from referee.sim.scene import TrueReturn, Where
from referee.sim.script import Plan, Script, Tempo, perform
from referee.sim.stage import STAGE_STRIKER, Stage

ERRANDS_HANDFUL = 5
"""Coins that a hand collects before it leaves the board."""
LOOSE = 1.006
"""Spacing of coins in a pressed formation, in coin diameters."""
LOOSE_JITTER_MM = 0.04
"""Standard deviation of a coin's place in a pressed formation, mm."""
MOST_JITTER_MM = 0.06
"""Greatest such error, mm. Two neighbours' errors together stay below the formation's spare room."""
ARM_SPREAD_RAD = 0.03
"""Standard deviation of the direction of the Y's arm about the breaker's, radians."""
SPARE_MM = 1.0
"""Gap between a returned coin and its neighbours, mm."""


class HandErrands:
    """Scripts of the players' work between strokes."""

    def __init__(self, stage: Stage, pace: Tempo, rng: np.random.Generator) -> None:
        self.returns: list[TrueReturn] = []
        self._stage, self._board, self._rng = stage, stage.board, rng
        self._lasts = pace.lasts
        self._seats = tuple(stage.hands)

    def formation(self, breaker: Seat) -> list[Piece]:
        """Returns the opening formation as pressed by hand: slightly loose and turned, an arm pointing at `breaker`."""
        rng, arm = self._rng, -math.pi / 2 * (1 + breaker.quarter_turns)
        turned = arm + float(rng.normal(0, ARM_SPREAD_RAD))
        pieces = opening_formation(2 * self._board.coin_radius * LOOSE, turned)
        shift = rng.normal(0, 0.5, 2)
        jitter = rng.normal(0, LOOSE_JITTER_MM, (len(pieces), 2))
        off = shift + np.clip(jitter, -MOST_JITTER_MM, MOST_JITTER_MM)
        return [Piece(p.kind, p.x_mm + float(d[0]), p.y_mm + float(d[1])) for p, d in zip(pieces, off, strict=True)]

    def take_striker(self) -> Script[None]:
        """Has the player nearest to it remove the striker, from the board or from the net."""
        stage = self._stage
        if stage.where[STAGE_STRIKER] is not Where.BOARD:
            stage.pocket_away(STAGE_STRIKER)
            return
        x, y = (float(c) for c in stage.pos[STAGE_STRIKER])
        nearest = min(self._seats, key=lambda s: x * s.inward[0] + y * s.inward[1])
        hand = stage.hands[nearest]
        start = max(stage.now + self._lasts(0.4, 0.7), hand.free_s)
        yield hand.move(start, self._lasts(0.8), hand.over(x, y, HANDS_TOUCH_MM, 1.0))
        stage.pick_up(STAGE_STRIKER, nearest)
        hand.then(self._lasts(0.15), hand.over(x, y, HOVER_MM, 1.0))
        yield hand.then(self._lasts(0.8), hand.away(self._aside()))
        stage.pocket_away(STAGE_STRIKER)

    def put_back(self, kinds: Sequence[Kind], by: Seat) -> Script[None]:
        """Has the opponent place coins from the nets on the board (ICF R45, R57, R66)."""
        hand, stage = self._stage.hands[by], self._stage
        for kind in kinds:
            netted = stage.indices(Where.NET, kind)
            if not netted:
                continue
            x, y = self._free_spot(kind)
            stage.pick_up(netted[0], by)
            hand.move(max(stage.now, hand.free_s), self._lasts(0.9), hand.over(x, y, HOVER_MM, 1.0))
            yield hand.then(self._lasts(0.25), hand.over(x, y, HANDS_TOUCH_MM, 1.0))
            stage.put(netted[0], x, y)
            self.returns.append(TrueReturn(kind, x, y, stage.now, by))
            hand.then(self._lasts(0.15), hand.over(x, y, HOVER_MM, 0.5))
            yield hand.then(self._lasts(0.7), hand.away(self._aside()))

    def clear(self) -> Script[None]:
        """Has both players collect the remaining coins; the nets are emptied beneath the board."""
        stage = self._stage
        plan: Plan = []
        for seat in self._seats:
            self._plan_gathering(stage.hands[seat], self._gathered_by(seat), plan)
        yield from perform(plan)
        for disc in stage.indices(Where.NET):
            stage.pocket_away(disc)
        yield stage.now + self._lasts(1.0)

    def build(self, breaker: Seat) -> Script[None]:
        """Has both players place the opening formation from the middle outwards."""
        pieces = sorted(self.formation(breaker), key=lambda p: math.hypot(p.x_mm, p.y_mm))
        for seat, share in ((breaker.opposite, pieces[:7]), (breaker, pieces[7:])):
            yield from self._lay_out(self._stage.hands[seat], share)
        yield self._stage.now + self._lasts(1.0)

    def _lay_out(self, hand: Hand, pieces: Sequence[Piece]) -> Script[None]:
        stage = self._stage
        first = hand.over(pieces[0].x_mm, pieces[0].y_mm, HOVER_MM, 1.0)
        hand.move(max(stage.now, hand.free_s), self._lasts(0.9), first)
        for piece in pieces:
            disc = stage.indices(Where.AWAY, piece.kind)[0]
            stage.pick_up(disc, hand.seat)
            yield hand.then(self._lasts(0.22), hand.over(piece.x_mm, piece.y_mm, HANDS_TOUCH_MM, 1.0))
            stage.put(disc, piece.x_mm, piece.y_mm)
            hand.then(self._lasts(0.12), hand.over(piece.x_mm, piece.y_mm, HOVER_MM, 0.9))
        yield hand.then(self._lasts(0.7), hand.away(self._aside())) - self._lasts(0.3)

    def _gathered_by(self, seat: Seat) -> list[int]:
        """Returns the pieces on the half of the board before `seat`, from its left to its right."""
        stage = self._stage
        aside = np.array([-seat.inward[1], seat.inward[0]])
        ahead = np.array(self._seats[0].inward)
        mine = [i for i in stage.indices(Where.BOARD) if (stage.pos[i] @ ahead < 0) == (seat is self._seats[0])]
        return sorted(mine, key=lambda i: float(stage.pos[i] @ aside))

    def _plan_gathering(self, hand: Hand, discs: Sequence[int], plan: Plan) -> None:
        """Plans that a hand picks up discs one by one and removes them by the handful."""
        stage = self._stage
        hand.rest_until(stage.now)
        for first in range(0, len(discs), ERRANDS_HANDFUL):
            handful = discs[first : first + ERRANDS_HANDFUL]
            for k, disc in enumerate(handful):
                x, y = (float(c) for c in stage.pos[disc])
                there = hand.then(self._lasts(0.45 if k else 0.9), hand.over(x, y, HANDS_TOUCH_MM, 0.8))
                plan.append((there, partial(stage.pick_up, disc, hand.seat)))
                if k:
                    plan.append((there, partial(stage.pocket_away, handful[k - 1])))
                hand.then(self._lasts(0.12), hand.over(x, y, HOVER_MM, 1.0))
            out = hand.then(self._lasts(0.7), hand.away(self._aside()))
            plan.append((out, partial(stage.pocket_away, handful[-1])))

    def _free_spot(self, kind: Kind) -> tuple[float, float]:
        """Returns a free place near the middle: the nearest for the queen, outside the centre circle for dues (ICF
        R62b).
        """
        b, stage = self._board, self._stage
        others = stage.pos[stage.indices(Where.BOARD)]
        near = 0.0 if kind is Kind.QUEEN else b.centre_circle_radius + b.coin_radius + SPARE_MM
        turn = float(self._rng.uniform(0, math.tau))
        for reach in np.arange(near, b.half / 2, 4.0):
            for angle in turn + np.arange(12) * math.tau / 12:
                spot = np.array([reach * math.cos(angle), reach * math.sin(angle)])
                if not len(others) or np.hypot(*(others - spot).T).min() > 2 * b.coin_radius + SPARE_MM:
                    return float(spot[0]), float(spot[1])
        raise RuntimeError("no free place for a returned coin on the board")

    def _aside(self) -> float:
        """Returns the sideways place at which a hand leaves the board."""
        return float(self._rng.normal(0, 60.0))
