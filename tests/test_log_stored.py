"""A match comes back from its log: same rulings, same scoreboard, also after restarts and damage."""

from __future__ import annotations

import pytest
from match_logs import log_event, played, write
from match_play import stroke, table

from referee.laws import StrokeTokens
from referee.log import LogError, LogWriter, read_log
from referee.log.rejudge import rejudged
from referee.log.stored_match import match_of, stored_match
from referee.match import Action, Correction, Match, Resumed, Start, ruling_line


def test_a_match_comes_back_from_its_log(tmp_path):
    match = write(tmp_path / "a.jsonl", played())
    stored = stored_match(tmp_path / "a.jsonl")
    assert stored.match.view() == match.view()
    assert stored.rulings == {n: ruling_line(r) for n, r in match.rulings.items()}
    assert not any(d.differs for d in rejudged(stored))
    assert stored.problems == ()


def test_two_runs_write_the_same_bytes_apart_from_the_wall_time(tmp_path):
    for name, wall in (("a", 1.0), ("b", 2.0)):
        write(tmp_path / name, played(), wall)
    first, second = ((tmp_path / name).read_bytes().split(b"\n") for name in ("a", "b"))
    assert first[1:] == second[1:]
    assert first[0] != second[0]


def test_corrections_come_back_too(tmp_path):
    match = played()
    match.add(Correction(Action.CORRECT, stroke=1, tokens=StrokeTokens.parse("W"), by="umpire"))
    match.add(Correction(Action.UNDO))
    match.add(Correction(Action.REDO))
    written = write(tmp_path / "a.jsonl", match)
    assert written.view() == match.view()
    assert stored_match(tmp_path / "a.jsonl").match.view() == match.view()


def test_a_restart_continues_the_match_with_a_clock_that_begins_anew(tmp_path):
    path = tmp_path / "a.jsonl"
    write(path, played())
    with LogWriter(path) as log:
        match = match_of(log.before).match
        assert log.before.last_stroke == 5
        match.add(Resumed())
        log.header(1_700_009_000.0)
        turn = match.position.turn
        for event in (table(0.5, 6, 9, 1), stroke(6, turn, "W", 2.0), table(6.0, 5, 9, 1), stroke(7, turn, "-", 9.0)):
            log_event(log, match, event)
    assert match.rulings[7].certain
    stored = stored_match(path)
    assert stored.match.view() == match.view()
    assert stored.match.rulings == match.rulings


def test_what_vanished_while_the_referee_was_off_is_a_doubt(tmp_path):
    match = write(tmp_path / "a.jsonl", played())
    match.add(Resumed())
    match.add(table(0.5, 5, 9, 1))
    (ruling,) = match.add(stroke(6, match.position.turn, "-", 2.0))
    assert "coins_missing" in [d.why for d in ruling.doubts]


def test_a_damaged_stroke_line_is_told_and_the_match_goes_on(tmp_path):
    path = tmp_path / "a.jsonl"
    write(path, played())
    lines = path.read_bytes().split(b"\n")
    at = next(i for i, line in enumerate(lines) if line.startswith(b'{"type":"stroke","n":2,'))
    lines[at] = lines[at].replace(b'"confidence":1.0', b'"confidence":0.0')
    path.write_bytes(b"\n".join(lines))
    stored = stored_match(path)
    assert f"line {at + 1} is damaged" in stored.problems[0]
    assert list(stored.match.rulings) == [1, 3, 4, 5]
    assert not stored.match.rulings[3].certain


def test_a_log_without_its_header_still_gives_the_match(tmp_path):
    path = tmp_path / "a.jsonl"
    write(path, played())
    whole = path.read_bytes()
    path.write_bytes(whole[5:])
    stored = stored_match(path)
    assert len(stored.match.rulings) == 5


def test_an_umpires_line_that_makes_no_sense_is_left_out_and_told(tmp_path):
    path = tmp_path / "a.jsonl"
    write(path, played())
    with LogWriter(path) as log:
        log.write({"type": "correction", "t": 1.0, "action": "correct", "stroke": 77, "stroke_text": "W"})
    assert "no stroke 77" in stored_match(path).problems[0]


def test_an_empty_log_and_a_rule_book_unknown_here_say_so(tmp_path):
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(LogError, match="empty"):
        stored_match(tmp_path / "empty.jsonl")
    with LogWriter(tmp_path / "a.jsonl") as log:
        log.header(1.0, rules="moon")
    with pytest.raises(LogError, match="moon"):
        stored_match(tmp_path / "a.jsonl")
    assert len(read_log(tmp_path / "a.jsonl").headers) == 1


def test_a_match_can_be_judged_again_with_the_umpires_word_in_it(tmp_path):
    match = played()
    write(tmp_path / "a.jsonl", match)
    with LogWriter(tmp_path / "a.jsonl") as log:
        log.write({"type": "correction", "t": 1.0, "action": "correct", "stroke": 2, "stroke_text": "W,foul:push"})
    differences = [d for d in rejudged(stored_match(tmp_path / "a.jsonl")) if d.differs]
    assert differences[0].stroke == 2
    assert differences[0].before["turn"] == "south"
    assert differences[0].now["turn"] == "north"


def test_a_match_of_nothing_has_a_scoreboard():
    view = Match(Start("m")).view()
    assert (view["turn"], view["strokes"], view["certain"], view["undo"]) == (None, 0, True, None)
