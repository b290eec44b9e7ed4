"""Colourless: a camera for infrared light, or one set to grey, shows no hue, so that a queen is a coin like others."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from calibration.geometry.picture import Picture
from referee.foreground.illumination import LIGHT_GREY

GREY_LEVELS, GREY_SHARE = 2.0, 0.999
"""A picture is grey when at least the second share of its chroma lies within the first of grey. Wood and lamps of the
whitest make tens of levels."""
COLOURLESS_SPARSE = 4
"""Every so many rows and columns are looked at."""


def is_colourless(pictures: Iterable[Picture]) -> bool:
    """Whether no picture has any colour; one without pictures has."""
    shares = [_grey_share(picture) for picture in pictures]
    return bool(shares) and min(shares) >= GREY_SHARE


def _grey_share(picture: Picture) -> float:
    planes = (plane[::COLOURLESS_SPARSE, ::COLOURLESS_SPARSE].astype(np.float32) for plane in (picture.u, picture.v))
    return min(float((np.abs(plane - LIGHT_GREY) <= GREY_LEVELS).mean()) for plane in planes)
