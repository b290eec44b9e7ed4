"""Opens the source of frames that is named on the command line."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

from referee.frames.folder import ImageFolder
from referee.frames.frame import Source, SourceError
from referee.frames.network import NetworkCamera, is_address
from referee.frames.picamera import PICAMERA_DEFAULT_FPS, PicameraSource
from referee.frames.v4l2 import Webcam
from referee.frames.video import VideoFile


def open_source(spec: str, *, size: tuple[int, int] | None = None, fps: float | None = None,
                row_s: float | None = None, pixel_format: str | None = None,
                simulator: Callable[[], Source] | None = None) -> Source:  # fmt: skip
    """Returns the source that `spec` names, not yet entered.

    `spec` is `picamera`, a V4L2 device, a network camera's address, a video file, a folder or `sim`. `size` (width,
    height) and `pixel_format` are requests to a camera. `fps` is one too, and the rate of folders and of videos
    without timestamps. `row_s` is the readout time of a row (s) if it is known. `simulator` makes the source for
    `sim`, which is not known here. Raises SourceError if `spec` is none of these.
    """
    if spec == "picamera":
        return PicameraSource(size=size, fps=fps or PICAMERA_DEFAULT_FPS, row_s=row_s)
    if is_address(spec):
        return NetworkCamera(spec, row_s=row_s)
    if spec == "sim":
        if simulator is None:
            raise SourceError("this command takes no simulator; give a camera, a video file or an image folder")
        return simulator()
    path = Path(spec)
    try:
        mode = path.stat().st_mode
    except OSError as e:
        raise SourceError(f"{spec}: {(e.strerror or 'not readable').lower()}; SOURCE is picamera, a device such as "
                          "/dev/video0, an address such as rtsp://192.168.1.20/stream, a video file, an image folder "
                          "or sim") from None  # fmt: skip
    if stat.S_ISCHR(mode):
        return Webcam(spec, size=size, fps=fps, pixel_format=pixel_format, row_s=row_s)
    if stat.S_ISDIR(mode):
        return ImageFolder(spec, fps=fps, row_s=row_s)
    return VideoFile(spec, fps=fps, row_s=row_s)
