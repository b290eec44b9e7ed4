"""Where the board lies: squares of long lines or rings of red circles, judged by the marks that they predict."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import F64
from calibration.circles import circle_guesses
from calibration.evidence import F32, Evidence
from calibration.layout import Layout, Mark, Samples, expected
from calibration.lines import long_lines

LINES = 70
"""Lines taken from a picture; cloth and grain fill the list after the board's own."""
PARALLEL_RAD = np.radians(16.0)
"""Opposite sides of a board under 12 degrees of tilt still lie nearer to parallel than this."""
LEAST_SIDE = 0.2
"""Smallest square looked for (front base lines of a board filling 35 % of the height), share of the height."""
ASPECT = 1.2
"""A square seen under 12 degrees of tilt has sides no more different than this."""
ASLANT_RAD = np.radians(40.0)
"""Opposite sides of a board that a camera sees aslant lie nearer to parallel than this."""
FOCALS = (0.75, 1.05, 1.5, 2.2)
"""Focal lengths (shares of the picture's smaller side) of the usual cameras and phones."""
SKEW = 0.12
"""A square seen aslant has right angles and equal sides, to within this, through one of these lenses."""
SQUARES = 1200
"""Squares examined at most, best supported first."""
SIDE_POINTS = 16
"""Points on each side of a square where its drawing is checked."""
SLACK_MM = 8.0
"""A whole mark may lie this far from its place by the hypothesis, for the lens and makers differ."""
SHIFTS = 9
"""Steps into which the slack is divided."""
SAME_MM = 12.0
"""Hypotheses whose corners differ less than this are one."""
SIZES = np.arange(0.92, 1.1201, 0.004)
"""Sides of a surface, in shares of the book's, that go with one set of base lines on some maker's board."""
SIZE_SLACK_MM = 3.0
BOOK_SIZE = 0.012
"""Sizes this near to the book's are the book's."""
CLEARLY = 1.2
"""Another size is believed when cushions and pockets agree better with it by this factor."""
KEEP = 6
"""Hypotheses handed on."""
WEIGHTS = {Mark.REAR: 1.0, Mark.FRONT: 1.0, Mark.FOOT: 1.0, Mark.RING: 0.5, Mark.POCKET: 0.5, Mark.ARROW: 0.3}
RED_WEIGHT = 0.6
RED_FULL = 25.0
"""Redness (grey levels) of a base circle that counts fully."""


@dataclass(frozen=True, slots=True, eq=False)
class Hypothesis:
    """A board guessed in the small picture."""

    h: F64
    """Homography (3, 3): board mm -> small straightened px."""
    score: float
    """Agreement of the expected marks with the picture; about 0.1 by chance, 1 and more on a clean board."""


def hypotheses(evidence: Evidence, layout: Layout, aslant: bool = False) -> list[Hypothesis]:
    """The best distinct guesses, best first; empty when nothing like a board is in view.

    `aslant` looks for boards that the camera does not look straight down on, for which more passes for a square.
    """
    lines, _ = long_lines(evidence.grey, LINES)
    corners = aslant_squares(lines, evidence.lens.k) if aslant else squares(lines, min(evidence.grey.shape))
    corners = corners[np.argsort(-drawn(evidence, corners), kind="stable")[:SQUARES]]
    guesses = np.concatenate([_roles(corners, layout), circle_guesses(evidence.red, layout, aslant)])
    if not len(guesses):
        return []
    rough = expected(layout, 40.0, 1)
    score = judge(evidence, rough.select(np.isin(rough.mark, (Mark.REAR, Mark.FRONT, Mark.FOOT))), guesses)
    best = np.argsort(-score, kind="stable")[:80]
    fine = judge(evidence, expected(layout, 20.0, 1), guesses[best]) + redness(evidence, layout, guesses[best])
    return _distinct(guesses[best], fine, layout)


def squares(lines: F64, height: int) -> F64:
    """Corners (n, 4, 2) SW SE NE NW of all near-squares between the lines."""
    corners = _fours(lines, height, PARALLEL_RAD)
    sides = _sides(corners)
    return _ordered(corners[sides.max(1) < ASPECT * sides.min(1)])


def aslant_squares(lines: F64, k: F64) -> F64:
    """Corners (n, 4, 2) SW SE NE NW of all fours of lines that a camera like `k` (3, 3) might show of a square."""
    height = 2 * float(k[:2, 2].min())
    corners = _fours(lines, height, ASLANT_RAD)
    corners = corners[_is_convex(corners) & (_sides(corners).min(1) > LEAST_SIDE * height)]
    return _ordered(corners[_skew(corners - k[:2, 2], height) < SKEW])


def _sides(corners: F64) -> F64:
    """Lengths (n, 4) of the sides."""
    return np.asarray(np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2))


def _is_convex(corners: F64) -> NDArray[np.bool_]:
    """Whether one goes round corners (n, 4, 2) by turns to the same hand."""
    side = np.roll(corners, -1, axis=1) - corners
    after = np.roll(side, -1, axis=1)
    turn = side[..., 0] * after[..., 1] - side[..., 1] * after[..., 0]
    return np.asarray(np.abs(np.sign(turn).sum(1)) == turn.shape[1])


def _skew(corners: F64, height: float) -> F64:
    """How far (n,) corners (n, 4, 2) px from the principal point are from a square's through the best of some lenses:
    the larger of the cosine between its sides and of the logarithm of how much longer one is.

    The sides' directions are the first columns of a homography (Zhang, A flexible new technique for camera
    calibration, 2000, section 2.3).
    """
    a, b, c, d = (np.concatenate([corners[:, i], np.ones((len(corners), 1))], 1) for i in range(4))
    # Weights that make the corners of a parallelogram of the others: a, b, c, d as a, a + u, a + u + v, a + v.
    whole = np.linalg.det(np.stack([a, b, d], 1))
    wb, wd = (np.linalg.det(np.stack(rows, 1)) / whole for rows in ((a, c, d), (a, b, c)))
    wa = -np.linalg.det(np.stack([c, b, d], 1)) / whole
    u, v = wb[:, None] * b - wa[:, None] * a, wd[:, None] * d - wa[:, None] * a
    off = []
    for focal in FOCALS:
        lens = np.array([1.0, 1.0, focal * height])
        right, up = u * lens, v * lens
        long, high = np.linalg.norm(right, axis=1), np.linalg.norm(up, axis=1)
        off.append(np.maximum(np.abs(np.sum(right * up, 1)) / (long * high), np.abs(np.log(long / high))))
    return np.asarray(np.min(off, axis=0))


def _fours(lines: F64, height: float, parallel_rad: float) -> F64:
    """Corners (n, 4, 2), one after the other, between two pairs of lines that are parallel to within so much."""
    i, j = np.triu_indices(len(lines), 1)
    sign = np.where(np.sum(lines[i, :2] * lines[j, :2], 1) < 0, -1.0, 1.0)
    turned = lines[j] * sign[:, None]
    parallel = np.sum(lines[i, :2] * turned[:, :2], 1) > np.cos(parallel_rad)
    gap = np.abs(lines[i, 2] - turned[:, 2])
    apart = parallel & (gap > LEAST_SIDE * height)
    i, j, turned = i[apart], j[apart], turned[apart]
    if len(i) < 2:
        return np.empty((0, 4, 2))
    normal = lines[i, :2] + turned[:, :2]
    angle = np.arctan2(normal[:, 1], normal[:, 0])
    p, q = np.triu_indices(len(i), 1)
    off = np.abs((angle[p] - angle[q] + np.pi / 2) % np.pi - np.pi / 2)
    square = off > np.pi / 2 - parallel_rad
    p, q = p[square], q[square]
    return np.stack([_cross(lines[a[p]], lines[b[q]]) for a, b in ((i, i), (i, j), (j, j), (j, i))], 1)


def drawn(evidence: Evidence, corners: F64) -> F64:
    """How much of the four sides of squares (n, 4, 2) is drawn in the picture (n,): edges or dark lines along them."""
    share = np.linspace(0.08, 0.92, SIDE_POINTS)[:, None]
    strength = np.maximum(np.hypot(*np.moveaxis(evidence.edge, -1, 0)), np.hypot(*np.moveaxis(evidence.ridge, -1, 0)))
    strength = np.asarray(cv2.dilate(strength, np.ones((3, 3), np.uint8)), np.float32)
    following = np.roll(corners, -1, axis=1)
    points = corners[:, :, None] * (1 - share) + following[:, :, None] * share
    sides = _at(strength, points).mean(2)
    return np.asarray(sides.mean(1) + sides.min(1))


def _cross(a: F64, b: F64) -> F64:
    """Intersections (n, 2) of lines (n, 3) in normal form; far away where parallel."""
    det = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    det = np.where(np.abs(det) < 1e-6, 1e-6, det)
    x = (a[:, 2] * b[:, 1] - b[:, 2] * a[:, 1]) / det
    y = (a[:, 0] * b[:, 2] - b[:, 0] * a[:, 2]) / det
    return np.stack([x, y], -1)


def _ordered(corners: F64) -> F64:
    """Corners round the square turned so that the first two (SW, SE) span the side nearest the picture's bottom."""
    following = np.roll(corners, -1, axis=1)
    area = np.sum(corners[..., 0] * following[..., 1] - corners[..., 1] * following[..., 0], 1)
    clockwise = np.where((area > 0)[:, None, None], corners, corners[:, ::-1])
    lowest = np.argmax((clockwise + np.roll(clockwise, -1, axis=1))[..., 1], axis=1)
    # Clockwise in the picture the bottom side runs from SE to SW, then NW, NE.
    index = (lowest[:, None] + np.array([1, 0, 3, 2])) % 4
    return np.asarray(np.take_along_axis(clockwise, index[..., None], axis=1))


def _roles(corners: F64, layout: Layout) -> F64:
    """Homographies (n, 3, 3) for every square taken as the cushions' feet, the rear and the front base lines."""
    unit = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32)
    out = []
    for size in (layout.half, layout.rear, layout.front):
        out += [cv2.getPerspectiveTransform(unit * np.float32(size), c.astype(np.float32)) for c in corners]
    return np.array(out, np.float64).reshape(-1, 3, 3)


def project(h: F64, points: F64) -> F64:
    """Small pixels (n, m, 2) of board points (m, 2) under homographies (n, 3, 3)."""
    xyz = np.concatenate([points, np.ones((len(points), 1))], 1) @ h.transpose(0, 2, 1)
    return np.asarray(xyz[..., :2] / xyz[..., 2:])


def _at(plane: F32, px: F64) -> F64:
    """Values of `plane` nearest to pixels (..., 2); 0 outside the picture."""
    x, y = np.rint(px[..., 0]).astype(np.int64), np.rint(px[..., 1]).astype(np.int64)
    inside = (x >= 0) & (y >= 0) & (x < plane.shape[1]) & (y < plane.shape[0])
    values = plane[np.where(inside, y, 0), np.where(inside, x, 0)]
    return np.asarray(np.where(inside[..., None] if plane.ndim == 3 else inside, values, 0.0), np.float64)


def judge(evidence: Evidence, samples: Samples, guesses: F64, slack: float = SLACK_MM) -> F64:
    """Agreement (n,) of marks with the picture under homographies (n, 3, 3): mean along each mark.

    Each mark may be shifted as a whole by up to `slack` mm.
    """
    middles, normals = samples.middles[:, :2], samples.middle_normals
    base = project(guesses, middles)
    step = (project(guesses, middles + normals) - base) * (2 * slack / (SHIFTS - 1))
    unit = step / np.maximum(np.linalg.norm(step, axis=2, keepdims=True), 1e-9)
    double = np.stack([unit[..., 0] ** 2 - unit[..., 1] ** 2, 2 * unit[..., 0] * unit[..., 1]], -1)
    lines = np.isin(samples.mark, (Mark.REAR, Mark.FRONT, Mark.RING, Mark.ARROW))
    # A cushion's foot is brighter inside, a pocket's rim brighter outside.
    sign = np.where(samples.mark == Mark.POCKET, 1.0, -1.0)
    response = np.empty((SHIFTS, *base.shape[:2]))
    for s in range(SHIFTS):
        at = base + step * (s - (SHIFTS - 1) / 2)
        ridge = np.sum(_at(evidence.ridge, at[:, lines]) * double[:, lines], -1)
        edge = np.sum(_at(evidence.edge, at[:, ~lines]) * unit[:, ~lines], -1) * sign[~lines]
        response[s][:, lines], response[s][:, ~lines] = ridge, edge
    total = np.zeros(len(guesses))
    for mark, weight in WEIGHTS.items():
        for part in np.unique(samples.part[samples.mark == mark]):
            mine = (samples.mark == mark) & (samples.part == part)
            share = 8.0 if mark is Mark.RING else 4.0
            total += weight / share * np.maximum(response[..., mine].mean(2).max(0), 0.0)
    return total


def sized(evidence: Evidence, guess: Hypothesis, layout: Layout) -> Layout:
    """`layout` with the surface as large as cushions and pockets say, where they speak clearly against the book."""
    scores = []
    for ratio in SIZES:
        half = layout.half * ratio
        samples = expected(replace(layout, half=half, pocket=half - layout.pocket_radius), 20.0, 1)
        rims = samples.select(np.isin(samples.mark, (Mark.FOOT, Mark.POCKET)))
        scores.append(float(judge(evidence, rims, guess.h[None], SIZE_SLACK_MM)[0]))
    best = int(np.argmax(scores))
    by_book = max(s for s, ratio in zip(scores, SIZES, strict=True) if abs(ratio - 1.0) < BOOK_SIZE)
    if scores[best] < CLEARLY * by_book:
        return layout
    half = layout.half * float(SIZES[best])
    return replace(layout, half=half, pocket=half - layout.pocket_radius)


def redness(evidence: Evidence, layout: Layout, guesses: F64) -> F64:
    """How red the base circles are (n,): the middle of each against a ring outside, 0 to RED_WEIGHT."""
    rings = expected(layout, 100.0, 1)
    disc = rings.select(rings.mark == Mark.DISC)
    centre = disc.middles[:, :2] - layout.disc * disc.middle_normals
    inner: F64 = _at(evidence.red, project(guesses, centre + 0.5 * layout.disc * disc.middle_normals))
    outer = _at(evidence.red, project(guesses, centre + 1.7 * layout.disc * disc.middle_normals))
    circles = np.stack([(inner - outer)[:, disc.part == p].mean(1) for p in range(8)], 1)
    return np.asarray(RED_WEIGHT * np.clip(circles / RED_FULL, 0.0, 1.0).mean(1))


def _distinct(guesses: F64, score: F64, layout: Layout) -> list[Hypothesis]:
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float64) * layout.half
    order = np.argsort(-score, kind="stable")
    places = project(guesses, corners)
    chosen: list[int] = []
    for i in order:
        mm = np.linalg.norm(places[i, 1] - places[i, 0]) / layout.half / 2
        if all(np.linalg.norm(places[i] - places[c], axis=1).max() > SAME_MM * mm for c in chosen):
            chosen.append(int(i))
        if len(chosen) == KEEP:
            break
    return [Hypothesis(guesses[i], float(score[i])) for i in chosen]


def corners_of(hypothesis: Hypothesis, evidence: Evidence, layout: Layout) -> NDArray[np.float64]:
    """Corners (4, 2) SW SE NE NW of the playing surface in pixels of the full picture."""
    unit = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float64)
    return evidence.to_picture(project(hypothesis.h[None], unit * layout.half)[0])
