"""Wi-Fi that goes and comes, tablets that sleep, a disk that is full: pages say so and catch up by themselves."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect
from test_health import vitals
from web_stage import Eyes

from referee.web.process import WebProcess


class Air:
    """The Wi-Fi between tablets and the web server: while it is `gone` nothing arrives, and no end of it is told."""

    def __init__(self, house: str) -> None:
        self._house = (urlsplit(house).hostname, urlsplit(house).port)
        self._door = socket.create_server(("127.0.0.1", 0))
        self._lines: list[socket.socket] = []
        self.gone = threading.Event()
        self.url = f"http://127.0.0.1:{self._door.getsockname()[1]}/"
        threading.Thread(target=self._welcome, daemon=True).start()

    def close(self) -> None:
        self.gone.set()
        for line in (self._door, *self._lines):
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
            line.close()

    def _welcome(self) -> None:
        with suppress(OSError):
            while True:
                tablet, _ = self._door.accept()
                self._lines.append(tablet)
                if self.gone.is_set():
                    continue
                house = socket.create_connection(self._house)
                self._lines.append(house)
                for ends in ((tablet, house), (house, tablet)):
                    threading.Thread(target=self._carry, args=ends, daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while (data := source.recv(65536)) and not self.gone.is_set():
                target.sendall(data)
            # What was under way when the air went silent never arrives: this line stays dead when it is back.
            if not data:
                target.shutdown(socket.SHUT_WR)


@pytest.fixture
def air(house: WebProcess) -> Iterator[Air]:
    air = Air(house.urls[0])
    yield air
    air.close()


def test_a_page_notices_that_the_wifi_is_gone_and_catches_up_when_it_is_back(page: Page, air: Air, eyes: Eyes) -> None:
    connection, coins = page.locator("#connection"), page.locator('#side-0 .coins .coin[data-gone="false"]')
    page.goto(air.url)
    eyes.play("south W")
    eyes.see()
    expect(coins).to_have_count(8)
    expect(connection).to_have_attribute("data-state", "live")
    phone = page.context.new_page()
    phone.set_viewport_size({"width": 390, "height": 844})
    phone.goto(f"{air.url}live")
    expect(phone.locator("#connection")).to_have_attribute("data-state", "live")
    air.gone.set()
    eyes.stroke("south", "W")
    eyes.see()
    expect(connection).to_have_attribute("data-state", "lost")
    expect(phone.locator("#connection")).to_have_attribute("data-state", "lost")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390, "what it says of the connection is cut"
    phone.close()
    expect(coins).to_have_count(8)
    air.gone.clear()
    expect(coins).to_have_count(7)
    eyes.see()
    expect(connection).to_have_attribute("data-state", "live")


def test_a_tablet_that_slept_shows_the_present_when_it_wakes(page: Page, house: WebProcess, eyes: Eyes) -> None:
    coins = page.locator('#side-0 .coins .coin[data-gone="false"]')
    page.goto(house.urls[0])
    eyes.play("south W")
    expect(coins).to_have_count(8)
    tablet = page.context.new_cdp_session(page)
    tablet.send("Page.setWebLifecycleState", {"state": "frozen"})
    for _ in range(3):
        eyes.stroke("south", "W")
    tablet.send("Page.setWebLifecycleState", {"state": "active"})
    expect(coins).to_have_count(5)
    eyes.see()
    expect(page.locator("#connection")).to_have_attribute("data-state", "live")


def test_the_umpires_desk_says_in_words_that_the_match_cannot_be_written(page: Page, house: WebProcess, eyes: Eyes,
                                                                         errors: list[str]) -> None:  # fmt: skip
    full = "das Match kann nicht aufgeschrieben werden"
    eyes.link.publish(vitals())
    eyes.play("south W")
    page.goto(f"{house.urls[0]}umpire?language=de")
    expect(page.locator("#strokes > li")).to_have_count(1)
    expect(page.locator("#shout")).not_to_contain_text(full)
    eyes.link.publish(vitals(camera="no_log", why="the disk is full"))
    expect(page.locator("#shout")).to_contain_text(full)
    eyes.link.publish(vitals())
    expect(page.locator("#shout")).not_to_contain_text(full)
    assert errors == []
