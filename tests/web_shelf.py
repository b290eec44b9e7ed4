"""Serves folders of stored matches from this process, for tests of replays."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import httpx
import uvicorn

from models.board import load_board
from referee.replay.match_folder import MatchFolder
from referee.web.access import Access
from referee.web.app import Served, create_app
from referee.web.board_json import geometry_of_model
from referee.web.books import ClubBooks
from referee.web.broadcast import Broadcast, Section
from referee.web.camera_picture import CameraPicture
from referee.web.health import Health
from referee.web.match_library import MatchLibrary
from referee.web.match_reader import MatchReader
from referee.web.serve import WebSettings, bind, configuration
from referee.web.setup_api import SetUpState
from referee.web.system_stats import Machine
from referee.web.umpire_requests import RequestDesk

PIN = "271828"


@contextmanager
def served(folder: Path, running: Path | None = None, pin: str | None = PIN, private: bool = False
           ) -> Iterator[httpx.Client]:  # fmt: skip
    """Serves the matches in `folder`, without a vision process; `running` is the match on the scoreboard."""

    async def nobody(_message: object) -> bool:
        return False

    broadcast, history = Broadcast(), MatchReader()
    broadcast.publish(Section.LINK, {"eyes": False})
    broadcast.publish(Section.BOARD, geometry_of_model(load_board()))
    shelf = MatchLibrary(folder, lambda: running)
    desk = RequestDesk(nobody, lambda: history.match)
    health = Health(Machine(folder), broadcast)
    parts = Served(broadcast, history, desk, Access(pin, None), CameraPicture(nobody), health, shelf,
                   SetUpState(nobody), ClubBooks(folder), private)  # fmt: skip
    with bind("127.0.0.1", 0) as sock:
        server = uvicorn.Server(configuration(create_app(parts), sock, WebSettings(folder, folder)))
        thread = Thread(target=server.run, kwargs={"sockets": [sock]})
        thread.start()
        address = f"http://127.0.0.1:{sock.getsockname()[1]}"
        try:
            with httpx.Client(base_url=address, verify=False, timeout=30) as client:
                yield client
        finally:
            server.should_exit = True
            thread.join()


def sign_in(client: httpx.Client) -> None:
    """Signs in with the PIN."""
    assert client.post("/api/session", json={"pin": PIN, "name": "Mira"}).status_code == 204


def copied(kept: MatchFolder, folder: Path, name: str = "evening") -> MatchFolder:
    """Copies the recorded match under another name, for tests that change it."""
    there = MatchFolder(folder / f"{name}.jsonl")
    shutil.copy(kept.log, there.log)
    shutil.copytree(kept.path, there.path)
    return there
