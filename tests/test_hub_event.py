"""A tournament at the hub: names from an event file or from SoL, and SoL's scorecards filled in board by board."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner
from engines import Broker, Database
from hall_stage import Club, HallEyes
from sol_stage import sol
from web_stage import Eyes, until

from models.pieces import Seat
from referee.cli import main
from referee.hub.event_file import EventFileError, EventGame, read_event
from referee.log.identity import event_of
from referee.log.running import Running

FILE = "tourney,round,board,south,north\nClub cup,1,7,Asha Rao,Ravi\nClub cup,1,8,Maria,Chen\nClub cup,2,7,Maria,Ravi\n"
SOUTH_WINS = ("south W,W", "south Q,W", "south W,W,W,W,W,W")
SOUTH_WINS_SECOND = ("north -", "south B,B", "south Q,B", "south B,B,B,B,B,B")


@pytest.fixture(scope="module")
def club(broker: Broker, database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    folder = tmp_path_factory.mktemp("club")
    (folder / "event.csv").write_text(FILE)
    with Club(folder, broker, database).hub("--pin", "off", "--event", str(folder / "event.csv")) as club:
        yield club


def ask(club: Club, method: str, path: str, body: bytes = b"") -> None:
    request = Request(f"{club.url}{path}", body or None, {"content-type": "application/json"}, method=method)
    urlopen(request, timeout=60).close()


def shown(club: Club, name: str) -> dict[str, Any]:
    """A board as the page of the tournament shows it."""
    return next(b for b in club.get("api/hall/event")["boards"] if b["name"] == name)


@contextmanager
def begun(board: HallEyes) -> Iterator[Eyes]:
    """The match that the hub has asked the board to begin."""
    word = board.eyes.asked("new_match")
    players = tuple((Seat(seat), name) for seat, name in word["players"].items())
    header = {"event": dict(event_of(word["event"])), "word": word["id"]}
    with board.stage.match(board.eyes.link, header, players=players, rules=word["rules"]) as eyes:
        yield eyes


@pytest.mark.parametrize(
    ("text", "games"),
    [
        ("round,board,south,north\n1,7,A,B\n", [EventGame(1, "7", {Seat.SOUTH: "A", Seat.NORTH: "B"})]),
        ("\ufeffBoard;South;North;East;West\r\nFinal;A;B;C;D\r\n\r\n",
         [EventGame(1, "Final", {Seat.SOUTH: "A", Seat.NORTH: "B", Seat.EAST: "C", Seat.WEST: "D"})]),
        ('{"tourney": "Cup", "games": [{"round": 2, "board": 7, "south": "Å \\n B", "north": "C"}]}',
         [EventGame(2, "7", {Seat.SOUTH: "Å B", Seat.NORTH: "C"}, "Cup")]),
        ('[{"board": "7", "south": "A", "north": "B"}]', [EventGame(1, "7", {Seat.SOUTH: "A", Seat.NORTH: "B"})]),
    ],
)  # fmt: skip
def test_event_files_of_both_kinds_are_read(text: str, games: list[EventGame]) -> None:
    assert read_event(text) == games


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "line 1: there is no game in this file"),
        ("round,board,south\n1,7,A\n", "line 1: the first line names the columns, such as round,board,south,north; "
                                       "north is missing"),
        ("board,south,north\n7,A,B\n7,C,D\n", "line 3: board 7 has a game in round 1 already, in line 2"),
        ("board,south,north\n7,A,B\n\n8,C,a\n", "line 4: a plays at board 7 in round 1 already, in line 2"),
        ("round,board,south,north\none,7,A,B\n", "line 2: 'one' is no round: write a number from 1 to 9999"),
        ("board,south,north\n7,A,\n", "line 2: two players are needed, as south and north"),
        ("board,south,north\n,A,B\n", "line 2: the name of the board is missing"),
        ("board,south,north,umpire\n7,A,B,C\n", "line 2: 'umpire' is not known; choose of tourney, round, board, "
                                                "south, west, north, east"),
        ("board,south,north\n7,A,B,C\n", "line 2: 4 values for 3 columns"),
        ('board,south,north\n7,"A,B\n', "line 2: unexpected end of data"),
        (f"board,south,north\n7,{'A' * 41},B\n", "line 2: south is longer than 40 characters"),
        ('[\n{"board": "7",}]', "line 2: this is no JSON: "),
        ('{"games": [{"board": "7", "south": "A", "north": "B"},\n"x"]}', "line 2: write a game as "),
        ('{"games": 1}', "line 1: the games are missing"),
    ],
)  # fmt: skip
def test_a_bad_event_file_is_refused_in_one_sentence_with_its_line(text: str, why: str) -> None:
    with pytest.raises(EventFileError) as e:
        read_event(text)
    assert str(e.value).startswith(why)
    assert "\n" not in str(e.value)


def test_a_hub_with_a_bad_event_file_does_not_start(tmp_path: Path) -> None:
    bad = tmp_path / "event.csv"
    bad.write_text("board,south\n")
    done = CliRunner().invoke(main, ["hub", "--data", str(tmp_path), "--event", str(bad)])
    assert (done.exit_code, "event.csv: line 1: " in done.output) == (1, True), done.output


def test_a_round_of_the_file_gives_names_to_the_boards_that_are_free(club: Club) -> None:
    with club.board("7") as free, club.board("8") as busy:
        busy.eyes.play("south W")
        until(lambda: (club.tile("8").get("match") or {}).get("strokes") == 1 and club.tile("7").get("match"))
        until(lambda: shown(club, "7")["up"] and shown(club, "8")["up"])
        with pytest.raises(HTTPError, match="422"):
            ask(club, "PUT", "api/hall/event", b'{"text": "board"}')
        told = club.post("api/hall/event/begin", {"rules": "icf", "tourney": "Club cup", "round": 1})
        assert told == [{"board": "7", "begun": "sent"}, {"board": "8", "begun": "plays"}]
        with begun(free) as eyes:
            eyes.play("south W")
            until(lambda: shown(club, "7")["event"] == {"tourney": "Club cup", "round": 1, "board": 7})
            names = [side["names"] for side in shown(club, "7")["sides"]]
            assert names == [["Asha Rao"], ["Ravi"]]
        assert busy.eyes.heard() == []
    ask(club, "PUT", "api/hall/event", b'{"text": "board,south,north\\nnowhere,A,B"}')
    told = club.post("api/hall/event/begin", {"rules": "icf", "round": 1})
    assert told == [{"board": "nowhere", "begun": "missing"}]
    assert len(club.get("api/hall/event")["games"]) == 4


def test_sol_names_the_players_and_gets_each_board_and_the_result(club: Club, tmp_path: Path) -> None:
    with sol(tmp_path / "sol") as stage, club.board("1") as board:
        until(lambda: club.tile("1").get("match") and shown(club, "1")["up"])
        station = f"api/hall/event/cards/{board.station}"
        with pytest.raises(HTTPError, match="422"):
            ask(club, "PUT", station, b'{"url": "http://127.0.0.1:9/etc"}')
        ask(club, "PUT", station, b'{"url": "%s"}' % stage.url.encode())
        assert club.post("api/hall/event/begin", {"rules": "icf+target=24+games=1"}) == [
            {"board": "1", "begun": "sent"}
        ]
        with begun(board) as eyes:
            until(lambda: shown(club, "1")["event"] == {"tourney": "Club cup", "round": 1, "board": 1})
            eyes.play(*SOUTH_WINS)
            until(lambda: shown(club, "1")["card"]["entered"])
            eyes.play(*SOUTH_WINS_SECOND, breaker="north")
            until(lambda: len(stage.asked) == 4)
            assert shown(club, "1")["over"]
            assert not shown(club, "1")["stands"]
            club.post("b/1/api/umpire/running", {"state": Running.ENDED.value})
            eyes.run(eyes.asked("running"))
            until(lambda: shown(club, "1")["card"]["ended"])
        first, second, third = (request["form"] for request in stage.asked if request["method"] == "POST")
        board_1 = {"turn": "1", "coins_1_1": "9", "coins_1_2": "0", "queen_1": "1"}
        board_2 = {"coins_2_1": "9", "coins_2_2": "0", "queen_2": "1"}
        assert first == board_1
        assert second == board_1 | board_2
        assert third == board_1 | board_2 | {"end_match": "1", "score1": "24", "score2": "0"}
        assert stage.asked[-1]["status"] == 303
        (told,) = club.post("api/hall/event/begin", {"rules": "icf"})
        assert (told["begun"], told["why"]) == ("failed", "SoL has the result of this round already")
        ask(club, "DELETE", station)
        assert shown(club, "1")["card"] is None
