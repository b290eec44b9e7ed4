"""Measures the radius of the base circles' printed ring without the bias from the red disc inside it.

In a blurred picture the disc darkens the ring's inner side and displaces a thin ring's apparent middle. The radial
profile is therefore fitted with a model of disc edge and ring together. Input: an ink plane, the camera and the ring's
windows. Output: the radius in mm, or None.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from calibration.find_board.edge_maps import F32
from calibration.fit_board.cross_profiles import BLUR_SPREAD, aligned_profiles, cross_profiles, typical_blur
from calibration.fit_board.mark_samples import Mark, Samples
from calibration.fit_board.solve import LENGTH_SPREAD
from calibration.geometry.blurred_edge import blurred_edge
from calibration.geometry.camera import F64, Camera
from calibration.geometry.least_squares import minimise

INWARD_MM, OUTWARD_MM, RING_STEP_MM = 8.0, 3.5, 0.25
"""Extent of the fitted radial profile inward and outward of the ring, and its spacing, in mm; it reaches from well
inside the disc to the wood outside."""
RING_LEAST_WINDOWS = 12
RING_GAP_MM = 3.2
"""Gap between the disc's edge and the ring by the book, in mm."""
GAP_SPREAD_MM, RADIUS_SPREAD_MM = 0.8, 0.6
"""Standard deviations of gap and radius between boards, in mm."""
RING_HALF_MM = 0.35
"""Standard deviation (mm) of a Gaussian as wide as the printed ring, which is about 1.2 mm wide."""
PLACES_MM, RING_GAPS_MM = (-1.5, -0.75, 0.0, 0.75, 1.5), (1.8, 2.5, 3.2, 3.9, 4.6)
"""Candidate starting values of the ring's offset and of the gap, about two standard deviations to either side."""
PROFILE_NOISE = 0.01
"""Standard deviation of the averaged profile, as a share of the wood's brightness."""
RING_LEAST_RING = 0.02
"""Least darkening by the ring, as a share of the wood's brightness. A fainter ring is worn off and not measured."""
RING_OFF_BOOK_MM = 1.5
"""Difference (mm) of the detected radius from the book's above which the book's radius is tried too."""


@dataclass(frozen=True, slots=True)
class RingPlace:
    """Fitted position of a ring's middle line, and the misfit of that fit."""

    at: float
    """Position along the profile, mm outward."""
    misfit: float
    """Sum of squared residuals, in sigmas."""


def ring_radius(plane: F32, camera: Camera, rings: Samples, shifts: F64, expected_mm: float,
                book_mm: float) -> float | None:  # fmt: skip
    """Returns the radius (mm) of the ring's middle line; None when the ring is too faint.

    The profiles of the windows `rings` are aligned by their circles' `shifts` (windows, 2) mm, combined, and fitted
    with a disc's edge and a thin line, both blurred. The search starts at the detected radius `expected_mm`, and at
    `book_mm` if that differs much: where little wood lies between them, a disc's edge may have been detected as the
    ring.
    """
    places = {expected_mm} | ({book_mm} if abs(book_mm - expected_mm) > RING_OFF_BOOK_MM else set())
    found = [_ring_about(plane, camera, rings, shifts, place - expected_mm) for place in places]
    misfits = [(place.misfit, expected_mm + place.at) for place in found if place]
    return min(misfits, key=lambda t: t[0] + ((t[1] - book_mm) / LENGTH_SPREAD["ring"]) ** 2)[1] if misfits else None


def _ring_about(plane: F32, camera: Camera, rings: Samples, shifts: F64, off: float) -> RingPlace | None:
    """Returns the ring's position relative to the windows' middles (mm), searched about `off`; None when not found."""
    taps = np.arange(-INWARD_MM, OUTWARD_MM + RING_STEP_MM / 2, RING_STEP_MM)
    wide = np.arange(taps[0] - 3.0, taps[-1] + 3.0, RING_STEP_MM)
    rows = cross_profiles(plane, camera, rings, off + wide)
    aside = np.sum(shifts * rings.middle_normals, axis=1)
    good = ~np.isnan(rows).any(axis=1)
    if good.sum() < RING_LEAST_WINDOWS:
        return None
    laid = aligned_profiles(rows[good], wide, aside[good], taps)
    profile = np.median(laid / np.maximum(laid[:, -4:].mean(axis=1, keepdims=True), 1.0), axis=0)
    place = ring_place(profile, taps, typical_blur(camera))
    return None if place is None else replace(place, at=off + place.at)


def ring_place(profile: F64, taps: F64, blur: float) -> RingPlace | None:
    """Returns the ring's position in a radial profile (taps,); None when the ring is too faint.

    The profile holds brightness at `taps` (mm) relative to the wood's. `blur` (sigma, mm) is the picture's usual one.
    """

    def misfit(p: F64) -> F64:
        residuals = (profile - _model(p, taps, blur)) / PROFILE_NOISE
        usual = [p[0] / RADIUS_SPREAD_MM, (p[1] - RING_GAP_MM) / GAP_SPREAD_MM, p[2] / BLUR_SPREAD]
        return np.concatenate([residuals, usual])

    found = minimise(misfit, _start(profile, taps, blur)).x
    return RingPlace(float(found[0]), float(np.sum(misfit(found) ** 2))) if found[4] > RING_LEAST_RING else None


def _start(profile: F64, taps: F64, blur: float) -> F64:
    """Returns starting parameters: the best of a few places and gaps, with depths from a linear fit.

    With bad starting depths the search may converge on the disc's edge instead of the ring.
    """
    tried = []
    for place, gap in product(PLACES_MM, RING_GAPS_MM):
        shapes = [_model(np.array([place, gap, 0.0, *depths]), taps, blur) for depths in np.eye(3)]
        depths, rest, *_ = np.linalg.lstsq(np.stack(shapes, axis=1), profile, rcond=None)
        tried.append((float(rest[0]), np.array([place, gap, 0.0, *depths])))
    return min(tried, key=lambda t: t[0])[1]


def _model(p: F64, taps: F64, blur: float) -> F64:
    """Returns modelled brightness at `taps` (mm from the expected ring).

    `p` holds the ring's place, the gap, the log blur factor, the depths of disc and ring, and the wood's brightness.
    """
    place, gap, swell, disc, ring, wood = p
    sigma = np.hypot(blur * np.exp(swell), RING_HALF_MM)
    inside = blurred_edge((place - gap - taps) / (blur * np.exp(swell)))
    line = np.exp(-0.5 * ((taps - place) / sigma) ** 2)
    return np.asarray(wood - disc * inside - ring * line)


def ring_windows(samples: Samples, parts: list[int]) -> Samples:
    """Returns the windows of the rings numbered `parts`."""
    return samples.select((samples.mark == Mark.RING) & np.isin(samples.part, parts))
