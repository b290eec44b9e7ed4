"""Placement tracker: measures the striker on its base lines while a hand places it and aims."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.geometry.picture import Picture
from calibration.profile import Colour
from models.pieces import Kind, Piece, Seat
from referee.foreground.background import BackgroundModel, ForegroundFrame
from referee.foreground.hand_history import HandDistance
from referee.pieces.colour_classes import mean_colour
from referee.pieces.current_profile import CurrentProfile
from referee.striker.baseline_search import ALIKE_RING, STRIP_CLEAR_OF, BaselineStrip, StrikerSighting
from referee.tracking.tracker import Place

PLACEMENT_PLAIN_RING, PLAIN_RIM, PLAIN_TIMES = 0.55, 0.75, 3
"""Plain sighting: least ring response, least lower quartile of the rim's edges, and number of such sightings from which
the striker's colour is learned. The quartile was 0.68 at most under fingers and 0.78 at least on whole strikers (18
simulated worlds).
"""
PLACEMENT_EVERY_S = 0.1
"""Interval of the sightings that an unmoved striker stands for."""
PLACEMENT_LEAST_MM2 = 300.0
"""Least unexplained area in a strip that is searched: about a fifth of a striker."""
WORSE = 2.0
"""Ratio to the best sigma of a place from which a sighting is left out."""
LOOK_BACK_S = 1.5
"""Greatest age of the last sighting, or of a hand over it, at the strike."""
PLACEMENT_LEFT_MM = 70.0
"""Greatest distance of the first free sighting from the striker's place: two frames at 2 m/s."""
PLACEMENT_ACROSS_MM, ACROSS_SHARE = 9.0, 0.04
"""Greatest distance of a flight's line from the striker's place, and its growth along the line."""
RIM_SIGMA_MM = 0.15
"""Standard deviation of the striker's rim beyond that of its centre by the network: its radius is known to 0.3 mm, and
the network's sigma is a little too large. Margins of 59 placements on boards drawn elsewhere are most probable with
0.25 (0.7 nats more), of 50 on simulated boards with 0."""


def sighting_sigma(centre_mm: float = 0.0) -> float:
    """Returns the standard deviation (mm) of the rim of a striker whose centre was measured to `centre_mm`."""
    return math.hypot(RIM_SIGMA_MM, centre_mm)


@dataclass(frozen=True, slots=True)
class StrikerAppearance:
    """Colour and size of a striker that was not known before."""

    colour: Colour
    radius: float
    """mm."""
    drawn: float
    """Best ring response, 0..1."""


class PlacementTracker:
    """Searches the base strips for the striker and stores its sightings."""

    def __init__(self, known: CurrentProfile, background: BackgroundModel) -> None:
        self._known = known
        self.sightings: list[StrikerSighting] = []
        self._hidden = False
        """Whether a hand has covered the last sighting's place ever since."""
        self._lay_out(background)

    def _lay_out(self, background: BackgroundModel) -> None:
        self._strips = [BaselineStrip(self._known.profile, background, seat) for seat in Seat]

    def relocate(self, background: BackgroundModel, since: float) -> None:
        """Follows a camera that has moved at `since`; later sightings are dropped."""
        self._lay_out(background)
        self.sightings = [s for s in self.sightings if s.t < since]

    def forget(self) -> None:
        """Drops all sightings: a stroke has been played."""
        self.sightings = []

    def update(self, picture: Picture, foreground: ForegroundFrame, lying: tuple[Piece, ...], unexplained: np.ndarray,
             lies_elsewhere: bool = False) -> None:  # fmt: skip
        """Searches strips with unexplained foreground and add the striker's sightings.

        A striker that seems to lie elsewhere, or beside the place where it was left, needs a plain sighting.
        """
        profile = self._known.profile
        for strip in self._strips:
            if strip.unexplained_mm2(unexplained) <= PLACEMENT_LEAST_MM2:
                continue
            found = strip.find(picture, foreground, profile, lying)
            if found and (_is_plain(found) or not (lies_elsewhere or _is_beside(found, lying))):
                self.sightings.append(found)

    def hide(self, gaps: HandDistance, t: float) -> None:
        """Adds the hands at t. A hand over the striker may aim or wait for any time."""
        last = self.sightings[-1] if self.sightings else None
        self._hidden = last is not None and (self._hidden or _is_recent(last, t)) and gaps.covers(last.x, last.y)
        if last is not None and self._hidden:
            self.sightings[-1] = replace(last, hidden_until=t)

    def extend(self, piece: Piece, t: float) -> None:
        """Extends the sighting of the striker at rest as `piece`, seen at t with no hand near."""
        here = next((i for i, s in reversed(list(enumerate(self.sightings))) if s.is_at(piece.x_mm, piece.y_mm)), None)
        if here is not None and self.sightings[here].until < t:
            self.sightings[here] = replace(self.sightings[here], since_then=t - self.sightings[here].t)

    def is_measured(self, piece: Piece) -> bool:
        """Tells whether the striker was measured often enough where it lies as `piece`."""
        return sum(s.is_at(piece.x_mm, piece.y_mm) for s in self.sightings) >= PLAIN_TIMES

    def learned(self, better_than: float = -math.inf) -> StrikerAppearance | None:
        """Returns the striker's colour and size after a few plain sightings at one place; None before.

        Its ring response must be plainly above `better_than`.
        """
        plain = [s for s in self.sightings if _is_plain(s)]
        same = [s for s in plain if s.is_at(plain[-1].x, plain[-1].y)]
        best = max((s.response for s in same), default=-math.inf)
        if best < better_than + ALIKE_RING:
            return None
        same = [s for s in same if s.response > best - ALIKE_RING]
        if len(same) < PLAIN_TIMES:
            return None
        radius = float(np.median([s.radius for s in same]))
        board = self._known.profile.board
        return StrikerAppearance(mean_colour([s.disc for s in same]), board.striker_radius_of(radius), best)

    def left(self, t: float, first: Place, place: Place) -> bool:
        """Tells whether a flight from `first` to `place` (mm) leads away from where the striker stood shortly before t.

        Blobs of a hand come and go about a striker that stands.
        """
        stood = ((s.x, s.y) for s in self.sightings if _is_recent(s, t))
        return any(math.dist(s, first) < min(PLACEMENT_LEFT_MM, math.dist(s, place)) for s in stood)

    def last(self, t: float) -> StrikerSighting | None:
        """Returns the last sighting of the striker at rest, shortly before t; None without one."""
        return next((s for s in reversed(self.sightings) if _is_recent(s, t) and s.t <= t), None)

    def stood(self, t: float) -> bool:
        """Tells whether the striker was at rest shortly before t."""
        return self.last(t) is not None

    def origin(self, t: float, place: Place, velocity: Place) -> StrikerSighting | None:
        """Returns the last sighting from which a flight leads away: now at `place` (mm) with `velocity` (mm/s) at t;
        None without one.
        """
        speed = math.hypot(*velocity)
        if speed <= 0:
            return None
        ahead = velocity[0] / speed, velocity[1] / speed
        for s in reversed(self.sightings):
            if not _is_recent(s, t):
                continue
            dx, dy = place[0] - s.x, place[1] - s.y
            along, across = dx * ahead[0] + dy * ahead[1], abs(dx * ahead[1] - dy * ahead[0])
            if along > 0 and across < PLACEMENT_ACROSS_MM + ACROSS_SHARE * along:
                return s
        return None

    def placement(self, t_strike: float) -> tuple[StrikerSighting, float] | None:
        """Returns the averaged place of the striker before the strike, and since when it stood there; None if never at
        rest.
        """
        past = [s for s in self.sightings if _is_recent(s, t_strike) and s.t < t_strike - 0.02]
        if not past:
            return None
        last = max(past, key=lambda s: (sum(_weight(o) for o in past if s.is_at(o.x, o.y)), s.t))
        strip = [s for s in self.sightings if s.seat is last.seat and s.t < t_strike]
        run = _last_run(strip, last)
        least = min(s.sigma for s in run)
        # Half under a hand the sigma is large.
        well = [s for s in run if s.sigma < WORSE * least]
        weighted = np.repeat([(s.x, s.y) for s in well], [_weight(s) for s in well], axis=0)
        x, y = np.median(weighted, axis=0).tolist()
        # All sightings of one place show the same rim, so that their errors are alike and do not average out.
        sigma = sighting_sigma(float(np.median([s.sigma for s in well])))
        place = replace(run[-1], x=x, y=y, sigma=sigma, response=last.response, disc=last.disc)
        return place, run[0].t


def _is_recent(s: StrikerSighting, t: float) -> bool:
    """Tells whether the striker may still stand at t where sighting `s` has it, hands over it included."""
    return t - LOOK_BACK_S <= max(s.until, s.hidden_until)


def _weight(s: StrikerSighting) -> int:
    """Returns the number of sightings that one stands for. Unchanged pictures add none."""
    return 1 + round(s.since_then / PLACEMENT_EVERY_S)


def _is_plain(s: StrikerSighting) -> bool:
    return s.response > PLACEMENT_PLAIN_RING and s.disc.support > PLAIN_RIM


def _is_beside(s: StrikerSighting, lying: Sequence[Piece]) -> bool:
    """Tells whether `s` overlaps the striker's last place. Fingers that take it from there draw arcs."""
    left = (p for p in lying if p.kind is Kind.STRIKER)
    return any(math.dist((s.x, s.y), p.place) < STRIP_CLEAR_OF * s.radius for p in left)


def _last_run(strip: list[StrikerSighting], place: StrikerSighting) -> list[StrikerSighting]:
    """Returns the last sightings in a strip that are of a place, one after the other."""
    since = next(i for i in reversed(range(len(strip))) if strip[i].is_at(place.x, place.y))
    before = (i for i in reversed(range(since)) if not strip[i].is_at(place.x, place.y))
    return strip[next(before, -1) + 1 : since + 1]
