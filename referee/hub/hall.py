"""All boards of the hall: found by station and by name, told to the wall as they change."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.courier.topics import Address, Topic
from referee.hub.database import Database
from referee.hub.hall_board import Document, HallBoard
from referee.hub.ingest import Committed
from referee.hub.mirror import Mirror
from referee.hub.uploads import Uploads
from referee.log.uid import is_uuid
from referee.web.access import Access
from referee.web.books import ClubBooks
from referee.web.broadcast import Broadcast

HALL, TILE, REFUSED = "hall", "tile/", "refused"
"""Sections of the wall's state: the order of the boards and the number of questions; a board's tile by its station; the
last word that a board refused."""
SLUG_LETTERS = re.compile(r"[^a-z0-9]+")
MOST_SLUG = 30
MOST_NAME = 40
WISH_AGAIN_S = 20.0
"""Time after which a board is asked again for what it keeps of a stroke, s."""

SendTopic = Callable[[str, Topic, dict[str, Any]], bool]


class Hall:
    """The boards; lives in one event loop."""

    def __init__(self, folder: Path, mirror: Mirror, uploads: Uploads, send: SendTopic, doors: Access) -> None:
        self.broadcast = Broadcast()
        self.boards: dict[str, HallBoard] = {}
        """By station."""
        self._mirror, self._uploads, self._send, self._doors = mirror, uploads, send, doors
        self.books = ClubBooks(folder)
        self._tasks: asyncio.TaskGroup | None = None
        self._wishes: dict[tuple[str, int], float] = {}
        self._fetched: dict[tuple[str, int], tuple[int, float]] = {}
        """Number of files that a board uploaded of a stroke, and when."""
        self._arrived = asyncio.Event()
        self._retired: set[str] = set()
        self._publish_order()

    async def run(self, database: Database, known_boards: asyncio.Event) -> None:
        """Shows the boards that the database knows, sets `known_boards`, then follows all for ever."""
        async with asyncio.TaskGroup() as tasks:
            self._tasks = tasks
            self._retired |= await asyncio.to_thread(retired_of, database)
            known = await asyncio.to_thread(stations_of, database)
            for station, name, _ in known:
                self.name(self.board(station), name)
            known_boards.set()
            for station, _, uid in known:
                board = self.board(station)
                if uid is not None and board.uid is None:
                    await asyncio.to_thread(self._mirror.restore, database, station, uid)
                    board.follow(uid)
            await asyncio.Future()

    def board(self, station: str) -> HallBoard:
        """Returns a station's board, a new one if it was not known."""
        if station not in self.boards:
            folder = self._mirror.station(station)
            folder.mkdir(parents=True, exist_ok=True)
            board = HallBoard(station, folder, self._send_word, self._doors, self.books, self._publish)
            self.boards[station] = board
            self.name(board, "")
            if self._tasks is not None:
                self._tasks.create_task(board.run(), name=f"board {station}")
        return self.boards[station]

    def sorted(self) -> list[HallBoard]:
        """Returns the boards by name, 9 before 10."""
        return sorted(self.boards.values(), key=lambda board: (_natural(board.name), board.station))

    def by_slug(self, slug: str) -> HallBoard | None:
        """Returns the board of a name in addresses."""
        return next((board for board in self.boards.values() if board.slug == slug), None)

    def receive(self, address: Address, said: Mapping[str, Any]) -> None:
        """Takes a station's message that is no row of a log."""
        if not is_uuid(address.station) or address.station in self._retired:
            return
        board = self.board(address.station)
        match address.topic:
            case Topic.UP:
                station = said.get("station")
                if isinstance(station, dict) and isinstance(station.get("name"), str):
                    self.name(board, station["name"])
                board.hear_up(said)
            case Topic.STATE:
                board.hear_state(said)
            case Topic.HEALTH:
                board.hear_health(said)
            case Topic.ANSWER:
                self._fetch(said)
                if refused := board.hear_answer(said):
                    self.broadcast.publish(REFUSED, refused)

    def committed(self, done: Sequence[Committed]) -> None:
        """Shows what was added to the logs."""
        for station, uid in {(c.station, c.uid) for c in done if c.rows}:
            board = self.boards.get(station)
            if board is not None and board.uid == uid:
                board.grow()

    def questions(self, language: str) -> list[Document]:
        """Returns the open questions of all boards, the oldest first."""
        asked = [q for board in self.boards.values() for q in board.questions(language)]
        return sorted(asked, key=lambda q: (q["asked_at"] is None, q["asked_at"] or 0.0, q["board"]))

    def linked(self, found: Iterable[Document]) -> list[Document]:
        """Returns strokes of matches with the address of each one's replay and the name of its board."""
        boards = dict(self.boards)
        return [
            row | {"href": _replay(boards[row["station"]].slug, row) if row["station"] in boards else None,
                   "board_name": boards[row["station"]].name if row["station"] in boards else ""}
            for row in found
        ]  # fmt: skip

    async def request_upload(self, board: HallBoard, uid: str, stroke: int, patience_s: float) -> None:
        """Has a board upload what it keeps of a stroke, unless it did; waits a while for it."""
        loop = asyncio.get_running_loop()
        wish, end = (uid, stroke), loop.time() + patience_s
        if self._fetched.get(wish, (0, 0.0))[0] > 0 and not self._uploads.has(board.station, uid, stroke):
            # It had to make room since.
            del self._fetched[wish]
            self._wishes.pop(wish, None)
        while not self._is_fetched(wish) and board.up and loop.time() < end:
            if loop.time() - self._wishes.get(wish, float("-inf")) > WISH_AGAIN_S:
                self._wishes[wish] = loop.time()
                self._send(board.station, Topic.WANT, {"uid": uid, "stroke": stroke})
            try:
                async with asyncio.timeout_at(end):
                    await self._arrived.wait()
            except TimeoutError:
                return

    def _is_fetched(self, wish: tuple[str, int]) -> bool:
        """Tells whether the board has uploaded all, or has said lately that it keeps nothing."""
        files, at = self._fetched.get(wish, (0, float("-inf")))
        return files > 0 or asyncio.get_running_loop().time() - at < WISH_AGAIN_S

    def _fetch(self, said: Mapping[str, Any]) -> None:
        """Wakes those who wait for what a board has uploaded now."""
        wish = str(said.get("uid")), said.get("stroke")
        if isinstance(wish[1], int) and isinstance(said.get("files"), int):
            self._fetched[wish[0], wish[1]] = said["files"], asyncio.get_running_loop().time()
            self._arrived.set()
            self._arrived = asyncio.Event()

    def retire(self, station: str) -> None:
        """Takes a board from the wall; its matches stay."""
        self._retired.add(station)
        board = self.boards.pop(station, None)
        if board is not None:
            self._publish_order()

    def welcome(self, station: str) -> None:
        """Lets a board that was retired come again."""
        self._retired.discard(station)

    def name(self, board: HallBoard, name: str) -> None:
        """Gives a board its name, and one in addresses that no other has."""
        name = name.strip()[:MOST_NAME]
        if board.name and name in ("", board.name):
            return
        board.name = name
        wanted = SLUG_LETTERS.sub("-", name.casefold()).strip("-")[:MOST_SLUG] or board.station[:8]
        taken = {other.slug for other in self.boards.values() if other is not board}
        board.slug = wanted if wanted not in taken else f"{wanted}-{board.station[:8]}"
        self._publish(board)

    def _publish(self, board: HallBoard) -> None:
        if board.station in self.boards:
            self.broadcast.update(TILE + board.station, board.tile())
        self._publish_order()

    def _publish_order(self) -> None:
        boards = self.sorted()
        tiles = [self.broadcast.value(TILE + board.station) for board in boards]
        asked = sum((tile["match"] or {}).get("questions", 0) for tile in tiles if tile)
        self.broadcast.update(HALL, {"boards": [board.station for board in boards], "questions": asked})

    def _send_word(self, station: str, event: Mapping[str, Any]) -> bool:
        return self._send(station, Topic.WORD, dict(event))


def stations_of(database: Database) -> list[tuple[str, str, str | None]]:
    """Returns each station that was not retired, with its name and the match that grew last. Raises psycopg.Error."""
    return [
        (str(station), str(name), uid)
        for station, name, uid in database.execute(
            "select coalesce(s.id, m.station), coalesce(s.name, ''), m.uid::text from station s full join "
            "(select distinct on (station) station, uid from match order by station, grown_at desc) m "
            "on m.station = s.id where s.retired_at is null"
        )
    ]


def retired_of(database: Database) -> set[str]:
    """Returns the stations that were retired: the broker may still hold what they said last. Raises psycopg.Error."""
    return {str(station) for (station,) in database.execute("select id from station where retired_at is not null")}


def _replay(slug: str, row: Document) -> str:
    return f"/b/{slug}/matches/{row['uid']}" + (f"#stroke={row['stroke']}" if row["stroke"] else "")


def _natural(name: str) -> list[tuple[int, int | str]]:
    """Returns a key by which board 10 follows board 9."""
    return [(0, int(part)) if part.isdigit() else (1, part.casefold()) for part in re.split(r"(\d+)", name) if part]
