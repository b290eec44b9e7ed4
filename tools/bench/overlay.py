"""Compares the overlay of a replay with the clip's truth, ring by ring and frame by frame, in pixels."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

import numpy as np

from calibration.calibrate import CalibrationError
from referee.bench.truth import Truth
from referee.frames.frame import SourceError
from referee.frames.open import open_source
from referee.pipeline import MatchSettings, referee
from referee.replay.outlines import ClipOutlines, DiscOutline
from referee.replay.recording_settings import RecordedMedia, Recording
from referee.replay.store import Replay
from referee.replay.tracks import TRACKS_UNKNOWN, TracksError
from tools.bench.overlay_truth import Poses, load_poses

NEAR_PX = 2.0
"""Distance from a piece of its kind below which a ring counts as on it, px."""


class Sort(StrEnum):
    """Kind of ring, by its piece and its style."""

    MOVING = "sure, about a moving piece"
    AT_REST = "sure, about a piece at rest"
    DOUBT = "in doubt, drawn broken"


class Visible(StrEnum):
    """Visible true pieces."""

    MOVING = "moving"
    AT_REST = "at rest"


@dataclass(frozen=True, slots=True)
class Astray:
    """A ring on no piece of its kind."""

    clip: str
    t: float
    sort: Sort
    kind: str
    x_mm: float
    y_mm: float
    off_px: float
    """Distance from the nearest piece of its kind, px."""


@dataclass(slots=True)
class Overlay:
    """All rings of all frames of one clip, or of many."""

    name: str
    frames: int = 0
    off_px: dict[Sort, list[float]] = field(default_factory=lambda: {s: [] for s in Sort})
    """Distance of each ring from the nearest piece of its kind, px."""
    pieces: Counter[Visible] = field(default_factory=Counter)
    """Number of visible pieces, summed over frames."""
    ringed: Counter[Visible] = field(default_factory=Counter)
    """Those with a sure ring."""
    marked: Counter[Visible] = field(default_factory=Counter)
    """Those with any ring, broken ones included."""
    astray: list[Astray] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    """A sentence for everything that could not be measured."""

    def add(self, other: Overlay) -> None:
        """Adds another clip's rings."""
        self.frames += other.frames
        for sort in Sort:
            self.off_px[sort] += other.off_px[sort]
        self.pieces.update(other.pieces)
        self.ringed.update(other.ringed)
        self.marked.update(other.marked)
        self.astray += other.astray
        self.failures += other.failures


def measure_overlay(truth: Truth, folder: Path) -> Overlay:
    """Referees a clip into `folder`/NAME.jsonl as `analyse --record video` would, and measures its replay."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"{truth.name}.jsonl"
    log.unlink(missing_ok=True)
    true = load_poses(truth)
    try:
        referee(open_source(str(truth.video)), MatchSettings(recording=Recording(RecordedMedia.VIDEO)), log, truth.name)
    except (SourceError, CalibrationError) as e:
        return Overlay(truth.name, failures=[f"{truth.name}: {e}"])
    return held(Replay(log), true, truth.name)


def held(replay: Replay, true: Poses, name: str) -> Overlay:
    """Compares every ring of every frame of each clip of a stored match with the truth."""
    overlay = Overlay(name)
    for n, stroke in replay.strokes.items():
        try:
            tracks = replay.tracks(n)
        except TracksError as e:
            overlay.failures.append(f"{name}: {e}")
            continue
        if stroke.clip is None:
            overlay.failures.append(f"{name}: no video of stroke {n} was kept")
            continue
        rims = ClipOutlines(stroke.clip, replay.header(n))
        for t in stroke.clip.times:
            if (i := true.frame(t)) is not None:
                _frame(overlay, true, i, rims.at(tracks, t, stroke.line["t_strike"]))
    return overlay


def _frame(overlay: Overlay, true: Poses, i: int, rims: list[DiscOutline]) -> None:
    overlay.frames += 1
    ringed, marked = set(), set()
    for rim in rims:
        nearest, off = _nearest(true, i, rim)
        sort = Sort.DOUBT if not rim.shown.sure else Sort.MOVING if true.moves[i, nearest] else Sort.AT_REST
        overlay.off_px[sort].append(off)
        if off < NEAR_PX:
            marked.add(nearest)
            ringed |= {nearest} if rim.shown.sure else set()
        else:
            kind, t = rim.shown.kind.decode("ascii"), float(true.t[i])
            overlay.astray.append(Astray(overlay.name, t, sort, kind, rim.shown.x, rim.shown.y, off))
    for k in np.flatnonzero(true.is_seen[i]).tolist():
        visible = Visible.MOVING if true.moves[i, k] else Visible.AT_REST
        overlay.pieces[visible] += 1
        overlay.ringed[visible] += k in ringed
        overlay.marked[visible] += k in marked


def _nearest(true: Poses, i: int, rim: DiscOutline) -> tuple[int, float]:
    """Returns the piece of the ring's kind nearest to its centre, and its distance (px); infinite if there is none."""
    off = np.hypot(*(true.px[i] - rim.px.mean(0)).T)
    alike = true.is_there[i] & ((true.kinds == rim.shown.kind) | (rim.shown.kind == TRACKS_UNKNOWN))
    off = np.where(alike, off, np.inf)
    nearest = int(off.argmin())
    return nearest, float(off[nearest])
