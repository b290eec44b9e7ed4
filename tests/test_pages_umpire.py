"""The umpire's desk in a real browser: questions, corrections with their preview, undo, the PIN and paired tablets."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from web_browser import listened
from web_stage import Eyes, Stage, state, until

from models.pieces import Seat
from referee.web.process import WebProcess
from referee.web.sessions import pairing_url


@pytest.fixture
def eyes(eyes: Eyes) -> Eyes:
    """Two strokes played, the second perhaps pushed."""
    eyes.play("south W", "south W,foul:push")
    return eyes


def test_undo_and_redo_reach_the_referee_and_are_called_done_once_the_log_has_them(
    page: Page, house: WebProcess, eyes: Eyes, errors: list[str]
) -> None:
    page.goto(f"{house.urls[0]}umpire")
    undo = page.locator("#undo")
    expect(undo).to_contain_text("stroke 2")
    undo.click()
    expect(page.locator("#message")).to_have_text("Undo…")
    eyes.obey()
    expect(page.locator("#message")).to_have_text("Undo: done.")
    expect(page.locator('#strokes li[data-stroke="2"]')).to_contain_text("Taken back")
    expect(page.locator("#redo")).to_contain_text("stroke 2")
    page.locator("#redo").click()
    assert eyes.obey()["action"] == "redo"
    expect(page.locator('#strokes li[data-stroke="2"]')).not_to_contain_text("Taken back")
    expect(page.locator("#changes li")).to_have_count(2)
    expect(page.locator("#changes li").first).to_contain_text("Umpire brought back")
    assert errors == []


def test_any_earlier_stroke_is_corrected_with_a_preview_of_what_would_change(
    page: Page, house: WebProcess, eyes: Eyes, errors: list[str]
) -> None:
    page.goto(f"{house.urls[0]}umpire")
    item = page.locator('#strokes li[data-stroke="1"]')
    expect(item).to_contain_text("Asha: White pocketed (↗)")
    item.get_by_role("button", name="Correct stroke 1").click()
    expect(page.get_by_role("button", name="Replace")).to_be_disabled()
    page.get_by_role("button", name="Nothing happened").click()
    expect(page.locator("#reading")).to_have_text("Will read: Nothing pocketed")
    expect(page.locator("#correct-preview")).to_contain_text("Asha: Coins left")
    expect(page.locator("#correct-preview")).to_contain_text("rulings change")
    page.get_by_role("button", name="Replace").click()
    event = eyes.obey()
    assert (event["action"], event["stroke"], event["stroke_text"]) == ("correct", 1, "-")
    expect(page.locator("#correct")).to_be_hidden()
    expect(item).to_contain_text("Corrected")
    expect(page.locator("#changes")).to_contain_text("corrected stroke 1: Nothing pocketed")
    assert errors == []


def test_who_played_a_stroke_can_be_corrected(page: Page, house: WebProcess, eyes: Eyes) -> None:
    page.goto(f"{house.urls[0]}umpire")
    page.get_by_role("button", name="Correct stroke 1").click()
    page.locator("#player").select_option("north")
    page.get_by_role("button", name="Replace").click()
    assert eyes.asked()["seat"] == "north"


def test_a_question_is_answered_with_one_tap(page: Page, house: WebProcess, eyes: Eyes) -> None:
    page.goto(f"{house.urls[0]}umpire")
    question = page.locator("#questions li")
    expect(question).to_contain_text("Asha: push?")
    question.get_by_role("button", name="No foul (push)").click()
    event = eyes.obey()
    assert (event["action"], event["stroke"], event["foul"]) == ("refuse", 2, "push")
    expect(page.locator("#questions")).to_be_hidden()
    expect(page.locator("#changes")).to_contain_text("stroke 2: push does not count")


def test_a_stroke_seen_badly_offers_its_likely_readings_first(page: Page, house: WebProcess, eyes: Eyes) -> None:
    page.goto(f"{house.urls[0]}umpire")
    eyes.stroke("south", "W@SW,B@NE", confidence=0.5)
    question = page.locator('#questions li[data-reason="falls_unsure"]')
    expect(question.get_by_role("button")).to_have_text([
        "As seen: White pocketed (↙), Black pocketed (↗)", "Black pocketed (↗)", "White pocketed (↙)",
        "Something else…"])  # fmt: skip
    question.get_by_role("button", name="White pocketed (↙)", exact=True).click()
    assert eyes.obey()["stroke_text"] == "W@SW"
    expect(question).to_be_hidden()


def test_what_no_camera_sees_is_told_with_a_preview(page: Page, house: WebProcess, eyes: Eyes) -> None:
    page.goto(f"{house.urls[0]}umpire")
    expect(page.locator("#strokes li")).to_have_count(2)
    page.get_by_role("button", name="Tell").click()
    page.locator("#tell-act").select_option("concede")
    page.locator("#tell-side").select_option("W")
    expect(page.locator("#tell-preview")).to_contain_text("Ravi: Score")
    page.get_by_role("button", name="Tell the referee").click()
    assert eyes.obey()["event"] == "concede W"
    expect(page.locator("#message")).to_have_text("Gives up the board: done.")
    expect(page.locator("#changes")).to_contain_text("Gives up the board (White)")
    expect(page.locator("#facts")).to_contain_text("Board 1")


def test_what_cannot_be_is_told_before_it_is_sent(page: Page, house: WebProcess, eyes: Eyes) -> None:
    page.goto(f"{house.urls[0]}umpire")
    expect(page.locator("#strokes li")).to_have_count(2)
    page.get_by_role("button", name="Tell").click()
    page.locator("#tell-act").select_option("waive")
    expect(page.locator("#tell-error")).to_contain_text("That cannot be: penalty: White owes no more than 0 coins")
    expect(page.get_by_role("button", name="Tell the referee")).to_be_disabled()


def test_colours_and_breaker_are_declared(page: Page, house: WebProcess, eyes: Eyes) -> None:
    page.goto(f"{house.urls[0]}umpire")
    expect(page.locator("#strokes li")).to_have_count(2)
    page.get_by_role("button", name="Tell").click()
    page.locator("#tell-act").select_option("colours")
    page.locator("#tell-seat").select_option("north")
    page.get_by_role("button", name="Tell the referee").click()
    assert eyes.obey()["seats"] == {"south": "black", "north": "white"}
    expect(page.locator("#changes")).to_contain_text("North White")


def test_how_the_board_stands_is_told_in_a_form(page: Page, house: WebProcess, eyes: Eyes, errors: list[str]) -> None:
    page.goto(f"{house.urls[0]}umpire")
    expect(page.locator("#strokes li")).to_have_count(2)
    page.get_by_role("button", name="Tell").click()
    page.locator("#tell-act").select_option("state")
    stand = page.locator("#tell-stand")
    expect(stand.locator("[name=left-white]")).to_have_value("7")
    stand.locator("[name=left-black]").fill("5")
    stand.locator("[name=due-black]").fill("1")
    stand.locator("[name=score-white]").fill("12")
    stand.locator("[name=queen]").select_option("cov:B")
    stand.locator("[name=mover]").select_option("B")
    expect(page.locator("#tell-preview")).to_contain_text("Asha: Score")
    page.get_by_role("button", name="Tell the referee").click()
    assert eyes.obey()["state"] == "W2 B4 Q=cov:B due 0/1 score 12:0 mv B board 1"
    expect(page.locator("#score")).to_contain_text("Owes 1")
    expect(page.locator("#facts")).to_contain_text("Ravi covered the queen")
    assert errors == []


def test_errors_are_sentences_on_the_page(page: Page, tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    with stage.house() as house:
        page.goto(f"{house.urls[0]}umpire")
        with stage.eyes() as eyes:
            eyes.connected()
            eyes.play("south W")
            expect(page.locator("#undo")).to_be_enabled()
        expect(page.locator("#connection")).to_have_attribute("data-state", "away")
        page.locator("#undo").click()
        expect(page.locator("#message")).to_contain_text("nothing was changed")


def test_the_desk_works_from_the_keyboard(page: Page, house: WebProcess, eyes: Eyes) -> None:
    page.goto(f"{house.urls[0]}umpire")
    expect(page.locator("#undo")).to_be_enabled()
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.locator("#undo").evaluate("e => e === document.activeElement"):
            break
    expect(page.locator("#undo")).to_be_focused()
    page.keyboard.press("Enter")
    assert eyes.asked()["action"] == "undo"


def test_the_pin_is_asked_once_and_a_tablet_is_paired_by_the_code_on_the_desk(
    browser: Browser, page: Page, tmp_path: Path, errors: list[str]
) -> None:
    stage = Stage(tmp_path)
    with stage.eyes() as eyes, stage.house(pin="246810", pairing="the-code") as house:
        eyes.connected()
        eyes.play("south W", "south W")
        page.goto(f"{house.urls[0]}umpire")
        page.locator("#undo").click()
        page.locator("#sign-pin").fill("111111")
        page.keyboard.press("Enter")
        expect(page.locator("#sign-error")).to_have_text("That PIN or code is not right.")
        page.locator("#sign-name").fill("Mira")
        page.locator("#sign-pin").fill("246810")
        page.keyboard.press("Enter")
        assert (eyes.obey()["action"], page.locator("#sign").is_hidden()) == ("undo", True)
        expect(page.locator("#session")).to_contain_text("Mira")
        expect(page.locator("#changes")).to_contain_text("Mira took back")
        page.get_by_role("button", name="Pair a tablet").click()
        expect(page.locator("#pairing-code")).to_be_visible()
        assert page.locator("#pairing-code").evaluate("async e => { await e.decode(); return e.naturalWidth; }") > 100
        a_tablet_is_paired(browser, house, eyes, errors)
        page.get_by_role("button", name="Close").click()
        page.get_by_role("button", name="Sign out").click()
        expect(page.locator("#session")).to_contain_text("Spectator")
        page.locator("#menu").click()
        expect(page.locator("#unpair-all")).to_have_count(0)
        page.locator("#settings .main").click()
        page.locator("#sign-in").click()
        page.locator("#sign-pin").fill("246810")
        page.keyboard.press("Enter")
        expect(page.locator("#session")).to_contain_text("Mira")
        page.locator("#menu").click()
        page.locator("#unpair-all").click()
        expect(page.locator("#unpair-all")).to_have_text("Tap again: Unpair all tablets")
        page.locator("#unpair-all").click()
        expect(page.locator(".everywhere p")).to_have_text("Every tablet is unpaired.")
        page.locator("#sign-out-all").dblclick()
        expect(page.locator(".everywhere p")).to_have_text("Every umpire is signed out.")
        expect(page.locator("#session")).to_contain_text("Spectator")
        assert page.request.post(f"{house.urls[0]}api/session", data={"pairing": "the-code"}).status == 401


def a_tablet_is_paired(browser: Browser, house: WebProcess, eyes: Eyes, errors: list[str]) -> None:
    """It scans the code, undoes without a PIN, and may not tell what only the umpire may."""
    context = browser.new_context(locale="de-DE")
    tablet = listened(context.new_page(), errors)
    tablet.goto(pairing_url(house.urls[0], "the-code"))
    expect(tablet.locator("#state")).to_have_text("Dieses Tablet ist gekoppelt.")
    assert "the-code" not in tablet.url
    tablet.get_by_role("link", name="Zum Schiedsrichterpult").click()
    tablet.locator("#undo").click()
    assert eyes.obey()["by"] == "Tablet"
    expect(tablet.locator("#message")).to_have_text("Rückgängig: erledigt.")
    context.close()


def test_a_match_is_paused_and_goes_on(page: Page, house: WebProcess, eyes: Eyes, errors: list[str]) -> None:
    page.goto(f"{house.urls[0]}umpire")
    expect(page.locator("#strokes li")).to_have_count(2)
    page.locator("#match-open").click()
    page.get_by_role("button", name="Pause").click()
    eyes.run(eyes.asked("running"))
    expect(page.locator("#message")).to_have_text("Paused: done.")
    expect(page.locator("#changes li").first).to_contain_text("Umpire paused the match")
    expect(page.locator("#match-open")).to_contain_text("Paused")
    page.locator("#match-open").click()
    expect(page.locator("#match-pause")).to_have_text("Go on")
    page.locator("#match-pause").click()
    eyes.run(eyes.asked("running"))
    expect(page.locator("#match-open")).not_to_contain_text("Paused")
    eyes.stroke("south", "-")
    expect(page.locator("#strokes li")).to_have_count(3)
    assert errors == []


def test_a_new_match_is_begun_with_its_rule_book_players_and_policy(
    page: Page, house: WebProcess, eyes: Eyes, errors: list[str]
) -> None:
    page.goto(f"{house.urls[0]}umpire")
    expect(page.locator("#strokes li")).to_have_count(2)
    page.locator("#match-open").click()
    page.locator("#match-rules").select_option("masters")
    page.get_by_role("textbox", name="South").fill("Mira")
    page.get_by_role("textbox", name="North").fill("")
    page.locator("#match-first").select_option("north")
    page.locator("#newmatch summary").click()
    page.locator("#match-policy select[name=push]").select_option("accept")
    page.locator("#match-turn").click()
    page.get_by_role("button", name="Begin").click()
    wish = eyes.asked("new_match")
    assert (wish["rules"], wish["players"], wish["seats"]) == ("masters", {"south": "Mira"}, {"north": "white"})
    assert (wish["policy"]["push"], wish["policy"]["touch"], wish["south"]) == ("accept", "propose", "west")
    expect(page.locator("#newmatch")).to_be_hidden()
    assert errors == []


def test_two_three_or_four_can_play(page: Page, house: WebProcess, eyes: Eyes, errors: list[str]) -> None:
    page.goto(f"{house.urls[0]}umpire")
    expect(page.locator("#strokes li")).to_have_count(2)
    page.locator("#match-open").click()
    page.locator("#match-number").get_by_text("4").click()
    page.get_by_role("textbox", name="East").fill("Dev")
    page.get_by_role("button", name="Begin").click()
    wish = eyes.asked("new_match")
    assert (wish["rules"], wish["players"]["east"], wish["seats"]) == ("icf+team", "Dev", {})
    page.locator("#match-open").click()
    page.locator("#match-rules").select_option("three_point")
    expect(page.locator("#match-number input:checked")).to_have_value("3")
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("#match-error")).to_contain_text("Name the three players")
    assert eyes.heard() == []
    page.get_by_role("textbox", name="West").fill("Ben")
    page.get_by_role("button", name="Begin").click()
    wish = eyes.asked("new_match")
    assert (wish["rules"], list(wish["seats"])) == ("three_point", ["south", "west", "north"])
    assert errors == []


def test_what_becomes_of_what_the_camera_sees_is_changed_in_mid_match(
    page: Page, house: WebProcess, eyes: Eyes, errors: list[str]
) -> None:
    page.goto(f"{house.urls[0]}umpire")
    expect(page.locator("#strokes li")).to_have_count(2)
    page.get_by_role("button", name="Seen fouls").click()
    push = page.locator("#policy-now select[name=push]")
    expect(push).to_have_value("propose")
    push.select_option("accept")
    page.get_by_role("button", name="From now on").click()
    event = eyes.obey()
    assert (event["action"], event["policy"]) == ("declare", {"push": "accept"})
    expect(page.locator("#message")).to_have_text("Seen fouls: done.")
    expect(page.locator("#changes li").first).to_contain_text("Umpire declared: push: counts")
    expect(page.locator("#undo")).to_contain_text("seen fouls")
    eyes.stroke("south", "W,foul:push")
    expect(page.locator('#strokes li[data-stroke="3"] .said')).to_contain_text("The stroke was improper")
    page.get_by_role("button", name="Seen fouls").click()
    expect(push).to_have_value("accept")
    assert errors == []


def test_a_stroke_is_corrected_after_its_board_has_ended(page: Page, house: WebProcess, eyes: Eyes) -> None:
    eyes.play("south W,W,W,W,W,W,W,W,Q", "south W")
    page.goto(f"{house.urls[0]}umpire")
    page.get_by_role("button", name="Correct stroke 4").click()
    page.get_by_role("button", name="Nothing happened").click()
    expect(page.locator("#correct-preview")).to_contain_text("Board over")
    expect(page.locator("#correct-preview")).to_contain_text("Asha: Score")
    page.get_by_role("button", name="Replace").click()
    eyes.obey()
    expect(page.locator("#score .points").first).to_have_text("0")
    expect(page.locator("#changes")).to_contain_text("corrected stroke 4")


def test_a_stroke_is_corrected_after_the_match_has_ended(page: Page, tmp_path: Path) -> None:
    """The match goes on then: its board was not over."""
    stage = Stage(tmp_path)
    with stage.house() as house, stage.eyes(rules="icf+boards=1+games=1") as eyes:
        eyes.connected()
        eyes.play("south W,W,W,W,W,W,W,W,Q", "south W")
        until(lambda: bool((state(house.urls[0]).get("view") or {}).get("match_over")), "the match's end")
        page.goto(f"{house.urls[0]}umpire")
        page.get_by_role("button", name="Correct stroke 2").click()
        page.get_by_role("button", name="Nothing happened").click()
        expect(page.locator("#correct-preview")).to_contain_text("Match won byAsha → nobody")
        page.get_by_role("button", name="Replace").click()
        eyes.obey()
        expect(page.locator("#score .points").first).to_have_text("0")
        assert not state(house.urls[0])["view"]["match_over"]


def test_what_is_typed_and_not_understood_is_told_in_the_readers_language(
    page: Page, house: WebProcess, eyes: Eyes
) -> None:
    page.goto(f"{house.urls[0]}umpire?language=de")
    page.get_by_role("button", name="Schuss 1 berichtigen").click()
    page.get_by_text("In der Notation").click()
    page.locator("#tokens").fill("W,X@NE")
    expect(page.locator("#correct-error")).to_contain_text("„X@NE“ wird nicht verstanden")
    expect(page.get_by_role("button", name="Ersetzen")).to_be_disabled()


def test_a_refusal_is_told_in_the_readers_language(page: Page, house: WebProcess, eyes: Eyes) -> None:
    page.goto(f"{house.urls[0]}umpire?language=de")
    expect(page.locator("#strokes li")).to_have_count(2)
    page.get_by_role("button", name="Mitteilen").click()
    page.locator("#tell-act").select_option("waive")
    expect(page.locator("#tell-error")).to_contain_text("Weiß schuldet nicht mehr als 0 Steine")
    page.get_by_role("button", name="Abbrechen").last.press("Escape")
    page.locator("#undo").click()
    event = eyes.asked()
    eyes.take(event | {"target": "stroke 77"})
    expect(page.locator("#message")).to_contain_text("so etwas lässt sich nicht zurücknehmen")


def test_players_of_a_collecting_game_are_told_of_by_name(page: Page, tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    names = ((Seat.SOUTH, "Asha"), (Seat.WEST, "Ben"), (Seat.EAST, "Dev"))
    seats = tuple((seat, None) for seat, _ in names)
    with stage.eyes(rules="three_point", seats=seats, players=names) as eyes, stage.house() as house:
        eyes.connected()
        eyes.play("south W,W")
        page.goto(f"{house.urls[0]}umpire")
        expect(page.locator("#strokes li")).to_have_count(1)
        page.get_by_role("button", name="Tell").click()
        page.locator("#tell-act").select_option("grant")
        page.locator("#tell-side").select_option(label="Ben")
        expect(page.locator("#tell-preview")).to_contain_text("Ben: Owes")
        page.get_by_role("button", name="Tell the referee").click()
        number = {tuple(side["seats"]): n for n, side in enumerate(state(house.urls[0])["view"]["sides"], 1)}["west",]
        assert eyes.obey()["event"] == f"grant P{number} 1"
        expect(page.locator("#changes")).to_contain_text(f"One penalty coin more (Player {number})")
