"""Measures brightness profiles across the expected marks and locates the mark in each profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.find_board.edge_maps import F32
from calibration.fit_board.edge_colour import PROFILE_TONE, Planes, clearest_mix, is_ink_enough
from calibration.fit_board.mark_samples import BUILT, Mark, Samples
from calibration.geometry.camera import F64, Camera

PROFILE_FLANK_MM = {Mark.FRONT: 2.6, Mark.RING: 1.6, Mark.ARROW: 2.6, Mark.REAR: 2.6}
"""Width of the wood on each side with which a line is compared, in mm. Ring and disc of a base circle are less than
2 mm apart."""
PROFILE_STEP_MM = {Mark.DISC: 2.0, Mark.POCKET: 4.0, Mark.FOOT: 3.0, Mark.WALL: 2.5}
"""Width of the strips on both sides of an edge that are compared to detect it, in mm; wide strips respond less to the
edge of a shadow."""
FINE_PX = 1.5
"""Width of the strips compared to locate an edge precisely, in pixels. Strips no wider than the edge's blur are not
biased by shade that deepens towards a cushion."""
FINE_REACH_MM = 1.0
"""Greatest distance of an edge's precise place from the detected one, in mm, or one pixel if that is more."""
RISING = {Mark.DISC: 1.0, Mark.POCKET: 1.0, Mark.FOOT: -1.0, Mark.WALL: 1.0}
"""Sign of an edge's step: 1 if the outer side is brighter, -1 if the inner side is."""
BAR_MM = {Mark.FRONT: 1.5, Mark.RING: 1.2, Mark.ARROW: 1.5, Mark.REAR: 5.5}
"""Printed thickness by the book, in mm."""
WIDER_MM = {Mark.WALL: 4.5}
"""Least search distance of some marks, in mm. The frame's top edge is displaced by parallax, which depends on the
camera's height, and that is known last."""
LEAST_CONTRAST = 0.03
"""Least contrast of a mark with the wood, as a share of the local brightness; averaged grain stays below it."""
LINE_SPREAD_MM, RIM_SPREAD_MM = 0.8, 1.5
"""Greatest distance of a window's mark from the line's smooth course, and from a pocket's circle, in mm."""
RIM_GROWTHS_MM, RIM_SHIFTS_MM = np.arange(-4.0, 4.1, 0.25), np.arange(-2.0, 2.1, 1.0)
"""Candidate radius changes of a pocket that touches both cushions, and shifts towards the board's centre, in mm. The
whole rim is fitted as one circle, because single threads of a net have more contrast than the rim."""
BLUR_PX, BLUR_SPREAD = 0.6, 0.5
"""Usual blur of a picture (Gaussian sigma), in pixels, and standard deviation of its logarithm between pictures."""
TALLEST = 30000
"""Greatest number of rows passed to cv2.remap at once; its limit is 32767."""


@dataclass(frozen=True, slots=True, eq=False)
class Sightings:
    """Marks detected in a picture, one entry for each window in which one was found."""

    window: NDArray[np.int64]
    """Index (n,) of the window in the samples."""
    offset: F64
    """Position of the mark (n,), mm outward from its expected place under the current camera."""
    contrast: F64
    """Contrast of the mark (n,), as a share of the local brightness."""

    def select(self, mask: NDArray[np.bool_]) -> Sightings:
        """Returns the entries where `mask` is true."""
        return Sightings(self.window[mask], self.offset[mask], self.contrast[mask])


def cross_profiles(plane: F32, camera: Camera, samples: Samples, offsets: F64) -> F64:
    """Returns brightness (windows, taps) across the marks at `offsets` (taps,) mm outward; nan outside the picture."""
    count, run = samples.points.shape[:2]
    xy = samples.points[:, :, None, :2] + samples.normals[:, :, None] * offsets[:, None]
    z = np.broadcast_to(samples.points[:, :, None, 2], xy.shape[:3])
    px = camera.to_pixels(xy.reshape(-1, 2), z.ravel()).astype(np.float32)
    table = px.reshape(count * run, len(offsets), 2)
    values = np.concatenate([bilinear(plane, table[i : i + TALLEST]) for i in range(0, len(table), TALLEST)])
    return np.asarray(values.reshape(count, run, len(offsets)).mean(axis=1), np.float64)


def typical_blur(camera: Camera) -> float:
    """Returns the usual blur (sigma, mm) at the board's centre."""
    return BLUR_PX / float(camera.px_per_mm()[0])


def aligned_profiles(profiles: F64, taps: F64, middles: F64, onto: F64) -> F64:
    """Returns profiles (n, taps) shifted so that position `middles` (n,) mm becomes 0, resampled at `onto` (m,) mm."""
    return np.array([np.interp(onto, taps - middle, row) for middle, row in zip(middles, profiles, strict=True)])


def bilinear(plane: F32, px: F32) -> F32:
    """Returns values (n, m) of a plane at pixels (n, m, 2), linearly interpolated; nan outside the picture."""
    x, y = np.ascontiguousarray(px[..., 0]), np.ascontiguousarray(px[..., 1])
    values = cv2.remap(plane, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=float("nan"))
    return np.asarray(values, np.float32)


def template(mark: Mark, step: float, blur: float) -> F64:
    """Returns filter weights that yield the contrast of a dark line with its sides, or of an edge's two sides.

    `step` is the spacing of the profile's taps and `blur` the picture's blur (sigma), both in mm.
    """
    if mark in PROFILE_STEP_MM:
        return _edge(mark, step, PROFILE_STEP_MM[mark], 2 * blur)
    beyond = np.abs(_taps(BAR_MM[mark] / 2 + PROFILE_FLANK_MM[mark] + 2 * blur, step)) - BAR_MM[mark] / 2
    bar = _soft(beyond <= 0, blur / step)
    flank = _soft((beyond > 0) & (beyond <= PROFILE_FLANK_MM[mark]), blur / step)
    return np.asarray(flank / flank.sum() - bar / bar.sum())


def _edge(mark: Mark, step: float, width: float, margin: float = 0.0) -> F64:
    """Returns weights that compare strips of `width` mm on both sides of an edge, positive for its usual sign."""
    u = _taps(width + margin, step)
    outer = ((u > 0) & (u <= width)).astype(np.float64)
    return np.asarray(RISING[mark] * (outer - outer[::-1]) / outer.sum())


def _taps(reach: float, step: float) -> F64:
    """Returns the multiples of `step` from -reach to reach, rounded outward."""
    count = np.ceil(reach / step)
    return np.asarray(np.arange(-count, count + 1, dtype=np.float64) * step)


def _soft(mask: NDArray[np.bool_], sigma: float) -> F64:
    return np.asarray(cv2.GaussianBlur(mask.astype(np.float64).reshape(1, -1), (0, 0), max(sigma, 0.3)).ravel())


def responses(profiles: F64, weights: F64) -> F64:
    """Returns contrasts (windows, taps): profiles filtered with `weights`, relative to local brightness; -1 where
    unknown.
    """
    half = len(weights) // 2
    good = np.asarray(~np.isnan(profiles).any(axis=1), np.bool_)
    filled = np.where(good[:, None], profiles, 1.0)
    out = cv2.filter2D(filled, cv2.CV_64F, weights.reshape(1, -1), borderType=cv2.BORDER_REPLICATE)
    out = out / np.maximum(np.median(filled, axis=1, keepdims=True), 8.0)
    out[:, :half] = out[:, len(out[0]) - half :] = -1.0
    out[~good] = -1.0
    return np.asarray(out, np.float64)


def sight(planes: Planes, camera: Camera, samples: Samples, reach: float, bend: float,
          wider: Mapping[Mark, float] = WIDER_MM) -> Sightings:  # fmt: skip
    """Detects the marks of `samples` within `reach` mm of their expected places, or within `wider` mm where that is
    more.

    A line may be shifted, turned, and bent by up to `bend` mm. In each window the mark is searched only near the
    smooth course of its line, and windows with too little contrast are dropped.
    """
    mm = 1.0 / float(camera.px_per_mm()[0])
    step = min(0.5, max(0.2, 0.5 * mm))
    windows, offsets, contrasts = [np.zeros(0, np.int64)], [np.zeros(0)], [np.zeros(0)]
    for mark in Mark:
        mine = np.flatnonzero(samples.mark == mark)
        if not len(mine):
            continue
        weights = template(mark, step, typical_blur(camera))
        span = max(reach, wider.get(mark, 0.0))
        half = len(weights) // 2
        taps = np.asarray((np.arange(2 * (int(span / step) + half) + 1) - int(span / step) - half) * step, np.float64)
        levels = _levels(planes, camera, samples.select(samples.mark == mark), taps, mark)
        found, taps = responses(levels, weights)[:, half:-half], taps[half:-half]
        fine = _fine(levels, mark, step, mm)[:, half:-half] if mark in PROFILE_STEP_MM else None
        for part in np.unique(samples.part[mine]):
            rows = samples.part[mine] == part
            where, contrast = _followed(found[rows], samples.along[mine[rows]], taps, bend, mark, mm)
            if fine is not None:
                where = _refined(fine[rows], taps, where, max(FINE_REACH_MM, mm))
            keep = contrast > LEAST_CONTRAST
            windows.append(mine[rows][keep])
            offsets.append(where[keep])
            contrasts.append(contrast[keep])
    return Sightings(np.concatenate(windows), np.concatenate(offsets), np.concatenate(contrasts))


def _levels(planes: Planes, camera: Camera, samples: Samples, taps: F64, mark: Mark) -> F64:
    """Returns profiles (windows, taps) of one kind of mark: ink of prints, tone of what is built, or a luma-chroma mix
    for pockets with pale nets.
    """
    levels = cross_profiles(planes.tone if mark in BUILT else planes.ink, camera, samples, taps)
    if mark is not Mark.POCKET or is_ink_enough(levels, RISING[mark]):
        return levels
    chroma = [cross_profiles(plane, camera, samples, taps) for plane in (planes.u, planes.v)]
    return clearest_mix(np.stack([levels, *chroma]), RISING[mark])


def _fine(levels: F64, mark: Mark, step: float, pixel: float) -> F64:
    """Returns responses (windows, taps) to an edge with narrow strips, computed in light instead of levels."""
    light = np.asarray(255.0 * (np.maximum(levels, 0.0) / 255.0) ** PROFILE_TONE)
    return responses(light, _edge(mark, step, FINE_PX * pixel))


def _refined(fine: F64, taps: F64, where: F64, reach: float) -> F64:
    """Returns offsets `where` (w,) moved to the steepest place within `reach` mm; unchanged where there is none."""
    near = np.abs(taps[None] - where[:, None]) <= reach
    at, height = _peak(np.where(near, fine, -1.0), taps)
    return np.where(height > 0.0, at, where)


def _followed(found: F64, along: F64, taps: F64, bend: float, mark: Mark, pixel: float) -> tuple[F64, F64]:
    """Returns the offset (w,) mm and contrast (w,) of one mark from the responses (w, taps) of its windows.

    An edge's windows differ by up to a pixel (mm) from its course: without them the others would not average to it.
    """
    if mark in (Mark.RING, Mark.DISC):
        course, spread = np.zeros(len(found)), float(taps[-1]) + LINE_SPREAD_MM
    elif mark is Mark.POCKET:
        course, spread = _rim(found, along, taps), RIM_SPREAD_MM
    else:
        course, spread = _course(found, along, taps, bend), max(LINE_SPREAD_MM, pixel)
    near = np.abs(taps[None] - course[:, None]) <= spread
    return _peak(np.where(near, found, -1.0), taps)


def _course(found: F64, along: F64, taps: F64, bend: float) -> F64:
    """Returns offsets (w,) mm of the smooth curve (shift, turn, bend) with the largest sum of responses."""
    s = along / max(float(np.abs(along).max()), 1e-9)
    turns = np.linspace(-1, 1, 13) * min(8.0, taps[-1])
    bends = np.linspace(-1, 1, 7) * bend if bend > LINE_SPREAD_MM else np.zeros(1)
    shapes = turns[:, None, None] * s + bends[None, :, None] * (s**2 - 1 / 3)
    return _strongest(found, (shapes.reshape(-1, 1, len(s)) + taps[:, None]).reshape(-1, len(s)), taps)


def _rim(found: F64, angles: F64, taps: F64) -> F64:
    """Returns offsets (w,) mm of a pocket's rim in windows at `angles` centred on the direction of the board's
    centre.
    """
    inward = np.cos(angles - angles.mean())
    grown = RIM_GROWTHS_MM[:, None, None] * (1 + np.sqrt(2) * inward)
    return _strongest(found, (grown + RIM_SHIFTS_MM[:, None] * inward).reshape(-1, len(angles)), taps)


def _strongest(found: F64, courses: F64, taps: F64) -> F64:
    """Returns the one of the `courses` (n, w) with the largest sum of clipped responses."""
    step = taps[1] - taps[0]
    strong = max(float(np.percentile(found.max(axis=1), 60)), LEAST_CONTRAST)
    # Blurred rather than dilated: dilation makes plateaus, on which the course would be undetermined.
    wide = cv2.blur(np.clip(found, 0.0, strong), (2 * int(LINE_SPREAD_MM / step) + 1, 1))
    index = np.rint((courses - taps[0]) / step).astype(np.int64)
    inside = (index >= 0) & (index < len(taps))
    value = np.where(inside, wide[np.arange(len(wide)), np.clip(index, 0, len(taps) - 1)], 0.0).sum(1)
    return np.asarray(courses[int(np.argmax(value))])


def _peak(found: F64, taps: F64) -> tuple[F64, F64]:
    """Returns place (sub-tap) and height of each row's peak response; height -1 at the end of the search range."""
    best = np.argmax(found, axis=1)
    inner = np.clip(best, 1, len(taps) - 2)
    row = np.arange(len(found))
    left, mid, right = found[row, inner - 1], found[row, inner], found[row, inner + 1]
    curve = left - 2 * mid + right
    shift = np.where(curve < 0, 0.5 * (left - right) / np.where(curve < 0, curve, -1.0), 0.0)
    rim = (best != inner) | (left <= -1.0) | (right <= -1.0)
    return taps[inner] + np.clip(shift, -0.5, 0.5) * (taps[1] - taps[0]), np.where(rim, -1.0, mid)
