"""An arm over its side's diagonals is told by where it comes in over the frame, seen whole or in pieces."""

from __future__ import annotations

import numpy as np
import pytest
from sim_scenes import BOARD, gate_over
from test_hand_history import PLACE, arm, shown

from models.pieces import Kind, Piece, Seat
from referee.facts import Foul
from referee.foreground.background import BackgroundModel, Mask
from referee.foreground.hand_history import HandHistory
from referee.fouls.over_diagonal import reach_over
from referee.fouls.stories import fitted


def probability(memory: HandHistory, t: float) -> float:
    """How surely the arm of south was over a diagonal at a strike."""
    reach = reach_over(memory, Seat.SOUTH, PLACE, t)
    return 0.0 if reach is None else fitted().probability(Foul.HAND_OVER_DIAGONAL, reach)


@pytest.mark.parametrize(
    ("placed_by", "plays_with", "over"), [(Seat.SOUTH, Seat.EAST, True), (Seat.EAST, Seat.SOUTH, False)]
)
def test_an_arm_is_judged_as_it_lies_when_it_strikes(placed_by: Seat, plays_with: Seat, over: bool) -> None:
    """However long another's, or the player's own before he changed his seat, lay there to place the striker."""
    background = gate_over()
    memory = HandHistory(background)
    shown(memory, arm(background, placed_by), 0.0, 2.0)
    shown(memory, arm(background, plays_with), 2.0, 2.5)
    assert (probability(memory, 2.5) > 0.9) is over


def on_frame(background: BackgroundModel, hand: Mask) -> Mask:
    """What is seen of an arm of the wood's colour: that which lies over the frame."""
    return np.where(np.maximum(np.abs(background.x), np.abs(background.y)) > BOARD.half, hand, np.uint8(0))


def low(background: BackgroundModel, side: Seat) -> Mask:
    """An arm that comes in over the frame in south's half, from the east below the middle or from the south."""
    if side is Seat.SOUTH:
        return arm(background, side)
    inside = (np.abs(background.y + 60.0) < 35.0) & (background.x > PLACE[0]) & (background.x < BOARD.half + 40.0)
    return np.where(inside, np.uint8(255), np.uint8(0))


def test_arms_that_rest_on_the_frame_and_opponents_arms_are_not_his() -> None:
    background = gate_over()
    for since, side in ((0.0, low(background, Seat.EAST)), (2.0, arm(background, Seat.NORTH))):
        memory, seen = HandHistory(background), on_frame(background, side)
        shown(memory, seen if since == 0.0 else np.zeros_like(seen), 0.0, 2.0)
        shown(memory, seen, 2.0, 3.0)
        assert reach_over(memory, Seat.SOUTH, PLACE, 3.0) is None


def test_a_coin_beside_the_hand_is_not_the_hand() -> None:
    """Clip w94010: a black coin over the diagonal was joined with the fingers in the mask."""
    background = gate_over()
    memory = HandHistory(background)
    coins = background.cover([Piece(Kind.BLACK, PLACE[0] + 46.0, PLACE[1] - 30.0)], BOARD)
    own = np.where(background.y < PLACE[1] - 40.0, arm(background, Seat.SOUTH), np.uint8(0))
    shown(memory, np.asarray(own | coins, np.uint8), 0.0, 2.5)
    reaches = [reach_over(memory, Seat.SOUTH, PLACE, 2.5, mask) for mask in (None, coins)]
    likely = [fitted().probability(Foul.HAND_OVER_DIAGONAL, reach) for reach in reaches if reach is not None]
    assert likely[0] > 0.9
    assert likely[1] < 0.1


@pytest.mark.parametrize("tint", [None, (120, 145)])
def test_an_arms_shadow_on_a_coloured_board_is_not_the_arm(tint: tuple[int, int] | None) -> None:
    """World 99022: on a yellow board the shadow of a legal arm reached 83 mm over the diagonal. A sleeve counts."""
    background = gate_over()
    assert background.empty is not None
    background.empty[1], background.empty[2] = 95, 147
    x, y = background.x, background.y
    own = (np.abs(x + 150.0) < 30.0) & (y < -250.0) & (y > -BOARD.half - 40.0)
    beside = (x > -330.0) & (x <= -180.0) & (np.abs(y + 275.0) < 25.0)
    yuv = background.empty.copy()
    yuv[:, own] = np.array([[200], [110], [155]], np.uint8)
    yuv[:, beside] = np.round(128 + (yuv[:, beside].astype(float) - 128) * 0.5)
    yuv[0, beside] = background.empty[0, beside] // 2
    if tint is not None:
        yuv[1, beside], yuv[2, beside] = tint
    memory, hand = HandHistory(background), np.where(own | beside, np.uint8(255), np.uint8(0))
    for t in np.arange(0.0, 0.5, 1 / 30):
        memory.update(background.compare(yuv, float(t)), hand, np.zeros_like(hand))
    reach = reach_over(memory, Seat.SOUTH, (-150.0, -255.0), 0.5)
    assert reach is not None
    assert (reach < -10.0) if tint is None else (reach > 30.0)
