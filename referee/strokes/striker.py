"""The striker on its base lines: measured while a hand places it and aims."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

import numpy as np

from calibration.looks import mean_colour
from calibration.picture import Picture
from calibration.profile import Colour
from models.pieces import Kind, Piece, Seat, to_side
from referee.detect.gate import Gate, Sight
from referee.strokes.known import Known
from referee.strokes.placement import has_left
from referee.strokes.steady import Steadiness
from referee.strokes.strip import CLEAR_OF, BaseStrip, Standing

PLAIN_RING, PLAIN_RIM, PLAIN_TIMES = 0.55, 0.75, 3
"""A ring drawn this well, in three quarters of all directions too, this often shows the striker's own look, not that of
fingers upon it: under them the lower quartile of a rim's edges was 0.68 at most, on a striker seen whole 0.78 at least,
on 18 strikers of simulated worlds.
"""
ALIKE_RING, BETTER_RING = 0.06, 0.1
"""Rings drawn this much alike show the same of a striker; one drawn so much better shows more: fingers across it have
gone.
"""
EVERY_S, MOST_LOOKS = 0.1, 10
"""A striker that stands unmoved would have been seen so often anew; more than so many times tell nothing more."""
ENOUGH = 5
"""So many sightings of one place tell it as well as more of them do."""
LEAST_MM2 = 300.0
"""Less than this that nothing explains, about a fifth of a striker, is not looked at."""
ROUNDED_MM = 0.25
"""The outline of a rounded rim is seen this far within it; measured on strikers under fifteen cameras."""
SAME_MM = 2.5
"""Sightings within this distance are of one placement."""
WORSE = 2.0
"""A sighting of so many times the sigma of the best one of its place adds nothing to it."""
LOOK_BACK_S = 1.5
"""How long before the strike the last sightings of the placement may lie; the hand then hid it."""
LEFT_MM = 70.0
"""A striker is first seen free of the hand at most this far from where it stood: two frames at 2 m/s."""
ORIGIN_MM, ACROSS_MM, ACROSS_SHARE = 320.0, 9.0, 0.04
"""A flight first seen at most this far from where the striker stood leads back to it within so many mm across."""
SIGMA_FLOOR_MM, SIGMA_SHARE = 0.2, 0.3
"""Systematic part of the centre's error, which no averaging removes: rim wear, bevel and shade; and the share of its
sightings' scatter that is left after averaging. Errors of 166 placements in simulated worlds were 0.19 mm on each axis
where the sightings scattered least and 0.21 where they did most; on recordings they are a fifth larger."""
FEW, FEW_SIGMA_MM = 3, 0.4
"""Fewer sightings than so many may be of a striker that was still being moved."""
STEADY_S = 0.25
"""A striker aimed with has stood this long."""
BEYOND_MM, BEYOND_S = 20.0, 0.5
"""Farther beyond its line's end a striker is played only where it stood so long: hands pass there that bring it."""
STAY_S, PUSH_S = 0.4, 1.0
"""A striker struck too weakly to leave its lines rests again within this time, one that is pushed within the other."""
STAY_LEAST_MM, STAY_MOST_MM, PUSH_MOST_MM = 4.0, 45.0, 300.0
FOLLOWED_MM = 80.0
"""What lies so far from where it stood may have been flicked too weakly; farther, but not seen to fly, pushed: surely
where a hand goes so far along, for a finger that flicks is near a striker that comes barely off its lines too."""
OPEN_SHARE = 0.8
"""A striker on its way of whose rim at least this share is seen of what was seen before is held by no hand: fingers
that brought one left 0.05 to 0.6 of it, one that had flicked it 0.9 and more (slipping worlds 11631 and 11637)."""
AHEAD_SHARE, PUSHED_AHEAD, SLID_AHEAD = 0.55, 0.35, 0.2
"""A flick sends the striker ahead by at least this share of its way; hands shift it along the lines. What was pushed
far off its lines may have gone rather aside, and more so what was seen sliding there with no finger on it."""
SLOWS_MM_S2 = 1000.0
"""Even a powdered board slows a striker by as much: one that was pushed takes no longer to where it rests."""
STAY_CONFIDENCE = 0.8
UNSTIRRED = -math.inf, -math.inf
"""Of a place of which nothing is known."""


Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Learned:
    """What a striker never seen before has shown of itself."""

    look: Colour
    radius: float
    """mm."""
    drawn: float
    """How well its ring was drawn at best, 0..1."""


@dataclass(frozen=True, slots=True)
class Stay:
    """A stroke so weak that the striker lies on or right before its base lines."""

    t_strike: float
    t_rest: float
    confidence: float
    """Probability that it never left its lines."""
    moved_mm: float
    stood: Point
    """Where it was struck, mm."""
    later: Point
    """Where it was after three quarters of its way, mm: a finger that only flicks does not come there."""


class StrikerWatch:
    """Looks for the striker in the base strips and remembers where it stood."""

    def __init__(self, known: Known, gate: Gate) -> None:
        self._known = known
        self.sightings: list[Standing] = []
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
        here = [i for i, s in enumerate(self.sightings) if _near(s, found)]
        if sum(self.sightings[i].response > found.response - BETTER_RING for i in here) < ENOUGH:
            return False
        self._stood(here[-1], t)
        return True

    def _stood(self, i: int, t: float) -> None:
        """The striker stands at t where the i-th sighting saw it."""
        if self.sightings[i].until < t:
            self.sightings[i] = replace(self.sightings[i], since_then=t - self.sightings[i].t)

    def stays(self, piece: Piece, t: float) -> None:
        """The striker, lying on its lines as `piece` with no hand near it, was last seen there at t."""
        here = next((i for i, s in reversed(list(enumerate(self.sightings))) if _lies(s, piece)), None)
        if here is not None:
            self._stood(here, t)

    def is_measured(self, piece: Piece) -> bool:
        """Whether the striker was seen well enough where it lies as `piece`."""
        return sum(_lies(s, piece) for s in self.sightings) >= PLAIN_TIMES

    def learned(self, drawn: float = -math.inf) -> Learned | None:
        """The striker's look and size, once it has been seen plainly a few times on one spot, its rim drawn at least as
        well as `drawn`.
        """
        plain = [s for s in self.sightings if _is_plain(s)]
        same = [s for s in plain if _near(s, plain[-1])]
        best = max((s.response for s in same), default=-math.inf)
        if best < drawn:
            return None
        same = [s for s in same if s.response > best - ALIKE_RING]
        if len(same) < PLAIN_TIMES:
            return None
        radius = float(np.median([s.radius for s in same])) + ROUNDED_MM
        board = self._known.profile.board
        return Learned(mean_colour([s.disc for s in same]), board.striker_radius_of(radius), best)

    def left(self, t: float, first: Point, place: Point) -> bool:
        """Whether a flight first seen at `first` mm, near where the striker was seen standing shortly before t, leads
        away from there to `place` mm: patches of a hand come and go about a striker that stands.
        """
        lately = (s for s in self.sightings if t - LOOK_BACK_S <= s.until and s.t <= t + 0.1)
        seen = [(s.x, s.y) for s in lately if self._may_be_played(s)]
        return any(math.dist(s, first) < min(LEFT_MM, math.dist(s, place)) for s in seen)

    def last(self, t: float) -> Standing | None:
        """The last sighting of the striker standing, shortly before t."""
        return next((s for s in reversed(self.sightings) if t - LOOK_BACK_S <= s.until and s.t <= t), None)

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
            if s.until < t - LOOK_BACK_S or not self._may_be_played(s):
                continue
            dx, dy = place[0] - s.x, place[1] - s.y
            along, across = dx * ahead[0] + dy * ahead[1], abs(dx * ahead[1] - dy * ahead[0])
            gone = (first[0] - s.x) * ahead[0] + (first[1] - s.y) * ahead[1]
            if along > 0 and gone < ORIGIN_MM and across < ACROSS_MM + ACROSS_SHARE * along:
                return s
        return None

    def placement(self, t_strike: float) -> tuple[Standing, float] | None:
        """Where the striker stood when it was struck, averaged, and since when; None when it was not seen at rest."""
        past = [s for s in self.sightings if t_strike - LOOK_BACK_S <= s.until and s.t < t_strike - 0.02]
        if not past:
            return None
        last = max(past, key=lambda s: (sum(_looks(o) for o in past if _near(s, o)), s.t))
        same = [s for s in self.sightings if s.t < t_strike and s.seat is last.seat and _near(s, last)]
        run = _last_run(same, self.sightings)
        well = _well_seen(run)
        seen = np.repeat([(s.x, s.y) for s in well], [_looks(s) for s in well], axis=0)
        (x, y), scatter = np.median(seen, axis=0), float(np.hypot(*np.std(seen, axis=0)))
        scatter = max(scatter, float(np.median([s.sigma for s in well])) / 2)
        # The last sighting counts for as long as the striker stood; where the others saw another rim, either may be it.
        apart = math.dist((x, y), np.median([(s.x, s.y) for s in well], axis=0))
        few = FEW_SIGMA_MM if len(well) < FEW else 0.0
        # Where fingers hide one side of the rim its middle is off by as much as its radius.
        rim = float(np.std([s.radius for s in well]))
        sigma = max(math.hypot(SIGMA_FLOOR_MM, SIGMA_SHARE * scatter, rim), few, apart / 2)
        place = replace(run[-1], x=float(x), y=float(y), sigma=sigma, response=last.response, disc=last.disc)
        return place, run[0].t

    def stayed(self, lying: Piece, since: float, stirred: tuple[float, float] = UNSTIRRED) -> Stay | None:
        """How the striker got there that lies free, `since` then by its track, if it was flicked or pushed there.

        A hand that puts it elsewhere on the lines takes longer, or shifts it along them (General 91). `stirred`: when
        the place where it stood last looked as before, and when that last changed.
        """
        here = list(takewhile(lambda s: _lies(s, lying), reversed(self.sightings)))
        seen = here[-1].t if here else since
        before = [s for s in self.sightings if s.t < seen and s not in here]
        stood = next((s for s in reversed(before) if self._is_steady(s)), None)
        if stood is None:
            return None
        # Under a hand its track is seen to rest sooner than its rim; one from before is the hand's.
        coasted = self._coasted(stood, lying)
        since = min(since if stood.until < since < seen else seen, coasted)
        if stood.t < stirred[0] < min(stood.until, stirred[1]) and stirred[1] < min(since, stirred[0] + STAY_S):
            stood, since = replace(stood, since_then=stirred[0] - stood.t), stirred[1]
        moved = math.dist((stood.x, stood.y), (lying.x_mm, lying.y_mm))
        if since - stood.until > (STAY_S if moved < STAY_MOST_MM else PUSH_S):
            return None
        ahead = to_side(stood.seat, lying.x_mm, lying.y_mm)[1] - to_side(stood.seat, stood.x, stood.y)[1]
        marks, radius = self._known.profile.sides.get(stood.seat), self._known.profile.board.striker_radius
        left = has_left(marks, stood.seat, lying.x_mm, lying.y_mm, radius)
        share = PUSHED_AHEAD if left and moved > STAY_MOST_MM else SLID_AHEAD if math.isfinite(coasted) else AHEAD_SHARE
        if not STAY_LEAST_MM < moved < PUSH_MOST_MM or ahead < share * moved:
            return None
        later = stood.x + 0.75 * (lying.x_mm - stood.x), stood.y + 0.75 * (lying.y_mm - stood.y)
        # What hardly moves may be taken to stand where it stood until it is measured.
        slid = math.sqrt(2 * moved / SLOWS_MM_S2) if moved > STAY_MOST_MM else math.inf
        begun = max(stood.until, since - slid)
        return Stay(min(begun, since), since, 0.0 if left else STAY_CONFIDENCE, moved, (stood.x, stood.y), later)

    def _coasted(self, stood: Standing, lying: Piece) -> float:
        """When the striker rested as `lying` if it slid there from where it `stood`, as its last sighting on its way
        tells, on which no hand lay more than before; infinite where none does.

        Friction slows it evenly: what is left of the way goes with the square of the time that is left.
        """
        way = np.subtract((lying.x_mm, lying.y_mm), (stood.x, stood.y))
        whole = float(np.hypot(*way))
        for s in reversed(self.sightings):
            if s.t <= stood.until:
                break
            gone = (s.x - stood.x, s.y - stood.y) @ way / whole
            across = math.sqrt(max(0.0, math.dist((s.x, s.y), (stood.x, stood.y)) ** 2 - gone**2))
            is_open = s.disc.support > OPEN_SHARE * stood.disc.support
            if SAME_MM < gone < whole - SAME_MM and across < SAME_MM and is_open:
                return float(stood.until + (s.t - stood.until) / (1 - math.sqrt(1 - gone / whole)))
        return math.inf

    def _may_be_played(self, s: Standing) -> bool:
        """Whether the striker was not just carried past where `s` saw it, beyond its line's ends."""
        along = abs(to_side(s.seat, s.x, s.y)[0])
        if along < self._known.profile.board.base_circle_x + BEYOND_MM:
            return True
        return s.until - min(o.t for o in self.sightings if _near(o, s)) >= BEYOND_S

    def _is_steady(self, s: Standing) -> bool:
        """Whether the striker had been standing where `s` saw it."""
        same = [o for o in self.sightings if o.t <= s.t and _near(o, s)]
        return len(same) >= PLAIN_TIMES and s.until - same[0].t >= STEADY_S


def _looks(s: Standing) -> int:
    """How many sightings one stands for: those of an unchanged picture are not made."""
    return 1 + min(round(s.since_then / EVERY_S), MOST_LOOKS)


def _is_plain(s: Standing) -> bool:
    return s.response > PLAIN_RING and s.disc.support > PLAIN_RIM


def _is_beside(s: Standing, lying: Sequence[Piece]) -> bool:
    """Whether `s` overlaps the place where the striker was left: fingers that take it from there draw arcs."""
    left = (p for p in lying if p.kind is Kind.STRIKER)
    return any(math.dist((s.x, s.y), (p.x_mm, p.y_mm)) < CLEAR_OF * s.radius for p in left)


def _near(a: Standing, b: Standing) -> bool:
    return float(np.hypot(a.x - b.x, a.y - b.y)) < SAME_MM


def _lies(s: Standing, piece: Piece) -> bool:
    return math.dist((s.x, s.y), (piece.x_mm, piece.y_mm)) < SAME_MM


def _well_seen(run: list[Standing]) -> list[Standing]:
    """The sightings of one place that tell it well: half under a hand it is known worse."""
    least = min(s.sigma for s in run)
    return [s for s in run if s.sigma < WORSE * least]


def _last_run(same: list[Standing], everything: list[Standing]) -> list[Standing]:
    """The sightings of one place since something else was last seen in its strip."""
    others = [s.t for s in everything if s.seat is same[0].seat and s not in same and s.t < same[-1].t]
    since = max(others, default=-1.0)
    return [s for s in same if s.t > since] or same[-1:]
