"""Colourless pictures. A camera for infrared light, or one set to grey, shows no hue, so the queen looks like a
coin.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from calibration.geometry.picture import Picture
from referee.foreground.illumination import LIGHT_GREY

GREY_LEVELS, GREY_SHARE = 2.0, 0.999
"""Grey picture: distance of chroma from grey (levels), and least share of the chroma within it. Wood and the whitest
lamps make tens of levels."""


def is_colourless(pictures: Iterable[Picture]) -> bool:
    """Tells whether no picture has any colour; False without pictures."""
    planes = (plane.astype(np.float32) for picture in pictures for plane in (picture.u, picture.v))
    shares = [float((np.abs(plane - LIGHT_GREY) <= GREY_LEVELS).mean()) for plane in planes]
    return bool(shares) and min(shares) >= GREY_SHARE
