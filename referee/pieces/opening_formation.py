"""The opening formation: found among the discs of a picture, and its coins that draw no circle of their own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product

import numpy as np

from calibration.geometry.camera import F64
from calibration.profile import Colour, Profile
from models.pieces import Kind, Piece, opening_formation
from referee.pieces.circles import Ring
from referee.pieces.colour_classes import ground_tint, kind_distance
from referee.pieces.disc_fit import Disc
from referee.pieces.scan import View

Formation = tuple[tuple[Piece, Disc], ...]
"""Pieces where the laws put them, each with the disc that it is."""

FORMATION_REACH = 6.5
"""In coin radii: all of the opening formation lies within this of the board's middle."""
FORMATION_TURNS = 60
"""Turns of the formation that are tried, two degrees apart."""
FIT_MM = 7.0
"""A coin of the opening formation lies this near to where the formation puts it; hands press it together."""
STANDS, TELLS = 17, 14
"""So many coins seen on its places are the formation; so many tell how the kinds look, and where the others stand."""
FORMATION_LIKE = 3.0
"""A place of the formation that looks as its coin does to so many standard deviations holds one."""


@lru_cache(maxsize=2)
def _turned(coin_radius: float) -> tuple[tuple[tuple[Piece, ...], F64], ...]:
    """The opening formation in all turns of the Y: its pieces and their places (19, 2) mm."""
    layouts = [
        tuple(opening_formation(2 * coin_radius, 2 * math.pi / 3 * k / FORMATION_TURNS)) for k in range(FORMATION_TURNS)
    ]
    return tuple((pieces, np.array([(p.x_mm, p.y_mm) for p in pieces])) for pieces in layouts)


def find_formation(discs: Sequence[Disc], coin_radius: float, least: int = STANDS) -> Formation | None:
    """The opening formation among discs: its pieces with the disc that each is; None when fewer than `least` are there.

    All turns of the Y are tried; the darkest coin on a white's place must be lighter than the lightest on a black's.
    """
    near = [d for d in discs if math.hypot(d.x, d.y) < FORMATION_REACH * coin_radius]
    if len(near) < least:
        return None
    xy = np.array([(d.x, d.y) for d in near])
    luma = np.array([d.colour[0] for d in near])
    # The queen's place is the middle; where she is not found, that of all coins is, if prints draw no circles there.
    middles = xy[np.hypot(xy[:, 0], xy[:, 1]).argmin()], np.median(xy, 0)
    best: tuple[float, Formation] | None = None
    for middle, (layout, places) in product(middles, _turned(coin_radius)):
        spots = places + middle
        gap = np.hypot(*(spots[:, None] - xy[None]).transpose(2, 0, 1))
        nearest, close = gap.argmin(1), gap.min(1) < FIT_MM
        if close.sum() < least or len(set(nearest[close])) != close.sum():
            continue
        white = np.array([p.kind is Kind.WHITE for p in layout]) & close
        black = np.array([p.kind is Kind.BLACK for p in layout]) & close
        split = float(luma[nearest[white]].min() - luma[nearest[black]].max())
        fit = close.sum() - gap.min(1)[close].mean() / 10
        if split > 0 and (best is None or fit > best[0]):
            best = fit, tuple((p, near[j]) for p, j, c in zip(layout, nearest, close, strict=True) if c)
    return best[1] if best else None


def completed(formation: Formation, view: View, profile: Profile) -> Formation | None:
    """The formation with those of its coins that were not found, where their places look as they do; None when it does
    not stand.

    Between coins as dark as itself a coin's rim draws hardly anything (simulated worlds 2103, 2483).
    """
    shift = np.median([(d.x - p.x_mm, d.y - p.y_mm) for p, d in formation], axis=0)
    out = list(formation)
    for piece in _wanting(formation, profile.board.coin_radius):
        disc = view.afar(view.disc(_ring(piece, shift, profile.board.coin_radius, view)))
        colour = profile.colours.get(piece.kind)
        if colour is not None and _looks_like(disc, colour):
            out.append((piece, disc))
    return tuple(out) if len(out) >= STANDS else None


def _looks_like(disc: Disc, colour: Colour) -> bool:
    """Whether a place looks as a coin does, and more so than as the board around."""
    luma, blue, red = ground_tint(disc)
    board = Colour((luma, blue, red), colour.sigma)
    return kind_distance(disc, colour) < min(FORMATION_LIKE, kind_distance(disc, board))


def _wanting(formation: Formation, coin_radius: float) -> list[Piece]:
    """The pieces of the same turn of the formation that are not among those found."""
    found = {piece for piece, _ in formation}
    whole = next(pieces for pieces, _ in _turned(coin_radius) if found <= set(pieces))
    return [piece for piece in whole if piece not in found]


def _ring(piece: Piece, shift: F64, radius: float, view: View) -> Ring:
    """A piece of the formation, standing `shift` (2,) mm off, as a circle with what is drawn of it."""
    ring = Ring(piece.x_mm + float(shift[0]), piece.y_mm + float(shift[1]), radius, 0.0)
    return replace(ring, response=view.drawn(ring))
