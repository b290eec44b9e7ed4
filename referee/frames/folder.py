"""A folder of pictures as a source, in the order in which people number them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import cv2
import numpy as np

from calibration.geometry.lens import StatedLens
from calibration.geometry.picture import U8, picture_from_bgr
from referee.frames.exif import lens_by_exif
from referee.frames.frame import Frame, SourceError
from referee.frames.heic import from_heic, is_heic

FOLDER_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp", ".heic", ".heif"})

FOLDER_DEFAULT_FPS = 30.0
"""Rate (frames/s) of a folder when none is given."""


class ImageFolder:
    """Source of pictures of one size at a fixed rate; frames stay valid as long as their planes are referenced."""

    live = False

    def __init__(self, path: str, *, fps: float | None = None, row_s: float | None = None) -> None:
        self.name = path
        self.fps: float | None = fps or FOLDER_DEFAULT_FPS
        self._rate = fps or FOLDER_DEFAULT_FPS
        self._row_s = row_s
        self._paths: list[Path] = []

    def __enter__(self) -> Self:
        """Lists the folder; raises SourceError when it is missing or holds no pictures."""
        try:
            entries = list(Path(self.name).iterdir())
        except OSError as e:
            raise SourceError(f"the folder {self.name} cannot be read ({e.strerror}); check the path") from None
        self._paths = sorted((p for p in entries if p.suffix.lower() in FOLDER_SUFFIXES), key=natural)
        if not self._paths:
            raise SourceError(f"the folder {self.name} holds no pictures ({', '.join(sorted(FOLDER_SUFFIXES))})")
        return self

    @property
    def stated_lens(self) -> StatedLens | None:
        """Focal length by the first photograph's Exif."""
        return lens_by_exif(self._paths[0]) if self._paths else None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self._paths = []

    def __iter__(self) -> Iterator[Frame]:
        size: tuple[int, ...] | None = None
        for index, path in enumerate(self._paths):
            image = read_image(path)
            size = size or image.shape
            if image.shape != size:
                raise SourceError(
                    f"{path} has {image.shape[1]}x{image.shape[0]} pixels but the pictures before it have "
                    f"{size[1]}x{size[0]}; a folder's pictures must all be of one size"
                )
            yield Frame(picture_from_bgr(image), index / self._rate, index, self._row_s, lasts=True)


def natural(path: Path) -> tuple[list[tuple[int, int, str]], str]:
    """Returns a sort key by which 2.jpg comes before 10.jpg."""
    parts = re.findall(r"(\d+)|(\D+)", path.stem)
    return [(0, int(n), "") if n else (1, 0, text.lower()) for n, text in parts], path.name


def read_image(path: Path) -> U8:
    """Returns a picture (height, width, 3) BGR, turned as its Exif states; raises SourceError if it is no picture."""
    try:
        data = np.fromfile(path, np.uint8)
    except OSError as e:
        raise SourceError(f"the picture {path} cannot be read ({e.strerror}); check the path") from None
    image = from_heic(data.tobytes()) if is_heic(data[:12].tobytes()) else _decoded(data)
    if image is None:
        raise SourceError(f"{path} is damaged or no picture; remove it or make it again")
    return image


def _decoded(data: U8) -> U8 | None:
    """Returns a picture of any other format (height, width, 3) BGR; None if it is damaged."""
    image = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    return None if image is None else np.asarray(image, np.uint8)
