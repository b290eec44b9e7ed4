"""Resting tracks: discs that were followed until they lay still where the search finds none.

A coin on a pocket's lip, on a printed circle of its own size or half over a red one shows the search no whole rim; that
it was followed to where it lies says that it has not fallen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from calibration.geometry.picture import U8
from calibration.profile import Colour, Profile
from models.pieces import COINS, Kind, Piece
from referee.foreground.background import BackgroundModel, ForegroundFrame
from referee.foreground.patches import DiscPatch
from referee.outcome.fates import FATE_RESTS_MM, nearest_pocket
from referee.outcome.observation import ObservedColours
from referee.pieces.colour_classes import tint_distance
from referee.pieces.disc_fit import Disc, relative
from referee.tracking.assignment import assigned
from referee.tracking.tracker import JITTER_MM, LOST_AFTER_S, Track

SEEN_S = 0.05
"""A track that rests was seen this short a time ago."""
STILL_S, STILL_MM = 0.15, 3.0
"""A track rests that has stayed within this distance of its place for so long."""
RESTING_BEFORE_S, BEFORE_TIMES = 0.5, 3
"""What was seen lying on a place so often within this time before a coin left its own is not that coin."""
RESTING_INNER = 0.7
"""Share of a piece's radius within which its look is measured, off its rim and off what lies beside it."""
RESTING_ALIKE = 3.5
"""A piece looks at most this many standard deviations unlike its kind, in glare and shade too."""
RESTING_CLEARLY = 2.0
"""The bare board is so many standard deviations less like a piece of its own look."""
RESTING_STRANGER = 1e3
"""Cost of what is no coin of that kind."""
SOLID_SHARE = 0.8
"""A piece hides at least this share of the board beneath its inner part."""
SEEN_BARE = 0.2
"""Where less than this share of the board has been seen bare, nothing tells that a piece hides it."""
SOLID_RIM = 0.6
"""The striker hides at least this share of what lies beyond a coin's rim and within its own; not what is a hole."""


class Resting:
    """Tells which pieces that the search does not find lie where a track rests."""

    def __init__(
        self, profile: Profile, background: BackgroundModel, foreground: ForegroundFrame, tracks: Sequence[Track]
    ) -> None:
        """`tracks` are all that have been followed since the last stroke, ended ones too."""
        self._profile, self._background, self._sight, self._all = profile, background, foreground, tracks

    def tracks(self) -> list[Track]:
        """The tracks that rest on the board beside no hole's middle."""
        half = self._profile.board.half
        return [k for k in self._all if _is_still(k, self._sight.t) and max(map(abs, k.place)) < half
                and nearest_pocket(self._profile, *k.place)[1] > 0]  # fmt: skip

    def shown(self, track: Track) -> ObservedColours:
        """What the frame shows on a track's place, and what the bare board does."""
        colours, board, at = self._profile.colours, self._profile.board, track.place
        unlike = {k: self._looks_unlike(colour, at, board.radius(k)) for k, colour in colours.items()}
        bare = {}
        if self._has_seen_bare(at, board.coin_radius):
            bare = {k: self._bare_unlike(colour, at, board.radius(k)) for k, colour in colours.items()}
        solid, share = self._sight.solid, self._background.ring_share
        return ObservedColours(unlike, bare, share(solid, at, 0.0, RESTING_INNER * board.coin_radius),
                     share(solid, at, board.coin_radius, board.striker_radius))  # fmt: skip

    def places(self, missing: Sequence[tuple[Piece, float]], tracks: Sequence[Track],
               taken: Sequence[tuple[float, float]]) -> dict[int, Piece]:  # fmt: skip
        """By index in `missing` where a coin lies: on a track that looks like it, apart from `taken` places, and came
        to rest after the coin, told with its time (s), had left its place; prints and nets rest all the time.
        """
        free = [k for k in tracks if _is_apart(k, taken, self._profile.board.coin_radius)]
        if not missing or not free:
            return {}
        cost = np.array([[self._cost(piece.kind, left, track) for track in free] for piece, left in missing])
        rows, columns = assigned(cost)
        return {int(r): Piece(missing[r][0].kind, *free[c].place)
                for r, c in zip(rows, columns, strict=True) if cost[r, c] < RESTING_ALIKE}  # fmt: skip

    def bounced(self, lost: Track, tracks: Sequence[Track], taken: Sequence[tuple[float, float]]) -> Piece | None:
        """Where a piece lies, apart from `taken` places, that was followed to a pocket, lost at its mouth and bounced
        off the rim: what turned up right after, no farther off than it can have come, and looks like it there, as
        the bare board does not. A piece of the board's look hides little of it, and so is lost and overlooked.
        """
        if lost.kind is None or (colour := self._profile.colours.get(lost.kind)) is None:
            return None
        radius = self._profile.board.radius(lost.kind)
        for track in (k for k in tracks if k.home is None and _turns_up_after(k, lost)):
            seen = self._looks_unlike(colour, track.place, radius)
            shows = seen < RESTING_ALIKE and self._bare_unlike(colour, track.place, radius) > seen + RESTING_CLEARLY
            if shows and _is_apart(track, taken, radius) and not self._lay_there(track, lost.t):
                return Piece(lost.kind, *track.place)
        return None

    def stays(self, piece: Piece, track: Track) -> Piece | None:
        """Where a piece lies whose own track rests beside its place, having gone nowhere else, and looks like it; None
        where it does not. The board there has not been seen bare: a print of its size might look so too.
        """
        reach, kind = self._profile.board.radius(piece.kind), piece.kind
        left = any(math.dist(p, (piece.x_mm, piece.y_mm)) > reach for p in track.places)
        if left or kind not in self._profile.colours or not _is_still(track, self._sight.t):
            return None
        bare = float(
            np.mean(
                self._background.known[self._background.lattice.disc_cells(*track.place, RESTING_INNER * reach)] > 0
            )
        )
        unlike = self._looks_unlike(self._profile.colours[kind], track.place, reach)
        return Piece(kind, *track.place) if bare < SEEN_BARE and unlike < RESTING_ALIKE else None

    def _cost(self, kind: Kind, left: float, track: Track) -> float:
        return RESTING_STRANGER if self._lay_there(track, left) else self._unlike(kind, track)

    def _lay_there(self, track: Track, t: float) -> bool:
        """Whether something was seen lying where a track rests for a while before t: what is not known to have been a
        piece was a print, a net or a shadow, and is one still.
        """
        lay = (math.dist(p, track.place) < STILL_MM for k in self._all if k.home is None
               for when, p in k.sightings if t - RESTING_BEFORE_S <= when <= t)  # fmt: skip
        return sum(lay) >= BEFORE_TIMES

    def _unlike(self, kind: Kind, track: Track) -> float:
        """How far (standard deviations) what lies on a track's place is from such a piece; STRANGER if no such."""
        colours, board = self._profile.colours, self._profile.board
        radius, hides = board.radius(kind), self._sight.solid
        if (
            kind not in colours
            or self._background.ring_share(hides, track.place, 0.0, RESTING_INNER * radius) < SOLID_SHARE
        ):
            return RESTING_STRANGER
        off = {k: self._looks_unlike(colours[k], track.place, board.radius(kind)) for k in colours}
        least = min((off[k] for k in COINS if k in off), default=math.inf)
        if kind in COINS:
            return off[kind] if off[kind] <= least else RESTING_STRANGER
        # What looks as no coin does need not be told from one by its size.
        if (
            least >= RESTING_ALIKE
            or self._background.ring_share(hides, track.place, board.coin_radius, radius) >= SOLID_RIM
        ):
            return off[kind]
        return RESTING_STRANGER

    def _bare_unlike(self, colour: Colour, place: tuple[float, float], radius: float) -> float:
        """The same of the bare board there; 0 where it has not been seen."""
        if self._background.empty is None or not self._has_seen_bare(place, radius):
            return 0.0
        return self._looks_unlike(colour, place, radius, self._background.empty)

    def _has_seen_bare(self, place: tuple[float, float], radius: float) -> bool:
        patch = DiscPatch.of(self._background.lattice, *place, radius)
        return self._background.empty is not None and self._background.knows(patch)

    def _looks_unlike(
        self, colour: Colour, place: tuple[float, float], radius: float, shown: U8 | None = None
    ) -> float:
        """How unlike a look is what the frame, or `shown` (3, n, n) in its stead, has about a place."""
        rows, columns = self._background.lattice.disc_cells(*place, RESTING_INNER * radius)
        planes = self._sight.yuv if shown is None else shown
        luma, blue, red = (float(np.median(plane[rows, columns])) for plane in planes)
        return tint_distance(
            relative((luma, blue, red), self._background.ground_at(self._sight, *place, radius)), colour
        )


def fallen_for_good(
    fallen: Sequence[Track], strays: Sequence[Track], found: Sequence[tuple[Kind, Disc]]
) -> list[Track]:
    """The tracks that were seen to fall, but for those that bounced off the rim: a disc of their kind is `found` where
    what turned up right after them came to rest.
    """
    back = [(k, kind) for k in strays for kind, d in found if math.dist(k.place, (d.x, d.y)) < FATE_RESTS_MM]
    return [fell for fell in fallen if not any(kind is fell.kind and _turns_up_after(k, fell) for k, kind in back)]


def _is_apart(track: Track, taken: Sequence[tuple[float, float]], radius: float) -> bool:
    """Whether a piece of that radius (mm) where a track rests is none of those on the `taken` places."""
    return all(math.dist(track.place, p) > 2 * RESTING_INNER * radius for p in taken)


def _turns_up_after(track: Track, lost: Track) -> bool:
    """Whether a track began so soon after another was lost, and so near, that it may be the same disc's."""
    unseen = track.times[0] - lost.t
    return 0 < unseen < LOST_AFTER_S and math.dist(track.places[0], lost.place) < lost.speed * unseen + JITTER_MM


def _is_still(track: Track, t: float) -> bool:
    """Whether a track has been seen on its place for a while, until just before t."""
    if t - track.t > SEEN_S or track.times[0] > track.t - STILL_S:
        return False
    lately = [p for when, p in track.sightings if when >= track.t - STILL_S]
    return all(math.dist(p, track.place) < STILL_MM for p in lately)
