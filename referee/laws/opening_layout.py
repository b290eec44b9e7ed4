"""The opening layout: whether nineteen coins lie as a board begins (ICF R14), and what differs where.

Queen, ring of six, ring of twelve, all touching. White and black alternate in both rings, so that the whites of the
outer ring are in line with those of the inner one as a Y. Turning the whole is never a foul; some books want one arm of
the Y to point at the breaker.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean, median

from models.pieces import Kind, Piece, Seat, opening_formation
from referee.laws.sentences import DEFAULT_LANGUAGE, load_phrases

TOLERANCE_MM = 5.0
"""Distance of a coin from its place above which the gap to its neighbours is visible, mm. Pressed formations are
better.
"""
ARM_TOLERANCE_RAD = math.radians(15)
"""Greatest angle between an arm of the Y and the breaker's direction, radians; arms are 120 degrees apart."""
LEAST_FILLED = 15
"""Least number of places that hold a coin in an opening layout; with fewer it is a board under way."""
OPENING_LAYOUT_TURN_STEPS = 60
"""Number of rotations of the lattice that are tried. It is the same every 60 degrees."""
SETTLING_ROUNDS = 3
"""Number of rounds in which the middle is computed from the coins on the lattice."""

LayoutPlace = tuple[float, float]


class LayoutFault(StrEnum):
    """A difference from the opening layout; every member has its phrase in every language's `laws.toml`."""

    MISSING = "missing"
    WRONG_KIND = "wrong_kind"
    SPARE = "spare"
    """A coin lies where none belongs."""
    DISPLACED = "displaced"
    """A coin is out of line with its neighbours."""
    OFF_CENTRE = "off_centre"
    """The whole layout lies beside the middle of the board."""
    TURNED = "turned"
    """No arm of the Y points at the breaker."""


class LayoutRing(StrEnum):
    """A place in the layout."""

    CENTRE = "centre"
    INNER = "inner"
    OUTER = "outer"


@dataclass(frozen=True, slots=True)
class LayoutDifference:
    """One difference from the layout, and where."""

    fault: LayoutFault
    x_mm: float
    y_mm: float
    ring: LayoutRing | None = None
    """None if it concerns no place of the layout."""
    expected: Kind | None = None
    found: Kind | None = None


@dataclass(frozen=True, slots=True)
class OpeningLayout:
    """An observed opening layout."""

    arm: float
    """Direction of one arm of the Y, radians anticlockwise from the right."""
    filled: int
    """Places that hold a coin, at most 19."""
    differences: tuple[LayoutDifference, ...]


@dataclass(frozen=True, slots=True)
class _Fit:
    """The lattice fitted to the coins."""

    middle: LayoutPlace
    turn: float
    """Radians, 0 to 60 degrees."""
    pitch: float
    """Distance of neighbours, mm."""
    taken: Mapping[int, int]
    """Index of the coin that lies on a place, by the place's index in `opening_formation`."""


def opening_layout_of(
    pieces: Sequence[Piece], breaker: Seat | None = None, tolerance_mm: float = TOLERANCE_MM
) -> OpeningLayout | None:
    """Returns the opening layout that `pieces` form, with every difference; None if they form none.

    The striker does not count. `breaker` only where the book wants an arm of the Y to point at his side.
    """
    coins = [p for p in pieces if p.kind is not Kind.STRIKER]
    if len(coins) < LEAST_FILLED:
        return None
    fit = _fit(coins)
    if len(fit.taken) < LEAST_FILLED:
        return None
    arms = (fit.turn, fit.turn + math.pi / 3)
    arm = min(arms, key=lambda arm: _wrong_kinds(fit, coins, arm))
    differences = [*_places(fit, coins, arm, tolerance_mm), *_spares(fit, coins)]
    if math.hypot(*fit.middle) > tolerance_mm:
        differences.append(LayoutDifference(LayoutFault.OFF_CENTRE, *fit.middle))
    if breaker and _off_direction(arm, breaker) > ARM_TOLERANCE_RAD:
        differences.append(LayoutDifference(LayoutFault.TURNED, *fit.middle))
    return OpeningLayout(arm, len(fit.taken), tuple(differences))


def difference_text(difference: LayoutDifference, language: str = DEFAULT_LANGUAGE) -> str:
    """Returns the difference as a sentence. Raises ValueError for an unknown language."""
    words = load_phrases(language)["layout"]
    where = words["at"].format(x=round(difference.x_mm), y=round(difference.y_mm))
    if difference.ring is LayoutRing.CENTRE:
        where = words["rings"][LayoutRing.CENTRE]
    elif difference.ring:
        side = words["directions"][_compass(difference.x_mm, difference.y_mm)]
        where = words["place"].format(ring=words["rings"][difference.ring], side=side)
    coins = words["coins"]
    text: str = words[difference.fault].format(
        expected=coins.get(difference.expected, ""), found=coins.get(difference.found, ""), where=where
    )
    return text[:1].upper() + text[1:]


def _fit(coins: Sequence[Piece]) -> _Fit:
    """Returns the lattice that holds the most coins, and among such the one that fits best."""
    # Every coin is nearest to itself.
    pitch = median(sorted(_gap(a, (b.x_mm, b.y_mm)) for b in coins)[1] for a in coins)
    middle = (median(c.x_mm for c in coins), median(c.y_mm for c in coins))
    turn, taken = 0.0, dict[int, int]()
    for _ in range(SETTLING_ROUNDS):
        tried = [math.pi / 3 * k / OPENING_LAYOUT_TURN_STEPS for k in range(OPENING_LAYOUT_TURN_STEPS)]
        places = [(angle, _spots(middle, angle, pitch)) for angle in tried]
        fits = [(_taken(coins, spots, pitch / 2), angle, spots) for angle, spots in places]
        taken, turn, _ = max(fits, key=lambda f: (len(f[0]), -_misfit(coins, f[0], f[2])))
        spots = _spots((0.0, 0.0), turn, pitch)
        if taken:
            middle = (fmean(coins[j].x_mm - spots[i][0] for i, j in taken.items()),
                      fmean(coins[j].y_mm - spots[i][1] for i, j in taken.items()))  # fmt: skip
    return _Fit(middle, turn, pitch, taken)


def _spots(middle: LayoutPlace, arm: float, pitch: float) -> list[LayoutPlace]:
    """Returns the places of the nineteen coins, in the order of `opening_formation`."""
    return [(p.x_mm + middle[0], p.y_mm + middle[1]) for p in opening_formation(pitch, arm)]


def _taken(coins: Sequence[Piece], spots: Sequence[LayoutPlace], reach_mm: float) -> dict[int, int]:
    """Returns which coin lies on which place, assigning the nearest pairs first and none twice."""
    places = [(c.x_mm, c.y_mm) for c in coins]
    gaps = [(math.dist(p, s), i, j) for i, s in enumerate(spots) for j, p in enumerate(places)]
    taken: dict[int, int] = {}
    for _, i, j in sorted([g for g in gaps if g[0] < reach_mm]):
        if i not in taken and j not in taken.values():
            taken[i] = j
    return taken


def _misfit(coins: Sequence[Piece], taken: Mapping[int, int], spots: Sequence[LayoutPlace]) -> float:
    return sum(_gap(coins[j], spots[i]) for i, j in taken.items())


def _gap(coin: Piece, spot: LayoutPlace) -> float:
    return math.hypot(coin.x_mm - spot[0], coin.y_mm - spot[1])


def _wrong_kinds(fit: _Fit, coins: Sequence[Piece], arm: float) -> int:
    wanted = opening_formation(fit.pitch, arm)
    spots = _spots(fit.middle, arm, fit.pitch)
    return sum(coins[j].kind is not wanted[i].kind for i, j in _taken(coins, spots, fit.pitch / 2).items())


def _places(fit: _Fit, coins: Sequence[Piece], arm: float, tolerance_mm: float) -> list[LayoutDifference]:
    """Returns the differences at each of the nineteen places."""
    spots = _spots(fit.middle, arm, fit.pitch)
    taken = _taken(coins, spots, fit.pitch / 2)
    found = []
    for i, wanted in enumerate(opening_formation(fit.pitch, arm)):
        ring = _ring(wanted, fit.pitch)
        coin = coins[taken[i]] if i in taken else None
        if coin is None:
            found.append(LayoutDifference(LayoutFault.MISSING, *spots[i], ring, wanted.kind))
        elif coin.kind is not wanted.kind:
            found.append(LayoutDifference(LayoutFault.WRONG_KIND, coin.x_mm, coin.y_mm, ring, wanted.kind, coin.kind))
        elif _gap(coin, spots[i]) > tolerance_mm:
            found.append(LayoutDifference(LayoutFault.DISPLACED, coin.x_mm, coin.y_mm, ring, wanted.kind, coin.kind))
    return found


def _ring(wanted: Piece, pitch: float) -> LayoutRing:
    if wanted.kind is Kind.QUEEN:
        return LayoutRing.CENTRE
    return LayoutRing.INNER if math.hypot(wanted.x_mm, wanted.y_mm) < 1.5 * pitch else LayoutRing.OUTER


def _spares(fit: _Fit, coins: Sequence[Piece]) -> list[LayoutDifference]:
    used = set(fit.taken.values())
    return [
        LayoutDifference(LayoutFault.SPARE, c.x_mm, c.y_mm, found=c.kind) for j, c in enumerate(coins) if j not in used
    ]


def _off_direction(arm: float, breaker: Seat) -> float:
    """Returns the angle between the breaker's direction and the nearest of the three arms, radians."""
    x, y = breaker.inward
    apart = (arm - math.atan2(-y, -x)) % (2 * math.pi / 3)
    return min(apart, 2 * math.pi / 3 - apart)


def _compass(x_mm: float, y_mm: float) -> str:
    """Returns the nearest of eight directions on the board, `n` away from south's side."""
    names = ("e", "ne", "n", "nw", "w", "sw", "s", "se")
    return names[round(math.atan2(y_mm, x_mm) / (math.pi / 4)) % 8]
