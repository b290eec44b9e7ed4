"""The pages behind a real nginx with the lines that docs/security.md gives, at the top and below a path."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from engines import REQUIRED
from playwright.sync_api import Page, WebSocket, expect
from web_browser import HALL
from web_stage import Stage, until
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tools.hall.engines import await_port, free_port

DOCS = Path(__file__).parent.parent / "docs" / "security.md"
PIN = "24681357"
NAME = "carrom.example.org"
SILENT_S = 5
"""Silence after which the tested nginx closes a connection, s; by default it waits for 60."""


def location(path: str, port: int) -> str:
    """Returns the lines of the docs for a referee at `port` whose pages are to be below `path`."""
    (lines,) = re.findall(r"```nginx\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert lines.count("/carrom/") == lines.count(":8000/") == 1
    return str(lines).replace("/carrom/", path).replace(":8000/", f":{port}/")


@contextmanager
def nginx(folder: Path, path: str, port: int) -> Iterator[int]:
    """Runs nginx before the referee at `port`; yields its own port."""
    program = shutil.which("nginx", path="/usr/sbin:/usr/bin")
    if program is None:
        why = "nginx is not installed: apt-get install nginx-light"
        if os.environ.get(REQUIRED):
            pytest.fail(why)
        pytest.skip(why)
    own, settings = free_port(), folder / "nginx.conf"
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi",
                                                                          "scgi"))  # fmt: skip
    settings.write_text(f"""
        daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/errors;
        events {{ worker_connections 768; }}
        http {{
            access_log off; gzip on; {temporary} proxy_read_timeout {SILENT_S}s; proxy_send_timeout {SILENT_S}s;
            server {{ listen 127.0.0.1:{own}; {location(path, port)} }}
        }}""")
    process = subprocess.Popen([program, "-c", settings])
    try:
        await_port(own, process)
        yield own
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(params=["/", "/carrom/"])
def path(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


@pytest.fixture
def port(stage: Stage, path: str, tmp_path: Path) -> Iterator[int]:
    """Starts a referee as the docs say, and nginx before it."""
    with stage.house(pin=PIN, proxy="127.0.0.1", names=(NAME,), root_path=path.rstrip("/")) as house, nginx(
            tmp_path, path, urlsplit(house.urls[0]).port or 0) as own:  # fmt: skip
        yield own


def test_the_umpire_acts_through_nginx_and_one_socket_lasts(
    page: Page, stage: Stage, port: int, path: str, errors: list[str]
) -> None:
    """The port is not that of http, so pages come from an origin that nginx's own `$host` does not tell."""
    sockets: list[WebSocket] = []
    page.on("websocket", lambda opened: sockets.append(opened))
    with stage.eyes() as eyes:
        eyes.connected()
        eyes.play("south W", "south -")
        page.goto(f"http://{HALL}:{port}{path}")
        expect(page.locator("html")).to_have_attribute("data-ready", "true")
        page.wait_for_timeout(2000 * SILENT_S)
        assert [(s.url.partition("?")[0], s.is_closed()) for s in sockets] == [(f"ws://{HALL}:{port}{path}ws", False)]
        page.get_by_role("link", name="Umpire", exact=True).click()
        page.locator("#sign-in").click()
        page.locator("#sign-pin").fill(PIN)
        page.keyboard.press("Enter")
        expect(page.locator("#session")).to_contain_text("Umpire")
        page.locator("#undo").click()
        assert eyes.obey()["action"] == "undo"
        expect(page.locator("#message")).to_have_text("Undo: done.")
    assert errors == []


@pytest.mark.parametrize("path", ["/carrom/"], indirect=True)
def test_only_names_that_were_given_reach_the_pages_through_nginx(port: int, path: str) -> None:
    url = f"http://127.0.0.1:{port}{path}"
    for host, status in ((NAME, 200), (f"{NAME}:8443", 200), ("carrom.local", 200), ("rebound.example", 403)):
        assert httpx.get(url, headers={"Host": host}).status_code == status, host


@pytest.mark.parametrize("path", ["/"], indirect=True)
def test_nobody_behind_nginx_takes_the_sockets_of_the_others(port: int) -> None:
    """All their connections come from one address. A listener who left makes room."""

    def opened(address: str) -> ClientConnection:
        return stack.enter_context(connect(f"ws://127.0.0.1:{port}/ws", source_address=(address, 0)))

    with ExitStack() as stack:
        mine = [opened("127.0.0.2") for _ in range(128)]
        for _ in range(3):
            with pytest.raises(InvalidStatus):
                opened("127.0.0.2")
        for n in range(20):
            assert opened(f"127.0.0.{3 + n % 2}").recv(timeout=10)
        mine[0].close()
        until(lambda: _is_open(opened), "the place is free")


def _is_open(opened: Callable[[str], ClientConnection]) -> bool:
    try:
        return bool(opened("127.0.0.2").recv(timeout=10))
    except InvalidStatus:
        return False
