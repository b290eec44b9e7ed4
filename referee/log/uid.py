"""Uids: ids that no two machines make alike (RFC 9562). Python has UUIDs that begin with the time from 3.14 on only."""

from __future__ import annotations

import hashlib
import secrets
import time
from uuid import UUID


def uuid7() -> str:
    """Returns a new UUID that begins with the time (RFC 9562, section 5.7).

    Its 74 random bits keep two machines apart that start in the same millisecond, and a wrong clock does no harm.
    """
    milliseconds = time.time_ns() // 1_000_000 & (1 << 48) - 1
    return _stamped(milliseconds << 80 | secrets.randbits(80), 7)


def derived_uid(row: bytes) -> str:
    """Returns the uid of a log without one, from its first line."""
    return _stamped(int.from_bytes(hashlib.sha256(row.rstrip(b"\n")).digest()[:16], "big"), 8)


def is_uuid(value: object) -> bool:
    """Tells whether it is a UUID in its usual form, in lower case."""
    try:
        return isinstance(value, str) and str(UUID(value)) == value
    except ValueError:
        return False


def _stamped(value: int, version: int) -> str:
    """Returns the 128 bits of `value` as a UUID of this version (RFC 9562, section 4)."""
    value = value & ~(0xF << 76) | version << 76
    return str(UUID(int=value & ~(0x3 << 62) | 0x2 << 62))
