"""The web server as people meet it: a real process on a real port, with the vision process coming and going."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from match_play import stroke, table
from web_stage import WAIT_S, Eyes, Stage, state, until
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from referee.log import LogWriter, line_of
from referee.match import Start, start_fields
from referee.web.process import WebProcess
from referee.web.serve import WebServerError, bind


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


@pytest.fixture
def house(stage: Stage) -> Iterator[WebProcess]:
    with stage.house() as running:
        yield running


@pytest.fixture
def eyes(stage: Stage, house: WebProcess) -> Iterator[Eyes]:
    with stage.eyes() as running:
        running.connected()
        yield running


class Viewer:
    """A page's end of the WebSocket: keeps the newest value of every section."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._sections: dict[str, Any] = {}

    def hear(self, section: str, **fields: Any) -> dict[str, Any]:
        """The newest value of a section, once it has these fields."""
        return self.hear_until(section, lambda value: fields.items() <= value.items())

    def hear_until(self, section: str, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The newest value of a section, once this holds of it."""
        end = time.monotonic() + WAIT_S
        while not (section in self._sections and holds(self._sections[section])):
            assert time.monotonic() < end, f"{section} is {self._sections.get(section)}"
            self.receive()
        return dict(self._sections[section])

    def receive(self) -> None:
        """Waits for the next message."""
        message = json.loads(self._connection.recv(timeout=WAIT_S))
        if message["type"] == "state":
            self._sections = message["sections"]
        elif message["type"] == "diff":
            self._sections[message["section"]] = message["value"]


@contextmanager
def watch(house: WebProcess, query: str = "", **options: Any) -> Iterator[Viewer]:
    with connect(house.urls[0].replace("http", "ws") + "ws" + query, **options) as connection:
        viewer = Viewer(connection)
        viewer.receive()
        yield viewer


def ask(house: WebProcess, body: Any, **headers: str) -> httpx.Response:
    return httpx.post(f"{house.urls[0]}api/umpire", json=body, headers=headers)


NOTHING = {"en": "there is nothing to undo", "de": "es gibt nichts zurückzunehmen",
           "fr": "il n'y a rien à annuler", "es": "no hay nada que deshacer"}  # fmt: skip


def stroke_line(n: int) -> dict[str, Any]:
    return line_of(stroke(n, "south", "-", 10.0 * n))


def test_a_viewer_gets_the_state_and_then_what_changes(house: WebProcess, eyes: Eyes) -> None:
    eyes.play("south W")
    with watch(house) as viewer:
        viewer.hear("link", eyes=True)
        assert viewer.hear("view", strokes=1)["turn"] == "south"
        eyes.stroke("south", "-")
        assert viewer.hear("view", strokes=2)["turn"] == "north"
        eyes.see(t=8.0, phase="moving")
        assert len(viewer.hear("live", phase="moving")["pieces"]) == 20
    assert state(house.urls[0])["view"]["coins_left"]["white"] == 8


def test_each_viewer_reads_his_language(house: WebProcess, eyes: Eyes) -> None:
    eyes.play("south -")
    texts = {}
    for language in ("en", "de", "fr", "es", "pt"):
        with watch(house, query=f"?lang={language}") as viewer:
            texts[language] = viewer.hear("view", strokes=1)["rulings"][0]["sentences"][-1]["text"]
    assert texts["de"] == "Nichts wurde versenkt: Schwarz ist am Zug."
    assert len(set(texts.values())) == 4
    assert texts["pt"] == texts["en"]


def test_a_board_is_drawn_by_the_book_until_the_eyes_have_measured_theirs(house: WebProcess, eyes: Eyes) -> None:
    with watch(house) as viewer:
        assert viewer.hear("board")["measured"] is False
        eyes.link.publish({"type": "board", "board": {"measured": True}})
        assert viewer.hear("board", measured=True) == {"measured": True}


def test_the_log_is_read_from_the_file_also_without_eyes(stage: Stage) -> None:
    with LogWriter(stage.log) as log:
        log.header(wall=1.0, board={"measured": True}, **start_fields(Start("m1")))
        log.write(line_of(table(1.0, 1, 1, 1)))
        for n in (1, 2):
            log.write(stroke_line(n))
    with stage.house() as house, watch(house) as viewer:
        assert viewer.hear("log", lines=4)["strokes"] == 2
        sections = state(house.urls[0])
        assert sections["link"] == {"eyes": False}
        assert sections["board"] == {"measured": True}
        assert len(sections["table"]["pieces"]) == 3
        page = httpx.get(f"{house.urls[0]}api/log", params={"since": 2}).json()
        assert [line.get("n") for line in page["lines"]] == [1, 2]
        assert [entry["stroke"] for entry in httpx.get(f"{house.urls[0]}api/strokes").json()] == [2, 1]


def test_a_line_shows_as_soon_as_it_is_logged(house: WebProcess, eyes: Eyes) -> None:
    with watch(house) as viewer:
        eyes.stroke("south", "-")
        assert viewer.hear("log", strokes=1)["damaged"] == 0
        eyes.stroke("north", "-")
        viewer.hear("log", strokes=2)


def test_a_log_replaced_by_another_is_read_from_its_start(stage: Stage, house: WebProcess) -> None:
    with LogWriter(stage.log) as log:
        log.header(wall=1.0, **start_fields(Start("m1")))
        for n in (1, 2, 3):
            log.write(stroke_line(n))
    with watch(house) as viewer:
        viewer.hear("log", strokes=3)
        stage.log.unlink()
        with LogWriter(stage.log) as log:
            log.header(wall=2.0, **start_fields(Start("m2")))
            log.write(stroke_line(1))
        viewer.hear("log", strokes=1, readable=True)


def test_a_log_of_another_version_is_told_and_left_alone(stage: Stage, house: WebProcess) -> None:
    stage.log.write_text('{"type":"header","version":99,"wall":0,"check":"00000000"}\n')
    before = stage.log.read_bytes()
    with watch(house) as viewer:
        problem = viewer.hear("log", readable=False)["problem"]
    assert "version 99" in problem
    assert stage.log.read_bytes() == before


def test_an_umpires_wish_reaches_the_eyes_under_the_id_that_was_answered(house: WebProcess, eyes: Eyes) -> None:
    for action in ("undo", "redo"):
        answer = ask(house, {"action": action})
        assert answer.status_code == 202
        event = eyes.asked()
        assert (event["id"], event["action"], event["by"]) == (answer.json()["id"], action, "umpire")


def test_a_correction_reaches_the_eyes_and_its_line_is_the_receipt(house: WebProcess, eyes: Eyes) -> None:
    eyes.play("south -")
    ask(house, {"action": "correct", "stroke": 1, "stroke_text": "W,S"})
    event = eyes.asked()
    assert (event["stroke"], event["stroke_text"]) == (1, "W,S")
    with watch(house) as viewer:
        eyes.take(event)
        viewer.hear("log", last_correction=event["id"])
    until(lambda: state(house.urls[0])["view"]["rulings"][0]["corrected"])


def test_a_wish_that_the_eyes_refuse_is_told_with_the_reason(house: WebProcess, eyes: Eyes) -> None:
    ask(house, {"action": "undo"})
    with watch(house) as viewer:
        event = eyes.obey()
        log = viewer.hear_until("log", lambda log: (log.get("refused") or {}).get("id") == event["id"])
    assert NOTHING.items() <= log["refused"]["texts"].items()


def test_without_eyes_nothing_is_changed_and_the_umpire_is_told(house: WebProcess) -> None:
    answer = ask(house, {"action": "undo"})
    assert answer.status_code == 409
    assert "nothing was changed" in answer.json()["detail"]


def test_the_house_dies_and_comes_back_at_the_same_address_with_the_same_match(house: WebProcess, eyes: Eyes) -> None:
    eyes.play("south W,W", "south S")
    eyes.take({"action": "declare", "policy": {"push": "ignore"}, "id": "a1", "by": "Mira"})
    with watch(house) as viewer:
        viewer.hear("log", last_correction="a1")
        # The log's section may be told before the view that follows from it.
        policy = {**state(house.urls[0])["view"]["policy"], "push": "ignore"}
        before = viewer.hear("view", strokes=2, policy=policy)
        os.kill(house.pid, signal.SIGKILL)
        with pytest.raises(ConnectionClosed):
            viewer.hear("view", strokes=3)
    until(lambda: answers(house.urls[0]), "the web server to come back")
    with watch(house) as viewer:
        assert viewer.hear("view", strokes=2) == before


def answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}api/state").status_code == 200
    except httpx.TransportError:
        return False


def test_the_eyes_leave_and_come_back_while_viewers_stay(stage: Stage, house: WebProcess) -> None:
    with watch(house) as viewer:
        with stage.eyes() as eyes:
            viewer.hear("link", eyes=True)
            eyes.play("south W")
            viewer.hear("view", strokes=1)
        viewer.hear("link", eyes=False)
        assert state(house.urls[0])["view"]["strokes"] == 1
        with stage.eyes() as eyes:
            viewer.hear("link", eyes=True)
            eyes.stroke("south", "-")
            viewer.hear("view", strokes=2)


def test_a_viewer_who_does_not_read_holds_up_nobody(house: WebProcess, eyes: Eyes) -> None:
    place = urlsplit(house.urls[0])
    assert place.hostname is not None
    with socket.create_connection((place.hostname, place.port)) as sleeper, watch(house, max_size=None) as awake:
        sleeper.sendall(
            f"GET /ws HTTP/1.1\r\nHost: {place.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: c2xlZXBpbmcgdmlld2VyIQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        for t in range(30):
            eyes.link.publish({"type": "live", "t": t, "phase": "x" * 1_000_000})
            assert awake.hear("live", t=t)


def test_a_taken_port_is_one_clear_sentence(stage: Stage) -> None:
    with bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(WebServerError, match=f"port {port} is taken"), stage.house(port=port):
            pytest.fail("it must not open")
        command = [
            sys.executable,
            "-m",
            "referee.web",
            "--log",
            str(stage.log),
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
        ]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"Error: port {port} is taken")
    assert "Traceback" not in ended.stderr


def test_the_house_ends_when_the_process_that_started_it_dies(stage: Stage) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(stage.folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    url = parent.stdout.readline().strip()
    assert answers(url)
    parent.kill()
    parent.communicate()
    until(lambda: not answers(url), "the web server to end")


def test_an_interrupted_house_ends_by_itself_while_its_parent_still_lives(stage: Stage) -> None:
    """An interrupt from the keyboard reaches both; the house was aborted, for its thread held the input's lock."""
    command = [sys.executable, "-m", "referee.web", "--log", str(stage.log), "--host", "127.0.0.1", "--port", "0",
               "--child"]  # fmt: skip
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as house:
        assert house.stdout is not None
        assert house.stderr is not None
        assert answers(json.loads(house.stdout.readline())["urls"][0])
        house.send_signal(signal.SIGINT)
        assert house.wait(WAIT_S) == 0
        assert house.stderr.read() == ""


PARENT = """
import sys, time
from pathlib import Path
from referee.web.process import WebProcess
from referee.web.serve import WebSettings
folder = Path(sys.argv[1])
with WebProcess(WebSettings(folder / "m.jsonl", folder, host="127.0.0.1", port=0)) as house:
    print(house.urls[0], flush=True)
    time.sleep(60)
"""
