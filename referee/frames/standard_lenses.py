"""Standard lenses of Raspberry Pi cameras by their datasheets: the focal length in pixels of a mode's picture."""

from __future__ import annotations

from calibration.geometry.lens import LensOrigin, StatedLens
from referee.frames.sensor_modes import Mode, Size

STANDARD_LENSES = {
    "ov5647": (3.60, 1.40), "imx219": (3.04, 1.12), "imx708": (4.74, 1.40), "imx708_wide": (2.75, 1.40),
    "imx500": (4.74, 1.55)}  # fmt: skip
"""Focal length (mm) and pitch of the pixels (um) of the camera modules 1, 2, 3, 3 Wide and AI, by the sensor's name.
The HQ and the global shutter camera (imx477, imx296) are sold without a lens."""
WITHOUT_FILTER = "_noir"
"""Ending of the name of a module without infrared filter, which has the same lens."""
DATASHEET_SPREAD = 0.04
"""Standard deviation of the logarithm of a standard lens's focal length. The stated fields of view give the same focal
lengths to 0.2 % (modules 1 and 2) and 5 % (module 3, standard and wide), and focusing at a metre changes them by less
than 1 %."""
AS_SOLD = 0.8
"""Share of modules with a standard lens that still have it. Most lenses are glued in, and variants with threads for
others are sold."""


def standard_lens(model: str, mode: Mode | None, picture: Size) -> StatedLens | None:
    """Returns the focal length of a sensor's standard lens in a picture of its mode; None if either is unknown."""
    known = STANDARD_LENSES.get(model.removesuffix(WITHOUT_FILTER))
    if known is None or mode is None:
        return None
    focal_mm, pitch_um = known
    scale = picture[0] / mode.cropped(picture)[0]
    return StatedLens(1000.0 * focal_mm / pitch_um * scale, DATASHEET_SPREAD, AS_SOLD, LensOrigin.DATASHEET)
