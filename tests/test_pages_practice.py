"""Practice in a real browser: the light, drills with ghosts, and tries that are counted without a rule book."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from test_pages_access import violations
from web_browser import SIZES
from web_stage import Eyes, Json, Stage, placement

from referee.link import VisionEnd
from referee.web.process import WebProcess


def coins(*pieces: tuple[str, float, float]) -> list[Json]:
    return [{"kind": kind, "x_mm": x, "y_mm": y} for kind, x, y in pieces]


@pytest.mark.parametrize(("language", "count"), [("en", "{n} of {of} ("), ("ur", "{of} میں سے {n} (")])
def test_a_drill_shows_ghosts_and_counts_its_tries(
    page: Page,
    house: WebProcess,
    stage: Stage,
    link: VisionEnd,
    eyes: Eyes,
    errors: list[str],
    language: str,
    count: str,
) -> None:
    page.goto(f"{house.urls[0]}practice?language={language}&theme={'dark' if language == 'ur' else 'light'}")
    page.locator("#begin").click()
    wish = eyes.asked("new_match")
    assert (wish["rules"], wish["players"]) == ("booklet_family", {})
    with stage.match(link, rules="booklet_family") as practice:
        page.locator("#drill").select_option("straight")
        practice.see(pieces=coins(("white", 10.0, 10.0)), placement=placement(False, -1.4))
        expect(page.locator("#board .ghost.white")).to_have_count(1)
        expect(page.locator("#todo li")).to_have_count(1)
        expect(page.locator("#light")).to_have_attribute("data-legal", "false")
        practice.see(pieces=coins(("white", 231.0, 229.0)), placement=placement(True, 3.2))
        expect(page.locator("#board .ghost")).to_have_count(0)
        expect(page.locator("#light b")).to_contain_text(re.compile("✓ \\W?3"))
        practice.formation("south")
        for n, (text, done) in enumerate((("W", 1), ("-", 1), ("W,S", 1), ("W", 2)), 1):
            practice.see(pieces=coins(("white", 230.0, 230.0)), placement=placement(True, 3.0))
            practice.stroke("south" if n != 3 else "north", text)
            expect(page.locator("#count")).to_contain_text(count.format(n=done, of=n))
        expect(page.locator("#tries li")).to_have_count(4)
        assert violations(page) == []
        for width, height in SIZES.values():
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert errors == []
