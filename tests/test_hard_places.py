"""Places where simple searches fail, drawn from truth: touching coins, frames, lips, lines, prints, odd makers."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from sim_scenes import BOARD, SCATTERED, Studio, places, studio, unmatched

from models.pieces import Kind, Piece, Pocket
from referee.pieces.detector import detect_and_learn, find_pieces

WIDE = 2 * BOARD.coin_radius
FRAME = BOARD.half - BOARD.coin_radius
REAR = BOARD.half - BOARD.rear_line
INSET = BOARD.half - BOARD.pocket_inset
LIP = (BOARD.pocket_diameter / 2 + 1.0) / math.sqrt(2)
OTHERS = tuple(p for p in SCATTERED if p.kind is not Kind.QUEEN)[:6]
"""A few plain pieces from which looks are learned."""

CASES = {
    "two white coins touching": (Piece(Kind.WHITE, 90.0, 60.0), Piece(Kind.WHITE, 90.0 + WIDE, 60.0)),
    "two black coins touching": (Piece(Kind.BLACK, -90.0, 60.0), Piece(Kind.BLACK, -90.0, 60.0 + WIDE)),
    "a coin against the frame": (Piece(Kind.WHITE, FRAME, 120.0), Piece(Kind.BLACK, -120.0, -FRAME)),
    "a coin over a line": (Piece(Kind.WHITE, -40.0, -REAR), Piece(Kind.BLACK, REAR, 30.0)),
    "a coin over an arrow": (Piece(Kind.WHITE, 190.0, 190.0), Piece(Kind.BLACK, -200.0, 200.0)),
    "a coin over a red circle": (Piece(Kind.BLACK, BOARD.base_circle_x, -BOARD.base_y),),
    "a queen beside a red circle": (Piece(Kind.QUEEN, BOARD.base_circle_x - 36.0, -BOARD.base_y + 30.0),),
    "a coin on a pocket's lip": (Piece(Kind.BLACK, INSET - LIP, -INSET + LIP),),
}


@pytest.mark.parametrize("case", CASES)
def test_pieces_are_found_with_their_kinds(case: str) -> None:
    true = (*OTHERS, *CASES[case])
    found = find_pieces(studio().picture(true), studio().profile)
    for kind in Kind:
        seen = [(d.x, d.y) for k, d in found if k is kind]
        assert unmatched(seen, places(p for p in true if p.kind is kind), 2.5) == ([], [])


def test_coins_of_an_odd_size_are_measured_and_none_is_taken_for_the_striker() -> None:
    at = Studio(board=replace(BOARD, coin_radius=BOARD.coin_radius + 1.0))
    profile, found = detect_and_learn(at.picture(SCATTERED), at.profile)
    assert profile.board.coin_radius == pytest.approx(BOARD.coin_radius + 1.0, abs=0.6)
    assert sum(kind is Kind.STRIKER for kind, _ in found) == 1
    assert len(found) == len(SCATTERED)


def test_a_queen_that_was_not_there_to_learn_is_no_black_coin() -> None:
    profile, _ = detect_and_learn(studio().picture(OTHERS), studio().profile)
    assert Kind.QUEEN not in profile.colours
    found = find_pieces(studio().picture((*OTHERS, Piece(Kind.QUEEN, 60.4, 200.9))), profile)
    assert [kind for kind, d in found if math.dist((d.x, d.y), (60.4, 200.9)) < 3.0] == [Kind.QUEEN]


def test_bare_pockets_draw_no_coins() -> None:
    found = find_pieces(studio().picture(OTHERS), studio().profile)
    for pocket in Pocket:
        sx, sy = pocket.corner
        assert all(math.dist((d.x, d.y), (sx * INSET, sy * INSET)) > 30.0 for _, d in found)
