"""The table: a piece that is hidden has not gone, and one that has gone is not hidden."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from sim_scenes import BOARD, RADIUS, SCATTERED, SIZE, Studio, compared, gate_over, hand_over, lit, studio

from calibration.geometry.picture import Picture
from models.pieces import Kind, Piece, Seat
from referee.board_state.occupancy import Occupancy, Presence, RestingPiece
from referee.census.between_strokes import shift_of
from referee.foreground.background import BackgroundModel
from referee.foreground.segmentation import Segmenter
from referee.pieces.disc import Disc


@dataclass(slots=True)
class Watched:
    """A table with the frames that it is shown."""

    background: BackgroundModel
    table: Occupancy
    t: float = 0.0

    def show(self, picture: Picture) -> list[RestingPiece]:
        self.t += 0.1
        foreground = compared(self.background, picture, self.t)
        reader = Segmenter(self.background, BOARD.half, BOARD.coin_radius)
        return self.table.check(foreground, reader.read(foreground, self.table.explained))

    def presence(self, piece: Piece) -> Presence:
        return next(k.presence for k in self.table.lying if k.piece == piece)


def watched(pieces: tuple[Piece, ...] = SCATTERED, at: Studio | None = None) -> Watched:
    """A table on which `pieces` have been seen to lie."""
    background = gate_over(at=at)
    table = Occupancy(background, BOARD)
    table.settle(pieces, compared(background, (at or studio()).picture(pieces), 0.0))
    return Watched(background, table)


def test_pieces_that_lie_still_are_there() -> None:
    table = watched()
    assert table.show(studio().picture(SCATTERED, grain=5)) == []
    assert {k.presence for k in table.table.lying} == {Presence.THERE}
    assert table.table.pieces() == SCATTERED


@pytest.mark.parametrize("i", range(len(SCATTERED)), ids=lambda i: f"{SCATTERED[i].kind}{i}")
def test_a_piece_that_left_has_gone(i: int) -> None:
    table = watched()
    gone = table.show(studio().picture(SCATTERED[:i] + SCATTERED[i + 1 :], grain=5))
    assert [k.piece for k in gone] == [SCATTERED[i]]
    assert table.presence(SCATTERED[i]) is Presence.GONE
    assert SCATTERED[i] not in table.table.pieces()
    assert len(table.table.pieces()) == len(SCATTERED) - 1


def test_a_coin_moved_by_less_than_its_width_may_seem_to_lie_there_but_looks_otherwise() -> None:
    """What a hand has moved by 6 mm is found so after the stroke; it moved when it last looked as before (11306)."""
    table, coin = watched(), SCATTERED[5]
    table.show(studio().picture(SCATTERED, grain=5))
    moved = replace(coin, x_mm=coin.x_mm + 6.0)
    table.show(studio().picture([moved if p is coin else p for p in SCATTERED], grain=6))
    table.table.repeat_last(0.3)
    for k in table.table.lying:
        assert (k.presence, k.seen, k.same) == (Presence.THERE, 0.3, 0.1 if k.piece is coin else 0.3)
    (own,) = (k for k in table.table.lying if k.piece is coin)
    assert shift_of(own, disc_at(moved), 0.4).seen_before == 0.1
    assert shift_of(own, disc_at(replace(coin, x_mm=coin.x_mm + 40.0)), 0.4).seen_before == 0.3


def disc_at(piece: Piece) -> Disc:
    grey = 128.0, 128.0, 128.0
    return Disc(piece.x_mm, piece.y_mm, BOARD.coin_radius, 0.9, grey, grey, 100.0)


def test_a_piece_goes_once() -> None:
    table = watched()
    rest = studio().picture(SCATTERED[1:], grain=5)
    assert len(table.show(rest)) == 1
    assert table.show(rest) == []


def test_a_piece_under_a_hand_is_covered_and_not_gone() -> None:
    table, hidden = watched(), SCATTERED[5]
    assert table.show(studio().picture(SCATTERED, [hand_over(Seat.SOUTH, 10.0, -120.0)])) == []
    assert table.presence(hidden) is Presence.COVERED
    assert hidden in table.table.pieces()
    table.show(studio().picture(SCATTERED, grain=6))
    assert table.presence(hidden) is Presence.THERE


def test_pieces_away_from_a_hand_stay_there() -> None:
    table = watched()
    table.show(studio().picture(SCATTERED, [hand_over(Seat.SOUTH, 10.0, -120.0)]))
    for piece in (SCATTERED[0], SCATTERED[3], SCATTERED[4]):
        assert table.presence(piece) is Presence.THERE


def test_a_piece_taken_away_by_a_hand_has_gone_quietly() -> None:
    table, taken = watched(), SCATTERED[5]
    rest = tuple(p for p in SCATTERED if p != taken)
    table.show(studio().picture(SCATTERED, [hand_over(Seat.SOUTH, 10.0, -120.0)]))
    assert table.show(studio().picture(rest, grain=6)) == []
    assert table.presence(taken) is Presence.GONE


def test_a_piece_overlaid_by_another_is_not_called_gone() -> None:
    piece = SCATTERED[1]
    table = watched((piece,))
    table.show(studio().picture((Piece(Kind.WHITE, piece.x_mm + 6.0, piece.y_mm),), grain=5))
    assert table.presence(piece) is not Presence.THERE
    table.show(studio().picture((piece,), grain=6))
    assert table.presence(piece) is Presence.THERE


@pytest.mark.parametrize("gain", [0.6, 0.8, 1.1])
def test_another_light_makes_no_piece_go(gain: float) -> None:
    table = watched()
    assert table.show(lit(studio().picture(SCATTERED, grain=5), gain)) == []
    assert Presence.GONE not in {k.presence for k in table.table.lying}


def test_a_lamp_that_brightens_one_half_makes_no_piece_go() -> None:
    table = watched()
    width, height = SIZE
    lamp = np.interp(np.arange(width), (width / 3, 2 * width / 3), (0.6, 1.1))[None, :].repeat(height, 0)
    assert table.show(lit(studio().picture(SCATTERED, grain=5), lamp)) == []
    assert Presence.GONE not in {k.presence for k in table.table.lying}


def test_pieces_that_are_there_explain_what_is_seen_and_gone_ones_do_not() -> None:
    table = watched()
    rows, columns = table.background.lattice.disc_cells(SCATTERED[1].x_mm, SCATTERED[1].y_mm, RADIUS[SCATTERED[1].kind])
    assert table.table.explained[rows, columns].all()
    table.show(studio().picture(SCATTERED[:1] + SCATTERED[2:], grain=5))
    assert not table.table.explained[rows, columns].any()


def test_a_piece_was_last_seen_to_lie_before_it_left() -> None:
    table = watched()
    assert table.table.last_seen(Kind.STRIKER) == 0.0
    table.show(studio().picture(SCATTERED))
    seen = table.table.last_seen(Kind.STRIKER)
    assert seen == table.t
    table.show(studio().picture([p for p in SCATTERED if p.kind is not Kind.STRIKER]))
    assert table.table.last_seen(Kind.STRIKER) == seen
    table.table.lying = []
    assert table.table.last_seen(Kind.STRIKER) == -math.inf
