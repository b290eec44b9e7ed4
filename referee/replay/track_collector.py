"""Collects tracks, pieces, hands and image tiles frame by frame until a stroke is called and its tracks are built."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np

from calibration.geometry.lattice import Lattice
from calibration.geometry.picture import Picture
from models.pieces import Kind, Piece
from referee.foreground.background import Mask
from referee.replay.build_tracks import Outline, StrokeObservations
from referee.replay.tiles import FrameTiles, TileCutter
from referee.seeing import Moment, Seeing
from referee.strokes.stroke_machine import Phase
from referee.tracking.tracker import Track

RETAINED_S = 60.0
"""Longest time before a stroke that is retained, in seconds; a board may stand untouched for hours."""
HAND_EVERY_S = 0.1
"""Interval at which hands are outlined between strokes, in seconds; while something moves they are in every frame."""
OUTLINE_STEPS = 1.2
"""Precision of the outlines in steps of the lattice (3 mm in all): they are drawn, not measured."""
COLLECT_LEAST_CORNERS = 3
COLLECT_BEFORE_S = 0.1
"""Time before the strike from which detections are retained, in seconds: the strike is dated between two frames."""
TILES_RETAINED_S, TILES_MOST_BYTES = 0.5, 64 << 20
"""TILES_RETAINED_S: time before a stroke is noticed of which tiles are retained, in seconds. TILES_MOST_BYTES:
greatest size of all tiles of a stroke, in bytes; a break needs 15 MB."""
COLLECT_LEAST_SIGHTINGS = 2
COLLECT_LEAST_WAY_MM = 5.0
"""Least path of a disc that has moved: two steps of the lattice."""
COLLECT_ALIKE = 8.0
"""Greatest distance of a disc's colour from that of its kind, in standard deviations; farther it is of no known
kind."""
MOVING = frozenset({Phase.MOVING, Phase.SETTLING})


class TrackCollector:
    """Collects what moves.

    Call `update` after each frame that `Seeing` has processed, and `cut` when a stroke was called.
    """

    def __init__(self) -> None:
        self._cutter: TileCutter | None = None
        self._gain = 1.0
        self._clear()

    def _clear(self) -> None:
        self._since: float | None = None
        self._t = 0.0
        self._tracks: dict[int, Track] = {}
        self._lying: deque[tuple[float, tuple[Piece, ...]]] = deque()
        self._placed: deque[tuple[float, float, float, float]] = deque()
        self._hands: deque[tuple[float, Outline]] = deque()
        self._cutouts: deque[FrameTiles] = deque()
        self._cutout_bytes = 0
        self._next_hand = 0.0
        self._moved = False

    @property
    def has_moves(self) -> bool:
        """True if any disc was detected moving since the last stroke."""
        return bool(self._tracks)

    def update(self, seeing: Seeing, picture: Picture, t: float) -> None:
        """Collects what `seeing` detected in the picture at t."""
        if self._since is None:
            self._since = t
        self._t = t
        moving = seeing.phase in MOVING
        if not (moving or self._moved):
            self._forget_before(t - RETAINED_S)
            self._drop_cutouts(t - TILES_RETAINED_S)
        self._moved = moving
        self._follow(seeing)
        pieces = seeing.watch.table.pieces()
        if not self._lying or pieces != self._lying[-1][1]:
            self._lying.append((t, pieces))
        for s in seeing.watch.striker.sightings[-1:]:
            if not self._placed or s.t > self._placed[-1][0]:
                self._placed.append((s.t, s.x, s.y, s.sigma))
        if seeing.moment is not None and seeing.moment.foreground.t == t:
            self._see_hands(seeing, seeing.moment, t)
            self._cut_out(seeing, seeing.moment, picture)

    def _see_hands(self, seeing: Seeing, moment: Moment, t: float) -> None:
        if self._moved or t >= self._next_hand:
            self._next_hand = t + HAND_EVERY_S
            lattice = seeing.watch.background.lattice
            self._hands.extend((t, outline) for outline in outlines(moment.scene.hand, lattice))

    def _cut_out(self, seeing: Seeing, moment: Moment, picture: Picture) -> None:
        """Retains the tiles where something differs from the board that is neither a known piece nor a hand."""
        background, foreground = seeing.watch.background, moment.foreground
        self._gain = float(foreground.light.blocks.mean())
        if self._cutout_bytes > TILES_MOST_BYTES:
            return
        if self._cutter is None or self._cutter.lattice is not background.lattice:
            # Tiles from before a move of the camera cannot be measured any more.
            self._cutter = TileCutter(seeing.watch.profile.camera, background.lattice)
            self._drop_cutouts(foreground.t)
        cutout = self._cutter.cut(picture, foreground.t, self._gain, moment.scene.loose)
        if cutout is not None:
            self._cutouts.append(cutout)
            self._cutout_bytes += cutout.size

    def _drop_cutouts(self, before: float) -> None:
        while self._cutouts and self._cutouts[0].t < before:
            self._cutout_bytes -= self._cutouts.popleft().size

    def _follow(self, seeing: Seeing) -> None:
        """Retains the tracker's tracks, except between strokes, when they are fingertips and glints."""
        if seeing.phase not in MOVING:
            return
        tracker = seeing.watch.tracker
        for track in tracker.all:
            self._tracks[track.number] = track

    def _forget_before(self, t: float) -> None:
        """Drops what is older than `t`, since it leads to no stroke any more."""
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

    def cut(self, seeing: Seeing, picture: Picture, t_strike: float | None) -> StrokeObservations:
        """Returns everything collected since the last cut, and starts anew.

        Discs are included from the strike on, or from their first move if there was none. `picture`: the last one.
        """
        moving = [track for track in self._tracks.values() if _moves(track)]
        if t_strike is None:
            t_strike = min((track.times[0] for track in moving), default=self._t)
        watch = seeing.watch
        assert watch.background.empty is not None
        gathered = StrokeObservations(
            span=(self._t if self._since is None else self._since, self._t),
            t_strike=t_strike,
            tracks=tuple(
                _since(track, t_strike - COLLECT_BEFORE_S) for track in moving if track.t >= t_strike - COLLECT_BEFORE_S
            ),
            kinds={track.number: kind for track in moving if (kind := _kind(seeing, track)) is not None},
            lying=tuple(self._lying),
            settled=watch.table.pieces(),
            placed=tuple(self._placed),
            hands=tuple(self._hands),
            cutouts=tuple(cutout for cutout in self._cutouts if cutout.t >= t_strike - COLLECT_BEFORE_S),
            ending=self._cutter.cut(picture, self._t, self._gain, watch.table.explained) if self._cutter else None,
            profile=watch.profile,
            lattice=watch.background.lattice,
            empty=watch.background.empty,
        )
        self._clear()
        return gathered


def _moves(track: Track) -> bool:
    """Tells whether the track is a moving disc; one at rest where no piece lay is a glint, or a piece in a net."""
    if len(track.times) < COLLECT_LEAST_SIGHTINGS:
        return False
    return track.home is not None or bool(np.ptp(track.places, 0).max() > COLLECT_LEAST_WAY_MM)


def _since(track: Track, t: float) -> Track:
    """Returns a copy of a track without the detections before t, but with the place where its piece lay."""
    chosen = [i for i, at in enumerate(track.times) if at >= t or (i == 0 and track.home is not None)]
    return replace(track, times=[track.times[i] for i in chosen], places=[track.places[i] for i in chosen])


def _kind(seeing: Seeing, track: Track) -> Kind | None:
    """Returns the track's kind, or the one with the nearest colour; None if none is near enough."""
    if track.kind is not None:
        return track.kind
    tracker = seeing.watch.tracker
    off = {kind: tracker.unlike(kind, track) for kind in Kind if kind in tracker.colours} if track.tints else {}
    kind = min(off, key=off.__getitem__, default=None)
    return None if kind is None or off[kind] > COLLECT_ALIKE else kind


def outlines(hand: Mask, lattice: Lattice) -> Iterator[Outline]:
    """Yields outlines (k, 2) of hands and arms, whole mm."""
    if not cv2.countNonZero(hand):
        return
    for outline in cv2.findContours(hand, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]:
        corners = cv2.approxPolyDP(outline, OUTLINE_STEPS, True).reshape(-1, 2)
        if len(corners) >= COLLECT_LEAST_CORNERS:
            yield np.rint(lattice.to_board(corners)).astype(np.int16)
