"""Extracts from an `Observation` the evidence about each piece that is no longer at its place.

The result, a `StrokeEvidence`, lists the missing pieces, the discs found, and the ends of tracks (in a pocket or over
the frame). `explanation` assigns the pieces to these. Probabilities are not part of this module; `odds` defines them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise

from calibration.profile import Circle
from models.pieces import Kind, Piece, Pocket
from referee.board_state.occupancy import Presence
from referee.outcome.matching import may_be_anothers, nearest_pocket, overlap, pocket_ahead
from referee.outcome.observation import Observation, ObservedTable, Sighted
from referee.tracking.flight import is_inside
from referee.tracking.tracker import Place
from referee.tracking.trajectory import Glide, last_glide

BLINK_S = 0.06
"""Longest gap between a disc's detections over a hole, and between its last one and the cushion it jumped over, s."""
HOLE_MM, EVIDENCE_BRINK_MM, EVIDENCE_MOUTH_MM = -2.0, 13.0, 26.0
"""Upper limits of the distance of a disc's centre from a pocket's rim, in mm, negative over the hole: over the hole, on
its brink, at its mouth.
"""
EVIDENCE_HAND_MM = 60.0
"""Greatest distance of a hand that takes a piece, in mm."""
FOLLOWS_S = 0.25
"""Longest time from the loss of a track to the start of one that continues it, or the hand that takes its disc, s."""
AT_REST_MM = 12.0
"""Upper limit of the apparent motion of a disc at rest, mm: in a net, or from a track's end to the disc it leads to."""
LONG_MM = 60.0
"""Least length of a disc's path, in mm: shade, glare and nets show blobs too."""


class End(Enum):
    """How a track ended."""

    HOLE = "hole"
    BRINK = "brink"
    MOUTH = "mouth"
    AHEAD = "ahead"
    OVER_FRAME = "over_frame"


@dataclass(frozen=True, slots=True, eq=False)
class Sought:
    """A piece that is no longer at its place."""

    piece: Piece
    lay: int | None
    """Index in `Observation.lay`; None for a striker that was never known to lie on the board."""
    track: Sighted | None
    glide: Glide | None
    """Last glide of its track."""
    rests_at: Place | None
    """Extrapolated end of its glide, bounces off cushions included."""
    seen: float
    """Time of its last clear detection at its place, s."""
    leaps: bool
    """Whether it was lost right before a cushion over which it may have jumped."""
    caught: float
    """Share (0 to 1) of discs as fast as it that a frame shows over the frame of the board, if they left it there."""
    is_short: bool
    """Whether its glide was too short to reach the nearest pocket."""
    hand_came: bool
    """Whether a hand was near the place of its last sighting, at about that time."""
    hidden: float
    """Share (0 to 1) of its possible places that hands hide."""
    rests: bool
    """Whether its own track rests on the board where the search finds no disc."""
    covered: bool = False
    """Whether a hand has covered its place since before the rest, so that it may still lie there."""

    @property
    def last(self) -> Place:
        """Returns the place of its last sighting, mm."""
        return self.piece.place if self.track is None else self.track.place


@dataclass(frozen=True, slots=True, eq=False)
class FallEvidence:
    """The end of a track in a pocket or over the frame."""

    track: Sighted
    glide: Glide
    """Last glide of the track."""
    end: End
    pocket: Pocket | None
    t: float
    reach: float
    """Probability that its last glide leads into the pocket; 1 if it was detected there, or if the glide is unknown."""
    is_long: bool
    """Whether it was tracked over a long path on the board, or from the board over the frame."""
    lay: bool
    """Whether it was detected there before the strike, or jumped there after the rest."""
    only_there: bool
    """Whether `lay` holds, or it was detected only over the hole, or came from outside."""
    lapsed: bool
    goes_on: bool = False
    """Whether a long track of no known piece began where and when this one was lost: it may be the same disc's."""
    follows: frozenset[int] = frozenset()
    """Numbers of the tracks that were lost where and when this one began, or went on after a gap: it may be their
    disc's.
    """
    beyond_mm: float = 0.0
    """Distance of a disc lost at a pocket beyond where a cushion would have stopped it on the board, mm."""


@dataclass(frozen=True, slots=True, eq=False)
class StrokeEvidence:
    """All evidence for the possible explanations of a stroke."""

    observation: Observation
    sought: tuple[Sought, ...]
    led_to: tuple[float, ...]
    """Probability (0 to 1) that the track of a disc of the stroke leads to each disc found, not that of a hand."""
    falls: tuple[FallEvidence, ...]
    unknown: Mapping[Kind, int]
    """Number of pieces per kind known neither to lie on the board nor to be out; only kinds with such pieces."""


def evidence_of(o: Observation) -> StrokeEvidence:
    """Returns the evidence in an observation."""
    tracks = {k.number: k for k in o.tracks}
    sought = tuple(_sought(o, tracks))
    if len(o.found) > len(sought):
        sought += tuple(_covered(o))
    known = Counter(r.piece.kind for r in o.lay) + Counter(o.table.out)
    unknown = {k: n - known[k] for k, n in o.table.full_set.items() if known[k] < n}
    ends = [k.place for k in o.tracks if k.live and k.t > o.t_strike]
    led_to = tuple((1.0 - d.handled) * any(math.dist(d.place, end) < AT_REST_MM for end in ends) for d in o.found)
    return StrokeEvidence(o, sought, led_to, tuple(_falls(o)), unknown)


def _sought(o: Observation, tracks: dict[int, Sighted]) -> Iterator[Sought]:
    """Yields the pieces that are gone, and last the striker if it was never known to lie on the board."""
    known = o.striker is None
    for i, r in enumerate(o.lay):
        if r.piece.kind is Kind.STRIKER and r.track != o.striker and o.striker is not None:
            # A hand had taken the striker from here; it was struck from another place.
            continue
        known |= r.piece.kind is Kind.STRIKER
        if r.presence is Presence.GONE:
            yield _one(o, r.piece, i, None if r.track is None else tracks.get(r.track), r.seen)
    own = None if o.striker is None else tracks.get(o.striker)
    if not known and own is not None:
        yield _one(o, Piece(Kind.STRIKER, *own.places[0]), None, own, own.times[0])


def _covered(o: Observation) -> Iterator[Sought]:
    """Yields the coins under a hand since before the rest: one of them may be a disc that no missing piece explains."""
    for i, r in enumerate(o.lay):
        if r.presence is Presence.COVERED and r.seen < o.t_rest and r.piece.kind is not Kind.STRIKER:
            yield replace(_one(o, r.piece, i, None, r.seen), covered=True)


def _one(o: Observation, piece: Piece, lay: int | None, track: Sighted | None, seen: float) -> Sought:
    if track is None:
        came, hidden = _hand_came(o, piece.place, seen), o.hidden.share(0.0, 0.0, 2 * o.table.half, o.table.half)
        return Sought(piece, lay, None, None, None, seen, False, 1.0, False, came, hidden, False)
    glide = _last(track)
    at = glide.rests(o.table.half - o.table.radius(piece.kind))
    hidden = o.hidden.share(*at, AT_REST_MM + glide.run_sigma(), o.table.half)
    leaps, is_short = not track.live and _leaps(glide, o.table), not _runs_to_pocket(glide, o.table)
    came, caught = _hand_came(o, track.place, track.t), _caught(track, glide, o)
    taken = any(overlap(track.place, d.place, 2 * o.table.coin_radius) for d in o.found)
    rests = not taken and _rests(o, track)
    return Sought(piece, lay, track, glide, at, seen, leaps, caught, is_short, came, hidden, rests)


def _rests(o: Observation, track: Sighted) -> bool:
    """Tells whether a track rests on the board at the census, beside the holes."""
    still_seen = track.live and not may_be_anothers(o.t - track.t) and _last(track).run_mm < AT_REST_MM
    on_board = max(map(abs, track.place)) < o.table.half and nearest_pocket(o.table.pockets, *track.place)[1] > 0
    return still_seen and on_board


def _caught(track: Sighted, glide: Glide, o: Observation) -> float:
    """Returns the visible width beyond the cushions relative to a disc's way from frame to frame, at most 1."""
    interval = min((b - a for a, b in pairwise(track.times)), default=0.0)
    return min(1.0, (o.hidden.half_mm - o.table.half) / max(glide.speed * interval, 1e-9))


def _leaps(glide: Glide, table: ObservedTable) -> bool:
    """Tells whether a disc was lost right before a cushion: had it bounced, it would be detected again."""
    inner = table.half - table.coin_radius
    ways = ((inner - abs(at)) / abs(d) for at, d in zip(glide.place, glide.ahead, strict=True) if at * d > 0)
    return any(way < BLINK_S * glide.speed for way in ways)


def _runs_to_pocket(glide: Glide, table: ObservedTable) -> bool:
    """Tells whether a disc may run at least as far as the nearest pocket."""
    _, gap = nearest_pocket(table.pockets, *glide.place)
    return glide.t0 == glide.t or glide.run_mm + glide.run_sigma() > gap


def _hand_came(o: Observation, place: Place, t: float) -> bool:
    """Tells whether a hand was near the place where a piece was lost at t, at about that time."""
    near = (h.arms.share(*place, EVIDENCE_HAND_MM, math.inf) > 0 for h in o.hands
            if abs(h.t - t) <= FOLLOWS_S)  # fmt: skip
    return any(near)


def _last(track: Sighted) -> Glide:
    return last_glide(list(zip(track.times, track.places, strict=True)))


def _falls(o: Observation) -> Iterator[FallEvidence]:
    strays = [k for k in o.tracks if k.is_stray and _is_long(o, k)]
    ended = [replace(fall, goes_on=any(_follows(k, other) for other in strays),
                     follows=frozenset(_taken_up(k, o.tracks)))
             for k in o.tracks if k.t > o.t_strike and (fall := _end(o, k)) is not None]  # fmt: skip
    yield from (f for f in ended if f.end is not End.OVER_FRAME or not f.only_there)


def _end(o: Observation, track: Sighted) -> FallEvidence | None:
    """Returns how a track ended; None if neither in a pocket nor over the frame."""
    pocket, gap = nearest_pocket(o.table.pockets, *track.place)
    lapsed = any(may_be_anothers(b - a) for a, b in pairwise(track.times))
    before = (p for t, p in zip(track.times, track.places, strict=True) if t < o.t_strike)
    lay = track.home is None and any(math.dist(p, track.place) < AT_REST_MM for p in before)
    is_long = _is_long(o, track)
    if max(map(abs, track.place)) > o.table.half and gap > 0:
        outside = max(map(abs, track.places[0])) > o.table.half
        is_long = not outside and math.dist(track.places[0], track.place) > LONG_MM
        only, glide = outside or lay, _last(track)
        return FallEvidence(track, glide, End.OVER_FRAME, None, track.t, 1.0, is_long, lay, only, lapsed)
    if gap < EVIDENCE_MOUTH_MM:
        if _rests(o, track):
            return None
        end = End.HOLE if gap < HOLE_MM else End.BRINK if gap < EVIDENCE_BRINK_MM else End.MOUTH
        only = lay or (track.home is None and all(nearest_pocket(o.table.pockets, *p)[1] < 0 for p in track.places))
        rim, glide = o.table.pockets[pocket], _last(track)
        reach = glide.reaches(rim.centre, rim.radius)[0] if end is End.MOUTH and glide.n > 1 else 1.0
        beyond = max(0.0, max(map(abs, track.place)) - (o.table.half - o.table.coin_radius))
        return FallEvidence(
            track, glide, end, pocket, _fell_at(rim, track), reach, is_long, lay, only, lapsed, beyond_mm=beyond
        )
    if track.live:
        return None
    glide = _last(track)
    ahead = pocket_ahead(o.table.pockets, glide)
    if ahead is None:
        return None
    pocket, reach, after_s = ahead
    return FallEvidence(track, glide, End.AHEAD, pocket, track.t + after_s, reach, is_long, lay, lay, lapsed)


def _fell_at(rim: Circle, track: Sighted) -> float:
    """Returns when a track that ended in a pocket crossed its rim, interpolated between two sightings, s.

    The last sighting will not do: a coin may stay visible in the net, or another one appear there after the loss at the
    rim.
    """
    t, within = track.t, 0.0
    for when, place in zip(reversed(track.times), reversed(track.places), strict=True):
        beyond = math.dist(rim.centre, place) - rim.radius
        if beyond > 0:
            if t - when > BLINK_S:
                return when if beyond < EVIDENCE_MOUTH_MM else t
            return when + (t - when) * beyond / (beyond + within)
        t, within = when, -beyond
    return t


def _is_long(o: Observation, track: Sighted) -> bool:
    """Tells whether a track has a long path on the board since the strike."""
    seen = zip(track.times, track.places, strict=True)
    way = [p for t, p in seen if t > o.t_strike and is_inside(p, o.table.half)]
    return bool(way) and math.dist(way[0], way[-1]) >= LONG_MM


def _taken_up(track: Sighted, others: Sequence[Sighted]) -> Iterator[int]:
    """Yields the tracks that the last unbroken part of one follows, unless that began at the place of its piece."""
    gap = max((i for i, (a, b) in enumerate(pairwise(track.times), 1) if may_be_anothers(b - a)), default=0)
    part = replace(track, times=track.times[gap:], places=track.places[gap:])
    if gap > 0 or track.kind is None:
        yield from (k.number for k in others if k is not track and _follows(k, part))


def _follows(lost: Sighted, track: Sighted) -> bool:
    """Tells whether a track began where and when another was lost, or soon after on its way: frames may be lost."""
    gap, glide, (x, y) = track.times[0] - lost.t, _last(lost), track.places[0]
    dx, dy = x - lost.place[0], y - lost.place[1]
    along, aside = dx * glide.ahead[0] + dy * glide.ahead[1], dy * glide.ahead[0] - dx * glide.ahead[1]
    is_ahead = 0 < along < glide.gone(FOLLOWS_S) and abs(aside) < AT_REST_MM + glide.across + glide.turn * along
    return 0 < gap < FOLLOWS_S and (is_ahead or math.hypot(dx, dy) < glide.speed * gap + AT_REST_MM)
