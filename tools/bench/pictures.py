"""Pictures of boards on which something went wrong: true and detected pieces drawn over the camera's picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import cv2
import numpy as np

from calibration.geometry.camera import Camera
from calibration.geometry.picture import U8, Picture
from models.pieces import Kind, Piece
from referee.bench.clips import ClipResult
from referee.bench.score import Case
from referee.sim.source import SimSource

TRUE_BGR, LOGGED_BGR = (80, 220, 80), (60, 60, 255)
"""Colours of the rings: wide green ones for true pieces, narrow red ones for detected ones."""
TRUE_MM, LOGGED_MM, TOP_MM = 17.5, 13.0, 8.0
WIDTH_PX, QUALITY = 900, 80
MOST_CASES = 3
"""Greatest number of pictures of one clip or world."""
LATER_S = 0.05
"""Time after the last piece came to rest at which a board is shown, s."""


def drawn(picture: Picture, camera: Camera, case: Case) -> U8:
    """Returns the picture (height, width, 3) with the case's pieces and text."""
    image = np.ascontiguousarray(picture.bgr())
    _ring(image, camera, case.true, TRUE_MM, TRUE_BGR)
    _ring(image, camera, case.logged, LOGGED_MM, LOGGED_BGR)
    height = round(image.shape[0] * WIDTH_PX / image.shape[1])
    small = np.asarray(cv2.resize(image, (WIDTH_PX, height), interpolation=cv2.INTER_AREA), np.uint8)
    said = f"{case.clip} {case.t:.2f} s: {case.text}"
    for colour, thick in (((0, 0, 0), 4), ((255, 255, 255), 1)):
        cv2.putText(small, said, (8, 22), cv2.FONT_HERSHEY_SIMPLEX, 0.55, colour, thick, cv2.LINE_AA)
    return small


def _ring(image: U8, camera: Camera, pieces: Iterable[Piece], radius_mm: float, colour: tuple[int, int, int]) -> None:
    for p in pieces:
        centre = camera.to_pixels([(p.x_mm, p.y_mm)], TOP_MM)[0]
        radius = radius_mm * float(camera.px_per_mm([(p.x_mm, p.y_mm)])[0])
        cv2.circle(image, (round(centre[0]), round(centre[1])), round(radius), colour, 2, cv2.LINE_AA)
        letter = "?" if p.kind is Kind.STRIKER else p.kind.value[0]
        at = (round(centre[0] + radius), round(centre[1] + (radius if colour == LOGGED_BGR else 0)))
        cv2.putText(image, letter, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, colour, 2, cv2.LINE_AA)


def worst(cases: Iterable[Case]) -> list[Case]:
    """Returns the cases to be shown, wrong calls before wrong tables."""
    return sorted(cases, key=lambda c: (not c.called_wrong, c.t))[:MOST_CASES]


def keep_world(sim: SimSource, cases: Sequence[Case], folder: Path) -> None:
    """Draws a world's cases, rendered again by its simulator; `folder` must exist."""
    with sim:
        for case in worst(cases):
            index = min(round((case.t + LATER_S) * sim.options.fps), sim.frames - 1)
            _write(drawn(sim.picture(index), sim.camera, case), folder, case)


def keep_clip(result: ClipResult, folder: Path) -> None:
    """Draws a clip's cases, decoding it again up to the last one; `folder` must exist."""
    left = sorted(worst(result.sheet.cases), key=lambda c: c.t)
    if not left:
        return
    with result.source() as source:
        for frame in source:
            while left and frame.t >= left[0].t + LATER_S:
                _write(drawn(frame.picture, result.truth.camera, left[0]), folder, left.pop(0))
            if not left:
                return


def _write(image: U8, folder: Path, case: Case) -> None:
    name = f"{case.clip.replace(' ', '-')}-{case.t:.2f}.jpg"
    (folder / name).write_bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes())
