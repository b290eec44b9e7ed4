"""Converts decoded pictures to planes: views where the format allows, a conversion where it does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

import av
import numpy as np
from av.sidedata.sidedata import SideData
from av.sidedata.sidedata import Type as SideType
from av.video.plane import VideoPlane
from av.video.reformatter import ColorRange, Interpolation, VideoReformatter

from calibration.geometry.picture import U8, Picture

NATIVE = ("yuv420p", "yuvj420p")
"""Pixel formats that need no conversion: 8 bits, planar, chroma halved both ways."""

SCALING = Interpolation.BILINEAR | Interpolation.ACCURATE_RND | Interpolation.BITEXACT
"""The converter's arithmetic: the same bytes on every machine."""


@dataclass(frozen=True, slots=True)
class PictureTurn:
    """Turn of the picture by a recorder's display matrix: transpose first, then flip."""

    transpose: bool = False
    flip_rows: bool = False
    flip_columns: bool = False

    def apply(self, plane: U8) -> U8:
        """Returns the plane the right way up: itself when nothing is to do, a contiguous copy otherwise."""
        if self == UPRIGHT:
            return plane
        turned = plane.T if self.transpose else plane
        turned = turned[::-1] if self.flip_rows else turned
        upright = np.ascontiguousarray(turned[:, ::-1] if self.flip_columns else turned)
        upright.setflags(write=False)
        return upright


UPRIGHT = PictureTurn()


def turn_of(frame: av.VideoFrame) -> PictureTurn:
    """Returns the turn that the frame's display matrix asks for, to the nearest quarter turn, mirroring included."""
    side_data = cast("Mapping[SideType, SideData]", frame.side_data)
    if SideType.DISPLAYMATRIX not in side_data:
        return UPRIGHT
    a, b, _, c, d = np.frombuffer(bytes(side_data[SideType.DISPLAYMATRIX]), np.int32)[:5].tolist()
    if abs(a) + abs(d) >= abs(b) + abs(c):
        return PictureTurn(False, d < 0, a < 0)
    return PictureTurn(True, b < 0, c < 0)


def is_full_range(frame: av.VideoFrame) -> bool:
    """Tells whether luma spans 0-255, by the format's name or by the stream's flag."""
    return frame.format.name.startswith("yuvj") or frame.color_range == ColorRange.JPEG


@dataclass(slots=True)
class PlaneReader:
    """Turns decoded frames into pictures; reuses one converter, whose set-up costs more than a frame."""

    _reformatter: VideoReformatter = field(default_factory=VideoReformatter)
    _turn: PictureTurn = UPRIGHT
    _rotation: int | None = None
    """Rotation (degrees, as FFmpeg states it) at which `_turn` was read."""

    def picture(self, frame: av.VideoFrame) -> Picture:
        """Returns the frame as planes; the planes keep the frame's memory alive.

        An odd last row or column is cut, since chroma comes in pairs.
        """
        turn, full = self._turn_of(frame), is_full_range(frame)
        native = frame if frame.format.name in NATIVE else self._converted(frame, full)
        rows, columns = native.height // 2, native.width // 2
        y = _view(native.planes[0], 2 * rows, 2 * columns)
        u, v = (_view(plane, rows, columns) for plane in native.planes[1:3])
        return Picture(turn.apply(y), turn.apply(u), turn.apply(v), full)

    def _turn_of(self, frame: av.VideoFrame) -> PictureTurn:
        """Returns the frame's turn, read anew only when its rotation changes.

        A frame asked for its side data refers to itself from then on, so it would stay in memory until the garbage is
        collected.
        """
        if frame.rotation != self._rotation:
            self._turn, self._rotation = turn_of(frame), frame.rotation
        return self._turn

    def _converted(self, frame: av.VideoFrame, full: bool) -> av.VideoFrame:
        """Returns the frame in 8 bits and 4:2:0 with its own range.

        RGB becomes full range, so nothing of it is lost.
        """
        luma = ColorRange.JPEG if full else ColorRange.MPEG
        source = None if frame.format.is_rgb else luma
        return self._reformatter.reformat(
            frame, format="yuv420p", interpolation=SCALING, src_color_range=source, dst_color_range=luma
        )


def _view(plane: VideoPlane, rows: int, columns: int) -> U8:
    """Returns the plane's pixels (rows, columns) without its padding, read-only, without a copy."""
    flat = np.frombuffer(memoryview(plane), np.uint8, rows * plane.line_size)
    flat.setflags(write=False)
    return flat.reshape(rows, plane.line_size)[:, :columns]
