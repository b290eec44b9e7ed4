"""Tracks of loose discs: who each moving blob is, kept by assignment with prediction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from scipy.optimize import linear_sum_assignment

from calibration.looks import SIGMA_FLOOR
from calibration.profile import Colour
from models.pieces import Kind, Piece
from referee.detect.hands import Blob

TOP_SPEED_MM_S = 8000.0
"""No striker has been measured faster; a track just born may go anywhere that this speed reaches."""
STRAY_SPEED_MM_S = 4500.0
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
LOST_AFTER_S = 0.25
"""A track unseen this long has ended."""


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

    @property
    def t(self) -> float:
        """When it was last seen."""
        return self.times[-1] if self.times else self.born

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
        if len(self.times) < 2:
            return 0.0, 0.0
        i = max(-3, -len(self.times))
        if len(self.times) > 2 and self._knocked():
            i = -2
        dt = self.times[-1] - self.times[i]
        (x0, y0), (x1, y1) = self.places[i], self.places[-1]
        return ((x1 - x0) / dt, (y1 - y0) / dt) if dt > 0 else (0.0, 0.0)

    def _knocked(self) -> bool:
        """Whether the last step differs so much from the one before that only the last tells the velocity."""
        a, b, c = (np.array(p) for p in self.places[-3:])
        return float(np.linalg.norm((c - b) - (b - a))) > 0.5 * float(np.linalg.norm(c - b)) + JITTER_MM

    @property
    def speed(self) -> float:
        """mm/s."""
        return float(np.hypot(*self.velocity))

    def predicted(self, t: float) -> tuple[float, float]:
        """Where it should be at time t at its present velocity."""
        (x, y), (vx, vy) = self.place, self.velocity
        return x + vx * (t - self.t), y + vy * (t - self.t)

    def longest_leap(self, sightings: int) -> float:
        """The highest speed (mm/s) between two of the last `sightings`."""
        leaps = list(pairwise(zip(self.times, self.places, strict=True)))[1 - sightings :]
        return max((math.dist(a, b) / (t1 - t0) for (t0, a), (t1, b) in leaps), default=0.0)

    def gate(self, t: float) -> float:
        """How far (mm) from the prediction it may turn up at time t."""
        dt = max(t - self.t, 1e-3)
        if len(self.times) < 2:
            return JITTER_MM + (TOP_SPEED_MM_S if self.home or self.kind else STRAY_SPEED_MM_S) * dt
        return JITTER_MM + (TURN_MM_S + KNOCK * self.speed) * dt

    def add(self, t: float, x: float, y: float) -> None:
        self.times.append(t)
        self.places.append((x, y))


class Tracker:
    """Keeps tracks from frame to frame."""

    def __init__(self, colours: dict[Kind, Colour], half_mm: float) -> None:
        self.colours, self.half_mm = colours, half_mm
        self.live: list[Track] = []
        self.ended: list[Track] = []
        self._next = 1

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

    def update(self, t: float, blobs: Sequence[Blob]) -> list[Blob]:
        """Gives each live track its blob, if any; the blobs left over, for whoever knows what they may be."""
        for track in [k for k in self.live if t - k.t > LOST_AFTER_S]:
            self.end(track)
        if not self.live or not blobs:
            return list(blobs)
        cost = np.array([[self._cost(k, b, t) for b in blobs] for k in self.live])
        rows, columns = linear_sum_assignment(np.minimum(cost, 1e6))
        used = set()
        for r, c in zip(rows, columns, strict=True):
            if cost[r, c] < 1e6:
                self.live[r].add(t, blobs[c].x, blobs[c].y)
                self.live[r].tints.append(blobs[c].tint)
                used.add(int(c))
        return [b for i, b in enumerate(blobs) if i not in used]

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

    def _cost(self, track: Track, blob: Blob, t: float) -> float:
        """Distance (mm) with a surcharge for another look; 1e9 when out of reach."""
        x, y = track.predicted(t)
        distance = float(np.hypot(blob.x - x, blob.y - y))
        if distance > track.gate(t) or self._jumps_out(track, blob, (x, y)) or self._is_foreign(track, blob):
            return 1e9
        return distance + TINT_MM * min(self.strangeness(track.kind, blob), 8.0)

    def _is_foreign(self, track: Track, blob: Blob) -> bool:
        """Whether a blob that a track just born might leap to is plainly of another kind."""
        if len(track.times) > 1 or self.strangeness(track.kind, blob) < FOREIGN:
            return False
        return any(self.strangeness(kind, blob) < FAMILIAR for kind in self.colours if kind is not track.kind)

    def _jumps_out(self, track: Track, blob: Blob, predicted: tuple[float, float]) -> bool:
        """Whether a blob over the frame cannot be the track's: only a disc that flew there lies there."""
        if max(abs(blob.x), abs(blob.y)) < self.half_mm + OVER_FRAME_MM:
            return False
        away = math.dist((blob.x, blob.y), predicted)
        return track.speed < JUMP_MM_S or away > 0.35 * math.dist((blob.x, blob.y), track.place) + JITTER_MM

    def strangeness(self, kind: Kind | None, blob: Blob) -> float:
        """How far a blob's look is from a kind's, in standard deviations; 0 where nothing was learned."""
        return self._strange(kind, blob.tint)

    def unlike(self, kind: Kind, track: Track) -> float:
        """How far a track's median look is from a kind's, in standard deviations."""
        if not track.tints:
            return 0.0 if track.kind is kind else 4.0
        y, u, v = np.median(np.array(track.tints), 0)
        return self._strange(kind, (float(y), float(u), float(v)))

    def _strange(self, kind: Kind | None, tint: tuple[float, float, float]) -> float:
        colour = self.colours.get(kind) if kind else None
        if colour is None:
            return 0.0
        return float(np.linalg.norm((np.array(tint) - colour.mean) / (2 * np.maximum(colour.sigma, SIGMA_FLOOR))))
