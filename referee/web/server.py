"""Feeds the broadcast from the match log and from the vision process, and sends the umpire's requests to the latter.

The log is the record and is read from its file, so nothing is lost while either process is away. Messages of the vision
process are only newer: the present pieces, and that the log has grown.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.board import load_board
from referee.link import LinkError, Message, WebEnd
from referee.log import DiskRefused, LogError, LogTail
from referee.web.access import SESSIONS_NAME, Access
from referee.web.app import Served
from referee.web.board_json import geometry_of_model
from referee.web.books import ClubBooks
from referee.web.broadcast import Broadcast, Section
from referee.web.camera_picture import CameraPicture, Shot
from referee.web.health import Health
from referee.web.match_feed import MatchFeed
from referee.web.match_library import MatchLibrary
from referee.web.match_reader import MatchReader
from referee.web.setup_api import SetUpState
from referee.web.system_stats import Machine
from referee.web.umpire_requests import RequestDesk

logger = logging.getLogger(__name__)

SERVER_LOOK_S = 0.5
"""Interval at which the log file is checked without a message that it has grown, s."""

SECTION_OF = {"live": Section.LIVE, "board": Section.BOARD}
"""Section of a message of the vision process. The value is under the message's own type, or is the message itself."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """Secrets that give access to the web server."""

    pin: str | None
    """The umpire's PIN; None for no check."""
    pairing: str | None = None
    """Code by which a tablet proves that it is at the box; None: none can be paired."""
    private: bool = False
    """Reading requires a session too."""


class WebServer:
    """The objects that one web server serves, and the tasks that update them."""

    def __init__(
        self, log: Path, folder: Path, keys: Secrets, names: tuple[str, ...] = (), root_path: str = ""
    ) -> None:
        """`log`: the match log. `folder`: place of the vision process's socket and of the sessions. The others as in
        `Served`.
        """
        self.broadcast = Broadcast()
        self.history = MatchReader()
        self.camera = CameraPicture(self._send)
        self.health = Health(Machine(folder), self.broadcast)
        doors = Access(keys.pin, keys.pairing, folder / SESSIONS_NAME)
        desk = RequestDesk(self._send, lambda: self.history.match)
        self._log = log
        self._shelf = MatchLibrary(folder, lambda: self._log)
        self.setup = SetUpState(self._send)
        self.served = Served(self.broadcast, self.history, desk, doors, self.camera, self.health, self._shelf,
                             self.setup, ClubBooks(folder), keys.private, names, root_path)  # fmt: skip
        self._feed = MatchFeed(self.broadcast, self.history, self.health, lambda: self._shelf.name_of(self._log))
        self._tail = LogTail(log)
        self._link = WebEnd(folder)
        self._grown = asyncio.Event()
        self.broadcast.publish(Section.LINK, {"eyes": False})
        self.broadcast.publish(Section.BOARD, geometry_of_model(load_board()))

    async def feed(self) -> None:
        """Runs the tasks until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._follow_log(), name="follow the log")
            tasks.create_task(self._hear_vision(), name="hear the vision process")
            tasks.create_task(self.health.watch(), name="watch the machine")

    async def _send(self, event: Mapping[str, Any]) -> bool:
        try:
            await self._link.send(dict(event))
        except LinkError:
            return False
        return True

    async def _hear_vision(self) -> None:
        async for message in self._link:
            self._receive(message)

    def _receive(self, message: Message) -> None:
        body = message.body
        if message.type == "link":
            self.broadcast.publish(Section.LINK, {"eyes": bool(body["connected"])})
            self.health.add(None)
        elif message.type == "health":
            self.health.add(body)
        elif message.type == "line":
            self._grown.set()
        elif message.type == "refused":
            self.broadcast.update(Section.LOG, {"refused": {"id": body.get("id"), "texts": body.get("texts")}})
        elif message.type == "match":
            self._follow(Path(body["log"]))
        elif message.type == "setup":
            self.setup.add(body, message.blob)
        elif message.type == "preview":
            self.camera.add(Shot(float(body["reach_mm"]), body["seen"], message.blob))
        elif section := SECTION_OF.get(message.type):
            self.broadcast.publish(section, body.get(message.type, body))

    def _follow(self, log: Path) -> None:
        """Follows another log of the vision process: a new match has begun."""
        if log == self._log.resolve():
            return
        self._log, self._tail = log, LogTail(log)
        self._feed.clear()
        self._grown.set()

    async def _follow_log(self) -> None:
        while True:
            try:
                lines = await asyncio.to_thread(self._tail.new_lines)
                self._feed.add(lines, self._tail.lost)
                if lines:
                    continue
            except DiskRefused as e:
                self._warn(e)
            except LogError as e:
                self._start_again(e)
            await self._wait_for_growth()

    def _start_again(self, error: LogError) -> None:
        """Reports a log that was replaced or is unreadable, and reads it from its start the next time."""
        self._feed.clear()
        self._tail = LogTail(self._log)
        self._warn(error)

    def _warn(self, error: LogError) -> None:
        if (self.broadcast.value(Section.LOG) or {}).get("problem") != str(error):
            logger.warning("%s", error)
        self._feed.report(str(error))

    async def _wait_for_growth(self) -> None:
        try:
            async with asyncio.timeout(SERVER_LOOK_S):
                await self._grown.wait()
        except TimeoutError:
            return
        self._grown.clear()
