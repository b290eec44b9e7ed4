"""The live board, the restoring page and the overlay in a real browser."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest
from playwright.sync_api import Page, expect
from web_browser import SIZES
from web_stage import Eyes, Json, until

from models.pieces import Kind, Piece
from referee.facts import Table
from referee.web.process import WebProcess

REACH_MM = 440.0


def coin(x: float, y: float, kind: str = "white", sigma: float = 0.4) -> Json:
    return {"kind": kind, "x_mm": x, "y_mm": y, "sigma_mm": sigma}


def test_moving_pieces_leave_trails_and_every_piece_has_its_ring(
    page: Page, house: WebProcess, eyes: Eyes, errors: list[str]
) -> None:
    page.goto(f"{house.urls[0]}live")
    ring = page.locator("#board .white .sure")
    for i in range(6):
        sigma = 2.0 + i / 10
        eyes.see(t=1 + i / 20, phase="moving", pieces=[coin(0, 40.0 * i, sigma=sigma), coin(200, 0, "black")])
        expect(ring).to_have_attribute("r", str(15.5 + 2.45 * sigma))
    trail = page.locator("#board .trail")
    expect(trail).to_have_count(1)
    assert str(trail.get_attribute("points")).split()[0] == "0,0"
    expect(page.locator("#phase")).to_have_text("Pieces moving")
    page.locator('[data-show="trails"]').click()
    expect(trail).to_have_count(0)
    page.locator('[data-show="rings"]').click()
    expect(ring).to_be_hidden()
    assert errors == []


def test_twenty_pictures_a_second_are_drawn(page: Page, house: WebProcess, eyes: Eyes) -> None:
    page.goto(f"{house.urls[0]}live")
    eyes.see(t=0.0)
    expect(page.locator("#board .piece")).to_have_count(20)
    page.evaluate(COUNT)

    def drawn_in_two_seconds() -> int:
        before = int(page.evaluate("window.drawn"))
        for i in range(40):
            eyes.see(t=1 + i / 20, pieces=[coin(i, 0)])
            page.wait_for_timeout(50)
        return int(page.evaluate("window.drawn")) - before

    until(lambda: drawn_in_two_seconds() >= 30, "two seconds in which no other test held the machine up")


COUNT = """() => {
  window.drawn = 0;
  new MutationObserver(() => { window.drawn += 1; }).observe(
    document.querySelector("#board .pieces"), { subtree: true, attributes: true, attributeFilter: ["transform"] });
}"""


def picture(x: float, y: float) -> bytes:
    """A squared-up camera picture with one bright disc at (x, y) mm."""
    image = np.zeros((720, 720, 3), np.uint8)
    scale = 720 / (2 * REACH_MM)
    middle = (round((x + REACH_MM) * scale), round((REACH_MM - y) * scale))
    cv2.circle(image, middle, round(15.5 * scale), (255, 255, 255), -1)
    return bytes(cv2.imencode(".jpg", image)[1].tobytes())


def test_over_the_cameras_picture_lies_what_was_seen_in_that_very_picture(
    page: Page, house: WebProcess, eyes: Eyes, errors: list[str]
) -> None:
    page.goto(f"{house.urls[0]}live")
    page.get_by_role("button", name="Camera picture").click()
    eyes.asked("preview_wanted")
    eyes.see(t=6.0, pieces=[coin(150, -200)])
    expect(page.locator("#board .piece")).to_have_attribute("transform", "translate(150 -200)")
    eyes.picture(picture(100, -200), t=5.0, pieces=[coin(100, -200)])
    expect(page.locator("#board")).to_have_attribute("data-camera", "true")
    expect(page.locator("#board .piece")).to_have_attribute("transform", "translate(100 -200)")
    shown, frame = page.locator("#board image").bounding_box(), page.locator("#board .piece .body").bounding_box()
    assert shown is not None
    assert middle(frame) == pytest.approx(
        (shown["x"] + shown["width"] * (100 + REACH_MM) / (2 * REACH_MM),
         shown["y"] + shown["height"] * (200 + REACH_MM) / (2 * REACH_MM)), abs=1.0)  # fmt: skip
    page.get_by_role("button", name="Camera picture").click()
    expect(page.locator("#board")).to_have_attribute("data-camera", "false")
    assert errors == []


def middle(box: Any) -> tuple[float, float]:
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_disturbed_board_is_put_back_piece_by_piece(
    page: Page, house: WebProcess, eyes: Eyes, errors: list[str]
) -> None:
    eyes.formation()
    eyes.stroke("south", "W,W,W,W,W,W,W,B,B,B,B,B,B,B,B,B,Q")
    page.goto(f"{house.urls[0]}restore")
    state = page.locator("#state")
    eyes.see(pieces=[coin(3, 0), coin(40, 24), coin(0, -250, "striker")])
    expect(state).to_have_text("1 piece to go")
    expect(page.locator("#todo li")).to_have_text(["White: 24.0 mm"])
    expect(page.locator("#board .ghost")).to_have_count(1)
    eyes.see(pieces=[coin(3, 0), coin(200, 0, "black")])
    expect(page.locator("#todo li")).to_have_text(["White: not on the board", "1 piece too many"])
    eyes.see(pieces=[coin(1, 1), coin(40, 2)])
    expect(state).to_have_text("Every piece is back within 3 mm.")
    expect(page.locator("#board .ghost")).to_have_count(0)
    page.locator("#layout").select_option(index=1)
    expect(state).to_have_text("17 pieces to go")
    assert errors == []


def test_after_a_knock_the_board_before_it_is_to_be_put_back_over_the_cameras_picture_too(
    page: Page, house: WebProcess, eyes: Eyes, errors: list[str]
) -> None:
    eyes.formation()
    eyes.stroke("south", "W,W,W,W,W,W,W,B,B,B,B,B,B,B,B,B,Q")
    eyes.session.add(Table(eyes.t + 1, (Piece(Kind.WHITE, 0.0, 0.0), Piece(Kind.WHITE, 90.0, 90.0))))
    page.goto(f"{house.urls[0]}restore")
    eyes.see(pieces=[coin(0, 0), coin(90, 90)])
    expect(page.locator("#layout option:checked")).to_contain_text("✓ after stroke 1")
    expect(page.locator("#todo li")).to_have_text(["White: 103.0 mm"])
    page.get_by_role("button", name="Camera picture").click()
    eyes.asked("preview_wanted")
    eyes.picture(picture(90, 90), t=9.0, pieces=[coin(0, 0), coin(90, 90)])
    expect(page.locator("#board")).to_have_attribute("data-camera", "true")
    expect(page.locator("#board .ghost")).to_have_count(1)
    assert errors == []


@pytest.mark.parametrize(
    ("at", "left", "top"), [("bottom-left", True, False), ("top-right", False, True), ("nonsense", True, False)]
)
def test_the_overlay_is_transparent_and_stands_where_it_is_asked_to(
    page: Page, house: WebProcess, eyes: Eyes, at: str, left: bool, top: bool
) -> None:
    page.set_viewport_size({"width": 1920, "height": 1080})
    eyes.play("south W,Q")
    page.goto(f"{house.urls[0]}overlay?at={at}&ruling=on")
    expect(page.locator(".row .points")).to_have_text(["0", "0"])
    expect(page.locator("#queen")).to_contain_text("must cover the queen")
    expect(page.locator("#ruling")).to_contain_text("White")
    expect(page.locator("#board")).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    box = page.locator("main").bounding_box()
    assert box is not None
    assert ((box["x"] < 200) == left, (box["y"] < 200) == top) == (True, True)
    assert box["width"] < 800


@pytest.mark.parametrize("path", ["live", "umpire", "restore", "overlay?board=on"])
def test_every_page_fits_every_screen(page: Page, house: WebProcess, eyes: Eyes, path: str) -> None:
    eyes.play("south W", "south W,foul:push")
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{house.urls[0]}{path}")
        eyes.see()
        expect(page.locator("body")).to_have_attribute("data-connection", "live")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, size
