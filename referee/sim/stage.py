"""The stage: where every piece and hand is at any moment."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from models.board import BoardModel
from models.pieces import FULL_SET, Kind, Piece, Pocket, Seat
from referee.sim.hands import HANDS_TOUCH_MM, Hand
from referee.sim.physics import Discs, Flight, Sliding
from referee.sim.scene import Scene, Where

F64 = NDArray[np.float64]

COIN_MASS_G = 5.3
"""Mass of a coin, g. ICF equipment: 5.25-5.50."""
STRIKER_MASS_G = 15.0
"""Mass of the striker, g. ICF equipment: at most 15."""
FALL_S = 0.09
"""Time from tipping over the rim until a disc lies in the net, s."""
FALL_MM = 40.0
"""Depth at which a falling disc is out of sight, mm."""
MAX_TRAIL = 7
"""Greatest number of moments of an exposure at which a blurred disc is drawn."""
KINDS: tuple[Kind, ...] = (*(kind for kind, n in FULL_SET.items() for _ in range(n)), Kind.STRIKER)
STAGE_STRIKER = len(KINDS) - 1


class Stage:
    """Pieces and hands. The script changes them only at the time `now`."""

    def __init__(self, board: BoardModel, sliding: Sliding, seats: Iterable[Seat]) -> None:
        self.board = board
        self.now = 0.0
        self.hands = {seat: Hand(seat, board) for seat in seats}
        self.pos: F64 = np.zeros((len(KINDS), 2))
        self.where = [Where.AWAY] * len(KINDS)
        self.radius = np.array([board.radius(k) for k in KINDS])
        self._mass = np.array([STRIKER_MASS_G if k is Kind.STRIKER else COIN_MASS_G for k in KINDS])
        self._sliding = sliding
        self._holder: dict[int, Seat] = {}
        self._flight: Flight | None = None

    def indices(self, where: Where, kind: Kind | None = None) -> list[int]:
        """Returns the pieces at `where`, of one kind or of any."""
        return [i for i, w in enumerate(self.where) if w is where and kind in (None, KINDS[i])]

    def put(self, disc: int, x: float, y: float) -> None:
        """Places a piece on the board."""
        self.pos[disc] = x, y
        self.where[disc] = Where.BOARD
        self._holder.pop(disc, None)

    def lay_out(self, pieces: Iterable[Piece]) -> None:
        """Places coins on the board, kind by kind."""
        free = {kind: [i for i, k in enumerate(KINDS) if k is kind] for kind in Kind}
        for piece in pieces:
            self.put(free[piece.kind].pop(0), piece.x_mm, piece.y_mm)

    def drop(self, disc: int) -> None:
        """Puts a coin into one of the nets."""
        self.pos[disc] = pocket_centre(self.board, list(Pocket)[disc % len(Pocket)])
        self.where[disc] = Where.NET

    def pick_up(self, disc: int, seat: Seat) -> None:
        """Has the hand of `seat` pick a piece up and carry it from now on."""
        self.where[disc] = Where.HELD
        self._holder[disc] = seat

    def pocket_away(self, disc: int) -> None:
        """Removes a piece from play."""
        self.where[disc] = Where.AWAY
        self._holder.pop(disc, None)

    def strike(self, heading: float, speed_mm_s: float) -> Flight:
        """Starts the striker now; the motion that follows can be queried."""
        vel = np.zeros_like(self.pos)
        vel[STAGE_STRIKER] = speed_mm_s * math.cos(heading), speed_mm_s * math.sin(heading)
        live = np.array([w is Where.BOARD for w in self.where])
        discs = Discs(self.pos, vel, self.radius, self._mass, live)
        self._flight = Flight(self.board, discs, self.now, self._sliding)
        return self._flight

    def settle(self) -> None:
        """Ends the motion: its outcome becomes the state of the board."""
        if self._flight is None:
            return
        self.pos = self._flight.at(math.inf)
        for fall in self._flight.falls:
            self.where[fall.disc] = Where.NET
        self._flight = None

    def scene(self, t: float, exposure_s: float = 0.0) -> Scene:
        """Returns the world during the exposure whose middle is t."""
        where = list(self.where)
        lift = np.zeros(len(KINDS))
        moving = np.zeros(len(KINDS), bool)
        trail = self._trail(t, exposure_s)
        if self._flight is not None:
            moving |= self._flight.moving(t)
            self._show_falls(t, where, trail, lift, moving)
        for disc, seat in self._holder.items():
            pose = self.hands[seat].pose(t)
            trail[:, disc] = pose.x_mm, pose.y_mm
            lift[disc] = max(pose.z_mm - HANDS_TOUCH_MM, 0.0)
            moving[disc] = True
        hands = tuple(hand.pose(t) for hand in self.hands.values() if not hand.is_out(t))
        return Scene(t, KINDS, tuple(where), trail, lift, moving, hands)

    def _trail(self, t: float, exposure_s: float) -> F64:
        if self._flight is None:
            return self.pos[None].copy()
        if exposure_s <= 0 or self._flight.rests_by(t - exposure_s / 2):
            return self._flight.at(t)[None]
        moments = t + exposure_s * (np.arange(MAX_TRAIL) / (MAX_TRAIL - 1) - 0.5)
        return np.stack([self._flight.at(float(m)) for m in moments])

    def _show_falls(self, t: float, where: list[Where], trail: F64, lift: F64, moving: NDArray[np.bool_]) -> None:
        assert self._flight is not None
        for fall in self._flight.falls:
            if fall.t > t:
                continue
            part = (t - fall.t) / FALL_S
            where[fall.disc] = Where.FALLING if part < 1 else Where.NET
            moving[fall.disc] = part < 1
            hole = np.array(pocket_centre(self.board, fall.pocket))
            trail[:, fall.disc] = np.array(fall.at_mm) + (hole - np.array(fall.at_mm)) * min(part, 1.0)
            lift[fall.disc] = -FALL_MM * min(part, 1.0) ** 2


def pocket_centre(board: BoardModel, pocket: Pocket) -> tuple[float, float]:
    """Returns the centre of a pocket's opening, board mm."""
    reach = board.half - board.pocket_inset
    return pocket.corner[0] * reach, pocket.corner[1] * reach
