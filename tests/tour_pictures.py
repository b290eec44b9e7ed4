"""Takes the pictures of the tour in four languages, from the pages themselves.

    referee demo --seconds 200 --log demo.jsonl
    python tests/tour_pictures.py demo.jsonl

The log of a demo gives the boards and the video; the pages show a match that is played from text.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import cv2
import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Browser, FloatRect, Page, sync_playwright
from web_browser import CHROMIUM, FLAGS
from web_shelf import served
from web_stage import Eyes, Json, Stage, placement, state, until

from referee.facts import Stroke
from referee.replay.cliptimes import clip_times
from referee.replay.match_folder import MatchFolder

LANGUAGES = ("en", "de", "fr", "es")
SIZE = {"width": 1280, "height": 800}
WIDTH, HEIGHT, QUALITY = 960, 600, 80
"""Size of a picture, px."""
LEFT: FloatRect = {"x": 0, "y": 62, "width": 872, "height": 574}
"""The panel of the side that plays, and the board."""
WAIT_MS = 90_000
OUT = Path(__file__).parents[1] / "referee" / "web" / "static" / "media" / "tour"
BREAK = ("south W", "south W,W", "south -", "north B", "north B,B", "north -", "south W")
"""Leaves five white and six black coins."""
WON = ("south W,W,W", "south -", "north B", "north -", "south W,W,W,W,W", "south Q,W")


@click.command(help=__doc__)
@click.argument("log", type=click.Path(exists=True, path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), default=OUT, show_default=True)
def main(log: Path, out: Path) -> None:
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        with TemporaryDirectory() as folder, Stage(Path(folder)).eyes() as eyes:
            playing(browser, Stage(Path(folder)), eyes, board_of(lines, white=5, black=6), out)
        with TemporaryDirectory() as folder, Stage(Path(folder)).eyes(rules="masters+target=3+boards=1") as eyes:
            won(browser, Stage(Path(folder)), eyes, (log, stroke_of(lines, "white")), out)
        with served(log.parent) as client:
            address = f"{client.base_url}/matches/{log.stem}?kiosk=on#stroke={stroke_of(lines, 'white')}"
            each(browser, address, "proof", out, photographed_card)
        browser.close()


def playing(browser: Browser, stage: Stage, eyes: Eyes, pieces: list[Json], out: Path) -> None:
    """The scoreboard in the middle of a board, and the light of a placement."""
    with stage.house() as house:
        eyes.connected()
        eyes.play(*BREAK)
        until(lambda: state(house.urls[0])["view"]["strokes"] == eyes.n)
        address = f"{house.urls[0]}?kiosk=on"
        each(browser, address, "scoreboard", out, lambda page: seen(page, eyes, "none", phase="waiting", pieces=pieces))
        light = placement(True, 3.2) | {"x_mm": 40.0, "y_mm": -252.6}
        each(browser, address, "light", out,
             lambda page: seen(page, eyes, "true", phase="placed", pieces=pieces, placement=light), LEFT)  # fmt: skip


def won(browser: Browser, stage: Stage, eyes: Eyes, filmed: tuple[Path, int], out: Path) -> None:
    """A match that is over, with the video of another one's stroke for its best."""
    with stage.house() as house:
        eyes.connected()
        eyes.play(*WON)
        borrow(*filmed, stage, eyes)
        until(lambda: bool((state(house.urls[0]).get("view") or {}).get("match_over")))

        def ready(page: Page) -> None:
            page.locator("#over-loop video").wait_for()
            eyes.see()
            page.wait_for_function("() => document.querySelector('#over-loop video').currentTime > 0.5")

        each(browser, f"{house.urls[0]}?kiosk=on", "result", out, ready)


def each(browser: Browser, address: str, name: str, out: Path, ready: Callable[[Page], None],
         part: FloatRect | None = None) -> None:  # fmt: skip
    """Takes one picture of the page, or of a part of it, in each language, once the page is `ready`."""
    for language in LANGUAGES:
        page = browser.new_page(viewport=SIZE, locale=language, color_scheme="light")
        page.set_default_timeout(WAIT_MS)
        page.goto(address)
        page.locator("html[data-ready]").wait_for()
        ready(page)
        picture = cv2.imdecode(np.frombuffer(page.screenshot(clip=part), np.uint8), cv2.IMREAD_COLOR)
        assert picture is not None, "the browser gave no picture"
        path = out / language / f"{name}.webp"
        path.parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(path), fitted(picture), [cv2.IMWRITE_WEBP_QUALITY, QUALITY])
        page.close()


def fitted(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Returns a picture (h, w, 3) at the size of the tour's, on its own ground."""
    high, wide = picture.shape[:2]
    scale = min(WIDTH / wide, HEIGHT / high)
    size = round(wide * scale), round(high * scale)
    ground = np.empty((HEIGHT, WIDTH, 3), np.uint8)
    ground[:] = picture[0, 0]
    x, y = (WIDTH - size[0]) // 2, (HEIGHT - size[1]) // 2
    ground[y : y + size[1], x : x + size[0]] = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    return ground


def seen(page: Page, eyes: Eyes, legal: str, **live: object) -> None:
    eyes.see(**live)
    page.locator(f'#side-0 .placement[data-legal="{legal}"]').wait_for(state="attached")
    page.locator("#board .piece").first.wait_for(state="attached")
    eyes.see(**live)
    page.wait_for_timeout(400)


def photographed_card(page: Page) -> None:
    """The evidence with its pictures at the top of the page."""
    page.locator("#card .close image").first.wait_for(state="attached")
    page.wait_for_load_state("networkidle")
    page.locator("#card").evaluate("e => scrollTo(0, e.getBoundingClientRect().top + scrollY - 16)")
    page.wait_for_timeout(400)


def borrow(log: Path, stroke: int, stage: Stage, eyes: Eyes) -> None:
    """Gives the last stroke of the stage's match the video of a stroke of another match."""
    times = clip_times(MatchFolder(log), stroke)
    assert times, f"stroke {stroke} of {log} has no video"
    struck = next(e.t_strike for e in reversed(eyes.session.match.events) if isinstance(e, Stroke))
    own = next(line["t_strike"] for line in map(json.loads, log.read_text().splitlines())
               if line["type"] == "stroke" and line["n"] == stroke)  # fmt: skip
    folder = MatchFolder(stage.log)
    folder.path.mkdir(exist_ok=True)
    replace(times, times=tuple(t - own + struck for t in times.times)).save(folder, eyes.n)
    folder.clip(eyes.n).write_bytes(MatchFolder(log).clip(stroke).read_bytes())


def board_of(lines: list[Json], white: int, black: int) -> list[Json]:
    """Returns the coins of the first settled board with so many, and a striker on south's base lines."""
    for line in lines:
        coins = [piece for piece in line.get("pieces", ()) if piece["kind"] != "striker"]
        count = Counter(piece["kind"] for piece in coins)
        if line["type"] == "table" and (count["white"], count["black"], count["queen"]) == (white, black, 1):
            return [*coins, {"kind": "striker", "x_mm": 40.0, "y_mm": -252.6}]
    raise click.ClickException(f"the log shows no board with {white} white and {black} black coins: play longer")


def stroke_of(lines: list[Json], kind: str) -> int:
    """Returns the number of a stroke whose placement was seen and that pocketed one coin of this kind, no more."""
    for line in lines:
        if line["type"] != "stroke" or line["n"] <= 3 or not (line["placement"] or {}).get("legal"):
            continue
        if [piece["kind"] for piece in line["pocketed"]] == [kind]:
            return int(line["n"])
    raise click.ClickException(f"no stroke of the log pocketed one {kind} coin: play longer")


if __name__ == "__main__":
    main()
