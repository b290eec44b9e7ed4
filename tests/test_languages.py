"""Languages: each a folder found by itself, complete, counted as the CLDR counts, with one word for each thing."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Page, expect
from web_stage import Eyes, state

from referee.cli import main
from referee.languages import Part, form, languages, load_language, phrases, plural
from referee.languages.check import faults, may_be_english
from referee.web.app import static_folder
from referee.web.process import WebProcess
from referee.web.template import PAGES, html_of

SCRIPTS = static_folder() / "scripts"


@pytest.mark.parametrize("code", languages())
def test_a_language_is_as_it_should_be(code: str) -> None:
    assert faults(code) == []


def test_the_command_lists_languages_and_says_what_one_lacks() -> None:
    listed = CliRunner().invoke(main, ["languages"])
    assert [line.split()[0] for line in listed.output.splitlines()] == languages()
    assert CliRunner().invoke(main, ["languages", "de"]).exit_code == 0
    unknown = CliRunner().invoke(main, ["languages", "xx"])
    assert unknown.exit_code == 2
    assert "choose one of" in unknown.output


def test_a_new_folder_is_found_and_told_what_it_lacks(tmp_path: Path) -> None:
    """A copy of the package with a folder more: nothing else is touched."""
    package = Path(str(static_folder())).parents[2]
    copy = tmp_path / "site" / "referee"
    shutil.copytree(package / "referee", copy, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("models", "calibration"):
        (tmp_path / "site" / name).symlink_to(package / name)
    folder = copy / "languages" / "pl"
    folder.mkdir()
    (folder / "language.toml").write_text(
        'name = "Polski"\nenglish_name = "Polish"\ndirection = "ltr"\nmachine = true\n[plurals]\n'
        'one = "i = 1 and v = 0"\nfew = "v = 0 and i % 10 = 2..4 and i % 100 != 12..14"\n'
        'many = "v = 0 and i != 1 and i % 10 = 0..1 or v = 0 and i % 10 = 5..9 or v = 0 and i % 100 = 12..14"\n'
    )
    (folder / "glossary.toml").write_text("[terms]\n[avoid]\n")
    (folder / "laws.toml").write_text(
        '[words]\nwhite = "Biały {oops}"\n[nouns.coins]\nany = ["{n} pionek", "{n} pionki"]\n'
    )
    done = _python(tmp_path / "site", "from referee.cli import main; main(['languages', 'pl'])")
    assert "pl/laws.toml: reasons.cleared is missing" in done
    assert "pl/laws.toml: words.white has the blanks ['oops'], English has []" in done
    assert "pl/laws.toml: nouns.coins.any has 2 forms, the language has 4" in done
    assert "pl/glossary.toml: there is no word for board" in done
    said = _python(tmp_path / "site", "from referee.languages import *; print(phrases(Part.LAWS, 'pl')['words'])")
    assert "Biały" in said
    assert "Black" in said
    (folder / "laws.toml").write_text('[words]\nwhite = "Biały\n')
    (folder / "pages.json").write_text('{"page.live": }')
    (folder / "glossary.toml").write_text("[terms]\n")
    broken = _python(tmp_path / "site", "from referee.cli import main; main(['languages', 'pl'])").splitlines()
    assert [line.partition(": ")[0] for line in broken] == ["pl/glossary.toml", "pl/laws.toml", "pl/pages.json"]
    assert "avoid is missing" in broken[0]
    assert "line 2" in broken[1]


def _python(folder: Path, code: str) -> str:
    env = {"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False, env=env
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("code", languages())
def test_numbers_are_counted_as_browsers_count_them(page: Page, code: str) -> None:
    """Chromium has the CLDR's own rules."""
    counts = [*range(204), 999, 1000, 1001, 12345]
    told = page.evaluate("([code, counts]) => counts.map((n) => new Intl.PluralRules(code).select(n))", [code, counts])
    assert [plural(load_language(code).plurals, n) for n in counts] == told


def test_languages_with_many_forms_are_counted_too(page: Page) -> None:
    """Rules of languages that are not there yet, in CLDR's own words."""
    rules = {
        "pl": {"one": "i = 1 and v = 0", "few": "v = 0 and i % 10 = 2..4 and i % 100 != 12..14",
               "many": "v = 0 and i != 1 and i % 10 = 0..1 or v = 0 and i % 10 = 5..9 or v = 0 and i % 100 = 12..14"},
        "ar": {"zero": "n = 0", "one": "n = 1", "two": "n = 2", "few": "n % 100 = 3..10", "many": "n % 100 = 11..99"},
    }  # fmt: skip
    for code, each in rules.items():
        told = page.evaluate("(code) => [...Array(204).keys()].map((n) => new Intl.PluralRules(code).select(n))", code)
        assert [plural(each, n) for n in range(204)] == told
    assert form(rules["pl"], ["pionek", "pionki", "pionków", "pionka"], 22) == "pionki"
    with pytest.raises(ValueError, match="no condition of a plural rule"):
        plural({"one": "n is 1"}, 1)


def test_what_the_board_and_the_scoreboard_say_is_never_left_to_english() -> None:
    """Walks the imports of both pages' scripts, so that a key that they come to say is asked of every language.

    Of the library of matches they only take files: what it refuses is said by the pages of replays.
    """
    seen: set[str] = set()
    todo = ["scoreboard", "live"]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += re.findall(r'from "\./(\w+)\.js"', (SCRIPTS / f"{name}.js").read_text(encoding="utf-8"))
    text = "".join((SCRIPTS / f"{name}.js").read_text(encoding="utf-8") for name in seen - {"library"})
    text += "".join(html_of(page) for page in PAGES.values() if page.name in ("scoreboard", "live"))
    beginnings = tuple(re.findall(r"`([a-z_]+\.(?:[a-z]+_)?)\$\{", text))
    said = [key for key in phrases(Part.PAGES, "en") if f'"{key}"' in text or key.startswith(beginnings)]
    assert len(said) > 150
    assert [key for key in said if may_be_english(Part.PAGES, key)] == []


def test_a_page_of_urdu_runs_from_the_right_and_says_who_translated_it(
    browser: Browser, house: WebProcess, eyes: Eyes, errors: list[str]
) -> None:
    eyes.play("south W,S")
    page = browser.new_page(locale="ur-PK", viewport={"width": 1280, "height": 800})
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(house.urls[0])
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    expect(page.locator(".near .sentence")).to_have_text("Asha: سفید گری + اسٹرائیکر گرا، پھر باری")
    page.locator("#ruling-open").click()
    page.locator("#ask-more summary").click()
    call = "گوٹی کے ساتھ اسٹرائیکر: 1 سفید گوٹی باہر، سفید پر 1 گوٹی باقی۔ سفید پھر کھیلیں گے۔"
    expect(page.locator("#ask-call")).to_have_text(call)
    page.locator("#ask-close").click()
    first, second = (page.locator(f"#side-{side}").bounding_box() for side in (0, 1))
    assert first is not None
    assert second is not None
    assert first["x"] > second["x"]
    fonts = page.evaluate("[...document.fonts].filter((font) => font.status === 'loaded').length")
    assert fonts == 1, "the letters of one script are fetched, and of no other"
    page.locator("#menu").click()
    page.locator(".settings .machine a").click()
    page.wait_for_url("**/languages?of=ur")
    expect(page.locator("#state")).to_contain_text("اردو")
    page.locator("#parts summary").first.click()
    expect(page.locator("#parts").get_by_text("reasons.queen_covered")).to_be_visible()
    page.close()
    assert errors == []


def test_all_of_a_ruling_is_one_tap_away(page: Page, house: WebProcess, eyes: Eyes) -> None:
    eyes.play("south W,S")
    page.goto(house.urls[0])
    call = "Striker with a coin: 1 white coin out, White owes 1 coin. White plays again."
    expect(page.locator(".near .sentence")).to_have_text("Asha: white in + striker in, plays again")
    page.locator("#ruling-open").click()
    page.locator("#ask-more summary").click()
    expect(page.locator("#ask-call")).to_have_text(call)
    shown = page.locator("#ask-laws li")
    sentences = state(house.urls[0])["view"]["rulings"][-1]["sentences"]
    expect(shown).to_have_count(len(sentences))
    expect(shown.first).to_contain_text(sentences[0]["law"])


def test_the_voice_reads_the_call_and_not_every_sentence(page: Page, house: WebProcess, eyes: Eyes) -> None:
    page.add_init_script(
        "window.heard = []; SpeechSynthesis.prototype.speak = (said) => heard.push(said.text);"
        "localStorage.setItem('carrom', JSON.stringify({voice: 'calls'}));"
    )
    eyes.formation("south")
    page.goto(house.urls[0])
    expect(page.locator(".near .sentence")).to_have_text("No stroke yet.")
    eyes.stroke("south", "W")
    eyes.stroke("south", "W,S")
    expect(page.locator(".near .sentence")).to_have_text("Asha: white in + striker in, plays again")
    assert page.evaluate("heard")[-1] == "Striker with a coin: 2 white coins out. White plays again."


def test_words_are_given_in_the_first_language_that_there_is(house: WebProcess) -> None:
    def told(wanted: str) -> Any:
        with urlopen(f"{house.urls[0]}words?wanted={wanted}") as answer:
            return json.load(answer)

    assert told("pt-BR,ta-LK,de")["language"] == "ta"
    assert told("xx")["language"] == "en"
    urdu = told("ur")
    assert (urdu["direction"], urdu["machine"]) == ("rtl", True)
    assert urdu["words"].keys() == told("en")["words"].keys()
    assert set(urdu["languages"]) == set(languages())
