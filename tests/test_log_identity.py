"""Identity of a match: ids that no two machines make alike, and that every machine reads alike in one log."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import replace
from pathlib import Path
from uuid import RFC_4122, UUID

import pytest
from match_logs import played, write

from models.pieces import Seat
from referee.commands.matches import next_log
from referee.log import LogWriter, read_log
from referee.log.identity import Origin, event_of, identity_fields, match_uid, people_of, station_of
from referee.match import start_fields

PLAYERS = ((Seat.SOUTH, "Asha Rao"), (Seat.NORTH, ""))


def begun(log: Path, players=PLAYERS, **fields: object) -> dict[str, object]:
    """Begins a match and returns its header."""
    with LogWriter(log) as writer:
        said = identity_fields(Origin(), log, None, players) | fields
        return writer.header(1_700_000_000.0, **start_fields(played().start), **said)


def test_boards_that_start_in_the_same_second_have_nothing_in_common(tmp_path: Path) -> None:
    names = [next_log(tmp_path).stem for _ in range(1000)]
    before = time.time_ns() // 1_000_000
    uids = [UUID(str(identity_fields(Origin(), tmp_path / "a.jsonl", None, ())["uid"])) for _ in range(1000)]
    assert len(set(names)) == len(set(uids)) == 1000
    assert {(uid.version, uid.variant) for uid in uids} == {(7, RFC_4122)}
    assert all(before <= uid.int >> 80 <= time.time_ns() // 1_000_000 for uid in uids)


def test_a_log_without_a_uid_has_that_of_its_first_line(tmp_path: Path) -> None:
    log = tmp_path / "old.jsonl"
    write(log, played())
    uid = UUID(match_uid(log))
    first = int.from_bytes(hashlib.sha256(log.read_bytes().split(b"\n")[0]).digest()[:16], "big")
    stamp = 0xF << 76 | 0x3 << 62
    assert (uid.version, uid.variant, uid.int & ~stamp) == (8, RFC_4122, first & ~stamp)
    with LogWriter(log) as writer:
        fields = identity_fields(Origin(), log, writer.before.headers[0], PLAYERS)
        writer.header(1_700_000_100.0, **fields)
    assert fields == {"uid": str(uid)}
    assert match_uid(log) == str(uid)


def test_a_match_keeps_its_uid_over_restarts_and_a_damaged_first_line(tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    first = begun(log)
    with LogWriter(log) as writer:
        again = identity_fields(Origin(), log, writer.before.headers[0], ())
        writer.header(1_700_000_100.0, **again)
    assert again == {name: first[name] for name in ("uid", "people")}
    log.write_bytes(b"#" + log.read_bytes()[1:])
    assert len(read_log(log).headers) == 1
    assert match_uid(log) == first["uid"]


def test_a_player_keeps_his_id_and_of_two_the_older_holds(tmp_path: Path) -> None:
    first = begun(tmp_path / "a.jsonl")["people"]["south"]
    assert first["name"] == "Asha Rao"
    same = people_of(((Seat.EAST, "asha  RAO"), (Seat.WEST, "Ravi")), tmp_path)
    assert same["east"] == {"id": first["id"], "name": "asha  RAO"}
    assert same["west"]["id"] != first["id"]
    older = {"id": "00000000-0000-7000-8000-000000000000", "name": "Asha Rao"}
    begun(tmp_path / "of_another_board.jsonl", people={"north": older})
    assert people_of(PLAYERS, tmp_path) == {"south": older}


def test_a_station_keeps_its_id_under_any_name_and_makes_a_new_one_of_a_damaged_file(tmp_path: Path) -> None:
    here = tmp_path / "data"
    first = station_of(here, "7")
    assert (station_of(here, "8").id, station_of(here, "8").name) == (first.id, "8")
    assert station_of(tmp_path / "elsewhere").id != first.id
    for damaged in ("", "[]", '{"id": "7"}', "\u00e9"):
        (here / "station.json").write_text(damaged, encoding="utf-8")
        again = station_of(here)
        assert json.loads((here / "station.json").read_text())["id"] == again.id != first.id


@pytest.mark.parametrize(
    ("said", "event"),
    [
        ({"tourney": "Club cup", "round": 3, "board": 7}, {"tourney": "Club cup", "round": 3, "board": 7}),
        ({"round": 3, "more": 1}, {"round": 3}),
        ({"tourney": "", "round": -1, "board": 10_000}, {}),
        ({"tourney": "x" * 81, "round": "3", "board": None}, {}),
        ({"tourney": "two\nlines", "round": True}, {}),
        (None, {}),
        ([1], {}),
    ],
)
def test_an_event_from_the_hall_is_read_with_care(said: object, event: dict[str, object]) -> None:
    assert event_of(said) == event


def test_what_the_hall_says_of_a_match_holds_for_that_match_alone(tmp_path: Path) -> None:
    origin = Origin(event={"tourney": "League"}, said={"tourney": "Cup", "round": 2})
    assert identity_fields(origin, tmp_path / "a.jsonl", None, ())["event"] == {"tourney": "Cup", "round": 2}
    later = replace(origin, said={})
    assert identity_fields(later, tmp_path / "b.jsonl", None, ())["event"] == {"tourney": "League"}
