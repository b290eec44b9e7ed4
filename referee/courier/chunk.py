"""Rows of a log as one message: a line of JSON that says where they stand, then the rows as they are in the file."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

ROWS_BYTES = 16 << 10
"""Bytes of rows in a message; one row that is longer goes alone. With a row a message, a backlog took 1.7 times as
long (64 boards, Mosquitto 2.0.11)."""
TAIL_DIGITS = 16
"""Digits of a row's hash."""
HEAD_BYTES = 200
"""Greatest length of the first line."""


class ChunkError(ValueError):
    """A message holds no rows of a log; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Whole rows of a log."""

    offset: int
    """Place of their first byte in the file."""
    before: str
    """`row_hash` of the row before, "" for the first: rows follow only the history that they were written after."""
    epoch: int
    """Number of times that the sender has gone back in this log; the answer to a gap repeats it."""
    rows: bytes

    @property
    def end(self) -> int:
        return self.offset + len(self.rows)


def row_hash(row: bytes) -> str:
    """Returns the hash of a row with its newline, "" for no row."""
    return hashlib.sha256(row).hexdigest()[:TAIL_DIGITS] if row else ""


def split_rows(data: bytes) -> list[bytes]:
    """Returns the rows, each with its newline."""
    return [row + b"\n" for row in data.split(b"\n")[:-1]]


def pack(chunk: Chunk) -> bytes:
    """Returns the message."""
    head = {"o": chunk.offset, "n": chunk.rows.count(b"\n"), "b": chunk.before, "e": chunk.epoch}
    return json.dumps(head, separators=(",", ":")).encode("ascii") + b"\n" + chunk.rows


def unpack(payload: bytes) -> Chunk:
    """Returns the rows in a message. Raises ChunkError."""
    head, newline, rows = payload.partition(b"\n")
    try:
        said = json.loads(head[:HEAD_BYTES])
        chunk = Chunk(int(said["o"]), str(said["b"]), int(said["e"]), rows)
        number = int(said["n"])
    except (ValueError, KeyError, TypeError):
        raise ChunkError("its first line does not say where its rows stand") from None
    if not newline or chunk.offset < 0 or not rows.endswith(b"\n") or rows.count(b"\n") != number:
        raise ChunkError("its rows are not whole")
    return chunk
