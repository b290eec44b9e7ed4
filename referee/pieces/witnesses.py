"""Whether a disc that was found is there: two witnesses, its drawn circle and the picture about it.

What is drawn of a disc's rim, and how much it differs from the board, is the geometric witness (`evidence`). What a
network makes of the patch about it beside the bare board is the learned one (`presence`). Both together are log odds;
where they contradict each other these are near 0, and the piece is in doubt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from referee.pieces.disc_fit import Disc
from referee.pieces.opening_formation import find_formation
from referee.pieces.presence import log_odds
from referee.pieces.print_rejection import evidence
from referee.pieces.scan import View

LEARNED, WITNESSES_DRAWN, NEITHER = 1.2, 2.28, -2.43
"""Log odds for one of the network's, for a whole of evidence, and with neither: a logistic regression on 5,340 circles
of scenes and boards that the network never saw (`tools/train_pieces/weigh.py`)."""
ALONE, WITNESSES_EVEN = 6.0, 0.55
"""Log odds for a whole of evidence where only that is asked, and the evidence at which they are even."""
OWN_PLACE = 1.0
"""Within so many coin's radii of the middle symmetry tells nothing: a disc there lies on all its places."""
BY_FELLOWS, EVEN_ALIKE = 20.0, 0.58
"""Log odds of how much a pale coin looks as its fellows do, and where they are even: what has a rim and is no coin
reaches this at the most."""
IN_FORMATION = 4.6
"""Log odds of a coin of the opening formation, of which 17 at least are seen on their places: 99 in 100."""
DENIED = -4.0
"""Log odds below which a disc is left out: leaves of ornaments have -7.8 to -4.5 (one -3.5), pieces -4 and more (27
rendered boards, 24 other pictures)."""


def witnessed(view: View, discs: Sequence[Disc]) -> list[Disc]:
    """The discs found in a look at the board, each with its `presence`."""
    at = np.array([(d.x, d.y) for d in discs]).reshape(-1, 2)
    learned = np.logaddexp(*log_odds(view.patch_source(), view.lattice.to_cells(at)).T)
    central = np.hypot(*at.T) < OWN_PLACE * view.profile.board.coin_radius
    return [replace(d, presence=_presence(d, float(odds), alone))
            for d, odds, alone in zip(discs, learned, central.tolist(), strict=True)]  # fmt: skip


def _presence(disc: Disc, learned: float, is_alone: bool) -> float:
    drawn = evidence(disc)
    both = ALONE * (drawn - WITNESSES_EVEN) if is_alone else LEARNED * learned + WITNESSES_DRAWN * drawn + NEITHER
    return max(both, BY_FELLOWS * (disc.alike - EVEN_ALIKE)) if disc.alike else both


def supported(discs: Sequence[Disc], coin_radius: float) -> list[Disc]:
    """The discs, those of the opening formation at least as sure as one of it is: no prints stand so."""
    opening = find_formation(discs, coin_radius) or ()
    standing = {id(disc) for _, disc in opening}
    return [replace(d, presence=max(d.presence or 0.0, IN_FORMATION)) if id(d) in standing else d for d in discs]


def believed(discs: Sequence[Disc], least: float = DENIED) -> list[Disc]:
    """Those of the discs that the witnesses together give at least such log odds, or that they were not asked of."""
    return [d for d in discs if d.presence is None or d.presence >= least]
