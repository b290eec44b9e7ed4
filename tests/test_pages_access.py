"""Pages for everybody: languages, colours, plain http, screen readers, the keyboard; axe-core finds nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect
from web_browser import HALL, listened
from web_stage import Eyes, Stage, placement, until

from referee.web.process import WebProcess

FIRST_WORDS = {"en-GB": ("To strike", "Queen on the board"), "de-CH": ("Am Zug", "Königin auf dem Brett"),
               "fr-FR": ("Au tir", "Reine sur le plateau"), "es-ES": ("Lanza", "Reina en el tablero"),
               "pt-PT": ("To strike", "Queen on the board")}  # fmt: skip


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return Stage(tmp_path_factory.mktemp("match"))


@pytest.fixture(scope="module")
def eyes(stage: Stage) -> Iterator[Eyes]:
    """A match with a question open; one for all tests of this file, which only look."""
    with stage.eyes() as running:
        running.play("south W", "south W,foul:push")
        yield running


@pytest.fixture(scope="module")
def house(stage: Stage, eyes: Eyes) -> Iterator[WebProcess]:
    with stage.house() as running:
        eyes.connected()
        yield running


@pytest.mark.parametrize(
    ("locale", "scheme"),
    [("en-GB", "light"), ("de-DE", "dark")],
)
def test_axe_finds_nothing_on_any_page(
    browser: Browser, house: WebProcess, eyes: Eyes, locale: str, scheme: Literal["light", "dark"]
) -> None:
    # Colours that fade from one to the other have neither's contrast.
    page = browser.new_page(color_scheme=scheme, locale=locale, reduced_motion="reduce")
    for path in ("", "live", "umpire", "restore", "overlay?ruling=on&board=on", "pair", "api", "machine", "matches",
                 "statistics", "practice", "tour", "setup", "languages?of=de", "no/such/page"):  # fmt: skip
        page.goto(f"{house.urls[0]}{path}")
        eyes.see(phase="placed", placement=placement())
        expect(page.locator("html")).to_have_attribute("data-ready", "true")
        assert page.locator("html").get_attribute("lang") == locale[:2]
        assert violations(page) == [], path
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_any_dialog_nor_in_any_light_of_placement(
    browser: Browser, house: WebProcess, eyes: Eyes, scheme: Literal["light", "dark"]
) -> None:
    page = browser.new_page(color_scheme=scheme, locale="en-GB", reduced_motion="reduce")
    # In the dark only colours are others.
    rules = ("color-contrast",) if scheme == "dark" else ()
    page.goto(house.urls[0])
    for legal, light in ((True, "true"), (None, "null"), (False, "false")):
        eyes.see(phase="placed", placement=placement(legal))
        expect(page.locator("#side-0 .placement")).to_have_attribute("data-legal", light)
        assert violations(page, rules) == [], light
    page.get_by_role("button", name="Settings").click()
    assert violations(page, rules) == []
    page.keyboard.press("Escape")
    page.locator("#ruling-open").click()
    expect(page.locator("#ask")).to_be_visible()
    assert violations(page, rules) == []
    page.keyboard.press("Escape")
    page.locator("#head").click()
    expect(page.locator("#newmatch")).to_be_visible()
    page.locator("#match-end").click()
    assert violations(page, rules) == []
    page.goto(f"{house.urls[0]}umpire")
    page.locator("#strokes button").first.click()
    page.get_by_role("button", name="Nothing happened").click()
    expect(page.locator("#correct-preview")).not_to_be_empty()
    assert violations(page, rules) == []
    page.keyboard.press("Escape")
    for button in ("#tell-open", "#match-open", "#policy-open"):
        page.locator(button).click()
        expect(page.locator("dialog[open]")).to_be_visible()
        assert violations(page, rules) == [], button
        page.keyboard.press("Escape")
    page.close()


def violations(page: Page, rules: tuple[str, ...] = ()) -> list[str]:
    """What axe finds, a line each, by all its rules or by these."""
    only = {"runOnly": list(rules)} if rules else {}
    response = Axe().run(page, options={"resultTypes": ["violations"], **only}).response
    assert len(response["passes"]) > 5 or rules, "axe looked at nothing"
    assert response["passes"], "axe looked at nothing"
    found: list[dict[str, Any]] = response["violations"]
    return [f"{v['id']}: {node['html'][:100]}" for v in found for node in v["nodes"]]


@pytest.mark.parametrize(("locale", "pictured"), [("de-AT", "de"), ("hi-IN", "en")])
def test_the_tour_has_its_pictures_in_the_readers_language(
    browser: Browser, house: WebProcess, locale: str, pictured: str
) -> None:
    page = browser.new_page(locale=locale)
    page.goto(f"{house.urls[0]}tour", wait_until="networkidle")
    pictures = page.locator(".tour img").evaluate_all("all => all.map(e => [e.getAttribute('src'), e.naturalWidth])")
    names = ("scoreboard", "light", "proof", "result")
    assert pictures == [[f"/static/media/tour/{pictured}/{name}.webp", 960] for name in names]
    page.close()


@pytest.mark.parametrize("locale", FIRST_WORDS)
def test_the_browser_chooses_the_language_laws_included(
    browser: Browser, house: WebProcess, eyes: Eyes, locale: str
) -> None:
    page = browser.new_page(locale=locale)
    page.goto(house.urls[0])
    turn, queen = FIRST_WORDS[locale]
    expect(page.locator("#side-0 .turn")).to_contain_text(turn)
    expect(page.locator("#queen")).to_have_text(queen)
    if locale.startswith("de"):
        expect(page.locator(".near .sentence")).to_contain_text("Asha: geschoben?")
    assert page.locator("html").get_attribute("lang") == ("en" if locale == "pt-PT" else locale[:2])
    page.close()


def test_a_language_chosen_by_hand_is_remembered(page: Page, house: WebProcess, eyes: Eyes) -> None:
    page.goto(house.urls[0])
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Language").select_option("fr")
    expect(page.locator("#queen")).to_have_text("Reine sur le plateau")
    page.goto(f"{house.urls[0]}umpire")
    expect(page.locator("h1")).to_have_text("Table d’arbitrage")


def test_colours_follow_the_device_and_can_be_chosen(browser: Browser, house: WebProcess) -> None:
    page = browser.new_page(color_scheme="dark", locale="en-GB", reduced_motion="reduce")
    page.goto(house.urls[0])
    theme = page.locator("html")
    expect(theme).to_have_attribute("data-theme", "dark")
    page.emulate_media(color_scheme="light")
    expect(theme).to_have_attribute("data-theme", "light")
    page.get_by_role("button", name="Settings").click()
    page.get_by_text("Dark", exact=True).click()
    expect(theme).to_have_attribute("data-theme", "dark")
    page.reload()
    expect(theme).to_have_attribute("data-theme", "dark")
    page.close()


@pytest.fixture
def hall(browser: Browser) -> Iterator[BrowserContext]:
    """A tablet that knows the box by a name in the hall's network."""
    context = browser.new_context(locale="en-GB", has_touch=True)
    yield context
    context.close()


def test_on_plain_http_in_a_hall_the_screen_is_kept_on_and_the_page_says_what_it_cannot_do(
    hall: BrowserContext, house: WebProcess, eyes: Eyes, errors: list[str]
) -> None:
    page = listened(hall.new_page(), errors)
    page.goto(house.urls[0].replace("127.0.0.1", HALL))
    assert not page.evaluate("isSecureContext")
    expect(page.locator("#side-0 .name")).to_have_text("Asha")
    page.get_by_role("button", name="Settings").tap()
    expect(page.locator("#awake-note")).to_have_text("A silent video keeps the screen on.")
    assert not page.locator("video").evaluate("e => e.paused || e.muted")
    expect(page.locator("#install")).to_contain_text("not secure")
    page.get_by_text("Off", exact=True).last.tap()
    expect(page.locator("#awake-note")).to_be_empty()
    page.wait_for_function("() => document.querySelector('video').paused")
    assert errors == []


AWAKE = """() => {
  const request = async () => Object.assign(new EventTarget(), { released: false, release: async () => {} });
  Object.defineProperty(navigator, "wakeLock", { value: { request } });
}"""
"""A screen's wake lock, which a browser without a screen does not give."""


def test_where_the_browser_gives_a_wake_lock_no_film_is_shown(page: Page, house: WebProcess) -> None:
    page.add_init_script(f"({AWAKE})()")
    page.goto(house.urls[0])
    assert page.evaluate("isSecureContext")
    page.get_by_role("button", name="Settings").click()
    expect(page.locator("#awake-note")).to_have_text("The screen stays on.")
    expect(page.locator("video")).to_have_count(0)
    expect(page.locator("#install")).not_to_be_empty()


def test_reduced_motion_is_respected(browser: Browser, house: WebProcess) -> None:
    page = browser.new_page(reduced_motion="reduce", locale="en-GB")
    page.goto(f"{house.urls[0]}live")
    expect(page.locator('[data-show="trails"]')).to_have_attribute("aria-pressed", "false")
    page.goto(house.urls[0])
    expect(page.locator("#side-0 .name")).to_have_text("Asha")
    assert page.locator("#side-0").evaluate("e => getComputedStyle(e).transitionDuration") == "0s"
    page.close()


SPOKEN = """() => {
  window.said = [];
  window.SpeechSynthesisUtterance = function (text) { this.text = text; };
  const speechSynthesis = { speak: (u) => said.push([u.lang, u.text]), cancel() {} };
  Object.defineProperty(window, "speechSynthesis", { value: speechSynthesis });
}"""


def test_calls_are_spoken_where_the_device_is_asked_to(browser: Browser, tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    context = browser.new_context(locale="de-DE")
    context.add_init_script(f"({SPOKEN})()")
    quiet, calls, everything = (context.new_page() for _ in range(3))
    with stage.eyes() as eyes, stage.house() as house:
        eyes.connected()
        eyes.play("south W")
        for page, voice in ((quiet, "off"), (calls, "calls"), (everything, "all")):
            page.goto(f"{house.urls[0]}?voice={voice}")
            expect(page.locator(".near .sentence")).to_have_text("Asha: Weiß drin, spielt weiter")
        eyes.see()
        eyes.stroke("south", "-")
        eyes.see(phase="placed", placement=placement(None, 0.2, "north"))
        for page in (calls, everything):
            until(lambda page=page: page.evaluate("said.length"), "something said")
        last = {"Zu knapp", "Ravi: Am Zug"}
        until(lambda: last <= {text for _, text in everything.evaluate("said")}, "the placement and the turn said")
        assert calls.evaluate("said") == [["de", "Nichts versenkt: Schwarz ist am Zug."]]
        texts = [text for _, text in everything.evaluate("said")]
        assert {"Asha: 0, Ravi: 0", "Ravi: Am Zug"} & set(texts) == {"Ravi: Am Zug"}
        assert "Nichts versenkt: Schwarz ist am Zug." in texts
        assert quiet.evaluate("said") == []
    context.close()
