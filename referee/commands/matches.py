"""Runs match after match on one camera. The umpire begins the next one at the desk, with its rule book and players."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from typing import Any

from calibration.calibrate import CalibrationError
from calibration.profile import Profile
from calibration.turning import south_on
from models.pieces import Seat
from referee.atomic_files import written
from referee.commands.patience import RetryPolicy
from referee.frames.frame import Source, SourceError
from referee.log import DiskRefused, LogError, read_log
from referee.log.identity import event_of
from referee.log.running import Running
from referee.match import Policy, seats_of
from referee.pipeline import MatchOutcome, MatchSettings, referee
from referee.pipeline.frame_referee import FrameReferee, Players, ignore_ruling
from referee.pipeline.publisher import Publisher
from referee.pipeline.run_match import Audience, Audiences, NoAudience
from referee.pipeline.run_setup import publish_progress, set_up
from referee.replay.pace import TimeLeft, never_ends
from referee.replay.recording_settings import RecordedMedia, Recording
from referee.setup.progress import PROFILE_NAME, SetUpFiles

MATCHES_STALE_S = 6 * 3600.0
"""Age from which a match is not continued, s. A machine without a clock of its own underestimates the age."""

BOOKMARK = "last_match"
"""Name of the file, beside the logs, that names the log of the current match."""

NAME_BYTES = 6
"""Number of random bytes in the name of a log. A million boards could start in one second, and no two would have a name
in common 499 times in 500."""

Opened = Callable[[], tuple[Source, Players]]
"""Opens the source anew, and returns how rulings reach its players."""


def matches(opened: Opened, setting: MatchSettings, log: Path, audience: Publisher, stopped: Callable[[float], bool],
            name: str | None = None, patience: RetryPolicy | None = None, others: Sequence[Audience] = (),
            files: SetUpFiles | None = None,
            time_left: TimeLeft = never_ends) -> tuple[MatchOutcome | None, Path]:  # fmt: skip
    """Referees until the source ends or `stopped`, anew whenever the umpire wants; returns the last match and its log.

    `name` is the first match's identity, by default its log's. With `patience` a match continues in its log once a
    camera, or room on the disk, is there again; the outcome is None if that never happens. `others` follow too. A
    set-up that a page requests runs in between, with the files `files`. Takes `time_left` and raises as `referee` does.
    """
    followers = Audiences(audience, *([patience] if patience else []), *others)
    files = files or SetUpFiles(log.parent / PROFILE_NAME)
    publish_progress(audience, files)
    outcome: MatchOutcome | None = None
    players: Players = ignore_ruling
    while True:
        try:
            source, players = opened()
            known = replace(setting, known_profile=files.profile_for(source.name))
            outcome = referee(source, known, log, name or log.stem, audience=followers, players=players,
                              stopped=lambda t: audience.interrupted or stopped(t), time_left=time_left)  # fmt: skip
        except (SourceError, CalibrationError, DiskRefused) as trouble:
            if stopped(0.0):
                # A request to end may interrupt the source in its work.
                return None, log
            if patience is None:
                raise
            if not patience.wait(trouble, audience.asked_for_set_up):
                return None, log
            setting = going_on(setting, log, patience.profile)
            if not audience.setup_asked:
                continue
        if audience.setup_asked:
            setting = _set_up(opened, setting, files, audience, stopped, patience)
            if audience.wish is None and not stopped(0.0):
                setting = going_on(setting, log)
                continue
        if audience.wish is None:
            return outcome, log
        setting, log, name = next_setting(setting, audience, players), next_log(log.parent), None


def _set_up(
    opened: Opened,
    setting: MatchSettings,
    files: SetUpFiles,
    audience: Publisher,
    stopped: Callable[[float], bool],
    patience: RetryPolicy | None,
) -> MatchSettings:
    """Runs the requested set-up; its board replaces the one before."""
    setting, wish = set_up(lambda: opened()[0], setting, files, audience, lambda: stopped(0.0))
    audience.wish, audience.profile = wish, setting.profile
    if patience is not None:
        patience.forget_board()
    return setting


def going_on(setting: MatchSettings, log: Path, profile: Profile | None = None) -> MatchSettings:
    """Returns the setting for a log that is continued: the match keeps its rules and seats; `profile` is the last known
    board.
    """
    if not log.is_file() or not log.stat().st_size:
        return setting
    return replace(setting, profile=profile or setting.profile, rules=None, book=None, state=None, seats=())


def next_setting(setting: MatchSettings, audience: Publisher, players: Players) -> MatchSettings:
    """Returns the umpire's setting for the next match, with the board known by now. Simulated players keep
    their sides.
    """
    wish: Mapping[str, Any] = audience.wish or {}
    south = Seat(wish["south"]) if players is ignore_ruling else Seat.SOUTH
    return replace(
        setting,
        profile=audience.profile and south_on(audience.profile, south),
        rules=wish["rules"],
        book=wish.get("book"),
        state=None,
        seats=seats_of(wish["seats"]),
        players=tuple((Seat(seat), str(player)) for seat, player in wish["players"].items()),
        policy=Policy.parse(wish["policy"]),
        recording=_recording(wish, setting.recording),
        origin=setting.origin
        and replace(setting.origin, word=str(wish.get("id") or ""), said=event_of(wish.get("event"))),
    )


def _recording(wish: Mapping[str, Any], before: Recording) -> Recording:
    """Returns what the umpire chose to record of the next match; the same as before by default."""
    keeps = RecordedMedia(wish.get("record", before.keeps))
    return replace(before, keeps=keeps, masked=bool(wish.get("record_board_only", before.masked)))


def next_log(folder: Path) -> Path:
    """Returns a log in `folder` for a match that begins now; those of two boards in the same second differ too."""
    return folder / f"{datetime.now():%Y-%m-%d_%H%M%S}_{token_hex(NAME_BYTES)}.jsonl"


class Bookmark(NoAudience):
    """An audience that records the current match beside its log. File times would follow a clock that may jump."""

    def began(self, source: Source, frame_referee: FrameReferee, log: Path) -> None:
        # Without the bookmark, as on a full disk, the files' times must suffice.
        with suppress(OSError), written(log.parent / BOOKMARK) as part:
            part.write_text(log.name, encoding="utf-8")


def bookmarked(folder: Path) -> str | None:
    """Returns the name of the log of the last match in `folder`; None if unknown."""
    try:
        return (folder / BOOKMARK).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def last_log(folder: Path, now: float) -> Path | None:
    """Returns the log of the match that was under way when the referee last ended in `folder`, or None.

    It is the bookmarked one, else the last one written to, which a clock that jumped may date wrongly. A match that
    people ended is over, and so is one in which nothing was written for `MATCHES_STALE_S` before `now` (Unix s). An
    unreadable file is skipped and left unchanged.
    """
    marked = bookmarked(folder)
    for path in sorted(folder.glob("*.jsonl"), key=lambda p: (p.name == marked, p.stat().st_mtime), reverse=True):
        try:
            lines = read_log(path).lines
        except LogError:
            continue
        said = [line["state"] for line in lines if line["type"] == "running"]
        ended = bool(said) and said[-1] == Running.ENDED
        return None if ended or not lines or now - path.stat().st_mtime > MATCHES_STALE_S else path
    return None
