"""The pages in a real browser: what they say is what the referee said, and they come back by themselves."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from web_stage import Eyes, Stage, ruling, until, view

from referee.web.process import HouseProcess

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update"]  # fmt: skip
SIZES = {"tablet": (1280, 800), "small tablet": (1024, 768), "tablet upright": (800, 1280),
         "small tablet upright": (768, 1024), "phone": (390, 844), "hall": (1920, 1080)}  # fmt: skip
WAIT_MS = 15_000

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"no browser at {CHROMIUM}: apt-get install chromium")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return Stage(tmp_path_factory.mktemp("match"))


@pytest.fixture(scope="module")
def house(stage: Stage) -> Iterator[HouseProcess]:
    with stage.house() as running:
        yield running


@pytest.fixture
def eyes(stage: Stage, house: HouseProcess) -> Iterator[Eyes]:
    with stage.eyes() as running:
        running.connected()
        yield running


@pytest.fixture
def errors() -> list[str]:
    """What the browser complained about."""
    return []


@pytest.fixture
def page(browser: Browser, errors: list[str]) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.set_default_timeout(WAIT_MS)
    expect.set_options(timeout=WAIT_MS)
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()


def stroke_line(n: int, seat: str, *kinds: str) -> dict[str, Any]:
    pocketed = [{"kind": kind, "pocket": "NE", "t": n} for kind in kinds]
    return {"type": "stroke", "n": n, "seat": seat, "pocketed": pocketed, "off_board": []}


def ruling_line(n: int, text: str, **changes: Any) -> dict[str, Any]:
    said = {"kind": "turn", "reason": "pocketed", "law": "59", "text": text, "certain": True}
    return {"type": "ruling", "stroke": n, "decisions": [said], "certain": True} | changes


def test_the_scoreboard_says_what_the_referee_says(
    page: Page, house: HouseProcess, eyes: Eyes, errors: list[str]
) -> None:
    page.goto(house.urls[0])
    eyes.show()
    eyes.see(hands=[[[0, -400], [60, -400], [30, -260]]])
    left, right = page.locator("#side-0"), page.locator("#side-1")
    expect(left.locator(".name")).to_have_text("Asha")
    expect(left.locator(".score")).to_have_text("17")
    expect(left.locator(".turn")).to_be_visible()
    expect(right.locator(".turn")).to_be_hidden()
    expect(left.locator('.coins .coin[data-gone="false"]')).to_have_count(4)
    expect(right.locator(".due")).to_have_text("Owes 1")
    expect(page.locator("#queen")).to_have_text("Queen on the board")
    expect(page.locator("#ruling .sentence")).to_have_text("White pockets a white coin and plays on.")
    expect(page.locator("#ruling .badge")).to_contain_text("Certain")
    expect(page.locator("#phase")).to_have_text("Striker placed")
    expect(page.locator("#connection")).to_have_text("Live · 30 fps")
    expect(page.locator("#board .piece")).to_have_count(20)
    expect(page.locator("#board .hand")).to_have_count(1)
    assert errors == []


def test_a_doubtful_ruling_and_a_question_are_shown_as_such(page: Page, house: HouseProcess, eyes: Eyes) -> None:
    page.goto(house.urls[0])
    question = {"stroke": 13, "reason": "push", "text": "The striker may have been pushed.", "stroke_text": "foul:push"}
    eyes.show(rulings=[ruling(13, "Black is to strike.", certain=False)], needs_operator=[question], turn=None)
    expect(page.locator("#ruling")).to_have_attribute("data-certain", "false")
    expect(page.locator("#ruling .badge")).to_contain_text("Doubtful")
    expect(page.locator("#alert")).to_contain_text("The striker may have been pushed.")
    expect(page.locator(".turn:visible")).to_have_count(0)


def test_a_turn_that_rests_on_a_doubt_carries_a_question_mark(page: Page, house: HouseProcess, eyes: Eyes) -> None:
    page.goto(house.urls[0])
    eyes.show(certain=False)
    expect(page.locator("#side-0 .turn")).to_have_text("To strike ?")
    eyes.show(certain=True)
    expect(page.locator("#side-0 .turn")).to_have_text("To strike")


def test_between_boards_the_next_breaker_is_shown(page: Page, house: HouseProcess, eyes: Eyes) -> None:
    page.goto(house.urls[0])
    eyes.show(turn=None, board_over=True, breaks_next="north")
    expect(page.locator("#side-1 .turn")).to_have_text("To break")
    expect(page.locator(".turn:visible")).to_have_count(1)


def test_what_nobody_knows_is_not_made_up(page: Page, house: HouseProcess, eyes: Eyes) -> None:
    page.goto(house.urls[0])
    sides = [side | {"colour": None, "coins_left": None, "due": 0} for side in view()["sides"]]
    eyes.show(sides=sides, queen={"status": None, "side": None, "seats": []}, rulings=[], turn=None, board=0)
    expect(page.locator("#side-0 .left-text")).to_have_text("coins not known")
    expect(page.locator('#side-0 .coins .coin[data-kind="unknown"]')).to_have_count(9)
    expect(page.locator("#queen")).to_have_text("Queen not known")
    expect(page.locator("#ruling .sentence")).to_have_text("No stroke yet. The referee is watching.")


def player(seat: str, name: str, **changes: Any) -> dict[str, Any]:
    """A side of one player who plays no colour."""
    return {
        "seats": [seat], "players": [name], "colour": None, "score": 3, "games": 0, "coins_left": None, "due": 0,
    } | changes  # fmt: skip


def test_three_players_have_a_panel_each_and_no_colours(page: Page, house: HouseProcess, eyes: Eyes) -> None:
    page.goto(house.urls[0])
    sides = [player("south", "Asha", score=9), player("west", "Ben"), player("east", "Dev", due=1)]
    names = {"south": "Asha", "west": "Ben", "east": "Dev"}
    eyes.show(collecting=True, rules="three_point", sides=sides, players=names, turn="east",
              queen={"status": "pending", "side": "P3", "seats": ["east"]})  # fmt: skip
    expect(page.locator("main .side")).to_have_count(3)
    expect(page.locator("main .name")).to_have_text(["Asha", "Ben", "Dev"])
    expect(page.locator("#side-2 .turn")).to_be_visible()
    expect(page.locator(".turn:visible")).to_have_count(1)
    expect(page.locator("#side-2 .due")).to_have_text("Owes 1")
    expect(page.locator(".side .coin:visible")).to_have_count(0)
    expect(page.locator("#queen")).to_have_text("Dev must cover the queen")
    expect(page.locator("#board .seat-name")).to_have_text(["Asha", "Ben", "Dev"])
    boxes = [page.locator(f"#side-{n}").bounding_box() for n in range(3)]
    assert all(box and box["y"] + box["height"] <= 800 for box in boxes)
    eyes.show()
    expect(page.locator("main .side")).to_have_count(2)
    expect(page.locator("#side-1 .name")).to_have_text("Ravi")


def test_in_doubles_the_turn_says_which_partner_plays(page: Page, house: HouseProcess, eyes: Eyes) -> None:
    page.goto(house.urls[0])
    asha, ravi = view()["sides"]
    sides = [asha | {"seats": ["south", "north"], "players": ["Asha", "Carla"]},
             ravi | {"seats": ["east", "west"], "players": ["Ravi", ""]}]  # fmt: skip
    names = {"south": "Asha", "east": "Ravi", "north": "Carla", "west": ""}
    eyes.show(sides=sides, players=names, turn="north")
    expect(page.locator("main .name")).to_have_text(["Asha & Carla", "Ravi & West"])
    expect(page.locator("#side-0 .turn")).to_have_text("Carla: To strike")
    expect(page.locator('#board .seat-name[data-turn="true"]')).to_have_text("Carla")
    expect(page.locator("#board .seat-name")).to_have_count(4)
    eyes.show(sides=sides, players=names, turn="west")
    expect(page.locator("#side-1 .turn")).to_have_text("West: To strike")


def test_pieces_lie_where_the_camera_sees_them(page: Page, house: HouseProcess, eyes: Eyes) -> None:
    """South is below, east is right, and a millimetre of the board has one length on the screen."""
    page.goto(house.urls[0])
    eyes.see(pieces=[{"kind": "queen", "x_mm": 100, "y_mm": -200}, {"kind": "striker", "x_mm": 0, "y_mm": 0}])
    expect(page.locator("#board .piece")).to_have_count(2)
    surface, queen, striker = (page.locator(f"#board {s}").bounding_box() for s in (".frame", ".queen", ".striker"))
    assert surface is not None
    scale = surface["width"] / 880
    assert middle(queen)[0] - middle(surface)[0] == pytest.approx(100 * scale, abs=1)
    assert middle(queen)[1] - middle(surface)[1] == pytest.approx(200 * scale, abs=1)
    assert middle(striker) == pytest.approx(middle(surface), abs=1)


def middle(box: Any) -> tuple[float, float]:
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_an_old_picture_is_called_old(page: Page, house: HouseProcess, eyes: Eyes) -> None:
    page.goto(house.urls[0])
    eyes.show()
    eyes.see()
    expect(page.locator("#connection")).to_have_attribute("data-state", "live")
    expect(page.locator("#connection")).to_have_attribute("data-state", "stale")
    expect(page.locator("#connection")).to_contain_text("No picture for")
    expect(page.locator("#veil")).to_contain_text("Last seen")
    eyes.see(t=2.0)
    expect(page.locator("#connection")).to_have_attribute("data-state", "live")
    expect(page.locator("#veil")).to_be_hidden()


def test_the_scoreboard_survives_a_restart_of_the_house_and_of_the_eyes(
    page: Page, stage: Stage, house: HouseProcess
) -> None:
    page.goto(house.urls[0])
    state = page.locator("#connection")
    with stage.eyes() as eyes:
        eyes.connected()
        eyes.show(board=7)
        expect(page.locator("#match")).to_have_text("ICF · Board 7")
        os.kill(house.pid, signal.SIGKILL)
        expect(state).to_have_attribute("data-state", "lost")
        expect(state).to_contain_text("Reconnecting")
        expect(page.locator("#side-0 .score")).to_have_text("17")
        eyes.connected()
        until(lambda: eyes.link.houses > 0)
        eyes.show(board=8)
        expect(page.locator("#match")).to_have_text("ICF · Board 8")
        eyes.see()
        expect(state).to_have_attribute("data-state", "live")
    expect(state).to_have_attribute("data-state", "away")
    expect(page.locator("#side-0 .score")).to_have_text("17")


@pytest.mark.parametrize("size", SIZES)
def test_everything_fits_and_can_be_read_at_every_size(page: Page, house: HouseProcess, eyes: Eyes, size: str) -> None:
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.goto(house.urls[0])
    long = "White pockets the striker and a white coin: both come back, one due is owed, and the turn passes to Black."
    eyes.show(rulings=[ruling(13, long)], queen={"status": "pending", "side": "black", "seats": ["north"]})
    eyes.see()
    expect(page.locator("#ruling .sentence")).to_have_text(long)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for part in (".bar", "#side-0", "#side-1", "#board", "#queen", "#ruling"):
        box = page.locator(part).bounding_box()
        assert box is not None, part
        assert 0 <= box["x"] <= width + 1 - box["width"], part
        assert 0 <= box["y"] <= height + 1 - box["height"], part
    for part in (".score", ".turn", ".name", "#queen span:last-child", "#ruling .sentence"):
        cut = page.locator(part).first.evaluate(
            "e => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight * 1.35"
        )
        assert not cut, part


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_colour_pair_has_contrast_for_all_eyes(
    browser: Browser, house: HouseProcess, scheme: Literal["light", "dark"]
) -> None:
    """WCAG AA: 4.5 to 1 between letters and their ground."""
    page = browser.new_page(color_scheme=scheme)
    page.goto(house.urls[0])
    for letters, ground in PAIRS:
        colours = [page.evaluate(COLOUR, name) for name in (letters, ground)]
        assert contrast(*colours) >= 4.5, (letters, ground)
    page.close()


PAIRS = [("ink", "ground"), ("ink", "panel"), ("quiet", "ground"), ("quiet", "panel"), ("turn-ink", "turn"),
         ("turn-quiet", "turn"), ("accent", "panel"), ("doubt-ink", "doubt"), ("good", "panel"),
         ("bad", "ground")]  # fmt: skip
COLOUR = """name => {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = `var(--${name})`;
  const colour = getComputedStyle(probe).color.match(/[0-9.]+/g).slice(0, 3).map(Number);
  probe.remove();
  return colour;
}"""


def contrast(a: list[float], b: list[float]) -> float:
    """WCAG's contrast ratio of two sRGB colours (0-255)."""
    dark, light = sorted(map(luminance, (a, b)))
    return (light + 0.05) / (dark + 0.05)


def luminance(rgb: list[float]) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in rgb)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_even_a_very_long_ruling_is_shown_to_its_last_word(page: Page, house: HouseProcess, eyes: Eyes) -> None:
    page.goto(house.urls[0])
    text = "Of several things that happened in one stroke each has its own sentence. " * 5
    eyes.show(rulings=[ruling(12, "Before."), ruling(13, text)])
    sentence = page.locator("#ruling .sentence")
    expect(sentence).to_contain_text("Of several things")
    assert sentence.evaluate("e => e.scrollHeight <= e.clientHeight")


def test_undo_reaches_the_referee_and_is_only_called_done_once_the_log_has_it(
    page: Page, house: HouseProcess, eyes: Eyes, errors: list[str]
) -> None:
    page.goto(f"{house.urls[0]}umpire")
    eyes.show()
    page.get_by_role("button", name="Undo").click()
    event = eyes.asked()
    assert event["action"] == "undo"
    expect(page.locator("#message")).to_have_text("Undo…")
    eyes.write(event)
    expect(page.locator("#message")).to_have_text("Undo: done.")
    assert errors == []


def test_a_stroke_is_corrected_with_the_buttons(page: Page, house: HouseProcess, eyes: Eyes, errors: list[str]) -> None:
    page.goto(f"{house.urls[0]}umpire")
    eyes.write(stroke_line(41, "south", "white"))
    eyes.write(ruling_line(41, "South pockets a coin."))
    item = page.locator('#strokes li[data-stroke="41"]')
    expect(item).to_contain_text("White pocketed (NE)")
    item.get_by_role("button", name="Correct stroke 41").click()
    page.locator('[data-token="S"]').click()
    expect(page.locator("#reading")).to_have_text("Will read: White pocketed (NE), Striker pocketed")
    page.get_by_role("button", name="Replace").click()
    event = eyes.asked()
    assert (event["action"], event["stroke"], event["stroke_text"]) == ("correct", 41, "W@NE,S")
    expect(page.locator("#correct")).to_be_hidden()
    eyes.write(event)
    eyes.write(ruling_line(41, "South owes a coin.", stroke_text="W@NE,S", corrected=True))
    expect(item).to_contain_text("South owes a coin.")
    expect(item).to_contain_text("Corrected")
    assert errors == []


def test_a_question_is_answered_with_one_tap(page: Page, house: HouseProcess, eyes: Eyes) -> None:
    page.goto(f"{house.urls[0]}umpire")
    question = {"stroke": 13, "reason": "push", "text": "It may have been pushed.", "stroke_text": "W,foul:push"}
    eyes.show(needs_operator=[question])
    page.get_by_role("button", name="Make it count").click()
    event = eyes.asked()
    assert (event["stroke"], event["stroke_text"]) == (13, "W,foul:push")


def test_the_desk_asks_for_the_pin_once_and_tells_a_wrong_one(page: Page, tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    with stage.eyes() as eyes, stage.house(pin="246810") as house:
        eyes.connected()
        page.goto(f"{house.urls[0]}umpire")
        eyes.show()
        undo = page.get_by_role("button", name="Undo")
        undo.click()
        page.locator("#pin-input").fill("111111")
        page.keyboard.press("Enter")
        expect(page.locator("#pin-error")).to_contain_text("not the umpire's PIN")
        page.locator("#pin-input").fill("246810")
        page.keyboard.press("Enter")
        assert eyes.asked()["action"] == "undo"
        expect(page.locator("#pin")).to_be_hidden()
        undo.click()
        assert eyes.asked()["action"] == "undo"


def test_errors_are_sentences_on_the_page(page: Page, house: HouseProcess, stage: Stage) -> None:
    page.goto(f"{house.urls[0]}umpire")
    with stage.eyes() as eyes:
        eyes.connected()
        eyes.show()
        expect(page.locator("#undo")).to_be_enabled()
    expect(page.locator("#connection")).to_have_attribute("data-state", "away")
    page.locator("#undo").click()
    expect(page.locator("#message")).to_contain_text("nothing was changed")


def test_the_desk_works_from_the_keyboard(page: Page, house: HouseProcess, eyes: Eyes) -> None:
    page.goto(f"{house.urls[0]}umpire")
    eyes.show()
    expect(page.locator("#undo")).to_be_enabled()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.locator("#undo")).to_be_focused()
    page.keyboard.press("Enter")
    assert eyes.asked()["action"] == "undo"
