"""The striker on its base lines: measured while a hand places it and aims."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.geometry.picture import Picture
from calibration.profile import Colour
from models.pieces import Kind, Piece, Seat, to_side
from referee.foreground.background import Gate, Sight
from referee.foreground.hand_history import Gaps
from referee.pieces.colour_classes import mean_colour
from referee.pieces.current_profile import Known
from referee.striker.baseline_search import CLEAR_OF, BaseStrip, Standing
from referee.striker.unchanged_strip import Steadiness
from referee.tracking.flight_tests import Point

PLAIN_RING, PLAIN_RIM, PLAIN_TIMES = 0.55, 0.75, 3
"""A ring drawn this well, in three quarters of all directions too, this often shows the striker's own look, not that of
fingers upon it: under them the lower quartile of a rim's edges was 0.68 at most, on a striker seen whole 0.78 at least,
on 18 strikers of simulated worlds.
"""
ALIKE_RING, BETTER_RING = 0.06, 0.1
"""Rings drawn this much alike show the same of a striker; one drawn so much better shows more: fingers across it have
gone.
"""
MUCH_BETTER = 0.2
"""And one before another seat drawn so much better in between is the striker itself, the other what prints draw."""
EVERY_S, MOST_LOOKS = 0.1, 10
"""A striker that stands unmoved would have been seen so often anew; more than so many times tell nothing more."""
ENOUGH = 5
"""So many sightings of one place tell it as well as more of them do."""
LEAST_MM2 = 300.0
"""Less than this that nothing explains, about a fifth of a striker, is not looked at."""
ROUNDED_MM = 0.25
"""The outline of a rounded rim is seen this far within it; measured on strikers under fifteen cameras."""
WORSE = 2.0
"""A sighting of so many times the sigma of the best one of its place adds nothing to it."""
LOOK_BACK_S = 1.5
"""How long before the strike the last sightings of the placement may lie, or a hand be seen to hide it."""
LEFT_MM = 70.0
"""A striker is first seen free of the hand at most this far from where it stood: two frames at 2 m/s."""
ORIGIN_MM, ACROSS_MM, ACROSS_SHARE = 320.0, 9.0, 0.04
"""A flight first seen at most this far from where the striker stood leads back to it within so many mm across."""
SIGMA_FLOOR_MM, SIGMA_SHARE = 0.2, 0.3
"""Systematic part of the centre's error, which no averaging removes: rim wear, bevel and shade; and the share of its
sightings' scatter that is left after averaging. Errors of 166 placements in simulated worlds were 0.19 mm on each axis
where the sightings scattered least and 0.21 where they did most; on recordings they are a fifth larger."""
OFF_SIZE_MM, OFF_SIZE_SHARE = 0.4, 3.0
"""A rim measured so much larger or smaller than the striker's own is in part another's: a line's that it covers. Its
middle is off by as many times what exceeds that. Of 62 rims in 20 simulated worlds one seemed 0.6 mm too large, and was
1.4 mm aside; the others were 0.4 mm off at most, and 0.8 aside."""
ILL_DRAWN_MM = 0.6
"""Sightings of a larger sigma are of a rim that may lie at several places; of well drawn ones 0.15 to 0.4."""
FEW, FEW_SIGMA_MM = 3, 0.4
"""Fewer sightings than so many may be of a striker that was still being moved."""
BEYOND_MM, BEYOND_S = 20.0, 0.5
"""Farther beyond its line's end a striker is played only where it stood so long: hands pass there that bring it."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What a striker never seen before has shown of itself."""

    look: Colour
    radius: float
    """mm."""
    drawn: float
    """How well its ring was drawn at best, 0..1."""


class StrikerWatch:
    """Looks for the striker in the base strips and remembers where it stood."""

    def __init__(self, known: Known, gate: Gate) -> None:
        self._known = known
        self.sightings: list[Standing] = []
        self._hidden = False
        """A hand has lain over the place of the last sighting ever since."""
        self._lay_out(gate)

    def _lay_out(self, gate: Gate) -> None:
        strips = [BaseStrip(self._known.profile, gate, seat) for seat in Seat]
        self._strips = [(strip, Steadiness(gate, strip.beside)) for strip in strips]

    def relocate(self, gate: Gate, since: float) -> None:
        """The same board under a camera that has moved: what was seen since then was seen out of place."""
        self._lay_out(gate)
        self.sightings = [s for s in self.sightings if s.t < since]

    def forget(self) -> None:
        """A stroke has been played: what stood before it is history."""
        self.sightings = []

    def look(self, picture: Picture, sight: Sight, lying: tuple[Piece, ...], unexplained: np.ndarray,
             lies_elsewhere: bool = False) -> None:  # fmt: skip
        """Adds the striker's place if it stands in a strip where something unexplained is; when it seems to lie
        elsewhere, or right beside the place where it was left, only if it is seen plainly there.
        """
        profile = self._known.profile
        for strip, steady in self._strips:
            if strip.unexplained_mm2(unexplained) <= LEAST_MM2:
                continue
            if steady.lasts(sight, profile, lying) and self._still_stands(steady.found, sight.t):
                continue
            found = strip.find(picture, sight, profile, lying)
            steady.learn(sight, profile, lying, found)
            if found and (_is_plain(found) or not (lies_elsewhere or _is_beside(found, lying))):
                self.sightings.append(found)

    def _still_stands(self, found: Standing | None, t: float) -> bool:
        """The striker, if it was seen often enough and as well where the last search found it, stands there still.

        Further sightings of the same picture would make its place seem surer than it is known.
        """
        if found is None:
            return True
        here = [i for i, s in enumerate(self.sightings) if s.is_at(found.x, found.y)]
        if sum(self.sightings[i].response > found.response - BETTER_RING for i in here) < ENOUGH:
            return False
        self._stood(here[-1], t)
        return True

    def _stood(self, i: int, t: float) -> None:
        """The striker stands at t where the i-th sighting saw it."""
        if self.sightings[i].until < t:
            self.sightings[i] = replace(self.sightings[i], since_then=t - self.sightings[i].t)

    def hide(self, gaps: Gaps, t: float) -> None:
        """Takes in where hands are at t: one over the striker's place may aim, or wait, as long as it likes."""
        last = self.sightings[-1] if self.sightings else None
        self._hidden = last is not None and (self._hidden or _is_recent(last, t)) and gaps.covers(last.x, last.y)
        if last is not None and self._hidden:
            self.sightings[-1] = replace(last, hidden_until=t)

    def stays(self, piece: Piece, t: float) -> None:
        """The striker, lying on its lines as `piece` with no hand near it, was last seen there at t."""
        here = next((i for i, s in reversed(list(enumerate(self.sightings))) if s.is_at(piece.x_mm, piece.y_mm)), None)
        if here is not None:
            self._stood(here, t)

    def is_measured(self, piece: Piece) -> bool:
        """Whether the striker was seen well enough where it lies as `piece`."""
        return sum(s.is_at(piece.x_mm, piece.y_mm) for s in self.sightings) >= PLAIN_TIMES

    def learned(self, drawn: float = -math.inf) -> Learned | None:
        """The striker's look and size, once it has been seen plainly a few times on one spot, its rim drawn at least as
        well as `drawn`.
        """
        plain = [s for s in self.sightings if _is_plain(s)]
        same = [s for s in plain if s.is_at(plain[-1].x, plain[-1].y)]
        best = max((s.response for s in same), default=-math.inf)
        if best < drawn:
            return None
        same = _best_drawn(same)
        if len(same) < PLAIN_TIMES:
            return None
        radius = float(np.median([s.radius for s in same])) + ROUNDED_MM
        board = self._known.profile.board
        return Learned(mean_colour([s.disc for s in same]), board.striker_radius_of(radius), best)

    def left(self, t: float, first: Point, place: Point) -> bool:
        """Whether a flight first seen at `first` mm, near where the striker was seen standing shortly before t, leads
        away from there to `place` mm: patches of a hand come and go about a striker that stands.
        """
        lately = (s for s in self.sightings if _is_recent(s, t) and s.t <= t + 0.1)
        seen = [(s.x, s.y) for s in lately if self._may_be_played(s)]
        return any(math.dist(s, first) < min(LEFT_MM, math.dist(s, place)) for s in seen)

    def last(self, t: float) -> Standing | None:
        """The last sighting of the striker standing, shortly before t."""
        return next((s for s in reversed(self.sightings) if _is_recent(s, t) and s.t <= t), None)

    def stood(self, t: float) -> bool:
        """Whether the striker was seen standing anywhere shortly before t."""
        return self.last(t) is not None

    def origin(self, t: float, first: Point, place: Point, velocity: Point) -> Standing | None:
        """The last sighting from which a flight leads away that was first seen at `first` mm and is at `place` mm with
        `velocity` mm/s at time t.
        """
        speed = math.hypot(*velocity)
        if speed <= 0:
            return None
        ahead = velocity[0] / speed, velocity[1] / speed
        for s in reversed(self.sightings):
            if not _is_recent(s, t) or not self._may_be_played(s):
                continue
            dx, dy = place[0] - s.x, place[1] - s.y
            along, across = dx * ahead[0] + dy * ahead[1], abs(dx * ahead[1] - dy * ahead[0])
            gone = (first[0] - s.x) * ahead[0] + (first[1] - s.y) * ahead[1]
            if along > 0 and gone < ORIGIN_MM and across < ACROSS_MM + ACROSS_SHARE * along:
                return s
        return None

    def placement(self, t_strike: float) -> tuple[Standing, float] | None:
        """Where the striker stood when it was struck, averaged, and since when; None when it was not seen at rest."""
        past = [s for s in self.sightings if _is_recent(s, t_strike) and s.t < t_strike - 0.02]
        past = [s for s in past if not _is_elsewhere(s, past)]
        if not past:
            return None
        last = max(past, key=lambda s: (sum(_looks(o) for o in past if s.is_at(o.x, o.y)), s.t))
        same = [s for s in self.sightings if s.t < t_strike and s.seat is last.seat and s.is_at(last.x, last.y)]
        run = _last_run(same, self.sightings)
        well = _well_seen(run)
        seen = np.repeat([(s.x, s.y) for s in well], [_looks(s) for s in well], axis=0)
        (x, y), scatter = np.median(seen, axis=0), float(np.hypot(*np.std(seen, axis=0)))
        doubt = float(np.median([s.sigma for s in well]))
        scatter = max(scatter, doubt / 2)
        # The last sighting counts for as long as the striker stood; where the others saw another rim, either may be it.
        apart = math.dist((x, y), np.median([(s.x, s.y) for s in well], axis=0))
        few = FEW_SIGMA_MM if len(well) < FEW else 0.0
        # Where fingers hide one side of the rim its middle is off by as much as its radius.
        rim = float(np.std([s.radius for s in well]))
        sigma = max(math.hypot(SIGMA_FLOOR_MM, SIGMA_SHARE * scatter, rim), few, apart / 2)
        # Where the rim is hardly drawn all sightings err alike, which no averaging shows; so may those with a hand over
        # it if it seemed to lie at several places once the hand had gone.
        doubt = max(doubt, float(np.median([s.sigma for s in _best_drawn(run)])))
        sigma = max(sigma, doubt) if doubt > ILL_DRAWN_MM else sigma
        sigma = math.hypot(sigma, OFF_SIZE_SHARE * self._off_size([s.radius for s in well]))
        place = replace(run[-1], x=float(x), y=float(y), sigma=sigma, response=last.response, disc=last.disc)
        return place, run[0].t

    def _off_size(self, radii: Sequence[float]) -> float:
        """By how much (mm) rims differ from the striker's own, where its size is known, beyond what is usual."""
        profile = self._known.profile
        if Kind.STRIKER not in profile.colours:
            return 0.0
        own = profile.board.striker_radius - ROUNDED_MM
        return max(0.0, abs(float(np.median(radii)) - own) - OFF_SIZE_MM)

    def _may_be_played(self, s: Standing) -> bool:
        """Whether the striker was not just carried past where `s` saw it, beyond its line's ends."""
        along = abs(to_side(s.seat, s.x, s.y)[0])
        if along < self._known.profile.board.base_circle_x + BEYOND_MM:
            return True
        return s.until - min(o.t for o in self.sightings if o.is_at(s.x, s.y)) >= BEYOND_S


def _is_recent(s: Standing, t: float) -> bool:
    """Whether the striker may still stand at t where `s` saw it."""
    return t - LOOK_BACK_S <= max(s.until, s.hidden_until)


def _is_elsewhere(s: Standing, past: Sequence[Standing]) -> bool:
    """Whether between two sightings of the place of `s` the striker was seen far more plainly before another seat: a
    print that a coin had hidden stands as still.
    """
    here = [o for o in past if s.is_at(o.x, o.y)]
    first, last, drawn = here[0].t, here[-1].until, max(o.response for o in here)
    return any(o.seat is not s.seat and first < o.t < last and o.response > drawn + MUCH_BETTER for o in past)


def _looks(s: Standing) -> int:
    """How many sightings one stands for: those of an unchanged picture are not made."""
    return 1 + min(round(s.since_then / EVERY_S), MOST_LOOKS)


def _is_plain(s: Standing) -> bool:
    return s.response > PLAIN_RING and s.disc.support > PLAIN_RIM


def _is_beside(s: Standing, lying: Sequence[Piece]) -> bool:
    """Whether `s` overlaps the place where the striker was left: fingers that take it from there draw arcs."""
    left = (p for p in lying if p.kind is Kind.STRIKER)
    return any(math.dist((s.x, s.y), (p.x_mm, p.y_mm)) < CLEAR_OF * s.radius for p in left)


def _well_seen(run: list[Standing]) -> list[Standing]:
    """The sightings of one place that tell it well: half under a hand it is known worse."""
    least = min(s.sigma for s in run)
    return [s for s in run if s.sigma < WORSE * least]


def _best_drawn(seen: Sequence[Standing]) -> list[Standing]:
    """The sightings in which the rim is drawn as well as in any."""
    best = max((s.response for s in seen), default=-math.inf)
    return [s for s in seen if s.response > best - ALIKE_RING]


def _last_run(same: list[Standing], everything: list[Standing]) -> list[Standing]:
    """The sightings of one place since something else was last seen in its strip."""
    others = [s.t for s in everything if s.seat is same[0].seat and s not in same and s.t < same[-1].t]
    since = max(others, default=-1.0)
    return [s for s in same if s.t > since] or same[-1:]
