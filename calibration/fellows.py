"""Pale coins told by their fellows: each coin of a set shows the same rim, grooves, wall and shade in one light.

What a coin hardly lighter than the board draws drowns in grain and noise when it is looked at by itself. But the plain
coins of its kind on the same board show what to look for; grain and prints hardly ever draw the same as strongly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import F64
from calibration.discs import Disc
from calibration.looks import contrast, kind_distance
from calibration.prints import print_distances
from calibration.profile import Colour, Profile
from calibration.rings import CHROMA_GAIN, F32
from calibration.seek import Ring
from calibration.standing import PLAIN, PRINT_NEAR_MM, bare_print, evidence, looks_printed
from calibration.symmetry import LEAST_TWINS, twins
from calibration.view import View
from models.pieces import COINS, Kind

STEP_MM = 2.0
"""Spacing of the points that are compared: shade and walls are as wide as this."""
REACH = 1.35
"""In radii: how much of a coin's surroundings is compared, for its wall and its shade lie there."""
STRAY_MM = 4.0
"""The search finds a pale coin within this of its place."""
OWN_REACH = 1.1
"""In radii: what other pieces hide of a coin's surroundings."""
FACE = 0.8
"""In radii: a coin hides the prints within this; nearer its rim two base lines beside it draw what a rim does."""
LEAST_SEEN = 0.6
"""Share of the compared points that must be free of prints and other pieces."""


PALE = 25.0
"""Kinds that differ more (percent) from the board on the whole have no coin too pale to be told by itself."""
LEAST_FELLOWS, FELLOW_LIKE = 2, 3.0
"""So many coins that look as their kind does, to so many standard deviations, show how it looks here."""
LEAST_RIM = 0.17
"""Rim support of the palest coins: less is seen where lines cross and about shadows."""
LEAST_ALIKE, STRENGTHS = 0.62, (0.45, 1.8)
"""Coins reach 0.7 to 0.9 and 0.55 to 1.0; what else has the rim of a pale coin reaches 0.6 once in fifty pictures."""
STRANGE_ALIKE = 0.4
"""Grain between two base lines reaches 0.13, weak circles that are coins 0.7 and more (of 70 simulated boards)."""
LEAST_CLEAR = 0.5
"""Share of its rim that a circle of a plain kind must have clear of prints: base circles are as plain as red coins."""
BESIDE = 0.82
"""Circles nearer to a piece than this share of both radii are drawn by it."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """How much the surroundings of a place look as those of the fellows do."""

    alike: float
    """Correlation, -1..1."""
    strength: float
    """How strongly they are drawn, 1 for as strongly as about the fellows on the whole."""


NONE_ALIKE = Likeness(0.0, 0.0)


class Fellows:
    """The common look of some coins of one kind, held against other circles of one picture."""

    def __init__(self, view: View, pieces: Sequence[Disc], fellows: Sequence[Disc]) -> None:
        """`pieces` are all that were told in the picture, the `fellows` among them."""
        self._lattice, self._every = view.lattice, round(STEP_MM / view.lattice.step)
        radius = fellows[0].radius
        reach = round(REACH * radius / STEP_MM)
        self._stray = round(STRAY_MM / STEP_MM)
        self._pad = reach + self._stray
        rows, columns = np.mgrid[-reach : reach + 1, -reach : reach + 1]
        share = np.hypot(rows, columns) * STEP_MM / radius
        self._own = share <= OWN_REACH
        self._face = (share <= FACE).astype(np.float32)
        self._around = ((share > FACE) & (share <= REACH)).astype(np.float32)
        self._planes = self._thinned(view.yuv)
        clean = self._on_board(view.profile) & (view.prints == 0)
        self._clean, self._bare = self._weights(clean, ()), self._weights(clean, pieces)
        self._template = self._common(fellows)

    def _thinned(self, yuv: NDArray[np.uint8]) -> F32:
        """The look (3, n, n) at the points compared, padded so that windows may reach over its border."""
        planes = []
        for plane, gain in zip(yuv, (1.0, CHROMA_GAIN, CHROMA_GAIN), strict=True):
            thin = cv2.GaussianBlur(plane, (0, 0), self._every / 2.0)[:: self._every, :: self._every]
            planes.append(self._padded(thin.astype(np.float32) * np.float32(gain), cv2.BORDER_REPLICATE))
        return np.array(planes)

    def _padded(self, plane: F32, border: int = cv2.BORDER_CONSTANT) -> F32:
        pad = self._pad
        return np.asarray(cv2.copyMakeBorder(plane, pad, pad, pad, pad, border), np.float32)

    def _on_board(self, profile: Profile) -> NDArray[np.bool_]:
        """Which points of the lattice (n, n) lie on the playing surface."""
        rows, columns = (np.column_stack([np.arange(n)] * 2) for n in self._lattice.shape)
        x, y = self._lattice.to_board(columns)[:, 0], self._lattice.to_board(rows)[:, 1]
        return profile.outward(x, y[:, None]) < 0.0

    def _weights(self, clean: NDArray[np.bool_], pieces: Sequence[Disc]) -> F32:
        """1 where a `clean` point shows none of the pieces (n, n), else 0."""
        free = clean.astype(np.uint8)
        for piece in pieces:
            rows, columns = self._lattice.disc_cells(piece.x, piece.y, OWN_REACH * piece.radius)
            free[rows, columns] = 0
        return self._padded(free[:: self._every, :: self._every].astype(np.float32))

    def _at(self, circle: Disc | Ring) -> tuple[int, int]:
        """Row and column of a circle's middle in the padded planes."""
        column, row = self._lattice.to_cells([(circle.x, circle.y)])[0] / self._every
        return round(float(row)) + self._pad, round(float(column)) + self._pad

    def _common(self, fellows: Sequence[Disc]) -> F32:
        """What the fellows show (3, k, k), weighted by what is seen of each."""
        reach, disc = self._face.shape[0] // 2, self._face + self._around
        total, weight = np.zeros((3, *disc.shape)), np.full(disc.shape, 1e-6)
        for fellow in fellows:
            row, column = self._at(fellow)
            window = np.s_[row - reach : row + reach + 1, column - reach : column + reach + 1]
            free = self._face + self._around * np.where(self._own, self._clean[window], self._bare[window])
            planes = np.array([p[window] for p in self._planes])
            ground = (planes * free).sum((1, 2)) / float(free.sum())
            total += (planes - ground[:, None, None]) * free
            weight += free
        mean = total / weight
        mean -= (mean * disc).sum((1, 2))[:, None, None] / disc.sum()
        return np.asarray(mean * disc, np.float32)

    def likeness(self, circle: Disc | Ring) -> Likeness:
        """How much a circle looks as the fellows do, at the best place within STRAY_MM of its middle.

        Prints count where a coin's face would hide them, but not around it.
        """
        (row, column), pad = self._at(circle), self._pad
        window = np.s_[row - pad : row + pad + 1, column - pad : column + pad + 1]
        free = self._bare[window]
        if free.shape != (2 * pad + 1, 2 * pad + 1):
            return NONE_ALIKE

        def sums(values: F32, weights: F32) -> F64:
            """Sums of values (2 pad + 1, 2 pad + 1) where they count, under weights shifted over them."""
            face = cv2.matchTemplate(values, weights * self._face, cv2.TM_CCORR)
            return np.asarray(face + cv2.matchTemplate(values * free, weights * self._around, cv2.TM_CCORR), np.float64)

        one, every = np.ones_like(free), np.ones_like(self._face)
        seen = sums(one, every)
        both = own = common = np.zeros_like(seen)
        for plane, like in zip(self._planes, self._template, strict=True):
            values = plane[window] - plane[row, column]
            mean, mean_like = sums(values, every) / seen, sums(one, like) / seen
            both = both + sums(values, like) - seen * mean * mean_like
            own = own + sums(values * values, every) - seen * mean * mean
            common = common + sums(one, like * like) - seen * mean_like * mean_like
        alike = both / np.sqrt(np.maximum(own * common, 1e-6))
        alike[seen < LEAST_SEEN * every.size * np.pi / 4] = 0.0
        best = np.unravel_index(int(alike.argmax()), alike.shape)
        return Likeness(float(alike[best]), float(both[best] / max(float(common[best]), 1e-6)))


def overlooked(view: View, pieces: Sequence[tuple[Kind, Disc]], profile: Profile) -> list[tuple[Kind, Disc]]:
    """Coins that only their fellows among `pieces` tell, whose looks `profile` knows; `alike` says how well."""
    found: list[tuple[Kind, Disc]] = []
    for kind in COINS:
        own, told = _fellows(kind, pieces, profile), [d for _, d in (*pieces, *found)]
        asked = _asked(view, told, own, profile.colours[kind]) if own else []
        if not asked:
            continue
        fellows = Fellows(view, told, own)
        for ring in asked:
            like = fellows.likeness(ring)
            if like.alike < LEAST_ALIKE or not STRENGTHS[0] < like.strength < STRENGTHS[1]:
                continue
            disc = replace(view.disc(ring), alike=like.alike)
            beside = not any(_is_drawn_by(ring, d) for _, d in found)
            if beside and twins(view.picture, profile, [disc])[0] < LEAST_TWINS:
                found.append((kind, disc))
    return found


def _fellows(kind: Kind, pieces: Sequence[tuple[Kind, Disc]], profile: Profile) -> list[Disc]:
    """Those of the `pieces` that show how a kind looks here; none where they are too few to tell."""
    colour = profile.colours.get(kind)
    own = [d for k, d in pieces if colour and k is kind and kind_distance(d, colour) < FELLOW_LIKE]
    return own if len(own) >= LEAST_FELLOWS else []


def _asked(view: View, told: Sequence[Disc], own: Sequence[Disc], colour: Colour) -> list[Ring]:
    """Circles apart from what is `told` and from bare prints that look like the `own` coins of a kind; of plain kinds,
    which need no fellows mostly, those only that have everything but a rim all round: beside a hole, or with a wall as
    dark as they are.
    """
    pale = float(np.median([contrast(d) for d in own])) <= PALE
    rings = [r for r in view.coins if r.support >= LEAST_RIM and (pale or r.clear > LEAST_CLEAR)
             and not any(_is_drawn_by(r, d) for d in told)]  # fmt: skip
    discs = [(r, view.disc(r)) for r in rings]
    like = [(r, d) for r, d in discs if kind_distance(d, colour) < FELLOW_LIKE and (pale or evidence(d) > PLAIN)]
    return [r for r, d in like if not _is_bare_print(d, view)]


def _is_bare_print(disc: Disc, view: View) -> bool:
    """Whether a disc lies on a printed circle and looks as most of those do: worn red ones look like reddish coins."""
    if print_distances([disc], view.profile)[0] > PRINT_NEAR_MM:
        return False
    away = print_distances(view.coins, view.profile)
    bare = bare_print([view.disc(r) for r, gap in zip(view.coins, away, strict=True) if gap <= PRINT_NEAR_MM])
    return bare is not None and looks_printed(disc, bare)


def strangers(view: View, pieces: Sequence[tuple[Kind, Disc]], profile: Profile) -> list[Disc]:
    """Weak circles among the `pieces` that neither have their kind's look nor what is seen around its other coins."""
    weak = [(k, d) for k, d in pieces if k in profile.colours and k in COINS
            and evidence(d) < PLAIN and kind_distance(d, profile.colours[k]) >= FELLOW_LIKE]  # fmt: skip
    out = []
    for kind, disc in weak:
        own = _fellows(kind, pieces, profile)
        others = [d for _, d in pieces if d is not disc]
        if own and Fellows(view, others, own).likeness(disc).alike < STRANGE_ALIKE:
            out.append(disc)
    return out


def _is_drawn_by(ring: Ring, disc: Disc) -> bool:
    return math.hypot(ring.x - disc.x, ring.y - disc.y) < BESIDE * (ring.radius + disc.radius)
