"""Pairing a board with a hall, at the real engines: hub, broker with the hub's own files, and a board's own pages."""

from __future__ import annotations

import io
import json
import os
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen
from uuid import uuid4

import pytest
import segno
from axe_playwright_python.sync_playwright import Axe
from click.testing import CliRunner
from engines import Broker, Database, await_port, free_port
from hall_stage import Club, End, courier
from playwright.sync_api import Page, expect
from web_stage import Stage, until

from referee.cli import main
from referee.courier.topics import HUB
from referee.hub.invitations import Invitations
from referee.log.identity import Station
from referee.membership.invitation import Invitation, InvitationError, invitation_of
from referee.membership.join import join_hall
from referee.membership.place import membership_of

PIN = "271828"


class OwnBroker:
    """What a club needs of a broker: here one that reads the hub's own files."""

    def __init__(self, program: str) -> None:
        self.program, self.port, self.tls_port = program, free_port(), free_port()
        self.secrets: dict[str, str] = {}


@pytest.fixture(scope="module")
def club(broker: Broker, database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    """A hub whose broker was started with the files that `referee hub broker` writes."""
    own = OwnBroker(broker.program)
    club = Club(tmp_path_factory.mktemp("club"), own, database)  # type: ignore[arg-type]
    written = CliRunner().invoke(main, ["hub", "--database", club.address, "--data", str(club.data), "--broker-port",
                                        str(own.port), "--tls-port", str(own.tls_port), "broker"])  # fmt: skip
    settings = Path(written.output.strip())
    if os.geteuid() == 0:
        settings.write_text(settings.read_text() + "user root\n")
    mosquitto = subprocess.Popen([own.program, "-c", settings], stderr=subprocess.DEVNULL)
    await_port(own.port, mosquitto)
    with club.hub("--pin", PIN):
        yield club
    mosquitto.kill()
    mosquitto.wait()


class Chief:
    """The chief's session."""

    def __init__(self, club: Club) -> None:
        self.url = club.url
        with self.ask("POST", "api/session", {"pin": PIN, "name": "Mira"}, "") as answer:
            self.cookie = answer.headers["set-cookie"].partition(";")[0]

    def ask(self, method: str, path: str, body: object = None, cookie: str | None = None):
        headers = {"content-type": "application/json", "cookie": self.cookie if cookie is None else cookie}
        data = None if body is None else json.dumps(body).encode()
        return urlopen(Request(f"{self.url}{path}", data, headers, method=method), timeout=30)

    def invitation(self) -> Invitation:
        with self.ask("POST", "api/hall/invitation", {}) as answer:
            return invitation_of(json.loads(answer.read())["text"])


@pytest.fixture(scope="module")
def chief(club: Club) -> Chief:
    return Chief(club)


def refusal(chief: Chief, method: str, path: str, body: object = None, cookie: str | None = None) -> int:
    with pytest.raises(HTTPError) as e:
        chief.ask(method, path, body, cookie)
    e.value.close()
    return e.value.code


def retire_at_the_desk(page: Page, club: Club, name: str) -> None:
    """Retires a board; the desk asks first, and the first time the chief thinks better of it."""
    page.goto(f"{club.url}chief")
    page.get_by_role("button", name="Paired boards").click()
    page.locator("#sign-pin").fill(PIN)
    page.locator("#sign-name").fill("Mira")
    page.locator("#sign button[type=submit]").click()
    row = page.locator("#stations-list li")
    expect(row).to_contain_text("by Mira")
    row.get_by_role("button", name="Retire").click()
    expect(row).to_contain_text(f"Retire board {name}?")
    assert Axe().run(page).violations_count == 0
    row.get_by_role("button", name="Cancel").click()
    assert len(club.get("api/hall/boards")) == 1
    row.get_by_role("button", name="Retire").click()
    row.get_by_role("button", name="Retire").click()
    expect(page.locator("#stations-none")).to_be_visible()
    expect(page.locator("#message")).to_have_text(f"Board {name} is retired.")


def test_a_board_joins_by_the_code_on_its_own_page_and_is_retired(
    club: Club, chief: Chief, page: Page, errors: list[str], tmp_path: Path
) -> None:
    """A photograph of the code in the board's page, without a secure context; its courier connects at once."""
    stage = Stage(tmp_path)
    code = io.BytesIO()
    segno.make(str(chief.invitation()), error="m").save(code, kind="png", scale=6)
    with stage.eyes() as eyes, stage.house() as board:
        eyes.link.publish({"type": "match", "log": str(stage.log.resolve())})
        eyes.play("south W,W", "south -")
        page.goto(f"{board.urls[0]}machine")
        expect(page.locator("#hall-state")).to_have_text("This board belongs to no hall.")
        page.locator("#hall-name").fill("Centre court")
        page.locator("#hall-photo").set_input_files(
            {"name": "c.png", "mimeType": "image/png", "buffer": code.getvalue()}
        )
        expect(page.locator("#hall-state")).to_contain_text("belongs to the hall of 127.0.0.1")
        place = membership_of(tmp_path)
        assert place is not None
        assert oct((tmp_path / "hall.json").stat().st_mode)[-3:] == "600"
        with courier(tmp_path, place):
            until(lambda: (club.tile("Centre court").get("match") or {}).get("strokes") == 2 or club.tile("7"))
            with chief.ask("GET", "api/hall/stations") as answer:
                (station,) = json.loads(answer.read())
            assert (station["id"], station["name"], station["by"]) == (place.user, "Centre court", "Mira")
            retire_at_the_desk(page, club, "Centre court")
            page.goto(f"{board.urls[0]}machine")
            until(lambda: club.get("api/hall/boards") == [])
        # The broker still holds what it said last; a hub that begins anew shows it no more.
        port = club.port
        club.stop()
        club.start("--pin", PIN, port=port)
        assert club.get("api/hall/boards") == []
        retired = End(place, HUB)
        with retired.running():
            assert "refuses" in retired.refusal
        page.locator("#hall-leave").click()
        expect(page.locator("#hall-state")).to_have_text("This board belongs to no hall.")
        assert membership_of(tmp_path) is None
    assert [e for e in errors if "401" not in e] == []


def test_a_code_is_good_once_over_tls_and_from_the_right_hub_only(club: Club, chief: Chief, tmp_path: Path) -> None:
    station, good = Station(str(uuid4()), "9"), chief.invitation()
    astray = Invitation(good.host, good.port, "0" * 64, good.code)
    with pytest.raises(InvitationError, match="somebody else answers"):
        join_hall(astray, station, tmp_path)
    assert membership_of(tmp_path) is None
    place = join_hall(good, station, tmp_path)
    with End(place, HUB).running():
        pass
    with pytest.raises(InvitationError, match="good once"):
        join_hall(good, Station(str(uuid4()), "10"), tmp_path)
    done = CliRunner().invoke(main, ["courier", "--data", str(tmp_path), "--join", str(chief.invitation())])
    assert done.exit_code == 0, done.output
    assert CliRunner().invoke(main, ["courier", "--data", str(tmp_path), "--leave"]).exit_code == 0
    done = CliRunner().invoke(main, ["courier", "--data", str(tmp_path), "--join", "http://example.org"])
    assert (done.exit_code, "this is no invitation" in done.output) == (1, True)


def test_only_the_chief_invites_lists_and_retires(chief: Chief) -> None:
    for method, path in (
        ("POST", "api/hall/invitation"),
        ("GET", "api/hall/stations"),
        ("DELETE", "api/hall/stations/x"),
    ):
        assert refusal(chief, method, path, {} if method == "POST" else None, cookie="") == 401
    assert refusal(chief, "DELETE", "api/hall/stations/x") == 404


def test_a_code_ages_and_guessing_is_braked(chief: Chief) -> None:
    now = [0.0]
    invitations = Invitations("0" * 64, 8443, lambda: now[0])
    code, late = (invitations.invite("hub", "Mira").code for _ in range(2))
    now[0] = 119.0
    assert invitations.accept(code) is not None
    now[0] = 121.0
    assert invitations.accept(late) is None
    codes = [invitations.invite("hub", "Mira").code for _ in range(30)]
    assert [invitations.accept(c) is None for c in codes] == [True] * 10 + [False] * 20
    body = {"code": "guessed-code", "station": {"id": str(uuid4())}}
    assert refusal(chief, "POST", "api/station/join", body, cookie="") == 403, "not in clear"
    good = chief.invitation()
    context = ssl.create_default_context(cadata=ssl.get_server_certificate((good.host, good.port)))
    context.check_hostname = False
    guess = Request(f"https://{good.host}:{good.port}/api/station/join", json.dumps(body).encode(),
                    {"content-type": "application/json"})  # fmt: skip
    statuses = set()
    for _ in range(12):
        with pytest.raises(HTTPError) as e:
            urlopen(guess, context=context)
        e.value.close()
        statuses.add(e.value.code)
    assert statuses == {401, 429}
