"""The census: which pieces lie on the board now that lay elsewhere before, and what became of the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise

import numpy as np

from calibration.profile import Profile
from models.pieces import Kind, Piece, Pocket
from referee.pieces.colour_classes import evidence, kind_distance
from referee.pieces.disc_fit import Disc
from referee.tracking.assignment import assigned
from referee.tracking.tracker import Track

SAME_PLACE_MM = 9.0
"""A disc this near to a known piece is that piece."""
UNSTIRRED = -math.inf, -math.inf
"""Of a place of which nothing is known."""
KIND_MM = 25.0
"""One standard deviation of look counts like this distance when discs are told apart."""
SIZE_MM, SIZE_KNOWN_MM = 110.0, 250.0
"""A coin-sized disc is hardly the striker and the other way round: before and after the striker's look is learned."""
FATE_PLAIN, FATE_WEAK_MM = 1.2, 200.0
"""A disc speaks for itself with this much evidence; one with less by 1 counts like this distance: prints draw rings."""
TOO_STRANGE_MM = 300.0
"""Dearer pairs are none: the disc is something else."""
STRANGE = 5.0
"""A track that looks this many standard deviations unlike a piece was another's."""
LAPSE_S, GONE_OVER, LAPSED = 0.12, 3.5, (0.0, 2.5, 4.0)
"""A piece's own track that was unseen for longer, or looks so many standard deviations unlike it, says less of it than
another one that looks like it, and still less if both is so: glare and blur change a look by less."""
BLINK_S = 0.06
"""A disc that was unseen for longer is one of little contrast: over a hole only a part of it is seen, and its middle
may pass beside the hole."""
FATE_FAR_MM = 250.0
"""Beyond this distance from where a track ended nearness says nothing more."""
FELL_MM = 100.0
"""A coin that was seen to fall is hardly the one that is found elsewhere: more than any distance tells."""
FATE_FOLLOWED, UNFOLLOWED = 0.3, 0.05
"""Weight of nearness to a track's end, and to the place of a piece that nobody saw move."""
FATE_NEAR_MM = 100.0
"""A track that was never seen so near to a piece's place is hardly known to have begun there."""
FATE_MOUTH_MM = 26.0
"""A track that ended this near to a pocket's rim ended in it: coins are seen until their middle is over the hole."""
FATE_AHEAD_S = 0.09
"""A fast disc is last seen up to this long before the pocket."""
LEAPT_S, LEAPT_MM_S = 0.05, 1000.0
"""A disc lost so shortly before a cushion at such a speed has leapt over it: it would be seen again coming back."""
STRETCH_MM, FATE_STRAIGHT_MM = 60.0, 6.0
"""A stretch this long tells a disc's course, if no sighting within it lies farther than this from the straight line."""
FATE_UNSEEN = 0.6
"""How sure a fate is that nobody saw, whatever pocket the way may have led to."""
FALLEN_MM = -2.0
"""A middle this far within a pocket's rim is over the hole: the disc falls."""
FAR_TIMES = 2.0
"""A pocket is by far the nearest if any other is so many times as far away."""
FATE_RESTS_MM = 12.0
"""A disc on a pocket's lip lies at most this far from where it was seen last, over the hole by a blob's error."""
RESTED_MM, RESTED_TIMES = 3.0, 10
"""What was seen so often running no farther apart lay there."""
SHORT = 0.5
"""A track that was lost short of a hole tells a fall less than another by so many standard deviations of look."""
OVER_FRAME_MM = 4.0
"""A middle this far beyond the cushion is on or over the frame."""


SINGLE = (Kind.QUEEN, Kind.STRIKER)
"""A set has one of each."""


class CensusFate(Enum):
    """What became of a piece that is no longer on the board."""

    POCKETED = "pocketed"
    OFF_BOARD = "off_board"
    TAKEN = "taken"
    LIES = "lies"
    """On the board still, where its track rests, though the search finds no disc there."""
    HIDDEN = "hidden"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Missing:
    """A piece that lay on the board before and is not seen now."""

    piece: Piece
    fate: CensusFate
    pocket: Pocket | None
    t: float
    confidence: float
    over_hole: bool = False
    """Whether it was last seen over the pocket's hole, not only on its way there."""


def assign(profile: Profile, moved: Sequence[tuple[Piece, Track | None]], found: Sequence[tuple[Kind, Disc]],
           fallen: Sequence[Track] = ()) -> list[tuple[int, int]]:  # fmt: skip
    """Pairs (index in moved, index in found) of least total strangeness.

    Of several coins that may be a disc those come last whose tracks were followed until they had `fallen`.
    """
    if not moved or not found:
        return []
    cost = np.array([[_cost(profile, piece, track, kind, disc) for kind, disc in found] for piece, track in moved])
    plain = plainly(fallen)
    fell = np.array([piece.kind not in SINGLE and track in plain for piece, track in moved])
    rows, columns = assigned(cost + FELL_MM * fell[:, None])
    return [(int(r), int(c)) for r, c in zip(rows, columns, strict=True) if cost[r, c] < TOO_STRANGE_MM]


def contradicted(moved: Sequence[tuple[Piece, Track | None]], found: Sequence[tuple[Kind, Disc]],
                 pairs: Sequence[tuple[int, int]], fell: Sequence[Track]) -> list[tuple[int, int]]:  # fmt: skip
    """Those of `pairs` whose piece was followed until it `fell`, no more than fell beyond the missing.

    More discs are found than can be there: one is a coin that was overlooked before, not the one that fell. A striker
    or a queen that is found was never overlooked, since there is but one: it passed the hole. So did what lies right
    where its track ended, on the lip, where no other can lie.
    """
    passed = [moved[i][1] for i, j in pairs if moved[i][0].kind is found[j][0]
              and (found[j][0] in SINGLE or _ends_at(moved[i][1], found[j][1]))]  # fmt: skip
    spare = sum(k not in passed for k in fell) - (len(moved) - len(pairs))
    may = [(i, j) for i, j in pairs if moved[i][1] in fell and moved[i][1] not in passed]
    return may[: max(0, spare)]


def _ends_at(track: Track | None, disc: Disc) -> bool:
    return track is not None and math.dist(track.place, (disc.x, disc.y)) < FATE_RESTS_MM


def plainly(fallen: Sequence[Track]) -> list[Track]:
    """The tracks that were seen without a lapse until they fell."""
    return [k for k in fallen if not has_lapse(k, BLINK_S)]


def _cost(profile: Profile, piece: Piece, track: Track | None, kind: Kind, disc: Disc) -> float:
    cost = 0.0
    if (piece.kind is Kind.STRIKER) != (kind is Kind.STRIKER):
        cost += SIZE_KNOWN_MM if Kind.STRIKER in profile.colours else SIZE_MM
    elif piece.kind is not kind:
        colour = profile.colours.get(piece.kind)
        cost += KIND_MM * (2.0 + min(kind_distance(disc, colour), 6.0) if colour else 4.0)
    cost += FATE_WEAK_MM * max(0.0, FATE_PLAIN - evidence(disc))
    place, weight = (track.place, FATE_FOLLOWED) if track else ((piece.x_mm, piece.y_mm), UNFOLLOWED)
    return cost + min(math.dist(place, (disc.x, disc.y)), FATE_FAR_MM) * weight


def fate(profile: Profile, piece: Piece, track: Track | None, t: float) -> Missing:
    """What became of a piece by the way its track ended."""
    if track is None:
        return Missing(piece, CensusFate.UNKNOWN, None, t, 0.5)
    half = profile.board.half
    x, y = track.place
    pocket, gap = nearest_pocket(profile, x, y)
    if max(abs(x), abs(y)) > half + OVER_FRAME_MM and gap > 0:
        if max(map(abs, track.places[0])) > half:
            # It came in from outside: a finger, a sleeve.
            return Missing(piece, CensusFate.UNKNOWN, None, track.t, FATE_UNSEEN)
        return Missing(piece, CensusFate.OFF_BOARD, None, track.t, 0.95)
    if gap < FATE_MOUTH_MM:
        confidence = 0.98 if gap < FATE_MOUTH_MM / 2 else 0.95
        return Missing(
            piece, CensusFate.POCKETED, pocket, _fell_at(profile, track, pocket), confidence, gap < FALLEN_MM
        )
    ahead, reach = pocket_ahead(profile, track)
    if ahead is not None and reach < FATE_AHEAD_S:
        return Missing(piece, CensusFate.POCKETED, ahead, track.t + reach, 0.93)
    return Missing(piece, CensusFate.UNKNOWN, ahead, track.t, FATE_UNSEEN)


def _fell_at(profile: Profile, track: Track, pocket: Pocket) -> float:
    """When a track that ended in a pocket first came over its hole, between two sightings; a coin may be seen in the
    net for long, or another one there some time after it was lost at the rim.
    """
    circle = profile.pockets[pocket]
    t, within = track.t, 0.0
    for when, place in zip(reversed(track.times), reversed(track.places), strict=True):
        beyond = math.dist(circle.centre, place) - circle.radius
        if beyond > 0:
            if t - when > BLINK_S:
                return when if beyond < FATE_MOUTH_MM else t
            return when + (t - when) * beyond / (beyond + within)
        t, within = when, -beyond
    return t


def ends(profile: Profile, tracks: Sequence[Track], t: float) -> list[tuple[Track, Missing]]:
    """The tracks that ended in a pocket or over the frame, with what that says of the disc."""
    nobody = Piece(Kind.STRIKER, 0.0, 0.0)
    rested = [k for k in tracks if _has_rested(k)]
    outcome = [(k, fate(profile, k.home or nobody, _without_others(k, rested), t)) for k in tracks]
    return [(k, m) for k, m in outcome if m.fate in (CensusFate.POCKETED, CensusFate.OFF_BOARD)]


def _without_others(track: Track, rested: Sequence[Track]) -> Track:
    """A track without the last sightings where another one had `rested` before: of a coin that shows in a net."""
    before = [k.place for k in rested if k.t < track.t]
    keep = len(track.places)
    while keep > 1 and any(math.dist(track.places[keep - 1], place) < RESTED_MM for place in before):
        keep -= 1
    return replace(track, times=track.times[:keep], places=track.places[:keep])


def _has_rested(track: Track) -> bool:
    """Whether nothing explains a track that stayed on one place to its end."""
    long = track.home is None and len(track.places) >= RESTED_TIMES
    return long and math.dist(track.places[-RESTED_TIMES], track.place) < RESTED_MM


def explain(missing: Sequence[tuple[Piece, Track | None]], ended: Sequence[tuple[Track, Missing]],
            strangeness: Callable[[Piece, Track], float]) -> list[tuple[int, int]]:  # fmt: skip
    """Pairs (missing piece, ended track): each piece with the end that was its own or looked most like it."""
    if not missing or not ended:
        return []
    cost = np.array([[_end_cost(piece, track, end, strangeness) + (0.0 if outcome.over_hole else SHORT)
                      for end, outcome in ended] for piece, track in missing])  # fmt: skip
    rows, columns = assigned(cost)
    return [(int(r), int(c)) for r, c in zip(rows, columns, strict=True) if cost[r, c] < STRANGE]


def _end_cost(piece: Piece, track: Track | None, end: Track, strangeness: Callable[[Piece, Track], float]) -> float:
    strange = strangeness(piece, end)
    if end is track:
        return LAPSED[has_lapse(end) + (strange > GONE_OVER)]
    # A track of another piece that was seen on that one's place only shows no fall.
    only_there = end.home is not None and len(end.times) < 2
    lay = track is not None and track.home is not None and ended_before(end, piece, track.times[0])
    return STRANGE if only_there or lay else 1.0 + strange


def ended_before(end: Track, piece: Piece, seen: float) -> bool:
    """Whether a track that never came near a piece's place ended before that was last `seen` (s) to lie there."""
    return end.t <= seen and all(math.dist(p, (piece.x_mm, piece.y_mm)) > FATE_NEAR_MM for p in end.places)


def has_lapse(track: Track, limit_s: float = LAPSE_S) -> bool:
    """Whether a track was unseen for so long that it may have gone on with another's blobs."""
    return any(b - a > limit_s for a, b in pairwise(track.times))


def nearest_pocket(profile: Profile, x: float, y: float) -> tuple[Pocket, float]:
    """The nearest pocket and the distance (mm) to its rim, negative over the hole."""
    (pocket, nearest), *others = profile.pockets.items()
    gap = math.dist(nearest.centre, (x, y)) - nearest.radius
    for other, circle in others:
        if (away := math.dist(circle.centre, (x, y)) - circle.radius) < gap:
            pocket, gap = other, away
    return pocket, gap


def with_likely_pocket(profile: Profile, outcome: Missing, seen: Sequence[tuple[float, float]]) -> Missing:
    """A fall that nobody saw with the pocket that is by far the nearest to one of the places (mm) where the coin may
    have been `seen` last, if there is such: hands that hide a way to it seldom hide the way to another.
    """
    if outcome.fate is not CensusFate.POCKETED or outcome.pocket is not None:
        return outcome
    pocket, gap, other = min((_nearest_and_next(profile, *place) for place in seen), key=lambda near: near[1])
    return replace(outcome, pocket=pocket) if FAR_TIMES * gap < other else outcome


def _nearest_and_next(profile: Profile, x: float, y: float) -> tuple[Pocket, float, float]:
    """The nearest pocket, and the distances (mm) to its rim and to that of the next."""
    away = sorted((math.dist(c.centre, (x, y)) - c.radius, p) for p, c in profile.pockets.items())
    return away[0][1], away[0][0], away[1][0]


def pocket_ahead(profile: Profile, track: Track) -> tuple[Pocket | None, float]:
    """The pocket that a track's last course leads into, and in how many seconds."""
    (x, y), (vx, vy) = track.place, _course(track)
    speed = math.hypot(vx, vy)
    if speed < 100.0:
        return None, math.inf
    best: tuple[Pocket | None, float] = (None, math.inf)
    for pocket, circle in profile.pockets.items():
        dx, dy = circle.centre[0] - x, circle.centre[1] - y
        along = (dx * vx + dy * vy) / speed
        across = abs(dx * vy - dy * vx) / speed
        if along > 0 and across < circle.radius + 8.0 and along / speed < best[1]:
            best = pocket, along / speed
    return best


def leaps_out(profile: Profile, track: Track) -> bool:
    """Whether a track was lost on a course that led right over a cushion."""
    (x, y), (vx, vy) = track.place, _course(track)
    if math.hypot(vx, vy) < LEAPT_MM_S:
        return False
    inner = profile.board.half - profile.board.coin_radius
    ways = ((inner - abs(at)) / speed for at, v in ((x, vx), (y, vy)) if (speed := math.copysign(v, at * v)) > 0)
    return any(way < LEAPT_S for way in ways)


def _course(track: Track) -> tuple[float, float]:
    """Velocity (mm/s) over the last straight stretch of a track: it tells a direction better than two sightings."""
    seen = list(track.sightings)
    end, (x, y) = seen[-1] if seen else (track.t, track.place)
    for i in range(len(seen) - 3, -1, -1):
        t, (x0, y0) = seen[i]
        way = math.dist((x0, y0), (x, y))
        if any(
            abs((px - x0) * (y - y0) - (py - y0) * (x - x0)) > FATE_STRAIGHT_MM * way
            for _, (px, py) in seen[i + 1 : -1]
        ):
            break
        if way > STRETCH_MM:
            return (x - x0) / (end - t), (y - y0) / (end - t)
    return track.velocity
