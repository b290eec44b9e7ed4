"""The scoreboard in a real browser: what it says is what the log says, and it comes back by itself."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from web_browser import SIZES
from web_stage import Eyes, Json, Stage, placement, state, until

from models.pieces import Seat
from referee.facts import AlertKind
from referee.web.process import WebProcess

HAND = [[[0, -400], [60, -400], [30, -260]]]


def test_the_scoreboard_says_what_the_log_says_stroke_by_stroke(
    page: Page, house: WebProcess, eyes: Eyes, errors: list[str]
) -> None:
    page.goto(house.urls[0])
    expect(page.locator(".near .sentence")).to_have_text("No stroke yet.")
    eyes.formation("south")
    eyes.see(hands=HAND, phase="hand")
    for seat, text in (
        ("south", "W"),
        ("south", "W,Q"),
        ("south", "W"),
        ("south", "S"),
        ("north", "B,B"),
        ("north", "-"),
    ):
        eyes.stroke(seat, text)
        until(lambda: state(house.urls[0])["view"]["strokes"] == eyes.n)
        agrees(page, state(house.urls[0])["view"])
    expect(page.locator("#phase")).to_have_text("Hand on board")
    expect(page.locator("#board .piece")).to_have_count(20)
    expect(page.locator("#board .hand")).to_have_count(1)
    assert errors == []


def agrees(page: Page, view: Json) -> None:
    """The page shows the match document."""
    for index, side in enumerate(view["sides"]):
        panel = page.locator(f"#side-{index}")
        expect(panel.locator(".name")).to_have_text(side["players"][0])
        expect(panel.locator(".points")).to_have_text(str(side["score"]))
        expect(panel.locator('.coins .coin[data-gone="false"]')).to_have_count(side["coins_left"])
        expect(panel.locator(".due")).to_have_text(f"Owes {side['due']}" if side["due"] else "")
        expect(panel).to_have_attribute("data-turn", str(view["turn"] in side["seats"]).lower())
    expect(page.locator("#queen")).to_have_attribute("data-status", view["queen"]["status"])
    ruling, players = view["rulings"][-1], view["players"]
    says = re.compile(f"^{players[ruling['seat']]}: .*(plays again|{players[ruling['turn']]} to play)$")
    expect(page.locator(".near .sentence")).to_have_text(says)
    expect(page.locator(".near")).to_have_attribute("data-certain", str(view["rulings"][-1]["certain"]).lower())


def test_a_doubt_carries_a_question_mark_and_its_question_is_shown(page: Page, house: WebProcess, eyes: Eyes) -> None:
    page.goto(house.urls[0])
    eyes.play("south W,foul:push")
    eyes.see()
    expect(page.locator(".near")).to_have_attribute("data-certain", "false")
    expect(page.locator(".near .badge")).to_contain_text("Doubtful")
    expect(page.locator("#side-0 .turn")).to_contain_text("To strike ?")
    expect(page.locator(".near .sentence")).to_have_text("Asha: push?")
    expect(page.locator(".near .before")).to_have_text("1 question for the umpire · touch to answer")
    expect(page.locator("#phase")).to_have_text("Needs the umpire")


@pytest.mark.parametrize(
    ("told", "legal", "says"),
    [(placement(True, 3.2), "true", "✓3.2 mmPlaced well"), (placement(None, 0.3), "null", "?0.3 mmToo close to call"),
     (placement(False, -1.4, limit="moon"), "false", "✕1.4 mmCuts the moon")],
)  # fmt: skip
def test_the_placement_light_shows_on_the_strikers_side_with_millimetres(
    page: Page, house: WebProcess, eyes: Eyes, told: Json, legal: str, says: str
) -> None:
    page.goto(house.urls[0])
    eyes.play("south W")
    eyes.see(phase="placed", placement=told)
    light = page.locator("#side-0 .placement")
    expect(light).to_have_attribute("data-legal", legal)
    expect(light).to_have_text(says)
    expect(page.locator("#side-1 .placement")).to_be_hidden()
    eyes.see()
    expect(light).to_be_hidden()


def test_the_stroke_clock_counts_down_where_the_book_has_one(page: Page, house: WebProcess, eyes: Eyes) -> None:
    page.goto(house.urls[0])
    eyes.play("south W")
    clock = page.locator("#side-0 .clock")
    for after, left in ((2.0, "15"), (10.5, "7"), (40.0, "0")):
        eyes.see(t=eyes.t - 3.0 + after)
        expect(clock).to_have_text(left)
    expect(page.locator("#side-1 .clock")).to_be_hidden()
    eyes.see(phase="moving")
    expect(clock).to_be_hidden()


def test_between_boards_the_next_breaker_is_shown(page: Page, house: WebProcess, eyes: Eyes) -> None:
    page.goto(house.urls[0])
    eyes.play("south W,W,W,W,W,W,W,W,Q", "south W")
    expect(page.locator("#match")).to_contain_text("Board over")
    expect(page.locator("#side-1 .turn")).to_have_text("To break")
    expect(page.locator(".turn:visible")).to_have_count(1)


@pytest.fixture
def own(tmp_path: Path) -> Stage:
    """A stage of the test's own."""
    return Stage(tmp_path)


def test_what_nobody_knows_is_not_made_up(page: Page, own: Stage) -> None:
    with own.house() as house:
        page.goto(house.urls[0])
        expect(page.locator("#side-0 .left-text")).to_have_text("coins not known")
        expect(page.locator('#side-0 .coins .coin[data-kind="unknown"]')).to_have_count(9)
        expect(page.locator("#side-0 .points")).to_have_text("–")
        expect(page.locator("#queen")).to_have_text("Queen not known")


def test_three_players_have_a_panel_each_and_no_colours(page: Page, own: Stage) -> None:
    seats = tuple((seat, None) for seat in (Seat.SOUTH, Seat.WEST, Seat.EAST))
    names = ((Seat.SOUTH, "Asha"), (Seat.WEST, "Ben"), (Seat.EAST, "Dev"))
    with own.eyes(rules="three_point", seats=seats, players=names) as eyes, own.house() as house:
        eyes.connected()
        page.goto(house.urls[0])
        expect(page.locator("main .side")).to_have_count(3)
        expect(page.locator("main .name")).to_have_text([view_name(side) for side in shown(house)["sides"]])
        expect(page.locator(".side .coin:visible")).to_have_count(0)
        eyes.play("south W")
        expect(page.locator("#queen")).to_be_visible()
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            inside(page, width, height if size != "phone" else 10_000, size)


def shown(house: WebProcess) -> Json:
    view: Json = state(house.urls[0])["view"]
    return view


def view_name(side: Json) -> str:
    return str(side["players"][0])


def test_in_doubles_the_turn_says_which_partner_plays(page: Page, own: Stage) -> None:
    names = ((Seat.SOUTH, "Asha"), (Seat.EAST, "Ravi"), (Seat.NORTH, "Carla"), (Seat.WEST, "Ben"))
    with own.eyes(rules="icf+team", players=names) as eyes, own.house() as house:
        eyes.connected()
        page.goto(house.urls[0])
        eyes.play("south W")
        until(lambda: shown(house)["strokes"] == 1)
        expect(page.locator("#side-0 .name")).to_have_text("Asha & Carla")
        expect(page.locator("#side-0 .turn")).to_have_text("Asha: To strike")
        expect(page.locator('#board .seat-name[data-turn="true"]')).to_have_text("Asha")
        expect(page.locator("#board .seat-name")).to_have_count(4)


def test_pieces_lie_where_the_camera_sees_them(page: Page, house: WebProcess, eyes: Eyes) -> None:
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


def test_an_old_picture_is_called_old(page: Page, house: WebProcess, eyes: Eyes) -> None:
    """And the light of a striker seen then is out: where it stands now nobody knows."""
    page.goto(house.urls[0])
    eyes.formation("south")
    eyes.see(placement=placement())
    light = page.locator(".placement[data-legal='true']")
    expect(page.locator("#connection")).to_have_attribute("data-state", "live")
    expect(light).to_be_visible()
    expect(page.locator("#connection")).to_have_attribute("data-state", "stale")
    expect(light).to_be_hidden()
    expect(page.locator("#connection")).to_contain_text("No picture for")
    expect(page.locator("#veil")).to_contain_text("Last seen")
    eyes.see(t=20.0)
    expect(page.locator("#connection")).to_have_attribute("data-state", "live")
    expect(page.locator("#veil")).to_be_hidden()


def test_the_scoreboard_survives_a_restart_of_the_house_and_of_the_eyes(page: Page, own: Stage) -> None:
    connection, coins = page.locator("#connection"), page.locator('#side-0 .coins .coin[data-gone="false"]')
    with own.house() as house:
        page.goto(house.urls[0])
        with own.eyes() as eyes:
            eyes.connected()
            eyes.play("south W")
            expect(coins).to_have_count(8)
            os.kill(house.pid, signal.SIGKILL)
            expect(connection).to_have_attribute("data-state", "lost")
            expect(connection).to_contain_text("Reconnecting")
            expect(coins).to_have_count(8)
            eyes.connected()
            eyes.stroke("south", "W")
            expect(coins).to_have_count(7)
            eyes.see()
            expect(connection).to_have_attribute("data-state", "live")
        expect(connection).to_have_attribute("data-state", "away")
        expect(coins).to_have_count(7)


def test_an_alert_is_told_in_words_for_players(page: Page, house: WebProcess, eyes: Eyes) -> None:
    page.goto(house.urls[0])
    eyes.formation()
    eyes.alert(AlertKind.CAMERA_MOVED, "The camera moved by 3.1 mm.")
    expect(page.locator("#alert")).to_have_text("The camera or the board was moved. Set up the camera")


@pytest.mark.parametrize("facing", ["one", "both"])
@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_everything_fits_and_can_be_read_at_every_size(
    page: Page, house: WebProcess, eyes: Eyes, language: str, facing: str
) -> None:
    eyes.play("south W", "south W,S,B,foul:push", "north B,Q")
    sizes = SIZES if language == "en" else {k: SIZES[k] for k in ("small tablet", "small tablet upright")}
    for size, (width, height) in sizes.items():
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{house.urls[0]}?language={language}&facing={facing}")
        eyes.see(phase="placed", placement=placement(False, -1.4, "north", "front_line"))
        expect(page.locator("#side-1 .placement")).to_have_attribute("data-legal", "false")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, size
        inside(page, width, height if size != "phone" else 10_000, size)
        for part in (".points", ".turn", ".name", "#queen span:last-child", ".near .sentence", "#side-1 .placement"):
            cut = page.locator(part).first.evaluate(
                "e => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > Math.max(e.clientHeight * 1.35, 12)"
            )
            assert not cut, (size, part)


def test_long_names_are_cut_nowhere(page: Page, own: Stage) -> None:
    players = ((Seat.SOUTH, "Maximiliane Brandtner"), (Seat.NORTH, "Ravi Balasubramaniam"))
    with own.eyes(players=players) as eyes, own.house() as house:
        eyes.connected()
        eyes.play("south W", "south -", "north B", "north -", "south Q")
        for size in ("tablet", "phone", "hall"):
            page.set_viewport_size(dict(zip(("width", "height"), SIZES[size], strict=True)))
            page.goto(house.urls[0])
            expect(page.locator("#queen")).to_have_text("Maximiliane Brandtner must cover the queen")
            width, height = SIZES[size]
            inside(page, width, height if size != "phone" else 10_000, size)
            for part in (".near .before", "#queen span:last-child", "#head span", ".near .sentence"):
                cut = page.locator(part).evaluate(
                    "e => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > Math.max(e.clientHeight * 1.35, 12)"
                )
                assert not cut, (size, part)
        expect(page.locator(".near .before")).to_have_text(re.compile("^Earlier: Ravi Balasubramaniam: nothing in"))


def inside(page: Page, width: int, height: int, size: str) -> None:
    """Every part lies on the screen, and none on another; a phone may scroll down."""
    boxes = {}
    for part in (".bar", "#side-0", "#side-1", "#board", "#queen", ".near"):
        box = boxes[part] = page.locator(part).bounding_box() or {}
        assert box, (size, part)
        assert 0 <= box["x"] <= width + 1 - box["width"], (size, part)
        assert 0 <= box["y"] <= height + 1 - box["height"], (size, part)
    for (one, a), (other, b) in combinations(boxes.items(), 2):
        assert apart(a, b) or apart(b, a), (size, one, other)


def apart(a: Mapping[str, float], b: Mapping[str, float]) -> bool:
    """`a` lies to the left of `b` or above it, to half a pixel."""
    return a["x"] + a["width"] <= b["x"] + 0.5 or a["y"] + a["height"] <= b["y"] + 0.5


def test_upright_each_half_is_turned_to_its_player_if_wanted(page: Page, house: WebProcess, eyes: Eyes) -> None:
    eyes.play("south W")
    page.set_viewport_size({"width": 800, "height": 1280})
    page.goto(house.urls[0])
    expect(page.locator("#side-1")).to_have_css("rotate", "none")
    page.get_by_role("button", name="Settings").click()
    page.get_by_text("A half for each player").click()
    page.get_by_role("button", name="Close").click()
    expect(page.locator("#side-1")).to_have_css("rotate", "180deg")
    expect(page.locator("#side-0")).to_have_css("rotate", "none")
    far, near = page.locator("#side-1").bounding_box(), page.locator("#side-0").bounding_box()
    assert far is not None
    assert near is not None
    assert far["y"] < near["y"]
    page.reload()
    expect(page.locator("#side-1 .name")).to_have_text("Ravi")
    expect(page.locator("#side-1")).to_have_css("rotate", "180deg")
