"""Measures the lighting: exposure, glare from mirrored lamps, lamp flicker, and motion blur of coins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from calibration.find_board.edge_maps import F32
from calibration.geometry.camera import F64
from calibration.geometry.picture import Picture
from calibration.meters.meter import Advice, Gauge, MeterVerdict, Reading, graded
from calibration.profile import Profile
from models.pieces import Kind, Seat

METER_WIDTH_PX = 500
"""Approximate pixels a row at which pictures are subsampled. Single pixels are used, not means, so that clipped pixels
stay clipped."""
CLIPPED = 0.985
"""Share of the range from black to white from which on a pixel counts as clipped."""
FAIR_CLIPPED, BAD_CLIPPED = 0.02, 0.08
"""Shares of clipped pixels on the board from which on exposure is fair, and bad."""
LIGHTING_DARK, DIM, LIGHTING_PALE = 0.12, 0.22, 0.86
"""Limits of the board's median light (0 black to 1 white). Below the first, dark marks are lost in noise; below the
second, exposure is fair only; above the last, coins and wood are overexposed."""
FAST_MM_S = 5000.0
"""Speed of a coin after a hard stroke."""
FAIR_BLUR_MM, BAD_BLUR_MM = 12.0, 31.0
"""Motion blur from which on the verdict is fair, and bad. With less than a third of a coin's diameter a coin still
looks like a disc; with a whole diameter (31 mm) it is a streak."""
WANTED_MS = 2
"""Exposure time at which a fast coin still looks like a disc, in ms."""
WATCH_S, LIGHTING_LEAST_PICTURES = 1.5, 24
"""Least time span, in seconds, and least number of pictures from which flicker is measured."""
LIGHTING_BANDS, COLUMNS = 12, 8
"""Grid of cells in which light is measured over time. It has bands of rows because a rolling shutter reads row by
row."""
LAMP_HZ = {50: 100.0, 60: 120.0}
"""Flicker frequency of lamps (Hz) by mains frequency (Hz): two flashes a period."""
FAIR_SWING, BAD_SWING = 0.012, 0.05
"""Relative amplitudes of the light's oscillation from which on the verdict is fair, and bad. Below the first it is lost
in noise; from the second on it looks like a lamp being switched."""
OWNS = 0.6
"""Least share of the variance that mains flicker must explain to be reported as the cause."""
MIRROR = 0.94
"""Brightness (0 black to 1 white) from which on a pixel counts as glare."""
LEAST_PATCH_MM2 = 120.0
"""Least area of a glare patch; smaller ones are glints on coins' edges."""
FAIR_GLARE, BAD_GLARE = 0.001, 0.012
"""Shares of the surface covered by glare from which on the verdict is fair, and bad."""
NECK_MM = 8.0
"""Width of bridges removed between bright patches, to separate pale coins that touch."""
COIN_SLACK = 0.35
"""Greatest relative difference from a piece's area at which a round bright patch counts as a pale piece, not a lamp."""
LIGHTING_ROUND = 0.72
"""Least share of its enclosing circle that a patch must fill to count as round."""


@dataclass(frozen=True, slots=True)
class LightReading:
    """Mean light of one picture in a grid of cells, for measuring flicker."""

    t: float
    """Time of the picture, seconds."""
    cells: F64
    """Mean light (LIGHTING_BANDS, COLUMNS), 0 black to 1 white."""


def brightness(picture: Picture, stride: int = 1) -> F32:
    """Returns luma (h, w) of every `stride`th pixel, 0 black to 1 white for full-range and video-range planes alike."""
    black, span = (0.0, 255.0) if picture.full_range else (16.0, 219.0)
    return np.asarray((picture.y[::stride, ::stride] - np.float32(black)) / np.float32(span), np.float32)


def surface_mask(profile: Profile, stride: int = 1) -> NDArray[np.bool_]:
    """Returns a mask (h, w), of every `stride`th pixel, of the playing surface without pockets."""
    camera = profile.camera
    mask = np.zeros((-(-camera.height // stride), -(-camera.width // stride)), np.uint8)
    along = np.linspace(-1.0, 1.0, 17)[:-1]
    square = np.concatenate([np.stack(s, -1) for s in ((along, along * 0 - 1), (along * 0 + 1, along),
                                                       (-along, along * 0 + 1), (along * 0 - 1, -along))])  # fmt: skip
    cv2.fillPoly(mask, [_px(profile, square * profile.board.half + profile.middle, stride)], 1)
    turn = np.linspace(0.0, 2 * np.pi, 25)[:-1]
    for hole in profile.pockets.values():
        rim = np.array(hole.centre) + (hole.radius + 3.0) * np.stack([np.cos(turn), np.sin(turn)], -1)
        cv2.fillPoly(mask, [_px(profile, rim, stride)], 0)
    return np.asarray(mask, np.bool_)


def _px(profile: Profile, points: F64, stride: int) -> NDArray[np.int32]:
    return np.rint(profile.camera.to_pixels(points) / stride).astype(np.int32)


def stride_of(picture: Picture) -> int:
    """Returns the subsampling step, in pixels."""
    return max(1, picture.width // METER_WIDTH_PX)


def exposure(picture: Picture, profile: Profile | None) -> Reading:
    """Returns the board's median light in percent of white; without a profile, that of the picture's central part."""
    stride = stride_of(picture)
    light = brightness(picture, stride)
    if profile is not None:
        board_light = light[surface_mask(profile, stride)]
    else:
        h, w = light.shape
        board_light = light[h // 5 : -h // 5, w // 5 : -w // 5].ravel()
    median, clipped = float(np.median(board_light)), float((board_light >= CLIPPED).mean())
    percent = round(100 * median)
    if clipped >= BAD_CLIPPED or median > LIGHTING_PALE:
        return Reading(Gauge.EXPOSURE, MeterVerdict.BAD, percent, Advice.EXPOSURE_LESS)
    if median < DIM:
        verdict = MeterVerdict.BAD if median < LIGHTING_DARK else MeterVerdict.FAIR
        return Reading(Gauge.EXPOSURE, verdict, percent, Advice.EXPOSURE_MORE)
    if clipped >= FAIR_CLIPPED:
        return Reading(Gauge.EXPOSURE, MeterVerdict.FAIR, percent, Advice.EXPOSURE_LESS)
    return Reading(Gauge.EXPOSURE, MeterVerdict.GOOD, percent, Advice.EXPOSURE_RIGHT)


def motion_blur(exposure_s: float | None) -> Reading:
    """Returns the motion blur (mm) of a coin at 5 m/s; unknown where the source does not report its exposure time."""
    if exposure_s is None:
        return Reading(Gauge.BLUR, MeterVerdict.UNKNOWN, None, Advice.BLUR_UNTOLD)
    mm = exposure_s * FAST_MM_S
    verdict = graded(mm, FAIR_BLUR_MM, BAD_BLUR_MM)
    advice = Advice.BLUR_SHORT if verdict is MeterVerdict.GOOD else Advice.BLUR_SHORTEN
    return Reading(Gauge.BLUR, verdict, round(mm, 1), advice, (("ms", WANTED_MS),))


def light_of(picture: Picture, t: float) -> LightReading:
    """Returns the light of a picture in cells, from every fourth pixel of every fourth row."""
    light = brightness(picture, 4)
    return LightReading(
        t, np.asarray(cv2.resize(light, (COLUMNS, LIGHTING_BANDS), interpolation=cv2.INTER_AREA), np.float64)
    )


def flicker(lights: Sequence[LightReading]) -> Reading:
    """Returns the amplitude (percent) of the light's oscillation over the given pictures.

    A hand that enters the picture changes the cells lastingly and in some columns only, while a lamp changes all
    columns of a band alike. Flicker is invisible where its frequency is a multiple of the frame rate.
    """
    if len(lights) < LIGHTING_LEAST_PICTURES or lights[-1].t - lights[0].t < WATCH_S:
        return Reading(Gauge.FLICKER, MeterVerdict.UNKNOWN, None, Advice.FLICKER_WAIT)
    t = np.array([light.t for light in lights])
    bands = _bands(np.stack([light.cells for light in lights]))
    total = float(bands.var(axis=0).mean())
    mains, explained = _mains(t, bands)
    named = explained > OWNS * total
    # A sine swings sqrt(2) times its standard deviation to either side.
    swing = float(np.sqrt(2 * (explained if named else total)))
    verdict = graded(swing, FAIR_SWING, BAD_SWING)
    percent = round(100 * swing, 1)
    if verdict is MeterVerdict.GOOD:
        return Reading(Gauge.FLICKER, verdict, percent, Advice.FLICKER_NONE)
    if named:
        return Reading(Gauge.FLICKER, verdict, percent, Advice.FLICKER_LAMP, (("hz", mains), ("twice", 2 * mains)))
    return Reading(Gauge.FLICKER, verdict, percent, Advice.FLICKER_UNSTEADY)


def _bands(cells: F64) -> F64:
    """Returns the relative light (pictures, bands) of each band of rows, without slow changes.

    It is the median over columns, so that objects moving in some columns have no effect.
    """
    relative = cells / np.maximum(np.median(cells, axis=0), 0.02) - 1.0
    bands = np.median(relative, axis=2)
    n = len(bands)
    slow = np.column_stack([np.ones(n), np.linspace(-1, 1, n), np.linspace(-1, 1, n) ** 2])
    return np.asarray(bands - slow @ np.linalg.lstsq(slow, bands, rcond=None)[0])


def _mains(t: F64, bands: F64) -> tuple[int, float]:
    """Returns the mains frequency (Hz) that explains most of the bands' variance, and that part of it; (0, 0) if
    none.
    """
    best = (0, 0.0)
    for mains, hz in LAMP_HZ.items():
        phase = 2 * np.pi * hz * (t - t[0])
        waves = np.column_stack([np.cos(phase), np.sin(phase)])
        waves = waves - waves.mean(axis=0)
        if waves.std(axis=0).max() < 0.1:  # flicker is invisible at this frame rate
            continue
        fit = waves @ np.linalg.lstsq(waves, bands, rcond=None)[0]
        best = max(best, (mains, float(fit.var(axis=0).mean())), key=lambda b: b[1])
    return best


def glare(picture: Picture, profile: Profile | None) -> Reading:
    """Returns the share (percent) of the surface covered by glare from lamps."""
    if profile is None:
        return Reading(Gauge.GLARE, MeterVerdict.UNKNOWN, None, Advice.GLARE_NO_BOARD)
    patches = glares(picture, profile)
    share = sum(area for area, _ in patches) / profile.board.surface**2
    verdict = graded(share, FAIR_GLARE, BAD_GLARE)
    percent = round(100 * share, 2)
    if verdict is MeterVerdict.GOOD:
        return Reading(Gauge.GLARE, verdict, percent, Advice.GLARE_NONE)
    _, (x, y) = max(patches)
    return Reading(Gauge.GLARE, verdict, percent, Advice.GLARE_LAMP, (("side", towards(x, y).value),))


def glares(picture: Picture, profile: Profile) -> list[tuple[float, tuple[float, float]]]:
    """Returns area (mm2) and centre (board mm) of each glare patch on the surface."""
    stride = stride_of(picture)
    mm = stride / float(profile.camera.px_per_mm()[0])
    bright = ((brightness(picture, stride) >= MIRROR) & surface_mask(profile, stride)).astype(np.uint8)
    neck = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * round(NECK_MM / mm / 2) + 1,) * 2)
    outlines = cv2.findContours(cv2.morphologyEx(bright, cv2.MORPH_OPEN, neck), cv2.RETR_EXTERNAL,
                                cv2.CHAIN_APPROX_NONE)[0]  # fmt: skip
    found = []
    for outline in outlines:
        # A contour runs through the middles of the outermost pixels: half a pixel more lies outside of it.
        area = (cv2.contourArea(outline) + cv2.arcLength(outline, True) / 2 + 1) * mm * mm
        if area >= LEAST_PATCH_MM2 and not _is_coin(outline, area, mm, profile):
            x, y = profile.camera.to_board(outline.reshape(-1, 2).mean(axis=0) * stride)[0]
            found.append((area, (float(x), float(y))))
    return found


def _is_coin(outline: MatLike, area: float, mm: float, profile: Profile) -> bool:
    """Tells whether a patch of `area` mm2, outlined in pixels of `mm`, is the top of a pale piece."""
    radius = (cv2.minEnclosingCircle(outline)[1] + 0.5) * mm
    sizes = [np.pi * profile.board.radius(kind) ** 2 for kind in (Kind.WHITE, Kind.STRIKER)]
    return area > LIGHTING_ROUND * np.pi * radius**2 and any(abs(area / size - 1) < COIN_SLACK for size in sizes)


def towards(x: float, y: float) -> Seat:
    """Returns the side of the board nearest to a point (mm)."""
    if abs(x) > abs(y):
        return Seat.EAST if x > 0 else Seat.WEST
    return Seat.NORTH if y > 0 else Seat.SOUTH
