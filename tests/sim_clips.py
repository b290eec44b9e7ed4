"""Short recordings of the simulator: real files, written and read like a camera's."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import islice
from pathlib import Path

import av
import numpy as np

from calibration.geometry.picture import Picture
from referee.sim.script import MatchConditions
from referee.sim.source import SimSource

SIZE = (480, 360)
FPS = 30
QUIET, LAST = 60, 162
"""First and last frame of the clip in the simulated match: the formation alone, a stroke, and the settled board."""
FLYING = 120
"""Frame of the match at which the break is under way."""


def simulator() -> SimSource:
    """Returns a simulator with brisk players, so that one stroke takes four seconds."""
    return SimSource(width=SIZE[0], height=SIZE[1], manner=MatchConditions(tempo=0.4))


def one_stroke(last: int = LAST) -> tuple[Picture, ...]:
    """Returns the clip's pictures, up to frame `last` of the match."""
    return _whole()[: last - QUIET]


@cache
def _whole() -> tuple[Picture, ...]:
    with simulator() as sim:
        return tuple(frame.picture for frame in islice(sim, QUIET, LAST))


def record(path: Path, pictures: Iterable[Picture]) -> Path:
    """Writes the pictures as H.264. A Matroska file can be read up to the point where it is cut off."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=FPS, options={"crf": "18", "preset": "ultrafast", "g": "15"})
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        for picture in pictures:
            planes = np.concatenate([picture.y.ravel(), picture.u.ravel(), picture.v.ravel()])
            shown = planes.reshape(SIZE[1] * 3 // 2, SIZE[0])
            container.mux(stream.encode(av.VideoFrame.from_ndarray(shown, "yuv420p")))
        container.mux(stream.encode(None))
    return path


def grey(luma: int) -> Picture:
    """Returns a picture of one shade."""
    width, height = SIZE
    half = np.full((height // 2, width // 2), 128, np.uint8)
    return Picture(np.full((height, width), luma, np.uint8), half, half)


def half_a_board(picture: Picture) -> Picture:
    """Returns the picture as of a camera that sees only half of the board."""
    moved = []
    for plane, fill in ((picture.y, 90), (picture.u, 128), (picture.v, 128)):
        out = np.full_like(plane, fill)
        out[:, plane.shape[1] // 2 :] = plane[:, : plane.shape[1] // 2]
        moved.append(out)
    return Picture(*moved, picture.full_range)
