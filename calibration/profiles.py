"""Brightness across the expected marks, and where in each cross profile the mark lies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import F64, Camera
from calibration.courses import LEAST_CONTRAST, LINE_SPREAD_MM, line_course, moon_courses, rim_course
from calibration.evidence import F32
from calibration.hues import Planes, parted, told_by
from calibration.layout import Mark, Samples

FLANK_MM = {Mark.FRONT: 2.6, Mark.RING: 1.6, Mark.ARROW: 2.6, Mark.REAR: 2.6}
"""Pale wood beside a line that it is compared with; less than 2 mm lie between ring and disc of a base circle."""
STEP_MM = {Mark.DISC: 2.0, Mark.POCKET: 4.0, Mark.FOOT: 3.0, Mark.WALL: 2.5}
"""Width of the wood on each side of an edge that are compared to find it: a shadow's edge beside it is less strong."""
FINE_PX, LEAST_FINE_MM = 1.5, 0.8
"""Width of the same to tell its place: what is no wider than the edge is soft is not drawn aside by shade that deepens
towards a cushion."""
FINE_REACH_MM = 1.0
"""An edge lies within this, or a pixel, of where the wide comparison finds it."""
TONE = 1.8
"""Exponent from picture levels to light. Blur mixes light, so an edge's middle is where light is half; in levels it
seems to lie on the dark side. Cameras' tone curves lie between 1 and 2.2."""
RISING = {Mark.DISC: 1.0, Mark.POCKET: 1.0, Mark.FOOT: -1.0, Mark.WALL: 1.0}
"""Whether it is brighter on the outer side (1) or the inner (-1)."""
BAR_MM = {Mark.FRONT: 1.5, Mark.RING: 1.2, Mark.ARROW: 1.5, Mark.REAR: 5.5}
"""Printed thickness by the book."""
WIDER_MM = {Mark.WALL: 4.5}
"""Least search distance of some marks: the frame's top edge is displaced by its height, so by how far the camera is,
which is known last."""
RIM_SPREAD_MM, MOON_SPREAD_MM = 1.5, 1.2
"""Windows of a pocket's rim, and of a base circle's ring or disc, may lie this far from one circle."""


TALLEST = 30000
"""cv2.remap takes no destination of more than 32767 rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Sightings:
    """Marks found in a picture: pixels through which they pass."""

    window: NDArray[np.int64]
    """Which window of the samples (n,)."""
    offset: F64
    """Where the mark lies (n,): mm outward from its expected place under the camera of the time."""
    contrast: F64
    """Share of the local brightness (n,)."""


def cross_profiles(plane: F32, camera: Camera, samples: Samples, offsets: F64) -> F64:
    """Brightness (windows, len(offsets)) across the marks at `offsets` mm outward; nan outside the picture."""
    count, run = samples.points.shape[:2]
    xy = samples.points[:, :, None, :2] + samples.normals[:, :, None] * offsets[:, None]
    z = np.broadcast_to(samples.points[:, :, None, 2], xy.shape[:3])
    px = camera.to_pixels(xy.reshape(-1, 2), z.ravel()).astype(np.float32)
    table = px.reshape(count * run, len(offsets), 2)
    values = np.concatenate([_bilinear(plane, table[i : i + TALLEST]) for i in range(0, len(table), TALLEST)])
    return np.asarray(values.reshape(count, run, len(offsets)).mean(axis=1), np.float64)


def _bilinear(plane: F32, px: F32) -> F32:
    x, y = np.ascontiguousarray(px[..., 0]), np.ascontiguousarray(px[..., 1])
    values = cv2.remap(plane, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=float("nan"))
    return np.asarray(values, np.float32)


def template(mark: Mark, step: float, blur: float) -> F64:
    """Weights that give mean brightness beside minus on a dark line, or across an edge, when laid over a profile.

    `step` is the spacing of the profile's taps and `blur` the picture's blur (sigma), both mm.
    """
    if mark in STEP_MM:
        return _edge(mark, step, STEP_MM[mark], 2 * blur)
    u = _taps(BAR_MM[mark] / 2 + FLANK_MM[mark] + 2 * blur, step)
    bar = _soft(np.abs(u) <= BAR_MM[mark] / 2, blur / step)
    flank = _soft((np.abs(u) > BAR_MM[mark] / 2) & (np.abs(u) <= BAR_MM[mark] / 2 + FLANK_MM[mark]), blur / step)
    return np.asarray(flank / flank.sum() - bar / bar.sum())


def _edge(mark: Mark, step: float, width: float, margin: float = 0.0) -> F64:
    """Weights that compare `width` mm on both sides of an edge."""
    u = _taps(width + margin, step)
    outer = ((u > 0) & (u <= width)).astype(np.float64)
    return np.asarray(RISING[mark] * (outer - outer[::-1]) / outer.sum())


def _taps(reach: float, step: float) -> F64:
    """Multiples of `step` from -reach to reach or just beyond."""
    count = np.ceil(reach / step)
    return np.asarray(np.arange(-count, count + 1, dtype=np.float64) * step)


def _soft(mask: NDArray[np.bool_], sigma: float) -> F64:
    return np.asarray(cv2.GaussianBlur(mask.astype(np.float64).reshape(1, -1), (0, 0), max(sigma, 0.3)).ravel())


def responses(profiles: F64, weights: F64) -> F64:
    """Contrast (windows, taps) of profiles with a template, as a share of the local brightness; -1 where unknown."""
    half = len(weights) // 2
    good = np.asarray(~np.isnan(profiles).any(axis=1), np.bool_)
    filled = np.where(good[:, None], profiles, 1.0)
    out = cv2.filter2D(filled, cv2.CV_64F, weights.reshape(1, -1), borderType=cv2.BORDER_REPLICATE)
    out = out / np.maximum(np.median(filled, axis=1, keepdims=True), 8.0)
    out[:, :half] = out[:, len(out[0]) - half :] = -1.0
    out[~good] = -1.0
    return np.asarray(out, np.float64)


def sight(planes: Planes, camera: Camera, samples: Samples, reach: float, bend: float,
          wider: Mapping[Mark, float] = WIDER_MM, together: bool = False) -> Sightings:  # fmt: skip
    """Find every mark of `samples` within `reach` mm of its expected place, some marks within a `wider` distance.

    Lines may be shifted as a whole, turned, and bent by up to `bend` mm; windows that stray from their line's smooth
    course are left out. The ring and the disc of a base circle are followed `together`, or each window by itself.
    """
    searches = {mark: _searched(planes, camera, samples, mark, max(reach, wider.get(mark, 0.0)))
                for mark in Mark if np.any(samples.mark == mark)}  # fmt: skip
    moons = _moons(samples, searches) if together else {}
    windows: list[NDArray[np.int64]] = []
    offsets: list[F64] = []
    contrasts: list[F64] = []
    for mark, search in searches.items():
        for part in np.unique(samples.part[search.windows]).tolist():
            rows = samples.part[search.windows] == part
            course = moons.get((mark, part))
            if course is None:
                course = _course(search.found[rows], samples.along[search.windows[rows]], search.taps, bend, mark)
            near = np.abs(search.taps[None] - course[:, None]) <= _spread(mark, part, moons, search.taps)
            where, contrast = _peak(np.where(near, search.found[rows], -1.0), search.taps)
            if search.fine is not None:
                where = _refined(search.fine[rows], search.taps, where, max(FINE_REACH_MM, _pixel_mm(camera)))
            keep = contrast > LEAST_CONTRAST
            windows.append(search.windows[rows][keep])
            offsets.append(where[keep])
            contrasts.append(contrast[keep])
    return Sightings(np.concatenate(windows), np.concatenate(offsets), np.concatenate(contrasts))


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """What all windows of one kind of mark show."""

    windows: NDArray[np.int64]
    """Which of the samples (w,)."""
    taps: F64
    """mm outward."""
    found: F64
    """Responses (w, taps) to the mark."""
    fine: F64 | None
    """The same of edges as narrow as the picture shows them; None of lines."""


def _searched(planes: Planes, camera: Camera, samples: Samples, mark: Mark, span: float) -> _Search:
    """Responses within `span` mm of where a kind of mark is expected."""
    mm = _pixel_mm(camera)
    step = min(0.5, max(0.2, 0.5 * mm))
    weights = template(mark, step, 0.6 * mm)
    half = len(weights) // 2
    taps = np.asarray((np.arange(2 * (int(span / step) + half) + 1) - int(span / step) - half) * step, np.float64)
    levels = _levels(planes, camera, samples.select(samples.mark == mark), taps, mark)
    fine = _fine(levels, mark, step, mm)[:, half:-half] if mark in STEP_MM else None
    found = responses(levels, weights)[:, half:-half]
    return _Search(np.flatnonzero(samples.mark == mark), taps[half:-half], found, fine)


def _pixel_mm(camera: Camera) -> float:
    return 1.0 / float(camera.px_per_mm()[0])


def _moons(samples: Samples, searches: Mapping[Mark, _Search]) -> dict[tuple[Mark, int], F64]:
    """The courses of the rings and discs of base circles, by mark and part."""
    if Mark.RING not in searches or Mark.DISC not in searches:
        return {}
    courses: dict[tuple[Mark, int], F64] = {}
    for part in np.unique(samples.part[searches[Mark.RING].windows]).tolist():
        seen, radii = [], []
        for search in (searches[Mark.RING], searches[Mark.DISC]):
            rows = samples.part[search.windows] == part
            windows = search.windows[rows]
            normals, middles = samples.middle_normals[windows], samples.middles[windows, :2]
            seen.append((search.found[rows], normals, search.taps))
            radii.append(_radius(middles, normals))
        courses[Mark.RING, part], courses[Mark.DISC, part] = moon_courses(seen[0], seen[1], radii[0] - radii[1])
    return courses


def _radius(points: F64, normals: F64) -> float:
    """Radius of the circle that has `normals` (n, 2) at `points` (n, 2)."""
    spread, turned = points - points.mean(axis=0), normals - normals.mean(axis=0)
    return float(np.sum(spread * turned) / np.sum(turned**2))


def _levels(planes: Planes, camera: Camera, samples: Samples, taps: F64, mark: Mark) -> F64:
    """Cross profiles (windows, taps) of one kind of mark, in ink except for pockets whose nets are paler than wood."""
    levels = cross_profiles(planes.ink, camera, samples, taps)
    if mark is not Mark.POCKET or told_by(levels, RISING[mark]):
        return levels
    chroma = [cross_profiles(plane, camera, samples, taps) for plane in (planes.u, planes.v)]
    return parted(np.stack([levels, *chroma]), RISING[mark])


def _fine(levels: F64, mark: Mark, step: float, pixel: float) -> F64:
    """Responses (windows, taps) to an edge as narrow as the picture can show it, in light instead of levels."""
    light = np.asarray(255.0 * (np.maximum(levels, 0.0) / 255.0) ** TONE)
    return responses(light, _edge(mark, step, max(FINE_PX * pixel, LEAST_FINE_MM)))


def _refined(fine: F64, taps: F64, where: F64, reach: float) -> F64:
    """The offsets `where` (w,) of an edge, moved to the steepest place within `reach` mm; left where there is none."""
    near = np.abs(taps[None] - where[:, None]) <= reach
    at, height = _peak(np.where(near, fine, -1.0), taps)
    return np.where(height > 0.0, at, where)


def _course(found: F64, along: F64, taps: F64, bend: float, mark: Mark) -> F64:
    """Offsets (w,) of one mark in its windows, whose responses (w, taps) are `found`."""
    if mark in (Mark.RING, Mark.DISC):
        return np.zeros(len(found))
    return rim_course(found, along, taps) if mark is Mark.POCKET else line_course(found, along, taps, bend)


def _spread(mark: Mark, part: int, moons: Mapping[tuple[Mark, int], F64], taps: F64) -> float:
    """How far (mm) windows may lie from the course of their mark; anywhere where a ring or disc is sought alone."""
    if mark in (Mark.RING, Mark.DISC):
        return MOON_SPREAD_MM if (mark, part) in moons else float(taps[-1]) + LINE_SPREAD_MM
    return RIM_SPREAD_MM if mark is Mark.POCKET else LINE_SPREAD_MM


def _peak(found: F64, taps: F64) -> tuple[F64, F64]:
    """Sub-tap place and height of the highest response of each row; height -1 where it is the rim of the search."""
    best = np.argmax(found, axis=1)
    inner = np.clip(best, 1, len(taps) - 2)
    row = np.arange(len(found))
    left, mid, right = found[row, inner - 1], found[row, inner], found[row, inner + 1]
    curve = left - 2 * mid + right
    shift = np.where(curve < 0, 0.5 * (left - right) / np.where(curve < 0, curve, -1.0), 0.0)
    rim = (best != inner) | (left <= -1.0) | (right <= -1.0)
    return taps[inner] + np.clip(shift, -0.5, 0.5) * (taps[1] - taps[0]), np.where(rim, -1.0, mid)
