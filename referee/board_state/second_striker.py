"""A second striker on the board: a set has one, so the other is a coin."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.profile import Profile
from models.pieces import COINS, Kind
from referee.board_state.occupancy import RestingPiece
from referee.foreground.background import BackgroundModel
from referee.pieces.colour_classes import tint_distance
from referee.pieces.disc import relative_colour

SECOND_INNER = 0.5
"""Share of a coin's radius within which its colour is measured, whatever kind it was taken for."""
SECOND_STRANGER = 4.0
"""A coin differs from its kind's colour by at most this many standard deviations."""


def rename_second_striker(k: RestingPiece, profile: Profile, background: BackgroundModel) -> bool:
    """Renames a second striker to the kind of coin with the nearest colour, or to the one kind not yet found.

    Returns whether that was possible.
    """
    kind = _coin_like(k, profile, background)
    unseen = [kind for kind in COINS if profile.full_set[kind] and kind not in profile.colours]
    if kind is None and len(unseen) != 1:
        return False
    k.piece = replace(k.piece, kind=kind or unseen[0])
    return True


def _coin_like(k: RestingPiece, profile: Profile, background: BackgroundModel) -> Kind | None:
    """Returns the kind of coin whose colour is nearest to a piece's; None if all are too far."""
    x, y, radius = k.piece.x_mm, k.piece.y_mm, profile.board.coin_radius
    inner = np.hypot(background.x.take(k.patch.cells) - x, background.y.take(k.patch.cells) - y) < SECOND_INNER * radius
    luma, blue, red = (float(np.median(plane[inner])) for plane in k.appearance)
    tint = relative_colour((luma, blue, red), background.ground_near(x, y, radius))
    off = {kind: tint_distance(tint, colour) for kind, colour in profile.colours.items() if kind in COINS}
    kind = min(off, key=lambda o: off[o], default=None)
    return kind if kind is not None and off[kind] < SECOND_STRANGER else None
