"""Brightness across the expected marks, and where in each cross profile the mark lies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.find_board.edge_maps import F32
from calibration.fit_board.edge_colour import Planes, parted, told_by
from calibration.fit_board.mark_samples import Mark, Samples
from calibration.geometry.camera import F64, Camera

PROFILE_FLANK_MM = {Mark.FRONT: 2.6, Mark.RING: 1.6, Mark.ARROW: 2.6, Mark.REAR: 2.6}
"""Pale wood beside a line that it is compared with; less than 2 mm lie between ring and disc of a base circle."""
PROFILE_STEP_MM = {Mark.DISC: 2.0, Mark.POCKET: 4.0, Mark.FOOT: 3.0, Mark.WALL: 2.5}
"""Width of the wood on each side of an edge that are compared to find it: a shadow's edge beside it is less strong."""
FINE_PX, LEAST_FINE_MM = 1.5, 0.8
"""Width of the same to tell its place: what is no wider than the edge is soft is not drawn aside by shade that deepens
towards a cushion."""
FINE_REACH_MM = 1.0
"""An edge lies within this, or a pixel, of where the wide comparison finds it."""
PROFILE_TONE = 1.8
"""Exponent from picture levels to light. Blur mixes light, so an edge's middle is where light is half; in levels it
seems to lie on the dark side. Cameras' tone curves lie between 1 and 2.2."""
RISING = {Mark.DISC: 1.0, Mark.POCKET: 1.0, Mark.FOOT: -1.0, Mark.WALL: 1.0}
"""Whether it is brighter on the outer side (1) or the inner (-1)."""
BAR_MM = {Mark.FRONT: 1.5, Mark.RING: 1.2, Mark.ARROW: 1.5, Mark.REAR: 5.5}
"""Printed thickness by the book."""
WIDER_MM = {Mark.WALL: 4.5}
"""Least search distance of some marks: the frame's top edge is displaced by its height, so by how far the camera is,
which is known last."""
LEAST_CONTRAST = 0.03
"""Share of the local brightness by which a mark must differ from the wood; grain stays below when averaged along."""
LINE_SPREAD_MM, RIM_SPREAD_MM = 0.8, 1.5
"""Windows of one line may lie this far from its smooth course, those of a pocket's rim from one circle."""
RIM_GROWTHS_MM, RIM_SHIFTS_MM = np.arange(-4.0, 4.1, 0.25), np.arange(-2.0, 2.1, 1.0)
"""How much larger than expected a pocket is tried that touches both cushions, and moved in from there. One rim is
followed all round: threads of a net stand out more than it does, but draw no circle."""
BLUR_PX = 0.6
"""How far (sigma) pictures are usually blurred."""
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

    def select(self, mask: NDArray[np.bool_]) -> Sightings:
        """Those where `mask` holds."""
        return Sightings(self.window[mask], self.offset[mask], self.contrast[mask])


def cross_profiles(plane: F32, camera: Camera, samples: Samples, offsets: F64) -> F64:
    """Brightness (windows, len(offsets)) across the marks at `offsets` mm outward; nan outside the picture."""
    count, run = samples.points.shape[:2]
    xy = samples.points[:, :, None, :2] + samples.normals[:, :, None] * offsets[:, None]
    z = np.broadcast_to(samples.points[:, :, None, 2], xy.shape[:3])
    px = camera.to_pixels(xy.reshape(-1, 2), z.ravel()).astype(np.float32)
    table = px.reshape(count * run, len(offsets), 2)
    values = np.concatenate([bilinear(plane, table[i : i + TALLEST]) for i in range(0, len(table), TALLEST)])
    return np.asarray(values.reshape(count, run, len(offsets)).mean(axis=1), np.float64)


def usual_blur(camera: Camera) -> float:
    """How far (sigma, mm) what lies in the middle of the board is usually blurred."""
    return BLUR_PX / float(camera.px_per_mm()[0])


def laid_over(profiles: F64, taps: F64, middles: F64, onto: F64) -> F64:
    """Profiles (n, taps), each moved so that what lies at its middle (n,) mm comes to 0, at the taps `onto` (m,)."""
    return np.array([np.interp(onto, taps - middle, row) for middle, row in zip(middles, profiles, strict=True)])


def bilinear(plane: F32, px: F32) -> F32:
    """Values (n, m) of a plane at pixels (n, m, 2); nan outside the picture."""
    x, y = np.ascontiguousarray(px[..., 0]), np.ascontiguousarray(px[..., 1])
    values = cv2.remap(plane, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=float("nan"))
    return np.asarray(values, np.float32)


def template(mark: Mark, step: float, blur: float) -> F64:
    """Weights that give mean brightness beside minus on a dark line, or across an edge, when laid over a profile.

    `step` is the spacing of the profile's taps and `blur` the picture's blur (sigma), both mm.
    """
    if mark in PROFILE_STEP_MM:
        return _edge(mark, step, PROFILE_STEP_MM[mark], 2 * blur)
    u = _taps(BAR_MM[mark] / 2 + PROFILE_FLANK_MM[mark] + 2 * blur, step)
    bar = _soft(np.abs(u) <= BAR_MM[mark] / 2, blur / step)
    flank = _soft(
        (np.abs(u) > BAR_MM[mark] / 2) & (np.abs(u) <= BAR_MM[mark] / 2 + PROFILE_FLANK_MM[mark]), blur / step
    )
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
          wider: Mapping[Mark, float] = WIDER_MM) -> Sightings:  # fmt: skip
    """Find every mark of `samples` within `reach` mm of its expected place, some marks within a `wider` distance.

    Lines may be shifted as a whole, turned, and bent by up to `bend` mm; windows that stray from their line's smooth
    course are left out.
    """
    mm = 1.0 / float(camera.px_per_mm()[0])
    step = min(0.5, max(0.2, 0.5 * mm))
    windows, offsets, contrasts = [np.zeros(0, np.int64)], [np.zeros(0)], [np.zeros(0)]
    for mark in Mark:
        mine = np.flatnonzero(samples.mark == mark)
        if not len(mine):
            continue
        weights = template(mark, step, usual_blur(camera))
        span = max(reach, wider.get(mark, 0.0))
        half = len(weights) // 2
        taps = np.asarray((np.arange(2 * (int(span / step) + half) + 1) - int(span / step) - half) * step, np.float64)
        levels = _levels(planes, camera, samples.select(samples.mark == mark), taps, mark)
        found, taps = responses(levels, weights)[:, half:-half], taps[half:-half]
        fine = _fine(levels, mark, step, mm)[:, half:-half] if mark in PROFILE_STEP_MM else None
        for part in np.unique(samples.part[mine]):
            rows = samples.part[mine] == part
            where, contrast = _followed(found[rows], samples.along[mine[rows]], taps, bend, mark)
            if fine is not None:
                where = _refined(fine[rows], taps, where, max(FINE_REACH_MM, mm))
            keep = contrast > LEAST_CONTRAST
            windows.append(mine[rows][keep])
            offsets.append(where[keep])
            contrasts.append(contrast[keep])
    return Sightings(np.concatenate(windows), np.concatenate(offsets), np.concatenate(contrasts))


def _levels(planes: Planes, camera: Camera, samples: Samples, taps: F64, mark: Mark) -> F64:
    """Cross profiles (windows, taps) of one kind of mark, in ink except for pockets whose nets are paler than wood."""
    levels = cross_profiles(planes.ink, camera, samples, taps)
    if mark is not Mark.POCKET or told_by(levels, RISING[mark]):
        return levels
    chroma = [cross_profiles(plane, camera, samples, taps) for plane in (planes.u, planes.v)]
    return parted(np.stack([levels, *chroma]), RISING[mark])


def _fine(levels: F64, mark: Mark, step: float, pixel: float) -> F64:
    """Responses (windows, taps) to an edge as narrow as the picture can show it, in light instead of levels."""
    light = np.asarray(255.0 * (np.maximum(levels, 0.0) / 255.0) ** PROFILE_TONE)
    return responses(light, _edge(mark, step, max(FINE_PX * pixel, LEAST_FINE_MM)))


def _refined(fine: F64, taps: F64, where: F64, reach: float) -> F64:
    """The offsets `where` (w,) of an edge, moved to the steepest place within `reach` mm; left where there is none."""
    near = np.abs(taps[None] - where[:, None]) <= reach
    at, height = _peak(np.where(near, fine, -1.0), taps)
    return np.where(height > 0.0, at, where)


def _followed(found: F64, along: F64, taps: F64, bend: float, mark: Mark) -> tuple[F64, F64]:
    """Offset and contrast of one mark in each of its windows (w, taps)."""
    if mark in (Mark.RING, Mark.DISC):
        course, spread = np.zeros(len(found)), float(taps[-1]) + LINE_SPREAD_MM
    elif mark is Mark.POCKET:
        course, spread = _rim(found, along, taps), RIM_SPREAD_MM
    else:
        course, spread = _course(found, along, taps, bend), LINE_SPREAD_MM
    near = np.abs(taps[None] - course[:, None]) <= spread
    return _peak(np.where(near, found, -1.0), taps)


def _course(found: F64, along: F64, taps: F64, bend: float) -> F64:
    """Offsets (w,) of the smooth curve (shift, turn, bend) along which the responses are strongest together."""
    s = along / max(float(np.abs(along).max()), 1e-9)
    turns = np.linspace(-1, 1, 13) * min(8.0, taps[-1])
    bends = np.linspace(-1, 1, 7) * bend if bend > LINE_SPREAD_MM else np.zeros(1)
    shapes = turns[:, None, None] * s + bends[None, :, None] * (s**2 - 1 / 3)
    return _strongest(found, (shapes.reshape(-1, 1, len(s)) + taps[:, None]).reshape(-1, len(s)), taps)


def _rim(found: F64, angles: F64, taps: F64) -> F64:
    """Offsets (w,) of a pocket's rim, seen in windows at `angles` to both sides of the way to the board's middle."""
    inward = np.cos(angles - angles.mean())
    grown = RIM_GROWTHS_MM[:, None, None] * (1 + np.sqrt(2) * inward)
    return _strongest(found, (grown + RIM_SHIFTS_MM[:, None] * inward).reshape(-1, len(angles)), taps)


def _strongest(found: F64, courses: F64, taps: F64) -> F64:
    """Of some `courses` (n, w) that one (w,) along which the responses are strongest together."""
    step = taps[1] - taps[0]
    strong = max(float(np.percentile(found.max(axis=1), 60)), LEAST_CONTRAST)
    # Blurred rather than widened: a plateau would leave the course anywhere on it.
    wide = cv2.blur(np.clip(found, 0.0, strong), (2 * int(LINE_SPREAD_MM / step) + 1, 1))
    index = np.rint((courses - taps[0]) / step).astype(np.int64)
    inside = (index >= 0) & (index < len(taps))
    value = np.where(inside, wide[np.arange(len(wide)), np.clip(index, 0, len(taps) - 1)], 0.0).sum(1)
    return np.asarray(courses[int(np.argmax(value))])


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
