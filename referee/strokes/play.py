"""A stroke in progress, and the reckoning of what became of the pieces that it moved."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from calibration.profile import Profile
from models.pieces import Kind, Piece, Pocket
from referee.detect.gate import Gate, Mask, Sight
from referee.strokes.census import Fate, Missing, ends, explain, fate
from referee.strokes.facts import Foul
from referee.strokes.flight import flight_start
from referee.table import Lying
from referee.track import Track, Tracker

HIDDEN_SHARE = 0.06
"""Where more than this share of the places within a lost piece's reach is hidden, it may lie there."""
OTHER_TRACK = 0.97
"""Confidence is multiplied by this when a piece's end is told by a track that began after its own was lost."""
LEFT_MM = 6.0
"""A coin this far from its place has left it."""
LED_MM = 30.0
"""A striker rests at most this far from where it was last followed, and has gone farther."""


@dataclass(slots=True, eq=False)
class Play:
    """A stroke in progress."""

    t_strike: float
    moved: list[tuple[Lying, Track]] = field(default_factory=list)
    striker: Track | None = None
    striker_known: bool = False
    """Whether the striker stood on the table as a known piece."""
    contacts: list[tuple[float, Piece]] = field(default_factory=list)
    filled: set[Pocket] = field(default_factory=set)
    """Pockets in which a track has ended."""
    last_motion: float = 0.0
    t_rest: float | None = None
    seen_since_rest: Mask | None = None
    fouls: dict[Foul, float] = field(default_factory=dict)
    """Probability of each foul that was looked for."""

    def note_contact(self, track: Track) -> None:
        """A coin that has left its place was touched when it did; one merely lost to shade or glare was not."""
        if track.kind is not Kind.STRIKER and track.home is not None:
            start = flight_start(track)
            if len(track.times) == 1 or math.dist(track.places[0], track.place) > LEFT_MM:
                self.contacts.append((track.times[start], track.home))

    def led_to(self, x: float, y: float) -> bool:
        """Whether the striker was followed in flight to a point, mm."""
        if self.striker is None:
            return False
        return math.dist(self.striker.place, (x, y)) < LED_MM < math.dist(self.striker.places[0], (x, y))

    def nothing_happened(self, flew: bool, missing: list[Missing]) -> bool:
        """Whether no coin stirred and no striker is found that flew: a hand's shape was taken for a striker."""
        fell = any(m.fate is Fate.POCKETED or m.piece.kind is not Kind.STRIKER for m in missing)
        return not (self.contacts or flew or fell)


class Reckoning:
    """Tells the fate of missing pieces by their tracks and by what has been seen since the rest."""

    def __init__(self, profile: Profile, gate: Gate, tracker: Tracker) -> None:
        self.profile, self.gate, self.tracker = profile, gate, tracker

    def missing(self, play: Play, gone: list[tuple[Piece, Track | None]], sight: Sight) -> list[Missing]:
        """What became of the pieces that lie nowhere: by the tracks that ended in pockets or over the frame."""
        ended = ends(self.profile, [*self.tracker.ended, *self.tracker.live], sight.t)
        pairs = dict(explain(gone, ended, self.tracker.unlike))
        out = []
        for i, (piece, track) in enumerate(gone):
            if i in pairs:
                end, told = ended[pairs[i]]
                confidence = told.confidence if end is track else told.confidence * OTHER_TRACK
                out.append(replace(told, piece=piece, confidence=confidence))
            else:
                out.append(self._fate(play, piece, track, sight))
        return out

    def _fate(self, play: Play, piece: Piece, track: Track | None, sight: Sight) -> Missing:
        told = fate(self.profile, piece, track, sight.t)
        if told.fate is not Fate.UNKNOWN or play.seen_since_rest is None:
            return told
        rows, columns = self._places(track)
        hidden = play.seen_since_rest[rows, columns] == 0
        if track is not None and float(np.mean(hidden)) > HIDDEN_SHARE:
            return replace(told, fate=Fate.HIDDEN)
        if track is None and np.count_nonzero(cv2.bitwise_and(cv2.bitwise_not(play.seen_since_rest), self.gate.inside)):
            return replace(told, fate=Fate.HIDDEN)
        if piece.kind is Kind.STRIKER:
            return replace(told, fate=Fate.TAKEN)
        return replace(told, fate=Fate.POCKETED)

    def _places(self, track: Track | None) -> tuple[np.ndarray, np.ndarray]:
        """Lattice points where a track that was lost may have come to rest."""
        if track is None:
            rows, columns = np.nonzero(self.gate.inside)
            return rows, columns
        x, y = track.place
        return self.gate.lattice.disc_cells(x, y, 20.0 + 0.3 * min(track.speed, 600.0))
