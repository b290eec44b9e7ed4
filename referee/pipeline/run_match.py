"""Referees one source from its first frame to its end: joins the stages."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol

from models.rules import DEFAULT_RULES, stored_text
from referee.facts import AlertKind
from referee.frames.frame import Frame, Source, SourceError, stated_lens_of
from referee.frames.guarded import opened
from referee.log import Line, LogError, LogWriter, read_log
from referee.log.identity import identity_fields
from referee.log.session import Session
from referee.log.stored_match import opening_line
from referee.match import Action, Correction, Match, Start
from referee.pipeline.clock import WallClock
from referee.pipeline.frame_referee import FrameReferee, Players, ignore_ruling
from referee.pipeline.picture_verdict import picture_faults
from referee.pipeline.record_match import ReplayRecorder
from referee.pipeline.startup import MatchSettings, PreparedSource, geometry_fields, ready
from referee.replay.pace import TimeLeft, never_ends
from referee.setup.meters import exposure_of
from referee.tracking.assignment import prepare

RUN_LATE = "No board was seen before {s:.1f} s, and what happened until then was not refereed."
UNKNOWN_BOOK = (
    "the header of {log} is damaged, and no line says by which rule book its match is played: name it with --rules, or "
    "begin another log"
)
ELSEWHERE = "The camera stands about {mm:.1f} mm on the board from where its profile has it; the board was found again."


class Audience(Protocol):
    """Observer of a match while it is refereed; it must never make the referee wait."""

    def began(self, source: Source, frame_referee: FrameReferee, log: Path) -> None:
        """Called when the board is known and the log is open; nothing has been refereed yet."""

    def on_line(self, line: Line) -> None:
        """Called when a line was written to the log."""

    def on_frame(self, frame_referee: FrameReferee) -> None:
        """Called when a frame was processed."""

    def ended(self, frame_referee: FrameReferee, whole: bool) -> None:
        """Called when the source has ended, `whole` or by a failure. No frame follows, so this may wait for people."""


class NoAudience:
    """Audience that does nothing."""

    def began(self, source: Source, frame_referee: FrameReferee, log: Path) -> None:
        return

    def on_line(self, line: Line) -> None:
        return

    def on_frame(self, frame_referee: FrameReferee) -> None:
        return

    def ended(self, frame_referee: FrameReferee, whole: bool) -> None:
        return


class Audiences:
    """Several audiences as one, called in this order."""

    def __init__(self, *audiences: Audience) -> None:
        self._audiences = audiences

    def began(self, source: Source, frame_referee: FrameReferee, log: Path) -> None:
        for audience in self._audiences:
            audience.began(source, frame_referee, log)

    def on_line(self, line: Line) -> None:
        for audience in self._audiences:
            audience.on_line(line)

    def on_frame(self, frame_referee: FrameReferee) -> None:
        for audience in self._audiences:
            audience.on_frame(frame_referee)

    def ended(self, frame_referee: FrameReferee, whole: bool) -> None:
        for audience in self._audiences:
            audience.ended(frame_referee, whole)


@dataclass(frozen=True, slots=True, eq=False)
class MatchOutcome:
    """Result of refereeing a source."""

    match: Match
    frames: int
    problems: tuple[str, ...]
    """Sentences on what could not be read of a log that was continued."""


def never_stopped(t: float) -> bool:
    """Returns False: nothing stops the analysis."""
    return False


def referee(
    source: Source,
    setting: MatchSettings,
    log: Path,
    name: str,
    *,
    audience: Audience | None = None,
    players: Players = ignore_ruling,
    stopped: Callable[[float], bool] = never_stopped,
    time_left: TimeLeft = never_ends,
) -> MatchOutcome:
    """Referees `source` until it ends or `stopped(t)` is true, logging to `log`; `name` is a new match's identity.

    Each frame is processed once, in order. Nothing is written before the board is known. Replays under way at the end
    are finished as far as `time_left` allows. Raises SourceError,
    CalibrationError, ProfileError, LogError, MatchError or RulesError with a sentence for people; lines logged until
    then stay.
    """
    if log.is_file():
        read_log(log)
    audience = audience or NoAudience()
    with opened(source) as frames:
        wall = time.time()
        # A camera's frames go by during the search for a board, so it fails at once; the caller opens the camera again.
        setting = replace(setting, stated_lens=stated_lens_of(source))
        prepared = ready(frames, setting, None if source.live else stopped)
        with LogWriter(log) as writer, ReplayRecorder(log, setting.recording, time_left) as keeper:
            followers = Audiences(keeper, audience)
            session = _session(writer, setting, name, followers)
            session.begin(wall, **_header(source, prepared), **_identity(session, setting))
            _declare(session, setting)
            frame_referee = FrameReferee(prepared.seeing, session, players, prepared.first[0].t)
            followers.began(source, frame_referee, log)
            if prepared.unseen_s:
                frame_referee.alert(AlertKind.BOARD_LATE, RUN_LATE.format(s=frame_referee.t))
            if text := picture_faults(prepared.first[0].picture, prepared.profile, exposure_of(source)):
                frame_referee.alert(AlertKind.PICTURE_POOR, text)
            if prepared.moved_mm:
                frame_referee.alert(AlertKind.CAMERA_MOVED, ELSEWHERE.format(mm=prepared.moved_mm))
            count = _watch(source, prepared, frames, frame_referee, followers, stopped)
    return MatchOutcome(session.match, count, session.problems)


def _session(writer: LogWriter, setting: MatchSettings, name: str, audience: Audience) -> Session:
    """Returns the session of the log's match, or of a new one."""
    before = opening_line(writer.before.lines)
    if writer.before.lines and before is None and setting.rules is None:
        raise LogError(UNKNOWN_BOOK.format(log=writer.path))
    known = before or {}
    rules = setting.rules or known.get("rules") or DEFAULT_RULES
    before_book = known.get("book") if rules == known.get("rules") else None
    book = setting.book or before_book or stored_text(rules)
    start = Start(name, rules, setting.seats, setting.players, setting.state, setting.policy, book)
    return Session(writer, start, audience.on_line)


def _header(source: Source, prepared: PreparedSource) -> dict[str, Any]:
    fields = {"program": _program(), "source": source.name, "fps": source.fps, "first_frames": len(prepared.first)}
    return fields | geometry_fields(prepared.profile)


def _identity(session: Session, setting: MatchSettings) -> dict[str, Any]:
    if setting.origin is None:
        return {}
    before = session.log.before.lines
    earlier = (opening_line(before) or {}) if before else None
    return identity_fields(setting.origin, session.log.path, earlier, session.match.start.players)


def _program() -> str:
    try:
        return version("carrom-referee")
    except PackageNotFoundError:
        return "unknown"


def _declare(session: Session, setting: MatchSettings) -> None:
    """Logs state and seats given at this start of a continued match as the umpire's correction.

    A new match begins with them.
    """
    if session.log.before.headers and (setting.state or setting.seats):
        word = Correction(Action.DECLARE, 0.0, state=setting.state, seats=setting.seats, by="start")
        session.correct(word)


def _watch(source: Source, prepared: PreparedSource, frames: Iterator[Frame], frame_referee: FrameReferee,
           audience: Audience, stopped: Callable[[float], bool]) -> int:  # fmt: skip
    """Processes all frames; returns their number."""
    count, clock, looked_at = 0, WallClock(), len(prepared.first)
    try:
        for count, frame in enumerate(prepared.followed_by(frames), 1):
            # A camera runs on while the first pictures are examined: frames lost then raise no alert.
            frame_referee.process(frame, blind=source.live and count == looked_at + 1)
            if source.live:
                clock.check(frame_referee.session, frame.t)
            audience.on_frame(frame_referee)
            if stopped(frame.t):
                return count
            if count == 1:
                prepare()
    except SourceError as e:
        frame_referee.alert(AlertKind.SOURCE_FAILED, f"{e}.")
        audience.ended(frame_referee, whole=False)
        raise
    if frame_referee.conclude():
        audience.on_frame(frame_referee)
    frame_referee.alert(AlertKind.SOURCE_ENDED, f"{source.name} ended after {frame_referee.t:.2f} s.")
    audience.ended(frame_referee, whole=True)
    return count
