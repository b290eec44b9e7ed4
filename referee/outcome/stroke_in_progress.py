"""A stroke in progress."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from calibration.profile import Colour
from models.pieces import Kind, Piece, Pocket
from referee.board_state.occupancy import Presence, RestingPiece
from referee.facts import Foul
from referee.foreground.background import Mask
from referee.outcome.first_contact import Contact
from referee.outcome.net_watch import NetWatch
from referee.tracking.flight import left_at
from referee.tracking.tracker import Track

Place = tuple[float, float]
"""Board mm."""

CONTACT_S = 0.12
"""A coin that left its place longer before the strike was not touched by it."""
GIVE_UP_S = 6.0
"""A census that hands keep from closing this long after the rest is told as it stands, in doubt."""
PROGRESS_LED_MM = 30.0
"""A striker rests at most this far from where it was last followed, and has gone farther."""


@dataclass(slots=True, eq=False)
class Play:
    """A stroke in progress."""

    t_strike: float
    lay: tuple[Piece, ...] = ()
    """The coins that lay on the board at the strike."""
    moved: list[tuple[RestingPiece, Track]] = field(default_factory=list)
    unfollowed: list[RestingPiece] = field(default_factory=list)
    """Pieces that are found to have gone though nobody saw them go."""
    elsewhere: list[RestingPiece] = field(default_factory=list)
    """Pieces that the census has found beside where they lay, be it by little."""
    striker: Track | None = None
    striker_known: bool = False
    """Whether the striker stood on the table as a known piece."""
    striker_colour: Colour | None = None
    """How the striker looked where it stood before the strike, if it was seen there."""
    filled: set[Pocket] = field(default_factory=set)
    """Pockets in which a track has ended."""
    fallen: list[Track] = field(default_factory=list)
    """The tracks of pieces that were seen to fall: over a hole, or after another into its pocket."""
    nets: NetWatch = field(default_factory=NetWatch)
    """What is seen over the filled pockets."""
    last_motion: float = 0.0
    t_rest: float | None = None
    seen_since_rest: Mask | None = None
    fouls: dict[Foul, float] = field(default_factory=dict)
    """Probability of each foul that was looked for."""
    bumps: int = 0
    """How often the camera was pushed aside meanwhile or right before, or the light changed right before, or what an
    arm had hidden from the first picture on was seen.
    """
    over: bool = False
    """It has been told, or turned out to be none."""

    def contacts(self) -> tuple[Contact, ...]:
        """When each coin left its place, and which, in order; one lost to shade or glare for a moment has not.

        Nor have those that only seemed to leave when the camera was pushed aside. One that the player's hand hid until
        the strike and that is gone after it left no later than the first that was seen to leave.
        """
        away = [m for m in self.moved if not self.bumps or m[0].presence is Presence.GONE]
        left = [(left_at(track, k in self.elsewhere), k.piece) for k, track in away]
        seen = [t for t, piece in left if piece.kind is not Kind.STRIKER and t is not None and t > self.t_strike]
        first = min(seen, default=self.t_strike)
        left += [(k.seen if k.seen > self.t_strike else first, k.piece) for k in self.unfollowed]
        placed = [(t, piece) for t, piece in left
                if piece.kind is not Kind.STRIKER and t is not None and t > self.t_strike - CONTACT_S]  # fmt: skip
        return tuple(sorted(placed, key=lambda c: c[0]))

    def forget_lifted(self, lying: Sequence[RestingPiece]) -> None:
        """Pieces that a hand took off the table before the stroke, the striker above all, were not moved by it."""
        self.moved = [m for m in self.moved if m[0] in lying]
        self.striker_known &= any(k.piece.kind is Kind.STRIKER for k, _ in self.moved)

    def led_to(self, x: float, y: float) -> bool:
        """Whether the striker was followed in flight to a point, mm."""
        if self.striker is None:
            return False
        return math.dist(self.striker.place, (x, y)) < PROGRESS_LED_MM < math.dist(self.striker.places[0], (x, y))

    def is_stray(self, track: Track) -> bool:
        """Whether a track is no known piece's and not the striker's."""
        return track.home is None and track is not self.striker

    def gives_up(self, t: float) -> bool:
        """Whether hands have kept the census from closing for so long that it is told as it stands."""
        return self.t_rest is not None and t - self.t_rest > GIVE_UP_S
