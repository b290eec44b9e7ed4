"""Clips from another camera pose: mirrored, slightly rotated and with fewer pixels.

A carrom board is its own mirror image and so is a stroke, so each clip yields another with truth for which nothing was
tuned: other pixels lie under each mark, seats and pockets change places. Rows stay rows but for a small rotation, so a
rolling shutter stays one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from calibration.geometry.camera import F64, Camera
from calibration.geometry.picture import Picture
from models.pieces import Pocket, Seat
from referee.bench.truth import Gone, TruePlay, Truth
from referee.frames.frame import Frame, Source
from referee.frames.source_wrapper import ForwardingSource
from tools.bench.warped import warped

TURN_RAD = math.radians(2.5)
SCALES = (0.8, 1.0)
FLIP = np.diag((-1.0, 1.0, 1.0))
SEATS = {Seat.EAST: Seat.WEST, Seat.WEST: Seat.EAST}
POCKETS = {Pocket.SW: Pocket.SE, Pocket.SE: Pocket.SW, Pocket.NW: Pocket.NE, Pocket.NE: Pocket.NW}


@dataclass(frozen=True, slots=True)
class Hanging:
    """Pose of a mirrored picture."""

    turn: float
    """Rotation from the picture's right towards its bottom, radians."""
    scale: float

    @property
    def rotation(self) -> F64:
        """Rotation matrix (2, 2)."""
        c, s = math.cos(self.turn), math.sin(self.turn)
        return np.array([[c, -s], [s, c]])

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Returns the new width and height of a picture, even for the chroma planes' sake."""
        return 2 * round(self.scale * width / 2), 2 * round(self.scale * height / 2)

    def way(self, width: int, height: int) -> F64:
        """Returns the affine map (2, 3) from pixels of a picture to the new ones; pixel centres at integers."""
        turned = self.scale * self.rotation @ FLIP[:2, :2]
        to = (np.array(self.size(width, height)) - 1) / 2
        return np.column_stack([turned, to - turned @ ((width - 1) / 2, (height - 1) / 2)])


def hanging(seed: int, name: str) -> Hanging:
    """Returns the pose for the clip of this name, the same for the same `seed`."""
    rng = np.random.default_rng([seed, *name.encode()])
    return Hanging(rng.uniform(-TURN_RAD, TURN_RAD), rng.uniform(*SCALES))


class Rehung(ForwardingSource):
    """Passes on a source's frames as from the new pose."""

    def __init__(self, source: Source, how: Hanging) -> None:
        super().__init__(source)
        self._how = how

    def __iter__(self) -> Iterator[Frame]:
        for frame in self._source:
            yield replace(frame, picture=shown(frame.picture, self._how), lasts=True)


def shown(picture: Picture, how: Hanging) -> Picture:
    """Returns a picture as from the new pose."""
    width, height = picture.width, picture.height
    return warped(picture, how.way(width, height), *how.size(width, height))


def rehung(truth: Truth, how: Hanging) -> Truth:
    """Returns the truth of a clip from the new pose."""
    return replace(truth, camera=_camera(truth.camera, how), strokes=tuple(_play(p) for p in truth.strokes))


def _camera(camera: Camera, how: Hanging) -> Camera:
    """Returns the camera that sees the mirrored board as in the new picture. Pixels are assumed square for its
    rotation.
    """
    way = how.way(camera.width, camera.height)
    about = np.eye(3)
    about[:2, :2] = how.rotation
    k = np.diag((how.scale * camera.k[0, 0], how.scale * camera.k[1, 1], 1.0))
    k[:2, 2] = way[:, :2] @ camera.k[:2, 2] + way[:, 2]
    k1, k2, p1, p2, k3 = camera.dist
    # OpenCV's tangential terms shift by r^2 (p2, p1) + 2 x (x . (p2, p1)), a vector that turns with the picture.
    right, down = how.rotation @ (-p2, p1)
    size = how.size(camera.width, camera.height)
    return Camera.of(*size, k, (k1, k2, down, right, k3), about @ FLIP @ camera.r @ FLIP, about @ FLIP @ camera.t)


def _play(play: TruePlay) -> TruePlay:
    return replace(
        play, seat=_seat(play.seat), turn_after=play.turn_after and _seat(play.turn_after),
        placement=play.placement and replace(play.placement, x_mm=-play.placement.x_mm),
        pocketed=tuple(_gone(g) for g in play.pocketed), off_board=tuple(_gone(g) for g in play.off_board),
        rest=tuple(replace(p, x_mm=-p.x_mm) for p in play.rest),
    )  # fmt: skip


def _seat(seat: Seat) -> Seat:
    return SEATS.get(seat, seat)


def _gone(gone: Gone) -> Gone:
    return replace(gone, pocket=gone.pocket and POCKETS[gone.pocket])
