"""The hub as a process at the real engines, with couriers of boards whose vision processes the tests play."""

from __future__ import annotations

import signal
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner, Result
from engines import Broker, Database, running_broker
from hall_stage import Club, HallEyes
from web_stage import film, until

from models.pieces import Seat
from referee.cli import main
from referee.courier.upload import stored_files
from referee.facts import Clearances, Placement, PlacementReason
from referee.hub.database import connect
from referee.hub.ingest import log_bytes

BOARDS = 12
"""Boards that play while engines are killed."""


@pytest.fixture(scope="module")
def club(broker: Broker, database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    with Club(tmp_path_factory.mktemp("club"), broker, database).hub("--pin", "off", "--uploads-mb", "10") as club:
        yield club


def stored(club: Club, board: HallEyes) -> bytes:
    with connect(club.address) as database:
        return b"".join(log_bytes(database, board.uid))


def placement(margin: float, reason: PlacementReason | None) -> Placement:
    clearance = Clearances(front_line=5.0, rear_line=5.0, moon=margin, arrow=20.0, ends=9.0)
    return Placement(100.0, -252.6, None if abs(margin) < 0.2 else margin > 0, reason, margin, 0.1, clearance)


def referee(club: Club, *words: str) -> Result:
    """Runs a command of the hub."""
    return CliRunner().invoke(main, ["hub", "--database", club.address, "--data", str(club.data), *words])


def refusal(request: Request) -> int:
    """Returns the status with which a request is refused."""
    with pytest.raises(HTTPError) as e:
        urlopen(request)
    e.value.close()
    return e.value.code


def test_a_board_appears_by_itself_and_is_seen_to_leave(club: Club) -> None:
    with club.board("Finals 1", players=((Seat.SOUTH, "Asha"), (Seat.NORTH, "Ravi"))) as board:
        board.eyes.play("south W,W", "south -")
        until(lambda: (club.tile("Finals 1").get("match") or {}).get("strokes") == 2)
        tile = club.tile("Finals 1")
        assert (tile["up"], tile["eyes"], tile["slug"]) == (True, True, "finals-1")
        assert [side["names"] for side in tile["match"]["sides"]] == [["Asha"], ["Ravi"]]
        assert [side["turn"] for side in tile["match"]["sides"]] == [False, True]
        view = club.get("b/finals-1/api/state")["sections"]["view"]
        assert view["rulings"][0]["stroke_text"] == "W@NE,W@NE"
        assert club.get("b/finals-1/api/matches")["matches"][0]["running"] is True
        assert stored(club, board) == board.log.read_bytes()
    until(lambda: not club.tile("Finals 1")["up"])
    assert club.tile("Finals 1")["match"]["strokes"] == 2


def test_questions_of_all_boards_are_answered_from_the_desk_and_stand_in_the_boards_log(club: Club) -> None:
    with club.board("20") as first, club.board("21") as second:
        for board in (first, second):
            board.eyes.play("south -")
        second.eyes.stroke("north", "B", confidence=0.5)
        first.eyes.stroke("north", "-")
        first.eyes.stroke("south", "W", confidence=0.5)
        until(lambda: len(club.get("api/hall/questions")) == 2)
        older, newer = club.get("api/hall/questions?lang=de")
        assert [older["name"], newer["name"]] == ["21", "20"]
        assert older["asked_at"] < newer["asked_at"]
        answer = older["choices"][1] | {"id": "chief-answers-1", "seen": older["seen"]}
        assert club.post(f"b/{older['board']}/api/umpire", answer) == {"id": "chief-answers-1"}
        said = second.eyes.obey()
        assert (said["id"], said["stroke_text"], said["seen"]) == ("chief-answers-1", "-", 0)
        until(lambda: [q["name"] for q in club.get("api/hall/questions")] == ["20"])
        assert second.log.read_bytes().count(b"chief-answers-1") == 1
        # Somebody at the board is faster than the chief.
        first.eyes.take({"type": "correction", "action": "accept", "stroke": 3, "id": "tablet-1", "by": "tablet"})
        club.post(
            f"b/{newer['board']}/api/umpire", newer["choices"][1] | {"id": "chief-answers-2", "seen": newer["seen"]}
        )
        first.eyes.obey()
        refused = {}
        until(lambda: refused.update(club.get("b/20/api/state")["sections"]["log"].get("refused") or {}) or refused)
        assert "somebody else has decided about stroke 3" in refused["texts"]["en"]
        assert "inzwischen" in refused["texts"]["de"]


def test_what_is_done_at_the_board_is_not_done_from_afar(club: Club) -> None:
    with club.board("30") as board:
        board.eyes.play("south -")
        until(lambda: club.tile("30").get("match"))
        for method, path in (("DELETE", f"api/matches/{board.uid}"), ("POST", "api/setup"), ("PUT", "api/books/mine")):
            assert refusal(Request(f"{club.url}b/30/{path}", data=b"{}", method=method)) == 403
        assert refusal(Request(f"{club.url}b/nowhere/api/state")) == 404


def test_pictures_and_clips_come_from_the_board_when_somebody_looks(club: Club) -> None:
    with club.board("31") as board:
        board.eyes.play("south W")
        film(board.stage, board.eyes, {})
        until(lambda: (club.tile("31").get("match") or {}).get("strokes") == 1)
        path = f"b/31/api/matches/{board.uid}/strokes/1"
        assert club.get(path)["clip"] is not None
        with urlopen(f"{club.url}{path}/clip.mp4") as answer:
            assert answer.read() == next(f for f in stored_files(board.log, 1) if f.suffix == ".mp4").read_bytes()
        upload = f"{club.url}api/station/kept/{board.uid}/0001_before.jpg"
        for headers in ({}, {"authorization": "Basic eDp5"}):
            assert refusal(Request(upload, data=b"x", method="PUT", headers=headers)) == 401
        # Uploads have a limit each and a limit together; what goes is fetched anew when somebody looks.
        login = b64encode(f"{board.station}:{club.broker.secrets[board.station]}".encode()).decode()
        for i, size in ((0, 1_000_001), *((i, 1_000_000) for i in range(1, 11))):
            name = f"{club.url}api/station/kept/{board.uid}/0002_{i}.jpg"
            request = Request(name, data=bytes(size), method="PUT", headers={"authorization": f"Basic {login}"})
            if i == 0:
                assert refusal(request) == 413
            else:
                urlopen(request).close()
        held = [f for f in club.data.glob(f"boards/{board.station}/*/*") if f.is_file()]
        assert sorted(f.name for f in held) == sorted(f"0002_{i}.jpg" for i in range(2, 11))
        assert club.get(path)["clip"] is not None
        assert any(club.data.glob(f"boards/{board.station}/*/0001.mp4"))


def test_players_and_search_are_made_from_the_logs_and_made_anew(club: Club) -> None:
    players = ((Seat.SOUTH, "Meera"), (Seat.NORTH, "Tariq"))
    with club.board("40", players=players) as board:
        eyes = board.eyes
        eyes.formation("south")
        eyes.stroke("south", "W", placement=placement(-0.4, PlacementReason.CUTTING_MOON))
        eyes.stroke("south", "-", placement=placement(0.05, None))
        eyes.stroke("north", "B", placement=placement(7.0, None))
        until(lambda: stored(club, board) == board.log.read_bytes())
    done = referee(club, "rebuild")
    assert done.exit_code == 0, done.output
    near = [s for s in club.get("api/hall/search?limit=cutting_moon&within_mm=1") if s["player"] == "Meera"]
    assert [(s["stroke"], s["margin_mm"], s["legal"]) for s in near] == [(2, 0.05, None), (1, -0.4, False)]
    assert near[0]["href"] == f"/b/40/matches/{board.uid}#stroke=2"
    assert [s["stroke"] for s in club.get("api/hall/search?player=meer&missed=true")] == [1]
    assert club.get("api/hall/search?limit=cutting_moon&within_mm=1&foul=push") == []
    meera = club.get("api/hall/players/meera")
    assert (meera["player"], meera["strokes"], meera["coins"]) == ("Meera", 2, 1)
    assert [s["stroke"] for s in meera["nearest"]] == [2, 1]
    assert {"Meera", "Tariq"} <= {p["player"] for p in club.get("api/hall/players")}
    again = referee(club, "rebuild")
    assert again.stdout == done.stdout
    assert club.get("api/hall/players/meera") == meera


def test_a_board_whose_card_died_gets_its_match_back(club: Club) -> None:
    with club.board("41") as board:
        board.eyes.play("south W", "south -")
        until(lambda: stored(club, board) == board.log.read_bytes())
    given = referee(club, "give", board.uid)
    assert given.stdout_bytes == board.log.read_bytes()
    assert "is no match's uid" in referee(club, "give", "41").stderr
    assert "the hub has no match" in referee(club, "give", "0190a5d0-7d6e-7000-8000-00000000ffff").stderr


def test_a_hub_without_its_database_says_what_to_do(club: Club) -> None:
    address = "postgresql://nobody@127.0.0.1:9/none"
    done = CliRunner().invoke(main, ["hub", "--data", str(club.data), "--database", address])
    assert done.exit_code == 1
    assert "start PostgreSQL, or name another with --database" in done.output


def test_kills_of_broker_database_hub_and_courier_lose_nothing(database: Database, tmp_path: Path) -> None:
    """Twelve boards play on while everything else is killed, and the broker is stopped without dying."""
    (tmp_path / "broker").mkdir()
    with running_broker(tmp_path / "broker") as broker, ExitStack() as stack:
        club = stack.enter_context(Club(tmp_path, broker, database).hub("--pin", "off"))
        boards = [stack.enter_context(club.board(str(i))) for i in range(BOARDS - 1)]

        def play() -> None:
            for board in boards:
                board.eyes.play("south W,W", "south -", "north B")

        def equal() -> bool:
            return all(stored(club, board) == board.log.read_bytes() for board in boards)

        play()
        broker.kill()
        play()
        broker.start()
        play()
        until(equal)
        database.stop("immediate")
        play()
        database.start()
        play()
        broker.process.send_signal(signal.SIGSTOP)
        play()
        broker.process.send_signal(signal.SIGCONT)
        club.process.send_signal(signal.SIGKILL)
        club.stop()
        play()
        club.start("--pin", "off", port=club.port)
        with club.board("latecomer") as late:
            late.eyes.play("south W")
            boards.append(late)
            until(equal)
        # Its courier is gone, its board plays on, and another courier goes on.
        late.log.open("ab").close()
        play_on = club.again(late)
        with play_on as back:
            back.eyes.play("south W")
            until(lambda: stored(club, back) == back.log.read_bytes())
        until(lambda: all(club.tile(board.name).get("match") for board in boards))
        for board in boards[:-1]:
            assert club.tile(board.name)["match"]["strokes"] == board.eyes.n
