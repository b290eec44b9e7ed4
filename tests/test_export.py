"""`referee export` and its tables."""

from __future__ import annotations

import csv
import json

import pytest
from click.testing import CliRunner
from match_logs import played, write

from models.pieces import Seat
from referee.cli import main
from referee.languages import languages, load_language
from referee.match import Action
from referee.replay.caption import captions
from referee.replay.store import Replay
from referee.replay.words import phrases


def run(*args: object):
    return CliRunner().invoke(main, ["export", *map(str, args)])


def test_a_match_becomes_two_tables_and_a_document(tmp_path):
    match = write(tmp_path / "a.jsonl", played())
    result = run(tmp_path / "a.jsonl", "-o", tmp_path / "deep" / "out")
    assert result.exit_code == 0
    out = tmp_path / "deep" / "out"
    with (out / "strokes.csv").open(encoding="utf-8", newline="") as file:
        strokes = list(csv.DictReader(file))
    assert [row["n"] for row in strokes] == ["1", "2", "3", "4", "5"]
    assert strokes[3]["pocketed"] == "black@NE striker@NE"
    with (out / "rulings.csv").open(encoding="utf-8", newline="") as file:
        rulings = list(csv.DictReader(file))
    assert rulings[0]["state"] == str(match.rulings[1].state)
    assert "White plays again." in rulings[0]["text"]
    document = json.loads((out / "match.json").read_text(encoding="utf-8"))
    assert document["match"] == match.view()
    assert len(document["strokes"]) == 5


def test_a_folder_that_cannot_be_made_says_so(tmp_path):
    write(tmp_path / "a.jsonl", played())
    (tmp_path / "file").touch()
    result = run(tmp_path / "a.jsonl", "-o", tmp_path / "file" / "out")
    assert result.exit_code == 1
    assert "cannot write to" in result.output


def test_a_file_that_is_no_log_says_so(tmp_path):
    (tmp_path / "x").write_text("hello")
    result = run(tmp_path / "x", "-o", tmp_path / "out")
    assert result.exit_code == 1
    assert "not a match log" in result.output


@pytest.mark.parametrize(("language", "said"), [("en", "Ruling"), ("de", "Entscheidung"), ("fr", "Décision"),
                                                ("es", "Decisión")])  # fmt: skip
def test_the_sheet_speaks_each_language(tmp_path, language, said):
    write(tmp_path / "a.jsonl", played())
    result = run(tmp_path / "a.jsonl", "--sheet", tmp_path / "a.html", "--language", language)
    assert result.exit_code == 0
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert f'<html lang="{language}" dir="{load_language(language).direction}">' in text
    assert f">{said}</th>" in text
    assert ("White plays again." in text) == (language == "en")
    assert "○↗" in text, "signs for coins and pockets"
    assert "@" not in text.split("</head>")[1], "no notation on a sheet for players"


def test_every_language_has_the_same_phrases():
    english = phrases("en")
    for language in languages():
        assert phrases(language).keys() == english.keys()
        assert phrases(language)["actions"].keys() == english["actions"].keys() == set(Action)
        assert [len(phrases(language)[name]) for name in ("result", "strokes", "words")] == [4, 7, 4]


def test_a_clips_caption_says_who_plays_how_it_stands_and_what_was_ruled_in_words(tmp_path):
    write(tmp_path / "a.jsonl", played(players=((Seat.SOUTH, "Łukasz Żółć"), (Seat.NORTH, "प्रियंका"))))
    replay = Replay(tmp_path / "a.jsonl")
    assert captions(replay, replay.strokes[3], "de") == (
        "Łukasz Żółć 0 : 0 प्रियंका", "Schuss 3 · Łukasz Żółć: Nichts versenkt: Schwarz ist am Zug."
    )  # fmt: skip
    write(tmp_path / "b.jsonl", played(players=()))
    assert captions(Replay(tmp_path / "b.jsonl"), replay.strokes[3], "en")[0] == "South 0 : 0 North"
