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
from referee.pieces.disc_fit import Disc, Tint, relative_colour

SIGMA_FLOOR = (6.0, 2.0, 2.5)
"""Least standard deviation of a learned colour, in percent: grain, ornaments and uneven light vary at least this much.
"""
BLACK_LUMA = 72.0
"""Luma below which a coin is guessed black before colours are learned, in percent of the board's."""
QUEEN_RED_SHARE = 0.6
"""Least redness of a queen, as a share of the reddest coin's. Less red coins are brown or yellow."""
SAME_KIND_SIGMAS = 2.0
"""Greatest distance between red coins of one kind, in standard deviations. Brown coins and the queen lie farther apart.
"""
LEAST_BRIGHTNESS_GAP = 12.0
"""Least gap in luma between the black and the white coins of a set, in percent of the board's."""
DARKEST_THRESHOLD, BRIGHTEST_THRESHOLD = 35.0, 95.0
"""Range of the threshold between black and white, in percent of the board's luma. Gaps elsewhere lie within one kind.
"""
HUE_GAP_SIGMAS = 3.0
"""Least hue difference, in standard deviations, of two kinds: coins on both sides of a brightness gap below the range
are brown and black if they differ by this, because glare turns black to grey."""
LEAST_HUE_GROUP = 2
"""Least number of discs of one hue that make a kind."""
RED_EXCESS = 9.0
"""Excess of the red difference over the board's above which a coin is guessed the queen, in percent, before colours are
learned."""
RED_LEAST_COINS = 6
"""Least number of coins in a picture for redness to be measured relative to most of them, however red the board is."""


def ground_tint(disc: Disc) -> Tint:
    """Returns the colour of the board around a disc in the units of `Disc.tint`."""
    return relative_colour(disc.ground, disc.ground)


def contrast(disc: Disc) -> float:
    """Returns the distance between the colours of a disc and the board around it, in percent of the board's luma."""
    return math.dist(disc.tint, ground_tint(disc))


def detection_score(disc: Disc) -> float:
    """Returns the weighted sum of a disc's ring response, rim support and contrast."""
    return disc.response + 0.35 * disc.support + 0.35 * min(contrast(disc) / 40.0, 1.0) - 0.1


def redness(disc: Disc) -> float:
    """Returns how much redder a disc is than the board around it, in percent of the board's luma."""
    return disc.tint[2] - ground_tint(disc)[2]


def guess_kind(disc: Disc) -> Kind:
    """Returns the kind of a coin by fixed thresholds, for a board whose colours are not learned."""
    if redness(disc) > RED_EXCESS:
        return Kind.QUEEN
    return Kind.BLACK if disc.tint[0] < BLACK_LUMA else Kind.WHITE


def kind_distance(disc: Disc, colour: Colour) -> float:
    """Returns the distance of a disc's colour from a kind's, in standard deviations."""
    return tint_distance(disc.tint, colour)


def tint_distance(tint: Tint, colour: Colour) -> float:
    """Returns the distance of a colour, in the units of `Disc.tint`, from a kind's, in standard deviations."""
    return _normalised_distance(tint, colour.mean, colour.sigma)


def _normalised_distance(tint: Tint, other: Tint, sigma: Tint) -> float:
    # In plain numbers: this is asked thousands of times in a census.
    (y, u, v), (y0, u0, v0), (sy, su, sv), (fy, fu, fv) = tint, other, sigma, SIGMA_FLOOR
    return math.hypot((y - y0) / max(sy, fy), (u - u0) / max(su, fu), (v - v0) / max(sv, fv))


def nearest_kind(disc: Disc, colours: dict[Kind, Colour], among: Sequence[Kind] = COINS) -> tuple[Kind, float]:
    """Returns the kind with the nearest learned colour, and the distance; a guess and 0 if no colour is learned."""
    rated = [(kind_distance(disc, c), k) for k, c in colours.items() if k in among]
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

    Black and white are split at the widest gap in brightness, since "white" coins may be darker than the board. The gap
    is searched among the `plain` coins first, for prints and grain have other tones, then a gap in hue. Without a gap,
    and for red coins, fixed thresholds decide. The groups are then refined by the nearest mean colour.
    """
    usual = _expected_reds(discs) if len(discs) >= RED_LEAST_COINS * pictures else [math.inf] * len(discs)
    redder = [max(r, d.tint[2] - u) for d, r, u in zip(discs, _red_contrasts(discs), usual, strict=True)]
    red = [d for d, r in zip(discs, redder, strict=True) if r > max(RED_EXCESS, QUEEN_RED_SHARE * max(redder))]
    if len(red) > 2 * pictures or _is_common_colour(red, discs, pictures):
        red = []
    rest = [d for d in discs if all(d is not r for r in red)]
    light, dark = _split_light_and_dark(rest, [d for d in rest if d in plain])
    groups = {Kind.WHITE: light, Kind.BLACK: dark, Kind.QUEEN: red}
    for _ in range(2):
        colours = {k: mean_colour(g) for k, g in groups.items() if g}
        groups = {k: [] for k in COINS}
        for d in discs:
            groups[nearest_kind(d, colours)[0]].append(d)
    return groups


def _is_common_colour(red: Sequence[Disc], discs: Sequence[Disc], pictures: int) -> bool:
    """Tells whether more discs than one a picture have the colour of one of the `red` ones.

    There is one queen, so these are another kind, even if only some of them are redder than the board around.
    """
    tints, others = (np.array([d.tint for d in some]).reshape(-1, 3) / SIGMA_FLOOR for some in (red, discs))
    alike = np.linalg.norm(tints[:, None] - others, axis=2) < SAME_KIND_SIGMAS
    return int(alike.sum(1).max(initial=0)) > pictures


def _red_contrasts(discs: Sequence[Disc]) -> list[float]:
    """Returns how much redder each disc is than the board around it or than the median board, whichever is less: any
    coin is redder than a printed green leaf.
    """
    usual = float(np.median([ground_tint(d)[2] for d in discs])) if discs else 0.0
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


def _split_light_and_dark(discs: Sequence[Disc], plain: Sequence[Disc]) -> tuple[list[Disc], list[Disc]]:
    """Returns the light and the dark discs. Where the `plain` ones differ in hue alone, only these are returned."""
    limit = _brightness_threshold(plain)
    if limit is None and (parted := _split_by_hue(plain)) is not None:
        return parted
    limit = limit or _brightness_threshold(discs) or BLACK_LUMA
    return [d for d in discs if d.tint[0] >= limit], [d for d in discs if d.tint[0] < limit]


def _split_by_hue(discs: Sequence[Disc]) -> tuple[list[Disc], list[Disc]] | None:
    """Returns the lighter and the darker discs on the two sides of the widest gap in hue.

    Returns None if the gap is too narrow for two kinds or one side is a single disc. Brown coins are hardly lighter
    than black ones.
    """
    hues = np.array([d.tint[1:] for d in discs]).reshape(-1, 2) / SIGMA_FLOOR[1:]
    if len(hues) < 2 * LEAST_HUE_GROUP:
        return None
    along = (hues - hues.mean(0)) @ np.linalg.svd(hues - hues.mean(0), full_matrices=False)[2][0]
    order = along.argsort()
    gaps = np.diff(along[order])
    at = int(gaps.argmax()) + 1
    parts = [discs[i] for i in order[:at]], [discs[i] for i in order[at:]]
    dark, light = sorted(parts, key=lambda part: float(np.median([d.tint[0] for d in part])))
    step = float(np.median([d.tint[0] for d in light]) - np.median([d.tint[0] for d in dark]))
    is_wide = gaps.max() > HUE_GAP_SIGMAS and step > SIGMA_FLOOR[0] and min(map(len, parts)) >= LEAST_HUE_GROUP
    return (light, dark) if is_wide else None


def _brightness_threshold(discs: Sequence[Disc]) -> float | None:
    """Returns the luma (percent of the board's) that separates black from white coins; None without a gap."""
    tints = np.array(sorted(d.tint for d in discs)).reshape(-1, 3)
    gaps = np.diff(tints[:, 0])
    if not len(gaps) or gaps.max() <= LEAST_BRIGHTNESS_GAP:
        return None
    at = int(gaps.argmax()) + 1
    below, above = tints[at - 1 : at + 1, 0].tolist()
    dark, light = np.median(tints[:at, 1:], 0), np.median(tints[at:, 1:], 0)
    darkest = 0.0 if np.linalg.norm((light - dark) / SIGMA_FLOOR[1:]) > HUE_GAP_SIGMAS else DARKEST_THRESHOLD
    limit = min((below + above) / 2, BRIGHTEST_THRESHOLD)
    return limit if max(below, darkest) < limit else None
