"""The index of matches: made from the logs, kept up to date, thrown away and made again."""

from __future__ import annotations

import sqlite3

import pytest
from match_logs import played, write

from models.pieces import Seat
from referee.log import LogError
from referee.log.index import INDEX_NAME, MatchIndex

DAY_S = 86400.0
BOARD = [("south", "W,W,W,W,W,W,W,W,Q"), ("south", "W")]


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "a.jsonl", played("a"), wall=1 * DAY_S)
    (tmp_path / "club").mkdir()
    others = ((Seat.SOUTH, "Ravi"), (Seat.NORTH, "Asha Rao"))
    write(tmp_path / "club" / "b.jsonl", played("b", others, BOARD), wall=2 * DAY_S)
    return tmp_path


def test_matches_are_found_with_their_figures_the_latest_first(folder):
    index = MatchIndex(folder)
    assert index.refresh() == []
    second, first = index.find()
    assert (first.path, first.started, first.rules, first.boards, first.strokes) == ("a.jsonl", DAY_S, "icf", 0, 5)
    assert first.players == {"south": "Asha Rao", "north": "Jürg Müller"}
    assert 0 < first.certain < 1
    assert (second.score, second.boards, second.certain) == ({"south": 12, "north": 0}, 1, 1.0)
    assert first.size == (folder / "a.jsonl").stat().st_size


def test_matches_are_found_by_player_and_date(folder):
    index = MatchIndex(folder)
    index.refresh()
    assert [row.path for row in index.find(player="müller")] == ["a.jsonl"]
    assert len(index.find(player="ASHA")) == 2
    assert [row.path for row in index.find(since=1.5 * DAY_S)] == ["club/b.jsonl"]
    assert [row.path for row in index.find(until=2 * DAY_S)] == ["a.jsonl"]
    assert index.find(player="nobody") == []


def test_a_deleted_or_damaged_index_is_made_again_from_the_logs(folder):
    index = MatchIndex(folder)
    index.refresh()
    before = index.find()
    (folder / INDEX_NAME).unlink()
    index.refresh()
    assert index.find() == before
    (folder / INDEX_NAME).write_bytes(b"this is no table" * 100)
    index.refresh()
    assert index.find() == before


def test_an_index_of_another_schema_is_made_again(folder):
    connection = sqlite3.connect(folder / INDEX_NAME)
    connection.execute("CREATE TABLE matches (something)")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    index = MatchIndex(folder)
    index.refresh()
    assert len(index.find()) == 2


def test_only_what_changed_is_read_again_and_what_is_gone_is_forgotten(folder):
    index = MatchIndex(folder)
    index.refresh()
    write(folder / "a.jsonl", played("a", strokes=BOARD), wall=3 * DAY_S)
    (folder / "club" / "b.jsonl").unlink()
    index.refresh()
    (row,) = index.find()
    assert row.path == "a.jsonl"
    assert row.size == (folder / "a.jsonl").stat().st_size


def test_a_log_that_cannot_be_read_is_told_and_the_others_are_found(folder):
    (folder / "notes.jsonl").write_text("hello\n")
    index = MatchIndex(folder)
    assert ["not a match log" in problem for problem in index.refresh()] == [True]
    assert len(index.find()) == 2


def test_a_folder_that_is_not_there_says_so(tmp_path):
    with pytest.raises(LogError, match="cannot be used"):
        MatchIndex(tmp_path / "none").find()
