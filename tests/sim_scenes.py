"""Pictures with known truth: any pieces and hands on the simulator's board, under its exact camera."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from calibration.geometry.camera import Camera
from calibration.geometry.picture import Picture
from calibration.profile import Circle, Profile, Residuals, Segment, SideMarks
from models.board import BoardModel, load_board
from models.pieces import Kind, Piece, Pocket, Seat, from_side, opening_formation
from referee.foreground.background import BackgroundModel, ForegroundFrame
from referee.pieces.detector import learn_colours
from referee.sim.hands import Hand
from referee.sim.render import Renderer
from referee.sim.scene import HandPose, Scene, Where
from referee.sim.sensor_noise import Exposure, Sensor
from referee.sim.stage import KINDS
from referee.sim.viewpoint import Appearance, Mount, camera_over
from referee.sim.viewpoint import pushed as seen_from_elsewhere

SIZE = (728, 544)
BOARD = load_board()
LOOK, MOUNT = Appearance(), Mount()
TOUCHING_MM = 12.0
"""Height of a fingertip that holds or strikes a disc."""
RING_INK_MM = 1.5
"""Rings are drawn this wide, within the book's radius."""
HANDS = (Seat.SOUTH, Seat.NORTH)
"""Seats whose hands can be drawn."""
RADIUS = {k: BOARD.radius(k) for k in Kind}

SCATTERED = (
    Piece(Kind.WHITE, -180.3, 140.7), Piece(Kind.BLACK, 150.2, -90.6), Piece(Kind.QUEEN, 60.4, 200.9),
    Piece(Kind.WHITE, 300.1, 301.4), Piece(Kind.BLACK, -310.8, -20.2), Piece(Kind.WHITE, 20.5, -180.1),
    Piece(Kind.BLACK, -120.9, -250.3), Piece(Kind.WHITE, -60.2, 330.6), Piece(Kind.BLACK, 250.7, 60.8),
    Piece(Kind.STRIKER, 100.6, 100.2),
)  # fmt: skip
"""Pieces all over the board: some on lines and near cushions, none on a printed circle."""
FORMATION = opening_formation(2 * BOARD.coin_radius)


def icf_marks(board: BoardModel, seat: Seat) -> SideMarks:
    """Returns the marks before one seat by the book."""
    x, rear = board.base_circle_x, board.half - board.rear_line

    def line(y: float, thickness: float) -> Segment:
        return Segment(from_side(seat, -x, -y), from_side(seat, x, -y), thickness)

    def moon(side: float) -> Circle:
        return Circle(from_side(seat, side * x, -board.base_y), board.base_circle_radius)

    def arrow(side: float) -> Segment:
        tip = board.half - board.arrow_start
        inner = tip - board.arrow_length / math.sqrt(2)
        return Segment(from_side(seat, side * tip, -tip), from_side(seat, side * inner, -inner), board.arrow_thickness)

    return SideMarks(line(rear, board.rear_line_thickness), line(rear - board.line_gap, board.front_line_thickness),
                     moon(-1.0), moon(1.0), arrow(-1.0), arrow(1.0))  # fmt: skip


def book_profile(camera: Camera, board: BoardModel = BOARD) -> Profile:
    """Returns the profile of a perfect calibration: the true camera and every mark by the book, without learned
    colours.
    """
    inset = board.half - board.pocket_inset
    pockets = {p: Circle((p.corner[0] * inset, p.corner[1] * inset), board.pocket_diameter / 2) for p in Pocket}
    sides = {seat: icf_marks(board, seat) for seat in Seat}
    return Profile(camera, board, sides, pockets, Residuals(0.0, 0.0, 40))


class Studio:
    """Takes pictures of any scene. Its profile is by the book, whatever `board` is drawn."""

    def __init__(self, width: int = SIZE[0], height: int = SIZE[1], noise: float = 1.6, seed: int = 7,
                 look: Appearance = LOOK, mount: Mount = MOUNT, board: BoardModel = BOARD,
                 pushed: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> None:  # fmt: skip
        """Builds the camera; `pushed`: offset (mm, mm, rad) of the board from its place in the picture."""
        rng = np.random.default_rng(seed)
        before = camera_over(board, width, height, mount)
        self.camera = seen_from_elsewhere(before, *pushed)
        self.profile = book_profile(self.camera)
        sensor = Sensor(width, height, Exposure(noise=noise), rng)
        self._renderer = Renderer(self.camera, board, look, HANDS, sensor, rng, before)

    def picture(self, pieces: Iterable[Piece] = (), hands: Sequence[HandPose] = (), grain: int = 0) -> Picture:
        """Returns a picture of pieces at rest with `hands` over them, no more of a kind than a set has. `grain` selects
        the noise.
        """
        free = {kind: [i for i, k in enumerate(KINDS) if k is kind] for kind in Kind}
        where, at = [Where.AWAY] * len(KINDS), np.zeros((1, len(KINDS), 2))
        for piece in pieces:
            disc = free[piece.kind].pop(0)
            where[disc], at[0, disc] = Where.BOARD, (piece.x_mm, piece.y_mm)
        still = np.zeros(len(KINDS), bool)
        scene = Scene(0.0, KINDS, tuple(where), at, np.zeros(len(KINDS)), still, tuple(hands))
        return self.shot(scene, grain)

    def shot(self, scene: Scene, grain: int = 0) -> Picture:
        """Returns a picture of a scene of the simulator."""
        return self._renderer.draw(scene, grain)


@lru_cache(maxsize=1)
def studio() -> Studio:
    """Returns the studio that most tests share. Drawing its board takes a second."""
    return Studio()


@lru_cache(maxsize=1)
def learned() -> Profile:
    """Returns the studio's profile with the coins' colours, learned from a picture of scattered coins: half a second's
    work.
    """
    return learn_colours(studio().profile, [studio().picture(SCATTERED)])


def hand_over(seat: Seat, x: float, y: float, pinch: float = 0.0) -> HandPose:
    """Returns a hand of `seat` whose fingertip touches what lies at board (x, y) mm."""
    return Hand(seat, BOARD).over(x, y, z=TOUCHING_MM, pinch=pinch)


def lit(picture: Picture, gain: Sequence[Sequence[float]] | float) -> Picture:
    """Returns the picture in other light: luma and colour multiplied by `gain`, one factor or one a pixel."""
    share = np.broadcast_to(np.asarray(gain), picture.y.shape)[::2, ::2]
    chroma = (128.5 + (c.astype(np.float64) - 128.0) * share for c in (picture.u, picture.v))
    return Picture(shadowed(picture, gain).y, *(np.clip(c, 0, 255).astype(np.uint8) for c in chroma))


def shadowed(picture: Picture, gain: Sequence[Sequence[float]] | float) -> Picture:
    """Returns the picture with its luma multiplied by `gain`, as in a shadow without a change of colour."""
    luma = 16.0 + (picture.y.astype(np.float64) - 16.0) * np.asarray(gain)
    return Picture(np.clip(luma + 0.5, 0, 235).astype(np.uint8), picture.u, picture.v)


Place = tuple[float, float]


def unmatched(found: Iterable[Place], true: Iterable[Place], within_mm: float) -> tuple[list[Place], list[Place]]:
    """Returns the found places without a true one, and the true places without a found one. They are matched one to
    one.
    """
    left, missing = list(found), []
    for place in true:
        near = min(left, key=lambda f: math.dist(f, place), default=None)
        if near is None or math.dist(near, place) > within_mm:
            missing.append(place)
        else:
            left.remove(near)
    return left, missing


def places(pieces: Iterable[Piece]) -> list[Place]:
    """Returns the positions of pieces, board mm."""
    return [(p.x_mm, p.y_mm) for p in pieces]


def compared(background: BackgroundModel, picture: Picture, t: float) -> ForegroundFrame:
    """Returns what of a picture differs from the bare board."""
    return background.compare(background.lattice.sample(picture), t)


def gate_over(empty: Picture | None = None, at: Studio | None = None) -> BackgroundModel:
    """Returns a background model that has learned the empty board."""
    place = at or studio()
    background = BackgroundModel(place.profile)
    looks = [background.lattice.sample(place.picture(grain=i)) for i in range(1, 5)]
    background.learn_noise(looks)
    first = looks[0] if empty is None else background.lattice.sample(empty)
    background.remember(first, np.zeros(background.lattice.shape, np.uint8))
    return background
