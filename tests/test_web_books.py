"""The club's own rule books: kept with the data, checked at once; a match is judged by the text it was played by."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from match_play import Play
from pydantic import ValidationError

from models.rules import RulesError, book_text, rule_names
from referee.log import LogWriter
from referee.log.session import Session
from referee.log.stored_match import stored_match
from referee.match import MatchError, Start
from referee.match.events import start_fields, start_of
from referee.web.books import ClubBooks, book_entry
from referee.web.umpire_requests import NewMatch

OWN = book_text("short_de").replace("target_points = 25", "target_points = 11")


def shelf(folder: Path, **books: str) -> ClubBooks:
    club = ClubBooks(folder)
    for name, text in books.items():
        club.save(name, text)
    return club


def test_a_book_is_kept_and_offered_beside_the_shipped_ones(tmp_path: Path) -> None:
    club = shelf(tmp_path, red_lion=OWN)
    assert ClubBooks(tmp_path).names() == ["red_lion"]
    assert club.book("red_lion").match.target_points == 11
    assert club.book("red_lion+team").seating.players == 4
    entry = book_entry(club, "red_lion")
    assert (entry["kind"], entry["players"], entry["problem"]) == ("own", {2: "red_lion", 4: "red_lion+team"}, None)
    kinds = {name: book_entry(club, name)["kind"] for name in rule_names()}
    assert (kinds["icf"], kinds["family_india"]) == ("sheet", "house")
    assert book_entry(club, "points_160")["players"] == {4: "points_160"}


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("icf", OWN, "icf is a shipped book"),
        ("mine", "nonsense", "not TOML"),
        ("mine", OWN.replace("games = 1", "games = 0"), "match.games must be at least 1"),
        ("mine", OWN.replace('winner = "mover", law = "SR 7", points = "board"', 'winner = "nobody", law = "SR 7"'),
         "the board goes on without end"),
    ],
)  # fmt: skip
def test_a_faulty_book_is_not_kept_and_says_why(tmp_path: Path, name: str, text: str, why: str) -> None:
    with pytest.raises(RulesError, match=why):
        ClubBooks(tmp_path).save(name, text)
    assert not (tmp_path / "books").exists()


def test_a_book_spoilt_by_hand_is_told_and_a_good_one_stays_when_a_bad_one_comes(tmp_path: Path) -> None:
    club = shelf(tmp_path, mine=OWN)
    with pytest.raises(RulesError):
        club.save("mine", OWN.replace("[queen]", "[queens]"))
    assert club.text("mine") == OWN
    (tmp_path / "books" / "mine.toml").write_text("mode = 1", encoding="utf-8")
    assert "mode must be one of race, collect" in book_entry(club, "mine")["problem"]
    club.remove("mine")
    assert club.names() == []


def test_a_new_match_names_a_book_of_the_house_and_takes_its_text_along(tmp_path: Path) -> None:
    club = shelf(tmp_path, red_lion=OWN)
    wish = NewMatch.model_validate({"rules": "red_lion+target=21"}).checked(club.text)
    assert wish.message()["book"] == OWN
    assert "book" not in NewMatch.model_validate({"rules": "icf"}).checked(club.text).message()
    for rules in ("no_such_book", "red_lion+nonsense=1"):
        with pytest.raises(ValueError, match=r"no rule book|unknown modifier"):
            NewMatch.model_validate({"rules": rules}).checked(club.text)
    for rules in ("../secrets.toml", "/etc/passwd", "club.toml"):
        with pytest.raises(ValidationError):
            NewMatch.model_validate({"rules": rules})


def test_a_match_is_judged_again_by_the_book_it_was_played_by(tmp_path: Path) -> None:
    """Though the club has changed or removed it since."""
    log, start = tmp_path / "match.jsonl", Start("m", "red_lion", book=OWN)
    assert start_of({"type": "header", **start_fields(start)}) == start
    with LogWriter(log) as writer:
        Session(writer, start, lambda line: None).begin(0.0, calibration={})
    header = json.loads(log.read_text(encoding="utf-8").splitlines()[0])
    assert header["book"] == OWN
    assert stored_match(log).match.book.match.target_points == 11
    assert stored_match(log).problems == ()
    assert stored_match(log, "red_lion+target=15").match.book.match.target_points == 15
    assert stored_match(log, "icf").match.book.match.target_points == 25


def test_a_text_that_cannot_be_read_is_refused_with_its_reasons() -> None:
    with pytest.raises(MatchError, match="mode must be one of race, collect"):
        Play(Start("m", "red_lion", book="mode = 1"))


def test_a_house_rule_by_its_path_is_kept_in_the_log_too(tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    path.write_text(OWN, encoding="utf-8")
    assert Play(Start("m", str(path))).match.book.match.target_points == 11
