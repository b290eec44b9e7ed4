"""Decides which discs lie on the board: of all circles in a picture, the set that explains it best.

Each circle gets log odds that a disc lies there rather than nothing, from the patch around it (`presence`). Two discs
never overlap and there is one striker, so of circles that cannot all be discs the more probable ones are chosen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.geometry.camera import F64
from calibration.profile import Profile
from models.pieces import Kind
from referee.pieces.circles import Ring
from referee.pieces.colour_classes import guess_kind
from referee.pieces.disc import Disc
from referee.pieces.disc_place import place_discs, rim_witness
from referee.pieces.opening_formation import FORMATION_LEAST_SURE, FORMATION_REACH, find_formation
from referee.pieces.presence import log_odds
from referee.pieces.printed_mask import at_coin_height
from referee.pieces.scan import View

NETWORK_WEIGHTS = 1.94, 1.36
"""Weight of the network's log odds, and constant: a logistic regression on 9,892 circles of rendered boards, frames of
clips and photographs that the network was not trained on (`tools/train_pieces/weigh.py`, as all weights here)."""
CLEAR_LOG_ODDS = 7.8
"""Absolute log odds below which the second network is asked too where the board was never observed empty: one in ten
circles. Coins of a standing opening formation have these at least."""
UNCLEAR_WEIGHTS = 1.38, 0.9, 0.61
"""Weights of both networks' log odds, and constant, for an unclear circle, by 3,906 such circles of 120 rendered boards
that neither network was trained on. Weights of each half of the boards judge the other half at a loss of 0.013 nats."""
MIDDLE_WEIGHTS = 0.69, 2.16, 2.2, -0.322, 21.73
"""The same for a circle in the middle of a board not yet observed empty there, whose print is assumed; with the weights
of the place's log likelihood ratio and of each percent of the board's luma just outside it: a disc throws a shadow. By
449 circles of 213 rendered and 300 simulated boards, weighted so that 26 % are discs."""
PRINTED_MM, LAID_MM = 0.8, 2.5
"""Spreads on each axis of a print's measured place about the middle, and of a piece's that was laid there."""
CENTRE_MM = 9.0
"""Distance from the board's centre, in mm, up to which a circle is in the middle."""
LEAST_RIM_SUPPORT = 0.2
"""Least rim support of a coin that is not sure: the edges of arms draw no rim."""
OVERLAP_SHARE = 0.82
"""Distance of two discs' centres, as a share of their radii's sum, below which they overlap: rims are searched to a few
millimetres."""
MISSING_QUEEN_LOG_ODDS = 0.9
"""Log odds added to red circles if no queen is detected elsewhere. She lay on the board in 125 of 170 recorded
strokes and on 141 of 190 rendered stills: 95 % intervals of the log odds 0.68 to 1.36, and 0.73 to 1.38."""
SURE_LOG_ODDS = 3.0
"""Log odds of a sure disc (0.95)."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A circle with the log odds of a coin and of a striker there, each against nothing."""

    ring: Ring
    coin: float
    striker: float

    @property
    def presence(self) -> float:
        """Returns the log odds of any disc."""
        return float(np.logaddexp(self.coin, self.striker))

    @property
    def is_striker(self) -> bool:
        """Tells whether a striker is more probable than a coin."""
        return self.striker > self.coin


def is_sure(disc: Disc) -> bool:
    """Tells whether a disc's presence is sure."""
    return disc.presence > SURE_LOG_ODDS


def log_probability(disc: Disc) -> float:
    """Returns the logarithm of the probability that a disc lies there."""
    return -math.log1p(math.exp(-disc.presence))


def is_coin_sized(disc: Disc, profile: Profile) -> bool:
    """Tells whether a disc has a coin's radius rather than a striker's."""
    return disc.radius < (profile.board.coin_radius + profile.board.striker_radius) / 2


def candidates(view: View) -> list[Candidate]:
    """Returns all circles of a picture with their log odds, the most probable first."""
    rings = [*view.coins, *view.large]
    if not rings:
        return []
    learned = log_odds(view.patch_source(), view.lattice.to_cells([(r.x, r.y) for r in rings]))
    odds = _weighed(NETWORK_WEIGHTS, learned)
    never_bare, is_middle = ~view.are_known(rings), np.array([math.hypot(r.x, r.y) < CENTRE_MM for r in rings])
    middle = np.flatnonzero(never_bare & is_middle)
    there, shades = [rings[i] for i in middle], np.array([view.disc(rings[i]).shade for i in middle])
    odds[middle] = _weighed(MIDDLE_WEIGHTS, learned[middle], _seen_closely(view, there), laid_not_printed(view, there),
                            shades)  # fmt: skip
    # Prints in the middle draw circles of all sizes: those of a striker's size are strikers or prints there.
    odds[middle[middle >= len(view.coins)], 0] = -math.inf
    unclear = np.flatnonzero(never_bare & ~is_middle & (np.abs(np.logaddexp(odds[:, 0], odds[:, 1])) < CLEAR_LOG_ODDS))
    odds[unclear] = _weighed(UNCLEAR_WEIGHTS, learned[unclear], _seen_closely(view, [rings[i] for i in unclear]))
    out = [Candidate(ring, coin, striker) for ring, (coin, striker) in zip(rings, odds.tolist(), strict=True)]
    return sorted(out, key=lambda p: -p.presence)


def _weighed(weights: Sequence[float], learned: F64, *features: F64) -> F64:
    """Returns the log odds (n, 2) by the network's (n, 2) and features (n,), each with its weight, and a constant."""
    first, *others, constant = weights
    added = constant + sum(weight * feature for weight, feature in zip(others, features, strict=True))
    return np.asarray(first * learned + np.reshape(added, (-1, 1)))


def _seen_closely(view: View, rings: Sequence[Ring]) -> F64:
    """Returns the second network's log odds (n,) of discs: it sees circles closely, without the empty board."""
    return rim_witness(view.picture, view.profile.camera, rings, view.top_heights(rings))


def laid_not_printed(view: View, rings: Sequence[Ring]) -> F64:
    """Returns the log likelihood ratio (n,) of the places of circles in the middle: laid there rather than printed.

    A print lies right in the middle and on the surface. A piece is laid there by hand, and its top lies higher: a
    camera aslant sees it where no print is.
    """
    camera, discs = view.profile.camera, [view.disc(r) for r in rings]
    placed = place_discs(view.picture, camera, discs, view.top_heights(rings))
    at, variance = np.array([(d.x, d.y) for d in placed]).reshape(-1, 2), np.array([d.sigma**2 for d in placed])
    beside = at - at_coin_height(view.profile, np.zeros((1, 2)))
    return _log_density(at, LAID_MM**2 + variance) - _log_density(beside, PRINTED_MM**2 + variance)


def _log_density(off: F64, variance: F64) -> F64:
    """Returns the logarithm of a density (n,) at offsets (n, 2), but for a constant: Student's of two degrees of
    freedom, as a circle may be drawn by something else.
    """
    return np.asarray(-np.log(variance) - 2 * np.log1p(np.sum(off**2, 1) / (2 * variance)))


def best_set(found: Sequence[Candidate], profile: Profile, discs: Sequence[Disc] = ()) -> list[Candidate]:
    """Returns candidates more probable than not that overlap neither each other nor `discs`; at most one striker, and
    no unsure coin without a rim.
    """
    board = profile.board
    occupied, chosen = [(d.x, d.y, d.radius) for d in discs], list[Candidate]()
    for place in found:
        if place.is_striker and any(k.is_striker for k in chosen):
            place = replace(place, striker=-math.inf)
        ring, radius = place.ring, board.coin_radius
        if place.is_striker:
            radius = max(board.striker_radius, ring.radius)
        drawn = place.is_striker or place.presence > SURE_LOG_ODDS or ring.support > LEAST_RIM_SUPPORT
        free = all(math.dist((ring.x, ring.y), (x, y)) > OVERLAP_SHARE * (radius + r) for x, y, r in occupied)
        if drawn and free and place.presence > 0:
            occupied.append((ring.x, ring.y, radius))
            chosen.append(place)
    return chosen


def discs_on_board(view: View) -> list[Disc]:
    """Returns the discs on the board, each with its `presence`; those of a standing opening formation come first."""
    found = candidates(view)
    formation = _opening_coins(found, view)
    discs = [*formation, *(_described_disc(p, view) for p in best_set(found, view.profile, formation))]
    return [*discs, *_missing_queen(found, discs, view)]


def _described_disc(place: Candidate, view: View) -> Disc:
    return replace(view.disc(_ring_of_size(place, view)), presence=place.presence)


def _missing_queen(found: Sequence[Candidate], discs: Sequence[Disc], view: View) -> list[Disc]:
    """Returns the most probable red coin if no disc is red: a set has a queen, and she is put where prints are red."""
    if any(guess_kind(d) is Kind.QUEEN for d in discs) or not view.profile.full_set.get(Kind.QUEEN, 1):
        return []
    coins = [p for p in found if -MISSING_QUEEN_LOG_ODDS < p.presence <= 0 and not p.is_striker]
    red = [p for p in coins if guess_kind(view.disc(p.ring)) is Kind.QUEEN]
    more = [replace(p, coin=p.coin + MISSING_QUEEN_LOG_ODDS) for p in red]
    return [_described_disc(p, view) for p in best_set(more, view.profile, discs)[:1]]


def _opening_coins(found: Sequence[Candidate], view: View) -> list[Disc]:
    """Returns the coins of a standing opening formation; empty without one.

    They cover most of their symmetric places, so the estimate of the empty board shows them as if printed. Nothing is
    printed like that.
    """
    profile, reach = view.profile, FORMATION_REACH * view.profile.board.coin_radius
    near = (p for p in found if math.hypot(p.ring.x, p.ring.y) <= reach)
    odds = {view.disc(p.ring): p.presence for p in near if p.ring.radius == profile.board.coin_radius}
    formation = find_formation(list(odds), profile.board.coin_radius, FORMATION_LEAST_SURE) or ()
    return [replace(view.with_far_ground(d), presence=max(odds[d], CLEAR_LOG_ODDS)) for _, d in formation]


def _ring_of_size(place: Candidate, view: View) -> Ring:
    """Returns the ring around a candidate's disc: its own, or the best one there of the disc's size."""
    board, ring = view.profile.board, place.ring
    if place.is_striker is (ring.radius > board.coin_radius):
        return ring
    of_size = view.large if place.is_striker else view.coins
    near = [r for r in of_size if math.dist((r.x, r.y), (ring.x, ring.y)) < board.coin_radius / 2]
    radius = board.striker_radius if place.is_striker else board.coin_radius
    return max(near, key=lambda r: r.response, default=replace(ring, radius=radius))
