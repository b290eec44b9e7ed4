"""A match under way and its log: in step, continued after a restart, refused under another rule book."""

from __future__ import annotations

import os
from itertools import pairwise

import pytest
from match_logs import played
from match_play import stroke, table

from models.pieces import Kind
from referee.facts import Alert, AlertKind
from referee.log import LogError, LogWriter, read_log
from referee.log.session import Session
from referee.log.stored_match import stored_match
from referee.match import MatchError, Start, correction_of

CUTS = 12
"""Places in each line; test_log_file cuts at every byte."""


@pytest.fixture
def path(tmp_path):
    with LogWriter(tmp_path / "a.jsonl") as log:
        session = Session(log, Start("m1"))
        session.begin(1_700_000_000.0, calibration=None)
        for fact in played().events:
            session.add(fact)
    return tmp_path / "a.jsonl"


def test_every_fact_is_followed_by_its_ruling_and_told_to_the_listener(tmp_path):
    heard = []
    with LogWriter(tmp_path / "a.jsonl") as log:
        session = Session(log, Start("m1"), heard.append)
        session.begin(1.0)
        session.add(table(0.0, 9, 9, 1))
        session.add(Alert(0.5, AlertKind.LIGHT_CHANGED, "The light changed."))
        (ruling,) = session.add(stroke(1, "south", "S", 1.0))
        session.write({"type": "clock", "t": 2.0, "wall": 3.0})
    assert ruling.to_return == () or ruling.to_return[0][0] is Kind.WHITE
    assert [line["type"] for line in heard] == ["header", "table", "alert", "stroke", "ruling", "clock"]
    assert heard == list(read_log(tmp_path / "a.jsonl").lines)


def test_a_restart_goes_on_with_the_same_match_and_numbers(path):
    with LogWriter(path) as log:
        session = Session(log, Start("another", players=()))
        assert session.match.start.match == "m1"
        assert len(session.match.rulings) == 5
        session.begin(1_700_000_100.0)
        (ruling,) = session.add(stroke(1, session.match.position.turn, "-", 1.0))
    assert ruling.stroke == 6
    stored = stored_match(path)
    assert stored.match.rulings == session.match.rulings
    assert stored.contents.last_stroke == 6


def test_the_umpires_message_is_logged_with_the_rulings_that_it_changes(path):
    with LogWriter(path) as log:
        session = Session(log, Start("m1"))
        session.begin(1.0)
        message = {"type": "correction", "action": "correct", "stroke": 5, "stroke_text": "B", "id": "a1",
                   "by": "umpire", "wall": 2.0}  # fmt: skip
        changed = session.correct(correction_of(message, 7.0))
    assert [r.stroke for r in changed] == [5]
    correction, ruling = read_log(path).lines[-2:]
    assert (correction["id"], correction["t"], correction["stroke_text"]) == ("a1", 7.0, "B")
    assert (ruling["stroke"], ruling["corrected"]) == (5, True)


def test_what_was_done_is_known_by_its_id_also_after_a_restart(path):
    with LogWriter(path) as log:
        session = Session(log, Start("m1"))
        session.begin(1.0, word="began-it")
        session.correct(correction_of({"action": "undo", "id": "undo-id"}, 7.0))
        session.run({"state": "paused", "by": "umpire", "id": "pause-id"}, table(8.0, 9, 9, 1))
        with pytest.raises(MatchError):
            session.correct(correction_of({"action": "correct", "stroke": 50, "stroke_text": "W", "id": "no"}, 9.0))
        known = [session.has_done(word) for word in ("began-it", "undo-id", "pause-id", "no", "", None)]
    with LogWriter(path) as log:
        session = Session(log, Start("m1"))
        assert [session.has_done(word) for word in ("began-it", "undo-id", "pause-id", "no", "", None)] == known
    assert known == [True, True, True, False, False, False]


def test_of_two_people_who_decide_about_one_stroke_the_second_is_asked_to_look_again(path):
    word = {"action": "correct", "stroke": 1, "stroke_text": "W,W", "by": "Mira", "id": "first-id"}
    with LogWriter(path) as log:
        session = Session(log, Start("m", "icf"))
        known = len([line for line in log.before.lines if line["type"] in ("correction", "running")])
        session.correct(correction_of(word, 60.0), known)
        with pytest.raises(MatchError, match="somebody else has decided about stroke 1"):
            session.correct(correction_of(word | {"stroke_text": "-", "id": "second-id"}, 61.0), known)
        session.correct(correction_of(word | {"stroke_text": "-", "id": "third-id"}, 62.0), known + 1)
    with LogWriter(path) as log:
        session = Session(log, Start("m", "icf"))
        with pytest.raises(MatchError, match="somebody else"):
            session.correct(correction_of(word | {"id": "fourth-id"}, 63.0), known + 1)
        assert not session.has_done("fourth-id")


def test_a_message_that_makes_no_sense_is_refused_and_not_logged(path):
    with LogWriter(path) as log:
        session = Session(log, Start("m1"))
        before = path.read_bytes()
        with pytest.raises(MatchError, match="no stroke 50"):
            session.correct(correction_of({"action": "correct", "stroke": 50, "stroke_text": "W"}, 1.0))
        assert path.read_bytes() == before


def test_a_match_is_not_continued_under_another_rule_book(path):
    with LogWriter(path) as log, pytest.raises(LogError, match="under icf, not masters"):
        Session(log, Start("m1", rules="masters"))


def test_damage_in_the_log_is_known_to_the_session(path):
    path.write_bytes(path.read_bytes()[:-4])
    with LogWriter(path) as log:
        session = Session(log, Start("m1"))
    assert "torn" in session.problems[0]


def test_cut_anywhere_in_its_last_lines_a_log_gives_the_match_of_its_whole_lines_and_goes_on(path):
    whole = path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    for start, end in pairwise(ends[-4:]):
        path.write_bytes(whole[:start])
        stored = stored_match(path)
        for size in range(start, end - 1, (end - start) // CUTS):
            path.write_bytes(whole[:size])
            with LogWriter(path) as log:
                session = Session(log, Start("m1"))
                assert session.match.rulings == stored.match.rulings
                assert log.before.last_stroke == stored.contents.last_stroke
                session.begin(1_700_000_100.0)
                (ruling,) = session.add(stroke(1, session.match.position.turn, "-", 1.0))
            assert ruling.stroke == stored.contents.last_stroke + 1
        assert stored_match(path).match.rulings == session.match.rulings


def test_what_a_power_cut_left_as_zeros_costs_only_itself(path):
    """A file system that notes a file's new length before its data leaves zeros after a cut."""
    whole = path.read_bytes()
    rulings = stored_match(path).match.rulings
    path.write_bytes(whole + bytes(700))
    with LogWriter(path) as log:
        session = Session(log, Start("m1"))
        assert session.match.rulings == rulings
        session.begin(1_700_000_100.0)
    contents = read_log(path)
    assert (contents.lines[-1]["type"], len(contents.problems)) == ("header", 1)


def test_a_damaged_header_is_no_reason_to_judge_under_another_book(tmp_path):
    path = tmp_path / "a.jsonl"
    with LogWriter(path) as log:
        session = Session(log, Start("m1", "masters"))
        session.begin(1.0)
        for fact in played().events:
            session.add(fact)
    whole = path.read_bytes()
    path.write_bytes(b"{" + whole[1:].replace(b'"header"', b'"heade?"', 1))
    stored = stored_match(path)
    assert stored.match.start.rules == "masters"
    assert len(stored.rulings) == 5
    with LogWriter(path) as log:
        assert Session(log, Start("m1", "masters")).match.start.rules == "masters"
    # Where nothing tells any more, people are asked.
    rows = [row for row in path.read_bytes().splitlines(keepends=True) if b'"type":"formation"' not in row]
    path.write_bytes(b"".join(rows))
    with pytest.raises(LogError, match="--rules"):
        stored_match(path)
    assert stored_match(path, "masters").match.start.rules == "masters"


def test_every_line_is_on_the_disk_soon_and_the_last_at_the_end(tmp_path, monkeypatch):
    """Also the lines of people who end the match, and of coins that fall or come back."""
    path, synced, sync = tmp_path / "a.jsonl", [], os.fsync

    def noting(fd):
        size = os.fstat(fd).st_size
        sync(fd)
        synced.append(size)

    monkeypatch.setattr("os.fsync", noting)
    with LogWriter(path) as log:
        session = Session(log, Start("m1"))
        session.begin(1.0)
        session.run({"state": "ended", "by": "Mira", "id": "1"}, table(1.0, 9, 9, 1))
        log.flush()
        assert synced[-1] == path.stat().st_size
    assert read_log(path).lines[-1]["state"] == "ended"


def test_people_are_told_when_the_log_was_taken_away(tmp_path):
    heard = []
    with LogWriter(tmp_path / "a.jsonl") as log:
        session = Session(log, Start("m1"), heard.append)
        session.begin(1.0)
        (tmp_path / "a.jsonl").unlink()
        session.add(table(1.0, 9, 9, 1))
    assert [line.get("kind", line["type"]) for line in heard] == ["header", "table", "log_replaced"]
    assert [line["type"] for line in read_log(tmp_path / "a.jsonl").lines] == ["header", "table", "alert"]
