"""What moved on the board during a stroke: board millimetres, frame by frame, in one NumPy file.

`numpy.load("0012.npz")` gives these arrays by name; docs/replays.md says the same for people who write other programs.
"""

from __future__ import annotations

import zipfile
import zlib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.pieces import Kind
from referee.atomic_files import written

LETTERS = {Kind.WHITE: b"W", Kind.BLACK: b"B", Kind.QUEEN: b"Q", Kind.STRIKER: b"S"}
"""Kinds as the arrays name them."""
UNKNOWN = b"?"
"""A disc whose kind nobody could tell."""
VERSION = 2
SURE_MM = 0.15
"""A sighting of a greater sigma is in doubt: of 7363 rings below it on rendered clips 5 lay beyond 2 pixels."""

DISC = np.dtype([("t", "<f8"), ("track", "<u4"), ("kind", "S1"), ("x", "<f4"), ("y", "<f4"), ("sigma", "<f4")])
LYING = np.dtype([("change", "<u4"), ("kind", "S1"), ("x", "<f4"), ("y", "<f4")])
PLACED = np.dtype([("t", "<f8"), ("x", "<f4"), ("y", "<f4"), ("sigma", "<f4")])
HAND = np.dtype([("t", "<f8"), ("outline", "<u4"), ("x", "<i2"), ("y", "<i2")])

Rows = NDArray[Any]


class TracksError(Exception):
    """Tracks cannot be read; the message is one sentence."""


@dataclass(frozen=True, slots=True, eq=False)
class Tracks:
    """One stroke and what led to it."""

    version: Rows
    """() the format's version."""
    span: Rows
    """(2,) float64: times (s) of the first and the last frame told of."""
    discs: Rows
    """(n,) DISC: each sighting of a moving disc at a frame's time `t`; `track` numbers the discs, mm.

    `sigma` (mm) says how far its measured places scatter from a smooth way; infinite where it was only followed.
    """
    changes: Rows
    """(k,) float64: times (s) at which another set of pieces lay still on the board; the first is `span`'s first."""
    lying: Rows
    """(m,) LYING: the pieces lying from `changes[change]` on, none that moves then, all anew at each change, mm."""
    placed: Rows
    """(p,) PLACED: each sighting of the striker standing on its base lines before the stroke, mm."""
    hands: Rows
    """(h,) HAND: corners of the outlines of hands and arms at time `t`, whole mm; `outline` numbers the outlines."""

    def save(self, path: Path) -> None:
        """Writes the file, whole or not at all; raises OSError."""
        arrays = {f.name: getattr(self, f.name) for f in fields(self)}
        with written(path) as part, part.open("wb") as file:
            np.savez_compressed(file, **arrays)


def load_tracks(path: Path) -> Tracks:
    """The tracks kept at `path`; raises TracksError."""
    try:
        with path.open("rb") as file, np.load(file) as stored:
            arrays = {f.name: stored[f.name] for f in fields(Tracks)}
    except FileNotFoundError:
        raise TracksError(f"no tracks were kept at {path}") from None
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as e:
        raise TracksError(f"the tracks {path} are damaged ({e}); the match can be shown without them") from None
    if int(arrays["version"]) != VERSION:
        raise TracksError(f"the tracks {path} are of version {int(arrays['version'])}, this program reads {VERSION}")
    for array in arrays.values():
        array.setflags(write=False)
    return Tracks(**arrays)
