"""Explanations of strokes: what became of each piece, how sure that is, and what else it may have been."""

from __future__ import annotations

import pytest
from observed_stroke import INSET, found, glide, gone, hidden, observed, still, track, with_net_fall

from models.pieces import Kind, Piece, Pocket
from referee.outcome.evidence import evidence_of
from referee.outcome.explanation import Explanation, How, Left, explain
from referee.outcome.observation import Observation
from referee.outcome.odds import Odds, fitted

WHITE, OTHER = Piece(Kind.WHITE, 0.0, 100.0), Piece(Kind.WHITE, -60.0, 100.0)
BLACK, QUEEN = Piece(Kind.BLACK, 60.0, 100.0), Piece(Kind.QUEEN, 0.0, 0.0)
HOLE = (INSET - 3.0, INSET - 3.0)
INTO_NE = glide((0.0, 100.0), HOLE, speed_at_end=700.0)
REST = (-200.0, 250.0)

NOTHING = Left((), ())
A_WHITE = Left((Kind.WHITE,), ())


def explained(o: Observation) -> Explanation:
    return explain(evidence_of(o), fitted())


def test_where_nothing_has_gone_nothing_fell() -> None:
    e = explained(observed(still([WHITE, BLACK, QUEEN])))
    assert e.call.left == NOTHING
    assert e.call.weight > 0.98


def test_a_coin_followed_over_a_hole_and_found_nowhere_fell_there() -> None:
    e = explained(observed([gone(WHITE, 1), *still([BLACK])], tracks=[track(1, Kind.WHITE, INTO_NE)]))
    (told,) = e.call.told
    assert (e.call.left, told.pocket, told.how) == (A_WHITE, Pocket.NE, How.SEEN)
    assert e.call.weight > 0.95
    assert told.t == pytest.approx(1.0 + len(INTO_NE) / 60, abs=0.1)


def test_a_coin_found_where_its_track_rests_lies() -> None:
    o = observed([gone(WHITE, 1)], [found(Kind.WHITE, REST)],
                 [track(1, Kind.WHITE, glide((0.0, 100.0), REST), rests=True)])  # fmt: skip
    e = explained(o)
    assert e.call.left == NOTHING
    assert e.call.weight > 0.98
    assert e.call.told[0].at == REST


def test_the_coin_that_fell_is_told_by_its_look_where_tracks_were_exchanged() -> None:
    """The tracks of a white and a black meet; what is followed for the white rests and looks black."""
    o = observed([gone(WHITE, 1), gone(BLACK, 2)], [found(Kind.BLACK, REST)],
                 [track(1, Kind.WHITE, glide((0.0, 100.0), REST), rests=True, looks=Kind.BLACK),
                  track(2, Kind.BLACK, INTO_NE, looks=Kind.WHITE)])  # fmt: skip
    e = explained(o)
    assert e.call.left == A_WHITE


def test_two_coins_gone_with_one_found_leave_one_that_fell_and_a_doubt_about_it() -> None:
    """Nobody saw the second white go: it fell, or lies where the search overlooks it."""
    o = observed([gone(WHITE, 1), gone(OTHER, None)], [found(Kind.WHITE, REST)],
                 [track(1, Kind.WHITE, glide((0.0, 100.0), REST), rests=True)])  # fmt: skip
    e = explained(o)
    assert e.call.left == A_WHITE
    assert e.call.told[1].how is How.UNSEEN
    seen = explained(observed([gone(WHITE, 1)], tracks=[track(1, Kind.WHITE, INTO_NE)]))
    assert e.call.weight < seen.call.weight
    assert e.other is not None
    assert e.other.left == NOTHING


def test_a_coin_nobody_saw_go_that_may_be_under_a_hand_is_left_open() -> None:
    lay = [gone(WHITE, 1), gone(OTHER, None)]
    rest = track(1, Kind.WHITE, glide((0.0, 100.0), REST), rests=True)
    free = explained(observed(lay, [found(Kind.WHITE, REST)], [rest]))
    covered = explained(observed(lay, [found(Kind.WHITE, REST)], [rest], hides=hidden(((100.0, -200.0), 200.0))))
    assert free.hidden < 0.01
    assert covered.hidden > 0.3


def test_a_hand_elsewhere_hides_no_coin_that_was_seen_to_fall() -> None:
    o = observed([gone(WHITE, 1)], tracks=[track(1, Kind.WHITE, INTO_NE)], hides=hidden(((-200.0, -200.0), 150.0)))
    assert explained(o).hidden < 0.05


def test_a_weak_disc_where_a_coin_lay_rather_is_that_coin_than_that_it_fell_unseen() -> None:
    """A pale coin seemed gone for a moment; two whites were called for one with 0.92 (a clip of a pale set)."""
    lay = [gone(WHITE, 1), gone(OTHER, None)]
    fell = track(1, Kind.WHITE, INTO_NE)
    weak = found(Kind.WHITE, (OTHER.x_mm + 0.5, OTHER.y_mm), evidence=0.6)
    without = explained(observed(lay, tracks=[fell]))
    with_weak = explained(observed(lay, tracks=[fell], weak=[weak]))
    assert without.call.left == Left((Kind.WHITE, Kind.WHITE), ())
    assert with_weak.call.left == A_WHITE
    assert How.FAINT in {m.how for m in with_weak.call.told}


def test_what_falls_on_a_coin_in_a_net_is_the_coin_that_is_missing() -> None:
    lay, rest = [gone(WHITE, None)], observed([gone(WHITE, None)])
    e = explained(with_net_fall(rest, Pocket.SW))
    assert e.call.left == A_WHITE
    assert e.call.told[0].pocket is Pocket.SW
    assert e.call.weight > explained(observed(lay)).call.weight


def test_a_striker_found_nowhere_and_not_seen_to_fall_was_taken() -> None:
    """Hands take it up as soon as all rests."""
    mine = track(1, Kind.STRIKER, glide((0.0, -240.0), (50.0, 200.0)), home=False)
    e = explained(observed(still([WHITE]), tracks=[mine], striker=1))
    assert [(m.kind, m.fate.value) for m in e.call.told] == [(Kind.STRIKER, "board")]
    assert e.call.left == NOTHING


def test_a_coin_that_nobody_knew_of_and_that_is_followed_into_a_pocket_is_a_reading() -> None:
    """A black is seen to fall though all blacks known lie: one was overlooked, if not all of the set were known."""
    way = glide((-50.0, 60.0), HOLE, speed_at_end=700.0)
    stray = track(7, None, way, home=False, looks=Kind.BLACK)
    some = explained(observed(still([WHITE]), tracks=[stray], out={Kind.WHITE: 8, Kind.QUEEN: 1, Kind.BLACK: 7}))
    assert some.share(Left((Kind.BLACK,), ())) > 0.05
    all_known = explained(observed(still([WHITE]), tracks=[stray]))
    assert all_known.call.left == NOTHING
    assert all_known.call.weight > some.share(NOTHING)


def test_a_coin_last_seen_flying_over_the_frame_left_the_board() -> None:
    way = glide((0.0, 100.0), (60.0, 395.0), speed_at_end=2500.0)
    e = explained(observed([gone(WHITE, 1)], tracks=[track(1, Kind.WHITE, way)]))
    assert e.call.left == Left((), (Kind.WHITE,))


def test_a_camera_pushed_meanwhile_makes_every_reading_less_sure() -> None:
    calm = observed([gone(WHITE, 1)], tracks=[track(1, Kind.WHITE, INTO_NE)])
    pushed = observed([gone(WHITE, 1)], tracks=[track(1, Kind.WHITE, INTO_NE)], disturbed=1)
    assert explained(pushed).call.left == explained(calm).call.left
    assert explained(pushed).call.weight < explained(calm).call.weight


def test_shares_of_all_readings_leave_what_none_of_them_knows() -> None:
    o = observed([gone(WHITE, 1), gone(BLACK, None)], tracks=[track(1, Kind.WHITE, INTO_NE)])
    odds = Odds(unmodelled=0.01)
    e = explain(evidence_of(o), odds)
    assert sum(r.weight for r in e.readings) == pytest.approx(0.99)
    assert len({r.left for r in e.readings}) == len(e.readings)
    assert e.share(Left((Kind.QUEEN,) * 3, ())) == pytest.approx(0.005)
    weights = [r.weight for r in e.readings]
    assert weights == sorted(weights, reverse=True)
