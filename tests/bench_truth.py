"""Truth of a clip, and logs that agree or disagree with it, written by hand."""

from __future__ import annotations

from dataclasses import replace

from calibration.geometry.camera import Camera
from models.board import load_board
from models.pieces import Kind, Piece, Pocket, Seat
from referee.bench.measure import Logged
from referee.bench.truth import Gone, TrueMarks, TruePlacement, TruePlay, Truth
from referee.facts import Clearances, Placement, Pocketed, Stroke, Table
from referee.sim.viewpoint import Mount, camera_over

BOARD = load_board()
CAMERA: Camera = camera_over(BOARD, 728, 544, Mount())
MARKS = TrueMarks(BOARD.half, BOARD.base_circle_x, BOARD.base_y, BOARD.half - BOARD.pocket_inset)
REST = (Piece(Kind.WHITE, 10.0, 20.0), Piece(Kind.BLACK, -100.0, 40.0), Piece(Kind.STRIKER, 0.0, 0.0))
PLAY = TruePlay(
    Seat.SOUTH, 2.0, 3.0, TruePlacement(0.0, -252.0, True, None, 2.0), True, Kind.WHITE,
    (Gone(Kind.WHITE, Pocket.NE, 2.5), Gone(Kind.BLACK, Pocket.NW, 2.8)), (), frozenset(), REST, (), None,
)  # fmt: skip
STROKE = Stroke(
    1, Seat.SOUTH, 1.0, 2.02, 3.0, 3.2, Placement(0.3, -252.0, True, None, 2.1, 0.3, Clearances()), Kind.WHITE,
    (Pocketed(Kind.WHITE, Pocket.NE, 2.5), Pocketed(Kind.BLACK, Pocket.NW, 2.8)), (), (), confidence=0.95,
)  # fmt: skip
TABLE = Table(3.2, tuple(replace(p, x_mm=p.x_mm + 0.2) for p in REST))


def truth(*plays: TruePlay, fps: float = 60.0) -> Truth:
    return Truth("moon", fps, 600, 10.0, CAMERA, MARKS, plays, (), (), False)


def log(*facts: Stroke | Table) -> Logged:
    return Logged(facts, {}, CAMERA)
