"""From the running match to its proof: linked from the last ruling and from the desk, growing as the match goes on."""

from __future__ import annotations

from playwright.sync_api import Page, Route, expect
from web_browser import SIZES
from web_stage import Eyes, state, until

from referee.web.process import WebProcess


def test_the_last_ruling_and_the_desk_lead_to_the_proof_while_the_match_goes_on(
    page: Page, house: WebProcess, eyes: Eyes, errors: list[str]
) -> None:
    url = house.urls[0]
    eyes.play("south W")
    until(lambda: state(url)["view"]["strokes"] == 1)
    page.goto(f"{url}umpire")
    expect(page.locator("#strokes .button")).to_have_count(1)
    page.goto(url)
    page.locator("#ruling-open").click()
    page.locator("#ask-proof").click()
    expect(page.locator("#caption")).to_have_text("Stroke 1 · Asha: White pocketed (↗)")
    expect(page.locator("#boards a")).to_have_count(1)
    expect(page.locator("#delete")).to_be_disabled()
    eyes.stroke("south", "-")
    expect(page.locator("#boards a")).to_have_count(2)
    expect(page.locator("#caption")).to_contain_text("Stroke 1")
    page.locator("body").press("]")
    expect(page.locator("#caption")).to_contain_text("Stroke 2 · Asha: Nothing pocketed")
    assert errors == []


def test_a_stroke_asked_for_while_news_of_another_is_fetched_is_the_one_shown(
    page: Page, house: WebProcess, eyes: Eyes, errors: list[str]
) -> None:
    eyes.play("south W")
    until(lambda: state(house.urls[0])["view"]["strokes"] == 1)
    page.goto(house.urls[0])
    page.locator("#ruling-open").click()
    page.locator("#ask-proof").click()
    caption = page.locator("#caption")
    expect(caption).to_have_text("Stroke 1 · Asha: White pocketed (↗)")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/strokes/1?*", hold)
    with page.expect_request("**/strokes/1?*"):
        eyes.stroke("south", "-")
    expect(page.locator("#boards a")).to_have_count(2)
    page.locator("body").press("]")
    expect(caption).to_contain_text("Stroke 2")
    with page.expect_event("requestfinished", lambda request: "/strokes/1?" in request.url):
        held[0].continue_()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    expect(caption).to_contain_text("Stroke 2")
    expect(page.locator("#before")).to_be_enabled()
    assert errors == []


def test_the_scoreboard_says_while_pictures_are_kept(page: Page, house: WebProcess, eyes: Eyes) -> None:
    eyes.play("south W")
    eyes.see(recording="video")
    page.goto(house.urls[0])
    sign = page.locator("#recording")
    expect(sign).to_have_text("Rec")
    expect(sign).to_have_attribute("title", "Video is recorded")
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        box, proof = sign.bounding_box(), page.locator("#ruling-open").bounding_box()
        assert box
        assert proof
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert proof["height"] >= 24
    eyes.see(recording="pictures")
    expect(sign).to_have_attribute("title", "Pictures are kept")
    eyes.see(recording="off")
    expect(sign).to_be_hidden()
