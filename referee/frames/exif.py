"""Reads the focal length that a photograph's Exif states."""

from __future__ import annotations

import io
import math
import struct
import warnings
from pathlib import Path
from typing import Any

import pi_heif
from PIL import Image, UnidentifiedImageError
from PIL.ExifTags import IFD, Base

from calibration.geometry.lens import LensOrigin, StatedLens
from referee.frames.heic import is_heic

FILM_DIAGONAL_MM = 43.27
"""Diagonal of 35 mm film. Lenses are called equivalent whose angle over the picture's diagonal is the same (CIPA
DCG-001)."""
EXIF_SPREAD = 0.1
"""Standard deviation of the logarithm of a photograph's focal length from its Exif: equivalents are rounded to a
millimetre, of 24 mm and more, and leave out the margin that stabilisation and the correction of distortion cut off."""
UNCROPPED = 0.8
"""Share of photographs with Exif that nobody has cropped since."""
EQUIVALENTS_MM = (8.0, 400.0)
"""Shortest and longest equivalent focal lengths of lenses that show a board."""
UNITS_MM = {2: 25.4, 3: 10.0, 4: 1.0, 5: 0.001}
"""Millimetres in each of Exif's units of resolution: inch, cm, mm and um."""

UNREADABLE = (UnidentifiedImageError, OSError, ValueError, TypeError, SyntaxError, struct.error, ZeroDivisionError,
              RuntimeError, EOFError, KeyError, OverflowError, Image.DecompressionBombError)  # fmt: skip
"""Errors of damaged pictures and Exif."""


def lens_by_exif(path: Path) -> StatedLens | None:
    """Returns the focal length that a photograph states, in its pixels; None if it states none that can be."""
    try:
        with warnings.catch_warnings():
            # Pillow warns of each damaged entry; what can be read counts.
            warnings.simplefilter("ignore")
            exif, size = _exif(path.read_bytes())
            focal_px = _focal_px(exif.get_ifd(IFD.Exif), size)
    except UNREADABLE:
        return None
    shortest, longest = (math.hypot(*size) * mm / FILM_DIAGONAL_MM for mm in EQUIVALENTS_MM)
    if focal_px is None or not shortest <= focal_px <= longest:
        return None
    return StatedLens(focal_px, EXIF_SPREAD, UNCROPPED, LensOrigin.EXIF)


def _exif(data: bytes) -> tuple[Image.Exif, tuple[int, int]]:
    """Returns a picture's Exif and its size; the pixels are not decoded."""
    if is_heic(data):
        heic, exif = pi_heif.open_heif(data), Image.Exif()
        exif.load(heic.info.get("exif") or b"")
        return exif, heic.size
    with Image.open(io.BytesIO(data)) as image:
        return image.getexif(), image.size


def _focal_px(stated: dict[int, Any], size: tuple[int, int]) -> float | None:
    """Returns the focal length (px) by its equivalent for 35 mm film, else by the sensor's resolution."""
    equivalent_mm, focal_mm = (float(stated.get(tag) or 0.0) for tag in
                               (Base.FocalLengthIn35mmFilm, Base.FocalLength))  # fmt: skip
    if equivalent_mm > 0.0:
        return equivalent_mm / FILM_DIAGONAL_MM * math.hypot(*size)
    per_unit = float(stated.get(Base.FocalPlaneXResolution) or 0.0)
    unit_mm = UNITS_MM.get(int(stated.get(Base.FocalPlaneResolutionUnit) or 2), math.inf)
    first = max(float(stated.get(tag) or 0.0) for tag in (Base.ExifImageWidth, Base.ExifImageHeight))
    if focal_mm > 0.0 and per_unit > 0.0 and first > 0.0:
        return focal_mm * per_unit / unit_mm * max(size) / first
    return None
