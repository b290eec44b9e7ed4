"""A match that is won closes with its result, and what the umpire says about an end holds until he takes it back."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from match_play import Play

from models.pieces import Seat
from referee.laws import OperatorEvent, StrokeTokens
from referee.log import LogWriter, read_log
from referee.log.index import MatchIndex
from referee.log.session import Session
from referee.log.stored_match import stored_match
from referee.match import Action, Correction, Match, Start
from referee.replay.print_sheet import sheet
from referee.replay.store import Replay

SHORT = "masters+target=3+boards=1"
NAMES = ((Seat.SOUTH, "Asha"), (Seat.NORTH, "Ravi"))
WON = (("south", "W,W,W,W,W,W,W,W"), ("south", "Q,W"))


def word(action: Action = Action.OPERATE, event: str | None = None, **more: object) -> Correction:
    return Correction(action, event=None if event is None else OperatorEvent.parse(event), **more)


def won() -> Play:
    """A match of one board, which South won."""
    play = Play(Start("m1", SHORT, players=NAMES))
    play.formation("south")
    for seat, text in WON:
        play.stroke(seat, text)
    return play


def test_a_won_match_keeps_its_result_when_the_next_board_is_broken() -> None:
    play = won()
    view = play.match.view()
    assert (view["match_over"], view["winner"], view["number"]) == (True, "south", 1)
    (board,) = view["boards"]
    assert board["points"][0] > board["points"][1] == 0
    play.formation("north")
    play.stroke("north", "-")
    view = play.match.view()
    assert (view["match_over"], view["number"], view["boards"]) == (False, 2, [])
    assert view["score_by_seat"] == {"south": 0, "north": 0}
    (first,) = view["finished"]
    assert (first["winner"], first["boards"]) == ("south", [board])
    assert [side["players"] for side in first["sides"]] == [["Asha"], ["Ravi"]]
    assert [r.match for r in play.match.rulings.values()] == [1, 1, 2]


def test_a_rematch_is_declared_and_anybody_may_break_it() -> None:
    play = won()
    play.match.add(word(Action.DECLARE, rematch=True, id="r"))
    view = play.match.view()
    assert (view["match_over"], view["number"], view["undo"]["what"]) == (False, 2, "rematch")
    play.formation("south")
    ruling = play.stroke("south", "-")
    assert ruling.certain
    assert play.match.view()["players"] == {"south": "Asha", "north": "Ravi"}


def test_correcting_the_stroke_that_won_lets_the_match_go_on() -> None:
    play = won()
    play.formation("north")
    play.stroke("north", "-")
    play.match.add(Correction(Action.CORRECT, stroke=2, tokens=StrokeTokens.parse("-")))
    view = play.match.view()
    assert (view["number"], view["finished"]) == (1, [])
    play.match.add(Correction(Action.UNDO))
    assert len(play.match.view()["finished"]) == 1


def test_the_boards_of_a_match_are_told_one_by_one() -> None:
    play = Play(Start("m1", players=NAMES))
    for breaker in ("south", "north"):
        play.formation(breaker)
        play.stroke(breaker, "W,W,W,W,W,W,W,W")
        play.stroke(breaker, "Q,W")
    view = play.match.view()
    assert [(b["game"], b["board"], b["points"]) for b in view["boards"]] == [(1, 1, [12, 0]), (1, 2, [0, 12])]
    assert view["boards"][-1]["score"] == [12, 12]


def agreed() -> Play:
    """Leftover coins on the board when both agreed on its result."""
    play = Play(Start("m1", players=NAMES))
    play.formation("south")
    play.stroke("south", "W,W")
    play.match.add(word(event="result W 5", id="agreed"))
    return play


def test_an_agreed_result_stands_whatever_is_flicked_afterwards() -> None:
    play = agreed()
    for seat, text in (("north", "B"), ("south", "W"), ("south", "-")):
        ruling = play.stroke(seat, text)
        assert ruling.certain
        assert ruling.after_end
    view = play.match.view()
    assert (view["board_over"], view["score_by_seat"]) == (True, {"south": 5, "north": 0})
    assert view["needs_operator"] == []
    play.match.add(word(Action.UNDO, target="agreed"))
    assert not play.match.view()["board_over"]
    assert [r.after_end for r in play.match.rulings.values()] == [False] * 4


def test_a_board_that_the_umpires_correction_ended_is_not_brought_back_by_a_flick() -> None:
    play = Play(Start("m1", players=NAMES))
    play.formation("south")
    play.stroke("south", "W,W,W,W,W,W,W,W")
    play.stroke("south", "Q")
    play.stroke("south", "-", confidence=0.5)
    play.match.add(Correction(Action.CORRECT, stroke=3, tokens=StrokeTokens.parse("W")))
    assert play.match.view()["board_over"]
    assert play.stroke("north", "-").after_end
    assert play.match.view()["board_over"]


def test_play_on_a_new_layout_after_an_agreed_result_is_in_doubt() -> None:
    """Nobody saw the formation, but more coins lie there than were left."""
    play = agreed()
    play.coins = dict.fromkeys(play.coins, 9)
    play.settle()
    ruling = play.stroke("north", "-")
    assert [d.why for d in ruling.doubts] == ["play_went_on"]
    assert play.match.view()["board_over"]


def test_who_breaks_is_the_umpires_word_too() -> None:
    play = Play(Start("m1", players=NAMES))
    play.match.add(word(Action.DECLARE, breaker=Seat.NORTH))
    play.formation("south")
    assert play.match.view()["turn"] == "north"
    assert [d.why for d in play.stroke("south", "-").doubts] == ["turn_differs"]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A won match and the break of the next one, logged as a referee does."""
    path = tmp_path / "evening.jsonl"
    with LogWriter(path) as writer:
        session = Session(writer, Start("m1", SHORT, players=NAMES))
        session.begin(time.time(), calibration={})
        play = won()
        play.formation("north")
        play.stroke("north", "-")
        for event in play.match.events:
            session.add(event)  # type: ignore[arg-type]
    return path


def test_the_log_says_the_result_once_and_again_without_a_winner_when_a_correction_undoes_it(log: Path) -> None:
    def results() -> list[object]:
        return [(x["match"], x["winner"]) for x in read_log(log).lines if x["type"] == "result"]

    assert results() == [(1, "south")]
    with LogWriter(log) as writer:
        session = Session(writer, Start("m1", SHORT))
        session.begin(time.time(), calibration={})
        session.correct(Correction(Action.CORRECT, 0.0, stroke=2, tokens=StrokeTokens.parse("-")))
        assert results() == [(1, "south"), (1, None)]
        session.correct(Correction(Action.UNDO, 0.0))
    assert results() == [(1, "south"), (1, None), (1, "south")]
    assert stored_match(log).problems == ()


def test_each_match_of_a_log_has_a_row_with_its_winner(log: Path) -> None:
    index = MatchIndex(log.parent)
    assert index.refresh() == []
    second, first = index.find()
    assert (first.number, first.winner, first.boards, first.strokes) == (1, ["south"], 1, 2)
    assert first.score["south"] > first.score["north"] == 0
    assert (second.number, second.winner, second.strokes, second.score) == (2, [], 1, {"south": 0, "north": 0})
    assert second.started > first.started
    assert [(b.match, b.number, b.strokes) for b in Replay(log).boards] == [(1, 1, (1, 2)), (2, 1, (3,))]


def test_a_log_from_before_results_were_told_has_them_too(tmp_path: Path, log: Path) -> None:
    old = tmp_path / "old" / "evening.jsonl"
    old.parent.mkdir()
    old.write_text("".join(x for x in log.read_text().splitlines(True) if '"type":"result"' not in x))
    MatchIndex(old.parent).refresh()
    assert [row.winner for row in MatchIndex(old.parent).find()] == [[], ["south"]]


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_the_sheet_tells_the_winner_and_each_board(log: Path, language: str) -> None:
    page = sheet(stored_match(log), language)
    assert page.count("Asha") > 1
    said = {"en": "Asha won", "de": "Asha hat gewonnen", "fr": "Asha a gagné", "es": "Ganó Asha"}
    assert said[language] in page


def test_the_same_events_give_the_same_results() -> None:
    play = won()
    assert Match.of(play.match.start, play.match.events).results == play.match.results
