"""The ending of a stroke: what keeps its census open."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from models.board import load_board
from models.pieces import Kind, Seat
from referee.outcome.readings import Claim, Explanation, Extra, How, Left, PieceFate, StrokeReading
from referee.pieces.disc import Disc
from referee.striker.baseline_search import StrikerSighting
from referee.strokes.recount import Recount

BOARD = load_board()
GREY = (120.0, 128.0, 128.0)


def count(*claims: Claim, found: Sequence[tuple[Kind, Disc]] = (), extras: tuple[Extra, ...] = ()) -> Recount:
    """A census whose only reading has these claims."""
    reading = StrokeReading(Left.of((), ()), 1.0, claims)
    return Recount(Explanation((reading,), 0.0, 0.0, 0.0, extras or (Extra.NO_PIECE,) * len(found)), (), found)


def with_striker(x: float, y: float) -> Recount:
    """A census that finds the striker at x, y mm."""
    return count(found=[(Kind.STRIKER, Disc(x, y, 20.6, 0.8, GREY, GREY, 1.0))])


def test_a_striker_that_lies_where_it_stood_has_not_flown() -> None:
    """Dark fingers that withdrew from it were told as a stroke that touched nothing (simulated world 2526)."""
    stood = StrikerSighting(1.0, Seat.SOUTH, -221.0, -BOARD.base_y, 0.3, 0.8, with_striker(0.0, 0.0).found[0][1])
    assert with_striker(-220.0, -BOARD.base_y).is_striker_unmoved(BOARD, stood)
    assert not with_striker(-226.0, -BOARD.base_y).is_striker_unmoved(BOARD, stood)
    assert not count().is_striker_unmoved(BOARD, stood)


def test_a_striker_never_seen_to_stand_that_lies_between_base_lines_may_have_been_placed() -> None:
    """A hand that brought it was told as a stroke, and the stroke that followed was missed (world 9002 with slips)."""
    assert with_striker(BOARD.base_y, 27.0).is_striker_unmoved(BOARD, None)
    assert not with_striker(40.0, 27.0).is_striker_unmoved(BOARD, None)


@pytest.mark.parametrize(("missing", "flew", "stands", "none"), [
    (Claim(None, Kind.STRIKER, PieceFate.BOARD, How.TAKEN), False, False, True),
    (Claim(None, Kind.STRIKER, PieceFate.BOARD, How.TAKEN), True, True, True),
    (Claim(None, Kind.STRIKER, PieceFate.BOARD, How.TAKEN), True, False, False),
    (Claim(None, Kind.STRIKER, PieceFate.FELL, How.SEEN), False, False, False),
    (Claim(None, Kind.QUEEN, PieceFate.FELL, How.SEEN), False, True, False),
])  # fmt: skip
def test_where_coins_lie_as_they_lay_only_a_striker_that_flew_is_a_stroke(missing: Claim, flew: bool, stands: bool,
                                                                          none: bool) -> None:  # fmt: skip
    """A hand that brought the queen back stirred coins on its way, and was told as a stroke (simulated world 2850)."""
    assert count(missing).is_none(flew, stands) is none


def test_discs_that_match_no_known_piece_arrive_but_prints_do_not() -> None:
    """A coin that a hand put back while the call waited is told too (clip w94010)."""
    found = [(Kind.BLACK, Disc(x, 0.0, 15.9, 0.8, GREY, GREY, 1.0)) for x in (0.0, 50.0, 100.0)]
    census = count(found=found, extras=(Extra.OVERLOOKED, Extra.PUT_BACK, Extra.NO_PIECE))
    assert [p.x_mm for p in census.arrived()] == [0.0, 50.0]
    assert [p.x_mm for p in census.extra(Extra.PUT_BACK)] == [50.0]


def test_a_coin_never_known_to_lie_there_that_fell_was_touched() -> None:
    """Footage of other looks, opponent: the white coin that was struck into a pocket had been overlooked."""
    census = count(Claim(None, Kind.WHITE, PieceFate.FELL, How.SEEN, t=1.5),
                   Claim(None, Kind.BLACK, PieceFate.FELL, How.UNSEEN))  # fmt: skip
    assert [(t, p.kind) for t, p in census.unknown()] == [(1.5, Kind.WHITE)]
