"""Tracker of loose discs: predict, cost, assign, update, spawn, prune."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64
from calibration.profile import Colour
from models.pieces import Kind, Piece
from referee.foreground.segmentation import Blob, Tint
from referee.pieces.colour_classes import tint_distance
from referee.tracking.assignment import possible_pairs

TOP_SPEED_MM_S = 8000.0
"""Greatest speed of a striker. It bounds the reach of a track whose speed is unknown."""
JITTER_MM = 12.0
"""Jump of a blob's middle when a part of it is covered or blurred."""
TURN_MM_S = 900.0
"""Deviation from the prediction by this speed times the interval; after a collision by the faster disc's too."""
TINT_MM = 6.0
"""Cost of one standard deviation of colour, as a distance. Foreign colours cost no more than hardly fitting ones."""
TRACK_FOREIGN, FAMILIAR = 5.0, 1.5
"""Standard deviations of colour beyond which a blob is hardly of a kind, and within which it plainly is."""
JUMP_MM_S = 500.0
"""Least speed of a track that leads over the frame."""
TRACK_CUSHION_MM, RESTITUTION = 17.0, 0.7
"""Distance of a disc's middle from the cushion at its rebound, and share of its speed that remains."""
LOST_AFTER_S = 0.25
"""Time without a sighting after which a track ends."""
STRAY_LOST_S = 0.08
"""The same for an unexplained track with one sighting and, once the striker flies, for one that rested before: nothing
else is struck under a hand, so a later blob is another disc.
"""
RESTED_MM, TRACK_HIDDEN_S, LEAP_MM = 3.0, 0.05, 90.0
"""Greatest step of a disc at rest; gap and step after which a disc was struck under the hand, which leaves its speed
unknown. Blobs of one hand lie nearer than such a step."""
LEAST_S = 1e-3
"""Least interval between frames, however their clock is rounded."""

Place = tuple[float, float]
"""Board mm."""
Sighting = tuple[float, Place]
"""Time and place of a sighting."""


@dataclass(slots=True)
class Track:
    """One moving disc."""

    number: int
    kind: Kind | None
    """None for a blob that no piece explains yet."""
    home: Piece | None
    """The piece at rest before it moved; None without one."""
    times: list[float] = field(default_factory=list)
    places: list[tuple[float, float]] = field(default_factory=list)
    born: float = 0.0
    tints: list[tuple[float, float, float]] = field(default_factory=list)

    @property
    def is_unclaimed(self) -> bool:
        """Whether it belongs to no known piece."""
        return self.home is None and self.kind is None

    @property
    def t(self) -> float:
        """Time of the last sighting."""
        return self.times[-1]

    @property
    def sightings(self) -> Iterator[Sighting]:
        """Sightings in order."""
        return zip(self.times, self.places, strict=True)

    @property
    def place(self) -> tuple[float, float]:
        """Place of the last sighting, board mm."""
        return self.places[-1]

    def ends_at(self, place: tuple[float, float]) -> bool:
        """Tells whether the last sighting may be of a disc at a place (mm)."""
        return math.dist(self.place, place) < JITTER_MM

    @property
    def velocity(self) -> tuple[float, float]:
        """Velocity (mm/s) over the last sightings; (0, 0) with a single one."""
        if len(self.times) < 2:
            return 0.0, 0.0
        i = -3 if len(self.times) > 2 and not self._knocked() else -2
        dt = self.times[-1] - self.times[i]
        (x0, y0), (x1, y1) = self.places[i], self.places[-1]
        return (x1 - x0) / dt, (y1 - y0) / dt

    def _knocked(self) -> bool:
        """Tells whether a collision lies between the last two steps, so that only the last one gives the velocity."""
        if len(self.times) < 3:
            return False
        (ax, ay), (bx, by), (cx, cy) = self.places[-3:]
        change = math.hypot(cx - 2 * bx + ax, cy - 2 * by + ay)
        return change > 0.5 * math.hypot(cx - bx, cy - by) + JITTER_MM

    @property
    def speed(self) -> float:
        """Speed, mm/s."""
        return math.hypot(*self.velocity)

    def keeps_s(self, struck: float) -> float:
        """Returns the time (s) for which the track may stay undetected; `struck`: first sighting of the striker's
        track.
        """
        if not self.is_unclaimed:
            return LOST_AFTER_S
        once = len(self.times) < 2 or (self.born < struck and math.dist(*self.places[-2:]) < RESTED_MM)
        return STRAY_LOST_S if once else LOST_AFTER_S

    def step_speeds(self, sightings: int) -> list[float]:
        """Returns the speeds (mm/s) from each of the last `sightings` to the next."""
        steps = pairwise(zip(self.times[-sightings:], self.places[-sightings:], strict=True))
        return [math.dist(a, b) / max(t1 - t0, LEAST_S) for (t0, a), (t1, b) in steps]

    @property
    def state(self) -> tuple[float, float, float, float, float, float, float]:
        """Place (x, y mm), velocity (x, y mm/s), speed and greatest deviation from the prediction (mm/s), and time of
        the last sighting (s).
        """
        (x, y), (vx, vy), pace = self.place, self.velocity, self.speed
        if self._knocked():
            # A rebound within the last step hides a part of the path.
            pace = max(pace, *self.step_speeds(3))
        # A piece may have left its place at any moment before it was first seen elsewhere.
        is_unknown = len(self.times) < (3 if self.home else 2) or self._has_leapt()
        return x, y, vx, vy, pace, TOP_SPEED_MM_S if is_unknown else TURN_MM_S + pace, self.t

    def _has_leapt(self) -> bool:
        """Tells whether it rested, was covered by a hand, and was next seen far away."""
        if len(self.places) < 3 or self.times[-1] - self.times[-2] < TRACK_HIDDEN_S:
            return False
        before, rested, now = self.places[-3:]
        return math.dist(rested, now) > LEAP_MM and math.dist(before, rested) < RESTED_MM

    def add(self, t: float, x: float, y: float) -> None:
        """Adds a sighting, board mm."""
        self.times.append(t)
        self.places.append((x, y))


class Tracker:
    """Keeps tracks from frame to frame by assignment."""

    def __init__(self, colours: dict[Kind, Colour], half_mm: float) -> None:
        self.colours, self.half_mm = colours, half_mm
        self.live: list[Track] = []
        self.ended: list[Track] = []
        self._next = 1
        self._updated = -math.inf

    @property
    def all(self) -> list[Track]:
        """Live tracks, and those that have ended since the board settled."""
        return [*self.live, *self.ended]

    def reset(self) -> None:
        """Drops all tracks: the board has settled."""
        self.live, self.ended = [], []

    def release(self, t: float, piece: Piece) -> Track:
        """Begins the track of a piece that has left its place, at an unknown speed."""
        return self._begin(t, piece.place, piece.kind, piece)

    def _begin(self, t: float, place: Place, kind: Kind | None = None, home: Piece | None = None) -> Track:
        track = Track(self._next, kind, home, born=t)
        track.add(t, *place)
        self._next += 1
        self.live.append(track)
        return track

    def claim(self, stray: Track, piece: Piece, last_there: float) -> Track:
        """Gives an unexplained track to a piece that was last clearly detected on its place at `last_there`."""
        stray.kind, stray.home = piece.kind, piece
        stray.born = min(last_there, stray.times[0] - LEAST_S)
        stray.times.insert(0, stray.born)
        stray.places.insert(0, piece.place)
        return stray

    def update(self, t: float, blobs: Sequence[Blob]) -> list[Blob]:
        """Assigns each live track its blob, if any. Returns the blobs left over."""
        self._end_lost(t)
        self._updated = t
        if not self.live or not blobs:
            return list(blobs)
        cost = self.costs(t, blobs)
        rows, columns = (each.tolist() for each in possible_pairs(cost))
        for r, c in zip(rows, columns, strict=True):
            blob, track = blobs[c], self.live[r]
            track.add(t, blob.x, blob.y)
            track.tints.append(blob.tint)
        return [b for i, b in enumerate(blobs) if i not in columns]

    def repeat_last(self, t: float) -> None:
        """Repeats the last sightings at t: the frame shows nothing new."""
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
        """Ends a track."""
        self.live.remove(track)
        self.ended.append(track)

    def adopt(self, t: float, blob: Blob) -> Track:
        """Begins a track, of no known kind, for a blob that no live track explains."""
        track = self._begin(t, (blob.x, blob.y))
        track.tints.append(blob.tint)
        return track

    def costs(self, t: float, blobs: Sequence[Blob]) -> F64:
        """Returns the cost (tracks, blobs) of each pair, mm: distance from the prediction plus a surcharge for colour.

        Infinite if out of reach.
        """
        xy, known = np.array([(b.x, b.y) for b in blobs]), np.array([k.state for k in self.live])
        home = np.array([k.home.place if k.home else (math.nan, math.nan) for k in self.live])
        place, velocity, age = known[:, :2], known[:, 2:4], t - known[:, 6]
        ahead = place + velocity * age[:, None]
        straight, bounced, step, from_home = _distances([ahead, self._bounced(place, ahead), place, home], xy)
        away, strange = np.minimum(straight, bounced), self._strangeness(blobs)
        rows: dict[Kind | None, int] = {kind: i for i, kind in enumerate(self.colours)}
        unlikeness = strange[[rows.get(k.kind, -1) for k in self.live]]
        young = np.array([len(k.times) < 2 for k in self.live])
        lost = self._out_of_reach(away, step, known[:, 4:6], np.maximum(age, LEAST_S), young)
        lost |= self._jumps_out(xy, away, step, known[:, 4]) | _foreign(strange, unlikeness, young)
        # The bare board that a piece has left may resemble a disc: a track that has gone does not come back.
        lost |= (np.hypot(*(place - home).T) > JITTER_MM)[:, None] & (from_home < RESTED_MM)
        return np.where(lost, np.inf, away + TINT_MM * np.minimum(unlikeness, TRACK_FOREIGN))

    def _out_of_reach(self, away: F64, step: F64, speeds: F64, age: F64, young: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Returns pairs (tracks, blobs) too far from the prediction or from the last sighting; `speeds` (tracks, 2):
        speed and greatest deviation.
        """
        farthest, longest = JITTER_MM + speeds[:, 1] * age, JITTER_MM + self._fastest(speeds[:, 0], young) * age
        return np.asarray((away > farthest[:, None]) | (step > longest[:, None]))

    def _fastest(self, speed: F64, young: NDArray[np.bool_]) -> F64:
        """Returns the greatest speed (mm/s) of each track (tracks,).

        No disc in flight gets faster than the fastest one, at first the striker. A `young` one may have any speed, and
        so may a piece that was seen but once away from its home: it left at some moment before, or leapt.
        """
        if self._struck == -math.inf:
            return np.full(len(young), math.inf)
        begun = young | np.array([len(k.times) == 2 and k.home is not None for k in self.live])
        return np.where(begun, math.inf, speed[~young].max() + TURN_MM_S)

    @property
    def _struck(self) -> float:
        """First sighting of the striker's track; -inf without one."""
        return max((k.times[0] for k in self.live if k.kind is Kind.STRIKER and len(k.times) > 1), default=-math.inf)

    def _bounced(self, place: F64, ahead: F64) -> F64:
        """Returns predictions `ahead` (tracks, 2) mm reflected at the cushions, for discs at `place`."""
        on_board = np.abs(place).max(1, keepdims=True) < self.half_mm
        beyond = np.where(on_board, np.maximum(np.abs(ahead) - (self.half_mm - TRACK_CUSHION_MM), 0.0), 0.0)
        return np.asarray(ahead - np.sign(ahead) * (1 + RESTITUTION) * beyond)

    def _jumps_out(self, xy: F64, away: F64, step: F64, speed: F64) -> NDArray[np.bool_]:
        """Returns pairs (tracks, blobs) excluded because the blob lies over the frame, where only a fast disc
        gets.
        """
        over = np.abs(xy).max(1) >= self.half_mm
        aside = away > 0.35 * step + JITTER_MM
        return np.asarray(over & ((speed < JUMP_MM_S)[:, None] | aside), np.bool_)

    def _strangeness(self, blobs: Sequence[Blob]) -> F64:
        """Returns the colour distance (kinds + 1, blobs) in standard deviations; the last row is zero."""
        rows = [[_strange(b.tint, colour) for b in blobs] for colour in self.colours.values()]
        return np.array([*rows, [0.0] * len(blobs)])

    def unlike(self, kind: Kind, track: Track) -> float:
        """Returns the distance of a track's median colour from a kind's, standard deviations; 0 for an unknown kind."""
        if not track.tints:
            return 0.0 if track.kind is kind else 4.0
        luma, blue, red = np.median(np.array(track.tints), 0).tolist()
        return _strange((luma, blue, red), self.colours[kind]) if kind in self.colours else 0.0

    def looks_like(self, kind: Kind, track: Track) -> bool:
        """Tells whether a track's colour is nearest to a kind's of all known kinds', and not foreign to it."""
        off = {k: self.unlike(k, track) for k in self.colours}
        return kind in off and off[kind] < TRACK_FOREIGN and off[kind] == min(off.values())


def _foreign(strange: F64, unlikeness: F64, young: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Returns pairs (tracks, blobs) excluded because a `young` track would jump to a blob plainly of
    another kind.
    """
    return np.asarray(young[:, None] & (unlikeness >= TRACK_FOREIGN) & (strange[:-1] < FAMILIAR).any(0), np.bool_)


def _strange(tint: Tint, colour: Colour) -> float:
    """Returns the distance of a moving disc's tint from a colour, standard deviations, which blur doubles."""
    return tint_distance(tint, colour) / 2


def _distances(points: Sequence[F64], others: F64) -> F64:
    """Returns the distances (k, n, m) from arrays of points (n, 2) to others (m, 2). NumPy's `hypot` takes twice the
    time.
    """
    each = np.stack(points)
    across, down = others[:, 0] - each[..., :1], others[:, 1] - each[..., 1:]
    return np.sqrt(across * across + down * down)
