"""A board without a camera: a match played from text in real time, its log, its link, and its obedience to words."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from models.pieces import Kind, Piece, Pocket, Seat, opening_formation
from referee.facts import Clearances, Formation, Placement, PlacementReason, Pocketed, Returned, Stroke, Table
from referee.link import VisionEnd
from referee.log import LogWriter
from referee.log.identity import Origin, Station, TournamentPlace, event_of, identity_fields
from referee.log.session import Session
from referee.match import MatchError, Start, correction_of

FULL = {Kind.WHITE: 9, Kind.BLACK: 9, Kind.QUEEN: 1}
NAMES = ("Asha", "Ravi", "Maria", "Kumar", "Chen", "Nimal", "Fathima", "Jonas", "Lena", "Omar", "Priya", "Dev", "Sana",
         "Viktor", "Ines", "Tomás")  # fmt: skip
POCKETS = 0.55
"""Share of strokes that pocket a coin."""
UNSURE = 0.06
"""Share of strokes that were not seen well."""
LISTEN_S = 0.05
"""Interval at which words are read, s."""


class SimulatedBoard:
    """Use it in a `with`; `play` plays one stroke, `run` goes on until `stop` is set."""

    def __init__(
        self, folder: Path, station: Station, seed: int, wrote: Callable[[Path], None] = lambda log: None
    ) -> None:
        """`wrote`: called after each line, with the log."""
        folder.mkdir(parents=True, exist_ok=True)
        self.log = folder / "match.jsonl"
        self._matches = 0
        self._random, self._station, self._wrote = random.Random(seed), station, wrote
        self._link = VisionEnd(folder)
        self._coins = dict(FULL)
        self._began = time.monotonic()
        self._n = 0
        self._lock = threading.Lock()

    def __enter__(self) -> SimulatedBoard:
        self._link.__enter__()
        names = self._random.sample(NAMES, 2)
        self._begin(Start(self.log.parent.name, players=((Seat.SOUTH, names[0]), (Seat.NORTH, names[1]))))
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self._link.__exit__(None, None, None)

    def _begin(self, start: Start, event: TournamentPlace | None = None, word: str = "") -> None:
        self._writer, self._n = LogWriter(self.log), 0
        self._session = Session(self._writer, start, self._heard)
        identity = identity_fields(Origin(self._station, event or {}, word), self.log, None, start.players)
        self._session.begin(time.time(), calibration={}, program="simulated", **identity)
        self._link.publish({"type": "match", "log": str(self.log.resolve())})

    def _end(self) -> None:
        self._writer.flush()
        self._writer.close()

    def _begin_next(self, message: dict[str, Any]) -> None:
        """Ends this match and begins the one that the umpire asks for."""
        self._end()
        self._matches += 1
        self.log = self.log.with_name(f"match-{self._matches}.jsonl")
        players = tuple((Seat(seat), str(name)) for seat, name in message["players"].items())
        start = Start(self.log.parent.name, rules=message["rules"], players=players, book=message.get("book"))
        self._begin(start, event_of(message.get("event")), message["id"])

    def run(self, stop: threading.Event, every_s: float) -> None:
        """Plays a stroke every so many seconds on average."""
        due = time.monotonic() + self._random.uniform(0, every_s)
        while not stop.wait(LISTEN_S):
            self.listen()
            if time.monotonic() >= due:
                self.play()
                due = time.monotonic() + every_s * self._random.uniform(0.6, 1.4)

    def play(self) -> None:
        """Plays a stroke; a new board is set up when one is over."""
        with self._lock:
            view = self._session.match.view()
            if self._n == 0 or view["board_over"]:
                self._coins = dict(FULL)
                breaker = Seat(view["breaks_next"] or view["turn"] or Seat.SOUTH)
                self._session.add(Formation(self._t, opening_formation(31.0), breaker))
                self._settle()
            seat = Seat(self._session.match.view()["turn"] or Seat.SOUTH)
            self._n += 1
            (ruling, *_) = self._session.add(self._stroke(seat)) or (None,)
            self._settle()
            for kind, count in ruling.to_return if ruling else ():
                for _ in range(count):
                    self._coins[kind] += 1
                    self._session.add(Returned(self._t, kind, 0.0, 0.0, None))
                self._settle()

    def listen(self) -> None:
        """Does what umpires ask."""
        for message in self._link.poll():
            with self._lock:
                self._obey(message)

    def _obey(self, message: dict[str, Any]) -> None:
        if self._session.has_done(message.get("id")):
            return
        try:
            if message.get("type") == "correction":
                self._session.correct(correction_of(message, self._t), message.get("seen"))
            elif message.get("type") == "running":
                self._session.run(message, self._table())
            elif message.get("type") == "new_match":
                self._begin_next(message)
        except MatchError as e:
            self._link.publish({"type": "refused", "id": message.get("id"), "texts": e.in_every_language()})

    @property
    def _t(self) -> float:
        return time.monotonic() - self._began

    def _heard(self, line: dict[str, Any]) -> None:
        self._link.publish({"type": "line", "line": line})
        self._wrote(self.log)

    def _stroke(self, seat: Seat) -> Stroke:
        colour = self._session.match.view()["colours"].get(seat)
        kind = Kind.BLACK if colour == "black" else Kind.WHITE
        left = [k for k in (kind, Kind.QUEEN) if self._coins[k] and (k is kind or self._coins[kind] < 5)]
        pocketed: tuple[Pocketed, ...] = ()
        if left and self._random.random() < POCKETS:
            fell = self._random.choice(left)
            self._coins[fell] -= 1
            pocketed = (Pocketed(fell, self._random.choice(list(Pocket)), self._t),)
        confidence = 0.6 if self._random.random() < UNSURE else 0.999
        return Stroke(self._n, seat, self._t - 2, self._t - 1, self._t, self._t, self._placement(), kind, pocketed,
                      (), (), confidence=confidence)  # fmt: skip

    def _placement(self) -> Placement:
        margin = round(self._random.gauss(4, 2.5), 2)
        clearance = Clearances(front_line=6.0, rear_line=6.0, moon=margin, arrow=20.0, ends=12.0)
        reason = PlacementReason.CUTTING_MOON if margin < 0 else None
        return Placement(150.0, -252.6, None if abs(margin) < 0.3 else margin > 0, reason, margin, 0.15, clearance)

    def _settle(self) -> None:
        self._session.add(self._table())

    def _table(self) -> Table:
        kinds = [kind for kind, count in self._coins.items() for _ in range(count)]
        pieces = (Piece(kind, 40.0 * (i % 10) - 180, 60.0 * (i // 10)) for i, kind in enumerate(kinds))
        return Table(self._t, tuple(pieces))
