"""Match after match from one camera: the umpire begins the next one from the desk, with its rule book and players."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from calibration.turning import south_on
from models.pieces import Seat
from referee.frames.frame import Source
from referee.match import Policy, seats_of
from referee.pipeline import Outcome, Setting, referee
from referee.pipeline.broadcast import Broadcast
from referee.pipeline.eyes import Players, nobody
from referee.replay.choice import Keeps, Recording

Opened = Callable[[], tuple[Source, Players]]
"""Opens the source anew, and gives who is told the rulings of what happens before it."""


def matches(opened: Opened, setting: Setting, log: Path, audience: Broadcast, stopped: Callable[[float], bool],
            name: str | None = None) -> tuple[Outcome, Path]:  # fmt: skip
    """Referees until the source ends or `stopped`, beginning anew whenever the umpire wants; the last match and log.

    `name`: the first match's identity, that of its log when left out. Raises as `referee` does.
    """
    while True:
        source, players = opened()
        outcome = referee(source, setting, log, name or log.stem, audience=audience, players=players,
                          stopped=lambda t: audience.wish is not None or stopped(t))  # fmt: skip
        if audience.wish is None:
            return outcome, log
        setting, log, name = next_setting(setting, audience, players), next_log(log.parent), None


def next_setting(setting: Setting, audience: Broadcast, players: Players) -> Setting:
    """What the umpire said about the next match; the board is known by now. Simulated players keep their sides."""
    wish: Mapping[str, Any] = audience.wish or {}
    south = Seat(wish["south"]) if players is nobody else Seat.SOUTH
    return replace(
        setting,
        profile=audience.profile and south_on(audience.profile, south),
        rules=wish["rules"],
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
