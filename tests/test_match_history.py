"""Undo, redo, corrections and declarations: appended events whose result equals judging everything anew."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from match_play import Play, stroke, table
from random_facts import FACTS

from models.pieces import Seat
from referee.laws import FoulName, OperatorEvent, Side, State, StrokeTokens, parse_state
from referee.match import (
    Action,
    Correction,
    Match,
    MatchError,
    Policy,
    Start,
    Treatment,
    correction_line,
    correction_message,
    correction_of,
    ruling_line,
)


def undo(stroke: int | None = None) -> Correction:
    return Correction(Action.UNDO, stroke=stroke)


def redo(stroke: int | None = None) -> Correction:
    return Correction(Action.REDO, stroke=stroke)


def correct(stroke: int, text: str, **more: str) -> Correction:
    return Correction(Action.CORRECT, stroke=stroke, tokens=StrokeTokens.parse(text), **more)


def played() -> Play:
    play = Play()
    play.formation("south")
    for seat, text in (("south", "W"), ("south", "-"), ("north", "B"), ("north", "-")):
        play.stroke(seat, text)
    return play


def test_undo_takes_back_the_last_stroke_and_redo_brings_it_back():
    match = played().match
    before = match.view()
    (ruling,) = match.add(undo())
    assert ruling.annulled
    assert (ruling.stroke, ruling.turn) == (4, "north")
    step = match.view()["redo"]
    assert (step["what"], step["stroke"], step["target"], step["seat"]) == ("stroke", 4, "stroke 4", "north")
    match.add(redo())
    after = match.view()
    assert after == before


def test_undo_goes_back_step_by_step_to_the_beginning_and_no_further():
    match = played().match
    for _ in range(4):
        match.add(undo())
    assert str(match.state) == "W0 B0 Q=board due 0/0 score 0:0 mv W board 1 break 0 strokes 0"
    with pytest.raises(MatchError, match="nothing to undo"):
        match.add(undo())
    assert match.view()["undo"] is None


def test_what_was_taken_back_can_be_brought_back_after_the_next_stroke_too():
    play = played()
    play.match.add(undo())
    play.stroke("north", "-")
    assert play.match.view()["redo"]["target"] == "stroke 4"
    assert next(r.stroke for r in play.match.add(redo())) == 4
    assert play.match.view()["redo"] is None


def test_each_word_can_be_taken_back_by_itself_and_so_can_the_taking_back():
    match = played().match
    match.add(correct(1, "-", id="c1"))
    match.add(correct(2, "W,W", id="c2"))
    match.add(Correction(Action.UNDO, target="c1", id="u1"))
    assert (match.rulings[1].corrected, match.rulings[2].corrected) == (False, True)
    assert (match.history.in_force("c1"), match.history.in_force("u1")) == (False, True)
    with pytest.raises(MatchError, match="taken back already"):
        match.add(Correction(Action.UNDO, target="c1"))
    match.add(Correction(Action.UNDO, target="u1", id="u2"))
    assert match.rulings[1].corrected
    assert (match.history.in_force("u1"), match.history.in_force("u2")) == (False, True)
    match.add(Correction(Action.UNDO, target="u2"))
    assert not match.rulings[1].corrected
    with pytest.raises(MatchError, match="nothing like that"):
        match.add(Correction(Action.UNDO, target="c9"))


def test_an_undo_of_the_newest_is_refused_when_something_newer_came():
    play = played()
    play.stroke("north", "-")
    for older in ("stroke 4", "stroke 3"):
        with pytest.raises(MatchError, match="something newer came: stroke 5"):
            play.match.add(Correction(Action.UNDO, target=older, newest=True))
    play.match.add(correct(1, "-", id="c1"))
    with pytest.raises(MatchError, match="a word of the umpire"):
        play.match.add(Correction(Action.UNDO, target="stroke 5", newest=True))
    play.match.add(Correction(Action.UNDO, target="c1", newest=True))
    assert not play.match.rulings[1].corrected


def test_correcting_an_earlier_stroke_judges_all_later_ones_again():
    play = played()
    changed = play.match.add(correct(1, "-"))
    assert [r.stroke for r in changed] == [1, 2, 3, 4]
    assert changed[0].corrected
    assert changed[0].turn == "north"
    assert [d.why for d in changed[1].doubts] == ["turn_differs"]


def test_the_umpires_word_outranks_the_cameras_count():
    play = played()
    play.match.add(correct(4, "B"))
    ruling = play.stroke("north", "-")
    assert ruling.certain
    assert ruling.state.pocketed == (1, 2)
    # The camera finds out by itself: no doubt either.
    play.coins["black"] -= 1
    play.settle()
    assert play.stroke("south", "-").certain


def test_confirming_a_stroke_seen_badly_makes_it_certain():
    play = played()
    assert not play.stroke("south", "W", confidence=0.4).certain
    assert play.match.view()["needs_operator"][0]["stroke"] == 5
    (ruling,) = play.match.add(correct(5, "W"))
    assert ruling.certain
    assert play.match.view()["needs_operator"] == []


def test_undo_of_a_correction_restores_what_the_camera_saw():
    play = played()
    before = play.match.rulings.copy()
    play.match.add(correct(1, "S"))
    step = play.match.view()["undo"]
    assert (step["what"], step["stroke"], step["text"]) == ("correction", 1, "S")
    play.match.add(undo())
    assert play.match.rulings == before


def test_undo_about_a_stroke_leaves_later_strokes_alone():
    """The umpire's finger was on stroke 3 when stroke 4 arrived."""
    play = played()
    changed = play.match.add(undo(3))
    assert changed[0].stroke == 3
    assert changed[0].annulled
    assert not play.match.rulings[4].annulled


def test_the_last_stroke_of_a_board_can_be_corrected_when_the_next_board_is_under_way():
    play = Play()
    play.formation("south")
    play.stroke("south", "W,W,W,W,W,W,W,W,Q")
    play.stroke("south", "W")
    play.formation("north")
    play.stroke("north", "W")
    play.match.add(correct(2, "W,B"))
    assert play.match.view()["score_by_seat"] == {"south": 11, "north": 0}
    assert play.match.rulings[3].score == (0, 11)


def test_a_player_corrected_is_the_player_judged():
    play = played()
    (first, *_rest) = play.match.add(Correction(Action.CORRECT, stroke=4, seat=Seat.SOUTH))
    assert first.seat is Seat.SOUTH


def test_a_declared_state_holds_and_the_coins_are_not_argued_with():
    play = played()
    play.match.add(Correction(Action.DECLARE, state=State.parse("W4 B4 Q=cov:B due 0/0 score 3:4 mv W board 2")))
    ruling = play.stroke("south", "W")
    assert ruling.certain
    assert str(ruling.state) == "W5 B4 Q=cov:B due 0/0 score 3:4 mv W board 2"
    assert play.match.view()["score_by_seat"] == {"south": 3, "north": 4}


def test_declared_seats_in_an_unknown_board_make_the_strokes_from_there_on_certain():
    play = Play()
    play.coins = {"white": 5, "black": 5, "queen": 1}
    play.settle()
    play.stroke("south", "B")
    changed = play.match.add(correction_of({"action": "declare", "stroke": 0, "seats": {"south": "black"}}))
    assert [(r.stroke, r.turn, r.certain) for r in changed] == [(1, "south", True)]


def test_a_declared_breaker_begins_a_board():
    play = played()
    play.match.add(correction_of({"action": "declare", "breaker": "north"}))
    assert play.match.view()["colours"] == {"south": "black", "north": "white"}
    assert str(play.match.state) == "W0 B0 Q=board due 0/0 score 0:0 mv W board 1 break 0 strokes 0"


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ({"action": "explode"}, "explode"),
        ({"action": "correct", "stroke": 99, "stroke_text": "W"}, "no stroke 99"),
        ({"action": "correct", "stroke": 1, "stroke_text": "X"}, "'X'"),
        ({"action": "correct", "stroke": "1", "stroke_text": "W"}, "not a number"),
        ({"action": "declare", "state": "W5"}, "state"),
        ({"action": "declare", "seats": {"south": "white", "east": "black"}}, "opposite seats"),
        ({"action": "undo", "stroke": 77}, "about stroke 77"),
        ({}, "action"),
    ],
)
def test_an_action_that_makes_no_sense_is_refused_and_changes_nothing(message, why):
    match = played().match
    before, events = match.view(), len(match.events)
    with pytest.raises(MatchError, match=why):
        match.add(correction_of(message))
    assert match.view() == before
    assert len(match.events) == events


def test_a_correction_comes_back_from_its_line():
    whole = Correction(
        Action.CORRECT, 1.5, 3, StrokeTokens.parse("W,S"), Seat.EAST, State.parse("W1 B2 Q=? due 0/0 score 0:0 mv W"),
        ((Seat.EAST, Side.WHITE),), Seat.WEST, True, "stroke 3", by="umpire", id="a1", wall=1700000000.0,
    )  # fmt: skip
    assert correction_of(json.loads(json.dumps(correction_line(whole)))) == whole


def test_a_log_says_a_correction_in_the_words_that_logs_have_always_had():
    line = (
        '{"type":"correction","t":1.5,"action":"correct","stroke":3,"stroke_text":"W@NE,S","foul":"push",'
        '"event":"waive W 1","seat":"east","state":"W1 B2 Q=? due 0/0 score 0:0 mv W","seats":{"east":"white"},'
        '"breaker":"west","policy":{"push":"log"},"by":"umpire","id":"a1","wall":1700000000.0}'
    )
    assert json.dumps(correction_line(correction_of(json.loads(line))), separators=(",", ":")) == line


WORDS = st.builds(
    Correction,
    action=st.sampled_from(Action),
    t=st.none() | st.integers(0, 10**7).map(lambda ticks: ticks / 1e4),
    stroke=st.none() | st.integers(0, 99),
    tokens=st.none()
    | st.sampled_from(["-", "W,S", "off:B,Q@NW", "W@SE,foul:push,before:cut_moon"]).map(StrokeTokens.parse),
    seat=st.none() | st.sampled_from(Seat),
    state=st.none() | st.sampled_from(["W5 B2 Q=board mv W", "W1 B2 Q=cov:B due 0/1 score 3:4 mv B"]).map(parse_state),
    seats=st.sampled_from([(), ((Seat.EAST, Side.WHITE),), ((Seat.SOUTH, None), (Seat.NORTH, Side.BLACK))]),
    breaker=st.none() | st.sampled_from(Seat),
    by=st.sampled_from(["", "Mira"]),
    id=st.sampled_from(["", "a1"]),
    wall=st.none() | st.just(1700000000.125),
    foul=st.none() | st.sampled_from(FoulName),
    event=st.none() | st.sampled_from(["waive W", "concede B"]).map(OperatorEvent.parse),
    policy=st.dictionaries(st.sampled_from(FoulName), st.sampled_from(Treatment)).map(lambda d: Policy.parse(d)),
)


@given(WORDS)
def test_every_correction_comes_back_from_the_log_and_from_the_link(word):
    assert correction_of(json.loads(json.dumps(correction_line(word)))) == word
    assert correction_of(json.loads(json.dumps(correction_message(word))), word.t) == word


TEXTS = st.lists(st.sampled_from(["W", "B", "Q", "S", "off:W", "foul:push", "foul:no_leave"]), max_size=4)
EVENTS = st.one_of(
    st.builds(lambda seat, text, sure: ("stroke", seat, ",".join(text) or "-", sure),
              st.sampled_from(["south", "south", "north", "west"]), TEXTS, st.sampled_from([1.0, 1.0, 0.5])),
    st.builds(lambda w, b, q: ("table", w, b, q), st.integers(0, 9), st.integers(0, 9), st.integers(0, 1)),
    st.tuples(st.just("formation"), st.sampled_from([None, "south", "north"])),
    st.tuples(st.just("undo"), st.none() | st.integers(1, 6)),
    st.tuples(st.just("redo"), st.none() | st.integers(1, 6)),
    st.builds(lambda n, text: ("correct", n, ",".join(text) or "-"), st.integers(1, 8), TEXTS),
    st.builds(lambda n: ("declare", n), st.none() | st.integers(0, 6)),
    st.tuples(st.just("operate"), st.none() | st.integers(0, 6), st.sampled_from(
        ["waive W", "grant B 2", "return W", "return Q", "concede W", "result B 5", "replay", "before:push",
         "timeout W", "waive P1", "grant P2", "return P1 B", "concede P2", "result P1 20"])),
)  # fmt: skip


MATCHES = [
    Start("m"),
    Start("m", "icf+team"),
    Start("m", "masters+team+games=3"),
    Start("m", "booklet_21"),
    Start("m", "three_point", seats=((Seat.SOUTH, None), (Seat.WEST, None), (Seat.EAST, None))),
    Start("m", "booklet_family+players=4"),
]
DECLARED = {
    "": "W3 B2 Q=board due 0/1 score 4:2 mv B board 2",
    "booklet_21": "P1=3 P2=4 left W6 B5 Q=pend:P2 mv P2 due P1:1 board 1",
    "three_point": "P1=3 P2=4 P3=0 left W6 B6 Q=board mv P3",
    "booklet_family+players=4": "P1=3 P2=4 P3=0 P4=9 left W6 B6 Q=cov:P1 mv P4",
}


def play_random(events, start: Start = MATCHES[0]) -> Match:
    play = Play(start)
    for kind, *what in events:
        try:
            if kind == "stroke":
                play.n += 1
                play.t += 10
                play.match.add(stroke(play.n, what[0], what[1], play.t, confidence=what[2]))
            elif kind == "table":
                play.t += 3
                play.match.add(table(play.t, *what))
            elif kind == "formation":
                play.formation(what[0])
            elif kind == "operate":
                play.match.add(Correction(Action.OPERATE, stroke=what[0], event=OperatorEvent.parse(what[1])))
            elif kind == "declare":
                state = parse_state(DECLARED.get(start.rules, DECLARED[""]))
                play.match.add(Correction(Action.DECLARE, stroke=what[0], state=state))
            else:
                play.match.add({"undo": undo, "redo": redo, "correct": correct}[kind](*what))
        except MatchError:
            continue
    return play.match


@settings(max_examples=300)
@given(st.lists(EVENTS, max_size=25), st.sampled_from(MATCHES))
def test_any_history_gives_the_same_as_judging_it_anew_and_never_fails(events, start):
    match = play_random(events, start)
    again = Match.of(match.start, match.events)
    assert again.rulings == match.rulings
    assert again.position == match.position
    assert json.loads(json.dumps(again.view())) == match.view()
    for ruling in match.rulings.values():
        line = ruling_line(ruling)
        assert line["state"] is None or str(parse_state(line["state"])) == line["state"]
        assert not (line["certain"] and any(d["kind"] == "doubt" for d in line["decisions"]))


@settings(max_examples=120)
@given(st.lists(FACTS, max_size=12), st.sampled_from(MATCHES))
def test_whatever_facts_come_the_match_never_fails(facts, start):
    Match.of(start, facts).view()


def test_correcting_the_first_of_five_hundred_strokes_is_quick():
    play = Play()
    play.formation("south")
    for i in range(500):
        play.stroke("south" if i % 2 == 0 else "north", "-")
    start = time.perf_counter()
    play.match.add(correct(1, "W"))
    assert time.perf_counter() - start < 1.0
