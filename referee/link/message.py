"""Messages between the vision process and the web server: JSON objects with a `type`, and the bytes of a picture."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOCKET_NAME = "eyes.sock"
PORT_NAME = "eyes.port"
"""File with "PORT TOKEN", used where sockets cannot be files; the token keeps other users of the machine out."""
UNIX_PATH_BYTES = 100
"""Greatest length of a socket's path, in bytes; systems allow 104 to 108."""
FRAME = struct.Struct(">II")
"""Head of a message: lengths in bytes of the JSON text and of the bytes beside it."""
MESSAGE_BYTES = 16 << 20
"""Greatest length of a message: a preview picture is under 1 MB; more means that another program uses the socket."""

Body = dict[str, Any]


class LinkError(Exception):
    """The two processes cannot talk; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Message:
    """A JSON object and the bytes beside it."""

    body: Body
    blob: bytes = b""

    @property
    def type(self) -> str:
        return str(self.body.get("type"))


def packed(body: Body, blob: bytes) -> bytes:
    text = json.dumps(body, separators=(",", ":")).encode("ascii")
    return FRAME.pack(len(text), len(blob)) + text + blob


async def read_message(reader: asyncio.StreamReader) -> Message:
    """Reads the next message.

    Raises EOFError at the end of the connection and LinkError for anything that is no message.
    """
    text_bytes, blob_bytes = FRAME.unpack(await reader.readexactly(FRAME.size))
    if text_bytes + blob_bytes > MESSAGE_BYTES:
        raise LinkError(f"a message of {text_bytes + blob_bytes} bytes is longer than {MESSAGE_BYTES}")
    text = await reader.readexactly(text_bytes)
    blob = await reader.readexactly(blob_bytes)
    try:
        body = json.loads(text)
    except ValueError:
        raise LinkError("a message is not JSON") from None
    if not isinstance(body, dict):
        raise LinkError("a message is no JSON object")
    return Message(body, blob)


def unix_path(folder: Path) -> Path | None:
    """Returns the socket's path; None if sockets cannot be files or the path would be too long."""
    path = folder.resolve() / SOCKET_NAME
    has_unix = hasattr(socket, "AF_UNIX") and hasattr(asyncio, "start_unix_server")
    return path if has_unix and len(os.fsencode(path)) <= UNIX_PATH_BYTES else None
