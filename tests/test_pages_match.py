"""A simulated match, seen by the whole pipeline, on every page: each says what the log says."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect
from test_run import line_with, running
from web_stage import state, until

from referee.log import read_log


def test_every_page_says_what_the_log_of_a_simulated_match_says(
    page: Page, clip: Path, profile_file: Path, tmp_path: Path, errors: list[str]
) -> None:
    log = tmp_path / "match.jsonl"
    words = ("run", clip, "--profile", profile_file, "--log", log, "--port", "0", "--host", "127.0.0.1", "--stay")
    with running(*words, "--players", "south=Asha,north=Ravi") as process:
        url = line_with(process, "Scoreboard: ")
        until(lambda: (state(url).get("live") or {}).get("phase") == "ended", "the recording's end")
        until(lambda: (state(url).get("view") or {}).get("strokes") == 1, "the stroke")
        lines = read_log(log).lines
        (ruling,) = (line for line in lines if line["type"] == "ruling")
        table = [line for line in lines if line["type"] == "table"][-1]
        said = " ".join(decision["text"] for decision in ruling["decisions"] if decision["kind"] != "proposal")
        striking = {"south": "Asha", "north": "Ravi"}[ruling["turn"]]

        call = state(url)["view"]["rulings"][-1]["call"]

        page.goto(url)
        expect(page.locator(".near .sentence")).to_have_text(f"Asha: nothing in, {striking} to play")
        expect(page.locator("#ask-call")).to_be_hidden()
        page.locator("#ruling-open").click()
        page.locator("#ask-more summary").click()
        expect(page.locator("#ask-call")).to_have_text(call)
        page.locator("#ask-close").click()
        expect(page.locator('.side[data-turn="true"] .name')).to_have_text(striking)
        expect(page.locator("#connection")).to_have_text("The recording has ended")
        expect(page.locator("#board .piece")).to_have_count(len(table["pieces"]))

        page.goto(f"{url}umpire")
        expect(page.locator('#strokes li[data-stroke="1"] .said')).to_have_text(said)
        expect(page.locator('.row[data-turn="true"] .name')).to_contain_text(striking)

        page.goto(f"{url}live")
        expect(page.locator("#board .piece")).to_have_count(len(table["pieces"]))
        expect(page.locator("#facts")).to_contain_text("Geometry as measured on this board")

        page.goto(f"{url}restore")
        expect(page.locator("#state")).to_have_text("Every piece is back within 3 mm.")

        page.goto(f"{url}overlay?ruling=on")
        expect(page.locator('.row[data-turn="true"] .name')).to_have_text(striking)
        expect(page.locator("#ruling")).to_have_text(call)
    assert errors == []
