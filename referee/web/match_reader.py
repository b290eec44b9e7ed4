"""The match log for the pages: lines by number, the match rebuilt from them, and who changed what."""

from __future__ import annotations

import logging
from typing import Any

from referee.log import Line
from referee.log.running import Running, running_of
from referee.log.session import PEOPLES_LINES
from referee.log.stored_match import MatchRebuilder, opening_line
from referee.match import Match, Ruling
from referee.web.settled_boards import layouts_of
from referee.web.wording import ruling_entry

logger = logging.getLogger(__name__)

PAGE_LINES = 500
"""Greatest number of lines in one answer; a page continues at `next`."""
RECEIPTS = 20
"""Number of last changes whose ids are published, so that a slow page finds its own."""


class MatchReader:
    """Log lines in order, and the match rebuilt as they arrive."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forgets everything, since the log is read again from its start."""
        self.lines: list[Line] = []
        self.damaged = 0
        """Number of lines that failed their check and were skipped."""
        self.running = Running.PLAYING
        self._changes: list[Line] = []
        self._entries: dict[tuple[int, str], tuple[Ruling, dict[str, Any]]] = {}
        """Rulings in words by stroke and language, made anew only when a ruling changed."""
        self._retelling: MatchRebuilder | None = None

    @property
    def match(self) -> Match | None:
        """The match so far; None before the line that begins it."""
        return self._retelling.match if self._retelling else None

    def add(self, line: Line) -> None:
        """Adds the next line. Raises LogError if the match's rule book is unknown."""
        self.lines.append(line)
        if line["type"] in PEOPLES_LINES:
            self._changes.append(line)
        if line["type"] == "running":
            self.running = running_of(line)
        if self._retelling is not None:
            self._retell(self._retelling, line, len(self.lines) == 1)
        elif (start := opening_line([line])) is not None:
            self._retelling = MatchRebuilder(start)
            # Lines before the one that begins the match belong to it too.
            for i, earlier in enumerate(self.lines):
                self._retell(self._retelling, earlier, i == 0)

    def _retell(self, retelling: MatchRebuilder, line: Line, first: bool) -> None:
        known = len(retelling.problems)
        retelling.add(line, first)
        for problem in retelling.problems[known:]:
            logger.warning("%s", problem)

    def summary(self) -> dict[str, Any]:
        """Returns the value of the log section: counts, and ids of the last corrections as receipts."""
        last = self._changes[-1] if self._changes else {}
        strokes = len(self.match.rulings) if self.match else 0
        return {"lines": len(self.lines), "strokes": strokes, "corrections": len(self._changes),
                "last_correction": last.get("id"), "damaged": self.damaged,
                "receipts": [line.get("id") for line in self._changes[-RECEIPTS:]]}  # fmt: skip

    def page(self, since: int) -> dict[str, Any]:
        """Returns lines from number `since` (0 = the first) on, and where to continue."""
        lines = self.lines[max(since, 0) : max(since, 0) + PAGE_LINES]
        return {"lines": lines, "next": max(since, 0) + len(lines), "total": len(self.lines)}

    def strokes(self, language: str) -> list[dict[str, Any]]:
        """Returns every stroke with its present ruling, newest first."""
        rulings = self.match.rulings.values() if self.match else ()
        return [self._entry(ruling, language) for ruling in reversed(list(rulings))]

    def _entry(self, ruling: Ruling, language: str) -> dict[str, Any]:
        known = self._entries.get((ruling.stroke, language))
        if known is None or known[0] is not ruling:
            known = self._entries[ruling.stroke, language] = ruling, ruling_entry(ruling, language)
        return known[1]

    def changes(self) -> list[Line]:
        """Returns everything that people changed, newest first: who, when and what.

        `holds` says whether it is in force now; null for what cannot be undone, such as a pause.
        """
        return [line | {"holds": self._is_effective(line)} for line in reversed(self._changes)]

    def _is_effective(self, line: Line) -> bool | None:
        history = self.match.history if self.match else None
        return history.in_force(line["id"]) if history and line["type"] == "correction" and line.get("id") else None

    def board_before(self, stroke: int) -> list[dict[str, Any]]:
        """Returns the last settled pieces before a stroke; empty if unknown."""
        pieces: list[dict[str, Any]] = []
        for line in self.lines:
            if line["type"] == "stroke" and line["n"] == stroke:
                return pieces
            if line["type"] in ("table", "formation"):
                pieces = line["pieces"]
        return []

    def layouts(self) -> list[dict[str, Any]]:
        """Returns the last settled boards, newest first, see `referee.web.settled_boards`."""
        annulled = {n for n, ruling in self.match.rulings.items() if ruling.annulled} if self.match else set()
        return layouts_of(self.lines, annulled)
