"""The known: the profile as it stands now, one object for all who watch strokes."""

from __future__ import annotations

from dataclasses import replace

from calibration.profile import Profile
from models.pieces import COINS
from referee.table import Lying


class Known:
    """Holds the profile, which is replaced as a whole when more is learned of the pieces or the camera was pushed."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile

    def rename_second_striker(self, k: Lying) -> bool:
        """A set has one striker: another that lies there too is a coin, of the one kind not yet seen if any."""
        unseen = [kind for kind in COINS if self.profile.full_set[kind] and kind not in self.profile.colours]
        if len(unseen) == 1:
            k.piece = replace(k.piece, kind=unseen[0])
        return len(unseen) == 1
