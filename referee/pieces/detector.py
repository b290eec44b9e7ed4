"""The pieces in one still picture, and what the board's pieces look like, learned from such pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.geometry.picture import Picture
from calibration.profile import Profile
from models.pieces import COINS, Kind, Piece
from referee.pieces.colour_classes import first_guess, group, mean_colour, nearest_kind
from referee.pieces.disc_fit import Disc, refine, refine_striker
from referee.pieces.disc_set import DISCS_OVERLAP, is_coin_sized, is_sure, lying
from referee.pieces.opening_formation import TELLS, Formation, completed, find_formation
from referee.pieces.scan import BareBoard, View

DETECTOR_SETTLED_MM = 2.0
"""The search finds a disc this near to where it lies."""
ODD_MM, LEAST_SIZED = 0.4, 5
"""Coins whose rims lie this far from where the book has them, as seen on so many, are of another size; measured on 34
boards with coins by the book, the median was off by 0.3 mm at most."""
DETECTOR_STRANGER = 4.0
"""A coin this many standard deviations from the looks of all kinds that were learned may be of another kind."""


def learn(profile: Profile, pictures: Sequence[Picture]) -> Profile:
    """The profile with the looks learned from the pieces in `pictures`; unchanged where nothing lies.

    The opening formation tells each coin's kind by its place; without it coins are told by a first guess and refined.
    """
    if pictures and not profile.colours:
        profile = replace(profile, board=meet(pictures[0], profile)[0].board)
    return taught(profile, [lying(View(p, profile)) for p in pictures])


def taught(profile: Profile, found: Sequence[Sequence[Disc]]) -> Profile:
    """The profile with the looks learned from the discs found in several pictures; of each kind from the sure ones."""
    formation = next(filter(None, (_formation(discs, profile) for discs in found)), None)
    if formation:
        groups = {k: [d for piece, d in formation if piece.kind is k] for k in COINS}
    else:
        coins = [d for discs in found for d in discs if is_coin_sized(d, profile)]
        groups = group(coins, len(found), [d for d in coins if is_sure(d)])
    sure = {kind: [d for d in discs if is_sure(d)] or discs for kind, discs in groups.items() if discs}
    return replace(profile, colours={**profile.colours, **{kind: mean_colour(discs) for kind, discs in sure.items()}})


def _formation(discs: Sequence[Disc], profile: Profile) -> Formation | None:
    return find_formation([d for d in discs if is_coin_sized(d, profile)], profile.board.coin_radius, TELLS)


def find_pieces(picture: Picture, profile: Profile, settled: Sequence[Piece] = (),
                bare: BareBoard | None = None) -> list[tuple[Kind, Disc]]:  # fmt: skip
    """All pieces lying on the playing surface in one picture, their kinds by the looks that the profile knows.

    Those that are seen to lie where one of `settled` does are told as the search found them, to a few millimetres;
    measuring them again would take a third of the time. `bare` is the board as it was seen with nothing on it.
    """
    return meet(picture, profile, settled, bare)[1]


def meet(picture: Picture, profile: Profile, settled: Sequence[Piece] = (),
         bare: BareBoard | None = None) -> tuple[Profile, list[tuple[Kind, Disc]]]:  # fmt: skip
    """The same, and the profile with the looks and the size learned from the coins if it knew no looks.

    One search does for both mostly: coins' looks do not change which circles are found, but an odd size does.
    """
    known, pieces = _met(View(picture, profile, bare), settled)
    growth = _growth(pieces)
    if profile.colours or abs(growth) < ODD_MM:
        return known, pieces
    board = replace(profile.board, coin_radius=profile.board.coin_radius + growth)
    return _met(View(picture, replace(profile, board=board), bare), settled)


def _growth(pieces: Sequence[tuple[Kind, Disc]]) -> float:
    """How much larger (mm, radius) most of the coins are than expected; 0 where too few are seen to tell."""
    excess = [d.excess for kind, d in pieces if kind is not Kind.STRIKER]
    return float(np.median(excess)) if len(excess) >= LEAST_SIZED else 0.0


def _met(view: View, settled: Sequence[Piece]) -> tuple[Profile, list[tuple[Kind, Disc]]]:
    """The profile with the looks learned from the pieces if it knew none, and the pieces."""
    discs = lying(view)
    known = view.profile if view.profile.colours else taught(view.profile, [discs])
    seen = _formation(discs, known)
    formation = (completed(seen, view, known) or seen) if seen else ()
    pieces = [(piece.kind, disc) for piece, disc in formation]
    rest = [d for d in discs if not any(_overlap(d, other) for _, other in formation)]
    pieces = _with_one_queen([*pieces, *((_kind(d, known), d) for d in rest)], known)
    new = [i for i, (k, d) in enumerate(pieces) if not any(_lies_at(p, k, d) for p in settled)]
    for i, disc in zip(new, placed(view.picture, known, [pieces[i] for i in new]), strict=True):
        pieces[i] = pieces[i][0], disc
    return known, pieces


def _overlap(one: Disc, other: Disc) -> bool:
    return math.dist((one.x, one.y), (other.x, other.y)) < DISCS_OVERLAP * (one.radius + other.radius)


def _with_one_queen(pieces: Sequence[tuple[Kind, Disc]], profile: Profile) -> list[tuple[Kind, Disc]]:
    """The pieces with no more queens than the set has, the likeliest; another red disc is a coin if it is sure."""
    queens = sorted((d for k, d in pieces if k is Kind.QUEEN), key=lambda d: -(d.presence or 0.0))
    spare = queens[profile.full_set.get(Kind.QUEEN, 1) :]
    others = [k for k in COINS if k is not Kind.QUEEN]
    out = [(k, d) for k, d in pieces if all(d is not q for q in spare)]
    return out + [(nearest_kind(d, profile.colours, others)[0], d) for d in spare if is_sure(d)]


def placed(picture: Picture, profile: Profile, pieces: Sequence[tuple[Kind, Disc]]) -> list[Disc]:
    """Pieces as the search found them moved to where their rims are."""
    board, camera = profile.board, profile.camera
    coins = iter(refine(picture, camera, [d for k, d in pieces if k is not Kind.STRIKER], board.coin_height))
    return [refine_striker(picture, camera, d, board.striker_height) if k is Kind.STRIKER else next(coins)
            for k, d in pieces]  # fmt: skip


def _lies_at(piece: Piece, kind: Kind, disc: Disc) -> bool:
    return piece.kind is kind and math.dist((piece.x_mm, piece.y_mm), (disc.x, disc.y)) < DETECTOR_SETTLED_MM


def _kind(disc: Disc, profile: Profile) -> Kind:
    """By what was learned; a first guess for a coin that looks like none of it, if that kind was not there to learn."""
    if not is_coin_sized(disc, profile):
        return Kind.STRIKER
    kind, distance = nearest_kind(disc, profile.colours)
    guess = first_guess(disc)
    return guess if distance > DETECTOR_STRANGER and guess not in profile.colours else kind
