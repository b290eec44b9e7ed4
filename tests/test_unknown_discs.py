"""Strangers: a disc in flight while all that is known was seen elsewhere, and what only looks like one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from sim_scenes import BOARD, gate_over, studio

from models.pieces import Kind, Piece
from referee.board_state.occupancy import Occupancy, RestingPiece
from referee.outcome.stroke_in_progress import Place, Play
from referee.outcome.unknown_discs import stranger_flew
from referee.tracking.tracker import Track

STRUCK = 1.0
COIN = Piece(Kind.BLACK, 250.0, 280.0)


def flown(number: int, home: Piece | None, start: Place, step: Place, first: int = 1, sightings: int = 8,
          fps: float = 60.0) -> Track:  # fmt: skip
    """The track of a disc that goes one `step` mm a frame, seen from the `first`-th frame after the strike on."""
    track = Track(number, None, home)
    for i in range(first, first + sightings):
        track.add(STRUCK + i / fps, start[0] + i * step[0], start[1] + i * step[1])
    return track


def striker() -> Track:
    return flown(0, None, (0.0, -230.0), (0.0, 20.0))


def stray(**how: int) -> Track:
    return flown(7, None, (200.0, -100.0), (20.0, 30.0), **how)


@pytest.fixture
def coin() -> RestingPiece:
    background = gate_over()
    table = Occupancy(background, BOARD)
    table.settle([COIN], background.compare_picture(studio().picture([COIN]), STRUCK))
    return table.lying[0]


def told(play: Play, *tracks: Track, lying: Sequence[Place] = (),
         free: Callable[[float, Place], bool] = lambda t, place: True) -> bool:  # fmt: skip
    return stranger_flew(play, tracks, lying, free, BOARD)


@pytest.mark.parametrize("sightings", [3, 4, 8])
def test_a_disc_that_flies_while_the_striker_is_seen_elsewhere_is_a_coin_that_nobody_knew(sightings: int) -> None:
    """A brown coin on brown wood was struck into a pocket, and nothing told of it (world 12064)."""
    assert told(Play(STRUCK, striker=striker()), stray(sightings=sightings))


def test_what_is_seen_on_a_short_way_or_once_is_glare_or_shade() -> None:
    play = Play(STRUCK, striker=striker())
    assert not told(play, stray(sightings=2))
    assert not told(play, flown(7, None, (200.0, -100.0), (2.0, 3.0)))


def test_the_patches_of_a_shadow_that_creeps_over_the_board_go_astray() -> None:
    """A person leans over the board while a stroke is played (clip busy: 106 mm in 0.2 s, by steps to and fro)."""
    astray = Track(7, None, None)
    for i in range(12):
        astray.add(STRUCK + (1 + i) / 60.0, 200.0 + 9.0 * i, -100.0 + 8.0 * (i % 2))
    assert not told(Play(STRUCK, striker=striker()), astray)


def test_a_disc_that_bounces_off_a_cushion_goes_straight_before_and_after() -> None:
    bounced = stray(sightings=4)
    x, y = bounced.place
    for i in range(5, 9):
        bounced.add(STRUCK + i / 60.0, x - 20.0 * (i - 4), y - 30.0 * (i - 4))
    assert told(Play(STRUCK, striker=striker()), bounced)


def test_one_that_comes_to_rest_where_a_piece_lies_was_that_piece() -> None:
    """The track that bore its number kept to the bare board where it had lain (world 12773, an opening)."""
    play, flew = Play(STRUCK, striker=striker()), stray()
    x, y = flew.place
    assert not told(play, flew, lying=[(x + 3.0, y)])
    assert told(play, flew, lying=[(x + 60.0, y)])


def test_it_may_be_the_striker_where_that_was_not_seen_elsewhere() -> None:
    assert not told(Play(STRUCK), stray())
    assert not told(Play(STRUCK, striker=flown(0, None, (0.0, -230.0), (0.0, 20.0), first=20)), stray())
    assert not told(Play(STRUCK, striker=stray()), stray())


def test_it_may_be_a_coin_that_left_unseen_but_not_one_that_still_lay(coin: RestingPiece) -> None:
    lost = Track(3, Kind.BLACK, COIN)
    lost.add(STRUCK, COIN.x_mm, COIN.y_mm)
    play = Play(STRUCK, striker=striker(), moved=[(coin, lost)])
    coin.seen = STRUCK
    assert not told(play, stray())
    assert not told(Play(STRUCK, striker=striker(), unfollowed=[coin]), stray())
    coin.seen = STRUCK + 1.0
    assert told(play, stray())


def test_a_track_that_keeps_to_the_coins_place_says_nothing_of_where_it_went(coin: RestingPiece) -> None:
    """The board that it uncovered passed for it, and its own flight for a stranger's (world 12001)."""
    coin.seen = STRUCK
    near = flown(3, COIN, (COIN.x_mm, COIN.y_mm), (1.0, 0.0))
    away = flown(3, COIN, (COIN.x_mm, COIN.y_mm), (-10.0, 0.0))
    assert not told(Play(STRUCK, striker=striker(), moved=[(coin, near)]), stray())
    assert told(Play(STRUCK, striker=striker(), moved=[(coin, away)]), stray())


def test_one_that_fell_needs_not_be_seen_any_more(coin: RestingPiece) -> None:
    coin.seen = STRUCK
    fell = flown(3, COIN, (COIN.x_mm, COIN.y_mm), (20.0, 20.0), sightings=3)
    play = Play(STRUCK, striker=striker(), moved=[(coin, fell)])
    later = stray(first=4, sightings=5)
    assert not told(play, later)
    play.fallen.append(fell)
    assert told(play, later)


def test_patches_of_hands_and_what_shows_over_the_frame_are_no_strangers() -> None:
    play = Play(STRUCK, striker=striker())
    assert not told(play, stray(), free=lambda t, place: place[0] < 200.0)
    assert not told(play, flown(7, None, (BOARD.half - 20.0, -100.0), (0.0, 30.0)))
