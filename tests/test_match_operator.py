"""The operator's events and decisions in a match: logged, judged again like everything, undone and brought back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from match_play import Play

from models.pieces import Seat
from models.rulebook import FoulName
from referee.laws import OperatorEvent, Side
from referee.log import LogWriter, read_log
from referee.log.session import Session
from referee.log.stored_match import stored_match
from referee.match import Action, Correction, Match, MatchError, Start, correction_line, correction_of


def word(text: str, stroke: int | None = None) -> Correction:
    return Correction(Action.OPERATE, stroke=stroke, event=OperatorEvent.parse(text))


def played(*strokes: tuple[str, str], rules: str = "icf") -> Play:
    play = Play(Start("m1", rules, seats=((Seat.SOUTH, Side.WHITE), (Seat.NORTH, Side.BLACK))))
    play.formation("south")
    for seat, text in strokes:
        play.stroke(seat, text, obey=False)
    return play


def test_a_penalty_that_nobody_asks_for_stays_in_the_pocket() -> None:
    play = played(("south", "W"), ("south", "S"))
    assert play.match.state.pocketed == (0, 0)
    play.match.add(word("waive W"))
    assert play.match.state.pocketed == (1, 0)
    assert play.stroke("north", "-").certain


def test_a_penalty_put_back_out_of_the_cameras_sight_is_no_doubt() -> None:
    play = played(("south", "W"), ("south", "S"))
    play.match.add(word("return W"))
    assert play.stroke("north", "-").certain
    play.coins["white"] += 1
    play.settle()
    assert play.stroke("south", "-").certain


def test_a_granted_due_waits_to_be_put_back() -> None:
    play = played(("south", "W"), ("south", "-"))
    play.match.add(word("grant W"))
    assert play.match.state.pocketed == (0, 0)
    assert play.stroke("north", "-").doubts
    again = played(("south", "W"), ("south", "-"))
    again.match.add(word("grant W"))
    again.put_back("white")
    assert again.stroke("north", "-").certain


def test_a_foul_before_the_stroke_passes_the_turn_in_mid_turn_only() -> None:
    play = played(("south", "W"))
    play.match.add(word("before:elbow"))
    assert play.match.view()["turn"] == "north"
    play.match.add(word("before:elbow"))
    assert play.match.view()["turn"] == "north"
    assert play.match.state.dues == (0, 1)


def test_a_board_conceded_ends_with_its_points_and_the_next_one_can_begin() -> None:
    play = played(("south", "W"), ("south", "-"))
    play.match.add(word("concede B"))
    view = play.match.view()
    assert view["board_over"]
    assert view["score_by_seat"] == {"south": 12, "north": 0}
    assert view["breaks_next"] == "north"
    play.formation("north")
    assert play.stroke("north", "-").certain


def test_an_agreed_result_can_win_the_match_and_be_taken_back() -> None:
    play = played(("south", "-"), rules="icf+target=12")
    before = play.match.view()
    play.match.add(word("result B 12"))
    assert play.match.view()["sides"][1]["games"] == 1
    step = play.match.view()["undo"]
    assert (step["what"], step["stroke"], step["event"]) == ("event", None, "result B 12")
    play.match.add(Correction(Action.UNDO))
    assert play.match.view() | {"redo": None} == before
    play.match.add(Correction(Action.REDO))
    assert play.match.view()["sides"][1]["games"] == 1


def test_a_board_is_played_again_with_the_same_breaker() -> None:
    play = played(("south", "W"), ("south", "-"), ("north", "B"))
    play.match.add(word("replay"))
    assert str(play.match.state) == "W0 B0 Q=board due 0/0 score 0:0 mv W board 1 break 0 strokes 0"
    play.formation("south")
    assert play.stroke("south", "-").certain


def test_a_word_about_an_earlier_moment_holds_from_there_on() -> None:
    play = played(("south", "W"), ("south", "-"), ("north", "B"))
    (changed,) = play.match.add(word("return W", stroke=2))
    assert changed.stroke == 3
    assert changed.state.pocketed == (0, 1)


def test_an_accepted_proposal_counts_and_a_refused_one_is_gone() -> None:
    play = played(("south", "W,foul:push"))
    assert play.match.view()["needs_operator"]
    (accepted,) = play.match.add(Correction(Action.ACCEPT, stroke=1, foul=FoulName.PUSH))
    assert (str(accepted.tokens), accepted.certain, accepted.turn) == ("W@NE,foul:push", True, "north")
    (refused,) = play.match.add(Correction(Action.REFUSE, stroke=1, foul=FoulName.PUSH))
    assert (str(refused.tokens), refused.certain, refused.turn) == ("W@NE", True, "south")
    assert not play.match.view()["needs_operator"]
    play.match.add(Correction(Action.UNDO))
    assert play.match.rulings[1] == accepted


def test_a_foul_that_no_camera_saw_can_be_declared() -> None:
    play = played(("south", "W"))
    (ruling,) = play.match.add(Correction(Action.ACCEPT, stroke=1, foul=FoulName.ELBOW))
    assert (str(ruling.tokens), ruling.turn) == ("W@NE,foul:elbow", "north")


def test_a_stroke_seen_badly_is_accepted_as_it_was_seen() -> None:
    play = played()
    assert not play.stroke("south", "W", confidence=0.4).certain
    (ruling,) = play.match.add(Correction(Action.ACCEPT, stroke=1))
    assert ruling.certain
    assert not play.match.view()["needs_operator"]


def test_a_correction_outranks_what_was_accepted_before() -> None:
    play = played(("south", "W,foul:push"))
    play.match.add(Correction(Action.ACCEPT, stroke=1, foul=FoulName.PUSH))
    (ruling,) = play.match.add(correction_of({"action": "correct", "stroke": 1, "stroke_text": "W"}))
    assert str(ruling.tokens) == "W"


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ({"action": "operate"}, "tell what"),
        ({"action": "operate", "event": "waive W"}, "penalty: White owes no more than 0 coins"),
        ({"action": "operate", "event": "waive"}, "event, token 2 is missing"),
        ({"action": "operate", "event": "shout"}, "event, token 1 'shout'"),
        ({"action": "operate", "event": "concede W", "stroke": 9}, "no stroke 9"),
        ({"action": "operate", "event": 5}, "cannot be read"),
        ({"action": "accept", "stroke": 9, "foul": "push"}, "no stroke 9"),
        ({"action": "accept", "stroke": 1, "foul": "shouting"}, "shouting"),
        ({"action": "refuse", "stroke": 1}, "tell which"),
    ],
)
def test_a_word_that_makes_no_sense_is_refused_in_one_sentence(message: dict[str, object], why: str) -> None:
    match = played(("south", "-")).match
    before, events = match.view(), len(match.events)
    with pytest.raises(MatchError, match=why) as error:
        match.add(correction_of(message))
    assert "\n" not in str(error.value)
    assert (match.view(), len(match.events)) == (before, events)


def test_nothing_can_be_waived_before_a_board_is_known() -> None:
    with pytest.raises(MatchError, match="declare its state first"):
        Match(Start("m1")).add(word("waive W"))


@pytest.mark.parametrize("text", ["waive W", "before:elbow", "return Q", "result B 5", "timeout W", "replay"])
def test_an_event_comes_back_from_its_line(text: str) -> None:
    whole = Correction(Action.OPERATE, 1.5, 3, event=OperatorEvent.parse(text), by="umpire", id="a1")
    assert correction_of(json.loads(json.dumps(correction_line(whole)))) == whole
    accepted = Correction(Action.ACCEPT, 1.5, 3, foul=FoulName.PUSH)
    assert correction_of(json.loads(json.dumps(correction_line(accepted)))) == accepted


def test_the_log_says_what_followed_and_gives_the_match_back(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with LogWriter(path) as log:
        session = Session(log, Start("m1"))
        session.begin(1.0)
        for fact in played(("south", "W"), ("south", "S"), ("north", "-")).match.events:
            session.add(fact)  # type: ignore[arg-type]
        session.correct(correction_of({"action": "operate", "stroke": 2, "event": "waive W", "by": "umpire"}, 50.0))
        session.correct(correction_of({"action": "operate", "event": "concede W"}, 51.0))
        kept = session.match
    words = [line for line in read_log(path).lines if line["type"] == "correction"]
    assert [d["text"] for line in words for d in line["decisions"]] == [
        "The umpire decides: White's due of 1 coin is waived.",
        "The umpire decides: White concedes: Black wins the board by 11 points.",
    ]
    stored = stored_match(path)
    assert not stored.problems
    assert stored.match.rulings == kept.rulings
    assert stored.match.position == kept.position
