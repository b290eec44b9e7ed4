"""Writes observations as lines of JSON and reads them back."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from referee.outcome.observation import Observation

VERSION = 3


class ObservationError(ValueError):
    """Raised for a line that is no valid observation; the message is one sentence with the cause and the remedy."""


def to_line(o: Observation, **more: Any) -> str:
    """Returns one line of JSON without a line break; `more` adds fields, which reading ignores."""
    fields = _adapter().dump_python(o, mode="json")
    return json.dumps({"observation": VERSION, **more, **fields}, separators=(",", ":"))


def from_line(line: str) -> Observation:
    """Returns the observation in a line; raises ObservationError."""
    try:
        d = json.loads(line)
    except json.JSONDecodeError as e:
        raise ObservationError(f"not a line of JSON ({e}); give a file that the referee recorded") from None
    if not isinstance(d, dict) or d.get("observation") != VERSION:
        raise ObservationError(f"no observation of version {VERSION}; record it again with this program")
    try:
        return _adapter().validate_python(d)
    except ValidationError as e:
        first = e.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ObservationError(f"a damaged observation ({where}: {first['msg']}); record it again") from None


@lru_cache(maxsize=1)
def _adapter() -> TypeAdapter[Observation]:
    return TypeAdapter(Observation)
