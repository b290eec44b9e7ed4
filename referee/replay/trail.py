"""The trail: collects frame by frame what moves, until a stroke is told and its tracks can be kept."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lattice import Lattice
from models.pieces import Kind, Piece
from referee.detect.gate import Mask
from referee.replay.tracks import DISC, HAND, LETTERS, LYING, PLACED, UNKNOWN, VERSION, Tracks
from referee.seeing import Seeing
from referee.strokes.watch import Phase
from referee.track import Track

KEPT_S = 60.0
"""So much of the time before a stroke is kept at most; a board may stand untouched for hours."""
HAND_EVERY_S = 0.1
"""Hands that rest between strokes are outlined so often; while something moves, in every frame."""
OUTLINE_STEPS = 1.2
"""Outlines are drawn to this many steps of the lattice (3 mm): they are shadows, not measurements."""
LEAST_CORNERS = 3
BEFORE_S = 0.1
"""A strike is placed between two frames and may be seen to begin so much earlier."""
LEAST_SIGHTINGS = 2
RESTING, PULLED_MM = 5, 4.0
"""A disc whose last sightings lie so near to a settled piece (mm) is that piece, drawn aside by its shadow."""
LEAST_WAY_MM = 5.0
"""A disc seen to go less far has not moved: two steps of the lattice."""
ALIKE = 8.0
"""A disc whose look is farther from every kind's (standard deviations) is of no known kind."""
MOVING = frozenset({Phase.MOVING, Phase.SETTLING})

Outline = NDArray[np.int16]


class Trail:
    """Call `see` after each frame that `Seeing` took in, and `cut` when a stroke has been told."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._since: float | None = None
        self._t = 0.0
        self._tracks: dict[int, Track] = {}
        self._lying: deque[tuple[float, tuple[Piece, ...]]] = deque()
        self._placed: deque[tuple[float, float, float, float]] = deque()
        self._hands: deque[tuple[float, Outline]] = deque()
        self._next_hand = 0.0

    @property
    def has_moves(self) -> bool:
        """Whether any disc has been seen moving since the last stroke."""
        return bool(self._tracks)

    def see(self, seeing: Seeing, t: float) -> None:
        """Takes in what `seeing` made of the frame at t."""
        if self._since is None:
            self._since = t
        self._t = t
        self._follow(seeing)
        pieces = seeing.watch.table.pieces()
        if not self._lying or pieces != self._lying[-1][1]:
            self._lying.append((t, pieces))
        for s in seeing.watch.striker.sightings[-1:]:
            if not self._placed or s.t > self._placed[-1][0]:
                self._placed.append((s.t, s.x, s.y, s.sigma))
        moving = seeing.phase in MOVING
        if seeing.moment is not None and seeing.moment.sight.t == t and (moving or t >= self._next_hand):
            self._next_hand = t + HAND_EVERY_S
            lattice = seeing.watch.gate.lattice
            self._hands.extend((t, outline) for outline in outlines(seeing.moment.scene.hand, lattice))
        if not moving:
            self._forget_before(t - KEPT_S)

    def _follow(self, seeing: Seeing) -> None:
        """Remembers whom the tracker follows; between strokes those are fingertips and glints."""
        if seeing.phase not in MOVING:
            return
        tracker = seeing.watch.tracker
        for track in (*tracker.live, *tracker.ended):
            self._tracks[track.number] = track

    def _forget_before(self, t: float) -> None:
        """What is older than `t` leads to no stroke any more."""
        if self._since is None or self._since >= t:
            return
        self._since = t
        self._tracks = {number: track for number, track in self._tracks.items() if track.t >= t}
        while len(self._lying) > 1 and self._lying[1][0] <= t:
            self._lying.popleft()
        while self._placed and self._placed[0][0] < t:
            self._placed.popleft()
        while self._hands and self._hands[0][0] < t:
            self._hands.popleft()

    def cut(self, seeing: Seeing, t_strike: float) -> Tracks:
        """Everything since the last cut, discs from the strike on; the trail begins anew."""
        since = self._t if self._since is None else self._since
        changes = [max(t, since) for t, _ in self._lying]
        lying = [(i, LETTERS[p.kind], p.x_mm, p.y_mm) for i, (_, pieces) in enumerate(self._lying) for p in pieces]
        hands = [(t, i, x, y) for i, (t, outline) in enumerate(self._hands) for x, y in outline.tolist()]
        tracks = Tracks(
            version=np.array(VERSION),
            span=np.array([since, self._t]),
            discs=np.array(sorted(self._sightings(seeing, t_strike - BEFORE_S)), DISC),
            changes=np.array(changes, np.float64),
            lying=np.array(lying, LYING),
            placed=np.array(self._placed, PLACED),
            hands=np.array(hands, HAND),
        )
        self._clear()
        return tracks

    def _sightings(self, seeing: Seeing, since: float) -> Iterator[tuple[float, int, bytes, float, float]]:
        moving = [track for track in self._tracks.values() if _moves(track)]
        off_x, off_y = pulled(moving, seeing.watch.table.pieces())
        for track in moving:
            kind = _kind(seeing, track)
            for i, (t, (x, y)) in enumerate(zip(track.times, track.places, strict=True)):
                at_home = i == 0 and track.home is not None
                if t >= since:
                    yield t, track.number, kind, x - off_x * (not at_home), y - off_y * (not at_home)


def _moves(track: Track) -> bool:
    """Whether it is a disc that moves; what stands where no piece lay is a glint, or lies in a net."""
    if len(track.times) < LEAST_SIGHTINGS:
        return False
    return track.home is not None or bool(np.ptp(track.places, 0).max() > LEAST_WAY_MM)


def pulled(tracks: Sequence[Track], settled: Sequence[Piece]) -> tuple[float, float]:
    """How far (x, y mm) walls and shadows draw moving discs from their places, told by those that came to rest.

    A disc at rest is placed by its rim, a moving one by the middle of all that differs from the board.
    """
    found = []
    for track in tracks:
        x, y = np.median(track.places[-RESTING:], 0).tolist()
        near = min(settled, key=lambda p: math.hypot(p.x_mm - x, p.y_mm - y), default=None)
        if near is not None and math.hypot(near.x_mm - x, near.y_mm - y) < PULLED_MM:
            found.append((x - near.x_mm, y - near.y_mm))
    off_x, off_y = np.median(found, 0).tolist() if found else (0.0, 0.0)
    return off_x, off_y


def _kind(seeing: Seeing, track: Track) -> bytes:
    """The track's kind, or the one that its disc looks most like."""
    if track.kind is not None:
        return LETTERS[track.kind]
    tracker = seeing.watch.tracker
    off = {kind: tracker.unlike(kind, track) for kind in Kind if kind in tracker.colours} if track.tints else {}
    kind = min(off, key=off.__getitem__, default=None)
    return UNKNOWN if kind is None or off[kind] > ALIKE else LETTERS[kind]


def outlines(hand: Mask, lattice: Lattice) -> Iterator[Outline]:
    """Outlines (k, 2) of hands and arms, whole mm."""
    for outline in cv2.findContours(hand, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]:
        corners = cv2.approxPolyDP(outline, OUTLINE_STEPS, True).reshape(-1, 2)
        if len(corners) >= LEAST_CORNERS:
            yield np.rint(lattice.to_board(corners)).astype(np.int16)
