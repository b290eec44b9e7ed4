"""Defines the state of a stroke in progress, from the strike to its result."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from calibration.profile import Colour
from models.pieces import Kind, Piece, Pocket
from referee.board_state.occupancy import Presence, RestingPiece
from referee.facts import Foul
from referee.foreground.background import Mask
from referee.outcome.first_contact import Contact
from referee.tracking.flight import are_two, began_hidden, left_at
from referee.tracking.tracker import Place, Track

CONTACT_S = 0.12
"""Longest time before the strike, in seconds, at which a coin that was touched may seem to leave its place."""
GIVE_UP_S = 6.0
"""Time after the rest, in seconds, after which a census that hands delay is reported as it stands, in doubt."""
PROGRESS_LED_MM = 30.0
"""Greatest distance between a striker's last sighting and its resting place, and least length of its path, in mm."""


@dataclass(slots=True, eq=False)
class Play:
    """A stroke in progress."""

    t_strike: float
    lay: tuple[Piece, ...] = ()
    """The coins that lay on the board at the strike."""
    moved: list[tuple[RestingPiece, Track]] = field(default_factory=list)
    unfollowed: list[RestingPiece] = field(default_factory=list)
    """Pieces found to be gone without a track of their departure."""
    elsewhere: list[RestingPiece] = field(default_factory=list)
    """Pieces that the census found beside their former places, even by little."""
    striker: Track | None = None
    striker_known: bool = False
    """Whether the striker was a known piece on the board."""
    striker_colour: Colour | None = None
    """Colour of the striker at its place before the strike; None if it was not detected there."""
    filled: set[Pocket] = field(default_factory=set)
    """Pockets in which a track has ended."""
    fallen: list[Track] = field(default_factory=list)
    """Tracks with a detected fall: over a hole, or after another piece into its pocket."""
    last_motion: float = 0.0
    t_rest: float | None = None
    seen_since_rest: Mask | None = None
    vacant: Mask | None = None
    """Cells (n, n) that a census of this stroke showed bare; None before the first census."""
    handled: Mask | None = None
    """Cells of these that a hand has covered since."""
    measured: dict[Foul, float] = field(default_factory=dict)
    """Measure of each foul of the hand that was looked for, as `fouls.stories` weighs it."""
    bumps: int = 0
    """Number of disturbances.

    Counted are pushes of the camera during the stroke or right before, changes of the light right before, and first
    views of what an arm had hidden from the first frame on.
    """
    over: bool = False
    """Whether it has been reported, or was found to be no stroke."""

    def contacts(self) -> tuple[Contact, ...]:
        """Returns the time (s) when each coin left its place, and the coin, in order of time.

        Coins lost to shade or glare for a moment are left out, and so are those that only seemed to leave when the
        camera was pushed. A coin that the player's hand hid until the strike, and that is gone after it, gets the time
        of the first detected departure.
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
        """Removes pieces that are not in `lying`: a hand took them, mostly the striker, before the stroke."""
        self.moved = [m for m in self.moved if m[0] in lying]
        self.striker_known &= any(k.piece.kind is Kind.STRIKER for k, _ in self.moved)

    def led_to(self, x: float, y: float) -> bool:
        """Tells whether the striker was tracked in flight to a point, mm."""
        if self.striker is None:
            return False
        return math.dist(self.striker.place, (x, y)) < PROGRESS_LED_MM < math.dist(self.striker.places[0], (x, y))

    def gives_up(self, t: float) -> bool:
        """Tells whether hands have delayed the census for so long that it is reported as it stands."""
        return self.t_rest is not None and t - self.t_rest > GIVE_UP_S


def correct_striker(play: Play, tracks: Iterable[Track], found: Place) -> bool:
    """Changes the striker's track to the one that leads to where the striker is `found`; tells whether it did.

    The tracker may have followed a patch of the hand. `found` is in board mm. The change is made if the present track
    ended elsewhere and is another disc's, and the new one began since the strike. If the present track's disc fell, a
    hand may have brought the striker to `found` later; then the new track must have begun no later than the present
    one, which was a coin's.
    """
    was = play.striker
    if was is None or math.dist(was.place, found) < PROGRESS_LED_MM:
        return False
    since = began_hidden(play.t_strike)
    came = [k for k in tracks if k.times[0] > since and _came_to(k, found) and are_two(k, was)
            and (was not in play.fallen or k.times[0] <= was.times[0])]  # fmt: skip
    own = max(came, key=lambda k: k.t, default=None)
    if own is None:
        return False
    was.kind, own.kind, play.striker = None, Kind.STRIKER, own
    play.moved = [(k, own if track is was else track) for k, track in play.moved]
    return True


def _came_to(track: Track, place: Place) -> bool:
    """Tells whether a track of no known piece leads from elsewhere to a place (mm)."""
    if track.home is not None or not track.places:
        return False
    return track.ends_at(place) and math.dist(track.places[0], place) > PROGRESS_LED_MM
