"""Courses: where a mark runs through all of its windows, followed as one line or circle."""

from __future__ import annotations

from itertools import product

import cv2
import numpy as np

from calibration.camera import F64

LINE_SPREAD_MM = 0.8
"""Windows of one line may lie this far from its smooth course."""
LEAST_CONTRAST = 0.03
"""Share of the local brightness by which a mark must differ from the wood; grain stays below when averaged along."""
RIM_GROWTHS_MM, RIM_SHIFTS_MM = np.arange(-4.0, 4.1, 0.25), np.arange(-2.0, 2.1, 1.0)
"""How much larger than expected a pocket is tried that touches both cushions, and moved in from there. One rim is
followed all round: threads of a net stand out more than it does, but draw no circle."""
MOON_SHIFTS_MM = np.array(list(product(np.arange(-3.0, 3.1, 0.75), repeat=2)))
MOON_GROWTHS_MM = np.arange(-2.0, 2.1, 0.5)
GAPS_MM, USUAL_GAP_MM = np.array([1.0, 1.8, 2.5, 3.2, 3.9, 4.6]), 3.2
"""How far aside a base circle is tried, how much larger its ring, and how far within that the red disc ends: alone the
ring may be sought where the disc ends, and the disc where the ring lies."""
USUAL = 1.5, 0.7, 0.8
"""How far (mm, one sigma) makers' circles stray from the book: aside, in their rings, in the gap within."""
DOUBT = 0.25
"""Windows that an oddity of one sigma must win, times its square."""


def line_course(found: F64, along: F64, taps: F64, bend: float) -> F64:
    """Offsets (w,) of the smooth curve (shift, turn, bend) along which the responses are strongest together."""
    s = along / max(float(np.abs(along).max()), 1e-9)
    turns = np.linspace(-1, 1, 13) * min(8.0, taps[-1])
    bends = np.linspace(-1, 1, 7) * bend if bend > LINE_SPREAD_MM else np.zeros(1)
    shapes = turns[:, None, None] * s + bends[None, :, None] * (s**2 - 1 / 3)
    return _strongest(found, (shapes.reshape(-1, 1, len(s)) + taps[:, None]).reshape(-1, len(s)), taps)


def rim_course(found: F64, angles: F64, taps: F64) -> F64:
    """Offsets (w,) of a pocket's rim, seen in windows at `angles` to both sides of the way to the board's middle."""
    inward = np.cos(angles - angles.mean())
    grown = RIM_GROWTHS_MM[:, None, None] * (1 + np.sqrt(2) * inward)
    return _strongest(found, (grown + RIM_SHIFTS_MM[:, None] * inward).reshape(-1, len(angles)), taps)


def moon_courses(ring: tuple[F64, F64, F64], disc: tuple[F64, F64, F64], apart: float) -> tuple[F64, F64]:
    """Offsets (w,) of a base circle's ring and of the disc within, of each the responses (w, taps) found, the windows'
    outward normals (w, 2) and the taps; both are expected `apart` mm from each other.
    """
    (rings, ring_normals, ring_taps), (discs, disc_normals, disc_taps) = ring, disc
    ring_courses = _moved(ring_normals, MOON_GROWTHS_MM)
    disc_courses = _moved(disc_normals, (MOON_GROWTHS_MM[:, None] + apart - GAPS_MM).ravel())
    shape = len(MOON_SHIFTS_MM), len(MOON_GROWTHS_MM), len(GAPS_MM)
    score = _strengths(rings, ring_courses.reshape(-1, len(rings)), ring_taps).reshape(*shape[:2], 1)
    score = score + _strengths(discs, disc_courses.reshape(-1, len(discs)), disc_taps).reshape(shape)
    shift, growth, gap = USUAL
    odd = np.sum(MOON_SHIFTS_MM**2, axis=1)[:, None, None] / shift**2
    odd = odd + ((MOON_GROWTHS_MM / growth) ** 2)[:, None] + ((GAPS_MM - USUAL_GAP_MM) / gap) ** 2
    i, grown, k = np.unravel_index(int(np.argmax(score - DOUBT * odd)), shape)
    return ring_courses[i, grown], disc_courses[i, grown * len(GAPS_MM) + k]


def _moved(normals: F64, growths: F64) -> F64:
    """Offsets (shifts, growths, w) of circles moved aside and grown."""
    return np.asarray((MOON_SHIFTS_MM @ normals.T)[:, None] + growths[:, None])


def _strongest(found: F64, courses: F64, taps: F64) -> F64:
    """Of some `courses` (n, w) that one (w,) along which the responses are strongest together."""
    return np.asarray(courses[int(np.argmax(_strengths(found, courses, taps)))])


def _strengths(found: F64, courses: F64, taps: F64) -> F64:
    """How strong the responses (w, taps) are along `courses` (n, w): in how many windows (n,) as strong as most."""
    step = taps[1] - taps[0]
    strong = max(float(np.percentile(found.max(axis=1), 60)), LEAST_CONTRAST)
    # Blurred rather than widened: a plateau would leave the course anywhere on it.
    wide = cv2.blur(np.clip(found, 0.0, strong), (2 * int(LINE_SPREAD_MM / step) + 1, 1))
    index = np.rint((courses - taps[0]) / step).astype(np.int64)
    inside = (index >= 0) & (index < len(taps))
    value = np.where(inside, wide[np.arange(len(wide)), np.clip(index, 0, len(taps) - 1)], 0.0).sum(1)
    return np.asarray(value / strong)
