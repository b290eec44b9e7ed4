"""The tournament at the hub: names for boards from a file or from SoL, rounds begun, and SoL's scorecards filled in."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from models.pieces import Seat
from referee.hub.database import Database, connect
from referee.hub.event_file import EventGame
from referee.hub.hall import Hall
from referee.hub.hall_board import Document, HallBoard
from referee.hub.scorecard import CardBoard
from referee.hub.sol import SolClosed, SolError, read_card, write_card
from referee.log.stored_match import STORED_MATCH_UNREADABLE

logger = logging.getLogger(__name__)

CARDS_POLL_S = 1.0
"""Interval at which boards are compared with what SoL has, s."""
COMPETITOR_SEAT = Seat.SOUTH
"""Where SoL's first competitor sits as a match begins."""


class BoardBegun(StrEnum):
    """What became of the wish to begin a board's game."""

    SENT = "sent"
    PLAYS = "plays"
    """A match is under way there; nothing was changed."""
    AWAY = "away"
    MISSING = "missing"
    """No board has this name."""
    FAILED = "failed"
    """SoL gave no names."""


@dataclass(frozen=True, slots=True)
class BoundCard:
    """SoL's card of a board, as far as it is filled in."""

    station: str
    url: str
    sent: str = ""
    ended: bool = False
    problem: str = ""


class EventDesk:
    """The tournament of one hub; lives in one event loop."""

    def __init__(self, hall: Hall, address: str) -> None:
        """`address`: of the database."""
        self._hall, self._address = hall, address
        self.cards: dict[str, BoundCard] = {}
        """By station."""

    async def run(self) -> None:
        """Fills in SoL's cards for ever. What it does not take now is tried again."""
        while True:
            try:
                self.cards = {card.station: card for card in await self.run_query(cards_of)}
                for card in self.cards.values():
                    await self._fill_in(card)
            except psycopg.Error as e:
                logger.warning("the database is away: %s", e)
            except STORED_MATCH_UNREADABLE as e:
                logger.warning("a board's match makes no scorecard: %r", e)
            await asyncio.sleep(CARDS_POLL_S)

    async def bind(self, station: str, url: str) -> None:
        """Binds the address of SoL's label to a board, after a look at it. Raises SolError or psycopg.Error."""
        with suppress(SolClosed):  # it is SoL's, and the next round will be another
            await asyncio.to_thread(read_card, url)
        await self.run_query(lambda database: database.execute(
            "insert into card (station, url) values (%s, %s) on conflict (station) do update set url = excluded.url, "
            "sent = '', ended = false, problem = ''", [station, url]))  # fmt: skip
        self.cards[station] = BoundCard(station, url)

    async def unbind(self, station: str) -> None:
        """Forgets a board's label. Raises psycopg.Error."""
        await self.run_query(lambda database: database.execute("delete from card where station = %s", [station]))
        self.cards.pop(station, None)

    async def begin(self, games: Sequence[EventGame], rules: str, book: str | None, by: str) -> list[Document]:
        """Begins a round: of these games, and at every board with SoL's label; returns what became of each board.

        A board whose match is under way plays on.
        """
        by_name = {board.name.casefold(): board for board in self._hall.boards.values()}
        outcomes = [await self._begin(by_name.get(game.board.casefold()), game, rules, book, by) for game in games]
        if games:
            return outcomes
        for card in list(self.cards.values()):
            board = self._hall.boards.get(card.station)
            if board is None:
                continue
            try:
                fetched = await asyncio.to_thread(read_card, card.url)
            except SolError as e:
                outcomes.append({"board": board.name, "begun": BoardBegun.FAILED, "why": str(e)})
                continue
            first, second = fetched.names
            game = EventGame(fetched.round, board.name, {Seat.SOUTH: first, Seat.NORTH: second}, fetched.tourney)
            outcomes.append(await self._begin(board, game, rules, book, by))
        return outcomes

    async def _begin(self, board: HallBoard | None, game: EventGame, rules: str, book: str | None, by: str) -> Document:
        if board is None:
            return {"board": game.board, "begun": BoardBegun.MISSING}
        if not board.is_free:
            return {"board": game.board, "begun": BoardBegun.PLAYS}
        event = {"tourney": game.tourney, "round": game.round}
        if game.board.isascii() and game.board.isdigit():
            event["board"] = int(game.board)
        sent = await board.begin(rules, book, game.players, {k: v for k, v in event.items() if v != ""}, by)
        return {"board": game.board, "begun": BoardBegun.SENT if sent else BoardBegun.AWAY}

    async def _fill_in(self, card: BoundCard) -> None:
        """Enters what SoL lacks of a board's match, if that is one of a round."""
        board = self._hall.boards.get(card.station)
        found, turn = (board.scorecard, board.event.get("round")) if board else (None, None)
        if board is None or found is None or not isinstance(turn, int) or not (found.boards or found.stands):
            return
        first = board.starting_name(COMPETITOR_SEAT)
        swapped = first in found.names[1] and first not in found.names[0]
        order = (1, 0) if swapped else (0, 1)
        boards = [
            CardBoard((b.coins[order[0]], b.coins[order[1]]), None if b.queen is None else order[b.queen])
            for b in found.boards
        ]
        score = (found.score[order[0]], found.score[order[1]]) if found.stands else None
        sent = json.dumps([board.uid, turn, [[b.coins, b.queen] for b in boards], score])
        if sent == card.sent and not card.problem:
            return
        known = json.loads(card.sent) if card.sent else [None, None]
        if card.ended and known[:2] == [board.uid, turn]:
            return
        problem, ended = "", score is not None
        try:
            await asyncio.to_thread(write_card, card.url, turn, boards, score)
        except SolClosed as e:
            problem, ended = "" if score is not None else str(e), True
        except SolError as e:
            problem, ended, sent = str(e), False, card.sent
        if (sent, ended, problem) != (card.sent, card.ended, card.problem):
            await self.run_query(lambda database: database.execute(
                "update card set sent = %s, ended = %s, problem = %s where station = %s and url = %s",
                [sent, ended, problem, card.station, card.url]))  # fmt: skip

    async def run_query(self, query: Callable[[Database], Any]) -> Any:
        """Runs a query on the database. Raises psycopg.Error."""

        def ask() -> Any:
            with connect(self._address) as database:
                return query(database)

        return await asyncio.to_thread(ask)


def cards_of(database: Database) -> list[BoundCard]:
    """Returns the cards of all boards. Raises psycopg.Error."""
    return [BoundCard(*row) for row in database.execute("select station, url, sent, ended, problem from card")]


def games_of(database: Database) -> list[EventGame]:
    """Returns all games of event files, round by round. Raises psycopg.Error."""
    rows = database.execute("select round, board, players, tourney from game order by tourney, round, board")
    return [EventGame(number, board, {seat: players[seat] for seat in Seat if seat in players}, tourney)
            for number, board, players, tourney in rows]  # fmt: skip


def store_games(database: Database, games: Sequence[EventGame]) -> None:
    """Stores the games of an event file in place of all others of the same rounds. Raises psycopg.Error."""
    with database.transaction(), database.cursor() as cursor:
        for tourney, number in sorted({(game.tourney, game.round) for game in games}):
            cursor.execute("delete from game where (tourney, round) = (%s, %s)", [tourney, number])
        cursor.executemany(
            "insert into game (tourney, round, board, players) values (%s, %s, %s, %s)",
            [(g.tourney, g.round, g.board, Jsonb({seat.value: name for seat, name in g.players.items()}))
             for g in games],
        )  # fmt: skip
