"""The API under attack: whatever is refused is refused in a sentence, logged, and changes nothing."""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any, Self
from urllib.parse import urlsplit

import httpx
import pytest
import uvicorn
from match_play import Play
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from referee.log import line_of
from referee.match import Start, start_fields
from referee.web.access import Access
from referee.web.app import Served, create_app
from referee.web.books import ClubBooks
from referee.web.broadcast import Broadcast, Section
from referee.web.camera_picture import CameraPicture
from referee.web.guard import is_local
from referee.web.health import Health
from referee.web.match_library import MatchLibrary
from referee.web.match_reader import MatchReader
from referee.web.serve import WebSettings, bind, configuration
from referee.web.setup_api import SetUpState
from referee.web.system_stats import Machine
from referee.web.umpire_requests import RequestDesk

PIN = "geheim ü"
UNDO = {"action": "undo"}
JSON = {"Content-Type": "application/json"}

TOO_LONG = 1009
"""WebSocket close code "message too big"."""

Refusals = Callable[[], list[str]]


class Attacked:
    """A web server over a match of one stroke, and what it sent to the vision process."""

    def __init__(self, pin: str | None = PIN, pairing: str | None = "the code", private: bool = False) -> None:
        self.sent: list[Mapping[str, Any]] = []
        history, broadcast = MatchReader(), Broadcast()
        history.add({"type": "header"} | start_fields(Start("m1")))
        play = Play()
        play.formation("south")
        play.stroke("south", "W")
        for fact in play.match.events:
            history.add(line_of(fact))  # type: ignore[arg-type]
        broadcast.publish(Section.LINK, {"eyes": True})
        doors = Access(pin, pairing)
        desk = RequestDesk(self._send, lambda: history.match)
        shelf = MatchLibrary(Path(), lambda: None)
        health, setup = Health(Machine(Path()), broadcast), SetUpState(self._send)
        served = Served(
            broadcast, history, desk, doors, CameraPicture(self._send), health, shelf, setup, ClubBooks(Path()), private
        )
        self._app = create_app(served)

    @contextmanager
    def open(self) -> Iterator[Self]:
        """Served on a real port, in this process."""
        with bind("127.0.0.1", 0) as sock:
            server = uvicorn.Server(configuration(self._app, sock, WebSettings(Path(), Path())))
            thread = Thread(target=server.run, kwargs={"sockets": [sock]})
            thread.start()
            with httpx.Client(base_url=f"http://127.0.0.1:{sock.getsockname()[1]}", verify=False) as self.client:
                yield self
            server.should_exit = True
            thread.join()

    @property
    def origin(self) -> str:
        return str(self.client.base_url).rstrip("/")

    def watch(self, **options: Any) -> ClientConnection:
        return connect(f"{self.origin.replace('http', 'ws')}/ws", **options)

    async def _send(self, message: Mapping[str, Any]) -> bool:
        self.sent.append(message)
        return True

    def sign_in(self, **given: Any) -> httpx.Response:
        return self.client.post("/api/session", json=given or {"pin": PIN, "name": "Mira"})

    def ask(self, body: Any = UNDO, **headers: str) -> httpx.Response:
        return self.client.post("/api/umpire", json=body, headers=headers)


@pytest.fixture
def house() -> Iterator[Attacked]:
    with Attacked().open() as house:
        yield house


@pytest.fixture
def refusals(caplog: pytest.LogCaptureFixture) -> Refusals:
    """What the web server logged of attempts that it refused."""
    return lambda: [record.getMessage() for record in caplog.records if record.name == "referee.web.guard"]


def test_without_a_session_nothing_is_changed(house: Attacked) -> None:
    assert house.client.get("/api/session").json() == {
        "role": None, "name": "", "pin_needed": True, "private": False, "pairing": True}  # fmt: skip
    for path in ("/api/umpire", "/api/umpire/preview"):
        answer = house.client.post(path, json=UNDO)
        assert answer.status_code == 401
        assert "PIN" in answer.json()["detail"]
    assert house.client.get("/api/pairing").status_code == 401
    assert house.sent == []


def test_the_pin_opens_a_session_whose_cookie_scripts_and_other_sites_cannot_use(house: Attacked) -> None:
    answer = house.sign_in()
    assert answer.status_code == 204
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert house.client.get("/api/session").json()["role"] == "umpire"
    assert house.ask().status_code == 202
    assert house.sent[0]["by"] == "Mira"
    assert house.client.get("/api/pairing").headers["content-type"] == "image/svg+xml"
    house.client.delete("/api/session")
    assert house.ask().status_code == 401


def test_a_paired_tablet_undoes_but_tells_nothing_else(house: Attacked) -> None:
    assert house.sign_in(pairing="another code").status_code == 401
    assert house.sign_in(pairing="the code").status_code == 204
    assert house.ask({"action": "operate", "event": "concede W"}).status_code == 403
    assert house.client.get("/api/pairing").status_code == 403
    assert house.ask().status_code == 202
    assert [message["by"] for message in house.sent] == ["tablet"]


def test_wrong_pins_close_the_door_for_a_while(house: Attacked) -> None:
    assert [house.sign_in(pin=str(n)).status_code for n in range(6)] == [401] * 5 + [429]
    assert house.sign_in().status_code == 429


def test_another_sites_page_changes_nothing_and_reads_nothing_live(house: Attacked, refusals: Refusals) -> None:
    house.sign_in()
    for origin in ("http://elsewhere.example", "null", f"{house.origin}0"):
        assert house.ask(Origin=origin).status_code == 403, origin
        with pytest.raises(InvalidStatus, match="403"):
            house.watch(origin=Origin(origin))
    # A form of another site can send neither our cookie nor this type of body.
    form = house.client.post("/api/umpire", content=b'{"action":"undo"}', headers={"Content-Type": "text/plain"})
    assert form.status_code == 422
    assert house.sent == []
    assert len(refusals()) == 7
    assert house.ask(Origin=house.origin).status_code == 202


NONSENSE = (b"", b"{", b"[]", b"\xff\xfe", b'{"action":"explode"}', b'{"action":"correct"}', b'{"action":"undo","x":1}',
            b'{"action":"correct","stroke":1,"stroke_text":"W,Z"}', b"[" * 4000)  # fmt: skip


@pytest.mark.parametrize("content", NONSENSE)
def test_what_makes_no_sense_is_answered_in_a_sentence(house: Attacked, refusals: Refusals, content: bytes) -> None:
    house.sign_in()
    answer = house.client.post("/api/umpire", content=content, headers=JSON)
    assert answer.status_code in (400, 422)
    assert answer.json()["detail"].startswith("not understood")
    assert house.sent == []
    assert len(refusals()) == 1


def test_a_body_that_is_long_or_does_not_tell_its_length_is_not_even_read(house: Attacked) -> None:
    house.sign_in()
    assert house.client.post("/api/umpire", content=b"x" * 10_000, headers=JSON).status_code == 413
    assert house.client.post("/api/umpire", content=iter([b"x"]), headers=JSON).status_code == 411
    assert house.sent == []


@pytest.mark.parametrize(
    "path",
    ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2f..%2faccess.py", "/static//etc/passwd",
     "/static/%2fetc%2fpasswd", "/..%2f..%2fsessions.json", "/static/scripts/%00", "/static/" + "a/" * 2000],
)  # fmt: skip
def test_no_path_leads_out_of_the_pages_folder(house: Attacked, path: str) -> None:
    assert raw(house, f"GET {path} HTTP/1.1\r\nHost: {house.origin[7:]}\r\nConnection: close\r\n\r\n") in (400, 404)


@pytest.mark.parametrize(
    ("request_line", "answers"),
    [("GET /api/state?lang=en%0d%0aset-cookie:%20a=b HTTP/1.1", (422,)),
     ("GET /api/state?lang=" + "x" * 70000 + " HTTP/1.1", (400, 414, 422)),
     ("NONSENSE / HTTP/1.1", (405,)), ("PUT /api/umpire HTTP/1.1", (405,)), ("DELETE /api/umpire HTTP/1.1", (405,))],
)  # fmt: skip
def test_headers_cannot_be_slipped_in_and_other_methods_change_nothing(
    house: Attacked, request_line: str, answers: tuple[int, ...]
) -> None:
    text = f"{request_line}\r\nHost: {house.origin[7:]}\r\nConnection: close\r\n\r\n"
    assert raw(house, text) in answers
    assert house.sent == []


def test_a_name_is_kept_as_text_and_no_header_or_second_line_comes_of_it(house: Attacked) -> None:
    name = "Mira\r\nset-cookie: a=b\x1b[2J"
    answer = house.sign_in(pin=PIN, name=name)
    assert [cookie.partition("=")[0] for cookie in answer.headers.get_list("set-cookie")] == ["carrom_session"]
    house.ask()
    assert house.sent[0]["by"] == "Mira set-cookie: a=b [2J"


def test_what_a_page_says_over_the_websocket_is_not_listened_to_and_long_talk_is_cut_off(house: Attacked) -> None:
    with house.watch() as viewer:
        viewer.send('{"action":"undo"}')
        viewer.send(b"\xff\xfe")
        assert '"type":"state"' in str(viewer.recv())
    with house.watch() as viewer:
        viewer.send("x" * 5_000)
        with pytest.raises(ConnectionClosed) as closed:
            deque(viewer, maxlen=0)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == TOO_LONG
    assert house.sent == []


def raw(house: Attacked, text: str) -> int:
    """The status that answers a request sent as it stands: clients of libraries would tidy it up."""
    place = urlsplit(house.origin)
    with socket.create_connection((place.hostname or "", place.port or 0), timeout=10) as connection:
        connection.sendall(text.encode())
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"root:" not in body
    assert b"a=b" not in head
    return int(head.split()[1])


def test_too_many_requests_have_to_wait(house: Attacked) -> None:
    assert [house.ask().status_code for _ in range(41)] == [401] * 40 + [429]


def test_a_private_house_shows_nothing_without_a_session() -> None:
    with Attacked(private=True).open() as house:
        for path in ("state", "log", "strokes", "changes", "layouts", "camera.jpg"):
            assert house.client.get(f"/api/{path}").status_code == 401, path
        with pytest.raises(InvalidStatus, match="403"):
            house.watch()
        house.sign_in()
        assert house.client.get("/api/state").status_code == 200
        cookie = {"Cookie": f"carrom_session={house.client.cookies['carrom_session']}"}
        with house.watch(additional_headers=cookie) as viewer:
            assert '"type":"state"' in str(viewer.recv())


def test_where_no_pin_is_asked_a_name_of_the_wide_world_changes_nothing() -> None:
    """A foreign site whose name is made to point at this machine would be of our own origin."""
    with Attacked(pin=None).open() as house:
        assert house.ask(Host="rebound.example").status_code == 403
        assert house.ask(Host="carrom.local:8000").status_code == 202


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1:8000", True), ("[::1]:80", True), ("192.168.1.7", True), ("carrom", True), ("carrom.local.", True),
     ("box.lan:8000", True), ("example.com", False), ("carrom.local.example.com", False), ("", False)],
)  # fmt: skip
def test_names_of_the_local_network_are_told_from_those_of_the_wide_world(host: str, local: bool) -> None:
    assert is_local(host) is local


def test_refusals_are_logged_with_path_and_address_and_without_secrets(house: Attacked, refusals: Refusals) -> None:
    house.ask()
    house.sign_in(pin="135711")
    house.ask(Origin="http://elsewhere.example")
    assert [message.split(":")[0] for message in refusals()] == [
        "refused /api/umpire from 127.0.0.1",
        "refused /api/session from 127.0.0.1",
        "refused /api/umpire from 127.0.0.1",
    ]
    assert not [message for message in refusals() if "135711" in message or PIN in message]
