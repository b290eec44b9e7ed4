"""Acting where people look, in a real browser: each thing done with few touches, counted, there and back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from test_health import vitals
from test_pages_access import violations
from web_browser import SIZES, listened
from web_stage import Eyes, Stage, state, until

from referee.facts import AlertKind
from referee.link import VisionEnd
from referee.web.process import WebProcess
from referee.web.sessions import pairing_url

SHORT = "masters+target=3+boards=1"
MM_PER_PX = 254.0 / 1509.4
"""Of a tablet of 10 inches with 1280 x 800 pixels: its diagonal is 1509.4 pixels."""
LANGUAGES = ("en", "de", "fr", "es")


class Taps:
    """A finger that counts."""

    def __init__(self, page: Page) -> None:
        self.page, self.count = page, 0

    def __call__(self, where: str | Locator) -> None:
        (self.page.locator(where) if isinstance(where, str) else where).click()
        self.count += 1


@pytest.fixture
def taps(page: Page) -> Taps:
    return Taps(page)


def shown(house: WebProcess, page: Page, eyes: Eyes) -> None:
    """The scoreboard, once it shows the last stroke."""
    until(lambda: state(house.urls[0])["view"]["strokes"] == eyes.n)
    page.goto(house.urls[0])
    expect(page.locator("#ruling-open")).to_be_visible()


def test_a_question_is_answered_on_the_scoreboard_with_two_touches(
    page: Page, house: WebProcess, eyes: Eyes, taps: Taps, errors: list[str]
) -> None:
    eyes.play("south W", "south W,foul:push")
    shown(house, page, eyes)
    expect(page.locator(".near .sentence")).to_have_text("Asha: push?")
    taps("#ruling-open")
    answers = page.locator("#ask-answers button")
    expect(page.locator("#ask-title")).to_have_text("Asha: push?")
    expect(answers.first).to_have_class("main")
    taps(answers.get_by_text("No foul"))
    assert eyes.obey()["action"] == "refuse"
    expect(page.locator("#ask")).to_be_hidden()
    expect(page.locator(".near .sentence")).to_have_text("Asha: white in, plays again")
    assert taps.count == 2
    assert errors == []


def test_an_answer_that_would_end_the_board_says_so(page: Page, house: WebProcess, eyes: Eyes) -> None:
    eyes.play("south W,W,W,W,W,W,W,W", "south Q,W", breaker="south")
    eyes.play("north W,W,W,W,W,W,W,W,B,B,B,B,B,B,B,B,foul:push", breaker="north")
    shown(house, page, eyes)
    page.locator("#ruling-open").click()
    expect(page.locator("#ask-answers button").first).to_be_visible()
    assert "It counts" not in page.locator("#ask-answers").inner_text()


def test_the_last_stroke_is_taken_back_with_two_touches(page: Page, house: WebProcess, eyes: Eyes, taps: Taps) -> None:
    eyes.play("south W", "south W")
    shown(house, page, eyes)
    taps("#ruling-open")
    taps("#ask-undo")
    event = eyes.obey()
    assert (event["action"], event["target"], event["newest"]) == ("undo", "stroke 2", True)
    expect(page.locator(".near .sentence")).to_have_text("Asha: taken back")
    expect(page.locator("#ask")).to_be_hidden()
    assert taps.count == 2


def test_the_last_stroke_is_corrected_with_three_touches(page: Page, house: WebProcess, eyes: Eyes, taps: Taps) -> None:
    eyes.play("south W", "south W,B")
    shown(house, page, eyes)
    taps("#ruling-open")
    taps("#ask-correct")
    taps(page.locator("#likely").get_by_text("White pocketed (↗)", exact=True))
    event = eyes.obey()
    assert (event["action"], event["stroke"], event["stroke_text"]) == ("correct", 2, "W@NE")
    expect(page.locator("#correct")).to_be_hidden()
    assert taps.count == 3


def test_a_piece_and_the_pocket_it_fell_into_are_touched_on_the_board(
    page: Page, house: WebProcess, eyes: Eyes, errors: list[str]
) -> None:
    eyes.play("south -")
    shown(house, page, eyes)
    page.locator("#ruling-open").click()
    page.locator("#ask-correct").click()
    board = page.locator("#correct-board")
    expect(board.locator(".piece-target")).to_have_count(20)
    board.get_by_role("button", name="White", exact=True).nth(3).click(force=True)
    expect(page.locator("#correct-hint")).to_have_text("White: into which pocket, or off the board?")
    board.get_by_role("button", name="Pocket top left").click()
    expect(page.locator("#reading")).to_have_text("Will read: White pocketed (↖)")
    expect(board.locator(".piece-target")).to_have_count(19)
    page.locator("#correct-kinds").get_by_text("Black").click()
    page.locator("#correct-off").click()
    expect(page.locator("#reading")).to_contain_text("Black off the board")
    expect(page.locator("#correct-preview")).to_contain_text("Asha: Coins left")
    page.locator("#correct-happened").get_by_role("button", name="Black off the board").click()
    expect(board.locator(".piece-target")).to_have_count(19)
    page.get_by_role("button", name="Replace").click()
    assert eyes.obey()["stroke_text"] == "W@NW"
    assert errors == []


def test_the_match_is_paused_with_two_touches_and_the_veil_brings_it_back(
    page: Page, house: WebProcess, eyes: Eyes, taps: Taps
) -> None:
    eyes.play("south W")
    shown(house, page, eyes)
    eyes.see()
    taps("#head")
    taps("#match-pause")
    eyes.run(eyes.asked("running"))
    assert taps.count == 2
    expect(page.locator("#veil")).to_contain_text("Paused: what happens on the board counts for nothing.")
    expect(page.locator("#connection")).to_have_attribute("data-held", "true")
    expect(page.locator("#newmatch")).to_be_hidden()
    page.locator("#veil button").click()
    eyes.run(eyes.asked("running"))
    eyes.see()
    expect(page.locator("#veil")).to_be_hidden()


def test_ending_the_match_asks_first(page: Page, house: WebProcess, eyes: Eyes) -> None:
    eyes.play("south W")
    shown(house, page, eyes)
    page.locator("#head").click()
    page.locator("#match-end").click()
    expect(page.locator("#match-sure")).to_contain_text("End the match?")
    page.locator("#match-end-no").click()
    expect(page.locator("#match-sure")).to_be_hidden()
    assert eyes.heard() == []
    page.locator("#match-end").click()
    page.locator("#match-end-yes").click()
    message = eyes.asked("running")
    assert message["state"] == "ended"
    eyes.run(message)
    expect(page.locator("#veil")).to_contain_text("The match has ended")


@pytest.fixture
def won(tmp_path: Path) -> Iterator[tuple[Eyes, WebProcess]]:
    """A match just won, on a web server that asks for a PIN."""
    stage = Stage(tmp_path)
    with stage.eyes(rules=SHORT) as eyes, stage.house(pin="246810", pairing="the-code") as house:
        eyes.connected()
        eyes.play("south W,W,W,W,W,W,W,W", "south Q,W")
        until(lambda: bool((state(house.urls[0]).get("view") or {}).get("match_over")))
        yield eyes, house


def test_a_rematch_is_one_touch_on_a_paired_tablet_and_the_won_match_keeps_its_row(
    page: Page, won: tuple[Eyes, WebProcess], taps: Taps, errors: list[str]
) -> None:
    eyes, house = won
    page.goto(pairing_url(house.urls[0], "the-code"))
    expect(page.locator("#go")).to_be_visible()
    page.goto(house.urls[0])
    expect(page.locator("#over-title")).to_have_text("Asha wins the match")
    expect(page.locator("#over-stands")).to_be_hidden()
    taps("#over-rematch")
    assert eyes.obey()["rematch"] is True
    assert taps.count == 1
    expect(page.locator("#over")).to_be_hidden()
    eyes.play("north W", breaker="north")
    until(lambda: state(house.urls[0])["view"]["strokes"] == eyes.n)
    page.goto(f"{house.urls[0]}matches")
    rows = page.locator("#matches li")
    expect(rows).to_have_count(2)
    expect(rows.nth(1).locator('.side[data-won="true"]')).to_contain_text("Asha")
    expect(rows.nth(0).locator(".won")).to_have_count(0)
    expect(rows.nth(0).locator(".now")).to_be_visible()
    expect(rows.nth(1).locator(".now")).to_have_count(0)
    rows.nth(1).locator("a").click()
    expect(page.locator("#boards")).to_contain_text("Match 1: Asha wins the match")
    assert errors == []


def test_in_a_tournament_a_tablet_says_that_the_result_stands(page: Page, tmp_path: Path, taps: Taps) -> None:
    stage = Stage(tmp_path)
    event = {"event": {"tourney": "Cup", "round": 2}}
    with stage.eyes(event, rules=SHORT) as eyes, stage.house(pin="246810", pairing="the-code") as house:
        eyes.connected()
        eyes.play("south W,W,W,W,W,W,W,W", "south Q,W")
        page.goto(pairing_url(house.urls[0], "the-code"))
        expect(page.locator("#go")).to_be_visible()
        page.goto(house.urls[0])
        taps("#over-stands")
        eyes.run(eyes.asked("running"))
        expect(page.locator("#over-stands")).to_be_hidden()
        assert state(house.urls[0])["view"]["running"] == "ended"


def test_a_new_match_of_two_known_players_is_four_touches(page: Page, won: tuple[Eyes, WebProcess], taps: Taps) -> None:
    eyes, house = won
    page.goto(pairing_url(house.urls[0], "the-code"))
    expect(page.locator("#go")).to_be_visible()
    page.goto(house.urls[0])
    expect(page.locator("#match")).to_contain_text("Match over")
    taps("#head")
    known = page.locator("#match-known")
    taps(known.get_by_text("Ravi"))
    taps(known.get_by_text("Asha"))
    taps(page.get_by_role("button", name="Begin", exact=True))
    assert eyes.asked("new_match")["players"] == {"south": "Ravi", "north": "Asha"}
    assert taps.count == 4


def test_who_is_not_paired_is_asked_for_the_pin_once_and_is_back(page: Page, tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    with stage.eyes() as eyes, stage.house(pin="246810") as house:
        eyes.connected()
        eyes.play("south W", "south W")
        shown(house, page, eyes)
        for n in (2, 1):
            page.locator("#ruling-open").click()
            page.locator("#ask-undo").click()
            if n == 2:
                page.locator("#sign-pin").fill("246810")
                page.keyboard.press("Enter")
            assert eyes.obey()["action"] == "undo"
            expect(page.locator("#ask")).to_be_hidden()
            expect(page.locator(".near .sentence")).to_have_text("Asha: taken back")
            if n == 2:
                page.locator("#ruling-open").click()
                page.locator("#ask-redo").click()
                assert eyes.obey()["action"] == "redo"
                expect(page.locator(".near .sentence")).to_have_text("Asha: white in, plays again")
                expect(page.locator("#ask")).to_be_hidden()


def test_each_change_is_taken_back_and_brought_back_by_itself(page: Page, house: WebProcess, eyes: Eyes) -> None:
    eyes.play("south W", "south W")
    page.goto(f"{house.urls[0]}umpire")
    for n in (1, 2):
        page.get_by_role("button", name=f"Correct stroke {n}").click()
        page.get_by_role("button", name="Nothing happened").click()
        page.get_by_role("button", name="Replace").click()
        eyes.obey()
        expect(page.locator("#changes li")).to_have_count(n)
    page.locator("#changes li").nth(1).get_by_role("button", name="Take back").click()
    eyes.obey()
    expect(page.locator('#strokes li[data-stroke="1"]')).not_to_contain_text("Corrected")
    expect(page.locator('#strokes li[data-stroke="2"]')).to_contain_text("Corrected")
    expect(page.locator("#changes li").nth(2)).to_have_attribute("data-holds", "false")
    page.locator("#changes li").nth(2).get_by_role("button", name="Bring back").click()
    eyes.obey()
    expect(page.locator('#strokes li[data-stroke="1"]')).to_contain_text("Corrected")


def test_the_undo_button_takes_back_what_it_names_or_nothing(page: Page, house: WebProcess, eyes: Eyes) -> None:
    eyes.play("south W", "south W")
    page.goto(f"{house.urls[0]}umpire")
    expect(page.locator("#undo")).to_contain_text("stroke 2 · Asha: white in")
    page.locator("#undo").click()
    event = eyes.asked()
    assert re.fullmatch("[0-9a-f]{24}", event["id"]), "the page made the id"
    eyes.stroke("south", "W")
    eyes.take(event)
    expect(page.locator("#message")).to_contain_text("something newer came: stroke 3")
    expect(page.locator("#changes li")).to_have_count(0)


def test_what_was_late_in_the_log_is_called_done_when_it_is_there(page: Page, house: WebProcess, eyes: Eyes) -> None:
    eyes.play("south W")
    page.goto(f"{house.urls[0]}umpire")
    page.locator("#undo").click()
    event = eyes.asked()
    expect(page.locator("#message")).to_contain_text("sent, but not in the log yet")
    eyes.take(event)
    expect(page.locator("#message")).to_have_text("Undo: done.")


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_of_the_header_is_cut_while_it_records_and_speaks_up(
    page: Page, house: WebProcess, stage: Stage, link: VisionEnd, language: str
) -> None:
    with stage.match(link, rules="icf+stay+games=1+boards=4") as eyes:
        speaks_up(page, house, eyes, language)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator("#head").click()
    assert page.locator("#match-lengths :is(label, input)").evaluate_all(
        "all => all.every(e => e.scrollWidth <= e.clientWidth + 1) && all.every(e => e.getBoundingClientRect().right"
        " <= document.querySelector('#match-lengths').getBoundingClientRect().right + 1)"
    ), "how long a match is"


def speaks_up(page: Page, house: WebProcess, eyes: Eyes, language: str) -> None:
    eyes.play("south W", "south W,foul:push")
    eyes.alert(AlertKind.CAMERA_MOVED, "The camera moved by 3.1 mm.")
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{house.urls[0]}?language={language}")
        eyes.link.publish(vitals(behind_s=44.0))
        eyes.see(recording="video", phase="hand")
        expect(page.locator("#alert")).to_be_visible()
        expect(page.locator("#recording")).to_be_visible()
        expect(page.locator("#veil")).to_contain_text("44")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for part in ("#alert", "#head span", "#recording", "#connection", "#veil", ".near .badge"):
            box = page.locator(part).bounding_box()
            assert box
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width + 1
            cut = page.locator(part).evaluate("e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0")
            assert not cut, (part, width)
        lamp = page.locator("#recording .dot").evaluate("e => getComputedStyle(e).backgroundColor")
        assert lamp == "rgb(217, 43, 32)"
    eyes.link.publish(vitals())


def test_what_matters_is_read_at_three_metres_on_a_tablet_of_ten_inches(
    page: Page, house: WebProcess, eyes: Eyes
) -> None:
    """Heights of capitals and digits, as the browser draws them."""
    eyes.play("south W", "south -", "north B")
    shown(house, page, eyes)
    for part, least_mm in ((".side .big .number", 20.0), (".side .name", 10.0), (".near .sentence", 8.0)):
        for node in page.locator(part).all():
            tall = node.evaluate("""e => {
                const style = getComputedStyle(e), pen = document.createElement('canvas').getContext('2d');
                pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
                return pen.measureText('H').actualBoundingBoxAscent; }""")
            assert tall * MM_PER_PX >= least_mm, (part, tall * MM_PER_PX)


@pytest.mark.parametrize("size", ["tablet", "phone", "hall"])
def test_five_ways_are_always_there_but_in_a_kiosk(
    page: Page, house: WebProcess, eyes: Eyes, size: str, errors: list[str]
) -> None:
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.goto(house.urls[0])
    for name, path in (("Live", "live"), ("Umpire", "umpire"), ("Matches", "matches"), ("Players", "statistics"),
                       ("Board", "")):  # fmt: skip
        page.locator(".rail").get_by_role("link", name=name, exact=True).click()
        page.wait_for_url(f"{house.urls[0]}{path}")
        expect(page.locator(".rail a[aria-current]")).to_have_text(name)
        box = page.locator(".rail").bounding_box()
        assert box
        assert (box["y"] + box["height"] == height) if size == "phone" else (box["x"] == 0 and box["height"] == height)
        for link in page.locator(".rail a").all():
            target = link.bounding_box()
            assert target
            assert min(target["width"], target["height"]) >= 44
    page.goto(f"{house.urls[0]}?kiosk=on")
    expect(page.locator(".rail")).to_be_hidden()
    assert errors == []


def test_an_unknown_address_leads_on(page: Page, house: WebProcess) -> None:
    answer = page.goto(f"{house.urls[0]}no/such/page")
    assert answer
    assert answer.status == 404
    expect(page.locator("h1")).to_have_text("No such page")
    page.get_by_role("link", name="To the scoreboard").click()
    page.wait_for_url(house.urls[0])


def test_a_paired_tablet_that_wants_more_than_it_may_is_asked_for_the_pin(browser: Browser, tmp_path: Path) -> None:
    stage, errors = Stage(tmp_path), list[str]()
    with stage.eyes() as eyes, stage.house(pin="246810", pairing="the-code") as house:
        eyes.connected()
        eyes.play("south W")
        page = listened(browser.new_page(locale="en-GB"), errors)
        page.goto(pairing_url(house.urls[0], "the-code"))
        expect(page.locator("#go")).to_be_visible()
        page.goto(house.urls[0])
        page.locator("#head").click()
        page.locator("#match-end").click()
        page.locator("#match-end-yes").click()
        page.locator("#sign-pin").fill("246810")
        page.keyboard.press("Enter")
        assert eyes.asked("running")["state"] == "ended"
        page.close()


def test_a_side_challenges_with_two_touches_and_loses_one_when_the_call_stands(
    page: Page, house: WebProcess, eyes: Eyes, taps: Taps, errors: list[str]
) -> None:
    eyes.play("south W", "south -")
    shown(house, page, eyes)
    expect(page.locator("#side-1 .reviews")).to_have_text("⚑ 2")
    taps("#ruling-open")
    taps('#ask-answers [data-challenge="north"]')
    event = eyes.obey()
    assert (event["action"], event["stroke"], event["seat"]) == ("challenge", 2, "north")
    assert taps.count == 2
    expect(page.locator(".near .sentence")).to_have_text("Ravi challenges stroke 2")
    expect(page.locator("#side-1 .reviews")).to_have_text("⚑ 1")
    page.locator("#ruling-open").click()
    expect(page.locator("#ask-title")).to_contain_text("Ravi challenges stroke 2: Asha: nothing in")
    assert violations(page) == []
    page.locator("#ask-stands").click()
    assert eyes.obey()["upheld"] is False
    expect(page.locator(".near .sentence")).to_have_text("Asha: nothing in, Ravi to play")
    expect(page.locator("#side-1 .reviews")).to_have_text("⚑ 1")
    page.locator("#ruling-open").click()
    page.locator('#ask-answers [data-challenge="south"]').click()
    eyes.obey()
    page.goto(f"{house.urls[0]}umpire")
    expect(page.locator("#questions li").first).to_contain_text("Asha challenges stroke 2")
    page.get_by_role("button", name="Correct the call").click()
    assert eyes.obey()["upheld"] is True
    expect(page.locator("#correct")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#changes")).to_contain_text("found a challenge right")
    expect(page.locator("#questions")).to_be_hidden()
    assert errors == []
