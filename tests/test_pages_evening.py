"""The evening around a match in a real browser: before the first stroke, the clip of a stroke, and when it is over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from drawn_board import camera
from playwright.sync_api import Browser, Page, expect
from test_pages_access import violations
from test_pages_acts import SHORT, Taps, shown
from test_pages_scoreboard import apart
from web_browser import SIZES, listened
from web_stage import Eyes, Json, Stage, film, formation, state, trace, until

from referee.web.process import WebProcess
from referee.web.sessions import pairing_url

PLAYS = """() => {
  const video = document.querySelector("video");
  return video && !video.paused && video.currentTime > 0.2;
}"""


SHOWN = """() => {
  window.shown = {};
  for (const id of ["reel-where", "caption"]) {
    const place = document.getElementById(id);
    const texts = window.shown[id] = [];
    const note = () => { if (texts.at(-1) !== place.textContent) texts.push(place.textContent); };
    new MutationObserver(note).observe(place, { childList: true, characterData: true, subtree: true });
  }
}"""
"""Collects what two places show from now on: on a busy machine a test would miss what passes by itself."""

CAMERA: Json = camera(480, 360).as_dict()
"""Over the board, as clips tell it."""


@pytest.fixture
def taps(page: Page) -> Taps:
    return Taps(page)


def test_before_the_first_stroke_the_page_says_what_is_missing_and_what_comes_next(
    page: Page, house: WebProcess, eyes: Eyes, errors: list[str]
) -> None:
    page.goto(house.urls[0])
    some = [piece for piece in formation() if piece["kind"] != "queen"][2:]
    eyes.see(pieces=some)
    expect(page.locator("#ready-next")).to_have_text("Set up the coins: 2 × White, 1 × Queen missing")
    expect(page.locator('#ready-list [data-point="coins"]')).to_have_text("○16 of 19 coins seen")
    eyes.see()
    expect(page.locator("#ready-next")).to_have_text("Ready: whoever breaks begins")
    expect(page.locator('#ready-list [data-is="true"]')).to_have_count(3)
    until(lambda: page.locator("#ready-code").evaluate("e => e.naturalWidth") > 100, "the code to scan")
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        eyes.see()
        expect(page.locator("#ready")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("#ready-next").evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    eyes.see()
    assert violations(page) == []
    eyes.play("south W")
    expect(page.locator(".near .sentence")).to_be_visible()
    expect(page.locator("#ready")).to_be_hidden()
    assert errors == []


def test_a_match_is_set_up_at_a_picture_of_the_board_and_faults_stand_beside_their_fields(
    page: Page, house: WebProcess, eyes: Eyes, errors: list[str]
) -> None:
    eyes.play("south W")
    shown(house, page, eyes)
    page.locator("#head").click()
    south, north, board = (page.locator(f"#match-{name}") for name in ("south", "north", "board"))
    expect(south).to_have_value("Asha")
    for size in ("tablet", "phone", "hall"):
        page.set_viewport_size(dict(zip(("width", "height"), SIZES[size], strict=True)))
        middle = [e.bounding_box() for e in (north, board, south)]
        assert [box["y"] for box in middle if box] == sorted(box["y"] for box in middle if box), size
        assert page.locator("#newmatch").evaluate("e => e.scrollWidth <= e.clientWidth"), size
    assert violations(page) == []
    north.fill("ASHA")
    page.locator("#match-target").fill("0")
    page.locator("#match-boards").fill("0")
    page.locator("#match-games").fill("12")
    page.get_by_role("button", name="Begin", exact=True).click()
    expect(page.locator("#match-north-error")).to_have_text("ASHA is there twice")
    expect(page.locator("#match-target-error")).to_have_text("Set points or boards, or no game would ever end")
    expect(page.locator("#match-games-error")).to_have_text("A whole number from 1 to 9")
    assert violations(page) == []
    assert eyes.heard() == []
    north.fill("Ravi")
    page.locator("#match-presets").get_by_text("Quick game").click()
    expect(page.locator("#match-boards")).to_have_value("1")
    page.locator("#match-clock").fill("20")
    expect(page.locator("#match-presets input:checked")).to_have_count(0)
    page.locator("#match-turn").click()
    box = [e.bounding_box() for e in (south, board, north)]
    assert [b["x"] for b in box if b] == sorted(b["x"] for b in box if b), "south sits at the west side now"
    page.locator("#match-first").select_option("Asha")
    page.get_by_role("button", name="Begin", exact=True).click()
    wish = eyes.asked("new_match")
    assert (wish["rules"], wish["south"]) == ("icf+boards=1+games=1+clock=20", "west")
    assert (wish["players"], wish["seats"]) == ({"south": "Asha", "north": "Ravi"}, {"south": "white"})
    assert errors == []


def test_the_last_stroke_is_seen_in_slow_motion_and_its_clip_shared_with_two_touches_each(
    page: Page, house: WebProcess, stage: Stage, eyes: Eyes, taps: Taps, errors: list[str]
) -> None:
    eyes.play("south W")
    film(stage, eyes, CAMERA)
    shown(house, page, eyes)
    taps("#ruling-open")
    expect(page.locator("#ask-loop")).to_have_attribute("data-shows", "video")
    page.wait_for_function(PLAYS)
    taps("#ask-slow")
    assert page.locator("#ask-loop video").evaluate("e => e.playbackRate") == 0.25
    assert taps.count == 2
    page.locator("#ask-close").click()
    taps("#ruling-open")
    with page.expect_download() as download:
        taps("#ask-share")
    assert Path(download.value.path()).read_bytes()[4:8] == b"ftyp"
    assert taps.count == 4
    assert errors == []


LOOPED = """() => {
  const video = document.querySelector("#ask-loop video"), now = video.currentTime;
  if (now < window.to - 1) { window.from = now; return true; }
  window.to = now;
}"""


def test_a_question_comes_with_three_seconds_about_its_moment_again_and_again(
    page: Page, house: WebProcess, stage: Stage, eyes: Eyes, errors: list[str]
) -> None:
    eyes.play("south W", "south W,foul:push")
    film(stage, eyes, CAMERA)
    shown(house, page, eyes)
    page.locator("#ruling-open").click()
    expect(page.locator("#ask-title")).to_have_text("Asha: push?")
    expect(page.locator("#ask-loop")).to_have_attribute("data-shows", "video")
    page.wait_for_function(LOOPED)
    strike_s, lag_s = 2.0, 0.5  # the clip begins two seconds before the strike, browsers tell its time now and then
    begun, ended = (round(t, 3) for t in page.evaluate("[window.from, window.to]"))
    assert strike_s - 1.6 <= begun <= ended <= strike_s + 1.4 + lag_s
    assert errors == []


@pytest.fixture
def won(tmp_path: Path) -> Iterator[tuple[Eyes, WebProcess]]:
    """A match just won, its last stroke filmed."""
    stage = Stage(tmp_path)
    with stage.eyes(rules=SHORT) as eyes, stage.house(pin="246810", pairing="the-code") as house:
        eyes.connected()
        eyes.play("south W,W,W,W,W,W,W,W", "south Q,W")
        film(stage, eyes, CAMERA)
        until(lambda: bool((state(house.urls[0]).get("view") or {}).get("match_over")))
        yield eyes, house


def test_a_match_that_is_over_shows_its_result_and_hands_it_on(
    browser: Browser, page: Page, won: tuple[Eyes, WebProcess], errors: list[str]
) -> None:
    _eyes, house = won
    page.goto(pairing_url(house.urls[0], "the-code"))
    expect(page.locator("#go")).to_be_visible()
    page.goto(house.urls[0])
    expect(page.locator("#over-title")).to_have_text("Asha wins the match")
    expect(page.locator("#over-score")).to_have_text("AAsha14RRavi0")
    expect(page.locator("#over-boards .value")).to_have_text(["14", "0"])
    expect(page.locator("#over-marks")).to_contain_text("Longest runAsha, 9 coins")
    expect(page.locator("#over-marks")).to_contain_text("QueenAsha")
    expect(page.locator("#over-best")).to_have_text("Asha: queen in + white in")
    page.wait_for_function(PLAYS)
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("#over-rematch").is_visible()
    assert violations(page) == []
    with page.expect_download() as card:
        page.locator("#over-card").click()
    picture = cv2.imread(str(card.value.path()))
    assert picture is not None
    assert picture.shape == (630, 1200, 3)
    assert len({tuple(p) for p in picture[::9, ::9].reshape(-1, 3)}) > 6, "nothing is drawn"
    expect(page.locator("#over-message")).to_have_text("Saved on this device.")
    expect(page.locator("#over-scan")).to_be_visible()
    with page.expect_download() as clip:
        page.locator("#over-clip").click()
    video = cv2.VideoCapture(str(clip.value.path()))
    assert video.get(cv2.CAP_PROP_FRAME_COUNT) > 100
    _, first = video.read()
    assert first.max() > 200, "no caption"
    dark = listened(browser.new_page(color_scheme="dark", locale="de-DE", reduced_motion="reduce"), errors)
    dark.goto(house.urls[0])
    expect(dark.locator("#over-title")).to_have_text("Asha gewinnt das Match")
    assert violations(dark) == []
    dark.close()
    page.locator("#over-new").click()
    expect(page.locator("#newmatch")).to_be_visible()
    assert errors == []


def test_a_foul_is_seen_again_in_the_corner_at_once_and_slowly(
    page: Page, house: WebProcess, stage: Stage, eyes: Eyes, errors: list[str]
) -> None:
    eyes.play("south W", "south -", "north B")
    shown(house, page, eyes)
    expect(page.locator("#instant")).to_be_hidden()
    eyes.see()
    eyes.stroke("north", "S")
    film(stage, eyes, CAMERA)
    expect(page.locator("#instant")).to_be_visible()
    expect(page.locator("#instant-what")).to_contain_text("Ravi: striker in")
    page.wait_for_function(PLAYS)
    assert page.locator("#instant video").evaluate("e => e.playbackRate") == 0.25
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        box = page.locator("#instant").bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] >= 0
    assert violations(page) == []
    page.locator("#instant-open").click()
    expect(page.locator("#ask")).to_be_visible()
    expect(page.locator("#instant")).to_be_hidden()
    page.locator("#ask-close").click()
    eyes.see()
    eyes.stroke("south", "-")
    film(stage, eyes, CAMERA)
    expect(page.locator(".near .sentence")).to_have_text("Asha: nothing in, Ravi to play")
    expect(page.locator("#instant")).to_be_hidden()
    assert errors == []


SPEED = """() => {
  const striker = document.querySelector("#instant .piece.striker");
  const [last, at] = [window.looks?.at(-1), performance.now() / 1000];
  if (!striker) return false;
  const [x, y] = striker.getAttribute("transform").match(/-?[\\d.]+/g).map(Number);
  const moved = last ? Math.hypot(x - last.x, y - last.y) : 0;
  window.looks = moved > 300 ? [] : [...window.looks ?? [], { x, y, at }];
  const rolls = window.looks.filter((look, i, all) => i > 0 && look.y !== all[i - 1].y);
  if (rolls.length < 3 || at - rolls[0].at < 0.2) return false;
  const [first, end] = [rolls[0], rolls.at(-1)];
  return Math.hypot(end.x - first.x, end.y - first.y) / (end.at - first.at);
}"""
"""How fast the striker rolls in the corner, mm/s."""


@pytest.mark.parametrize(("language", "says"), [("en", "Ravi: striker in"), ("de", "Ravi: Striker drin")])
@pytest.mark.parametrize("facing", ["one", "both"])
def test_on_a_phone_the_replay_plays_whole_beneath_the_ruling_with_the_ways_drawn(
    page: Page, house: WebProcess, stage: Stage, eyes: Eyes, errors: list[str], language: str, says: str, facing: str
) -> None:
    width, height = SIZES["phone"]
    page.set_viewport_size({"width": width, "height": height})
    eyes.play("south W", "south -", "north B")
    page.goto(f"{house.urls[0]}?language={language}&facing={facing}")
    until(lambda: state(house.urls[0])["view"]["strokes"] == eyes.n)
    eyes.see()
    expect(page.locator("#connection")).to_have_attribute("data-state", "live")
    eyes.stroke("north", "S")
    trace(stage, eyes)
    expect(page.locator("#instant")).to_be_visible()
    expect(page.locator("#instant-what")).to_contain_text(says)
    expect(page.locator("#instant-loop .trail").first).to_be_attached()
    slow, rolled_mm_s = 0.25, 30 * np.hypot(13.0, 20.0)
    assert page.wait_for_function(SPEED).json_value() == pytest.approx(slow * rolled_mm_s, rel=0.4)
    foot = page.locator(".rail").bounding_box()
    assert foot
    boxes = {
        part: page.locator(part).bounding_box() or {}
        for part in (".near", "#instant", "#instant-loop > svg", "#instant-what", "#instant-close", "#board")
    }
    ruling, corner = boxes[".near"], boxes["#instant"]
    assert ruling["y"] + ruling["height"] <= corner["y"], "above the ruling"
    assert corner["y"] + corner["height"] <= foot["y"], "beneath the ways"
    for part in ("#instant-loop > svg", "#instant-what", "#instant-close"):
        box = boxes[part]
        assert corner["x"] <= box["x"] <= corner["x"] + corner["width"] - box["width"] + 0.5, part
        assert corner["y"] <= box["y"] <= corner["y"] + corner["height"] - box["height"] + 0.5, part
    assert page.locator("#instant-what").evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    assert boxes["#instant-loop > svg"]["height"] >= 200
    assert apart(corner, boxes["#board"]) or apart(boxes["#board"], corner), "on the board"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []
    page.locator("#instant-close").click()
    expect(page.locator("#instant")).to_be_hidden()
    assert errors == []


def test_on_a_tablet_the_replay_covers_the_panel_that_does_not_play(
    page: Page, house: WebProcess, stage: Stage, eyes: Eyes, errors: list[str]
) -> None:
    eyes.play("south W")
    shown(house, page, eyes)
    for seat, other in (("south", 0), ("north", 1)):  # who fouls hands the turn on
        eyes.see()
        eyes.stroke(seat, "S")
        trace(stage, eyes)
        expect(page.locator("#instant")).to_be_visible()
        plays, waits = (page.locator(f"#side-{n}").bounding_box() or {} for n in (1 - other, other))
        expect(page.locator(f"#side-{1 - other}")).to_have_attribute("data-turn", "true")
        corner = page.locator("#instant").bounding_box() or {}
        assert apart(corner, plays) or apart(plays, corner)
        assert not any((apart(corner, waits), apart(waits, corner)))
        page.locator("#instant-close").click()
    assert errors == []


def test_only_what_the_last_stroke_left_open_is_asked_in_place_of_its_ruling(
    page: Page, house: WebProcess, stage: Stage, eyes: Eyes, errors: list[str]
) -> None:
    eyes.play("south W,foul:push", "south W")
    shown(house, page, eyes)
    expect(page.locator(".near .sentence")).to_have_text("Asha: white in, plays again")
    expect(page.locator(".near .before")).to_have_text("Asha: push? · stroke 1 · touch to answer")
    eyes.see()
    eyes.stroke("south", "W,foul:push")
    trace(stage, eyes)
    expect(page.locator("#instant")).to_be_visible()
    expect(page.locator("#instant-what")).to_have_text("Asha: push?")
    expect(page.locator(".near .sentence")).to_have_text("Asha: push?")
    expect(page.locator(".near .before")).to_have_text("2 questions for the umpire · touch to answer")
    page.locator("#ruling-open").click()
    expect(page.locator("#ask-title")).to_have_text("Asha: push?")
    assert errors == []


def test_a_match_is_reviewed_as_a_story_with_its_graph_filters_and_highlights(
    page: Page, house: WebProcess, stage: Stage, eyes: Eyes, errors: list[str]
) -> None:
    eyes.formation("south")
    for seat, text in (("south", "W,W"), ("south", "W,foul:push"), ("south", "-"), ("north", "B,B,B")):
        eyes.stroke(seat, text)
        if "," in text and "foul" not in text:
            film(stage, eyes, CAMERA)
    until(lambda: state(house.urls[0])["view"]["strokes"] == eyes.n)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{house.urls[0]}matches/{stage.log.stem}#stroke=4")
    expect(page.locator("#screen")).to_have_attribute("data-playing", "true")
    expect(page.locator("#graph .left")).to_have_count(2)
    expect(page.locator("#graph .touch")).to_have_count(4)
    expect(page.locator("#story-marks")).to_contain_text("Longest run: ")
    page.locator('#graph .touch[data-stroke="3"]').click(force=True)
    expect(page.locator("#caption")).to_have_text("Stroke 3 · Asha: Nothing pocketed")
    for chip, left in (("Pocketed 3", 3), ("Fouls 1", 1), ("Doubtful 1", 1), ("All 4", 4)):
        page.locator("#filters").get_by_text(chip, exact=True).click()
        expect(page.locator("#boards li")).to_have_count(left)
    page.evaluate(SHOWN)
    page.locator("#reel").click()
    page.wait_for_function("() => shown['reel-where'].at(-1) === ''")
    shows = page.evaluate("shown")
    assert shows["reel-where"] == ["1 of 2", "2 of 2", ""]
    assert [text.split(" · ")[0] for text in shows["caption"]] == ["Stroke 1", "Stroke 4"]
    expect(page.locator("#reel")).to_have_attribute("aria-pressed", "false")
    page.locator("#link").click()
    expect(page.locator("#note")).to_have_text("The link is copied.")
    assert f"/matches/{stage.log.stem}#stroke=4&t=" in page.evaluate("navigator.clipboard.readText()")
    with page.expect_download():
        page.locator("#share").click()
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("document.documentElement.scrollHeight") <= 5 * 844
    assert errors == []
