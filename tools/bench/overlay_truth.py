"""Ground truth for overlays: every piece's place in every frame of a clip, in pixels."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.pieces import Kind
from referee.bench.truth import TRUTH_SUFFIX, Truth, TruthError
from referee.replay.tracks import TRACKS_LETTERS

KINDS = np.array([TRACKS_LETTERS[k] for k in (Kind.WHITE, Kind.BLACK, Kind.QUEEN, Kind.STRIKER)])
"""Letters, as in tracks, of the file's kinds 0 to 3."""
UPRIGHT_MM, LOST_MM = 1.5, -20.0
"""Height beyond which a piece is tipping or falling, either way, and below which it has gone, mm."""
HIDDEN = 0.3
"""Share of a piece under a hand above which it is not visible."""
MOVES_MM_S = 5.0
"""Speed below which a piece counts as at rest, mm/s. At 60 frames a second it takes eight frames to move a pixel."""

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Poses:
    """Places of all n pieces in all f frames."""

    t: Array
    """(f,) Time in the clip, s."""
    kinds: Array
    """(n,) Letters (S1), as in tracks."""
    px: Array
    """(f, n, 2) Centre of each top face, px."""
    is_there: Array
    """(f, n) bool: on the board or falling."""
    is_seen: Array
    """(f, n) bool: on the playing surface and not under a hand."""
    moves: Array
    """(f, n) bool: faster than `MOVES_MM_S`."""

    def frame(self, t: float) -> int | None:
        """Returns the frame at time t (s), None if there was none."""
        i = int(np.abs(self.t - t).argmin())
        return i if abs(float(self.t[i]) - t) < 0.5 * float(np.median(np.diff(self.t))) else None


def load_poses(truth: Truth) -> Poses:
    """Reads NAME.truth.npz beside the clip. Raises TruthError."""
    assert truth.video is not None
    path = truth.video.with_name(truth.name + TRUTH_SUFFIX).with_suffix(".npz")
    try:
        with np.load(path) as d:
            return poses(d["t"], KINDS[d["kind"]], d["pos_mm"], d["top_px"], d["visible"] & (d["covered"] < HIDDEN),
                         truth.marks.half)  # fmt: skip
    except (OSError, KeyError, ValueError, IndexError, zipfile.BadZipFile) as e:
        raise TruthError(f"{path} tells no places of pieces ({e}); write it as the footage's README says") from None


def poses(t: Array, kinds: Array, pos_mm: Array, px: Array, is_clear: Array, half_mm: float) -> Poses:
    """Returns the poses of places (f, n, 3) mm on a board that reaches `half_mm` from its centre.

    `is_clear` (f, n) is true where no hand covers a piece.
    """
    z = pos_mm[:, :, 2]
    on = (np.abs(z) < UPRIGHT_MM) & (np.abs(pos_mm[:, :, :2]).max(2) < half_mm)
    after, before = np.minimum(np.arange(len(t)) + 1, len(t) - 1), np.maximum(np.arange(len(t)) - 1, 0)
    way = np.hypot(*np.moveaxis(pos_mm[after, :, :2] - pos_mm[before, :, :2], 2, 0))
    return Poses(t, kinds, px, z > LOST_MM, on & is_clear, way / (t[after] - t[before])[:, None] > MOVES_MM_S)
