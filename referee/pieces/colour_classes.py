"""Classifies discs by colour: learns the colour of each kind from groups of coins and finds the nearest kind of a disc.

Colours are relative to the board around a disc (`Disc.tint`), in percent of the board's luma. Before any are learned,
coins are grouped by brightness, hue and redness.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.geometry.least_squares import MAD_SIGMA
from calibration.profile import Colour
from models.pieces import COINS, Kind
from referee.pieces.disc import Disc, Tint, relative_colour

SIGMA_FLOOR = (6.0, 2.0, 2.5)
"""Least standard deviation of a learned colour, in percent: grain, ornaments and uneven light vary at least this much.
"""
BLACK_LUMA = 72.0
"""Luma below which a coin is guessed black before colours are learned, in percent of the board's."""
LEAST_KIND_GAP, BRIGHTEST_THRESHOLD = 2.0, 95.0
"""Least gap in colour between the black and the white coins of a set, in standard deviations; and greatest threshold
between them, in percent of the board's luma."""
RED_EXCESS = 9.0
"""Excess of the red difference over the board's above which a coin is guessed the queen, in percent, before colours
are learned."""


def ground_tint(disc: Disc) -> Tint:
    """Returns the colour of the board around a disc in the units of `Disc.tint`."""
    return relative_colour(disc.ground, disc.ground)


def contrast(disc: Disc) -> float:
    """Returns the distance between the colours of a disc and the board around it, in percent of the board's luma."""
    return math.dist(disc.tint, ground_tint(disc))


def redness(disc: Disc) -> float:
    """Returns how much redder a disc is than the board around it, in percent of the board's luma."""
    return disc.tint[2] - ground_tint(disc)[2]


def guess_kind(disc: Disc) -> Kind:
    """Returns the kind of a coin by fixed thresholds, for a board whose colours are not learned."""
    if redness(disc) > RED_EXCESS:
        return Kind.QUEEN
    return Kind.BLACK if disc.tint[0] < BLACK_LUMA else Kind.WHITE


def tint_distance(tint: Tint, colour: Colour) -> float:
    """Returns the distance of a colour, in the units of `Disc.tint`, from a kind's, in standard deviations."""
    # In plain numbers: this is asked thousands of times in a census.
    (y, u, v), (y0, u0, v0), (sy, su, sv), (fy, fu, fv) = tint, colour.mean, colour.sigma, SIGMA_FLOOR
    return math.hypot((y - y0) / max(sy, fy), (u - u0) / max(su, fu), (v - v0) / max(sv, fv))


def nearest_kind(disc: Disc, colours: dict[Kind, Colour], among: Sequence[Kind] = COINS) -> tuple[Kind, float]:
    """Returns the kind with the nearest learned colour, and the distance; a guess and 0 if no colour is learned."""
    rated = [(tint_distance(disc.tint, c), k) for k, c in colours.items() if k in among]
    if not rated:
        return guess_kind(disc), 0.0
    distance, kind = min(rated)
    return kind, distance


def floor_sigmas(sigma: ArrayLike) -> NDArray[np.float64]:
    """Returns standard deviations of colours (..., 3), raised to at least `SIGMA_FLOOR`."""
    return np.asarray(np.maximum(sigma, SIGMA_FLOOR), np.float64)


def mean_colour(discs: Sequence[Disc]) -> Colour:
    """Returns the colour of a group of discs: median and robust standard deviation."""
    tints = np.array([d.tint for d in discs])
    mean = np.median(tints, 0)
    spread = np.maximum(MAD_SIGMA * np.median(np.abs(tints - mean), 0), SIGMA_FLOOR)
    return Colour(
        (float(mean[0]), float(mean[1]), float(mean[2])), (float(spread[0]), float(spread[1]), float(spread[2]))
    )


def group_by_kind(discs: Sequence[Disc], pictures: int = 1, plain: Sequence[Disc] = ()) -> dict[Kind, list[Disc]]:
    """Groups the coins of several pictures of one board by kind without an opening formation: queen, black and white.

    Black and white are split at the widest gap in colour, since "white" coins may be darker than the board. The gap is
    searched among the `plain` coins first, for prints and grain have other tones. Without a gap, and for red coins,
    fixed thresholds decide. The groups are then refined by the nearest mean colour.
    """
    red = _reddest(discs, pictures)
    rest = [d for d in discs if all(d is not r for r in red)]
    limit = _brightness_threshold([d for d in rest if d in plain]) or _brightness_threshold(rest) or BLACK_LUMA
    groups = {Kind.QUEEN: red}
    groups[Kind.WHITE] = [d for d in rest if d.tint[0] >= limit]
    groups[Kind.BLACK] = [d for d in rest if d.tint[0] < limit]
    for _ in range(2):
        colours = {k: mean_colour(g) for k, g in groups.items() if g}
        groups = {k: [] for k in COINS}
        for d in discs:
            groups[nearest_kind(d, colours)[0]].append(d)
    return groups


def _reddest(discs: Sequence[Disc], pictures: int) -> list[Disc]:
    """Returns the reddest coin a picture, if redder than the board or most coins; none if its colour is common."""
    if not discs:
        return []
    expected = zip(discs, _red_contrasts(discs), _expected_reds(discs), strict=True)
    redder = [max(r, d.tint[2] - u) for d, r, u in expected]
    red = [discs[i] for i in np.argsort(redder)[::-1] if redder[i] > RED_EXCESS]
    return [] if _is_common_colour(red, discs, pictures) else red[:pictures]


def _is_common_colour(red: Sequence[Disc], discs: Sequence[Disc], pictures: int) -> bool:
    """Tells whether more discs than one a picture have the colour of one of the `red` ones.

    There is one queen, so these are another kind, even if only some of them are redder than the board around.
    """
    tints, others = (np.array([d.tint for d in some]).reshape(-1, 3) / SIGMA_FLOOR for some in (red, discs))
    alike = np.linalg.norm(tints[:, None] - others, axis=2) < LEAST_KIND_GAP
    return int(alike.sum(1).max(initial=0)) > pictures


def _red_contrasts(discs: Sequence[Disc]) -> list[float]:
    """Returns how much redder each disc is than the board around it or than the median board, whichever is less: any
    coin is redder than a printed green leaf.
    """
    usual = float(np.median([ground_tint(d)[2] for d in discs]))
    return [min(redness(d), d.tint[2] - usual) for d in discs]


def _expected_reds(discs: Sequence[Disc]) -> list[float]:
    """Returns the red difference that each coin would have if it were of the usual colour.

    That is the median of all coins, or of the light ones if these are redder: coloured light adds red in proportion to
    luma.
    """
    usual = float(np.median([d.tint[2] for d in discs]))
    light = np.array([d.tint for d in discs if d.tint[0] >= BLACK_LUMA])
    if not len(light):
        return [usual] * len(discs)
    luma, _, red = np.median(light, 0)
    return [max(usual, float(red * min(d.tint[0] / luma, 1.0))) for d in discs]


def _brightness_threshold(discs: Sequence[Disc]) -> float | None:
    """Returns the luma (percent of the board's) at the widest gap in colour, which separates black from white coins;
    None without a gap.
    """
    tints = np.array(sorted(d.tint for d in discs)).reshape(-1, 3)
    gaps = np.linalg.norm(np.diff(tints, axis=0) / SIGMA_FLOOR, axis=1) * (tints[:-1, 0] < BRIGHTEST_THRESHOLD)
    if not len(gaps) or gaps.max() <= LEAST_KIND_GAP:
        return None
    middle = float(tints[gaps.argmax() :][:2, 0].mean())
    return min(middle, BRIGHTEST_THRESHOLD)
