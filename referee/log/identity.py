"""Identity of a match, the same on every machine: its uid, the station that records it, the people who play, the event.

All of it stands in the log's header, in fields that older programs leave unread.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from models.pieces import Seat
from referee.atomic_files import written
from referee.log.line import Line, LineError, decode
from referee.log.reader import ROW_BYTES
from referee.log.uid import derived_uid, is_uuid, uuid7

STATION_FILE = "station.json"
"""Name of the file in the data folder that keeps the station's id."""
MATCH_FIELDS = ("people", "event")
"""Fields of a match's first header that those of its later starts repeat."""

MOST_EVENT_TEXT, MOST_EVENT_DIGITS = 80, 4
"""Greatest length of a tournament's name or id, and of the number of a round or board."""

TournamentPlace = Mapping[str, str | int]
"""Place of a match in a tournament: `tourney`, `round` and `board`, as far as they are known."""


@dataclass(frozen=True, slots=True)
class Station:
    """Installation of the program that records matches, in general one board."""

    id: str
    """UUID made at its first match."""
    name: str = ""
    """Name by which people know it, such as 7."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where and on whose word a match is played."""

    station: Station | None = None
    event: TournamentPlace = field(default_factory=dict)
    """What every match belongs to of which nothing else is said."""
    word: str = ""
    """Id of the umpire's word that begins the match; "" if the program's start does."""
    said: TournamentPlace = field(default_factory=dict)
    """What this match belongs to by that word."""


def event_of(said: object) -> TournamentPlace:
    """Returns what a match belongs to as a word from the hall states it; what makes no sense is left out."""
    fields = said if isinstance(said, Mapping) else {}
    event: dict[str, str | int] = {
        name: value for name in ("round", "board")
        if type(value := fields.get(name)) is int and 0 <= value < 10**MOST_EVENT_DIGITS
    }  # fmt: skip
    tourney = fields.get("tourney")
    if isinstance(tourney, str) and 0 < len(tourney) <= MOST_EVENT_TEXT and tourney.isprintable():
        event["tourney"] = tourney
    return event


def match_uid(log: Path) -> str:
    """Returns the uid of the match logged at `log`, as its first readable header states it.

    In logs of older programs, and in those of `analyse`, it is a UUIDv8 (RFC 9562, section 5.8) of the SHA-256 of the
    first line. Raises OSError.
    """
    with log.open("rb") as file:
        first = file.readline(ROW_BYTES)
        header = _header(first)
        if header is None:
            # A damaged first line is no reason to lose the identity: every later start repeats it.
            header = next(filter(None, map(_header, file)), {})
    return str(header.get("uid") or derived_uid(first))


def station_of(folder: Path, name: str = "") -> Station:
    """Returns the station whose id is kept in `folder`, under its present name; makes the id if there is none.

    Raises OSError if it cannot be kept.
    """
    path = folder / STATION_FILE
    try:
        known = json.loads(path.read_text(encoding="ascii"))["id"]
    except (FileNotFoundError, ValueError, LookupError, TypeError):
        known = None
    if not is_uuid(known):
        known = str(uuid4())
        with written(path) as part:
            part.write_text(json.dumps({"id": known}), encoding="ascii")
    return Station(known, name)


def people_of(players: Iterable[tuple[Seat, str]], folder: Path) -> dict[str, dict[str, str]]:
    """Returns id and name of each player by seat.

    A name that a match in `folder` has keeps its id; of several ids, as after the folders of two boards were merged,
    the smallest holds, which is the oldest. Any other name gets a new one.
    """
    named = [(seat, name) for seat, name in players if name]
    known = _known_people(folder) if named else {}
    return {seat.value: {"id": known.get(_plain(name)) or uuid7(), "name": name} for seat, name in named}


def identity_fields(
    origin: Origin, log: Path, earlier: Line | None, players: Iterable[tuple[Seat, str]]
) -> dict[str, object]:
    """Returns the header's fields on identity.

    `earlier`: fields on how the match began if `log` is continued, else None: then the match is a new one.
    """
    said: dict[str, object] = {"station": origin.station and {"id": origin.station.id, "name": origin.station.name}}
    if earlier is not None:
        said |= {"uid": match_uid(log)} | {name: earlier.get(name) for name in MATCH_FIELDS}
    else:
        people = people_of(players, log.parent)
        said |= {"uid": uuid7(), "people": people, "event": dict(origin.said or origin.event), "word": origin.word}
    return {name: value for name, value in said.items() if value}


def _header(row: bytes) -> Line | None:
    """Returns the header in a row of a log; None if it is another line or damaged, or its uid is none."""
    try:
        line = decode(row.decode("ascii").removesuffix("\n"))
    except (LineError, UnicodeDecodeError):
        return None
    is_sound = line["type"] == "header" and (line.get("uid") is None or is_uuid(line["uid"]))
    return line if is_sound else None


def _known_people(folder: Path) -> dict[str, str]:
    """Returns the ids of people by name, from the first lines of the matches in a folder."""
    known: dict[str, str] = {}
    for log in folder.rglob("*.jsonl"):
        try:
            with log.open("rb") as file:
                header = _header(file.readline(ROW_BYTES)) or {}
        except OSError:
            continue
        people = header.get("people")
        for person in people.values() if isinstance(people, dict) else ():
            if isinstance(person, dict) and isinstance(person.get("id"), str) and isinstance(person.get("name"), str):
                name = _plain(person["name"])
                known[name] = min(person["id"], known.get(name, person["id"]))
    return known


def _plain(name: str) -> str:
    """Returns a name without regard to case, blanks and the way its letters are composed."""
    return unicodedata.normalize("NFC", " ".join(name.split()).casefold())
