"""What is remembered of hands: from which side they came, and nothing while the light changes."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from sim_scenes import BOARD, gate_over

from models.pieces import Seat
from referee.foreground.background import BackgroundModel, Mask
from referee.foreground.hand_history import HandDistance, HandHistory, not_under_hand
from referee.foreground.segmentation import Blob
from referee.fouls.over_diagonal import reach_over

PLACE = (20.0, -30.0)
DT = 1 / 30


def arm(background: BackgroundModel, seat: Seat) -> Mask:
    """An arm of `seat` that reaches from beyond its cushion to PLACE."""
    along, reach = (PLACE[0], PLACE[1]) if seat in (Seat.SOUTH, Seat.NORTH) else (PLACE[1], PLACE[0])
    sign = -1 if seat in (Seat.SOUTH, Seat.WEST) else 1
    x, y = (background.x, background.y) if seat in (Seat.SOUTH, Seat.NORTH) else (background.y, background.x)
    inside = (np.abs(x - along) < 30) & (sign * y > sign * reach) & (np.abs(y) < BOARD.half + 40)
    return np.where(inside, np.uint8(255), np.uint8(0))


def shown(memory: HandHistory, hand: Mask, t0: float, t1: float) -> None:
    for t in np.arange(t0, t1, DT):
        memory.add(float(t), hand)


@pytest.mark.parametrize("seat", Seat)
def test_the_arm_over_a_place_came_from_its_players_side(seat: Seat) -> None:
    background = gate_over()
    memory, hand = HandHistory(background), arm(background, seat)
    shown(memory, hand, 0.0, 0.5)
    assert memory.seat_at(PLACE, 0.5) is seat


def test_where_no_arm_was_nobody_put_anything() -> None:
    background = gate_over()
    memory = HandHistory(background)
    shown(memory, arm(background, Seat.SOUTH), 0.0, 0.5)
    assert memory.seat_at((-200.0, 200.0), 0.5) is None


def test_while_the_light_changes_shadows_are_no_hands() -> None:
    background = gate_over()
    memory, hand = HandHistory(background), arm(background, Seat.SOUTH)
    shown(memory, hand, 0.0, 0.5)
    memory.dazzle(0.5)
    shown(memory, hand, 0.5, 1.2)
    assert memory.seat_at(PLACE, 1.2) is None
    assert reach_over(memory, Seat.EAST, PLACE, 1.2) is None
    shown(memory, hand, 1.2, 2.5)
    assert memory.seat_at(PLACE, 2.5) is Seat.SOUTH


def test_the_last_of_a_hand_that_withdraws_over_the_frame_is_no_disc() -> None:
    """Simulated worlds 1575 and 1579: a coin's track leapt to what was left of a hand and was called off the board."""
    background = gate_over()
    memory = HandHistory(background)
    shown(memory, arm(background, Seat.SOUTH), 0.0, 0.5)
    bare = np.zeros_like(background.inside)
    over = -BOARD.half - 20.0
    left, beside, on_board = (
        Blob(x, y, 500.0, (90.0, 0.0, 0.0)) for x, y in ((20.0, over), (150.0, over), (20.0, -100.0))
    )
    gaps = HandDistance(memory.lately(0.52, bare), background.lattice)
    assert not_under_hand([left, beside, on_board], gaps, BOARD.half) == [beside, on_board]
    later = HandDistance(memory.lately(1.0, bare), background.lattice)
    assert not_under_hand([left, beside, on_board], later, BOARD.half) == [left, beside, on_board]


@pytest.mark.parametrize("seed", range(20))
def test_the_arm_near_a_place_is_the_connected_patch_that_comes_nearest_to_it(seed: int) -> None:
    """Held against OpenCV's components, corner to corner too."""
    background, rng = gate_over(), np.random.default_rng(seed)
    specks = cv2.resize(rng.random((60, 60)), background.lattice.shape[::-1], interpolation=cv2.INTER_NEAREST)
    hand = np.where(specks > 0.65, np.uint8(255), np.uint8(0))
    hands, place = HandHistory(background), (float(rng.uniform(-300, 300)), float(rng.uniform(-300, 300)))
    hands.add(1.0, hand)
    labels, away = cv2.connectedComponents(hand)[1], np.hypot(background.x - place[0], background.y - place[1])
    away[hand == 0] = np.inf
    nearest = labels[np.unravel_index(np.argmin(away), away.shape)]
    (_, arm), *others = hands.arms(place, 0.5, 1.5)
    assert away.min() < 30.0, "near enough to hold what lies there"
    assert not others
    assert np.array_equal(arm > 0, labels == nearest)


@pytest.mark.parametrize("seen", [2.0, 2.4])
def test_a_coin_was_laid_midway_through_the_hands_stay_over_it(seen: float) -> None:
    background = gate_over()
    memory, hand = HandHistory(background), arm(background, Seat.SOUTH)
    under = PLACE[0], PLACE[1] - 20.0
    shown(memory, np.zeros_like(hand), 0.0, 1.0)
    shown(memory, hand, 1.0, 2.0)
    shown(memory, np.zeros_like(hand), 2.0, 2.5)
    assert memory.laid_at(under, seen) == pytest.approx(1.5, abs=0.05)
    assert memory.laid_at((PLACE[0], PLACE[1] + 100.0), seen) == seen
