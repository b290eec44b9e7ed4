"""Who the striker is shows where it comes to rest: a patch of the hand was followed for it."""

from __future__ import annotations

from models.pieces import Kind, Piece
from referee.outcome.stroke_in_progress import Play, correct_striker
from referee.tracking.flight import are_two
from referee.tracking.tracker import Place, Track

STRIKE_S, DT = 2.0, 1 / 60
RESTED = (-60.0, 125.0)


def track(number: int, since: float, start: Place, step: Place, sightings: int, home: Piece | None = None) -> Track:
    """A track that goes `step` mm a frame from `start` on."""
    told = Track(number, None, home)
    for i in range(sightings):
        told.add(since + i * DT, start[0] + i * step[0], start[1] + i * step[1])
    return told


def led(number: int, since: float, start: Place, home: Piece | None = None, sightings: int = 30) -> Track:
    """A track that leads from `start` to where the striker rests."""
    step = (RESTED[0] - start[0]) / (sightings - 1), (RESTED[1] - start[1]) / (sightings - 1)
    return track(number, since, start, step, sightings, home)


def patch(kind: Kind = Kind.STRIKER) -> Track:
    """What was followed for the striker: a patch of the hand that went back over the frame."""
    told = track(1, STRIKE_S, (-350.0, 300.0), (-1.0, 1.0), 5)
    told.kind = kind
    return told


def test_the_disc_that_came_to_where_the_striker_rests_is_it() -> None:
    """Slipping worlds 9819 and 9829: a patch of the pushing hand flew, the striker came out from under it."""
    was, own = patch(), led(2, STRIKE_S + 0.08, (-170.0, 170.0))
    play = Play(STRIKE_S, striker=was)
    assert correct_striker(play, [was, own], RESTED)
    assert play.striker is own
    assert (own.kind, was.kind) == (Kind.STRIKER, None)


def test_a_striker_that_was_followed_to_its_rest_is_itself() -> None:
    own = led(1, STRIKE_S, (-170.0, 170.0))
    play = Play(STRIKE_S, striker=own)
    assert not correct_striker(play, [own, led(2, STRIKE_S, (-100.0, 170.0))], RESTED)
    assert play.striker is own


def test_a_striker_that_was_lost_on_its_way_may_be_the_one_found() -> None:
    """What turns up on its way a moment later goes on with it and is no other disc."""
    was, later = track(1, STRIKE_S, (-170.0, 170.0), (8.0, 0.0), 8), led(2, STRIKE_S + 0.2, (-90.0, 150.0))
    play = Play(STRIKE_S, striker=was)
    assert not are_two(was, later)
    assert not correct_striker(play, [was, later], RESTED)


def test_neither_a_coin_nor_what_lay_there_nor_what_moved_long_before_the_strike_is_the_striker() -> None:
    others = [
        led(2, STRIKE_S, (-170.0, 170.0), home=Piece(Kind.WHITE, -170.0, 170.0)),
        track(3, STRIKE_S, RESTED, (0.0, 0.0), 30),
        led(4, STRIKE_S - 1.0, (-170.0, 170.0), sightings=90),
        led(5, STRIKE_S, (-170.0, 170.0), sightings=30),
    ]
    others[-1].places[-1] = (200.0, 0.0)
    play = Play(STRIKE_S, striker=patch())
    assert not correct_striker(play, others, RESTED)


def test_a_striker_that_fell_did_not_come_to_where_a_hand_put_it() -> None:
    was = patch()
    play = Play(STRIKE_S, striker=was, fallen=[was])
    assert not correct_striker(play, [led(2, STRIKE_S + 0.08, (-170.0, 170.0))], RESTED)


def test_of_two_discs_that_flew_at_once_the_one_that_fell_was_not_the_striker_that_lies_there() -> None:
    """A coin was struck away before the striker was known to fly (world 12775)."""
    was, own = patch(), led(2, STRIKE_S, (-170.0, 170.0))
    play = Play(STRIKE_S, striker=was, fallen=[was])
    assert correct_striker(play, [own], RESTED)
    assert play.striker is own


def test_two_tracks_are_of_two_discs_when_both_were_seen_at_once_or_too_far_apart() -> None:
    first = track(1, 0.0, (0.0, 0.0), (5.0, 0.0), 10)
    assert are_two(first, track(2, 0.1, (50.0, 0.0), (5.0, 0.0), 10))
    assert are_two(track(2, 0.16, (300.0, 0.0), (5.0, 0.0), 10), first)
    assert not are_two(first, track(2, 0.2, (60.0, 0.0), (5.0, 0.0), 10))
