"""Detects the pieces in one still picture, and learns the colours of the board's pieces from such pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.geometry.picture import Picture
from calibration.profile import Profile
from models.pieces import COINS, Kind, Piece
from referee.pieces.colour_classes import group_by_kind, guess_kind, mean_colour, nearest_kind
from referee.pieces.disc import Disc
from referee.pieces.disc_place import place_discs
from referee.pieces.disc_set import OVERLAP_SHARE, discs_on_board, is_coin_sized, is_sure
from referee.pieces.opening_formation import FORMATION_LEAST_SURE, FormationDiscs, complete_formation, find_formation
from referee.pieces.presence import BareBoard
from referee.pieces.scan import View

SETTLED_PIECE_MM = 2.0
"""Greatest distance of a disc from a settled piece, in mm, at which it is that piece: the accuracy of the search."""
SIZE_OFF_MM = 0.4
"""Least median radius error of coins, in mm, at which the set is of another size than the book's. On 34 boards with
coins of the book's size the median was off by at most 0.3 mm."""
UNKNOWN_KIND_SIGMAS = 4.0
"""Distance from every learned colour, in standard deviations, above which a coin may be of a kind not yet learned."""


def learn_colours(profile: Profile, pictures: Sequence[Picture]) -> Profile:
    """Returns the profile with the colours of the pieces in `pictures`; unchanged if no pieces lie there.

    In an opening formation a coin's place gives its kind. Otherwise coins are grouped by colour.
    """
    if pictures and not profile.colours:
        profile = replace(profile, board=detect_and_learn(pictures[0], profile)[0].board)
    return learn_from_discs(profile, [discs_on_board(View(p, profile)) for p in pictures])


def learn_from_discs(profile: Profile, found: Sequence[Sequence[Disc]]) -> Profile:
    """Returns the profile with colours learned from the discs of several pictures; of each kind from its sure discs, if
    any.
    """
    formation = next(filter(None, (_formation(discs, profile) for discs in found)), None)
    if formation:
        groups = {k: [d for piece, d in formation if piece.kind is k] for k in COINS}
    else:
        coins = [d for discs in found for d in discs if is_coin_sized(d, profile)]
        groups = group_by_kind(coins, len(found), [d for d in coins if is_sure(d)])
    sure = {kind: [d for d in discs if is_sure(d)] or discs for kind, discs in groups.items() if discs}
    return replace(profile, colours={**profile.colours, **{kind: mean_colour(discs) for kind, discs in sure.items()}})


def _formation(discs: Sequence[Disc], profile: Profile) -> FormationDiscs | None:
    coins = [d for d in discs if is_coin_sized(d, profile)]
    return find_formation(coins, profile.board.coin_radius, FORMATION_LEAST_SURE)


def find_pieces(picture: Picture, profile: Profile, settled: Sequence[Piece] = (),
                bare: BareBoard | None = None) -> list[tuple[Kind, Disc]]:  # fmt: skip
    """Returns all pieces on the playing surface in one picture, classified by the profile's colours.

    Discs at the place of one of `settled` are returned as searched, accurate to a few millimetres; fitting them again
    would take a third of the time. `bare`: the empty board as remembered.
    """
    return detect_and_learn(picture, profile, settled, bare)[1]


def detect_and_learn(picture: Picture, profile: Profile, settled: Sequence[Piece] = (),
                     bare: BareBoard | None = None) -> tuple[Profile, list[tuple[Kind, Disc]]]:  # fmt: skip
    """Returns the pieces as `find_pieces` does, with the profile: with learned colours and coin size if it had no
    colours.

    Mostly one search serves both, since colours do not change which circles are found. Coins of another size need a
    second.
    """
    known, pieces = _detect(View(picture, profile, bare), settled)
    growth = float(np.median([d.excess for kind, d in pieces if kind is not Kind.STRIKER] or [0.0]))
    if profile.colours or abs(growth) < SIZE_OFF_MM:
        return known, pieces
    board = replace(profile.board, coin_radius=profile.board.coin_radius + growth)
    return _detect(View(picture, replace(profile, board=board), bare), settled)


def _detect(view: View, settled: Sequence[Piece]) -> tuple[Profile, list[tuple[Kind, Disc]]]:
    """Returns the profile, with learned colours if it had none, and the pieces."""
    discs = discs_on_board(view)
    known = view.profile if view.profile.colours else learn_from_discs(view.profile, [discs])
    partial = _formation(discs, known)
    formation = complete_formation(partial, view, known) if partial else ()
    pieces = [(piece.kind, disc) for piece, disc in formation]
    taken = [(o.x, o.y, OVERLAP_SHARE * o.radius) for _, o in formation]
    rest = [d for d in discs if all(math.dist((d.x, d.y), (x, y)) >= OVERLAP_SHARE * d.radius + r for x, y, r in taken)]
    pieces = _limit_queens([*pieces, *((_classify(d, known), d) for d in rest)], known)
    near = [min((math.dist(p.place, (d.x, d.y)) for p in settled if p.kind is k), default=math.inf) for k, d in pieces]
    new = [i for i, mm in enumerate(near) if mm >= SETTLED_PIECE_MM]
    for i, disc in zip(new, refine_pieces(view.picture, known, [pieces[i] for i in new]), strict=True):
        pieces[i] = pieces[i][0], disc
    return known, pieces


def _limit_queens(pieces: Sequence[tuple[Kind, Disc]], profile: Profile) -> list[tuple[Kind, Disc]]:
    """Returns the pieces with no more queens than the set has, the most probable ones. A surplus red disc becomes
    another coin if it is sure and is dropped otherwise.
    """
    queens = sorted((d for k, d in pieces if k is Kind.QUEEN), key=lambda d: -d.presence)
    spare = queens[profile.full_set.get(Kind.QUEEN, 1) :]
    others = [k for k in COINS if k is not Kind.QUEEN]
    out = [(k, d) for k, d in pieces if all(d is not q for q in spare)]
    return out + [(nearest_kind(d, profile.colours, others)[0], d) for d in spare if is_sure(d)]


def refine_pieces(picture: Picture, profile: Profile, pieces: Sequence[tuple[Kind, Disc]]) -> list[Disc]:
    """Returns the discs of pieces at their measured places."""
    heights = np.array([profile.board.height(kind) for kind, _ in pieces])
    return place_discs(picture, profile.camera, [disc for _, disc in pieces], heights)


def _classify(disc: Disc, profile: Profile) -> Kind:
    """Returns a disc's kind by the learned colours; a guess of a kind not learned if it is far from all of them."""
    if not is_coin_sized(disc, profile):
        return Kind.STRIKER
    kind, distance = nearest_kind(disc, profile.colours)
    guess = guess_kind(disc)
    return guess if distance > UNKNOWN_KIND_SIGMAS and guess not in profile.colours else kind
