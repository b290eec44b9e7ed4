"""SoL for tests: its answers as they were recorded from the real program, or the real program behind a recorder.

CARROM_SOL=FOLDER names an environment in which SoL is installed (python -m venv FOLDER; FOLDER/bin/pip install
sol==5.26): it is started and driven over HTTP. With CARROM_SOL_RECORD=1 its answers become the recording.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit
from uuid import uuid4

from tools.hall.engines import await_port, free_port

SOL = os.environ.get("CARROM_SOL", "")
RECORDING = Path(__file__).parent / "recorded" / "sol.json"
PASSWORD = "secret-of-tests"
PLAYERS = (("Asha", "Rao"), ("Ravi", "Nair"), ("Maria", "Rossi"), ("Chen", "Li"))


class _Nowhere(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Redirections are answers too."""


class SolStage(ThreadingHTTPServer):
    """Answers as SoL does: from the recording, request by request, or by asking the real one at `real`."""

    def __init__(self, real: str = "") -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.real = real
        self.known: list[dict[str, Any]] = [] if real else json.loads(RECORDING.read_text(encoding="utf-8"))
        self.asked: list[dict[str, Any]] = []
        """Each request with its answer."""
        self.label = "" if real else self.known[0]["path"]

    @property
    def url(self) -> str:
        """Address of the board's label."""
        return f"http://127.0.0.1:{self.server_address[1]}{self.label}"

    def answer(self, method: str, path: str, form: dict[str, str]) -> dict[str, Any]:
        asked = {"method": method, "path": path, "form": form}
        if self.real:
            answer = self._forward(method, path, form)
        else:
            known = self.known[len(self.asked)] if len(self.asked) < len(self.known) else None
            assert known is not None, f"{asked} was not recorded"
            assert asked == {name: known[name] for name in asked}, f"{asked} is not {known}"
            answer = {name: known[name] for name in ("status", "body")}
        self.asked.append(asked | answer)
        return answer

    def _forward(self, method: str, path: str, form: dict[str, str]) -> dict[str, Any]:
        opener = urllib.request.build_opener(_Nowhere)
        headers = {"X-Requested-With": "XMLHttpRequest"} if form else {}
        request = urllib.request.Request(self.real + path, urlencode(form).encode() if form else None, headers)
        try:
            with opener.open(request) as answer:
                return {"status": answer.status, "body": answer.read().decode()}
        except urllib.error.HTTPError as e:
            with e:
                return {"status": e.code, "body": e.read().decode()}


class _Handler(BaseHTTPRequestHandler):
    server: SolStage

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        self._answer({name: values[0] for name, values in parse_qs(body).items()})

    def _answer(self, form: dict[str, str]) -> None:
        answer = self.server.answer(self.command, self.path, form)
        body = answer["body"].encode()
        self.send_response(answer["status"])
        if answer["status"] in (302, 303):
            self.send_header("location", "/lit/tourney/x")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Requests are kept, not printed."""


@contextmanager
def serving(stage: SolStage) -> Iterator[SolStage]:
    thread = Thread(target=stage.serve_forever, daemon=True)
    thread.start()
    try:
        yield stage
    finally:
        stage.shutdown()
        stage.server_close()
        thread.join()


@contextmanager
def sol(folder: Path) -> Iterator[SolStage]:
    """The real one if CARROM_SOL says where it is, else the recording."""
    if not SOL:
        with serving(SolStage()) as stage:
            yield stage
        return
    with _real(folder) as (url, label), serving(SolStage(url)) as stage:
        stage.label = label
        yield stage
    if os.environ.get("CARROM_SOL_RECORD"):
        kept = [asked | {"body": _of_the_form(asked["body"])} for asked in stage.asked]
        RECORDING.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def _of_the_form(body: str) -> str:
    """Returns the parts of a page that belong to the scorecard: its heading and its form."""
    parts = re.findall(r"<h1.*?</h1>|<form.*?</form>", body, re.DOTALL)
    return " ".join(" ".join(parts).split()) if parts else body if body.startswith("{") else ""


@contextmanager
def _real(folder: Path) -> Iterator[tuple[str, str]]:
    """Starts SoL with a tournament of four, in its first round; yields its address and the path of a board's label."""
    programs, data, port = Path(SOL) / "bin", folder / "data", free_port()
    data.mkdir(parents=True)
    config = folder / "config.ini"
    subprocess.run([programs / "soladmin", "create-config", "-p", PASSWORD, "-d", data, config], check=True)
    config.write_text(config.read_text().replace("host = 0.0.0.0", "host = 127.0.0.1").replace("6996", str(port)))
    subprocess.run([programs / "soladmin", "initialize-db", config], check=True)
    process = subprocess.Popen([programs / "pserve", config])
    try:
        await_port(port, process)
        url = f"http://127.0.0.1:{port}"
        yield url, _first_round(url)
    finally:
        process.terminate()
        process.wait()


def _first_round(url: str) -> str:
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def post(path: str, form: dict[str, Any]) -> Any:
        return json.loads(opener.open(url + path, urlencode(form).encode()).read())

    assert post("/auth/login", {"username": "admin", "password": PASSWORD})["success"]
    new = {"modified": "2026-01-01T00:00:00"}
    people = [new | {"guid": uuid4().hex, "firstname": a, "lastname": b, "nationality": "ita"} for a, b in PLAYERS]
    club = new | {"guid": uuid4().hex, "description": "Club", "nationality": "ita"}
    cup = new | {"guid": uuid4().hex, "club": 1, "description": "Cup", "couplings": "serial", "playersperteam": 1}
    head = {"clubs": [club], "championships": [cup], "rates": [], "ratings": [], "players": people}
    # fmt: off
    tourney = new | {"guid": uuid4().hex, "championship": 1, "description": "Club cup", "date": "2026-11-28",
                     "couplings": "serial", "competitors": [{"players": [i]} for i in range(1, 5)], "matches": []}
    # fmt: on
    mark = uuid4().hex
    body = (f'--{mark}\r\nContent-Disposition: form-data; name="archive"; filename="cup.sol"\r\n\r\n'
            f"{json.dumps([head, tourney])}\r\n--{mark}--\r\n")  # fmt: skip
    request = urllib.request.Request(
        f"{url}/bio/upload", body.encode(), {"content-type": f"multipart/form-data; boundary={mark}"}
    )
    assert json.loads(opener.open(request).read())["success"]
    assert post("/tourney/newTurn", {"idtourney": 1})["success"]
    edit = json.loads(opener.open(f"{url}/tourney/getBoardSelfEditURL?idtourney=1&board=1").read())
    return urlsplit(edit["url"]).path
