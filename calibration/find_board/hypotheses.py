"""Guesses the board's pose from squares of long lines or from red base circles, scored by the marks they predict.

The input is the `EdgeMaps` of a picture and a board's layout, the output a list of homographies with scores.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.find_board.base_circles import circle_guesses, red_spots
from calibration.find_board.edge_maps import F32, EdgeMaps
from calibration.find_board.lines import long_lines
from calibration.find_board.squares import aslant_squares, squares
from calibration.fit_board.cross_profiles import TALLEST
from calibration.fit_board.mark_samples import BUILT, Mark, MarkLayout, Samples, expected
from calibration.geometry.camera import F64
from calibration.geometry.homography import project

GUESS_LINES = 70
"""Greatest number of lines used of a picture; cloth and grain fill the list after the board's own."""
GUESS_SQUARES = 1200
"""Greatest number of squares scored, most clearly drawn first."""
LOOKED_AT = 80
"""Number of these that are scored by every mark."""
SIDE_POINTS = 16
"""Points sampled on each side of a square."""
SLACK_MM = 8.0
"""Greatest shift of a whole mark from its predicted place, in mm: lenses and makers differ."""
SHIFTS = 9
"""Number of shifts tried from minus to plus the slack."""
GUESS_SAME_MM = 12.0
"""Corner distance, in mm, up to which two hypotheses are the same."""
GUESS_SIZES = np.arange(0.92, 1.1201, 0.004)
"""Surface sizes tried for the same base lines, as factors of the book's: makers' boards differ so much."""
ROUGH_SIZES = (0.92, 0.96, 1.0, 1.04, 1.08, 1.12)
"""The same in coarser steps, bridged by the slack of a mark."""
SIZE_SLACK_MM = 3.0
BOOK_SIZE = 0.012
"""Difference of the factor from 1 up to which a surface has the book's size."""
GUESS_CLEARLY = 1.2
"""Factor by which cushions and pockets must agree better with another surface size for it to be accepted."""
GUESS_CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
"""Corners SW SE NE NW of the square from -1 to 1."""
KEEP = 6
"""Greatest number of hypotheses returned."""
GUESS_WEIGHTS = {Mark.REAR: 1.0, Mark.FRONT: 1.0, Mark.FOOT: 1.0, Mark.RING: 0.5, Mark.POCKET: 0.5, Mark.ARROW: 0.3}
GUESS_DRAWN = (Mark.REAR, Mark.FRONT, Mark.RING, Mark.ARROW)
GUESS_BUILT = (Mark.FOOT, Mark.POCKET)
RED_WEIGHT = 0.6
RED_FULL = 25.0
"""Redness (grey levels) of a base circle that scores fully."""


@dataclass(frozen=True, slots=True, eq=False)
class Hypothesis:
    """A guessed board pose in the small picture."""

    h: F64
    """Homography (3, 3): board mm -> small straightened px."""
    score: float
    """Agreement of the expected marks with the picture; about 0.1 by chance, 1 and more on a clean board."""


@dataclass(frozen=True, slots=True, eq=False)
class Clues:
    """Features of a small picture that may belong to a board of any model."""

    squares: F64
    """Homographies (n, 3, 3) from the square -1 to 1 to four lines, the most clearly drawn first."""
    spots: F64
    """Red spots (m, 2), see `red_spots`."""

    @classmethod
    def of(cls, evidence: EdgeMaps, aslant: bool = False) -> Clues:
        """Extracts the features; `aslant` accepts more distorted squares, as obliquely viewed boards show them."""
        lines, _ = long_lines(evidence.grey, GUESS_LINES)
        corners = aslant_squares(lines, evidence.lens.k) if aslant else squares(lines, min(evidence.grey.shape))
        corners = corners[np.argsort(-drawn(evidence, corners), kind="stable")[:GUESS_SQUARES]].astype(np.float32)
        unit = GUESS_CORNERS.astype(np.float32)
        laid = [cv2.getPerspectiveTransform(unit, c) for c in corners]
        return cls(np.array(laid, np.float64).reshape(-1, 3, 3), red_spots(evidence.red))


def hypotheses(
    evidence: EdgeMaps, layout: MarkLayout, aslant: bool = False, clues: Clues | None = None
) -> list[Hypothesis]:
    """Returns up to `KEEP` distinct guesses, best first; empty if nothing like a board is in view.

    `aslant` includes boards seen obliquely. `clues` are the features of `evidence`, if already extracted with the
    same `aslant`.
    """
    clues = clues or Clues.of(evidence, aslant)
    squared, circled = _roles(clues.squares, layout), circle_guesses(evidence.red, layout, aslant, clues.spots)
    rough = mark_agreement(evidence, expected(layout, 40.0, 1, (Mark.REAR, Mark.FRONT, Mark.FOOT)), squared)
    # Guesses from circles are not discarded for faint lines.
    guesses = np.concatenate([squared[np.argsort(-rough, kind="stable")[:LOOKED_AT]], circled])
    if not len(guesses):
        return []
    fine = mark_agreement(evidence, expected(layout, 20.0, 1, GUESS_DRAWN), guesses) + circle_redness(
        evidence, layout, guesses
    )
    return _distinct(guesses, fine + _rims(evidence, layout, guesses), layout)


def drawn(evidence: EdgeMaps, corners: F64) -> F64:
    """Returns scores (n,) of squares (n, 4, 2): strength of edges or dark lines, mean of the sides plus the weakest."""
    share = np.linspace(0.08, 0.92, SIDE_POINTS)[:, None]
    strength = np.maximum(np.hypot(*np.moveaxis(evidence.edge, -1, 0)), np.hypot(*np.moveaxis(evidence.ridge, -1, 0)))
    strength = np.asarray(cv2.dilate(strength, np.ones((3, 3), np.uint8)), np.float32)
    following = np.roll(corners, -1, axis=1)
    points = corners[:, :, None] * (1 - share) + following[:, :, None] * share
    x, y = np.moveaxis(points.reshape(-1, SIDE_POINTS, 2), -1, 0).astype(np.float32)
    sides = _at(strength, x, y).mean(axis=1).reshape(-1, 4)
    return np.asarray(sides.mean(1) + sides.min(1))


def _roles(squares_at: F64, layout: MarkLayout) -> F64:
    """Returns homographies (3 m, 3, 3) that take each square (m, 3, 3) for the cushions' feet, the rear or the front
    base lines.
    """
    sizes = (layout.half, layout.rear, layout.front)
    return np.concatenate([squares_at @ np.diag([1 / size, 1 / size, 1.0]) for size in sizes])


def _at(plane: F32, x: F32, y: F32) -> F32:
    """Samples `plane` at the pixels nearest to x and y (n, m); 0 outside the picture."""
    values = np.zeros((*x.shape, *plane.shape[2:]), np.float32)
    for i in range(0, len(x) if x.size else 0, TALLEST):
        rows = slice(i, i + TALLEST)
        values[rows] = cv2.remap(plane, x[rows], y[rows], cv2.INTER_NEAREST, borderMode=cv2.BORDER_CONSTANT)
    return values


def mark_agreement(evidence: EdgeMaps, samples: Samples, guesses: F64, slack: float = SLACK_MM) -> F64:
    """Returns the agreement (n,) of marks with the picture under homographies (n, 3, 3).

    It is the weighted sum of each mark's mean response, at the best shift of the whole mark by up to `slack` mm.
    """
    lines = np.isin(samples.mark, (Mark.REAR, Mark.FRONT, Mark.RING, Mark.ARROW))
    response = np.empty((SHIFTS, len(guesses), len(lines)), np.float32)
    built = np.isin(samples.mark, BUILT)
    for mine, plane in ((lines, evidence.ridge), (built, evidence.edge), (~(lines | built), evidence.print_edge)):
        (x, y), (dx, dy) = _courses(samples.select(mine), guesses, 2 * slack / (SHIFTS - 1))
        length = np.maximum(np.hypot(dx, dy), np.float32(1e-9))
        across = dx / length, dy / length
        if plane is evidence.ridge:
            across = across[0] ** 2 - across[1] ** 2, 2 * across[0] * across[1]
        # A cushion's foot is brighter inside, a pocket's rim brighter outside.
        sign = np.where(samples.mark[mine] == Mark.FOOT, -1, 1).astype(np.float32)
        for s in range(SHIFTS):
            steps = np.float32(s - (SHIFTS - 1) / 2)
            sampled = _at(plane, x + dx * steps, y + dy * steps)
            response[s][:, mine] = (sampled[..., 0] * across[0] + sampled[..., 1] * across[1]) * sign
    total = np.zeros(len(guesses))
    for mark, weight in GUESS_WEIGHTS.items():
        for part in np.unique(samples.part[samples.mark == mark]):
            mine = (samples.mark == mark) & (samples.part == part)
            share = 8.0 if mark is Mark.RING else 4.0
            total += weight / share * np.maximum(response[..., mine].mean(2).max(0), 0.0)
    return total


def _courses(samples: Samples, guesses: F64, step: float) -> tuple[tuple[F32, F32], tuple[F32, F32]]:
    """Returns the pixels, x and y each (n, m), of the samples' middles, and their displacement by `step` mm outward."""
    middles = samples.middles[:, :2]
    at = project(guesses, middles)
    out = (project(guesses, middles + samples.middle_normals) - at) * step
    (x, y), (dx, dy) = np.ascontiguousarray(np.moveaxis(at, -1, 0), np.float32), np.moveaxis(out, -1, 0)
    return (x, y), (dx.astype(np.float32), dy.astype(np.float32))


def _rims(evidence: EdgeMaps, layout: MarkLayout, guesses: F64) -> F64:
    """Returns the agreement (n,) of cushions and pockets at the surface size that suits each guess best."""
    by_size = []
    for ratio in ROUGH_SIZES:
        there = mark_agreement(evidence, expected(_with_surface(layout, ratio), 20.0, 1, GUESS_BUILT), guesses)
        by_size.append(there if ratio == 1.0 else there / GUESS_CLEARLY)
    return np.asarray(np.max(by_size, axis=0))


def _with_surface(layout: MarkLayout, ratio: float) -> MarkLayout:
    """Returns the layout with the surface scaled by `ratio`, its pockets touching the cushions, and the same lines."""
    half = layout.half * ratio
    return replace(layout, half=half, pocket=half - layout.pocket_radius)


def sized(evidence: EdgeMaps, guess: Hypothesis, layout: MarkLayout) -> MarkLayout:
    """Returns `layout` with the surface size that suits cushions and pockets, if clearly better than the book's."""
    scores = []
    for ratio in GUESS_SIZES:
        rims = expected(_with_surface(layout, ratio), 20.0, 1, GUESS_BUILT)
        scores.append(float(mark_agreement(evidence, rims, guess.h[None], SIZE_SLACK_MM)[0]))
    best = int(np.argmax(scores))
    by_book = max(s for s, ratio in zip(scores, GUESS_SIZES, strict=True) if abs(ratio - 1.0) < BOOK_SIZE)
    if scores[best] < GUESS_CLEARLY * by_book:
        return layout
    return _with_surface(layout, float(GUESS_SIZES[best]))


def circle_redness(evidence: EdgeMaps, layout: MarkLayout, guesses: F64) -> F64:
    """Returns the redness (n,) of the base circles, each one's middle minus a ring outside, 0 to RED_WEIGHT."""
    disc = expected(layout, 100.0, 1, (Mark.DISC,))
    centre = disc.middles[:, :2] - layout.disc * disc.middle_normals
    inner, outer = (
        _at(
            evidence.red,
            *np.moveaxis(project(guesses, centre + far * layout.disc * disc.middle_normals), -1, 0).astype(np.float32),
        )
        for far in (0.5, 1.7)
    )
    circles = np.stack([(inner - outer)[:, disc.part == p].mean(1) for p in range(8)], 1)
    return np.asarray(RED_WEIGHT * np.clip(circles / RED_FULL, 0.0, 1.0).mean(1))


def _distinct(guesses: F64, score: F64, layout: MarkLayout) -> list[Hypothesis]:
    corners = GUESS_CORNERS * layout.half
    order = np.argsort(-score, kind="stable")
    places = project(guesses, corners)
    chosen: list[int] = []
    for i in order:
        mm = np.linalg.norm(places[i, 1] - places[i, 0]) / layout.half / 2
        if all(np.linalg.norm(places[i] - places[c], axis=1).max() > GUESS_SAME_MM * mm for c in chosen):
            chosen.append(int(i))
        if len(chosen) == KEEP:
            break
    return [Hypothesis(guesses[i], float(score[i])) for i in chosen]


def corners_of(hypothesis: Hypothesis, evidence: EdgeMaps, layout: MarkLayout) -> NDArray[np.float64]:
    """Returns the corners (4, 2) SW SE NE NW of the playing surface in pixels of the full picture."""
    return evidence.to_picture(project(hypothesis.h[None], GUESS_CORNERS * layout.half)[0])
