"""Tracks of loose discs: who each moving blob is, kept by assignment with prediction."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64
from calibration.profile import Colour
from models.pieces import Kind, Piece
from referee.foreground.segmentation import Blob
from referee.pieces.colour_classes import SIGMA_FLOOR
from referee.tracking.assignment import assigned

TOP_SPEED_MM_S = 8000.0
"""No striker has been measured faster; a track just born may go anywhere that this speed reaches."""
STRAY_SPEED_MM_S = 6000.0
"""The same for a blob that nothing explains yet: what leaps farther is more likely something else."""
JITTER_MM = 12.0
"""A blob's middle jumps this far when part of it is hidden or blurred."""
TURN_MM_S = 900.0
"""A track's next place may differ from the prediction by this speed times the interval (and more after a knock)."""
KNOCK = 1.0
"""A collision changes the velocity by at most about the speed of the faster disc."""
TINT_MM = 6.0
"""A difference in look of one standard deviation counts like this distance; blur dilutes looks."""
FOREIGN, FAMILIAR = 5.0, 1.5
"""Standard deviations of look beyond which a blob is hardly of a kind, and within which it plainly is."""
OVER_FRAME_MM, JUMP_MM_S = 4.0, 500.0
"""A blob with its middle this far beyond the cushion belongs to a track that was at least this fast and led there."""
CUSHION_MM, RESTITUTION = 17.0, 0.7
"""A disc turns round with its middle about this far from the cushion, and keeps this share of its speed."""
ON_FRAME_MM = 10.0
"""No disc on the board has its middle nearer to the cushion than this."""
LOST_AFTER_S = 0.25
"""A track unseen this long has ended."""
STRAY_LOST_S = 0.08
"""So has one that was seen just once and that nothing explains, and once the striker flies one that rested before it
did: nothing else is struck under a hand. Whatever turns up later anywhere is another disc.
"""
RESTED_MM, HIDDEN_S, LEAP_MM = 3.0, 0.05, 90.0
"""A disc that moved less than the first from one sighting to the next rested; one not seen for the second and then this
far away was struck under the hand at some moment in between, which says little of how fast it goes."""
LEAST_S = 1e-3
"""Time passes between frames, however their clock is rounded."""
STRANGEST = 8.0
"""Looks farther off than this cost no more."""
HOME_MM, AWAY_MM = 4.0, 10.0
"""Where a disc lay the bare board may look like one: a track gone farther than the second never returns so near."""
NEVER = 1e6
"""Cost of a blob that cannot be the track's."""

Sighting = tuple[float, tuple[float, float]]
"""When a disc was seen, and where, board mm."""


@dataclass(slots=True)
class Track:
    """One moving disc."""

    number: int
    kind: Kind | None
    """None for a blob that no missing piece explains yet."""
    home: Piece | None
    """Where the piece lay before it moved."""
    times: list[float] = field(default_factory=list)
    places: list[tuple[float, float]] = field(default_factory=list)
    born: float = 0.0
    tints: list[tuple[float, float, float]] = field(default_factory=list)
    _velocity: tuple[float, float] | None = field(default=None, init=False, repr=False, compare=False)
    """As last worked out; None since another sighting."""

    @property
    def t(self) -> float:
        """When it was last seen."""
        return self.times[-1] if self.times else self.born

    @property
    def sightings(self) -> Iterator[Sighting]:
        """When and where it was seen, in order."""
        return zip(self.times, self.places, strict=True)

    @property
    def place(self) -> tuple[float, float]:
        """Where it was last seen, board mm."""
        if self.places:
            return self.places[-1]
        assert self.home is not None
        return self.home.x_mm, self.home.y_mm

    @property
    def velocity(self) -> tuple[float, float]:
        """mm/s over the last sightings; (0, 0) for a single one."""
        if self._velocity is None:
            self._velocity = self._course(self._knocked())
        return self._velocity

    def _course(self, knocked: bool) -> tuple[float, float]:
        if len(self.times) < 2:
            return 0.0, 0.0
        i = -3 if len(self.times) > 2 and not knocked else -2
        dt = self.times[-1] - self.times[i]
        (x0, y0), (x1, y1) = self.places[i], self.places[-1]
        return ((x1 - x0) / dt, (y1 - y0) / dt) if dt > 0 else (0.0, 0.0)

    def _knocked(self) -> bool:
        """Whether the last step differs so much from the one before that only the last tells the velocity."""
        if len(self.times) < 3:
            return False
        (ax, ay), (bx, by), (cx, cy) = self.places[-3:]
        change = math.hypot(cx - 2 * bx + ax, cy - 2 * by + ay)
        return change > 0.5 * math.hypot(cx - bx, cy - by) + JITTER_MM

    @property
    def speed(self) -> float:
        """mm/s."""
        return math.hypot(*self.velocity)

    def keeps_s(self, struck: float) -> float:
        """For how long (s) it may be unseen, where the striker has been followed since `struck`."""
        if self.home is not None or self.kind is not None:
            return LOST_AFTER_S
        once = len(self.times) < 2 or (self.born < struck and math.dist(*self.places[-2:]) < RESTED_MM)
        return STRAY_LOST_S if once else LOST_AFTER_S

    def longest_leap(self, sightings: int) -> float:
        """The highest speed (mm/s) between two of the last `sightings`."""
        leaps = list(pairwise(self.sightings))[1 - sightings :]
        return max((math.dist(a, b) / max(t1 - t0, LEAST_S) for (t0, a), (t1, b) in leaps), default=0.0)

    @property
    def state(self) -> tuple[float, float, float, float, float, float, float]:
        """Place (x, y mm), velocity (x, y mm/s), pace and leeway (mm/s), and when it was last seen (s)."""
        knocked = self._knocked()
        if self._velocity is None:
            self._velocity = self._course(knocked)
        (x, y), (vx, vy) = self.place, self._velocity
        pace = math.hypot(vx, vy)
        if knocked:
            pace = self._pace(pace)
        return x, y, vx, vy, pace, self.leeway(pace), self.t

    def _pace(self, speed: float) -> float:
        """How fast (mm/s) it may go that seems to go at `speed` after a step in which it turned round, which shows
        little of it.
        """
        return max(speed, math.dist(self.places[-3], self.places[-2]) / max(self.times[-2] - self.times[-3], LEAST_S))

    def leeway(self, speed: float) -> float:
        """How fast (mm/s) it may depart from the prediction, going at `speed` now."""
        if len(self.times) < 2:
            return TOP_SPEED_MM_S if self.home or self.kind else STRAY_SPEED_MM_S
        # It left its place at any moment before it was first seen elsewhere.
        if len(self.times) == 2 and self.home:
            return TOP_SPEED_MM_S
        if self._has_leapt():
            return STRAY_SPEED_MM_S
        return TURN_MM_S + KNOCK * speed

    def _has_leapt(self) -> bool:
        """Whether it rested and was next seen far away, having been hidden by a hand in between."""
        if len(self.places) < 3 or self.times[-1] - self.times[-2] < HIDDEN_S:
            return False
        before, rested, now = self.places[-3:]
        return math.dist(rested, now) > LEAP_MM and math.dist(before, rested) < RESTED_MM

    def add(self, t: float, x: float, y: float) -> None:
        """It was seen at t."""
        self.times.append(t)
        self.places.append((x, y))
        self._velocity = None


class Tracker:
    """Keeps tracks from frame to frame."""

    def __init__(self, colours: dict[Kind, Colour], half_mm: float) -> None:
        self.colours, self.half_mm = colours, half_mm
        self.live: list[Track] = []
        self.ended: list[Track] = []
        self._next = 1
        self._updated = -math.inf

    @property
    def all(self) -> list[Track]:
        """Those that go on, and those that have ended since the table settled."""
        return [*self.live, *self.ended]

    def reset(self) -> None:
        """Forgets all tracks: the table has settled."""
        self.live, self.ended = [], []

    def release(self, t: float, piece: Piece) -> Track:
        """A piece has left its place: its track begins there, at an unknown speed."""
        track = Track(self._next, piece.kind, piece, born=t)
        track.add(t, piece.x_mm, piece.y_mm)
        self._next += 1
        self.live.append(track)
        return track

    def claim(self, stray: Track, piece: Piece, seen: float) -> Track:
        """A track that nothing explained is that of a piece last clearly seen on its place at `seen`."""
        stray.kind, stray.home = piece.kind, piece
        stray.born = min(seen, stray.times[0] - LEAST_S)
        stray.times.insert(0, stray.born)
        stray.places.insert(0, (piece.x_mm, piece.y_mm))
        return stray

    def update(self, t: float, blobs: Sequence[Blob]) -> list[Blob]:
        """Gives each live track its blob, if any; the blobs left over, for whoever knows what they may be."""
        self._end_lost(t)
        self._updated = t
        if not self.live or not blobs:
            return list(blobs)
        cost = self.costs(t, blobs)
        rows, columns = assigned(cost)
        found = cost[rows, columns] < NEVER
        used = columns[found].tolist()
        for r, c in zip(rows[found].tolist(), used, strict=True):
            blob, track = blobs[c], self.live[r]
            track.add(t, blob.x, blob.y)
            track.tints.append(blob.tint)
        return [b for i, b in enumerate(blobs) if i not in used]

    def rest(self, t: float) -> None:
        """A frame shows what the last one showed: each track that had its blob then has it again."""
        self._end_lost(t)
        for track in self.live:
            if track.t == self._updated:
                track.add(t, *track.place)
                track.tints += track.tints[-1:]
        self._updated = t

    def _end_lost(self, t: float) -> None:
        struck = self._struck
        for track in [k for k in self.live if t - k.t > k.keeps_s(struck)]:
            self.end(track)

    def end(self, track: Track) -> None:
        """A track goes no further."""
        self.live.remove(track)
        self.ended.append(track)

    def adopt(self, t: float, blob: Blob, kind: Kind | None) -> Track:
        """A new track for a blob that no live track explains."""
        track = Track(self._next, kind, None, born=t)
        track.add(t, blob.x, blob.y)
        track.tints.append(blob.tint)
        self._next += 1
        self.live.append(track)
        return track

    def costs(self, t: float, blobs: Sequence[Blob]) -> F64:
        """What it costs (tracks, blobs) mm to give a live track a blob: its distance from the prediction, with a
        surcharge for another look; NEVER when out of reach.
        """
        xy, known = np.array([(b.x, b.y) for b in blobs]), np.array([k.state for k in self.live])
        home = np.array([(k.home.x_mm, k.home.y_mm) if k.home else (math.nan, math.nan) for k in self.live])
        place, velocity, age = known[:, :2], known[:, 2:4], t - known[:, 6]
        ahead = place + velocity * age[:, None]
        straight, bounced, step, from_home = _distances([ahead, self._bounced(place, ahead), place, home], xy)
        away, strange = np.minimum(straight, bounced), self._strangeness(blobs)
        rows: dict[Kind | None, int] = {kind: i for i, kind in enumerate(self.colours)}
        look = strange[[rows.get(k.kind, -1) for k in self.live]]
        young = np.array([len(k.times) < 2 for k in self.live])
        lost = self._out_of_reach(away, step, known[:, 4:6], np.maximum(age, LEAST_S), young)
        lost |= self._jumps_out(xy, away, step, known[:, 4]) | _foreign(strange, look, young)
        lost |= (np.hypot(*(place - home).T) > AWAY_MM)[:, None] & (from_home < HOME_MM)
        return np.where(lost, NEVER, away + TINT_MM * np.minimum(look, STRANGEST))

    def _out_of_reach(self, away: F64, step: F64, speeds: F64, age: F64, young: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which blobs (tracks, blobs) are too far from where tracks are thought to be, or from where they were last
        seen, at their paces and leeways (tracks, 2).
        """
        farthest, longest = JITTER_MM + speeds[:, 1] * age, JITTER_MM + self._fastest(speeds[:, 0], young) * age
        return np.asarray((away > farthest[:, None]) | (step > longest[:, None]))

    def _fastest(self, speed: F64, young: NDArray[np.bool_]) -> F64:
        """How fast (mm/s) each track may go on (tracks,): no disc in flight gets faster than the fastest, which a
        striker that has been followed is at first; a `young` disc, just released, may be as fast as any.
        """
        if self._struck == -math.inf:
            return np.full(len(young), math.inf)
        return np.where(young, math.inf, speed[~young].max() + TURN_MM_S)

    @property
    def _struck(self) -> float:
        """Since when the striker is followed; before all time where it is not."""
        return max((k.times[0] for k in self.live if k.kind is Kind.STRIKER and len(k.times) > 1), default=-math.inf)

    def _bounced(self, place: F64, ahead: F64) -> F64:
        """Where discs at `place` (tracks, 2) mm are that would be at `ahead` but for the cushions."""
        on_board = np.abs(place).max(1, keepdims=True) < self.half_mm - ON_FRAME_MM
        beyond = np.where(on_board, np.maximum(np.abs(ahead) - (self.half_mm - CUSHION_MM), 0.0), 0.0)
        return np.asarray(ahead - np.sign(ahead) * (1 + RESTITUTION) * beyond)

    def _jumps_out(self, xy: F64, away: F64, step: F64, speed: F64) -> NDArray[np.bool_]:
        """Which blobs (tracks or 1, blobs) over the frame cannot be a track's: only a disc that flew lies there."""
        over = np.abs(xy).max(1) >= self.half_mm + OVER_FRAME_MM
        if not over.any():
            return np.asarray(over[None])
        aside = away > 0.35 * step + JITTER_MM
        return np.asarray(over & ((speed < JUMP_MM_S)[:, None] | aside), np.bool_)

    def _strangeness(self, blobs: Sequence[Blob]) -> F64:
        """How far each blob's look is from each known kind's, in standard deviations; a last row of zeros."""
        out = np.zeros((len(self.colours) + 1, len(blobs)))
        if self.colours:
            out[:-1] = _strange(tuple(self.colours.values()), np.array([b.tint for b in blobs]))
        return out

    def unlike(self, kind: Kind, track: Track) -> float:
        """How far a track's median look is from a kind's, in standard deviations."""
        if not track.tints:
            return 0.0 if track.kind is kind else 4.0
        return self.unlike_tint(kind, np.median(np.array(track.tints), 0))

    def unlike_tint(self, kind: Kind, tint: Sequence[float] | F64) -> float:
        """How far a look (3,) is from a kind's, in standard deviations; 0 for a kind of which nothing is known."""
        colour = self.colours.get(kind)
        return float(_strange((colour,), np.array(tint, np.float64)[None])[0, 0]) if colour else 0.0


def _foreign(strange: F64, look: F64, young: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which blobs (tracks, blobs or 1) a `young` track might leap to but are plainly of another kind."""
    if not young.any():
        return young[:, None]
    return np.asarray(young[:, None] & (look >= FOREIGN) & (strange[:-1] < FAMILIAR).any(0), np.bool_)


def _strange(colours: tuple[Colour, ...], tints: F64) -> F64:
    """How far tints (m, 3) are from looks, in standard deviations (looks, m)."""
    mean, spread = _looks(colours)
    off = (tints - mean) / spread
    return np.asarray(np.sqrt((off * off).sum(2)))


@lru_cache(maxsize=16)
def _looks(colours: tuple[Colour, ...]) -> tuple[F64, F64]:
    """Means and twice the standard deviations (looks, 1, 3) of some looks."""
    mean = np.array([c.mean for c in colours])
    spread = 2 * np.maximum([c.sigma for c in colours], SIGMA_FLOOR)
    return mean[:, None], spread[:, None]


def _distances(points: Sequence[F64], others: F64) -> F64:
    """Distances (k, n, m) from several arrays of points (n, 2) to others (m, 2), all at once.

    Lengths on a board are far from those that need NumPy's `hypot`, which takes twice the time.
    """
    each = np.stack(points)
    across, down = others[:, 0] - each[..., :1], others[:, 1] - each[..., 1:]
    return np.sqrt(across * across + down * down)
