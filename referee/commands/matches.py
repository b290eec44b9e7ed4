"""Match after match from one camera: the umpire begins the next one from the desk, with its rule book and players."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from calibration.calibrate import CalibrationError
from calibration.profile import Profile
from calibration.turning import south_on
from models.pieces import Seat
from referee.atomic_files import written
from referee.commands.patience import Patience
from referee.frames.frame import Source, SourceError
from referee.log import LogError, LogFailed, read_log
from referee.log.running import Running
from referee.match import Policy, seats_of
from referee.pipeline import MatchOutcome, Setting, referee
from referee.pipeline.camera_side import Eyes, Players, nobody
from referee.pipeline.publisher import Publisher
from referee.pipeline.run_match import Audience, Followers, Silence
from referee.pipeline.run_setup import publish_progress, set_up
from referee.replay.kept_media import Keeps, Recording
from referee.setup.progress import PROFILE_NAME, SetUpFiles

MATCHES_STALE_S = 6 * 3600.0
"""Nobody goes on with a match after so long (s); a machine without a clock of its own thinks less time has gone by."""

BOOKMARK = "last_match"
"""Names the log of the match under way, in the folder of the logs."""

Opened = Callable[[], tuple[Source, Players]]
"""Opens the source anew, and gives who is told the rulings of what happens before it."""


def matches(opened: Opened, setting: Setting, log: Path, audience: Publisher, stopped: Callable[[float], bool],
            name: str | None = None, patience: Patience | None = None, others: Sequence[Audience] = (),
            files: SetUpFiles | None = None) -> tuple[MatchOutcome | None, Path]:  # fmt: skip
    """Referees until the source ends or `stopped`, beginning anew whenever the umpire wants; the last match and log.

    `name`: the first match's identity, that of its log when left out. With `patience` a match goes on in its log when a
    camera is there, or room on the disk, again; the outcome is None where it never came. `others` follow too. A set-up
    that a page asks for is held in between, its files are `files`. Raises as `referee` does.
    """
    followers = Followers(audience, *([patience] if patience else []), *others)
    files = files or SetUpFiles(log.parent / PROFILE_NAME)
    publish_progress(audience, files)
    outcome: MatchOutcome | None = None
    players: Players = nobody
    while True:
        try:
            source, players = opened()
            known = replace(setting, known_profile=files.profile_for(source.name))
            outcome = referee(source, known, log, name or log.stem, audience=followers, players=players,
                              stopped=lambda t: audience.interrupted or stopped(t))  # fmt: skip
        except (SourceError, CalibrationError, LogFailed) as trouble:
            if stopped(0.0):
                # Whoever is asked to end interrupts what the source is at.
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


def _set_up(opened: Opened, setting: Setting, files: SetUpFiles, audience: Publisher, stopped: Callable[[float], bool],
            patience: Patience | None) -> Setting:  # fmt: skip
    """Holds the set-up that was asked for; the board that it gave takes the place of the one before."""
    setting, wish = set_up(lambda: opened()[0], setting, files, audience, lambda: stopped(0.0))
    audience.wish, audience.profile = wish, setting.profile
    if patience is not None:
        patience.forget_board()
    return setting


def going_on(setting: Setting, log: Path, profile: Profile | None = None) -> Setting:
    """For a log that is continued: what was said of its match holds, `profile` is the board as it was last known."""
    if not log.is_file() or not log.stat().st_size:
        return setting
    return replace(setting, profile=profile or setting.profile, rules=None, book=None, state=None, seats=())


def next_setting(setting: Setting, audience: Publisher, players: Players) -> Setting:
    """What the umpire said about the next match; the board is known by now. Simulated players keep their sides."""
    wish: Mapping[str, Any] = audience.wish or {}
    south = Seat(wish["south"]) if players is nobody else Seat.SOUTH
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
    )


def _recording(wish: Mapping[str, Any], before: Recording) -> Recording:
    """What the umpire chose to keep of the next match; as before where nothing was said."""
    keeps = Keeps(wish.get("record", before.keeps))
    return replace(before, keeps=keeps, masked=bool(wish.get("record_board_only", before.masked)))


def next_log(folder: Path) -> Path:
    """A log in `folder` for a match that begins now; two within a second get different names."""
    begun = f"{datetime.now():%Y-%m-%d_%H%M%S}"
    names = [begun, *(f"{begun}_{n}" for n in range(2, 100))]
    return next(folder / f"{name}.jsonl" for name in names if not (folder / f"{name}.jsonl").exists())


class Bookmark(Silence):
    """An audience that notes which match is under way, beside its log: times of files follow a clock that may jump."""

    def began(self, source: Source, eyes: Eyes, log: Path) -> None:
        # Without the note, as on a full disk, the times of the files must do.
        with suppress(OSError), written(log.parent / BOOKMARK) as part:
            part.write_text(log.name, encoding="utf-8")


def bookmarked(folder: Path) -> str | None:
    """The name of the log of the match that was last under way in `folder`, None where that is not known."""
    try:
        return (folder / BOOKMARK).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def last_log(folder: Path, now: float) -> Path | None:
    """The log of the match that was under way when the referee last ended in `folder`; None where there is none.

    It is the bookmarked one, else the last one written to, which a clock that jumped may date wrongly. A match that
    people ended is over, and so is one of which nothing was written for `MATCHES_STALE_S` before `now` (Unix s). A
    file that cannot be read is passed over and left as it is.
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
