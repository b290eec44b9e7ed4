"""A stroke that nobody saw fly: what fell in it, told from the coins found gone once the hand has withdrawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from calibration.profile import Profile
from models.pieces import Kind, Piece
from referee.outcome.fates import FATE_UNSEEN, LAPSE_S, CensusFate, Missing, ends, explain
from referee.tracking.tracker import Track

UNSEEN_FOLLOWED = 0.8
"""How sure a coin's fall is at most that was followed into a pocket beside a hand that may have taken it."""


def fallen(profile: Profile, lost: Sequence[Piece], tracks: Sequence[Track], t_strike: float, t_rest: float,
           strangeness: Callable[[Kind, Track], float]) -> tuple[Missing, ...]:  # fmt: skip
    """What became of the coins `lost` since t_strike: each fell, into the pocket where a track ended that looks like it
    if there is one; else when and where is not known, and more doubtful.
    """
    seen = [k for k in map(_until_lapse, tracks) if k.t > t_strike]
    ended = [(k, m) for k, m in ends(profile, seen, t_rest) if m.fate is CensusFate.POCKETED]
    missing = [Missing(p, CensusFate.POCKETED, None, t_rest, FATE_UNSEEN) for p in lost]
    for i, j in explain([(p, None) for p in lost], ended, lambda piece, track: strangeness(piece.kind, track)):
        missing[i] = replace(ended[j][1], piece=lost[i], confidence=UNSEEN_FOLLOWED)
    return tuple(missing)


def _until_lapse(track: Track) -> Track:
    """A track until it was unseen for so long that it may have gone on with a patch of the hand's."""
    steps = enumerate(pairwise(track.times), 1)
    until = next((i for i, (a, b) in steps if b - a > LAPSE_S), len(track.times))
    return replace(track, times=track.times[:until], places=track.places[:until], tints=track.tints[:until])
