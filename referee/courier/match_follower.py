"""The match in view at a board, as the courier tells it: followed from its log, in English."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from referee.laws.sentences import DEFAULT_LANGUAGE
from referee.log import LogError, LogTail
from referee.log.identity import match_uid
from referee.log.session import word_of
from referee.web.match_reader import MatchReader
from referee.web.wording import worded


class MatchFollower:
    """Follows the log of the running match; `refresh` may wait for the disk."""

    def __init__(self) -> None:
        self.log: Path | None = None
        self.words: set[str] = set()
        """Ids of the umpire's words that the log has."""
        self._reader = MatchReader()
        self._tail: LogTail | None = None

    def follow(self, log: Path) -> None:
        """Follows another log."""
        self.log, self._tail, self.words = log, LogTail(log), set()
        self._reader.clear()

    def refresh(self) -> None:
        """Reads what was added. A log that cannot be read is read again from its start."""
        try:
            while self._tail is not None and (lines := self._tail.new_lines()):
                for line in lines:
                    self._reader.add(line)
                self.words |= {word for line in lines if (word := word_of(line))}
        except LogError:
            if self.log is not None:
                self.follow(self.log)

    def state(self, eyes: bool) -> dict[str, Any]:
        """Returns the value of the state topic. `eyes`: whether the vision process runs."""
        match = self._reader.match
        view = worded(match, DEFAULT_LANGUAGE) if match else None
        return {"eyes": eyes, "uid": self._uid(), "running": self._reader.running, "view": view}

    def _uid(self) -> str | None:
        try:
            return match_uid(self.log) if self.log and self._reader.lines else None
        except OSError:
            return None
