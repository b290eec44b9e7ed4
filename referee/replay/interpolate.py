"""Interpolates the tracks at one time: returns the visible pieces, at rest or moving.

The player in the browser (`static/scripts/moving.js`) follows the same rules.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np

from models.pieces import Kind
from referee.replay.tracks import TRACKS_LETTERS, TRACKS_SURE_MM, Rows, Tracks

SAME_TIME_S = 0.002
"""Times less than this apart (s) are the same: tracks are drawn to 0.1 ms, clips are timed to 0.01 ms."""
INTERPOLATION_GAP_S = 0.045
"""Longest gap between detections, in seconds, that is interpolated: over a longer one the disc may have hit
something."""
HANDS_S, TOUCHED_S = 0.15, 0.5
"""HANDS_S: age of an outline, in seconds, from which its hand is gone. TOUCHED_S: age, in seconds, up to which pieces
under it may have been moved."""
MOST_GAP_FRAMES = 1.5
"""Detections more than this many frame intervals apart have a frame between them in which the disc was missed."""
FRAME_S = 0.02
"""Greatest delay of a reported strike, in seconds (one frame): the striker may have left that much earlier."""
STRIKER_HOLDS_S, STAYS_S, STRIKER_SAME_MM = 0.12, 0.24, 0.7
"""The striker on its lines is measured ten times a second. A measurement holds for STRIKER_HOLDS_S. The striker was at
rest between two that are at most STAYS_S and STRIKER_SAME_MM apart."""


@dataclass(frozen=True, slots=True)
class ShownDisc:
    """Piece to be drawn."""

    kind: bytes
    """Letter of the kind, as in the tracks."""
    x: float
    y: float
    """Board mm."""
    sure: bool = True
    """False where its place is in doubt."""


def pieces_at(tracks: Tracks, t: float, t_strike: float) -> list[ShownDisc]:
    """Returns every visible piece at t: none under a hand, none before the tracks begin.

    After their end the coins are returned at their last places, in doubt.
    """
    if t < tracks.span[0] - SAME_TIME_S:
        return []
    if t > tracks.span[1] + SAME_TIME_S:
        coins = (p for p in _lying_at(tracks, t) if p.kind != TRACKS_LETTERS[Kind.STRIKER])
        return [replace(p, sure=False) for p in coins]
    located = list(_uncovered(tracks, t))
    located += [shown for rows in detections_by_track(tracks) if (shown := interpolated(rows, t)) is not None]
    if t <= t_strike and not any(p.kind == TRACKS_LETTERS[Kind.STRIKER] for p in located):
        located += _standing_at(tracks, t)
    return located


def detections_by_track(tracks: Tracks) -> list[Rows]:
    """Returns the measured detections of each moving disc, in order of time."""
    discs = tracks.discs[np.isfinite(tracks.discs["sigma"])]
    return [discs[discs["track"] == n] for n in np.unique(discs["track"])]


def interpolated(rows: Rows, t: float) -> ShownDisc | None:
    """Returns the disc of `rows` on the straight line between two detections; None where it was not detected.

    It is in doubt if it was missed in a frame between them, where it may have hit something, or measured badly.
    """
    times = rows["t"]
    after = int(np.searchsorted(times, t - SAME_TIME_S))
    if after == len(times) or times[0] > t + SAME_TIME_S:
        return None
    here = rows[after : after + 1] if times[after] <= t + SAME_TIME_S else rows[after - 1 : after + 1]
    gap = here["t"][-1] - here["t"][0]
    if gap > INTERPOLATION_GAP_S:
        return None
    is_sure = here["sigma"].max() <= TRACKS_SURE_MM and gap <= MOST_GAP_FRAMES * np.diff(times).min(
        initial=INTERPOLATION_GAP_S
    )
    x, y = (float(np.interp(t, here["t"], here[axis])) for axis in ("x", "y"))
    return ShownDisc(bytes(here["kind"][0]), x, y, bool(is_sure))


def _lying_at(tracks: Tracks, t: float) -> Iterator[ShownDisc]:
    change = int(np.searchsorted(tracks.changes, t + SAME_TIME_S, side="right")) - 1
    for row in tracks.lying[tracks.lying["change"] == max(change, 0)]:
        yield ShownDisc(bytes(row["kind"]), float(row["x"]), float(row["y"]))


def _standing_at(tracks: Tracks, t: float) -> Iterator[ShownDisc]:
    """Yields the striker on its base lines, in doubt where it may have been moved since it was measured."""
    placed = tracks.placed
    last = int(np.searchsorted(placed["t"], t + SAME_TIME_S, side="right")) - 1
    if last < 0 or t - placed["t"][last] >= STRIKER_HOLDS_S:
        return
    is_current = t - placed["t"][last] <= SAME_TIME_S
    sure = _is_at_rest(placed[last : last + 2]) or (
        is_current and last > 0 and _is_at_rest(placed[last - 1 : last + 1])
    )
    yield ShownDisc(TRACKS_LETTERS[Kind.STRIKER], float(placed["x"][last]), float(placed["y"][last]), sure)


def _is_at_rest(rows: Rows) -> bool:
    """Tells whether the striker stood still between two measurements."""
    if len(rows) < 2 or rows["t"][1] - rows["t"][0] > STAYS_S:
        return False
    return math.dist((rows["x"][0], rows["y"][0]), (rows["x"][1], rows["y"][1])) <= STRIKER_SAME_MM


def _uncovered(tracks: Tracks, t: float) -> Iterator[ShownDisc]:
    """Yields the pieces at rest under no hand, in doubt if a hand covered them a moment before."""
    lately = list(_hands_about(tracks, t))
    now = [outline for at, outline in lately if at == lately[-1][0] and t - at < HANDS_S]
    for piece in _lying_at(tracks, t):
        if not any(_covers(outline, piece) for outline in now):
            yield replace(piece, sure=not any(_covers(outline, piece) for _, outline in lately))


def _hands_about(tracks: Tracks, t: float) -> Iterator[tuple[float, Rows]]:
    """Yields time and corners (k, 2) of each hand's outline in the last TOUCHED_S seconds, in order of time."""
    times = tracks.hands["t"]
    lately = tracks.hands[(times <= t + SAME_TIME_S) & (times >= t - TOUCHED_S)]
    for at in np.unique(lately["t"]):
        then = lately[lately["t"] == at]
        for outline in np.unique(then["outline"]):
            corners = then[then["outline"] == outline]
            yield float(at), np.column_stack([corners["x"], corners["y"]]).astype(np.float32)


def _covers(outline: Rows, piece: ShownDisc) -> bool:
    return cv2.pointPolygonTest(outline, (piece.x, piece.y), False) >= 0
