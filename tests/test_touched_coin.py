"""Coins that are found elsewhere after a stroke: touched by a hand before it, or knocked by it under the hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from models.pieces import Kind, Piece
from referee.census.between_strokes import HandDisplacement
from referee.fouls.touched_coin import touches
from referee.tracking.tracker import Track

PLACED_S, STRIKE_S, TOLD_S = 2.0, 3.0, 4.0
COVERED_S = 2.5
"""Since then the arm of the player who aims has lain over the coin."""
COIN = Piece(Kind.WHITE, 56.0, 31.0)


def moved(coin: Piece, dx: float, seen_before: float = COVERED_S, found: float = TOLD_S) -> HandDisplacement:
    """A coin found `dx` mm to the right of where it lay."""
    return HandDisplacement(replace(coin, x_mm=coin.x_mm + dx), coin, seen_before, found)


def flown(*places: tuple[float, float]) -> Track:
    """A disc that is seen along a way from the strike on, four times between two of its places."""
    shares, legs = (0.0, 0.25, 0.5, 0.75), pairwise(places)
    way = [(ax + (bx - ax) * share, ay + (by - ay) * share) for (ax, ay), (bx, by) in legs for share in shares]
    return seen(*way, places[-1])


def seen(*places: tuple[float, float]) -> Track:
    """A track of no known piece, seen at places from the strike on."""
    return Track(1, None, None, [STRIKE_S + 0.01 * i for i in range(len(places))], list(places))


def touched(shift: HandDisplacement, tracks: Sequence[Track], lay: Sequence[Piece], *others: HandDisplacement) -> bool:
    """Whether a hand alone can have moved the coin of a shift."""
    (told,) = (
        not may_be_struck
        for s, may_be_struck in touches([shift, *others], tracks, [shift.was, *lay], PLACED_S, STRIKE_S)
        if s is shift
    )
    return told


def in_a_row(*along: float) -> list[Piece]:
    """Coins below the first one, so many mm from it."""
    return [Piece(Kind.BLACK, COIN.x_mm, COIN.y_mm - a) for a in along]


def test_a_coin_that_nothing_came_near_was_touched() -> None:
    assert touched(moved(COIN, 8.0), [flown((-200.0, -200.0), (-200.0, 200.0))], [])


def test_a_small_shift_counts_only_between_measured_places() -> None:
    shift, passed_far = moved(COIN, 1.6, seen_before=0.0), [flown((-200.0, -200.0), (-200.0, 200.0))]
    assert touched(replace(shift, nudged=True), passed_far, [])
    assert not touches([shift], passed_far, [COIN], PLACED_S, STRIKE_S)


def test_a_coin_that_an_arm_has_covered_since_long_before_the_striker_stood_was_touched() -> None:
    """Clip w94008: the arm that placed the striker lay over the coin for three seconds before it let go."""
    assert touched(moved(COIN, 8.0, seen_before=PLACED_S - 3.0), [], [])


def test_a_coin_that_is_found_where_it_had_lain_before_was_not_touched() -> None:
    """Footage of other looks, moon_near: a queen on print was measured now here, now 13 mm beside."""
    beside = moved(COIN, 13.0, seen_before=1.0, found=1.5)
    back = HandDisplacement(COIN, beside.piece, COVERED_S, TOLD_S)
    assert touches([beside, back], [], [COIN], PLACED_S, STRIKE_S) == []


def test_a_patch_that_leaps_to_a_coin_has_not_knocked_it() -> None:
    """Clip w93008: an arm uncovered one coin, then the coin that it had touched, and both became one track."""
    assert touched(moved(COIN, 8.0), [seen((56.0, 80.0), (64.0, 31.0), (64.0, 31.0), (64.5, 31.0))], [])


def test_a_coin_that_a_disc_flew_past_was_knocked() -> None:
    assert not touched(moved(COIN, 8.0), [flown((56.0, -200.0), (56.0, -5.0))], [])


@pytest.mark.parametrize(
    ("off_mm", "away", "told"),
    [
        (37.0, (-0.8, 6.0), False),
        (37.0, (6.0, 0.8), True),
        (37.0, (0.8, -6.0), True),
        (45.0, (-0.8, 6.0), True),
    ],
)
def test_a_coin_that_the_striker_grazed_while_a_hand_hid_it_was_knocked(
    off_mm: float, away: tuple[float, float], told: bool
) -> None:
    """Slipping world 13166: it went straight away from the striker's way, 37 mm aside of it."""
    stood, seen = (COIN.x_mm - 30.0, COIN.y_mm - off_mm), (COIN.x_mm + 90.0, COIN.y_mm - off_mm)
    shift = HandDisplacement(replace(COIN, x_mm=COIN.x_mm + away[0], y_mm=COIN.y_mm + away[1]), COIN, COVERED_S, TOLD_S)
    [(_, may_be_struck)] = touches([shift], [], [COIN], PLACED_S, STRIKE_S, (stood, seen))
    assert may_be_struck is not told


@pytest.mark.parametrize(("row", "told"), [((32.0, 64.0), False), ((32.0, 110.0), True), ((45.0, 77.0), True)])
def test_a_blow_goes_through_coins_that_touch(row: tuple[float, ...], told: bool) -> None:
    """Simulated worlds 12332 and 12333: coins of the formation moved by 8 mm on its far side, none beside it by more
    than is overlooked.
    """
    lay = in_a_row(*row)
    assert touched(moved(COIN, 8.0), [flown((56.0, -250.0), (56.0, 31.0 - row[1] - 40.0))], lay) is told


def test_a_coin_that_was_struck_passes_the_blow_on_where_it_comes_to_another() -> None:
    """Simulated world 12160: a coin knocked by 13 mm came to one 41 mm from its place."""
    striker, neighbour = [flown((56.0, -250.0), (56.0, -45.0))], Piece(Kind.BLACK, COIN.x_mm, COIN.y_mm - 45.0)
    arrived = HandDisplacement(replace(neighbour, y_mm=neighbour.y_mm + 13.0), neighbour, STRIKE_S + 0.1, TOLD_S)
    assert math.dist((56.0, -45.0), (neighbour.x_mm, neighbour.y_mm)) < 42.0
    assert not touched(moved(COIN, 4.0), striker, [neighbour], arrived)
    assert touched(moved(COIN, 4.0), striker, [neighbour])


def test_what_is_found_before_the_strike_no_disc_has_knocked() -> None:
    early = moved(COIN, 8.0, found=STRIKE_S - 0.2)
    assert touched(early, [flown((56.0, -200.0), (56.0, -5.0))], in_a_row(32.0))
