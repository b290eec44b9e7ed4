"""The radius of the base circles' printed ring, freed from the red disc within, which pulls a thin ring outward."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from calibration.find_board.edge_maps import F32
from calibration.fit_board.cross_profiles import cross_profiles, laid_over, usual_blur
from calibration.fit_board.mark_samples import Mark, Samples
from calibration.fit_board.solve import LENGTH_SPREAD
from calibration.geometry.blurred_edge import blurred_edge
from calibration.geometry.camera import F64, Camera
from calibration.geometry.least_squares import least

INWARD_MM, OUTWARD_MM, RING_STEP_MM = 8.0, 3.5, 0.25
"""The stretch of the radial profile that is explained: from well inside the disc to the wood outside."""
RING_LEAST_WINDOWS = 12
RING_GAP_MM = 3.2
"""Between the disc's edge and the ring by the book."""
GAP_SPREAD_MM, RADIUS_SPREAD_MM, BLUR_SPREAD = 0.8, 0.6, 0.5
"""How far makers' circles and pictures stray from the usual (blur: of its logarithm)."""
RING_HALF_MM = 0.35
"""A printed ring about 1.2 mm wide is as broad as a blur of this sigma."""
PLACES_MM, RING_GAPS_MM = (-1.5, -0.75, 0.0, 0.75, 1.5), (1.8, 2.5, 3.2, 3.9, 4.6)
"""Places of the ring and gaps from which the search may begin: some two spreads to both sides of the usual."""
PROFILE_NOISE = 0.01
"""Scatter of the averaged profile, share of the wood's brightness."""
RING_LEAST_RING = 0.02
"""A ring that takes away less of the brightness than this is worn off; its radius is not told."""
RING_OFF_BOOK_MM = 1.5
"""A ring seen farther than this from the book's radius may lie there all the same."""


@dataclass(frozen=True, slots=True)
class RingPlace:
    """Where a ring's middle lies, and how ill that explains what is seen."""

    at: float
    """mm along the profile."""
    misfit: float
    """Squared sigmas."""


def ring_radius(plane: F32, camera: Camera, rings: Samples, shifts: F64, expected_mm: float,
                book_mm: float) -> float | None:  # fmt: skip
    """Radius (mm) of the middle of the print, from windows `rings` whose circles lie `shifts` (windows, 2) off.

    The windows' profiles are laid over each other and explained by a disc's edge and a thin line, both blurred; None
    when the ring is too faint. It is sought about the radius at which it was seen, `expected_mm`, and about the book's:
    where little wood is left between them a disc's edge may have been taken for the ring.
    """
    places = {expected_mm} | ({book_mm} if abs(book_mm - expected_mm) > RING_OFF_BOOK_MM else set())
    found = [_ring_about(plane, camera, rings, shifts, place - expected_mm) for place in places]
    misfits = [(place.misfit, expected_mm + place.at) for place in found if place]
    return min(misfits, key=lambda t: t[0] + ((t[1] - book_mm) / LENGTH_SPREAD["ring"]) ** 2)[1] if misfits else None


def _ring_about(plane: F32, camera: Camera, rings: Samples, shifts: F64, off: float) -> RingPlace | None:
    """Where (mm from the windows' middles) the print's middle lies, sought about `off`."""
    taps = np.arange(-INWARD_MM, OUTWARD_MM + RING_STEP_MM / 2, RING_STEP_MM)
    wide = np.arange(taps[0] - 3.0, taps[-1] + 3.0, RING_STEP_MM)
    rows = cross_profiles(plane, camera, rings, off + wide)
    aside = np.sum(shifts * rings.middle_normals, axis=1)
    good = ~np.isnan(rows).any(axis=1)
    if good.sum() < RING_LEAST_WINDOWS:
        return None
    laid = laid_over(rows[good], wide, aside[good], taps)
    profile = np.median(laid / np.maximum(laid[:, -4:].mean(axis=1, keepdims=True), 1.0), axis=0)
    place = ring_place(profile, taps, usual_blur(camera))
    return None if place is None else replace(place, at=off + place.at)


def ring_place(profile: F64, taps: F64, blur: float) -> RingPlace | None:
    """Where along a radial profile, brightness at `taps` (mm) as shares of the wood's, the print's middle lies.

    `blur` (mm) is the picture's usual one; None when the ring is too faint.
    """

    def misfit(p: F64) -> F64:
        seen = (profile - _model(p, taps, blur)) / PROFILE_NOISE
        usual = [p[0] / RADIUS_SPREAD_MM, (p[1] - RING_GAP_MM) / GAP_SPREAD_MM, p[2] / BLUR_SPREAD]
        return np.concatenate([seen, usual])

    found = least(misfit, _start(profile, taps, blur)).x
    return RingPlace(float(found[0]), float(np.sum(misfit(found) ** 2))) if found[4] > RING_LEAST_RING else None


def _start(profile: F64, taps: F64, blur: float) -> F64:
    """Where to begin: the place and the gap that explain a profile best, of a few, with the depths that go with them.

    From depths far off the search may end with the disc's edge taken for the ring.
    """
    tried = []
    for place, gap in product(PLACES_MM, RING_GAPS_MM):
        shapes = [_model(np.array([place, gap, 0.0, *depths]), taps, blur) for depths in np.eye(3)]
        depths, rest, *_ = np.linalg.lstsq(np.stack(shapes, axis=1), profile, rcond=None)
        tried.append((float(rest[0]), np.array([place, gap, 0.0, *depths])))
    return min(tried, key=lambda t: t[0])[1]


def _model(p: F64, taps: F64, blur: float) -> F64:
    """Brightness at `taps` (mm from the expected ring): ring's place, gap, log blur, disc's and ring's depth, wood."""
    place, gap, swell, disc, ring, wood = p
    sigma = np.hypot(blur * np.exp(swell), RING_HALF_MM)
    inside = blurred_edge((place - gap - taps) / (blur * np.exp(swell)))
    line = np.exp(-0.5 * ((taps - place) / sigma) ** 2)
    return np.asarray(wood - disc * inside - ring * line)


def ring_windows(samples: Samples, parts: list[int]) -> Samples:
    """The windows of the rings numbered `parts`."""
    return samples.select((samples.mark == Mark.RING) & np.isin(samples.part, parts))
