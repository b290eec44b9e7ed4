"""A stage for web tests: real eyes' link and log with a match under way, and real houses that serve it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from models.pieces import opening_formation
from referee.link import EyesLink
from referee.log import LogWriter
from referee.match.view import MatchView
from referee.web.process import HouseProcess
from referee.web.serve import HouseSettings

WAIT_S = 15.0
"""Longest wait for another process on a slow machine."""

Json = dict[str, Any]


def formation() -> list[Json]:
    """The nineteen coins as a board begins, and a striker placed by south."""
    coins = [{"kind": p.kind.value, "x_mm": p.x_mm, "y_mm": p.y_mm} for p in opening_formation(31.0)]
    return [*coins, {"kind": "striker", "x_mm": 40.0, "y_mm": -252.6}]


def live(t: float = 1.0, **changes: Any) -> Json:
    """What the camera sees at `t`."""
    base = {"type": "live", "t": t, "phase": "placed", "pieces": formation(), "hands": [], "fps": 30.0, "dropped": 0}
    return base | {"source": "test"} | changes


def ruling(n: int, text: str, certain: bool = True, **changes: Any) -> Json:
    """One ruling of the view."""
    said = {"kind": "turn", "reason": "pocketed", "law": "59", "text": text, "certain": certain}
    base = {"stroke": n, "board": 1, "seat": "south", "stroke_text": "W", "seen_text": "W", "sentences": [said]}
    return base | {"turn": "south", "certain": certain, "annulled": False, "corrected": False} | changes


def view(**changes: Any) -> MatchView:
    """A match under way: south (Asha, white) to strike, three strokes played."""
    asha = {"seats": ["south"], "players": ["Asha"], "colour": "white", "score": 17, "games": 0}
    ravi = {"seats": ["north"], "players": ["Ravi"], "colour": "black", "score": 8, "games": 0}
    base: Json = {
        "match": "m1",
        "rules": "icf",
        "collecting": False,
        "board": 3,
        "game": 1,
        "sides": [asha | {"coins_left": 4, "due": 0}, ravi | {"coins_left": 6, "due": 1}],
        "players": {"south": "Asha", "north": "Ravi"},
        "turn": "south",
        "change_seats": False,
        "breaks_next": None,
        "colours": {"south": "white", "north": "black"},
        "score": {"white": 17, "black": 8},
        "score_by_seat": {"south": 17, "north": 8},
        "coins_left": {"white": 4, "black": 6, "queen": 1},
        "queen": {"status": "board", "side": None, "seats": []},
        "dues": {"white": 0, "black": 1},
        "rulings": [
            ruling(11, "Black pockets a black coin and plays on.", seat="north", stroke_text="B"),
            ruling(12, "Black pockets the striker and owes a coin.", seat="north", stroke_text="S"),
            ruling(13, "White pockets a white coin and plays on."),
        ],
        "alerts": [],
        "can_undo": True,
        "can_redo": False,
        "undo_text": "stroke 13",
        "redo_text": "",
        "board_over": False,
        "match_over": False,
        "winner": None,
        "needs_operator": [],
        "certain": True,
        "strokes": 13,
    }
    return MatchView(**(base | changes))  # type: ignore[typeddict-item]


class Stage:
    """The eyes' side in a folder: publishes what a test says, and collects what the house sends back."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "match.jsonl"

    @contextmanager
    def eyes(self) -> Iterator[Eyes]:
        """The eyes running; may be left and entered again, as when they are restarted."""
        with EyesLink(self.folder) as link, LogWriter(self.log) as writer:
            writer.header(wall=time.time(), calibration={})
            yield Eyes(link, writer)

    def settings(self, **changes: Any) -> HouseSettings:
        """A house on a free port of this machine only, without a PIN unless a test sets one."""
        return HouseSettings(**({"log": self.log, "folder": self.folder, "host": "127.0.0.1", "port": 0} | changes))

    def house(self, **changes: Any) -> HouseProcess:
        """A real house process."""
        return HouseProcess(self.settings(**changes))


class Eyes:
    """The running eyes."""

    def __init__(self, link: EyesLink, writer: LogWriter) -> None:
        self.link = link
        self.writer = writer

    def connected(self) -> None:
        """Returns when a house listens."""
        until(lambda: self.link.houses > 0)

    def show(self, **changes: Any) -> None:
        """Publishes the match document."""
        self.link.publish({"type": "view", "view": view(**changes)})

    def see(self, **changes: Any) -> None:
        """Publishes this moment's pieces."""
        self.link.publish(live(**changes))

    def write(self, line: Json) -> None:
        """Logs a line and says so."""
        self.writer.write(line)
        self.link.publish({"type": "line", "line": line})

    def asked(self) -> Json:
        """The next event that the umpire sent."""
        events: list[Json] = []
        until(lambda: bool(events.extend(self.link.poll()) or events))
        assert len(events) == 1
        return events[0]


def until(holds: Callable[[], bool], what: str = "") -> None:
    """Returns when `holds()` does; processes apart cannot be waited for otherwise."""
    end = time.monotonic() + WAIT_S
    while not holds():
        assert time.monotonic() < end, f"not within {WAIT_S} s: {what or holds}"
        time.sleep(0.02)


def state(url: str) -> Json:
    """The sections that a house shows now."""
    sections: Json = json.loads(httpx.get(f"{url}api/state").text)["sections"]
    return sections
