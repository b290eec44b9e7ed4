"""The broadcast: the newest value of everything that pages show, encoded once and sent to every viewer.

A difference replaces one whole section. Sections are small (a few kilobytes at most), so a page needs no patching code
and cannot drift from the truth. The newest value of a section replaces all earlier ones, so a viewer who reads slowly
skips values: no queue grows and nobody waits for him.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

VIEWER_BEAT_S = 1.0
"""Silence after which a viewer gets a heartbeat, s. A page can tell a quiet board from a dead connection by it."""

PACE_S = 0.03
"""Shortest time between two messages to one viewer, s. Twenty live pictures a second pass, floods do not."""


class Section(StrEnum):
    """A part of the state, replaced as a whole."""

    LINK = "link"
    """Whether the vision process is connected."""
    BOARD = "board"
    """Geometry of the board in view, mm."""
    VIEW = "view"
    """The match as recomputed from the log: score, turn, queen, dues, last rulings; in each language."""
    TABLE = "table"
    """The last settled board."""
    LIVE = "live"
    """Live vision: phase, pieces, hands, frame rate."""
    HEALTH = "health"
    """Alerts on the camera and the machine: kinds, with their numbers."""
    LOG = "log"
    """Number of lines of the match log, so that pages know when to fetch strokes again."""


def compact_json(value: object) -> str:
    """Returns compact JSON; raises ValueError for NaN and infinity, which browsers cannot read."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


@dataclass(slots=True)
class Entry:
    """Newest value of a section."""

    value: Any
    texts: Mapping[str, str]
    """The value as JSON by language, under "" if it has no words."""
    seq: int
    """Number of the publication among all sections."""
    at: float
    """Time of publication on the broadcast's clock, s."""

    def text(self, language: str) -> str:
        """Returns the value as JSON for a reader of `language`."""
        return self.texts[language if language in self.texts else ""]


@dataclass(slots=True, eq=False)
class Viewer:
    """A connected page, with the sections not yet sent to it."""

    unsent: set[str] = field(default_factory=set)
    wake: asyncio.Event = field(default_factory=asyncio.Event)


class Broadcast:
    """Holds the newest value of each section and notifies viewers; lives in one event loop."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, beat_s: float = VIEWER_BEAT_S) -> None:
        self._clock, self._beat_s = clock, beat_s
        self._entries: dict[str, Entry] = {}
        self._viewers: set[Viewer] = set()
        self._seq = 0

    @property
    def viewers(self) -> int:
        """Number of connected pages."""
        return len(self._viewers)

    def value(self, section: str) -> Any:
        """Returns the newest value of a section; None if there is none yet."""
        entry = self._entries.get(section)
        return entry.value if entry else None

    def publish(self, section: str, value: Any) -> None:
        """Replaces a section and wakes every viewer; never waits. Raises ValueError for what JSON cannot hold."""
        self._put(section, value, {"": compact_json(value)})

    def publish_worded(self, section: str, values: Mapping[str, Any], default: str) -> None:
        """Replaces a section that differs by language; `default` is for all other languages."""
        texts = {language: compact_json(value) for language, value in values.items()}
        self._put(section, values[default], texts | {"": texts[default]})

    def _put(self, section: str, value: Any, texts: Mapping[str, str]) -> None:
        self._seq += 1
        self._entries[section] = Entry(value, texts, self._seq, self._clock())
        for viewer in self._viewers:
            viewer.unsent.add(section)
            viewer.wake.set()

    def update(self, section: str, changes: Mapping[str, Any]) -> None:
        """Publishes a section with some of its keys changed, if anything differs."""
        old = self.value(section) or {}
        new = {**old, **changes}
        if new != old:
            self.publish(section, new)

    def state(self, language: str = "") -> str:
        """Returns everything: `{"type":"state","seq","sections":{...},"age_s":{...}}`; ages count from each
        publication.
        """
        now = self._clock()
        sections = ",".join(f'"{s}":{e.text(language)}' for s, e in self._entries.items())
        ages = compact_json({s: round(now - e.at, 2) for s, e in self._entries.items()})
        return f'{{"type":"state","seq":{self._seq},"sections":{{{sections}}},"age_s":{ages}}}'

    def difference(self, section: str, language: str = "") -> str:
        """Returns one section's newest value: `{"type":"diff","seq","section","value"}`."""
        entry = self._entries[section]
        return f'{{"type":"diff","seq":{entry.seq},"section":"{section}","value":{entry.text(language)}}}'

    async def messages(self, language: str = "") -> AsyncGenerator[str]:
        """Yields the messages for one viewer: the state, then differences for ever, a heartbeat when nothing
        happens.
        """
        with self._viewer() as viewer:
            yield self.state(language)
            while True:
                if not await _woken(viewer.wake, self._beat_s):
                    yield f'{{"type":"beat","seq":{self._seq}}}'
                    continue
                sections, viewer.unsent = sorted(viewer.unsent), set()
                viewer.wake.clear()
                for section in sections:
                    yield self.difference(section, language)
                await asyncio.sleep(PACE_S)

    @contextmanager
    def _viewer(self) -> Iterator[Viewer]:
        viewer = Viewer()
        self._viewers.add(viewer)
        try:
            yield viewer
        finally:
            self._viewers.discard(viewer)


async def _woken(event: asyncio.Event, beat_s: float) -> bool:
    """Waits for the event; False if a heartbeat is due first, after `beat_s`."""
    try:
        async with asyncio.timeout(beat_s):
            return await event.wait()
    except TimeoutError:
        return False
