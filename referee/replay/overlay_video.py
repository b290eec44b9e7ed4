"""Exports a clip with the detected pieces drawn into its pictures and the stroke in slow motion."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
from av.container import OutputContainer
from numpy.typing import NDArray

from calibration.geometry.camera import Camera
from models.pieces import Kind
from referee.atomic_files import written
from referee.log import Line
from referee.replay.cliptimes import ClipTimes
from referee.replay.encoder import TICKS
from referee.replay.interpolate import detections_by_track, interpolated
from referee.replay.lettering import is_right_to_left, render_text
from referee.replay.outlines import ClipOutlines, DiscOutline
from referee.replay.tracks import TRACKS_LETTERS, Rows, Tracks

BGR = {
    TRACKS_LETTERS[Kind.WHITE]: (255, 255, 255),
    TRACKS_LETTERS[Kind.BLACK]: (60, 60, 60),
    TRACKS_LETTERS[Kind.QUEEN]: (80, 60, 230),
    TRACKS_LETTERS[Kind.STRIKER]: (255, 160, 40),
}
OTHER, BURN_EDGE, WHITE = (0, 220, 220), (0, 0, 0), (255, 255, 255)
CAPTION_HEIGHT_SHARE = 0.035
"""Height of the caption's letters as a share of the picture's."""
DASH_CORNERS = 6
"""Number of corners in one dash and gap of a dashed outline."""
TRAIL_S = 0.35
"""Length of the trail drawn behind a disc, in seconds."""
SLOW_BEFORE_S, SLOW_AFTER_S = 0.2, 0.1
"""Start of slow motion before the strike, and its end after the rest, in seconds."""
BURN_QUALITY = {"crf": "21", "preset": "veryfast"}
FRAME_RATE = 30

Image = NDArray[np.uint8]
PaintColour = tuple[int, int, int]


class OverlayError(Exception):
    """A clip cannot be written; the message is one sentence."""


def write_overlay_clip(
    clip: Path,
    times: ClipTimes,
    tracks: Tracks | None,
    stroke: Line,
    header: Line,
    captions: tuple[str, ...],
    slow: float,
    out: Path,
) -> None:
    """Writes the clip with overlay to `out` (MP4), the stroke `slow` times slower.

    `header`: of the log's start in which the stroke was played; `captions`: lines in any script. Raises BurnError.
    """
    pen = _Pen(times, tracks, ClipOutlines(times, header), stroke["t_strike"])
    try:
        with av.open(str(clip)) as source, written(out) as part, _mp4(part) as target:
            stream = target.add_stream("libx264", rate=FRAME_RATE, options=BURN_QUALITY)
            stream.width, stream.height, stream.pix_fmt = times.width // 2 * 2, times.height // 2 * 2, "yuv420p"
            stream.codec_context.time_base = Fraction(1, TICKS)
            clocks = slowed(times.times, stroke["t_strike"] - SLOW_BEFORE_S, stroke["t_rest"] + SLOW_AFTER_S, slow)
            for frame, t, clock in zip(source.decode(video=0), times.times, clocks, strict=False):
                image = np.asarray(frame.to_ndarray(format="bgr24"), np.uint8)
                drawn = av.VideoFrame.from_ndarray(pen.drawn(image, t, captions), "bgr24")
                drawn.pts, drawn.time_base = round(clock * TICKS), Fraction(1, TICKS)
                target.mux(stream.encode(drawn))
            target.mux(stream.encode(None))
    except (av.FFmpegError, OSError) as e:
        raise OverlayError(f"{out} cannot be written ({e.strerror or e}); check the clip and the space") from None


def _mp4(path: Path) -> OutputContainer:
    return av.open(str(path), "w", format="mp4", options={"movflags": "faststart"})


def slowed(times: tuple[float, ...], start: float, end: float, slow: float) -> Iterator[float]:
    """Yields the time at which each frame is shown (s): between `start` and `end` time passes `slow` times slower."""
    clock, last = 0.0, times[0] if times else 0.0
    for t in times:
        clock += (t - last) * (slow if start < t <= end else 1.0)
        last = t
        yield clock


def write(image: Image, text: str, top: int = 0) -> int:
    """Draws a line of text at `top` (px) where lines of its script begin, white with a black edge.

    A line longer than the picture is wide is set smaller. Returns where the next line may begin (px).
    """
    edge = max(1, image.shape[0] // 400)
    letters = render_text(text, CAPTION_HEIGHT_SHARE * image.shape[0])
    if (room := image.shape[1] - 4 * edge) < letters.shape[1]:
        letters = render_text(text, CAPTION_HEIGHT_SHARE * image.shape[0] * room / letters.shape[1])
    inside = cv2.copyMakeBorder(letters, *(2 * edge,) * 4, cv2.BORDER_CONSTANT, value=(0.0,))
    inside = inside[:, : image.shape[1]] if not is_right_to_left(text) else inside[:, -image.shape[1] :]
    around = cv2.dilate(inside, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * edge + 1, 2 * edge + 1)))
    height, width = inside.shape
    across = slice(image.shape[1] - width, None) if is_right_to_left(text) else slice(width)
    place = image[top : top + height, across]
    for coverage, colour in ((around, BURN_EDGE), (inside, WHITE)):
        share = coverage[: len(place), :, None] / 255.0
        place[:] = np.rint(place * (1 - share) + np.array(colour) * share)
    return top + int(height)


class _Pen:
    """Draws the tracks at one time over its picture."""

    def __init__(self, times: ClipTimes, tracks: Tracks | None, rims: ClipOutlines, t_strike: float) -> None:
        self._rims, self._tracks, self._strike, self._top = rims, tracks, t_strike, times.top_mm
        self._ways: list[Rows] = detections_by_track(tracks) if tracks else []
        self._thick = max(1, times.height // 400)

    def drawn(self, image: Image, t: float, captions: tuple[str, ...]) -> Image:
        image = np.ascontiguousarray(image)
        if self._tracks is not None:
            camera = self._rims.camera_at(t)
            for rows in self._ways:
                if camera is not None and interpolated(rows, t) is not None:
                    self._trail(image, camera, rows, t)
            for rim in self._rims.at(self._tracks, t, self._strike):
                self._ring(image, rim)
        top = 0
        for line in captions:
            top = write(image, line, top)
        return image

    def _ring(self, image: Image, rim: DiscOutline) -> None:
        """Draws a piece's outline, dashed where its place is in doubt."""
        colour = BGR.get(rim.shown.kind, OTHER)
        if rim.shown.sure:
            self._line(image, rim.px, colour, True)
            return
        for first in range(0, len(rim.px), DASH_CORNERS):
            self._line(image, rim.px[first : first + DASH_CORNERS // 2 + 1], colour, False)

    def _trail(self, image: Image, camera: Camera, rows: Rows, t: float) -> None:
        behind = rows[(rows["t"] <= t) & (rows["t"] >= t - TRAIL_S)]
        if len(behind) > 1:
            way = camera.to_pixels(np.column_stack([behind["x"], behind["y"]]), self._top)
            self._line(image, way, BGR.get(bytes(rows["kind"][0]), OTHER), False)

    def _line(self, image: Image, px: NDArray[np.float64], colour: PaintColour, closed: bool) -> None:
        points = [np.rint(px * 16).astype(np.int32)]
        cv2.polylines(image, points, closed, BURN_EDGE, 3 * self._thick, cv2.LINE_AA, 4)
        cv2.polylines(image, points, closed, colour, self._thick, cv2.LINE_AA, 4)
