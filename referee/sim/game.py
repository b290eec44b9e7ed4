"""Plays a match in simulated time: stroke after stroke, board after board."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from models.board import BoardModel
from models.pieces import Kind, Seat
from referee.sim.errands import HandErrands
from referee.sim.hands import FLICK_BACK_MM, HANDS_TOUCH_MM, HOVER_MM, Hand
from referee.sim.physics import Flight, Sliding
from referee.sim.player import Aim, Player
from referee.sim.scene import Infringement, TrueFall, TrueReturn, TrueStroke, Where
from referee.sim.script import AnnouncementQueue, MatchConditions, Script, Tempo
from referee.sim.simple_rules import Announcement, Judge, is_board_over
from referee.sim.slips import Slips
from referee.sim.stage import COIN_MASS_G, KINDS, STAGE_STRIKER, STRIKER_MASS_G, Stage

QUIET_START_S = 2.5
"""Time for which the opening formation stands untouched, s. A camera can learn the board meanwhile."""
QUIET_END_S = 2.0
"""Time for which the last board remains in view, s."""
POLL_S = 0.05
"""Interval at which waiting players check for a ruling and for pieces at rest, s."""
MOST_STROKES_A_BOARD = 250
"""Strokes after which the players abandon a board."""
MOST_LEAN = 0.5
"""Greatest turn of a hand towards the stroke's direction, radians."""
SLIDE_MM = 25.0
"""Standard deviation of the distance by which a player shifts the striker along the lines before releasing it, mm."""


class Game:
    """Plays a match on a `Stage`."""

    def __init__(self, board: BoardModel, manner: MatchConditions, sliding: Sliding, rng: np.random.Generator) -> None:
        if manner.seats[0].opposite is not manner.seats[1]:
            raise ValueError(f"players must sit opposite each other, not {manner.seats[0]} and {manner.seats[1]}")
        self.stage = Stage(board, sliding, manner.seats)
        self.ear = AnnouncementQueue()
        self.strokes: list[TrueStroke] = []
        self.board_number = 0
        self.over = False
        self._board, self._manner, self._rng = board, manner, rng
        pace = Tempo(manner.tempo, rng)
        self._lasts = pace.lasts
        self._errands = HandErrands(self.stage, pace, rng)
        self._slips = Slips(self.stage, pace, rng, manner.slips, sliding)
        masses = (COIN_MASS_G, STRIKER_MASS_G)
        self._players = {s: Player(s, board, sliding, manner.skill, masses) for s in manner.seats}
        self._script = self._match()
        self._wake_s = 0.0

    def advance(self, t: float) -> None:
        """Runs the script until time t; sets `over` when the last board has been played."""
        while not self.over and self._wake_s <= t:
            self.stage.now = max(self._wake_s, self.stage.now)
            wake = next(self._script, None)
            if wake is None:
                self.over = True
            else:
                self._wake_s = wake

    @property
    def returns(self) -> list[TrueReturn]:
        """Coins put back so far."""
        return self._errands.returns

    @property
    def _now(self) -> float:
        return self.stage.now

    def _match(self) -> Script[None]:
        breaker = self._manner.seats[0]
        self._lay_out_start(breaker)
        yield QUIET_START_S
        while True:
            self.board_number += 1
            yield from self._one_board(breaker)
            if self.board_number == self._manner.boards or self._have_played_enough():
                yield self._now + QUIET_END_S
                return
            breaker = breaker.opposite
            yield self._now + self._lasts(1.5)
            yield from self._errands.clear()
            yield from self._errands.build(breaker)

    def _lay_out_start(self, breaker: Seat) -> None:
        start = self._manner.start
        self.stage.lay_out(self._errands.formation(breaker) if start is None else start)
        if start is not None:
            for disc in self.stage.indices(Where.AWAY):
                if disc != STAGE_STRIKER:
                    self.stage.drop(disc)

    def _have_played_enough(self) -> bool:
        return self._manner.strokes is not None and len(self.strokes) >= self._manner.strokes

    def _one_board(self, breaker: Seat) -> Script[None]:
        judge, turn = Judge(breaker), breaker
        untouched = self._manner.start is None or self.board_number > 1
        for _ in range(MOST_STROKES_A_BOARD):
            self.ear.listen()
            stroke = yield from self._stroke(turn, judge.colour(turn), untouched)
            untouched = untouched and stroke.first_contact is None
            own_reading = judge.read(stroke, self._netted())
            yield from self._errands.take_striker()
            heard = yield from self._ruling(own_reading)
            if heard.board_over:
                return
            yield from self._errands.put_back(heard.returns, stroke.seat.opposite)
            if is_board_over(self._netted()) or self._have_played_enough():
                return
            turn = heard.turn or stroke.seat

    def _netted(self) -> list[Kind]:
        return [KINDS[i] for i in self.stage.indices(Where.NET) if i != STAGE_STRIKER]

    def _ruling(self, own_reading: Announcement) -> Script[Announcement]:
        """Returns the referee's ruling, or the players' own reading if none arrives within `wait_s`."""
        limit = self._now + self._manner.wait_s
        while True:
            heard = self.ear.listen()
            if heard is not None:
                turn = heard.turn if heard.turn in self._manner.seats else own_reading.turn
                return replace(heard, turn=turn)
            if self._now >= limit:
                return own_reading
            yield self._now + POLL_S

    def _stroke(self, seat: Seat, colour: Kind, untouched: bool) -> Script[TrueStroke]:
        hand, stage = self.stage.hands[seat], self.stage
        aim = self._aim(seat, colour, untouched)
        slip = self._slips.choose(aim, seat)
        aim = self._slips.weakened(aim, slip)
        t_placed = yield from self._place(hand, aim)
        if slip is Infringement.TOUCHED_COIN and not (yield from self._slips.touch(hand, aim)):
            slip = None
        lean = math.remainder(aim.heading - hand.over(aim.x_mm, aim.y_mm).heading, math.tau)
        lean = float(np.clip(lean / 2, -MOST_LEAN, MOST_LEAN))
        back = self._board.striker_radius + FLICK_BACK_MM
        behind = aim.x_mm - back * math.cos(aim.heading), aim.y_mm - back * math.sin(aim.heading)
        pose = hand.over(*behind, HANDS_TOUCH_MM, lean=lean)
        hand.then(self._lasts(0.35), self._slips.leaning(pose) if slip is Infringement.OVER_DIAGONAL else pose)
        t_strike = hand.free_s + self._lasts(0.5, 1.2)
        if slip is not Infringement.PUSH:
            hand.flick(t_strike, aim.heading)
        yield t_strike
        flight = stage.strike(aim.heading, aim.speed_mm_s)
        if slip is Infringement.PUSH:
            self._slips.push(hand, aim)
        hand.rest_until(hand.free_s + self._lasts(0.12))
        hand.then(self._lasts(0.7), hand.away())
        while not flight.rests_by(self._now):
            yield self._now + POLL_S
        stage.settle()
        return self._record(seat, aim, flight, t_placed, slip)

    def _aim(self, seat: Seat, colour: Kind, untouched: bool) -> Aim:
        stage = self.stage
        lying = [i for i in stage.indices(Where.BOARD) if i != STAGE_STRIKER]
        own = stage.indices(Where.BOARD, colour)
        queen = stage.indices(Where.BOARD, Kind.QUEEN)
        queen_allowed = bool(queen) and len(stage.indices(Where.NET, colour)) > 0
        # Who pockets his last coin before the queen is covered loses the board, so a player goes for her in time.
        targets = queen if queen_allowed and len(own) <= 2 else own + (queen if queen_allowed else [])
        return self._players[seat].choose(stage.pos[lying], stage.pos[targets], untouched, self._rng)

    def _place(self, hand: Hand, aim: Aim) -> Script[float]:
        """Has the hand place the striker; returns the time of its release."""
        stage = self.stage
        stage.pick_up(STAGE_STRIKER, hand.seat)
        along = self._rng.normal(0, SLIDE_MM) if self._rng.random() < 0.5 else 0.0
        dx, dy = (along, 0.0) if hand.seat.inward[0] == 0 else (0.0, along)
        first = hand.over(aim.x_mm + dx, aim.y_mm + dy, HOVER_MM, 1.0)
        hand.move(self._now, self._lasts(0.8, 1.1), first)
        hand.then(self._lasts(0.2), replace(first, z_mm=HANDS_TOUCH_MM))
        if along:
            hand.then(self._lasts(0.35), hand.over(aim.x_mm, aim.y_mm, HANDS_TOUCH_MM, 1.0))
        t_placed = hand.free_s + self._lasts(0.1)
        hand.rest_until(t_placed)
        back_x, back_y = (-30.0 * c for c in hand.seat.inward)
        hand.then(self._lasts(0.3), hand.over(aim.x_mm + back_x, aim.y_mm + back_y, HOVER_MM, 0.3))
        yield t_placed
        stage.put(STAGE_STRIKER, aim.x_mm, aim.y_mm)
        return t_placed

    def _record(self, seat: Seat, aim: Aim, flight: Flight, t_placed: float, slip: Infringement | None) -> TrueStroke:
        met = [c for c in flight.contacts if STAGE_STRIKER in (c.first, c.second)]
        first = KINDS[min(met[0].first, met[0].second)] if met else None
        falls = tuple(TrueFall(KINDS[f.disc], f.pocket, f.t) for f in flight.falls)
        rest_s = flight.rest_s if flight.rest_s is not None else self._now
        stroke = TrueStroke(len(self.strokes) + 1, self.board_number, seat, t_placed, flight.start_s, rest_s,
                            aim.x_mm, aim.y_mm, aim.legal, first, falls, slip)  # fmt: skip
        self.strokes.append(stroke)
        return stroke
