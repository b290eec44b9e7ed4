"""Players may be right: differences between them and the rulings are doubts with both readings, and counts follow."""

from __future__ import annotations

import json

import pytest
from match_play import Play, stroke, table

from models.pieces import Kind
from models.rulebook import FoulName
from referee.facts import Foul, Returned
from referee.laws import QueenStatus
from referee.match import (
    Action,
    Correction,
    Policy,
    Start,
    Treatment,
    correction_line,
    correction_of,
    ruling_line,
)


def open_board(breaker: str = "south", **start) -> Play:
    play = Play(Start("m", **start))
    play.formation(breaker)
    play.stroke(breaker, "W,W,W")
    return play


def whys(ruling) -> list[str]:
    return [d.why.value for d in ruling.doubts]


def test_another_player_than_ruled_is_a_doubt_and_the_stroke_is_his():
    play = open_board()
    ruling = play.stroke("north", "B")
    assert whys(ruling) == ["turn_differs"]
    assert not ruling.certain
    assert (ruling.turn, str(ruling.state)) == ("north", "W3 B1 Q=board due 0/0 score 0:0 mv B board 1")
    text = next(d["text"] for d in ruling_line(ruling)["decisions"] if d["kind"] == "doubt")
    assert text.startswith("The ruling gave South the stroke, but North played it")


def test_after_a_disagreement_agreeing_strokes_are_certain_again():
    play = open_board()
    play.stroke("north", "B")
    assert play.stroke("north", "-").certain
    assert play.stroke("south", "-").certain


def test_players_who_keep_disagreeing_put_the_colours_in_doubt():
    play = open_board()
    play.stroke("north", "B")
    play.stroke("south", "W")
    assert "seats_suspect" in whys(play.stroke("south", "-"))
    assert not play.stroke("north", "-").certain


def test_a_due_that_nobody_puts_back_is_a_doubt_and_the_coin_stays_pocketed():
    play = open_board()
    play.stroke("south", "S", obey=False)
    ruling = play.stroke("north", "-")
    assert whys(ruling) == ["not_put_back"]
    assert ruling.state.pocketed == (3, 0)
    assert play.stroke("south", "-").certain


def test_a_coin_put_back_although_no_ruling_asked_is_a_doubt_and_lies_on_the_board():
    play = open_board()
    play.put_back("white")
    ruling = play.stroke("south", "-")
    assert whys(ruling) == ["put_back_unasked"]
    assert ruling.state.pocketed == (2, 0)


def test_a_coin_that_vanishes_is_a_doubt_and_counts_as_pocketed():
    play = open_board()
    play.coins[Kind.BLACK] -= 1
    play.settle()
    ruling = play.stroke("south", "-")
    assert whys(ruling) == ["coins_missing"]
    assert ruling.state.pocketed == (3, 1)


def test_a_coin_put_back_between_two_settled_boards_counts_once():
    play = open_board()
    play.stroke("south", "S", obey=False)
    play.coins[Kind.WHITE] += 1
    play.match.add(Returned(play.t + 1, Kind.WHITE, 0.0, 0.0, None))
    assert play.stroke("north", "-").certain


def test_a_queen_that_nobody_puts_back_counts_as_covered_and_is_in_doubt():
    play = open_board()
    play.stroke("south", "Q")
    missed = play.stroke("south", "-", obey=False)
    assert missed.state.queen is QueenStatus.BOARD
    ruling = play.stroke("north", "-")
    assert "not_put_back" in whys(ruling)
    assert (ruling.state.queen, ruling.state.queen_side) == (QueenStatus.COVERED, "white")
    assert not ruling.certain


def test_a_queen_seen_again_is_on_the_board():
    play = open_board()
    play.coins[Kind.QUEEN] = 0
    play.settle()
    ruling = play.stroke("south", "-")
    assert ruling_line(ruling)["queen"] is None
    play.coins[Kind.QUEEN] = 1
    play.settle()
    assert play.stroke("north", "-").state.queen is QueenStatus.BOARD


def test_a_stroke_seen_badly_is_in_doubt_until_the_board_and_the_players_agree():
    play = open_board()
    ruling = play.stroke("south", "-", confidence=0.89)
    assert whys(ruling) == ["falls_unsure"]
    assert not ruling.certain
    assert play.stroke("north", "-").certain


def test_a_stroke_seen_badly_and_wrongly_keeps_the_next_ruling_in_doubt():
    play = open_board()
    play.stroke("south", "-", really="W", confidence=0.6)
    ruling = play.stroke("south", "-")
    assert set(whys(ruling)) == {"coins_missing", "turn_differs"}
    assert ruling.state.pocketed == (4, 0)


def test_a_penalty_seen_badly_stays_open_until_the_board_ends():
    """Nothing is pocketed to pay with, so no coin on the board can prove the due."""
    play = Play()
    play.formation("south")
    play.stroke("south", "-")
    play.stroke("north", "S", confidence=0.7)
    for seat in ("south", "north"):
        assert whys(play.stroke(seat, "-")) == ["still_open"]
    play.formation("south")


def test_a_doubtful_last_stroke_leaves_the_score_open_into_the_next_result():
    play = Play()
    play.formation("south")
    play.stroke("south", "W,W,W,W,W,W,W,W,Q")
    assert not play.stroke("south", "W", confidence=0.5).certain
    play.formation("north")
    assert play.stroke("north", "W,W,W,W,W,W,W,W,Q").certain
    assert not play.match.view()["certain"]
    assert whys(play.stroke("north", "W")) == ["still_open"]


def test_a_seat_where_nobody_plays_is_a_doubt_and_the_stroke_is_the_players_to_play():
    play = open_board()
    ruling = play.stroke("west", "W")
    assert whys(ruling) == ["foreign_seat"]
    assert (ruling.seat, ruling.turn) == ("south", "south")


def test_play_that_goes_on_after_the_end_is_a_doubt_and_changes_nothing():
    play = Play()
    play.formation("south")
    play.stroke("south", "W,W,W,W,W,W,W,W,Q")
    play.stroke("south", "W")
    ruling = play.stroke("north", "B")
    assert whys(ruling) == ["play_went_on"]
    assert play.match.view()["score_by_seat"] == {"south": 12, "north": 0}


def test_a_board_called_over_goes_on_when_coins_of_both_are_left():
    play = Play()
    play.formation("south")
    play.stroke("south", "W,W,W,W,W,W,W,W,Q")
    assert play.stroke("south", "W", really="-").board_over
    ruling = play.stroke("north", "B")
    assert whys(ruling)[0] == "board_revived"
    assert not ruling.board_over
    assert not ruling.certain
    assert ruling.state.pocketed == (8, 1)
    assert play.match.view()["score_by_seat"] == {"south": 0, "north": 0}


def test_a_push_is_proposed_and_the_ruling_goes_on_without_it():
    play = open_board()
    ruling = play.stroke("south", "W,foul:push")
    assert ruling.turn == "south"
    assert not ruling.certain
    proposal = next(d for d in ruling_line(ruling)["decisions"] if d["kind"] == "proposal")
    assert (proposal["reason"], proposal["stroke_text"], proposal["certain"]) == ("push", "W@NE,foul:push", False)
    assert "Black plays next" in proposal["text"]
    assert play.match.view()["needs_operator"][0]["stroke_text"] == "W@NE,foul:push"


def test_an_arm_over_the_diagonal_is_proposed_in_the_books_own_words():
    """ICF R11 lets the hand cross and not the elbow; from above nobody can tell."""
    play = open_board()
    play.stroke("south", "W,foul:hand_over_diagonal")
    assert [q["reason"] for q in play.match.view()["needs_operator"]] == ["elbow"]


def test_an_infringement_that_was_hardly_seen_leaves_the_ruling_certain():
    ruling = open_board().stroke("south", "W,foul:push", foul_confidence={Foul.PUSH: 0.05})
    assert ruling.certain
    assert ruling.proposals


@pytest.mark.parametrize(
    ("treatment", "turn", "kinds"),
    [
        (Treatment.ACCEPT, "north", set()),
        (Treatment.PROPOSE, "south", {"proposal"}),
        (Treatment.LOG, "south", {"noted"}),
        (Treatment.IGNORE, "south", set()),
    ],
)
def test_the_policy_decides_what_becomes_of_an_infringement(treatment, turn, kinds):
    play = open_board(policy=Policy({FoulName.PUSH: treatment}))
    ruling = play.stroke("south", "W,foul:push")
    assert ruling.turn == turn
    assert {d["kind"] for d in ruling_line(ruling)["decisions"]} & {"proposal", "noted"} == kinds
    assert ruling.certain == (treatment is not Treatment.PROPOSE)


def test_the_policy_is_changed_in_mid_match_by_a_word_that_holds_from_then_on_and_can_be_taken_back():
    play = open_board()
    assert play.stroke("south", "W,foul:push").proposals
    word = Correction(Action.DECLARE, policy=Policy.parse({"push": "accept"}), by="Mira")
    assert correction_of(json.loads(json.dumps(correction_line(word)))) == word
    assert play.match.add(word) == ()
    view = play.match.view()
    assert (view["policy"]["push"], view["policy"]["touch"], view["undo"]["what"]) == ("accept", "propose", "policy")
    assert play.stroke("south", "W,foul:push").turn == "north"
    assert play.match.rulings[2].turn == "south"
    play.match.add(Correction(Action.UNDO))
    play.match.add(Correction(Action.UNDO))
    assert play.match.view()["policy"]["push"] == "propose"


def test_a_change_of_policy_leaves_what_is_in_doubt_in_doubt():
    play = open_board()
    play.stroke("south", "W,B", confidence=0.5)
    before = play.match.position
    play.match.add(Correction(Action.DECLARE, policy=Policy.parse({"push": "ignore"})))
    assert play.match.position.open == before.open
    assert play.match.position.news == before.news


def test_a_policy_comes_back_from_its_text_form():
    policy = Policy.parse({"push": "accept", "cut_moon": "propose"})
    assert Policy.parse(policy.as_dict()) == policy
    with pytest.raises(ValueError, match="shove"):
        Policy.parse({"shove": "accept"})


@pytest.mark.parametrize("rules", ["masters", "ch_de", "booklet"])
def test_a_queen_forgotten_under_a_book_that_wants_her_back_is_asked_for_until_she_lies_there(rules):
    play = open_board(rules=rules)
    play.stroke("south", "Q")
    play.stroke("south", "-", obey=False)
    for seat in ("north", "south"):
        ruling = play.stroke(seat, "-", obey=False)
        assert "not_put_back" in whys(ruling)
        assert (ruling.state.queen, ruling.to_return) == (QueenStatus.BOARD, ((Kind.QUEEN, 1),))
        assert not ruling.certain
    play.put_back("queen")
    assert play.stroke("north", "-").certain


def test_a_queen_that_fell_with_the_striker_and_was_forgotten_is_not_covered_by_the_next_coin():
    """R72a: she goes back though the turn goes on, and only a missed cover can go unnoticed (R69)."""
    play = open_board()
    play.stroke("south", "Q,S", obey=False)
    ruling = play.stroke("south", "W")
    assert "not_put_back" in whys(ruling)
    assert ruling.state.queen is QueenStatus.VOID
    assert ruling.turn == "south"
    ruling = play.stroke("south", "-")
    assert (ruling.state.queen, ruling.to_return) == (QueenStatus.BOARD, ((Kind.QUEEN, 1),))


def covered(seen_settled: bool = False) -> Play:
    """The queen counts as covered by south, who has missed since."""
    play = open_board()
    play.match.add(stroke(2, "south", "W,Q", 50.0))
    play.match.add(stroke(3, "south", "-", 60.0))
    if seen_settled:
        play.match.add(table(65.0, 5, 9, 0))
    return play


def test_a_queen_that_falls_again_was_on_the_board():
    play = covered()
    (ruling,) = play.match.add(stroke(4, "north", "B,Q", 70.0))
    assert whys(ruling) == ["queen_found"]
    assert (ruling.state.queen, ruling.state.queen_side) == (QueenStatus.PENDING, "black")
    assert not ruling.certain


@pytest.mark.parametrize(("seen_settled", "expected"), [(False, ["queen_found"]), (True, [])])
def test_a_queen_that_is_struck_seems_to_lie_there_unless_the_board_was_seen_without_her(seen_settled, expected):
    play = covered(seen_settled)
    (ruling,) = play.match.add(stroke(4, "north", "-", 70.0, first_contact=Kind.QUEEN))
    assert whys(ruling) == expected
    assert ruling.state.queen is QueenStatus.COVERED


def test_a_penalty_forgotten_before_the_next_turn_lapses_where_the_book_says_so_and_is_told():
    """Masters sheet (002), line 43."""
    play = open_board(rules="masters")
    play.stroke("south", "S", obey=False)
    ruling = play.stroke("north", "-")
    (doubt,) = ruling.doubts
    assert (doubt.why.value, doubt.coins, doubt.law) == ("due_lapsed", ((Kind.WHITE, 1),), "MG Foul 9")
    line = ruling_line(ruling)
    (told,) = [d for d in line["decisions"] if d["reason"] == "due_lapsed"]
    assert (told["law"], told["certain"]) == ("MG Foul 9", False)
    assert "lapses (MG Foul 9)" in told["text"]
    assert ruling.state.pocketed == (3, 0)
    assert ruling.state.dues == (0, 0)
    assert play.stroke("south", "-").certain


def test_a_penalty_forgotten_under_a_book_without_lapses_is_still_to_be_put_back():
    play = open_board(rules="ch_de")
    play.stroke("south", "S", obey=False)
    assert whys(play.stroke("north", "-")) == ["not_put_back"]
