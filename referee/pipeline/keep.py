"""What is kept of a match beside its log while it is refereed: the tracks of every stroke."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from referee.frames.frame import Source
from referee.log import Line
from referee.pipeline.eyes import Eyes
from referee.replay.errands import Errands
from referee.replay.folder import MatchFolder
from referee.replay.trail import Trail
from referee.strokes.facts import AlertKind

TRACKS_LOST = "The tracks of the strokes cannot be kept ({why}); the score goes on: free some space on the disk."


class Keeper:
    """Hears what the log hears and sees what the eyes see; use it in a `with`, within which the log is open.

    A log that is no file of its own, such as a device, has nothing beside it.
    """

    def __init__(self, log: Path) -> None:
        self._folder = MatchFolder(log)
        self._errands = Errands("replays")
        self._trail = Trail()
        self._eyes: Eyes | None = None
        self._told: Line | None = None
        """The line of a stroke told in the frame under way."""
        self._last, self._start = 0, 1
        self._told_trouble = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        if self._eyes is not None and self._trail.has_moves:
            tail = self._trail.cut(self._eyes.seeing, 0.0)
            self._errands.send(lambda: tail.save(self._folder.tail(self._last, self._start)))
        self._errands.__exit__(kind, error, trace)

    def began(self, source: Source, eyes: Eyes, log: Path) -> None:
        """The board is known and the log is open."""
        if log.is_file():
            before = eyes.session.log.before
            self._eyes, self._last, self._start = eyes, before.last_stroke, len(before.headers) + 1

    def heard(self, line: Line) -> None:
        """A line stands in the log."""
        if line["type"] == "stroke":
            self._told = line

    def saw(self, eyes: Eyes) -> None:
        """A frame has been taken in."""
        if self._eyes is None:
            return
        self._trail.see(eyes.seeing, eyes.t)
        if self._told is not None:
            stroke, self._told = self._told, None
            self._keep_tracks(eyes, stroke)
        if self._errands.trouble is not None and not self._told_trouble:
            self._told_trouble = True
            eyes.alert(AlertKind.RECORDING_STOPPED, TRACKS_LOST.format(why=self._errands.trouble.strerror))

    def _keep_tracks(self, eyes: Eyes, stroke: Line) -> None:
        self._last = stroke["n"]
        tracks, path = self._trail.cut(eyes.seeing, stroke["t_strike"]), self._folder.tracks(self._last)
        self._errands.send(lambda: tracks.save(path))

    def ended(self, eyes: Eyes, whole: bool) -> None:
        """No frame will come any more; what is still open is kept at the end of the `with`."""
        return
