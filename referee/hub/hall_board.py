"""One board of the hall as the hub sees it: its match followed from the copy of its log, and whether it is there."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from models.board import load_board
from models.pieces import Seat
from referee.courier.chunk import split_rows
from referee.hub.scorecard import Scorecard, scorecard
from referee.laws.sentences import DEFAULT_LANGUAGE
from referee.log import Line, LogError
from referee.log.reader import ROW_BYTES
from referee.log.rows import RowReader
from referee.log.running import Running
from referee.web.access import Access
from referee.web.app import Served
from referee.web.board_json import geometry_of_model
from referee.web.books import ClubBooks
from referee.web.broadcast import Broadcast, Section
from referee.web.camera_picture import CameraPicture
from referee.web.health import Health
from referee.web.match_feed import MatchFeed
from referee.web.match_library import MatchLibrary
from referee.web.match_reader import MatchReader
from referee.web.setup_api import SetUpState
from referee.web.system_stats import Machine
from referee.web.umpire_requests import RequestDesk
from referee.web.wording import LANGUAGES, worded

logger = logging.getLogger(__name__)

PIECE_BYTES = 64 << 10
"""Bytes of a log that are read at a time, so that other boards are not kept waiting."""

RECEIPTS_SHOWN = 5
"""Number of a board's last changes whose ids are told, so that the desk finds its own."""

SendWord = Callable[[str, Mapping[str, Any]], bool]
"""Sends a word to a station; False if it cannot."""
Document = dict[str, Any]


class HallBoard:
    """A board of the hall; lives in one event loop."""

    def __init__(self, station: str, folder: Path, send: SendWord, doors: Access, books: ClubBooks,
                 changed: Callable[[HallBoard], None]) -> None:  # fmt: skip
        """`folder`: its mirror. `changed`: called when its tile differs."""
        self.station, self.name, self.slug = station, "", station
        self.up = self.eyes = False
        self.since: float | None = None
        """Unix seconds since it is there, or away."""
        self.uid: str | None = None
        self.refused: dict[str, str] = {}
        """Logs of which the hub has other bytes."""
        self.broadcast, self.history = Broadcast(), MatchReader()
        self._send, self._changed, self._folder = send, changed, folder
        self._health = Health(Machine(folder), self.broadcast)
        self._feed = MatchFeed(self.broadcast, self.history, self._health, lambda: self.uid)
        self._rows, self._offset = RowReader(), 0
        self._clock: float | None = None
        self.event: Document = {}
        """What the match belongs to: tourney, round, board."""
        self.asked_at: dict[int, float] = {}
        """Unix seconds of each stroke's call, as far as the board's clock is known."""
        self._grown = asyncio.Event()
        nobody = _Nobody()
        self._served = Served(
            self.broadcast, self.history, RequestDesk(self._send_word, lambda: self.history.match), doors,
            CameraPicture(nobody.send), self._health, MatchLibrary(folder, self._log), SetUpState(nobody.send), books,
        )  # fmt: skip
        self.broadcast.publish(Section.LINK, {"eyes": False})
        self.broadcast.publish(Section.BOARD, geometry_of_model(load_board()))

    def served_at(self, path: str, private: bool, names: tuple[str, ...]) -> Served:
        """Returns what the board's own pages serve below a path."""
        return replace(self._served, root_path=path, private=private, names=names)

    async def run(self) -> None:
        """Follows the match for ever."""
        while True:
            await self._grown.wait()
            self._grown.clear()
            while (log := self._log()) is not None and self._read_on(log):
                self._changed(self)
                await asyncio.sleep(0)

    def follow(self, uid: str) -> None:
        """Follows another match."""
        if uid != self.uid:
            self.uid = uid
            self._begin()
        self.grow()

    def grow(self) -> None:
        """Reads on: the copy of its log may be longer."""
        self._grown.set()

    def hear_up(self, said: Mapping[str, Any]) -> None:
        """Records that the board is there, or has gone."""
        up = bool(said.get("up"))
        if up != self.up or self.since is None:
            self.up, self.since = up, time.time()
        self._link()

    def hear_state(self, said: Mapping[str, Any]) -> None:
        """Records the board's own word on which match it plays and whether its vision process runs."""
        self.eyes = bool(said.get("eyes"))
        if isinstance(said.get("uid"), str):
            self.follow(said["uid"])
        self._link()

    def hear_health(self, said: Mapping[str, Any]) -> None:
        """Records the health of its vision process, and what the hub refuses of it."""
        eyes, refused = said.get("eyes"), said.get("refused")
        self.refused = {str(k): str(v) for k, v in refused.items()} if isinstance(refused, dict) else {}
        try:
            self._health.add(eyes if isinstance(eyes, dict) and "camera" in eyes else None)
        except (KeyError, TypeError, ValueError) as e:
            logger.warning("the health of board %s is not understood: %r", self.name, e)
        self._changed(self)

    def hear_answer(self, said: Mapping[str, Any]) -> Document | None:
        """Shows why a word was refused, and returns it; None if it was not."""
        if not isinstance(said.get("refused"), dict):
            return None
        refused = {"id": said.get("id"), "texts": _texts(said["refused"])}
        self.broadcast.update(Section.LOG, {"refused": refused})
        return refused

    @property
    def is_free(self) -> bool:
        """True if another match would lose nothing: this one is won or ended, or no stroke of it was played."""
        match = self.history.match
        ended = self.history.running is Running.ENDED
        return match is None or ended or match.position.match_over or not match.rulings

    @property
    def scorecard(self) -> Scorecard | None:
        """The match as a tournament's scorecard shows it; None without one."""
        match = self.history.match
        return None if match is None else scorecard(match, self.history.running)

    def starting_name(self, seat: Seat) -> str:
        """Returns the name of who sat there as the match began."""
        match = self.history.match
        return dict(match.start.players).get(seat, "") if match is not None else ""

    async def begin(self, rules: str, book: str | None, players: Mapping[Seat, str], event: Document, by: str) -> bool:
        """Begins another match at the board; False if it cannot be reached."""
        word = {"type": "new_match", "rules": rules, "players": {seat.value: name for seat, name in players.items()},
                "seats": {}, "policy": {}, "south": Seat.SOUTH.value, "event": event, "id": secrets.token_hex(6),
                "by": by, "wall": round(time.time(), 3)}  # fmt: skip
        return await self._send_word(word if book is None else word | {"book": book})

    def tile(self) -> Document:
        """Returns the board as the wall shows it."""
        view = self.broadcast.value(Section.VIEW)
        alerts = (self.broadcast.value(Section.HEALTH) or {}).get("alerts", [])
        return {
            "id": self.station, "slug": self.slug, "name": self._shown_name, "up": self.up,
            "eyes": self.eyes, "since": self.since, "uid": self.uid, "refused": len(self.refused),
            "alerts": [alert["kind"] for alert in alerts],
            "receipts": self.history.summary()["receipts"][-RECEIPTS_SHOWN:],
            "match": None if view is None else _summary(view),
        }  # fmt: skip

    def questions(self, language: str) -> list[Document]:
        """Returns the open questions of the match in a language, with the time of the stroke."""
        match = self.history.match
        if match is None or self.uid is None:
            return []
        view = worded(match, language)
        about = {"board": self.slug, "name": self._shown_name, "uid": self.uid,
                 "up": self.up and self.eyes, "seen": self.history.summary()["corrections"]}  # fmt: skip
        asked = [{"kind": "question"} | q for q in view["needs_operator"]]
        if challenge := view["challenges"]["open"]:
            ruling = match.rulings[challenge["stroke"]]
            asked.append({"kind": "challenge", "reason": "challenge", "text": "", "choices": [], "ends": "",
                          "stroke_text": str(ruling.tokens)} | challenge)  # fmt: skip
        players = view["players"]
        calls = {r["stroke"]: r["call"] for r in view["rulings"]}
        return [
            about | q | {"player": players.get(q["seat"], ""), "call": calls.get(q["stroke"], ""),
                         "asked_at": self.asked_at.get(q["stroke"])}
            for q in asked
        ]  # fmt: skip

    @property
    def _shown_name(self) -> str:
        return self.name or self.station[:4]

    def _begin(self) -> None:
        self._feed.clear()
        self._rows, self._offset, self._clock = RowReader(), 0, None
        self.event = {}
        self.asked_at.clear()

    def _read_on(self, log: Path) -> bool:
        """Feeds the next rows of the copy; False if there are none."""
        try:
            with log.open("rb") as file:
                if os.fstat(file.fileno()).st_size < self._offset:
                    self._begin()
                data = os.pread(file.fileno(), PIECE_BYTES, self._offset)
                if b"\n" not in data:
                    data = os.pread(file.fileno(), ROW_BYTES + 1, self._offset)
        except OSError:
            return False
        rows = split_rows(data)
        if not rows:
            return False
        self._offset += sum(map(len, rows))
        lines = [line for row in rows if (line := self._rows.add(row.removesuffix(b"\n"))) is not None]
        for line in lines:
            self._time(line)
        try:
            self._feed.add(lines, self._rows.lost)
        except LogError as e:
            self._feed.clear()
            self._feed.report(str(e))
        return True

    def _time(self, line: Line) -> None:
        """Follows the board's clock."""
        if line["type"] == "header":
            self._clock = line.get("wall")
            if isinstance(line.get("event"), dict):
                self.event = line["event"]
        elif line["type"] == "clock":
            self._clock = line["wall"] - line["t"]
        elif line["type"] == "stroke" and self._clock is not None:
            self.asked_at[line["n"]] = self._clock + line["t_called"]

    def _log(self) -> Path | None:
        return self._folder / f"{self.uid}.jsonl" if self.uid else None

    def _link(self) -> None:
        self.broadcast.update(Section.LINK, {"eyes": self.up and self.eyes})
        self._changed(self)

    async def _send_word(self, event: Mapping[str, Any]) -> bool:
        return self.up and self.eyes and self._send(self.station, event)


class _Nobody:
    """What is not sent to a board from afar: wishes for its camera's picture, and set-ups."""

    async def send(self, _event: Mapping[str, Any]) -> bool:
        return False


def _summary(view: Mapping[str, Any]) -> Document:
    """Returns what the wall shows of a match."""
    seats = {view["turn"], view["breaks_next"] if view["turn"] is None else None} - {None}
    return {
        "rules": view["rules"], "board": view["board"], "game": view["game"], "strokes": view["strokes"],
        "sides": [{"names": side["players"], "seats": side["seats"], "colour": side["colour"],
                   "score": side["score"], "games": side["games"], "left": side["coins_left"],
                   "turn": bool(seats & set(side["seats"])), "won": view["winner"] in side["seats"]}
                  for side in view["sides"]],
        "turn": view["turn"], "board_over": view["board_over"], "match_over": view["match_over"],
        "certain": view["certain"], "running": view["running"],
        "questions": len(view["needs_operator"]) + bool(view["challenges"]["open"]),
        "corrected": bool(view["rulings"]) and view["rulings"][-1]["corrected"],
    }  # fmt: skip


def _texts(texts: Mapping[str, Any]) -> dict[str, str]:
    """Returns a refusal by language, English where a language lacks it."""
    english = str(texts.get(DEFAULT_LANGUAGE, "refused"))
    return {language: str(texts.get(language, english)) for language in LANGUAGES}
