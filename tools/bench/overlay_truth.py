"""Where every piece of a clip really is in every frame, in the clip's own pixels: the truth of an overlay."""

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
"""What the file's kinds 0 to 3 are, as tracks name them."""
UPRIGHT_MM, LOST_MM = 1.5, -20.0
"""A piece lower or higher than the first is tipping or falling; one below the second has gone."""
HIDDEN = 0.3
"""A piece more of which is under a hand is not seen."""
MOVES_MM_S = 5.0
"""What is slower rests: it takes eight frames of a camera of 60 a second to go a pixel."""

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Poses:
    """All n pieces in all f frames."""

    t: Array
    """(f,) seconds of the clip."""
    kinds: Array
    """(n,) S1, as in tracks."""
    px: Array
    """(f, n, 2) pixels of each top face's middle."""
    is_there: Array
    """(f, n) bool: on the board or falling."""
    is_seen: Array
    """(f, n) bool: on the playing surface and not under a hand."""
    moves: Array
    """(f, n) bool."""

    def frame(self, t: float) -> int | None:
        """The frame taken at t (s), None when there was none."""
        i = int(np.abs(self.t - t).argmin())
        return i if abs(float(self.t[i]) - t) < 0.5 * float(np.median(np.diff(self.t))) else None


def load_poses(truth: Truth) -> Poses:
    """Reads NAME.truth.npz beside the clip; raises TruthError."""
    assert truth.video is not None
    path = truth.video.with_name(truth.name + TRUTH_SUFFIX).with_suffix(".npz")
    try:
        with np.load(path) as d:
            return poses(d["t"], KINDS[d["kind"]], d["pos_mm"], d["top_px"], d["visible"] & (d["covered"] < HIDDEN),
                         truth.marks.half)  # fmt: skip
    except (OSError, KeyError, ValueError, IndexError, zipfile.BadZipFile) as e:
        raise TruthError(f"{path} tells no places of pieces ({e}); write it as the footage's README says") from None


def poses(t: Array, kinds: Array, pos_mm: Array, px: Array, is_clear: Array, half_mm: float) -> Poses:
    """From places (f, n, 3) on a board that reaches `half_mm` from its middle; `is_clear` (f, n): not under a hand."""
    z = pos_mm[:, :, 2]
    on = (np.abs(z) < UPRIGHT_MM) & (np.abs(pos_mm[:, :, :2]).max(2) < half_mm)
    after, before = np.minimum(np.arange(len(t)) + 1, len(t) - 1), np.maximum(np.arange(len(t)) - 1, 0)
    way = np.hypot(*np.moveaxis(pos_mm[after, :, :2] - pos_mm[before, :, :2], 2, 0))
    return Poses(t, kinds, px, z > LOST_MM, on & is_clear, way / (t[after] - t[before])[:, None] > MOVES_MM_S)
