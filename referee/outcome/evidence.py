"""The evidence of a stroke: what an observation says of each piece that has gone from its place, in plain measures.

Rows are the pieces sought; columns are discs found, ends of tracks (in a pocket, over the frame, on what lay in a net)
and tracks that rest where the search finds nothing. No probability is known here (`odds`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise

from models.pieces import Kind, Piece, Pocket
from referee.board_state.occupancy import Presence
from referee.outcome.fates import nearest_pocket
from referee.outcome.observation import Detection, Observation, ObservedRim, ObservedTable, Place, Sighted
from referee.tracking.tracker import TRACK_CUSHION_MM
from referee.tracking.trajectory import Glide, last_glide

LAPSE_S = 0.12
"""A track that was unseen for longer may have gone on with another disc's blobs."""
BLINK_S = 0.06
"""What comes to light over a hole so long after it was lost may be another disc."""
HOLE_MM, EVIDENCE_BRINK_MM, EVIDENCE_MOUTH_MM = -2.0, 13.0, 26.0
"""Distances of a disc's middle from a pocket's rim: over the hole, on its brink, at its mouth."""
EVIDENCE_AHEAD_S, AHEAD_LEAST = 0.15, 0.05
"""A track ends in a pocket that its glide reaches within this time, with this probability at least."""
EVIDENCE_STALE_S = 0.1
"""A track that was not seen for so long is lost, though it may be sought still."""
LEAPT_S, LEAPT_MM_S = 0.05, 1000.0
"""A disc lost so shortly before a cushion at such a speed may have leapt over it."""
TIP_MM = 60.0
"""A coin that tips into a pocket after all has come to rest goes no farther from one sighting to the next."""
EVIDENCE_LAY_S, EVIDENCE_LAY_TIMES, STILL_MM = 0.5, 3, 3.0
"""What was seen so often on one place within this time before a piece left its own is not that piece."""
RUN_SIGMAS = 2.0
EVIDENCE_HAND_MM, HAND_S = 60.0, (0.1, 0.6)
"""A hand that takes a piece comes so near to it, so long before it is seen last or after that."""
EVIDENCE_NEAR_MM = 100.0
"""A track that was never seen so near to a piece's place is hardly known to have begun there."""
FOLLOWS_S = 0.25
"""A track that begins so long after another was lost may go on for it."""
OVER_FRAME_MM = 4.0
"""A middle this far beyond the cushion is on or over the frame."""
NETTED_MM = 12.0
"""What lies in a net stirs by less than this."""
LONG_MM, LONG_TIMES, EVIDENCE_INSIDE_MM = 60.0, 4, 30.0
"""A way so long, seen so often this far within the cushions, is a disc's: shade, glare and nets show blobs too."""
SAME_FALL_S = 0.5
"""A fall onto what lay in a net is the one that a track shows into that pocket at most so much earlier or later."""
EVIDENCE_APART = 0.7
"""A track rests apart from a disc if their middles are farther apart than this share of two radii."""
EVIDENCE_LED_MM = 10.0
"""A track leads to a disc if it ends so near to it."""
EVIDENCE_TAIL = 24
"""So many of a track's last sightings are asked for its last glide."""
LOST_MM, LOST_MOST_MM = 20.0, 200.0
"""A lost disc lies this near to where its glide leads, and farther by what of its run is not known, up to so much."""


class End(Enum):
    """How a track ended."""

    HOLE = "hole"
    BRINK = "brink"
    MOUTH = "mouth"
    AHEAD = "ahead"
    NET = "net"
    """On what lay in a net, followed by nobody."""
    OVER_FRAME = "over_frame"


class Bond(Enum):
    """What a track is to a piece."""

    OWN = "own"
    LAPSED = "lapsed"
    """Its own, unseen for a while."""
    STRAY = "stray"
    """Nobody's."""
    ANOTHERS = "anothers"


@dataclass(frozen=True, slots=True, eq=False)
class Sought:
    """A piece that is not where it lay."""

    piece: Piece
    lay: int | None
    """Its number among the pieces that lay before; None for a striker that was never known to lie."""
    track: Sighted | None
    glide: Glide | None
    """The last of its track."""
    rests_at: Place | None
    """Where its glide leads, cushions and all."""
    seen: float
    """When it was last clearly seen on its place, s."""
    leaps: bool
    """Whether it was lost right before a cushion over which it may have leapt."""
    is_short: bool
    """Whether it was lost where its glide led to no pocket."""
    hand_came: bool
    """Whether a hand came to where it was seen last, soon after that."""
    hidden: float
    """Share hidden by hands of the places where it may lie."""

    @property
    def is_followed_home(self) -> bool:
        """Whether its own track rests on the board."""
        return self.track is not None and self.track.shown is not None


@dataclass(frozen=True, slots=True, eq=False)
class FallEvidence:
    """The end of a track in a pocket or over the frame."""

    track: Sighted | None
    """None for what fell on something in a net."""
    end: End
    pocket: Pocket | None
    t: float
    reach: float
    """Probability that its last glide leads into the pocket; 1 where it was seen there."""
    is_long: bool
    """Whether it was followed on a long way on the board, or from the board over the frame."""
    lay: bool
    """Whether it was seen there before the strike, or only when all had come to rest."""
    only_there: bool
    """Whether that is so, or it was seen nowhere but over the hole, or came from outside."""
    lapsed: bool
    goes_on: bool = False
    """Whether a track that nothing explains began where and when it was lost: it may be the same disc's."""


@dataclass(frozen=True, slots=True, eq=False)
class StrokeEvidence:
    """All that speaks for one or another explanation of a stroke."""

    table: ObservedTable
    sought: tuple[Sought, ...]
    found: tuple[Detection, ...]
    led_to: tuple[bool, ...]
    """Whether a track leads to each of those."""
    weak: tuple[Detection, ...]
    """Discs of the search apart from all those and from the pieces that lie still, for which little speaks."""
    tracks: int
    """How many of the pieces sought were followed."""
    falls: tuple[FallEvidence, ...]
    resting: tuple[Sighted, ...]
    """Tracks that rest on the board apart from every disc that was found."""
    unknown: Mapping[Kind, int]
    """How many pieces of a kind were not known to lie nor to be out, where there are such."""
    disturbed: int
    stranger: bool
    """Whether the striker seems to have met a coin that nobody knew of."""
    placed: bool
    """Whether the striker was seen to stand before it was struck."""


def evidence_of(o: Observation) -> StrokeEvidence:
    """What an observation says."""
    tracks = {k.number: k for k in o.tracks}
    sought = tuple(_sought(o, tracks))
    taken = [d.place for d in o.found] + [_place(r.piece) for r in o.lay if r.presence is not Presence.GONE]
    resting = tuple(k for k in o.tracks if k.shown is not None and _is_apart(k.place, taken, o.table))
    known = Counter(r.piece.kind for r in o.lay) + Counter(o.table.out)
    unknown = {k: n - known[k] for k, n in o.table.full_set.items() if known[k] < n}
    ends = [k.place for k in o.tracks if k.live and k.t > o.t_strike]
    led_to = tuple(any(math.dist(d.place, end) < EVIDENCE_LED_MM for end in ends) for d in o.found)
    followed = sum(s.track is not None for s in sought)
    weak = tuple(d for d in o.weak if _is_apart(d.place, taken, o.table))
    return StrokeEvidence(
        o.table,
        sought,
        o.found,
        led_to,
        weak,
        followed,
        tuple(_falls(o)),
        resting,
        unknown,
        o.disturbed,
        o.stranger,
        o.stood is not None,
    )


def _sought(o: Observation, tracks: dict[int, Sighted]) -> Iterator[Sought]:
    """The pieces that are gone; and last the striker, if it was never known to lie anywhere."""
    known = o.striker is None
    for i, r in enumerate(o.lay):
        if r.piece.kind is Kind.STRIKER and r.track != o.striker and o.striker is not None:
            # It lay elsewhere than the one that was played: a hand had taken it from there.
            continue
        known |= r.piece.kind is Kind.STRIKER
        if r.presence is Presence.GONE:
            yield _one(o, r.piece, i, None if r.track is None else tracks.get(r.track), r.seen)
    own = None if o.striker is None else tracks.get(o.striker)
    if not known and own is not None:
        yield _one(o, Piece(Kind.STRIKER, *own.places[0]), None, own, own.times[0])


def _one(o: Observation, piece: Piece, lay: int | None, track: Sighted | None, seen: float) -> Sought:
    glide = None if track is None else _last(track)
    at = None if glide is None else glide.rests(o.table.half - TRACK_CUSHION_MM)
    if track is None or glide is None:
        hidden = o.hidden.share(0.0, 0.0, 2 * o.table.half, o.table.half)
    else:
        assert at is not None
        hidden = o.hidden.share(*at, LOST_MM + min(glide.run_sigma(), LOST_MOST_MM), o.table.half)
    leaps = glide is not None and track is not None and not track.live and _leaps(glide, o.table)
    is_short = track is not None and glide is not None and not _runs_to_pocket(glide, o.table)
    last, lost = (_place(piece), seen) if track is None else (track.place, track.t)
    came = _hand_came(o, last, lost)
    return Sought(piece, lay, track, glide, at, seen, leaps, is_short, came, hidden)


def _leaps(glide: Glide, table: ObservedTable) -> bool:
    """Whether a disc lost on a glide was right before a cushion: it would be seen again coming back."""
    inner = table.half - table.coin_radius
    ways = ((inner - abs(at)) / abs(d) for at, d in zip(glide.place, glide.ahead, strict=True) if at * d > 0)
    return glide.speed > LEAPT_MM_S and any(way < LEAPT_S * glide.speed for way in ways)


def _runs_to_pocket(glide: Glide, table: ObservedTable) -> bool:
    """Whether a disc may run as far as the nearest pocket is."""
    _, gap = nearest_pocket(table.pockets, *glide.place)
    return glide.t0 == glide.t or glide.run_mm + RUN_SIGMAS * glide.run_sigma() > gap


def _hand_came(o: Observation, place: Place, t: float) -> bool:
    """Whether a hand came near where a piece was lost at t, then or soon after."""
    near = (h.arms.share(*place, EVIDENCE_HAND_MM, math.inf) > 0 for h in o.hands
            if t - HAND_S[0] <= h.t <= t + HAND_S[1])  # fmt: skip
    return any(near)


def _last(track: Sighted) -> Glide:
    return last_glide(list(zip(track.times[-EVIDENCE_TAIL:], track.places[-EVIDENCE_TAIL:], strict=True)))


def _falls(o: Observation) -> Iterator[FallEvidence]:
    strays = [k for k in o.tracks if _is_stray(k)]
    ended = [replace(fall, goes_on=any(_follows(k, other) for other in strays)) for k in o.tracks
             if k.t > o.t_strike and (fall := _end(o, k)) is not None]  # fmt: skip
    yield from (f for f in ended if f.end is not End.OVER_FRAME or not f.only_there)
    for t, pocket in o.net_falls:
        if not any(f.pocket is pocket and abs(f.t - t) < SAME_FALL_S for f in ended):
            yield FallEvidence(None, End.NET, pocket, t, 1.0, False, False, False, False)


def _end(o: Observation, track: Sighted) -> FallEvidence | None:
    """How a track ended, if it was in a pocket or over the frame."""
    pocket, gap = nearest_pocket(o.table.pockets, *track.place)
    lapsed = any(b - a > LAPSE_S for a, b in pairwise(track.times))
    before = (p for t, p in zip(track.times, track.places, strict=True) if t < o.t_strike)
    lay = track.home is None and any(math.dist(p, track.place) < NETTED_MM for p in before)
    if track.t > o.t_rest and len(track.places) > 1:
        lay |= math.dist(*track.places[-2:]) > TIP_MM
    is_long = _is_long(o, track)
    if max(map(abs, track.place)) > o.table.half + OVER_FRAME_MM and gap > 0:
        outside = max(map(abs, track.places[0])) > o.table.half
        is_long = not outside and math.dist(track.places[0], track.place) > LONG_MM
        return FallEvidence(track, End.OVER_FRAME, None, track.t, 1.0, is_long, lay, outside or lay, lapsed)
    if gap < EVIDENCE_MOUTH_MM:
        if track.shown is not None and gap > 0:
            return None
        end = End.HOLE if gap < HOLE_MM else End.BRINK if gap < EVIDENCE_BRINK_MM else End.MOUTH
        only = lay or (track.home is None and all(nearest_pocket(o.table.pockets, *p)[1] < 0 for p in track.places))
        return FallEvidence(
            track, end, pocket, _fell_at(o.table.pockets[pocket], track), 1.0, is_long, lay, only, lapsed
        )
    if track.live and o.t - track.t < EVIDENCE_STALE_S:
        return None
    glide = _last(track)
    reaches = {p: glide.reaches(rim.centre, rim.radius) for p, rim in o.table.pockets.items()}
    ahead = max((p for p, (_, s) in reaches.items() if s < EVIDENCE_AHEAD_S), key=lambda p: reaches[p][0], default=None)
    if ahead is None or reaches[ahead][0] < AHEAD_LEAST:
        return None
    return FallEvidence(
        track, End.AHEAD, ahead, track.t + reaches[ahead][1], reaches[ahead][0], is_long, lay, lay, lapsed
    )


def _fell_at(rim: ObservedRim, track: Sighted) -> float:
    """When a track that ended in a pocket first came over its hole, between two sightings; a coin may be seen in the
    net for long, or another one there some time after it was lost at the rim.
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
    """Whether a track was followed on a long way on the board since the strike."""
    inner = o.table.half - EVIDENCE_INSIDE_MM
    way = [p for t, p in zip(track.times, track.places, strict=True) if t > o.t_strike and max(map(abs, p)) < inner]
    return len(way) >= LONG_TIMES and math.dist(way[0], way[-1]) >= LONG_MM


def ended_before(sought: Sought, track: Sighted) -> bool:
    """Whether a track that never came near a piece's place ended before that was last seen to lie there."""
    here = _place(sought.piece)
    return track.t <= sought.seen and all(math.dist(p, here) > EVIDENCE_NEAR_MM for p in track.places)


def goes_on(sought: Sought, track: Sighted) -> bool:
    """Whether a track that nothing explains began where and when a piece was lost that may have bounced off a rim."""
    return sought.track is not None and _is_stray(track) and _follows(sought.track, track)


def _is_stray(track: Sighted) -> bool:
    return track.home is None and track.kind is None


def _follows(lost: Sighted, track: Sighted) -> bool:
    """Whether a track began where and when another was lost."""
    gap = track.times[0] - lost.t
    return 0 < gap < FOLLOWS_S and math.dist(track.places[0], lost.place) < _last(lost).speed * gap + NETTED_MM


def lay_before(sought: Sought, track: Sighted) -> bool:
    """Whether something was seen lying where a track rests before a piece left its place: a print, a net or a shade."""
    left = sought.track.times[0] if sought.track is not None else sought.seen
    seen = [p for t, p in zip(track.times, track.places, strict=True) if left - EVIDENCE_LAY_S <= t <= left]
    return track.home is None and sum(math.dist(p, track.place) < STILL_MM for p in seen) >= EVIDENCE_LAY_TIMES


def bond(sought: Sought, track: Sighted, lapsed: bool) -> Bond:
    """What a track is to a piece."""
    if sought.track is not None and sought.track.number == track.number:
        return Bond.LAPSED if lapsed else Bond.OWN
    return Bond.STRAY if _is_stray(track) else Bond.ANOTHERS


def _is_apart(place: Place, taken: Sequence[Place], table: ObservedTable) -> bool:
    return all(math.dist(place, p) > 2 * EVIDENCE_APART * table.coin_radius for p in taken)


def _place(piece: Piece) -> Place:
    return piece.x_mm, piece.y_mm
