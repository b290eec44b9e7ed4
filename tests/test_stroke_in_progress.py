"""A stroke in progress: which pieces it moved, when, and which a hand had taken away before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from sim_scenes import BOARD, SCATTERED, gate_over, studio

from calibration.profile import Colour
from models.pieces import Kind, Piece, Pocket
from referee.board_state.occupancy import Occupancy, RestingPiece
from referee.outcome.fates import Missing
from referee.outcome.missing_pieces import PUSHED_IN, Reckoning
from referee.outcome.stroke_in_progress import GIVE_UP_S, Place, Play
from referee.pieces.current_profile import CurrentProfile
from referee.tracking.tracker import Track, Tracker

DT, SURE = 1 / 60, 0.9


@pytest.fixture(scope="module")
def lying() -> list[RestingPiece]:
    background = gate_over()
    table = Occupancy(background, BOARD)
    table.settle(SCATTERED, background.see(studio().picture(SCATTERED), 0.0))
    return table.lying


def flown(k: RestingPiece, since: float, step_mm: float) -> Track:
    """The track of a piece that leaves its place at `since` with `step_mm` a frame."""
    track = Track(1, k.piece.kind, k.piece)
    for i in range(4):
        track.add(since + i * DT, k.piece.x_mm + i * step_mm, k.piece.y_mm)
    return track


def test_coins_are_touched_in_the_order_in_which_they_leave_their_places(lying: list[RestingPiece]) -> None:
    late, early, still = lying[:3]
    play = Play(
        1.0, moved=[(late, flown(late, 1.3, 20.0)), (early, flown(early, 1.1, 8.0)), (still, flown(still, 1.0, 0.4))]
    )
    assert play.contacts() == ((1.1, early.piece), (1.3, late.piece))


def test_a_coin_that_left_long_before_the_strike_was_not_touched_by_it(lying: list[RestingPiece]) -> None:
    play = Play(2.0, moved=[(lying[0], flown(lying[0], 1.0, 20.0))])
    assert play.contacts() == ()


def test_a_coin_found_gone_that_nobody_saw_go_was_touched_when_it_was_last_seen(lying: list[RestingPiece]) -> None:
    lying[1].seen = 1.2
    play = Play(1.0, unfollowed=[lying[1]])
    assert play.contacts() == ((1.2, lying[1].piece),)


def test_a_coin_found_gone_that_a_hand_hid_before_the_strike_may_have_been_touched_first(
    lying: list[RestingPiece],
) -> None:
    """Simulated worlds 1503, 1531 and 1610; the striker's course tells which of those touched at once was the first."""
    lying[1].seen = 0.2
    play = Play(1.0, moved=[(lying[0], flown(lying[0], 1.1, 20.0))], unfollowed=[lying[1]])
    assert play.contacts() == ((1.1, lying[0].piece), (1.1, lying[1].piece))
    assert Play(1.0, unfollowed=[lying[1]]).contacts() == ((1.0, lying[1].piece),)


def test_a_striker_that_a_hand_has_picked_up_is_not_known_to_lie_where_it_lay(lying: list[RestingPiece]) -> None:
    striker = next(k for k in lying if k.piece.kind is Kind.STRIKER)
    coin = next(k for k in lying if k.piece.kind is Kind.WHITE)
    play = Play(1.0, moved=[(k, flown(k, 1.0, 20.0)) for k in (striker, coin)], striker_known=True)
    play.forget_lifted(lying)
    assert play.striker_known
    play.forget_lifted([k for k in lying if k is not striker])
    assert not play.striker_known
    assert [k for k, _ in play.moved] == [coin]


def test_a_census_is_given_up_only_long_after_the_rest() -> None:
    play = Play(1.0)
    assert not play.gives_up(100.0)
    play.t_rest = 2.0
    assert not play.gives_up(2.0 + GIVE_UP_S)
    assert play.gives_up(2.1 + GIVE_UP_S)


HOLE = studio().profile.pockets[Pocket.SE].centre
BLACK_LOOK = (25.0, 0.0, 0.0)


def into_the_hole(since: float) -> Track:
    """The track of a disc that turned up on the board and went into the south-eastern pocket."""
    track = Track(7, None, None, born=since)
    for i in range(8):
        track.add(since + i * DT, HOLE[0] - 20.0 * (7 - i), HOLE[1] + 20.0 * (7 - i))
        track.tints.append(BLACK_LOOK)
    return track


def netted(since: float) -> Track:
    """What is seen all the time in the net of the south-western pocket."""
    x, y = studio().profile.pockets[Pocket.SW].centre
    track = Track(8, None, None, born=since)
    for i in range(90):
        track.add(since + i * DT, x + 0.5 * (i % 2), y)
        track.tints.append(BLACK_LOOK)
    return track


def reckoned(play: Play, gone: list[Piece], *tracks: Track) -> list[Missing]:
    """What became of pieces that are gone, by what was followed of others."""
    return reckoned_with(play, [(piece, None) for piece in gone], *tracks)


def reckoned_with(play: Play, gone: list[tuple[Piece, Track | None]], *tracks: Track,
                  looks: dict[Kind, Colour] | None = None, lying: Sequence[Place] = ()) -> list[Missing]:  # fmt: skip
    """What became of pieces that are gone, by their own tracks and by what was followed; `looks` are known, and others
    are found `lying`.
    """
    background, tracker = gate_over(), Tracker(looks or studio().profile.colours, BOARD.half)
    tracker.ended = list(tracks)
    foreground = background.see(studio().picture(), 3.0)
    reckoning = Reckoning(CurrentProfile(studio().profile), background, tracker)
    return reckoning.missing(play, gone, foreground, lying)


COIN = Piece(Kind.BLACK, 20.0, 30.0)


def test_a_coin_that_nobody_followed_has_fallen_where_a_disc_was_seen_to_fall_not_where_one_lay() -> None:
    for tracks in ((netted(0.0), into_the_hole(1.2)), (into_the_hole(1.2), netted(0.0))):
        told = reckoned(Play(1.0), [COIN], *tracks)
        assert [m.pocket for m in told] == [Pocket.SE]


def test_what_lay_in_a_net_before_the_stroke_tells_no_pocket() -> None:
    assert [m.pocket for m in reckoned(Play(1.0), [COIN], netted(0.0))] == [None]


def test_a_disc_seen_to_fall_beyond_those_that_are_gone_leaves_the_call_in_doubt() -> None:
    play = Play(1.0)
    reckoned(play, [], into_the_hole(1.2))
    assert play.stray_falls == 1
    reckoned(play, [COIN], into_the_hole(1.2))
    assert play.stray_falls == 0


def test_a_disc_of_no_known_look_that_fell_may_be_the_coin_of_the_kind_not_yet_seen() -> None:
    """The queen had been taken for the striker and nobody missed her (simulated world 1357)."""
    black = Colour(BLACK_LOOK, (6.0, 2.0, 2.5))
    other = Colour((90.0, 30.0, 30.0), (6.0, 2.0, 2.5))
    red = into_the_hole(1.2)
    red.tints = [(50.0, -10.0, 60.0)] * len(red.tints)
    stray = []
    for looks in ({Kind.BLACK: black, Kind.WHITE: other}, {Kind.BLACK: black, Kind.WHITE: other, Kind.QUEEN: other}):
        reckoned_with(play := Play(1.0), [], red, looks=looks)
        stray.append(play.stray_falls)
    assert stray == [1, 0]


def glimpsed(t: float) -> Track:
    """What shows once in the net of the south-western pocket: a coin that has lain there, or one that just fell."""
    track = Track(9, None, None, born=t)
    track.add(t, *studio().profile.pockets[Pocket.SW].centre)
    track.tints.append(BLACK_LOOK)
    return track


def test_a_fall_that_was_followed_tells_more_than_what_shows_in_a_net() -> None:
    (told,) = reckoned(Play(1.0), [COIN], glimpsed(1.15), into_the_hole(1.2))
    assert told.pocket is Pocket.SE
    assert told.confidence > SURE


def test_a_disc_lost_right_before_a_hole_has_fallen_unless_something_lies_there() -> None:
    """Nobody knew of the black that fell (simulated world 1245)."""
    lost = into_the_hole(1.2)
    lost.times, lost.places = lost.times[:-1], lost.places[:-1]
    stray = []
    for lying in ([], [(HOLE[0] - 30.0, HOLE[1] + 25.0)]):
        reckoned_with(play := Play(1.0), [], lost, lying=lying)
        stray.append(play.stray_falls)
    assert stray == [1, 0]


def test_what_shows_in_a_net_alone_tells_a_fall_in_doubt() -> None:
    (told,) = reckoned(Play(1.0), [COIN], glimpsed(1.3))
    assert told.pocket is Pocket.SW
    assert told.confidence < SURE


@pytest.mark.parametrize(("still", "pocket"), [(True, None), (False, Pocket.SW)])
def test_a_glimpse_of_a_coin_that_lies_on_a_lip_tells_no_fall_of_another(still: bool, pocket: Pocket | None) -> None:
    """A jolt showed the one on the lip for a frame, while another fell elsewhere (simulated world 15683)."""
    x, y = (math.copysign(abs(c) - 25.0, c) for c in glimpsed(1.3).place)
    glimpse = Track(9, None, None, born=1.3)
    glimpse.add(1.3, x + 1.0, y)
    glimpse.tints.append(BLACK_LOOK)
    play = Play(1.0, lay=(COIN, replace(COIN, x_mm=x, y_mm=y)))
    (told,) = reckoned_with(play, [(COIN, None)], glimpse, lying=[(x, y)] if still else [])
    assert told.pocket is pocket


def test_a_coin_that_lay_beside_the_pocket_is_first_seen_over_its_hole_when_it_falls() -> None:
    """Struck from behind on the lip, it shows in the net alone (simulated world 1944)."""
    x, y = (math.copysign(abs(c) - 25.0, c) for c in glimpsed(1.3).place)
    (told,) = reckoned(Play(1.0), [replace(COIN, x_mm=x, y_mm=y)], glimpsed(1.3))
    assert told.pocket is Pocket.SW
    assert told.confidence > SURE


@pytest.mark.parametrize(("seen", "pocket"), [(1.1, Pocket.SE), (2.0, Pocket.SW)])
def test_a_coin_that_was_still_seen_to_lie_did_not_fall_elsewhere_before(seen: float, pocket: Pocket) -> None:
    """A pale finger that flicked the striker passed for a coin on its way to another pocket (slipping world 14362)."""
    x, y = (math.copysign(abs(c) - 25.0, c) for c in glimpsed(2.1).place)
    coin, background = replace(COIN, x_mm=x, y_mm=y), gate_over()
    table = Occupancy(background, BOARD)
    table.settle([coin], background.see(studio().picture([coin]), seen))
    other = glimpsed(2.1)
    other.tints = [(BLACK_LOOK[0] + 12.0, *BLACK_LOOK[1:])]
    play = Play(1.0, unfollowed=table.lying)
    (told,) = reckoned_with(play, [(coin, None)], other, into_the_hole(1.2), looks=LOOKS)
    assert told.pocket is pocket


@pytest.mark.parametrize(("beside", "pocket"), [(30.0, Pocket.SE), (200.0, None)])
def test_a_coin_seen_to_lie_until_later_may_be_another_of_its_kind_that_fell(
    beside: float, pocket: Pocket | None
) -> None:
    """Two blacks were taken for each other as a third collided with them (simulated world 15683)."""
    fall, background = into_the_hole(1.2), gate_over()
    near = Piece(Kind.BLACK, fall.places[0][0] - beside, fall.places[0][1])
    table = Occupancy(background, BOARD)
    table.settle([COIN, near], background.see(studio().picture([COIN, near]), 1.0))
    coin, other = table.lying
    own = flown(coin, 1.5, 20.0)
    play = Play(1.0, lay=(COIN, near), moved=[(coin, own), (other, flown(other, 1.15, 20.0))])
    (told,) = reckoned_with(play, [(coin.piece, own)], fall)
    assert told.pocket is pocket
    assert told.confidence < SURE


def test_a_striker_whose_own_track_rests_on_the_board_has_hardly_fallen_on_another() -> None:
    """It was found as a white coin, by the ring printed on it (slipping world 14362)."""
    sure = []
    for still in (True, False):
        background, tracker = gate_over(), Tracker(LOOKS, BOARD.half)
        foreground = background.see(studio().picture(), 3.0)
        own = Track(9, Kind.STRIKER, None)
        for i in range(30):
            own.add(2.99 - (29 - i) * DT, -40.0 if still else -40.0 - 6.0 * i, 60.0)
            own.tints.append(LOOKS[Kind.STRIKER].mean)
        other = into_the_hole(1.2)
        other.tints = [LOOKS[Kind.STRIKER].mean] * len(other.times)
        tracker.live, tracker.ended = [own], [other]
        reckoning = Reckoning(CurrentProfile(studio().profile), background, tracker)
        (told,) = reckoning.missing(
            Play(1.0, striker=own), [(Piece(Kind.STRIKER, 0.0, -250.0), own)], foreground, [own.place]
        )
        sure.append((told.pocket, told.confidence > SURE))
    assert sure == [(Pocket.SE, False), (Pocket.SE, True)]


def test_one_fall_is_not_told_of_two_coins() -> None:
    """A track with a lapse may have gone on with another coin's blobs: its end is that coin's, or its own, not both."""
    lost, other = replace(COIN, x_mm=-60.0), COIN
    own = Track(7, Kind.BLACK, lost)
    after = into_the_hole(1.4)
    seen = [(1.0, (lost.x_mm, lost.y_mm)), (1.02, (-40.0, 0.0)), *after.sightings]
    for t, place in seen:
        own.add(t, *place)
        own.tints.append(BLACK_LOOK)
    told = reckoned_with(Play(1.0), [(lost, own), (other, None)], own)
    assert [m.pocket for m in told].count(Pocket.SE) == 1
    assert [m.pocket for m in told].count(None) == 1


def test_a_track_that_takes_up_a_patch_in_a_net_after_all_rests_tells_no_fall() -> None:
    play, rested = Play(1.0, t_rest=1.5), Track(7, Kind.BLACK, COIN)
    for t in (1.0, 1.4, 1.6, 1.8):
        rested.add(t, HOLE[0] - 60.0, HOLE[1] + 70.0)
    rested.add(1.83, *HOLE)
    rested.tints.append(BLACK_LOOK)
    (told,) = reckoned_with(play, [(replace(COIN, x_mm=-60.0), None)], rested)
    assert told.pocket is None


LOOKS = {Kind.BLACK: Colour(BLACK_LOOK, (6.0, 2.0, 2.5)), Kind.STRIKER: Colour((60.0, 4.0, -1.0), (6.0, 2.0, 2.5))}


@pytest.mark.parametrize(("look", "sure"), [(BLACK_LOOK, False), ((44.0, 2.0, -0.5), False), ((57.0, 4.0, -1.0), True)])
def test_a_fall_told_of_another_piece_than_was_followed_is_in_doubt_unless_it_looked_like_that_one(
    look: tuple[float, float, float], sure: bool
) -> None:
    """A black that is found lying was followed into the pocket, and no striker is found (simulated world 1071); a look
    between the two tells nothing (a white striker in a break).
    """
    black, striker = replace(COIN, x_mm=-60.0), Piece(Kind.STRIKER, 0.0, -250.0)
    fallen = into_the_hole(1.2)
    own = Track(7, Kind.BLACK, black, fallen.times, fallen.places, tints=[look] * len(fallen.times))
    (told,) = reckoned_with(Play(1.0), [(striker, None)], own, looks=LOOKS)
    assert (told.pocket, told.confidence > SURE) == (Pocket.SE, sure)


@pytest.mark.parametrize(("last", "told"), [(4, Pocket.SE), (1, None)])
def test_a_track_that_went_over_to_another_disc_at_a_collision_ends_as_that_one(last: int, told: Pocket | None) -> None:
    """The striker's track went on with the coin that it struck into the pocket, which nobody had seen go (slipping
    worlds 14262, 14310, 14313).
    """
    fallen = into_the_hole(1.2)
    fallen.tints = [(100.0, 30.0, 30.0)] * (len(fallen.times) - last) + [BLACK_LOOK] * last
    (missing,) = reckoned_with(Play(1.0), [(COIN, None)], fallen, looks=LOOKS)
    assert (missing.pocket, missing.confidence > SURE) == (told, told is not None)


@pytest.mark.parametrize("known", [True, False])
def test_a_fall_followed_with_a_lapse_is_no_strikers_for_sure_whose_look_nobody_knows(known: bool) -> None:
    """In a break a white coin fell whose track had a lapse, and the striker was found as a white one."""
    look = LOOKS[Kind.STRIKER].mean
    black, fallen = replace(COIN, x_mm=-60.0), into_the_hole(1.2)
    own = Track(7, Kind.BLACK, black, [1.0, *fallen.times], [(-60.0, 30.0), *fallen.places], tints=[look] * 9)
    looks = LOOKS if known else {Kind.BLACK: LOOKS[Kind.BLACK]}
    (told,) = reckoned_with(Play(0.9), [(Piece(Kind.STRIKER, 0.0, -250.0), None)], own, looks=looks)
    assert (told.pocket, told.confidence > SURE) == (Pocket.SE, known)


@pytest.mark.parametrize(("gap", "beside", "t_rest", "told"), [
    (8.0, 6.0, 2.0, (Pocket.SE, PUSHED_IN)),
    (8.0, 26.0, 2.0, (Pocket.SE, PUSHED_IN)),
    (8.0, 2 * BOARD.coin_radius, 2.0, (Pocket.SE, 0.5)),
    (8.0, 6.0, 2.9, (Pocket.SE, 0.5)),
    (8.0, 60.0, 2.0, (Pocket.SE, 0.5)),
    (90.0, 6.0, 2.0, (Pocket.SE, 0.5)),
    (380.0, 6.0, 2.0, (None, 0.5)),
])  # fmt: skip
def test_a_coin_gone_from_beside_a_pocket_where_the_striker_lies_now_was_pushed_in(
    gap: float, beside: float, t_rest: float, told: tuple[Pocket | None, float]
) -> None:
    """It went in under cover of the striker (simulated worlds 1309, 1725); it is sought for a while before that. What
    lies beside it left no room for it either (14199).
    """
    way = (studio().profile.pockets[Pocket.SE].radius + gap) / math.sqrt(2)
    coin = Piece(Kind.BLACK, HOLE[0] - way, HOLE[1] + way)
    play = Play(1.0, t_rest=t_rest, seen_since_rest=np.full(gate_over().lattice.shape, 255, np.uint8))
    (missing,) = reckoned_with(play, [(coin, None)], lying=[(coin.x_mm - beside, coin.y_mm)])
    assert (missing.pocket, missing.confidence) == told


def test_a_fall_that_nobody_saw_is_told_of_the_pocket_nearest_to_any_coin_of_its_kind_that_was_not_followed() -> None:
    """Both blacks were struck, one found, and the other lay near the pocket (simulated world 13975)."""
    bare = np.full(gate_over().lattice.shape, 255, np.uint8)
    near = Piece(Kind.BLACK, HOLE[0] - 60.0, HOLE[1] + 90.0)
    told = []
    for unfollowed in (near, replace(near, kind=Kind.WHITE)):
        background = gate_over()
        table = Occupancy(background, BOARD)
        table.settle([unfollowed], background.see(studio().picture([unfollowed]), 0.0))
        play = Play(1.0, t_rest=2.0, seen_since_rest=bare, unfollowed=table.lying)
        told += reckoned_with(play, [(COIN, None)])
    assert [m.pocket for m in told] == [Pocket.SE, None]


def test_a_coin_gone_from_beside_a_pocket_into_which_the_striker_fell_went_in_first() -> None:
    """The striker pushed it in and followed it, and no track of the coin was seen (simulated world 2163)."""
    way = (studio().profile.pockets[Pocket.SE].radius + 8.0) / math.sqrt(2)
    coin, striker = Piece(Kind.BLACK, HOLE[0] - way, HOLE[1] + way), Piece(Kind.STRIKER, 0.0, -250.0)
    fallen = into_the_hole(1.2)
    times, places = [0.5, *fallen.times], [(coin.x_mm - 40.0, coin.y_mm), *fallen.places]
    own = Track(7, Kind.STRIKER, striker, times, places, tints=[LOOKS[Kind.STRIKER].mean] * 9)
    play = Play(1.0, striker=own, t_rest=2.0, seen_since_rest=np.full(gate_over().lattice.shape, 255, np.uint8))
    first, second = reckoned_with(play, [(striker, own), (coin, None)], own, looks=LOOKS)
    assert (first.pocket, second.pocket, second.confidence) == (Pocket.SE, Pocket.SE, PUSHED_IN)
    assert play.t_strike < second.t < first.t
