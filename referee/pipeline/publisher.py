"""The eyes' side of the link while a match is refereed: what is seen goes out, the umpire's word comes in."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from calibration.profile import Profile
from referee.facts import Table
from referee.frames.frame import Source
from referee.link import EyesLink
from referee.log import Line
from referee.match import MatchError, correction_of
from referee.pipeline.camera_side import Eyes
from referee.pipeline.live_view import live
from referee.pipeline.preview import Preview
from referee.pipeline.vitals import Vitals
from referee.web.board_json import geometry_of_profile

LIVE_EVERY_S = 0.04
"""Time between two live pictures: of 25 a second twenty get through whatever else the machine does, and look smooth."""
RATE_OVER_S = 2.0
"""The frame rate shown is that of the last two seconds."""
WORDS_EVERY_S = 0.1
"""How often the umpire is listened to once no frames come any more."""


class Pace:
    """Says when something is due, so often on average whatever the times at which it is asked.

    By default so often as a live picture is.
    """

    def __init__(self, every_s: float = LIVE_EVERY_S) -> None:
        self._every_s, self._next = every_s, float("-inf")

    def __call__(self, now: float) -> bool:
        """Whether it is due at `now`; asked in the order of time, it counts as done then."""
        if now < self._next:
            return False
        # Counted on from when it was due and not from now: frames fall a little later each time.
        self._next = max(self._next, now - self._every_s) + self._every_s
        return True


class Publisher:
    """An audience of `referee`: tells every house, and takes corrections in between two frames; use it in a `with`."""

    def __init__(self, link: EyesLink, is_private: Callable[[], bool] | None = None,
                 clock: Callable[[], float] = time.monotonic) -> None:  # fmt: skip
        """`is_private`: after a source's end the umpire is served for as long as this says so; None = not at all."""
        self._link, self._is_private, self._clock = link, is_private, clock
        self._source = ""
        self.wish: dict[str, Any] | None = None
        """The match that the umpire wants to begin next, as the house sent it; the present one is to end then."""
        self.profile: Profile | None = None
        """The board as it was last known."""
        self.setup_asked: list[dict[str, Any]] = []
        """What a page asked for of a set-up; the watch is to end and the set-up to begin then."""
        self._held: list[dict[str, Any]] = []
        self.vitals = Vitals(link.publish)
        """How the eyes do; says too why nothing can be judged."""
        self._live_due = Pace()
        self._preview = Preview(link.publish)
        self._times: deque[float] = deque()

    def __enter__(self) -> Self:
        self._preview.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self._preview.__exit__(kind, error, trace)

    def began(self, source: Source, eyes: Eyes, log: Path) -> None:
        self._source, self.wish = source.name, None
        self._link.publish({"type": "match", "log": str(log.resolve())})
        self._link.publish({"type": "board", "board": geometry_of_profile(eyes.seeing.profile)})
        self.vitals.began(source, eyes, log)

    def heard(self, line: Line) -> None:
        self.vitals.heard(line)
        self._link.publish({"type": "line", "line": line})

    def saw(self, eyes: Eyes) -> None:
        self.vitals.saw(eyes)
        self._listen(eyes)
        if eyes.picture is not None:
            self._preview.offer(eyes.picture, eyes.seeing.watch.profile, lambda: _now(eyes))
        now = self._clock()
        self._times.append(now)
        while self._times[0] < now - RATE_OVER_S:
            self._times.popleft()
        if self._link.houses and self._live_due(now):
            self._link.publish(self._live(eyes))

    def ended(self, eyes: Eyes, whole: bool) -> None:
        self.vitals.ended(eyes, whole)
        self._link.publish(self._live(eyes) | {"phase": "ended"})
        while whole and not self.interrupted and self._is_private is not None and self._is_private():
            self._listen(eyes)
            time.sleep(WORDS_EVERY_S)

    @property
    def interrupted(self) -> bool:
        """Whether people want another match, or a set-up, instead of the present watch."""
        return self.wish is not None or bool(self.setup_asked)

    def publish(self, body: dict[str, Any], blob: bytes = b"") -> None:
        """Tells every house."""
        self._link.publish(body, blob)

    def poll(self) -> list[dict[str, Any]]:
        """What houses sent since the last time."""
        return self._link.poll()

    def hold(self, message: dict[str, Any]) -> None:
        """Keeps a word of the umpire until frames are judged again."""
        self._held.append(message)

    def asked_for_set_up(self) -> bool:
        """Whether a page asks for a set-up while nothing is watched; the umpire's words wait."""
        for message in self.poll():
            if self._is_for_set_up(message):
                self.setup_asked.append(message)
            elif message.get("type") not in ("setup", "setup_wanted", "preview_wanted"):
                self.hold(message)
        return bool(self.setup_asked)

    def _is_for_set_up(self, message: dict[str, Any]) -> bool:
        """What begins a set-up, and what was asked right after; a page that shows one long over ends no match."""
        return message.get("type") == "setup" and (message.get("ask") == "begin" or bool(self.setup_asked))

    def _listen(self, eyes: Eyes) -> None:
        """Takes the umpire's word."""
        held, self._held = self._held, []
        for message in held + self._link.poll():
            match message.get("type"):
                case "setup" if self._is_for_set_up(message):
                    self.setup_asked.append(message)
                case "correction":
                    self._correct(eyes, message)
                case "running":
                    eyes.session.run(message, Table(eyes.t, eyes.seeing.watch.table.pieces()))
                case "new_match":
                    self.wish, self.profile = message, eyes.seeing.watch.profile
                case "preview_wanted":
                    self._preview.want()

    def _correct(self, eyes: Eyes, message: dict[str, Any]) -> None:
        try:
            eyes.session.correct(correction_of(message, eyes.t))
        except MatchError as e:
            self._link.publish({"type": "refused", "id": message.get("id"), "texts": e.in_every_language()})

    def _live(self, eyes: Eyes) -> dict[str, Any]:
        spans = len(self._times) - 1
        rate = spans / (self._times[-1] - self._times[0]) if spans > 0 else None
        fps = None if rate is None else round(rate, 1)
        said = {"fps": fps, "dropped": eyes.dropped, "source": self._source, "recording": eyes.recording}
        return _now(eyes) | said


def _now(eyes: Eyes) -> dict[str, Any]:
    """What is seen this moment, read by the match's book."""
    return live(eyes.seeing, eyes.t, eyes.session.match.book)
