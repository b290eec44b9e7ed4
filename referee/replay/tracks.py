"""Tracks of a stroke: places of the pieces in board millimetres, frame by frame, in one NumPy file.

`numpy.load("0012.npz")` returns these arrays by name; docs/replays.md describes them for authors of other programs.
"""

from __future__ import annotations

import io
import math
import struct
import zipfile
import zlib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.pieces import Kind
from referee.atomic_files import written

TRACKS_LETTERS = {Kind.WHITE: b"W", Kind.BLACK: b"B", Kind.QUEEN: b"Q", Kind.STRIKER: b"S"}
"""Letters of the kinds in the arrays."""
TRACKS_UNKNOWN = b"?"
"""Letter of a disc of unknown kind."""
VERSION = 2
TRACKS_SURE_MM = 0.15
"""Greatest sigma of a sure detection: of 7363 such outlines on rendered clips 5 lay more than 2 pixels off."""

DISC = np.dtype([("t", "<f8"), ("track", "<u4"), ("kind", "S1"), ("x", "<f4"), ("y", "<f4"), ("sigma", "<f4")])
LYING = np.dtype([("change", "<u4"), ("kind", "S1"), ("x", "<f4"), ("y", "<f4")])
PLACED = np.dtype([("t", "<f8"), ("x", "<f4"), ("y", "<f4"), ("sigma", "<f4")])
HAND = np.dtype([("t", "<f8"), ("outline", "<u4"), ("x", "<i2"), ("y", "<i2")])

Rows = NDArray[Any]

SHAPES: dict[str, tuple[np.dtype[Any], tuple[int, ...]]] = {
    "span": (np.dtype("<f8"), (2,)), "discs": (DISC, (-1,)), "changes": (np.dtype("<f8"), (-1,)),
    "lying": (LYING, (-1,)), "placed": (PLACED, (-1,)), "hands": (HAND, (-1,)),
}  # fmt: skip
"""Type and shape of each array of a file; -1 for any number."""
TRACKS_MOST_BYTES = 8 << 20
"""Greatest size of one array, in bytes: ten minutes of a stroke and of hands. The largest of some thousand strokes has
0.4 MB."""
TRACKS_MOST_NUMBER = 1e9
"""Bound on any number in the arrays; seconds and millimetres stay far below."""


class TracksError(Exception):
    """Tracks cannot be read; the message is one sentence."""


@dataclass(frozen=True, slots=True, eq=False)
class Tracks:
    """Tracks of one stroke and of the time before it."""

    version: Rows
    """(): version of the format."""
    span: Rows
    """(2,) float64: times (s) of the first and the last frame."""
    discs: Rows
    """(n,) DISC: each detection of a moving disc at a frame's time `t`, mm; `track` numbers the discs.

    `sigma` (mm): RMS distance of its measured places from a smooth path; infinite if it was tracked, not measured.
    """
    changes: Rows
    """(k,) float64: times (s) at which the set of pieces at rest changed; the first is `span`'s first."""
    lying: Rows
    """(m,) LYING: all pieces at rest from `changes[change]` on, mm, listed anew at each change."""
    placed: Rows
    """(p,) PLACED: measurements of the striker on its base lines before the stroke, mm."""
    hands: Rows
    """(h,) HAND: corners of the outlines of hands and arms at time `t`, whole mm; `outline` numbers the outlines."""

    def save(self, path: Path) -> None:
        """Writes the file, completely or not at all; raises OSError."""
        arrays = {f.name: getattr(self, f.name) for f in fields(self)}
        with written(path) as part, part.open("wb") as file:
            np.savez_compressed(file, **arrays)


def load_tracks(path: Path) -> Tracks:
    """Returns the tracks stored at `path`.

    Raises TracksError, also for arrays of other shapes or with values out of range.
    """
    try:
        with zipfile.ZipFile(path) as stored:
            arrays = {f.name: _array(stored, f.name) for f in fields(Tracks)}
        if arrays["version"].dtype.kind not in "iu":
            raise ValueError("a version that is no number")
        version = int(arrays["version"])
        if version == VERSION:
            _check(arrays)
    except FileNotFoundError:
        raise TracksError(f"no tracks were kept at {path}") from None
    except (OSError, LookupError, ValueError, TypeError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error,
            struct.error, SyntaxError) as e:  # fmt: skip
        raise TracksError(f"the tracks {path} are damaged ({e}); the match can be shown without them") from None
    if version != VERSION:
        raise TracksError(f"the tracks {path} are of version {version}, this program reads {VERSION}")
    for array in arrays.values():
        array.setflags(write=False)
    return Tracks(**arrays)


def _array(stored: zipfile.ZipFile, name: str) -> Rows:
    """Returns one array of a NumPy file; allocates `TRACKS_MOST_BYTES` at most. Raises ValueError."""
    with stored.open(f"{name}.npy") as file:
        data = file.read(TRACKS_MOST_BYTES + 1)
    if len(data) > TRACKS_MOST_BYTES:
        raise ValueError(f"{name} takes more than {TRACKS_MOST_BYTES} bytes")
    packed = io.BytesIO(data)
    major, _ = np.lib.format.read_magic(packed)
    read = np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
    shape, fortran, dtype = read(packed)
    if fortran or dtype.hasobject or math.prod(shape) * dtype.itemsize != len(data) - packed.tell():
        raise ValueError(f"{name} is not as large as it says")
    return np.frombuffer(data, dtype, offset=packed.tell()).reshape(shape)


def _check(arrays: dict[str, Rows]) -> None:
    """Raises ValueError unless every array has the type, shape and range that `Tracks` states."""
    for name, (dtype, shape) in SHAPES.items():
        array = arrays[name]
        is_shaped = array.ndim == len(shape) and all(m in (-1, n) for m, n in zip(shape, array.shape, strict=True))
        if array.dtype != dtype or not is_shaped:
            raise ValueError(f"{name} is of {array.dtype} {array.shape}")
        for column in array.dtype.names or (None,):
            values = array if column is None else array[column]
            if values.dtype.kind == "f" and column != "sigma" and not np.all(np.abs(values) < TRACKS_MOST_NUMBER):
                raise ValueError(f"{name} holds numbers beyond all measure")
    if np.any(np.isnan(arrays["discs"]["sigma"])) or np.any(np.diff(arrays["changes"]) < 0):
        raise ValueError("sigmas or times that are none")
    if arrays["lying"].size and int(arrays["lying"]["change"].max()) >= len(arrays["changes"]):
        raise ValueError("pieces lie there since a change that is none")
