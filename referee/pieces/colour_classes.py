"""What tells the kinds apart on one board: looks learned from groups of coins."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.profile import Colour
from models.pieces import COINS, Kind
from referee.pieces.disc_fit import Disc, Tint, relative

SIGMA_FLOOR = (6.0, 2.0, 2.5)
"""Least spread of a learned look (percent): grain, ornaments and uneven light vary at least this much."""
BLACK_BELOW = 72.0
"""Before anything is learned: a coin darker than this percentage of the board is black."""
PLAINLY_RED = 0.6
"""Coins less red than this share of the reddest are brown or yellow beside a queen."""
FELLOWS = 2.0
"""Red coins of one kind lie within so many standard deviations of each other; brown ones and the queen do not."""
LEAST_GAP = 12.0
"""Black and white coins of one set differ at least this much (percent of the board's luma)."""
DARKEST_PARTING, BRIGHTEST_PARTING = 35.0, 95.0
"""A gap outside of these lies among the black coins, or among the white ones."""
COLOUR_OTHER_HUE = 3.0
"""But coins on both sides of a darker gap that differ in hue by so many standard deviations are brown and black: glare
turns black to grey."""
COLOUR_LEAST_ALIKE = 2
"""So many discs of one hue are a kind."""
RED_ABOVE = 9.0
"""Before anything is learned: a coin whose red difference exceeds the board's by this percentage is the queen."""
LEAST_OTHERS = 6
"""In a picture of so many coins one that is redder than most of them by that is the queen, however red the board is."""


def ground_tint(disc: Disc) -> Tint:
    """The board around a disc in the same terms as `Disc.tint`."""
    return relative(disc.ground, disc.ground)


def contrast(disc: Disc) -> float:
    """Distance between the looks of a disc and of the board around it, percent of the board's luma."""
    return math.dist(disc.tint, ground_tint(disc))


def evidence(disc: Disc) -> float:
    """How strongly a circle is drawn: its ring, its weakest quarter, its contrast."""
    return disc.response + 0.35 * disc.support + 0.35 * min(contrast(disc) / 40.0, 1.0) - 0.1


def redness(disc: Disc) -> float:
    """How much redder a disc is than the board around it, percent of the board's luma."""
    return disc.tint[2] - ground_tint(disc)[2]


def first_guess(disc: Disc) -> Kind:
    """The kind of a coin on a board of which nothing has been learned."""
    if redness(disc) > RED_ABOVE:
        return Kind.QUEEN
    return Kind.BLACK if disc.tint[0] < BLACK_BELOW else Kind.WHITE


def kind_distance(disc: Disc, colour: Colour) -> float:
    """How far a disc's look is from a kind's, in standard deviations."""
    return tint_distance(disc.tint, colour)


def tint_distance(tint: Tint, colour: Colour) -> float:
    """How far a tint as `Disc.tint` is from a kind's look, in standard deviations."""
    return _apart(tint, colour.mean, colour.sigma)


def _apart(tint: Tint, other: Tint, sigma: Tint) -> float:
    # In plain numbers: this is asked thousands of times in a census.
    (y, u, v), (y0, u0, v0), (sy, su, sv), (fy, fu, fv) = tint, other, sigma, SIGMA_FLOOR
    return math.hypot((y - y0) / max(sy, fy), (u - u0) / max(su, fu), (v - v0) / max(sv, fv))


def nearest_kind(disc: Disc, colours: dict[Kind, Colour], among: Sequence[Kind] = COINS) -> tuple[Kind, float]:
    """The kind whose learned look is nearest, and the distance; a first guess where no look has been learned."""
    rated = [(kind_distance(disc, c), k) for k, c in colours.items() if k in among]
    if not rated:
        return first_guess(disc), 0.0
    distance, kind = min(rated)
    return kind, distance


def floored(sigma: ArrayLike) -> NDArray[np.float64]:
    """Returns standard deviations of colours (..., 3), none smaller than the least of a kind."""
    return np.asarray(np.maximum(sigma, SIGMA_FLOOR), np.float64)


def mean_colour(discs: Sequence[Disc]) -> Colour:
    """The look of a group of discs: medians and robust spreads."""
    tints = np.array([d.tint for d in discs])
    mean = np.median(tints, 0)
    spread = np.maximum(1.4826 * np.median(np.abs(tints - mean), 0), SIGMA_FLOOR)
    return Colour(
        (float(mean[0]), float(mean[1]), float(mean[2])), (float(spread[0]), float(spread[1]), float(spread[2]))
    )


def group(discs: Sequence[Disc], pictures: int = 1, plain: Sequence[Disc] = ()) -> dict[Kind, list[Disc]]:
    """Coins of so many pictures of one board sorted by kind without a formation: queen, dark and light coins.

    Dark and light are parted at the widest gap in brightness, since "white" coins may be darker than the board: that
    of the `plain` ones among them if there is any, for prints and grain are of other tones, or else at a gap in hue.
    Where there is no gap, and where they are red, first guesses tell them. First guesses are refined from the groups
    made.
    """
    usual = _usual_reds(discs) if len(discs) >= LEAST_OTHERS * pictures else [math.inf] * len(discs)
    redder = [max(r, d.tint[2] - u) for d, r, u in zip(discs, _rednesses(discs), usual, strict=True)]
    red = [d for d, r in zip(discs, redder, strict=True) if r > max(RED_ABOVE, PLAINLY_RED * max(redder))]
    if len(red) > 2 * pictures or _are_fellows(red, discs, pictures):
        red = []
    rest = [d for d in discs if all(d is not r for r in red)]
    light, dark = _parted(rest, [d for d in rest if d in plain])
    groups = {Kind.WHITE: light, Kind.BLACK: dark, Kind.QUEEN: red}
    for _ in range(2):
        colours = {k: mean_colour(g) for k, g in groups.items() if g}
        groups = {k: [] for k in COINS}
        for d in discs:
            groups[nearest_kind(d, colours)[0]].append(d)
    return groups


def _are_fellows(red: Sequence[Disc], discs: Sequence[Disc], pictures: int) -> bool:
    """Whether more of the discs than one a picture look as one of the red ones does: there is one queen, so they are of
    another kind, be only some of them redder than the board around.
    """
    tints, others = (np.array([d.tint for d in some]).reshape(-1, 3) / SIGMA_FLOOR for some in (red, discs))
    alike = np.linalg.norm(tints[:, None] - others, axis=2) < FELLOWS
    return int(alike.sum(1).max(initial=0)) > pictures


def _rednesses(discs: Sequence[Disc]) -> list[float]:
    """How much redder each of the discs is than the board around it, and than that around most of them: any coin is
    redder than a green leaf that it lies on.
    """
    usual = float(np.median([ground_tint(d)[2] for d in discs])) if discs else 0.0
    return [min(redness(d), d.tint[2] - usual) for d in discs]


def _usual_reds(discs: Sequence[Disc]) -> list[float]:
    """The red difference that each coin would have if it were like most; like the light ones where those are redder,
    since coloured light is, and the darker the less.
    """
    usual = float(np.median([d.tint[2] for d in discs]))
    light = np.array([d.tint for d in discs if d.tint[0] >= BLACK_BELOW])
    if not len(light):
        return [usual] * len(discs)
    luma, _, red = np.median(light, 0)
    return [max(usual, float(red * min(d.tint[0] / luma, 1.0))) for d in discs]


def _parted(discs: Sequence[Disc], plain: Sequence[Disc]) -> tuple[list[Disc], list[Disc]]:
    """The light ones of the discs, and the dark ones; only of the `plain` ones where these differ in hue alone."""
    limit = _parting(plain)
    if limit is None and (parted := _parted_by_hue(plain)) is not None:
        return parted
    limit = limit or _parting(discs) or BLACK_BELOW
    return [d for d in discs if d.tint[0] >= limit], [d for d in discs if d.tint[0] < limit]


def _parted_by_hue(discs: Sequence[Disc]) -> tuple[list[Disc], list[Disc]] | None:
    """The lighter and the darker ones of discs between which the widest gap in hue lies; None where none is as wide as
    two kinds lie apart, or one is but a single disc: coins as brown as dark wood are hardly lighter than black ones.
    """
    hues = np.array([d.tint[1:] for d in discs]).reshape(-1, 2) / SIGMA_FLOOR[1:]
    if len(hues) < 2 * COLOUR_LEAST_ALIKE:
        return None
    along = (hues - hues.mean(0)) @ np.linalg.svd(hues - hues.mean(0), full_matrices=False)[2][0]
    order = along.argsort()
    gaps = np.diff(along[order])
    at = int(gaps.argmax()) + 1
    parts = [discs[i] for i in order[:at]], [discs[i] for i in order[at:]]
    dark, light = sorted(parts, key=lambda part: float(np.median([d.tint[0] for d in part])))
    step = float(np.median([d.tint[0] for d in light]) - np.median([d.tint[0] for d in dark]))
    is_wide = gaps.max() > COLOUR_OTHER_HUE and step > SIGMA_FLOOR[0] and min(map(len, parts)) >= COLOUR_LEAST_ALIKE
    return (light, dark) if is_wide else None


def _parting(discs: Sequence[Disc]) -> float | None:
    """The brightness (percent of the board) that parts black coins from white ones; None where no gap does."""
    tints = np.array(sorted(d.tint for d in discs)).reshape(-1, 3)
    gaps = np.diff(tints[:, 0])
    if not len(gaps) or gaps.max() <= LEAST_GAP:
        return None
    at = int(gaps.argmax()) + 1
    below, above = tints[at - 1 : at + 1, 0].tolist()
    dark, light = np.median(tints[:at, 1:], 0), np.median(tints[at:, 1:], 0)
    darkest = 0.0 if np.linalg.norm((light - dark) / SIGMA_FLOOR[1:]) > COLOUR_OTHER_HUE else DARKEST_PARTING
    limit = min((below + above) / 2, BRIGHTEST_PARTING)
    return limit if max(below, darkest) < limit else None
