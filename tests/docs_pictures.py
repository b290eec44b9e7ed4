"""Takes the pictures of README.md and docs/ from the pages of a running demo, and ends with its set-up.

referee demo --log demo.jsonl --port 8000 --pin 246810
python tests/docs_pictures.py http://127.0.0.1:8000/ --pin 246810
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click
import cv2
import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright
from web_browser import CHROMIUM, FLAGS
from web_stage import state

OUT = Path(__file__).parents[1] / "docs"
QUALITY = 82
WAIT_MS, BOARD_MS = 90_000, 600_000
QUIET = "() => !document.body.dataset.shout && document.querySelector('#connection').dataset.state === 'live'"
PLACED = """() => document.querySelector(".near").dataset.certain === "true"
  && document.querySelector(".placement[data-legal=true]") && document.querySelector("#instant").hidden
  && document.querySelectorAll(".coins .coin[data-gone=true]").length > 5"""
RINGED = """() => document.querySelectorAll("#board .piece").length > 4
  && document.querySelector("#board image").href.baseVal.length > 0"""
PLAYS = """() => document.querySelector("#screen").dataset.playing === "true"
  && Number(document.querySelector("#seek").value) > 70"""


@click.command(help=__doc__)
@click.argument("address")
@click.option("--pin", required=True, help="PIN of the demo's desk.")
@click.option("--out", type=click.Path(path_type=Path), default=OUT, show_default=True)
@click.option(
    "--only", multiple=True, type=click.Choice(["live", "scoreboard", "replay", "setup"]), help="By default all."
)
def main(address: str, pin: str, out: Path, only: tuple[str, ...]) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for name, take in (
            ("live", live),
            ("scoreboard", scoreboard),
            ("replay", replay),
            ("setup", partial(set_up, pin)),
        ):
            if not only or name in only:
                take(browser, address, out)
        browser.close()


def scoreboard(browser: Browser, address: str, out: Path) -> None:
    """The scoreboard as a striker has been placed."""
    page = opened(browser, address, (1280, 800), "dark", "?kiosk=on")
    page.locator("#offer-close").click()
    for holds in (PLACED, QUIET, PLACED):
        page.wait_for_function(holds, timeout=BOARD_MS)
    (out / "scoreboard.png").write_bytes(page.screenshot())
    page.close()


def live(browser: Browser, address: str, out: Path) -> None:
    """The live board over the camera's picture."""
    page = opened(browser, address, (960, 600), "dark", "live?kiosk=on")
    page.locator("[data-show=camera]").click()
    for holds in (QUIET, RINGED):
        page.wait_for_function(holds, timeout=BOARD_MS)
    page.wait_for_timeout(1500)
    keep(page, out / "live.jpg")
    page.close()


def replay(browser: Browser, address: str, out: Path) -> None:
    """A stroke that pocketed a coin, in the middle of its video."""
    log = state(address)["log"]["replay"]
    page = opened(browser, address, (1280, 760), "light", f"matches/{log}?kiosk=on#stroke={_told(address, log)}")
    page.wait_for_function(PLAYS, timeout=WAIT_MS)
    keep(page, out / "replay.jpg")
    page.close()


def _told(address: str, log: str) -> int:
    """Returns the newest stroke but one that pocketed a coin."""
    view = state(address)["view"]
    return int([r["stroke"] for r in view["rulings"][:-1] if r["stroke_text"][:1] in "WB"][-1])


def set_up(pin: str, browser: Browser, address: str, out: Path) -> None:
    """The second step of the set-up, the board found."""
    page = opened(browser, address, (1024, 640), "light", "setup?kiosk=on")
    page.locator("#sign-pin").fill(pin)
    page.keyboard.press("Enter")
    page.locator("#next").click()
    page.locator("#title", has_text="Picture").wait_for()
    page.locator("#next").click()
    page.locator("#body table").wait_for()
    page.wait_for_timeout(1500)
    keep(page, out / "setup.jpg")
    page.locator("#leave").click()
    page.close()


def opened(browser: Browser, address: str, size: tuple[int, int], scheme: str, path: str) -> Page:
    page = browser.new_page(viewport={"width": size[0], "height": size[1]}, locale="en-GB")
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_default_timeout(WAIT_MS)
    page.goto(f"{address.rstrip('/')}/{path}")
    page.locator("html[data-ready]").wait_for()
    return page


def keep(page: Page, path: Path) -> None:
    """Writes a photograph of the page."""
    picture = cv2.imdecode(np.frombuffer(page.screenshot(), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None, "the browser gave no picture"
    cv2.imwrite(str(path), picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])


if __name__ == "__main__":
    main()
