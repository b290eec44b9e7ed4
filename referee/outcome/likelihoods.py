"""Weighs what became of one piece: how probable the evidence is if it lies somewhere, fell, or left the board.

Weights are relative: a disc, an end of a track and a piece each have a weight under every fate, in `Odds`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from calibration.profile import Circle
from models.pieces import COINS, Kind, Pocket
from referee.outcome.evidence import End, FallEvidence, Sought, StrokeEvidence
from referee.outcome.matching import pocket_ahead
from referee.outcome.observation import Detection, Sighted
from referee.outcome.odds import Odds
from referee.outcome.pocket_evidence import PocketEvidence
from referee.outcome.readings import Claim, Extra, How, PieceFate
from referee.tracking.tracker import Place
from referee.tracking.trajectory import Glide

BARELY = 1e-12
"""Least weight, given to the impossible so that logarithms stay finite."""
FORBIDDEN = 1e6
FAR_TIMES = 2.0
"""Least ratio of the distances of the second nearest and the nearest pocket for an unseen fall into the nearest."""


class Likelihoods:
    """The weights of the evidence of one stroke under the fates of its pieces."""

    def __init__(self, e: StrokeEvidence, odds: Odds) -> None:
        self.e, self.odds = e, odds
        self.pockets = PocketEvidence(e.observation.pockets, e.observation.nets, odds)
        self.loose = [self._loose(f) for f in e.falls]
        self._followed = sum(s.track is not None for s in e.sought)

    @property
    def _on_board(self) -> float:
        return 1.0 - self.odds.fell - self.odds.off

    def _missed(self, kind: Kind) -> float:
        """Returns the probability that the search misses a piece: as it nearly missed those it found."""
        nearly = [1.0 / (1.0 + math.exp(disc.presence)) for disc in self.e.observation.found if disc.kind is kind]
        return max(self.odds.missed, sum(nearly) / max(1, len(nearly)))

    def found_at(self, s: Sought, j: int) -> float:
        """Returns the weight of a piece at the j-th disc found."""
        o, disc = self.odds, self.e.observation.found[j]
        kind = s.piece.kind
        mistaken = (kind is Kind.STRIKER) != (disc.kind is Kind.STRIKER)
        size = o.size_mistaken if mistaken else 1.0 - o.size_mistaken
        lay = self._on_board * math.pow(o.handled_rest, disc.handled) * self._lies(s, disc.place, self.e.led_to[j])
        return size * self._coloured(kind, disc) * lay

    def _coloured(self, kind: Kind, seen: Detection | Sighted) -> float:
        """Returns the likelihood of a colour, relative to that of the kind's most frequent colour."""
        off, odd = seen.unlike.get(kind), self.odds.look_odd
        if off is None:
            return 1.0
        usual = math.exp(-(off**2) / (2 * self.odds.look_sigma**2))
        return (1.0 - odd) * usual + odd * math.exp(-off / self.odds.look_odd_sigma)

    def _lies(self, s: Sought, place: Place, led_to: float) -> float:
        """Returns the density of a piece's position at a place, relative to the uniform density over the board.

        `led_to` is the probability that the track of a disc of the stroke leads there.
        """
        o, area = self.odds, (2 * self.e.observation.table.half) ** 2
        stayed = o.stayed * _normal(math.dist(s.piece.place, place), o.rest_mm) * area
        other = _normal(0.0, o.rest_mm) * area / max(1, self._followed) * led_to if led_to else 0.0
        lost = o.exchanged * other + 1.0 - o.exchanged
        if s.glide is None or s.rests_at is None:
            return stayed + (1.0 - o.stayed) * lost
        led = _normal(math.dist(s.rests_at, place), math.hypot(o.rest_mm, _spread(s))) * area
        return stayed + (1.0 - o.stayed) * (o.led * led + (1.0 - o.led) * lost)

    def unseen(self, s: Sought) -> Iterator[tuple[float, Claim]]:
        """Yields the weights and claims of all fates of a piece without a detection."""
        o, kind = self.odds, s.piece.kind
        lost = o.unfollowed if s.track is None else o.unseen * (o.unseen_short if s.is_short else 1.0 - o.unseen_short)
        pockets = self.e.observation.table.pockets
        ahead = None if s.glide is None else pocket_ahead(pockets, s.glide, math.inf)
        pocket = ahead[0] if ahead is not None and ahead[1] > 0.5 else None
        at_cushion, leapt = (o.lost_at_cushion, o.leapt) if s.leaps and pocket is None else (1.0, 1.0 - o.leapt)
        shows, likely = self.pockets.unseen(pocket or _by_far_nearest(pockets, s.last))
        off_speed, fell_speed = (self._speed(s.glide, fate) for fate in (PieceFate.OFF, PieceFate.FELL))
        # An exchanged track tells nothing.
        leapt = o.led * off_speed * leapt + (1.0 - o.led) * at_cushion * (1.0 - o.leapt)
        fell = o.fell * lost * at_cushion * (o.led * fell_speed + 1.0 - o.led) * math.exp(shows)
        yield fell, Claim(s, kind, PieceFate.FELL, How.UNSEEN, None, likely)
        off = o.off * (o.unfollowed if s.track is None else 1.0 - o.over_frame * s.caught)
        yield off * leapt * self._end_of_leap(s), Claim(s, kind, PieceFate.OFF, How.UNSEEN)
        if s.rests:
            yield self._on_board * o.missed_resting, Claim(s, kind, PieceFate.BOARD, How.RESTS, s.last)
        yield self._on_board * self._missed(kind) * at_cushion, Claim(s, kind, PieceFate.BOARD, How.UNSEEN)
        if s.covered:
            yield self._on_board, Claim(s, kind, PieceFate.BOARD, How.COVERED)
        elif s.hidden > 0:
            yield self._on_board * s.hidden * at_cushion, Claim(s, kind, PieceFate.BOARD, How.HIDDEN)
        if s.hand_came:
            yield o.taken if kind is Kind.STRIKER else o.taken_coin, Claim(s, kind, PieceFate.BOARD, How.TAKEN)

    def _end_of_leap(self, s: Sought) -> float:
        """Returns the likelihood of the end of its own track at a pocket if the piece left the board, against none."""
        if s.track is None:
            return 1.0
        own = (j for j, fall in enumerate(self.e.falls) if fall.track is s.track)
        return math.prod(self._no_fall(self.e.falls[j]) / math.exp(self.loose[j][0]) for j in own)

    def _speed(self, glide: Glide | None, fate: PieceFate) -> float:
        """Returns how likely a disc's last speed is, to a sigma, before a fall or a leap, relative to the usual one."""
        o = self.odds
        if glide is None or glide.n < 2:
            return 1.0
        usual, sign = (o.off_mm_s, -1.0) if fate is PieceFate.OFF else (o.fell_mm_s, 1.0)
        speed = max(1.0, glide.speed - sign * math.sqrt(glide.covariance[1, 1]))
        away = max(0.0, sign * math.log(speed / usual)) / o.speed_spread
        return math.exp(-(away**2) / 2)

    def _no_fall(self, fall: FallEvidence) -> float:
        """Returns the probability of such an end of the track of a disc that did not fall."""
        o = self.odds
        ends = {End.HOLE: o.end_hole, End.BRINK: o.end_mouth, End.MOUTH: o.end_mouth,
                End.AHEAD: o.end_ahead * fall.reach, End.OVER_FRAME: o.end_hole}  # fmt: skip
        return ends[fall.end]

    def _fall(self, fall: FallEvidence) -> float:
        """Returns the probability of such an end of the track of a disc that fell, or left the board over the frame."""
        o = self.odds
        on_board = math.exp(-((fall.beyond_mm / o.rest_mm) ** 2) / 2)
        at_mouth = o.rattled * on_board + (1.0 - o.rattled) * fall.reach
        ends = {End.HOLE: o.hole, End.BRINK: o.brink, End.MOUTH: o.mouth * at_mouth,
                End.AHEAD: o.ahead * fall.reach, End.OVER_FRAME: o.over_frame}  # fmt: skip
        return ends[fall.end] * (o.begun_there if fall.goes_on else 1.0)

    def extra(self, disc: Detection) -> dict[Extra, float]:
        """Returns the weights of a disc found that is no missing piece."""
        o = self.odds
        coins = (_any_of(n, o.overlooked) * self._coloured(k, disc) for k, n in self.e.unknown.items())
        no_piece = o.false_disc + o.false_print * math.exp(-disc.presence)
        return {Extra.OVERLOOKED: max(coins, default=0.0), Extra.PUT_BACK: disc.handled, Extra.NO_PIECE: no_piece}

    def fell(self, s: Sought, fall: FallEvidence) -> float:
        """Returns the weight of a piece whose fall, or way over the frame, the end of a track shows."""
        o = self.odds
        fate, prior = (PieceFate.OFF, o.off) if fall.end is End.OVER_FRAME else (PieceFate.FELL, o.fell)
        was_elsewhere = fall.lay or (fall.track.t <= s.seen and fall.track is not s.track)
        exchanged = o.anothers if was_elsewhere else 1.0
        own = s.track is not None and s.track.number in fall.follows
        exchanged *= o.begun_there if fall.follows and not own else 1.0
        shows = math.exp(self.pockets.alone[fall.pocket])
        seen_as = self._tie(s, fall) * exchanged * self._coloured(s.piece.kind, fall.track)
        return prior * self._speed(fall.glide, fate) * self._fall(fall) * shows * seen_as

    def _tie(self, s: Sought, fall: FallEvidence) -> float:
        """Returns the probability that a track of its relation to a piece shows the piece's fall."""
        o = self.odds
        own = s.track is not None and s.track.number == fall.track.number
        return o.led if own else o.stray if fall.track.is_stray else o.anothers

    def _loose(self, fall: FallEvidence) -> tuple[float, float, Kind | None]:
        """Returns the log weights of an unassigned end: as no fall, and as an unknown coin's fall, with its kind."""
        o, none, track = self.odds, self._no_fall(fall), fall.track
        if fall.only_there or (track.is_stray and (fall.lapsed or not fall.is_long)):
            none = max(none, o.patch)
        elif not track.is_stray and not (fall.lapsed or fall.goes_on or fall.pocket is None):
            none = min(none, o.end_own)
        coins = {k: _any_of(n, o.overlooked) * self._coloured(k, track)
                 for k, n in self.e.unknown.items() if k in COINS}  # fmt: skip
        if not track.is_stray or not coins or fall.only_there or fall.lapsed or fall.pocket is None:
            return log_of(none), -FORBIDDEN, None
        kind = max(coins, key=lambda k: coins[k])
        began = o.begun_there if fall.follows else 1.0
        fell = log_of(coins[kind] * self._fall(fall) * began) + self.pockets.alone[fall.pocket]
        return log_of(none), fell, kind


def _by_far_nearest(pockets: Mapping[Pocket, Circle], last: Place) -> Pocket | None:
    """Returns the pocket nearest to a piece's last place, if the others are at least `FAR_TIMES` as far; else None."""
    (gap, nearest), (other, _), *_ = sorted((math.dist(rim.centre, last) - rim.radius, p) for p, rim in pockets.items())
    return nearest if FAR_TIMES * gap < other else None


def _any_of(n: int, each: float) -> float:
    """Returns the probability that an event of probability `each` happens to at least one of n coins."""
    return 1.0 - (1.0 - each) ** n


def _normal(distance: float, sigma: float) -> float:
    """Returns the density (1/mm²) of a circular normal distribution at a distance (mm) from its centre."""
    return math.exp(-(distance**2) / (2 * sigma**2)) / (2 * math.pi * sigma**2)


def _spread(s: Sought) -> float:
    """Returns the standard deviation of a piece's resting place about the extrapolated end of its glide, mm."""
    assert s.glide is not None
    return math.hypot(s.glide.run_sigma(), min(s.glide.turn, 1.0) * s.glide.run_mm)


def log_of(weight: float) -> float:
    return math.log(max(weight, BARELY))
