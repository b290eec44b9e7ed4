"""A coin that falls from a pocket's lip after the call belongs to the last stroke (ICF R44, R86)."""

from __future__ import annotations

from match_play import Play

from models.pieces import Kind, Pocket, Seat
from referee.facts import Fell
from referee.match import Action, Correction, Match


def on_the_lip() -> Play:
    """South has broken and pocketed nothing; a white coin hangs over a pocket."""
    play = Play()
    play.formation("south")
    assert play.stroke("south", "-").turn is Seat.NORTH
    return play


def falls(play: Play, kind: Kind) -> Fell:
    play.t += 1.0
    play.coins[kind] -= 1
    return Fell(play.t, kind, Pocket.NE)


def test_an_own_coin_that_falls_late_gives_the_turn_back():
    play = on_the_lip()
    (ruling,) = play.match.add(falls(play, Kind.WHITE))
    assert (ruling.stroke, ruling.turn) == (1, Seat.SOUTH)
    play.settle()
    after = play.stroke("south", "-")
    assert after.certain
    assert after.turn is Seat.NORTH
    assert play.match.state.pocketed == (1, 0)


def test_the_opponents_coin_that_falls_late_is_his():
    play = on_the_lip()
    (ruling,) = play.match.add(falls(play, Kind.BLACK))
    assert ruling.turn is Seat.NORTH
    assert play.match.state.pocketed == (0, 1)


def test_the_queen_that_falls_late_is_to_be_covered():
    play = Play()
    play.formation("south")
    play.stroke("south", "W")
    play.stroke("south", "-")
    (ruling,) = play.match.add(falls(play, Kind.QUEEN))
    assert ruling.turn is Seat.SOUTH
    play.settle()
    assert play.stroke("south", "W").certain


def test_a_fall_before_any_stroke_changes_nothing():
    play = Play()
    play.formation("south")
    assert play.match.add(Fell(20.0, Kind.WHITE, Pocket.NE)) == ()


def test_undoing_the_stroke_takes_its_late_fall_back_too_and_redo_brings_both():
    play = on_the_lip()
    play.match.add(falls(play, Kind.WHITE))
    (undone,) = play.match.add(Correction(Action.UNDO))
    assert undone.annulled
    (again,) = play.match.add(Correction(Action.REDO))
    assert again.turn is Seat.SOUTH
    assert Match.of(play.match.start, play.match.events).rulings == play.match.rulings
