"""A club's own rule book in a real browser: begun from a shipped one, refused with its reasons, kept, and played by."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Page, expect
from web_stage import Eyes, Stage

from models.rules import book_text
from referee.web.process import WebProcess

CHOICE = 'choice = { turn = "pass", law = "House 6", penalty = 1 } }'


def opened(page: Page, house: WebProcess) -> None:
    page.goto(f"{house.urls[0]}umpire")
    page.locator("#club-open").click()
    expect(page.locator("#club-base option")).not_to_have_count(1)


def test_a_book_of_ones_own_is_corrected_kept_and_plays_two_matches_without_a_restart(
    page: Page, house: WebProcess, eyes: Eyes, stage: Stage, errors: list[str]
) -> None:
    opened(page, house)
    page.locator("#club-base").select_option("family_india")
    text = page.locator("#club-text")
    expect(text).to_have_value(book_text("family_india"))
    sound = book_text("family_india").replace("target_points = 29", "target_points = 21")
    text.fill(
        sound.replace("games = 1", "games = 0").replace('law = "House 1" }', 'law = "House 1", penalty = "two" }')
    )
    page.locator("#club-name").fill("Red Lion")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#club-error")).to_contain_text("2 things are wrong")
    expect(page.locator("#club-error li").first).to_have_text(
        "opening.failed.penalty must be a whole number, not 'two'"
    )
    expect(page.locator("#club-error li").nth(1)).to_have_text("match.games must be at least 1, not 0")
    assert not (stage.folder / "books").exists()
    text.fill(sound)
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#club-done")).to_have_text("red_lion is kept and can be chosen for the next match.")
    assert (stage.folder / "books" / "red_lion.toml").read_text(encoding="utf-8") == sound
    page.get_by_role("button", name="Close").click()
    page.locator("#match-open").click()
    page.locator("#match-rules").select_option("red_lion")
    page.get_by_role("button", name="Begin").click()
    wish = eyes.asked("new_match")
    assert (wish["rules"], wish["book"]) == ("red_lion", sound)
    with stage.match(eyes.link, rules=wish["rules"], book=wish["book"]) as second:
        second.play("south W,W,W", "south W,S")
        expect(page.locator("#facts")).to_contain_text("red lion")
        expect(page.locator("#questions")).to_contain_text("White may choose otherwise: Black plays next, 1 white coin")
        header = json.loads(stage.log.read_text(encoding="utf-8").splitlines()[0])
        assert (header["rules"], header["book"]) == ("red_lion", sound)
        page.get_by_role("button", name="chooses the other").click()
        event = second.obey()
        assert (event["action"], event["stroke_text"]) == ("correct", "W@NE,S@NE,choice:other")
        expect(page.locator("#questions")).to_be_hidden()
        assert str(second.session.match.state).startswith("W3 B0 Q=board due 0/0 score 0:0 mv B")
    expected_errors = [e for e in errors if "422" not in e]
    assert expected_errors == []


def test_a_file_is_taken_and_a_book_removed(
    page: Page, house: WebProcess, eyes: Eyes, stage: Stage, tmp_path: Path
) -> None:
    file = tmp_path / "Thursday evening.toml"
    file.write_text(book_text("points_160"), encoding="utf-8")
    opened(page, house)
    page.locator("#club-file").set_input_files(file)
    expect(page.locator("#club-name")).to_have_value("thursday_evening")
    expect(page.get_by_role("button", name="Remove")).to_be_hidden()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#club-done")).to_contain_text("thursday_evening")
    expect(page.locator("#club-base option:checked")).to_have_text("thursday evening (own)")
    page.get_by_role("button", name="Remove").click()
    expect(page.locator("#club-done")).to_contain_text("thursday_evening is removed")
    assert not (stage.folder / "books" / "thursday_evening.toml").exists()


def test_the_books_fit_a_phone_and_a_tablet(page: Page, house: WebProcess, eyes: Eyes) -> None:
    for width, height in ((390, 844), (1024, 768), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        opened(page, house)
        page.locator("#club-base").select_option("family_india")
        box = page.locator("#club").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height
        expect(page.get_by_role("button", name="Save")).to_be_in_viewport()
        page.locator("#club-name").fill("red lion")
        page.locator("#club-text").fill(book_text("family_india").replace("games = 1", "games = 0"))
        page.get_by_role("button", name="Save").click()
        expect(page.locator("#club-error li")).to_be_in_viewport(ratio=1)
        shown, save = page.locator("#club-error").bounding_box(), page.get_by_role("button", name="Save").bounding_box()
        assert shown is not None
        assert save is not None
        assert shown["y"] + shown["height"] <= save["y"], "the buttons hide what is wrong"
