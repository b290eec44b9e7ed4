"""`referee replay` and what it prints."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from match_logs import played, write

from referee.cli import main
from referee.log import LogWriter


def run(*args: object):
    return CliRunner().invoke(main, ["replay", *map(str, args)])


@pytest.fixture
def log(tmp_path):
    write(tmp_path / "a.jsonl", played())
    return tmp_path / "a.jsonl"


def test_it_prints_each_stroke_with_its_ruling_and_the_score(log):
    result = run(log)
    assert result.exit_code == 0
    assert "   4 " in result.output
    assert "north B@NE,S@NE" in result.output
    assert "White pocketed one of their own coins: White plays again. [R21]" in result.output
    assert "-> W2 B0 Q=board due 0/0 score 0:0 mv W board 1" in result.output
    assert result.output.endswith("score: Asha Rao 0, Jürg Müller 0\n")


def test_judged_again_under_the_same_book_nothing_differs(log):
    result = run(log, "--rules", "icf", "--changes")
    assert result.output.startswith("0 of 5 rulings differ under icf\n")


def test_what_differs_is_shown_with_both_rulings(log):
    with LogWriter(log) as writer:
        writer.write({"type": "correction", "t": 1.0, "action": "correct", "stroke": 2, "stroke_text": "W,foul:push"})
    result = run(log, "--rules", "icf", "--changes")
    assert "    as ruled (icf):" in result.output
    assert "W,foul:push (corrected)" in result.output
    assert "Foul: the striker was pushed. [" in result.output
    assert "\n   1 " not in result.output


def test_damage_is_noted(log):
    log.write_bytes(log.read_bytes()[:-10])
    result = run(log)
    assert result.exit_code == 0
    assert "note: line" in result.stderr


@pytest.mark.parametrize(
    ("args", "why"), [(("--rules", "chess"), "unknown rule book"), (("--rulez",), "No such option")]
)
def test_a_wrong_option_says_so(log, args, why):
    result = run(log, *args)
    assert result.exit_code != 0
    assert why in result.output


def test_a_file_that_is_no_log_says_so(tmp_path):
    (tmp_path / "x").write_text("hello")
    result = run(tmp_path / "x")
    assert result.exit_code == 1
    assert "not a match log" in result.output
