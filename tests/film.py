"""Scripted recordings: a plan of acts, played by the simulator's physics and drawn frame by frame."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from sim_scenes import BOARD, HANDS, TOUCHING_MM, Studio, studio
from watching import BEGINNING

from models.board import BoardModel
from models.pieces import Kind, Piece, Pocket, Seat
from referee.facts import Fact, Returned, Stroke, Table
from referee.frames.frame import Frame
from referee.seeing import Seeing
from referee.sim.hands import Hand
from referee.sim.physics import Fall, Flight, Sliding
from referee.sim.scene import Scene, Where
from referee.sim.script import Plan
from referee.sim.stage import KINDS, STAGE_STRIKER, Stage
from referee.strokes.observe import Observer

EXPOSURE_S = 0.004
PLACED_S, STRUCK_S = 0.6, 1.5
"""Times at which a player lets go of the striker, and strikes it."""

BEHIND_MM, ABOVE_MM = 14.0, 45.0
"""How far behind the striker a finger waits before it flicks, and how high a hand passes over the board."""
NET_MM = 40.0
"""So far below the surface a disc lies in its net."""

Way = Callable[[float], tuple[float, float, float]]
"""Position of a disc at time t: x, y and height, mm. Below the board it falls into a net."""


class Film:
    """Coins on a board. Acts are planned; then `facts` plays, draws and analyses the recording."""

    def __init__(self, coins: Iterable[Piece], fps: float = 30.0, at: Studio | None = None,
                 board: BoardModel = BOARD, sliding: Sliding | None = None) -> None:  # fmt: skip
        self.at, self.fps = at or studio(), fps
        self.stage = Stage(board, sliding or Sliding(), HANDS)
        self.stage.lay_out(coins)
        self.flight: Flight | None = None
        self._falls: list[Fall] = []
        self._plan: Plan = []
        self._ways: dict[int, tuple[float, Way]] = {}

    def hand(self, seat: Seat = Seat.SOUTH) -> Hand:
        return self.stage.hands[seat]

    def then(self, t: float, act: Callable[[], object]) -> None:
        """Plans an act."""
        self._plan.append((t, lambda: act() and None))

    def disc(self, piece: Piece) -> int:
        """Returns the number of the disc that lies there now."""
        return min(self.stage.indices(Where.BOARD, piece.kind),
                   key=lambda i: math.dist(self.stage.pos[i], (piece.x_mm, piece.y_mm)))  # fmt: skip

    def goes(self, disc: int, since: float, way: Way) -> None:
        """Moves the disc along a given path from `since` on, whatever the physics say."""
        self._ways[disc] = since, way

    def stroke(self, x: float, y: float, towards: tuple[float, float], speed: float, seat: Seat = Seat.SOUTH,
               struck: float = STRUCK_S) -> None:  # fmt: skip
        """Plans a whole stroke: the hand brings the striker, lets go, waits behind it, strikes, and leaves."""
        self.place(x, y, seat)
        self.strike(x, y, towards, speed, seat, struck)

    def place(self, x: float, y: float, seat: Seat = Seat.SOUTH, placed: float = PLACED_S) -> None:
        """Plans that the hand of `seat` brings the striker and lets go of it."""
        hand = self.hand(seat)
        self.then(placed - 0.55, lambda: self.stage.pick_up(STAGE_STRIKER, seat))
        hand.move(placed - 0.5, 0.35, hand.over(x, y, TOUCHING_MM, 1.0))
        hand.rest_until(placed)
        self.then(placed, lambda: self.stage.put(STAGE_STRIKER, x, y))

    def strike(self, x: float, y: float, towards: tuple[float, float], speed: float, seat: Seat = Seat.SOUTH,
               struck: float = STRUCK_S) -> None:  # fmt: skip
        """Plans that the hand goes behind the striker, flicks it, and leaves."""
        hand, heading = self.hand(seat), math.atan2(towards[1] - y, towards[0] - x)
        back = BOARD.striker_radius + BEHIND_MM
        behind = x - back * math.cos(heading), y - back * math.sin(heading)
        hand.rest_until(struck - 0.9)
        hand.then(0.2, hand.over(*behind, ABOVE_MM, 0.3))
        hand.then(0.2, hand.over(*behind, TOUCHING_MM))
        hand.flick(struck, heading)
        self.then(struck, lambda: self._strike(heading, speed))
        hand.rest_until(hand.free_s + 0.1)
        hand.then(0.35, hand.away())

    def fetch(self, disc: int, t: float, seat: Seat) -> None:
        """Plans that the hand of `seat` takes a disc off at time t, wherever it lies or rolls then."""
        hand = self.hand(seat)

        def reach() -> None:
            x, y = self.stage.scene(t).pos_mm[disc]
            hand.move(t - 0.4, 0.4, hand.over(float(x), float(y), TOUCHING_MM, 1.0))
            hand.then(0.5, hand.away())

        self.then(t - 0.4, reach)
        self.then(t, lambda: self.stage.pick_up(disc, seat))
        self.then(t + 0.5, lambda: self.stage.pocket_away(disc))

    def scenes(self, seconds: float) -> Iterator[Scene]:
        """Yields the true world frame by frame."""
        for i in range(math.ceil(seconds * self.fps)):
            t = i / self.fps
            while (due := min(self._plan, key=lambda step: step[0], default=None)) and due[0] <= t:
                self._plan.remove(due)
                self.stage.now = due[0]
                due[1]()
            if self.flight is not None and self.flight.rests_by(t - 0.2):
                self.stage.settle()
                self.flight = None
            yield self._led(self.stage.scene(t, EXPOSURE_S))

    def facts(self, seconds: float, observer: Observer | None = None) -> list[Fact]:
        """Returns the facts that vision reports; `observer` is given what is observed of strokes."""
        told: list[Fact] = []
        seeing: Seeing | None = None
        for i, scene in enumerate(self.scenes(seconds)):
            if seeing is None:
                seeing = Seeing(self.at.profile, [self.at.shot(scene, -k - 1) for k in range(BEGINNING)])
                if observer is not None:
                    seeing.watch.observe(observer)
            told += seeing.process(Frame(self.at.shot(scene, i), scene.t, i, 0.0))
        return told

    def fallen(self) -> list[tuple[Kind, Pocket | None]]:
        """Returns the pieces that fell in the last flight by the physics, in order."""
        return [(KINDS[f.disc], f.pocket) for f in self._falls]

    def _strike(self, heading: float, speed: float) -> None:
        self.flight = self.stage.strike(heading, speed)
        self._falls = self.flight.falls

    def _led(self, scene: Scene) -> Scene:
        """Returns the scene with the discs on given paths moved."""
        if not self._ways:
            return scene
        trail, lift, moving, where = scene.trail_mm.copy(), scene.lift_mm.copy(), scene.moving.copy(), [*scene.where]
        for disc, (since, way) in self._ways.items():
            if scene.t >= since:
                x, y, height = way(scene.t)
                lx, ly, _ = way(scene.t - 1 / self.fps)
                trail[:, disc], lift[disc] = (x, y), height
                where[disc] = Where.BOARD if height >= 0 else Where.FALLING if height > -NET_MM else Where.NET
                moving[disc] = where[disc] is not Where.NET and (height != 0.0 or (x, y) != (lx, ly))
        return replace(scene, trail_mm=trail, lift_mm=lift, moving=moving, where=tuple(where))


def strokes(facts: Iterable[Fact]) -> list[Stroke]:
    """Returns the reported strokes."""
    return [f for f in facts if isinstance(f, Stroke)]


def returns(facts: Iterable[Fact]) -> list[Returned]:
    """Returns the coins reported as put back."""
    return [f for f in facts if isinstance(f, Returned)]


def last_table(facts: Iterable[Fact]) -> tuple[Piece, ...]:
    """Returns the pieces of the last reported board."""
    return [f for f in facts if isinstance(f, Table)][-1].pieces


def counted(pieces: Iterable[Piece]) -> dict[Kind, int]:
    """Returns the number of pieces of each kind, without the striker."""
    kinds = [p.kind for p in pieces if p.kind is not Kind.STRIKER]
    return {k: kinds.count(k) for k in set(KINDS) if k in kinds}
