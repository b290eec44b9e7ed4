"""The vision process's side of the link during a match.

Publishes what is detected, and handles the umpire's requests.
"""

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
from referee.link import VisionEnd
from referee.log import Line
from referee.match import MatchError, correction_of
from referee.pipeline.frame_referee import FrameReferee
from referee.pipeline.live_view import live
from referee.pipeline.preview import Preview
from referee.pipeline.vitals import Vitals
from referee.web.board_json import geometry_of_profile

LIVE_EVERY_S = 0.04
"""Time between two live messages, in seconds: of 25 a second twenty get through under load, which looks smooth."""
RATE_OVER_S = 2.0
"""Time over which the displayed frame rate is measured, in seconds."""
WORDS_EVERY_S = 0.1
"""Interval at which requests are read once no frames come any more, in seconds."""


class PublishingRate:
    """Rate limit: something is due once in `every_s` seconds on average, whatever the times of the calls.

    The default is the interval of live pictures.
    """

    def __init__(self, every_s: float = LIVE_EVERY_S) -> None:
        self._every_s, self._next = every_s, float("-inf")

    def __call__(self, now: float) -> bool:
        """Tells whether it is due at `now`, and counts it as done then; call it in order of time."""
        if now < self._next:
            return False
        # Counted from when it was due and not from now: frames come a little later each time.
        self._next = max(self._next, now - self._every_s) + self._every_s
        return True


class Publisher:
    """An audience of `referee`: publishes to every web server and applies corrections between two frames.

    Use it in a `with`.
    """

    def __init__(self, link: VisionEnd, is_private: Callable[[], bool] | None = None,
                 clock: Callable[[], float] = time.monotonic) -> None:  # fmt: skip
        """`is_private`: after a source's end requests are served for as long as it returns True.

        With None they are not served then.
        """
        self._link, self._is_private, self._clock = link, is_private, clock
        self._source = ""
        self.wish: dict[str, Any] | None = None
        """Request for a new match as the web server sent it; it ends the present one."""
        self.profile: Profile | None = None
        """Profile in use when a new match was requested."""
        self.setup_asked: list[dict[str, Any]] = []
        """Requests of the pages for a set-up; they end the present match and begin the set-up."""
        self._held: list[dict[str, Any]] = []
        self.vitals = Vitals(link.publish)
        """Health of the vision process; also reports why nothing can be judged."""
        self._live_due = PublishingRate()
        self._preview = Preview(link.publish)
        self._times: deque[float] = deque()

    def __enter__(self) -> Self:
        self._preview.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self._preview.__exit__(kind, error, trace)

    def began(self, source: Source, frame_referee: FrameReferee, log: Path) -> None:
        self._source, self.wish = source.name, None
        self._link.publish({"type": "match", "log": str(log.resolve())})
        self._link.publish({"type": "board", "board": geometry_of_profile(frame_referee.seeing.profile)})
        self.vitals.began(source, frame_referee, log)

    def on_line(self, line: Line) -> None:
        self.vitals.on_line(line)
        self._link.publish({"type": "line", "line": line})

    def on_frame(self, frame_referee: FrameReferee) -> None:
        self.vitals.on_frame(frame_referee)
        self._listen(frame_referee)
        if frame_referee.picture is not None:
            self._preview.offer(frame_referee.picture, frame_referee.seeing.watch.profile, lambda: _now(frame_referee))
        now = self._clock()
        self._times.append(now)
        while self._times[0] < now - RATE_OVER_S:
            self._times.popleft()
        if self._link.listeners and self._live_due(now):
            self._link.publish(self._live(frame_referee))

    def ended(self, frame_referee: FrameReferee, whole: bool) -> None:
        self.vitals.ended(frame_referee, whole)
        self._link.publish(self._live(frame_referee) | {"phase": "ended"})
        while whole and not self.interrupted and self._is_private is not None and self._is_private():
            self._listen(frame_referee)
            time.sleep(WORDS_EVERY_S)

    @property
    def interrupted(self) -> bool:
        """True if another match or a set-up was requested, which ends the present match."""
        return self.wish is not None or bool(self.setup_asked)

    def publish(self, body: dict[str, Any], blob: bytes = b"") -> None:
        """Sends a message to every web server."""
        self._link.publish(body, blob)

    def poll(self) -> list[dict[str, Any]]:
        """Returns the messages of web servers since the last call."""
        return self._link.poll()

    def hold(self, message: dict[str, Any]) -> None:
        """Holds a request back until frames are judged again."""
        self._held.append(message)

    def asked_for_set_up(self) -> bool:
        """Tells whether a page requests a set-up while no match runs; holds other requests back."""
        for message in self.poll():
            if self._is_for_set_up(message):
                self.setup_asked.append(message)
            elif message.get("type") not in ("setup", "setup_wanted", "preview_wanted"):
                self.hold(message)
        return bool(self.setup_asked)

    def _is_for_set_up(self, message: dict[str, Any]) -> bool:
        """Tells whether a message begins a set-up or follows such a one.

        A page that shows one long over ends no match.
        """
        return message.get("type") == "setup" and (message.get("ask") == "begin" or bool(self.setup_asked))

    def _listen(self, frame_referee: FrameReferee) -> None:
        """Handles the requests held back and those received; one that the log has already is left out."""
        held, self._held = self._held, []
        for message in held + self._link.poll():
            if frame_referee.session.has_done(message.get("id")):
                continue
            match message.get("type"):
                case "setup" if self._is_for_set_up(message):
                    self.setup_asked.append(message)
                case "correction":
                    self._correct(frame_referee, message)
                case "running":
                    frame_referee.session.run(
                        message, Table(frame_referee.t, frame_referee.seeing.watch.table.pieces())
                    )
                case "new_match":
                    self.wish, self.profile = message, frame_referee.seeing.watch.profile
                case "preview_wanted":
                    self._preview.want()

    def _correct(self, frame_referee: FrameReferee, message: dict[str, Any]) -> None:
        try:
            frame_referee.session.correct(correction_of(message, frame_referee.t), message.get("seen"))
        except MatchError as e:
            self._link.publish({"type": "refused", "id": message.get("id"), "texts": e.in_every_language()})

    def _live(self, frame_referee: FrameReferee) -> dict[str, Any]:
        spans = len(self._times) - 1
        rate = spans / (self._times[-1] - self._times[0]) if spans > 0 else None
        fps = None if rate is None else round(rate, 1)
        said = {
            "fps": fps,
            "dropped": frame_referee.dropped,
            "source": self._source,
            "recording": frame_referee.recording,
        }
        return _now(frame_referee) | said


def _now(frame_referee: FrameReferee) -> dict[str, Any]:
    """Returns the live message of this moment, with the placement judged by the match's rule book."""
    return live(frame_referee.seeing, frame_referee.t, frame_referee.session.match.book)
