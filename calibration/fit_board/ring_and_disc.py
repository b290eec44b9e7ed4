"""Locates the base circles by ring and disc together, to correct fits that confused one with the other.

On a board whose circles lie some millimetres from the book's place, the disc's edge may lie nearer to the ring's
expected place than the ring does. Searched separately, both marks then agree on a centre between the true one and the
book's. A disc inside a ring, with bare wood between, scores high only about the true centre. Input: the ink plane and a
fitted layout. Output: the layout with corrected circles, or None.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.find_board.edge_maps import F32
from calibration.fit_board.cross_profiles import bilinear, responses, template, typical_blur
from calibration.fit_board.mark_samples import LENGTHS, Mark, MarkLayout, expected
from calibration.geometry.camera import F64, Camera

RING_DISC_ALONG_MM, AWAY_STEPS, RING_DISC_ASIDE_MM, APART_MM = 0.75, 5, np.arange(-1.5, 1.6, 0.75), 1.5
"""Search grid of the circles' centres: step along the base lines (mm), number of steps to either side, offsets across
the base lines (mm), and least distance (mm) from the fitted place or radius that counts as a different one."""
RING_DISC_STEP_MM = 0.25
GROWN_MM, RING_DISC_GAPS_MM = 3.0, np.arange(1.5, 5.51, RING_DISC_STEP_MM)
"""Greatest difference of the ring's radius from the book's, and candidate gaps between the ring's radius and the
disc's; in mm."""
MOST_RING, MOST_DISC = 0.2, 0.3
"""Cap of the contrast of one window, for ring and disc: a coin's rim has more contrast than any print."""
RING_DISC_BETTER = 1.05
"""Least ratio of the best score to the score at the fitted place at which the circles are moved."""


def concentric(plane: F32, camera: Camera, layout: MarkLayout, book: MarkLayout) -> MarkLayout | None:
    """Returns `layout` with the base circles at their best-scoring place; None where that is about the place in
    `layout`.

    The search covers the surroundings of their places in `layout` and in `book`. `plane` is the picture's ink plane.
    """
    radii = book.ring + np.arange(-GROWN_MM, GROWN_MM + RING_DISC_STEP_MM / 2, RING_DISC_STEP_MM)
    circles = _Circles.of(plane, camera, layout, radii)
    drawn = {(x, y): circles.drawn(float(x), float(y)) for x in _along(layout, book) for y in RING_DISC_ASIDE_MM}
    x, y = max(drawn, key=lambda place: drawn[place].max())
    gap, size = np.unravel_index(int(np.argmax(drawn[x, y])), drawn[x, y].shape)
    if size in (0, len(radii) - 1):
        # A score that still rises at the end of the search range does not belong to the circles.
        return None
    own = drawn[0.0, 0.0][:, np.abs(radii - layout.ring) < APART_MM]
    apart = max(abs(x), abs(y), abs(radii[size] - layout.ring)) >= APART_MM
    if not apart or (own.size and drawn[x, y].max() < RING_DISC_BETTER * own.max()):
        return None
    return replace(layout, circle_x=layout.circle_x + x, circle_y=layout.circle_y + y, ring=float(radii[size]),
                   disc=float(radii[size] - RING_DISC_GAPS_MM[gap]))  # fmt: skip


def _along(layout: MarkLayout, book: MarkLayout) -> F64:
    """Returns the offsets (n,) mm along the base lines to try, relative to `layout`; 0 is one of them."""
    off = (book.circle_x - layout.circle_x) / RING_DISC_ALONG_MM
    return np.asarray(
        RING_DISC_ALONG_MM * np.arange(round(min(0.0, off)) - AWAY_STEPS, round(max(0.0, off)) + AWAY_STEPS + 1)
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Circles:
    """Scores rings and discs of several radii about shifted centres of the base circles."""

    plane: F32
    weights: tuple[F64, F64]
    """Templates of the ring and of the disc."""
    steps: NDArray[np.int64]
    """Gaps between ring and disc, in taps."""
    pixels: F64
    """Pixels of the taps (windows, run, taps, 2) before any shift."""
    moves: F64
    """Displacement (2, windows, run, 1, 2) of each point, in px, for 1 mm along and 1 mm across the base lines."""

    @classmethod
    def of(cls, plane: F32, camera: Camera, layout: MarkLayout, radii: F64) -> _Circles:
        ring, disc = (template(mark, RING_DISC_STEP_MM, typical_blur(camera)) for mark in (Mark.RING, Mark.DISC))
        half, steps = max(len(ring), len(disc)) // 2, np.rint(RING_DISC_GAPS_MM / RING_DISC_STEP_MM).astype(np.int64)
        taps = radii[0] - layout.ring + RING_DISC_STEP_MM * np.arange(-half - steps[-1], len(radii) + half)
        samples = expected(layout, 12.0, 4, (Mark.RING,))
        at = samples.points[..., None, :2] + samples.normals[..., None, :] * taps[:, None]
        pixels = camera.to_pixels(at.reshape(-1, 2)).reshape(at.shape)
        ways = [samples.moves[:, LENGTHS.index(name), None, :2] for name in ("circle_x", "circle_y")]
        moves = [_step(camera, samples.points[..., :2], way)[..., None, :] for way in ways]
        return cls(plane, (ring, disc), steps, pixels, np.stack(moves))

    def drawn(self, x: float, y: float) -> F64:
        """Returns scores (gaps, radii) of all rings with their discs about centres shifted by (x, y) mm."""
        px = (self.pixels + x * self.moves[0] + y * self.moves[1]).astype(np.float32)
        windows, run, taps = px.shape[:3]
        profiles = bilinear(self.plane, px.reshape(-1, taps, 2)).reshape(windows, run, taps).mean(axis=1)
        half, first = max(map(len, self.weights)) // 2, int(self.steps[-1])
        rings, discs = (np.minimum(responses(profiles.astype(np.float64), w)[:, half:-half], most).mean(axis=0)
                        for w, most in zip(self.weights, (MOST_RING, MOST_DISC), strict=True))  # fmt: skip
        return np.stack([rings[first:] + discs[first - k : len(discs) - k] for k in self.steps])


def _step(camera: Camera, points: F64, way: F64) -> F64:
    """Returns the displacement (..., 2) px of points (..., 2) mm for a movement by `way` (mm), linearised."""
    ends = [camera.to_pixels((points + part * way).reshape(-1, 2)).reshape(points.shape) for part in (-0.5, 0.5)]
    return np.asarray(ends[1] - ends[0])
