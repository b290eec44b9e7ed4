"""Reads an event file: who plays whom, at which board, in which round. CSV with a first line of names, or JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from models.pieces import Seat

SEAT_NAMES = tuple(seat.value for seat in Seat)
EVENT_COLUMNS = ("tourney", "round", "board", *SEAT_NAMES)
EVENT_LINES_MOST = 20_000
"""Greatest number of games: twenty rounds of a thousand boards."""
EVENT_ROUND_MOST = 9999
EVENT_NAME_MOST, EVENT_PLAYER_MOST, EVENT_TOURNEY_MOST = 40, 40, 80
"""Greatest lengths of the names of a board, a player and a tournament."""


class EventFileError(ValueError):
    """The file cannot be used; the message is one sentence with the number of the line."""


@dataclass(frozen=True, slots=True)
class EventGame:
    """Who plays at a board in a round."""

    round: int
    board: str
    """Name of the board, as its station is called."""
    players: dict[Seat, str]
    tourney: str = ""
    line: int = field(default=0, compare=False)
    """Line of the file."""


def read_event(text: str) -> list[EventGame]:
    """Returns the games of an event file. Raises EventFileError."""
    text = text.removeprefix("\ufeff")
    entries = _json_entries(text) if text.lstrip()[:1] in ("{", "[") else _csv_entries(text)
    games: dict[tuple[str, int, str], EventGame] = {}
    playing: dict[tuple[str, int, str], EventGame] = {}
    for line, entry in entries:
        game = _game(line, entry)
        place = game.tourney, game.round, game.board.casefold()
        if place in games:
            raise EventFileError(
                f"line {line}: board {game.board} has a game in round {game.round} already, in line {games[place].line}"
            )
        games[place] = game
        for name in game.players.values():
            other = playing.setdefault((game.tourney, game.round, name.casefold()), game)
            if other is not game:
                raise EventFileError(
                    f"line {line}: {name} plays at board {other.board} in round {game.round} already, "
                    f"in line {other.line}"
                )
        if len(games) > EVENT_LINES_MOST:
            raise EventFileError(f"line {line}: more than {EVENT_LINES_MOST} games")
    if not games:
        raise EventFileError("line 1: there is no game in this file")
    return list(games.values())


def _game(line: int, entry: dict[str, Any]) -> EventGame:
    unknown = sorted(name for name in entry if name not in EVENT_COLUMNS)
    if unknown:
        raise EventFileError(f"line {line}: {unknown[0]!r} is not known; choose of {', '.join(EVENT_COLUMNS)}")
    words = {name: " ".join(str(value).split()) for name, value in entry.items() if value not in (None, "")}
    number = words.get("round", "1")
    if not (number.isascii() and number.isdigit() and 1 <= int(number) <= EVENT_ROUND_MOST):
        raise EventFileError(f"line {line}: {number!r} is no round: write a number from 1 to {EVENT_ROUND_MOST}")
    players = {seat: words[seat.value] for seat in Seat if words.get(seat.value)}
    if not words.get("board"):
        raise EventFileError(f"line {line}: the name of the board is missing")
    if len(players) < 2:
        raise EventFileError(f"line {line}: two players are needed, as south and north")
    limits = {"board": EVENT_NAME_MOST, "tourney": EVENT_TOURNEY_MOST} | dict.fromkeys(SEAT_NAMES, EVENT_PLAYER_MOST)
    for name, most in limits.items():
        if len(words.get(name, "")) > most:
            raise EventFileError(f"line {line}: {name} is longer than {most} characters")
    return EventGame(int(number), words["board"], players, words.get("tourney", ""), line)


def _csv_entries(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    lines = text.splitlines()
    first = next((line for line in lines if line.strip()), "")
    rows = csv.reader(lines, delimiter=";" if first.count(";") > first.count(",") else ",", strict=True)
    names: list[str] | None = None
    try:
        for row in rows:
            if not any(word.strip() for word in row):
                continue
            if names is None:
                names = [word.strip().casefold() for word in row]
                missing = {"board", "south", "north"} - set(names)
                if missing:
                    raise EventFileError(
                        f"line {rows.line_num}: the first line names the columns, such as "
                        f"round,board,south,north; {', '.join(sorted(missing))} is missing"
                    )
            elif len(row) > len(names):
                raise EventFileError(f"line {rows.line_num}: {len(row)} values for {len(names)} columns")
            else:
                yield rows.line_num, dict(zip(names, row, strict=False))
    except csv.Error as e:
        raise EventFileError(f"line {rows.line_num}: {e}") from None


def _json_entries(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields the games of `[{…}]` or `{"tourney": …, "games": [{…}]}`, each with the line where it begins."""
    try:
        whole = json.loads(text)
    except RecursionError:
        raise EventFileError("line 1: brackets within brackets, too many") from None
    except json.JSONDecodeError as e:
        raise EventFileError(f"line {e.lineno}: this is no JSON: {e.msg}") from None
    games = whole.get("games") if isinstance(whole, dict) else whole
    if not isinstance(games, list):
        raise EventFileError('line 1: the games are missing: write {"tourney": "Club cup", "games": [...]}')
    common = {"tourney": whole.get("tourney")} if isinstance(whole, dict) else {}
    decoder, at = json.JSONDecoder(), text.index("[", text.index('"games"') if isinstance(whole, dict) else 0) + 1
    for _ in games:
        while text[at] in " \t\r\n,":
            at += 1
        line = text.count("\n", 0, at) + 1
        entry, at = decoder.raw_decode(text, at)
        if not isinstance(entry, dict):
            raise EventFileError(f'line {line}: write a game as {{"round": 1, "board": "7", "south": …, "north": …}}')
        yield line, common | entry
