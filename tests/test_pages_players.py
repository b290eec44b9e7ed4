"""Players in a real browser: the standings, one player's page with his opponents, and pictures taken along."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Page, Route, expect
from test_pages_access import violations
from test_standings import WEEK_S, won
from web_browser import SIZES
from web_shelf import served
from web_stage import until

from referee.languages import languages
from referee.replay.match_folder import MatchFolder
from referee.replay.tracks import DISC, HAND, LYING, PLACED, VERSION, Tracks

LANGUAGES = Path(__file__).parents[1] / "referee" / "languages"


def flown(folder: MatchFolder, stroke: int, t: float) -> None:
    """Tracks of a striker that goes 200 mm straight ahead, meets something and goes on to the right."""
    ahead = [(t + i / 60, 1, b"S", 0.0, -250.0 + 20 * i, 0.0) for i in range(11)]
    aside = [(t + (10 + i) / 60, 1, b"S", 15.0 * i, -50.0, 0.0) for i in range(1, 11)]
    folder.path.mkdir(exist_ok=True)
    Tracks(version=np.array(VERSION), span=np.array([t, t + 1]), discs=np.array(ahead + aside, DISC),
           changes=np.zeros(0), lying=np.zeros(0, LYING), placed=np.zeros(0, PLACED), hands=np.zeros(0, HAND)
           ).save(folder.tracks(stroke))  # fmt: skip


def test_players_are_ranked_and_each_has_a_page_with_his_opponents(
    page: Page, tmp_path: Path, errors: list[str]
) -> None:
    for week, (name, north, by) in enumerate((("a", "Ravi", "north"), ("b", "Mira", "south"), ("c", "Ravi", "south"))):
        won(tmp_path, name, 1_790_000_000.0 + week * WEEK_S, north=north, by=by)
    flown(MatchFolder(tmp_path / "c.jsonl"), 1, 23.0)
    with served(tmp_path) as client:
        page.goto(f"{client.base_url}/statistics")
        rows = page.locator("#standings tbody tr")
        expect(rows).to_have_count(3)
        expect(rows.first.locator("th")).to_contain_text("Asha")
        expect(rows.first.locator("td").nth(1)).to_have_text("2")
        expect(rows.first.locator("td").nth(3)).to_have_text("2 of 3")
        assert rows.first.locator(".form a").evaluate_all("all => all.map(a => a.dataset.won)") == [
            "false", "true", "true"
        ]  # fmt: skip
        assert violations(page) == []
        rows.first.locator("th a").click()
        expect(page.locator("figcaption", has_text="Asha against")).to_be_visible()
        heads = page.locator("figure", has=page.locator("figcaption", has_text="Asha against"))
        expect(heads.locator("svg .name")).to_have_text(["Ravi", "Mira"])
        expect(heads.locator("svg .value")).to_have_text(["1 : 1", "1 : 0"])
        expect(page.locator("figcaption", has_text="Asha: Rating")).to_be_visible()
        near = page.locator("figure", has=page.locator("figcaption", has_text="Success by distance"))
        expect(near.locator("svg .value")).to_have_text(["–", "100%", "–", "–"])
        aimed = page.locator("figure", has=page.locator("figcaption", has_text="Success by direction"))
        expect(aimed.locator("svg .value").first).to_have_text("100%")
        maps = page.locator("#maps figure").first
        expect(maps.locator(".trail")).to_have_count(1)
        maps.get_by_text("Without", exact=True).click()
        expect(maps.locator(".trail")).to_have_count(0)
        heads.locator("summary").click()
        with page.expect_download() as table:
            heads.get_by_role("button", name="CSV").click()
        text = Path(table.value.path()).read_text(encoding="utf-8-sig")
        assert list(csv.reader(text.splitlines())) == [
            ["Player", "Won", "Lost"],
            ["Ravi", "1", "1"],
            ["Mira", "1", "0"],
        ]
        with page.expect_download() as png:
            heads.get_by_role("button", name="PNG").click()
        picture = cv2.imread(str(png.value.path()))
        assert picture is not None
        assert picture.shape[1] > 900
        assert len(np.unique(picture[::5, ::5].reshape(-1, 3), axis=0)) > 4, "nothing is drawn"
        assert violations(page) == []
        for width, height in SIZES.values():
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.goto(f"{client.base_url}/statistics?language=de&theme=dark&player=Asha")
        expect(page.locator("#standings h2")).to_have_text("Rangliste")
        assert violations(page) == []
    assert errors == []


@pytest.mark.parametrize("language", list(languages()))
def test_statistics_say_that_they_load_and_what_to_do_where_they_cannot(
    page: Page, tmp_path: Path, language: str, errors: list[str]
) -> None:
    won(tmp_path, "a", 1_790_000_000.0)
    words = json.loads((LANGUAGES / language / "pages.json").read_text(encoding="utf-8"))
    waiting: list[Route] = []
    with served(tmp_path) as client:
        page.route("**/api/statistics?*", lambda route: waiting.append(route))
        page.goto(f"{client.base_url}/statistics?language={language}")
        expect(page.locator("#about")).to_have_text(words["stats.loading"])
        expect(page.locator("#csv")).to_be_hidden()
        until(lambda: bool(page.evaluate("1") and waiting), "the page to ask")
        waiting.pop().fulfill(status=500, json={"detail": "a match cannot be read"})
        expect(page.locator("#message")).to_have_text(f"{words['stats.failed']}a match cannot be read")
        expect(page.locator("#about")).to_have_text("")
        assert violations(page) == []
        page.locator("#again").click()
        expect(page.locator("#about")).to_have_text(words["stats.loading"])
        until(lambda: bool(page.evaluate("1") and waiting), "the page to ask again")
        waiting.pop().abort()
        expect(page.locator("#message")).to_have_text(words["replay.offline"])
        page.unroute("**/api/statistics?*")
        page.locator("#again").click()
        expect(page.locator("#standings tbody tr")).to_have_count(2)
        expect(page.locator("#failed")).to_be_hidden()
    assert all("Failed to load resource" in error for error in errors)
