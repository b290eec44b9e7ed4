"""The search of a picture for discs, passed over while the picture shows what two searches have agreed upon.

Something that is no piece may lie on the board for minutes; each census looks at it again, and mostly sees the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from calibration.geometry.picture import Picture
from calibration.profile import Profile
from models.pieces import Kind, Piece
from referee.foreground.background import Gate
from referee.pieces.detector import find_pieces
from referee.pieces.disc_fit import Disc
from referee.scheduling.frame_difference import Stillness

AFRESH_S = 1.0
"""A picture is searched again so often all the same."""
AGREE_MM = 2.0
"""Two searches that find a disc this near have found it on one place."""

Discs = list[tuple[Kind, Disc]]


class Search:
    """Call `discs` for each picture of which a census is taken."""

    def __init__(self, profile: Profile, gate: Gate) -> None:
        self._gate = gate
        self.still = Stillness(profile.camera, gate.lattice)
        self._asked: tuple[Profile, list[Piece]] | None = None
        self.found: Discs = []
        """What the last search found."""
        self._agreed = False
        self._afresh = 0.0

    def discs(self, picture: Picture, t: float, profile: Profile, settled: Sequence[Piece]) -> Discs:
        """As `find_pieces` tells them, of this picture or of one before it that shows the same.

        A new search needs a second one that agrees with it before it stands for a third: a disc that noise draws for
        a moment is not seen twice.
        """
        if self.still.lattice is not self._gate.lattice:
            self.still.relocate(profile.camera, self._gate.lattice)
        planes = self.still.planes(picture)
        same = self._is_asked_again(profile, settled) and self.still.is_same(planes)
        if same and self._agreed and t < self._afresh:
            return self.found
        found = find_pieces(picture, profile, settled)
        self._agreed = same and _agree(found, self.found)
        self._asked, self.found, self._afresh = (profile, list(settled)), found, t + AFRESH_S
        self.still.refer(planes)
        return found

    def _is_asked_again(self, profile: Profile, settled: Sequence[Piece]) -> bool:
        """Whether the last search was asked the same."""
        return self._asked is not None and self._asked[0] is profile and self._asked[1] == list(settled)


def _agree(a: Discs, b: Discs) -> bool:
    """Whether two searches have found the same kinds on the same places."""
    return len(a) == len(b) and all(
        any(kind is k and math.dist((d.x, d.y), (o.x, o.y)) < AGREE_MM for k, o in b) for kind, d in a
    )
