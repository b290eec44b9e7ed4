"""Nobody closes the web server: many and slow connections, guessing, foreign names, proxies, a process that hangs."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import signal
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import httpx
import pytest
from test_web_access import Clock
from test_web_security import PIN, Attacked
from web_stage import Stage, until
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from referee.commands.showing import public_urls
from referee.web.access import Access, AccessRefused, Role, stored_pairing
from referee.web.certificate import own_certificate
from referee.web.connections import LinePace, escaped
from referee.web.handshakes import Handshakes
from referee.web.prefix import below
from referee.web.rate_limit import RateLimit, RateLimited
from referee.web.serve import bind

HOUR = 3600
ANSWER_S = 10.0
"""Longest wait for an answer of a house that serves others; one that is kept out waits for longer."""


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


@dataclass(frozen=True)
class Patient:
    """Connections that are opened before the first test of this file and asked after the others."""

    unfinished: socket.socket
    """Sends the first byte of its body and nothing more ever."""
    heard: list[float]
    """When a page that only listens got each message; it stops when its connection ends."""


@pytest.fixture(scope="module", autouse=True)
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Patient]:
    with Stage(tmp_path_factory.mktemp("patient")).house(pin=PIN) as house, ExitStack() as stack:
        at = urlsplit(house.urls[0])
        page, heard = stack.enter_context(connect(f"ws://{at.netloc}/ws")), list[float]()

        def listen() -> None:
            with suppress(ConnectionClosed):
                heard.extend(time.monotonic() for _ in page)

        Thread(target=listen, daemon=True).start()
        sock = stack.enter_context(socket.create_connection((at.hostname, at.port), timeout=60))
        sock.sendall(b"POST /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                     b"Content-Length: 100\r\n\r\n{")  # fmt: skip
        yield Patient(sock, heard)


def half_sent(url: str, stack: ExitStack) -> socket.socket:
    """A connection on which the first half of a request's header came, and nothing more ever comes."""
    at = urlsplit(url)
    sock = stack.enter_context(socket.create_connection((at.hostname, at.port), timeout=10))
    sock.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
    return sock


def test_many_half_sent_requests_of_one_address_keep_no_newcomer_out(
    stage: Stage, capfd: pytest.CaptureFixture[str]
) -> None:
    with stage.house() as house, ExitStack() as stack:
        held = [half_sent(house.urls[0], stack) for _ in range(500)]
        for _ in range(3):
            assert httpx.get(house.urls[0], timeout=ANSWER_S).status_code == 200
        for sock in held:
            sock.setblocking(False)
        until(lambda: sum(is_open(sock) for sock in held) < 200)
        until(lambda: not any(is_open(sock) for sock in held), "who sends no header is let go", 30)
    said = capfd.readouterr()
    assert len(said.err) < 10_000


def answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}api/state", timeout=30).status_code == 200
    except httpx.TransportError:
        return False


def is_open(sock: socket.socket) -> bool:
    try:
        return sock.recv(100) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def test_refusals_fill_no_journal(caplog: pytest.LogCaptureFixture) -> None:
    with Attacked().open() as house:
        for n in range(60):
            assert house.client.post(f"/api/umpire/{'x' * 3000}{n}\u202e", content=b"{").status_code == 404
            assert house.client.post("/api/umpire", content=b"{").status_code in (401, 429)
        mine = [record.getMessage() for record in caplog.records if record.name == "referee.web.guard"]
        assert 1 <= len(mine) < 30
        assert all(len(line) < 400 and line.isascii() for line in mine)


def test_a_line_a_second_is_allowed_and_words_of_strangers_steer_no_terminal() -> None:
    clock = Clock()
    pace = LinePace(clock)
    allowed = 0
    for _ in range(600):
        allowed += pace.allows("10.0.0.66")
        clock.now += 0.1
    assert 60 <= allowed <= 75
    assert pace.allows("10.0.0.1")
    assert escaped("/\x1b[2J\n" + "y" * 300) == "/\\x1b[2J\\n" + "y" * 90 + "... (310 characters)"


def guess(brake: RateLimit, address: str) -> bool:
    """One wrong PIN; whether it was taken at all."""
    try:
        brake.check(address)
    except RateLimited:
        return False
    brake.wrong(address)
    return True


def test_one_address_waits_twice_as_long_each_time_and_is_forgiven_with_time() -> None:
    clock = Clock()
    brake = RateLimit(clock)
    for _ in range(5):
        assert guess(brake, "10.0.0.66")
    for wait in (30, 60, 120, 240):
        assert not guess(brake, "10.0.0.66")
        clock.now += wait - 1
        assert not guess(brake, "10.0.0.66")
        clock.now += 1
        assert guess(brake, "10.0.0.66")
    clock.now += 7 * HOUR
    assert [guess(brake, "10.0.0.66") for _ in range(6)] == [True] * 5 + [False]


def test_who_was_right_once_waits_half_a_minute_at_most_unless_it_guesses_on() -> None:
    clock = Clock()
    brake = RateLimit(clock)
    brake.right("10.0.0.1")
    for _ in range(10):
        guess(brake, "10.0.0.1")
        clock.now += 30
        brake.check("10.0.0.1")
    taken = sum(guess(brake, "10.0.0.1") or bool(setattr(clock, "now", clock.now + 1)) for _ in range(HOUR))
    assert taken <= 20
    addresses = [f"2001:db8::{n:x}" for n in range(300)]
    assert sum(guess(brake, address) for address in addresses) <= 5


def test_a_changed_pin_ends_its_sessions_and_a_clock_set_forward_does_not(tmp_path: Path) -> None:
    clock, file = Clock(), tmp_path / "sessions.json"
    doors = Access("24681357", "code", file, wall=clock)
    umpire, tablet = doors.by_pin("24681357", "", "10.0.0.1"), doors.by_pairing("code", "", "10.0.0.2")
    assert Access("24681357", "code", file, wall=clock).session(umpire) is not None
    changed = Access("13572468", "code", file, wall=clock)
    assert changed.session(umpire) is None
    assert changed.session(tablet) is not None
    assert Access("24681357", "other", file, wall=clock).session(tablet) is None
    forward = Clock()
    forward.now += 40 * 86400
    again = Access("24681357", "code", file, brake=(brake := RateLimit()), wall=forward)
    assert again.session(umpire) is not None, "the machine was not started anew, so no day has gone by"
    brake.check("10.0.0.1")


def test_signing_out_everywhere_and_unpairing_all(tmp_path: Path) -> None:
    doors = Access("1", stored_pairing(tmp_path), tmp_path / "sessions.json")
    before = doors.pairing or ""
    assert stored_pairing(tmp_path) == before
    assert (tmp_path / "pairing.key").stat().st_mode & 0o077 == 0
    umpire, tablet = doors.by_pin("1", "", "a"), doors.by_pairing(before, "", "b")
    doors.close_all(Role.UMPIRE)
    assert doors.session(umpire) is None
    assert doors.session(tablet) is not None
    doors.close_all(Role.TABLET)
    assert doors.session(tablet) is None
    with pytest.raises(AccessRefused, match="no longer valid"):
        doors.by_pairing(before, "", "b")
    assert doors.session(doors.by_pairing(stored_pairing(tmp_path), "", "b")) is not None


def test_the_umpire_signs_out_everywhere_and_unpairs_over_the_api() -> None:
    with Attacked().open() as house:
        for path in ("/api/sessions", "/api/pairing"):
            assert house.client.delete(path).status_code == 401
        house.sign_in()
        assert house.client.delete("/api/pairing").status_code == 204
        assert house.sign_in(pairing="the code").status_code == 401
        house.sign_in()
        assert house.client.delete("/api/sessions").status_code == 204
        assert house.client.get("/api/session").json()["role"] is None


def test_a_foreign_name_reads_nothing_either() -> None:
    with Attacked().open() as house:
        for path in ("/", "/api/state", "/api/log", "/static/scripts/words.js"):
            assert house.client.get(path, headers={"Host": "rebound.example"}).status_code == 403
            assert house.client.get(path, headers={"Host": "carrom.local:8000"}).status_code == 200
        assert house.client.get("/", headers={"Host": "["}).status_code in (400, 403)


def test_answers_say_that_nothing_is_kept_and_no_sensor_is_used() -> None:
    with Attacked().open() as house:
        headers = house.client.get("/").headers
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert "camera=()" in headers["permissions-policy"]
        assert headers["cache-control"] == "no-cache"
        house.sign_in()
        assert house.client.get("/api/changes").headers["cache-control"] == "no-store"


def test_a_stranger_hears_nothing_of_what_is_wrong_with_his_request() -> None:
    with Attacked().open() as house:
        for content in (b"{", b"[]", b'{"action":"dance"}', b"\xff"):
            for path in (
                "/api/umpire",
                "/api/umpire/running",
                "/api/umpire/match",
                "/api/umpire/preview",
                "/api/setup",
            ):
                answer = house.client.post(path, content=content, headers={"Content-Type": "application/json"})
                assert answer.status_code in (401, 429), (path, content)
        document = house.client.get("/api/openapi.json").json()
        told = [operation["responses"]["422"] for path in document["paths"].values() for operation in path.values()]
        schemas = [answer["content"]["application/json"]["schema"] for answer in told]
        assert all(schema["properties"].keys() == {"detail"} for schema in schemas)


def test_guessing_shows_on_every_page() -> None:
    with Attacked().open() as house:
        for n in range(10):
            house.client.post("/api/session", json={"pin": f"{n}", "pairing": None})
            if n == 3:
                assert not [a for a in house.client.get("/api/health").json()["alerts"] if a["kind"] == "pin_guessed"]
        # The one who sits at the machine itself waits, too; further wrong ones are not even looked at.
        doors = Access("1", None)
        for n in range(10):
            with pytest.raises(AccessRefused):
                doors.by_pin("0", "", f"10.0.{n}.1")
        assert doors.wrong_within_hour == 10


@contextmanager
def proxy(url: str, prefix: str) -> Iterator[str]:
    """What nginx does for `location /carrom/ { proxy_pass URL/; }`: it takes the prefix off and passes all else on."""
    at = urlsplit(url)
    listener = socket.create_server(("127.0.0.1", 0))
    line = re.compile(rb"^([A-Z]+) " + prefix.encode() + rb"/", re.MULTILINE)

    def passed(source: socket.socket, target: socket.socket, is_request: bool) -> None:
        try:
            while data := source.recv(65536):
                target.sendall(line.sub(rb"\1 /", data) if is_request else data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            return

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
                behind = socket.create_connection((at.hostname, at.port))
            except OSError:
                return
            for pair in ((client, behind, True), (behind, client, False)):
                Thread(target=passed, args=pair, daemon=True).start()

    Thread(target=serve, daemon=True).start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}{prefix}/"
    listener.close()


def test_below_a_path_behind_a_proxy_every_address_is_below_it(stage: Stage) -> None:
    with stage.house(root_path="/carrom", pin=PIN) as house, proxy(house.urls[0], "/carrom") as url:
        client = httpx.Client(base_url=url)
        with client:
            page = client.get("").text
            sources = re.findall(r'(?:src|href)="(/[^"]*)"', page)
            assert sources
            assert all(source.startswith("/carrom/") for source in sources)
            seen, left = set(), {source.removeprefix("/carrom") for source in sources}
            while left:
                path = left.pop()
                seen.add(path)
                answer = client.get(path.lstrip("/"))
                assert answer.status_code == 200, path
                if path.endswith(".js"):
                    base = Path(path).parent
                    left |= {str(base / name) for name in re.findall(r'from "\./([^"]+)"', answer.text)} - seen
                    assert not re.findall(r"""["'`]/(?:api|static)/""", answer.text)
            assert len(seen) > 20
            signed = client.post("api/session", json={"pin": PIN})
            assert "Path=/carrom" in signed.headers["set-cookie"]
            manifest = client.get("manifest.webmanifest").json()
            assert (manifest["start_url"], manifest["scope"]) == ("/carrom/", "/carrom/")
    assert below("", 'fetch("/api/x")') == 'fetch("/api/x")'
    assert below("/c", 'a.split("/"); location.href = "/"; `${location.host}/ws`') == (
        'a.split("/"); location.href = "/c/"; `${location.host}/c/ws`'
    )


def test_below_a_path_the_addresses_that_are_printed_are_the_proxys() -> None:
    urls = ("http://192.168.1.5:8000/", "http://127.0.0.1:8000/")
    assert public_urls(urls, ("carrom.example.org",), "") == urls
    assert public_urls(urls, ("carrom.example.org",), "/carrom") == ("http://carrom.example.org/carrom/",)
    assert public_urls(urls, (), "/carrom") == ("http://192.168.1.5/carrom/", "http://127.0.0.1/carrom/")


def test_the_proxys_word_on_who_asks_is_believed_and_no_other(stage: Stage, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    for house, believed in ((stage.house(pin="12345678", proxy="127.0.0.1", names=("club.example",)), True),
                            (Stage(tmp_path / "other").house(pin="12345678"), False)):  # fmt: skip
        with house:
            headers = {"X-Forwarded-For": "10.9.8.7", "X-Forwarded-Proto": "https"}
            names = {"Host": "club.example", "Origin": "https://club.example"} if believed else {}
            for _ in range(5):
                httpx.post(f"{house.urls[0]}api/session", json={"pin": "0"}, headers=headers)
            right = {"json": {"pin": "12345678"}}
            assert httpx.post(f"{house.urls[0]}api/session", **right, headers=headers).status_code == 429
            headers |= names | {"X-Forwarded-For": "10.9.8.6"}
            other = httpx.post(f"{house.urls[0]}api/session", **right, headers=headers)
            assert other.status_code == (204 if believed else 429)
            assert ("Secure" in other.headers.get("set-cookie", "")) == believed


def test_the_boxs_own_certificate_encrypts_and_cookies_are_for_it_alone(stage: Stage) -> None:
    with stage.house(pin=PIN, https=True) as house:
        assert house.urls[0].startswith("https://127.0.0.1")
        context = ssl.create_default_context(cafile=str(stage.folder / "carrom.crt"))
        with httpx.Client(base_url=house.urls[0], verify=context) as client:
            answer = client.post("/api/session", json={"pin": PIN})
            assert answer.status_code == 204
            assert "Secure" in answer.headers["set-cookie"]
        assert (stage.folder / "carrom.key").stat().st_mode & 0o077 == 0


def test_half_open_handshakes_are_counted(stage: Stage) -> None:
    with stage.house(https=True) as house, ExitStack() as stack:
        at = urlsplit(house.urls[0])
        place = (at.hostname or "", at.port or 0)
        held = [stack.enter_context(socket.create_connection(place, timeout=10)) for _ in range(330)]
        for sock in held:
            sock.sendall(b"\x16\x03\x01")
            sock.setblocking(False)
        until(lambda: sum(is_open(sock) for sock in held) < 200)
        assert httpx.get(house.urls[0], timeout=ANSWER_S, verify=False).status_code == 200


def test_who_does_not_shake_hands_in_time_is_let_go(tmp_path: Path) -> None:
    certificate = own_certificate(tmp_path, None)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.cert, certificate.key)

    async def served() -> bytes:
        listener = bind("127.0.0.1", 0)
        listener.handshakes = Handshakes(seconds=0.2)
        async with await asyncio.start_server(lambda reader, writer: writer.close(), sock=listener, ssl=context):
            reader, writer = await asyncio.open_connection(*listener.getsockname())
            said = await asyncio.wait_for(reader.read(100), 5.0)
            writer.close()
        return said

    assert asyncio.run(served()) == b""


def test_a_house_that_hangs_is_replaced_and_answers_again(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING), stage.house() as house:
        url, stopped = house.urls[0], house.pid
        assert httpx.get(url).status_code == 200
        os.kill(stopped, signal.SIGSTOP)
        until(lambda: house.pid != stopped, within_s=40)
        until(lambda: answers(url))
    assert "has not answered" in caplog.text


def test_a_body_that_never_comes_is_waited_for_no_longer_than_a_minute(patient: Patient) -> None:
    assert patient.unfinished.recv(100) == b""


def test_an_open_page_is_not_cut_off_with_it(patient: Patient) -> None:
    """Its connection is older than that of the body, which was cut off."""
    now = time.monotonic()
    until(lambda: patient.heard[-1] > now, "the heartbeat of the next second", 20)
