"""Finds the opening formation among detected discs, and adds its coins that were not detected."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import product

import numpy as np

from calibration.geometry.camera import F64
from calibration.profile import Colour, Profile
from models.pieces import Kind, Piece, opening_formation
from referee.pieces.circles import Ring
from referee.pieces.colour_classes import ground_tint, tint_distance
from referee.pieces.disc import Disc
from referee.pieces.scan import View

FormationDiscs = tuple[tuple[Piece, Disc], ...]
"""Pieces at the places the laws give them, each with its disc."""

FORMATION_REACH = 6.5
"""Radius around the board's centre that contains the whole opening formation, in coin radii."""
FORMATION_TURNS = 60
"""Number of turns of the formation that are tried, two degrees apart."""
FORMATION_FIT_MM = 7.0
"""Greatest distance of a coin from its place in the formation, in mm; the formation is pressed together by hand."""
FORMATION_LEAST_COINS, FORMATION_LEAST_SURE = 17, 14
"""Least number of coins on their places for the formation to stand, and for it to give the kinds' colours and the
places of its other coins."""


@lru_cache(maxsize=2)
def _formation_turns(coin_radius: float) -> tuple[tuple[tuple[Piece, ...], F64], ...]:
    """Returns the opening formation in all turns of the Y: its pieces and their places (19, 2) mm."""
    layouts = [
        tuple(opening_formation(2 * coin_radius, 2 * math.pi / 3 * k / FORMATION_TURNS)) for k in range(FORMATION_TURNS)
    ]
    return tuple((pieces, np.array([p.place for p in pieces])) for pieces in layouts)


def find_formation(
    discs: Sequence[Disc], coin_radius: float, least: int = FORMATION_LEAST_COINS
) -> FormationDiscs | None:
    """Returns the opening formation among discs: its pieces, each with its disc; None if fewer than `least` of them are
    there.

    All turns of the Y are tried. The darkest coin on a white's place must be lighter than the lightest on a black's.
    """
    near = [d for d in discs if math.hypot(d.x, d.y) < FORMATION_REACH * coin_radius]
    if len(near) < least:
        return None
    xy = np.array([(d.x, d.y) for d in near])
    luma = np.array([d.colour[0] for d in near])
    # The queen's place is the middle; where she is not found, that of all coins is, if prints draw no circles there.
    middles = xy[np.hypot(xy[:, 0], xy[:, 1]).argmin()], np.median(xy, 0)
    best: tuple[float, FormationDiscs] | None = None
    for middle, (layout, places) in product(middles, _formation_turns(coin_radius)):
        spots = places + middle
        gap = np.hypot(*(spots[:, None] - xy[None]).transpose(2, 0, 1))
        nearest, close = gap.argmin(1), gap.min(1) < FORMATION_FIT_MM
        if close.sum() < least or len(set(nearest[close])) != close.sum():
            continue
        white = np.array([p.kind is Kind.WHITE for p in layout]) & close
        black = np.array([p.kind is Kind.BLACK for p in layout]) & close
        split = float(luma[nearest[white]].min() - luma[nearest[black]].max())
        fit = close.sum() - gap.min(1)[close].mean() / 10
        if split > 0 and (best is None or fit > best[0]):
            best = fit, tuple((p, near[j]) for p, j, c in zip(layout, nearest, close, strict=True) if c)
    return best[1] if best else None


def complete_formation(formation: FormationDiscs, view: View, profile: Profile) -> FormationDiscs:
    """Returns the formation with the coins that were not detected, where the colour of their place is theirs.

    Between coins as dark as itself a coin's rim shows hardly any edge (simulated worlds 2103, 2483).
    """
    shift = np.median([(d.x - p.x_mm, d.y - p.y_mm) for p, d in formation], axis=0)
    out, found = list(formation), {piece for piece, _ in formation}
    turns = (pieces for pieces, _ in _formation_turns(profile.board.coin_radius))
    for piece in (p for p in next(pieces for pieces in turns if found <= set(pieces)) if p not in found):
        x, y = np.add(piece.place, shift).tolist()
        disc = view.with_far_ground(view.disc(Ring(x, y, profile.board.coin_radius, 0.0)))
        if colour := profile.colours.get(piece.kind):
            bare = Colour(ground_tint(disc), colour.sigma)
            if tint_distance(disc.tint, colour) < tint_distance(disc.tint, bare):
                out.append((piece, disc))
    return tuple(out)
