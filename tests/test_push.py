"""Pushes told from where a hand was seen: it goes with the striker, or only its finger does."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import cv2
import numpy as np
import pytest
from sim_scenes import BOARD, gate_over

from models.pieces import Kind, Piece, Seat, from_side
from referee.facts import Foul
from referee.foreground.background import BackgroundModel, Mask
from referee.foreground.hand_history import HandHistory
from referee.fouls.push import advance, advanced, began, flight_of
from referee.fouls.stories import fitted
from referee.pieces.disc import Disc
from referee.striker.baseline_search import StrikerSighting
from referee.tracking.tracker import Place, Track

X, Y = 40.0, -BOARD.base_y
"""Where the striker stands, as its player sees it."""
STRIKE_S, FPS = 2.0, 60
SPEED, ON_MM = 800.0, 90.0
"""The striker's, mm/s, and how far a hand goes that pushes it."""
WIDE_MM, FINGER_MM = 35.0, 8.0
"""Half the width of a hand and of its finger."""


def standing(x: float, y: float, until: float, seat: Seat = Seat.SOUTH) -> StrikerSighting:
    """The striker, seen to stand at x, y mm until then."""
    grey = 128.0, 128.0, 128.0
    disc = Disc(x, y, BOARD.striker_radius, 0.9, grey, grey, 100.0)
    return StrikerSighting(until - 0.5, seat, x, y, 0.2, 0.8, disc, 0.5)


def pushed(hands: HandHistory, stood: StrikerSighting, striker: Track, lay: Sequence[Piece] = (),
           told_s: float = STRIKE_S) -> float:  # fmt: skip
    """How surely the hand pushed the striker."""
    return fitted().probability(Foul.PUSH, advanced(hands, stood, striker, BOARD, lay, told_s))


def hand_at(background: BackgroundModel, seat: Seat, palm: float, finger: float) -> Mask:
    """A hand of `seat` straight behind the striker, its knuckles and its fingertip so far (mm) ahead of the aim."""
    turns = list(Seat).index(seat)
    x, y = background.x, background.y
    for _ in range(turns):
        x, y = -y, x
    behind = Y - BOARD.striker_radius
    knuckles = (np.abs(x - X) < WIDE_MM) & (y < behind - 70.0 + palm)
    tip = (np.abs(x - X) < FINGER_MM) & (y < behind - 2.0 + finger)
    return np.where(knuckles | tip, np.uint8(255), np.uint8(0))


def played(palm: Callable[[float], float], finger: Callable[[float], float], told_s: float = STRIKE_S,
           seen_from: float = 0.0, seat: Seat = Seat.SOUTH, aside: Callable[[float], float] = lambda _: 0.0,
           lay: Sequence[Piece] = (), unseen_s: float = 0.0, stands_s: float = STRIKE_S - 1 / FPS,
           stray: Sequence[tuple[float, Place]] = ()) -> float:  # fmt: skip
    """What is told of a stroke straight ahead: `palm` and `finger` say how far the hand has gone (mm) by the time since
    the strike, which is told at `told_s`; the striker is seen once it is `seen_from` mm away. The hand goes `aside` by
    so much meanwhile, and passes for one with the coins that `lay` there. Until `unseen_s` it passes for the board.
    """
    background = gate_over()
    hands, striker = HandHistory(background), Track(1, None, None)
    for t, place in stray:
        striker.add(t, *from_side(seat, *place))
    for i in range(round((STRIKE_S + 0.5) * FPS)):
        t = i / FPS
        since = max(t - STRIKE_S, 0.0)
        hand = np.roll(
            hand_at(background, seat, palm(since), finger(since)), round(aside(since) / background.lattice.step), 1
        )
        if stray:
            hand |= background.cover([Piece(Kind.STRIKER, *from_side(seat, X, Y + SPEED * since))], BOARD)
        if t >= unseen_s:
            hands.add(t, np.asarray(cv2.bitwise_or(hand, background.cover(lay, BOARD)), np.uint8))
        if since > 0.0 and SPEED * since > seen_from:
            striker.add(t, *from_side(seat, X, Y + SPEED * since))
    stood = standing(*from_side(seat, X, Y), stands_s, seat)
    return pushed(hands, stood, striker, lay, told_s)


def stays(_: float) -> float:
    return 0.0


def goes(since: float) -> float:
    return min(SPEED * since, ON_MM)


def goes_far(since: float) -> float:
    return min(SPEED * since, 120.0)


@pytest.mark.parametrize("seat", Seat)
def test_a_hand_that_goes_with_the_striker_pushes_it(seat: Seat) -> None:
    assert played(goes, goes, seat=seat) > 0.95


@pytest.mark.parametrize("aside_mm", [-25.0, 25.0])
def test_a_hand_that_gets_behind_the_striker_as_it_pushes_it_goes_aside_too(aside_mm: float) -> None:
    """Its front is narrow, and shifted by five steps only a finger would have gone ahead (slipping world 9321)."""

    def aside(since: float) -> float:
        return aside_mm * min(since / 0.1, 1.0)

    assert played(goes, goes, aside=aside) > 0.95
    assert played(stays, lambda t: min(1500.0 * t, 60.0), aside=aside) < 0.05


def test_a_hand_that_was_not_seen_to_aim_pushes_when_all_of_it_is_ahead_of_where_the_striker_stood() -> None:
    """Its skin was as bright as shade (slipping worlds 9322 and 9392)."""
    assert played(goes_far, goes_far, unseen_s=STRIKE_S + 0.03) > 0.95
    assert played(stays, lambda t: min(1500.0 * t, 60.0), unseen_s=STRIKE_S + 0.03) < 0.05


@pytest.mark.parametrize(("ahead_mm", "least", "most"), [(8.0, 0.7, 0.99), (-12.0, 0.0, 0.3)])
def test_how_far_ahead_of_where_the_striker_stood_a_hand_is_that_was_not_seen_to_aim_tells_how_surely_it_pushes(
    ahead_mm: float, least: float, most: float
) -> None:
    """By 2 and 10 mm in slipping world 11220."""

    def goes_so_far(since: float) -> float:
        return min(SPEED * since, BOARD.striker_radius + 70.0 + ahead_mm)

    assert least < played(goes_so_far, goes_so_far, unseen_s=STRIKE_S + 0.12) < most


@pytest.mark.parametrize(("ahead_mm", "told"), [(40.0, True), (220.0, False)], ids=["behind it", "across its way"])
def test_a_hand_first_seen_beyond_where_the_striker_stood_pushes_it_from_behind(ahead_mm: float, told: bool) -> None:
    """Skin like the board's wood was known when 90 mm of the way were gone (slipping world 12977)."""

    def goes_so_far(since: float) -> float:
        return min(2.0 * SPEED * since, BOARD.striker_radius + 70.0 + ahead_mm)

    assert (played(goes_so_far, goes_so_far, unseen_s=STRIKE_S + 0.17) > 0.95) is told


def test_a_striker_flies_for_so_long_after_its_strike() -> None:
    striker = Track(1, None, None)
    for t in (STRIKE_S, STRIKE_S + 0.1, STRIKE_S + 0.5):
        striker.add(t, X, Y + SPEED * (t - STRIKE_S))
    assert [t for t, _ in flight_of(striker, STRIKE_S)] == [STRIKE_S + 0.1]


@pytest.mark.parametrize("seen_mm", [25.0, 60.0, 120.0])
@pytest.mark.parametrize("lasts_s", [0.15, 0.3])
def test_a_pushed_striker_left_when_a_push_from_rest_would_have_begun(seen_mm: float, lasts_s: float) -> None:
    """Under a hand that had hidden it for a second it was told to have left half a second too early (world 14894)."""
    faster = SPEED / lasts_s
    times = [t for t in np.arange(1, 60) / FPS if (0.5 * faster * t * t) > seen_mm]
    striker = Track(1, None, None)
    for t in times:
        striker.add(STRIKE_S + t, X, Y + 0.5 * faster * t * t)
    assert began((X, Y), striker, STRIKE_S + times[0] - 0.01) == pytest.approx(STRIKE_S, abs=0.03)


def test_when_a_push_began_is_not_known_of_a_striker_that_is_never_seen_to_go() -> None:
    assert began((X, Y), Track(1, None, None), STRIKE_S) is None


def test_an_arm_across_the_strikers_way_does_not_push_it() -> None:
    """Over the diagonal, it withdrew the way that the striker had gone (slipping world 9366)."""
    assert played(lambda t: 150.0 + goes(t), lambda t: 150.0 + goes(t)) < 0.05


def test_a_finger_that_swings_across_the_hand_does_not_shift_the_whole_of_it() -> None:
    """Wide fingers of a flick looked like a part of the hand gone ahead and aside."""
    before, after = np.full(40, -np.inf), np.full(40, -np.inf)
    before[15:33] = [-55, -52, -55, -58, -34, -31, -37, -51, -54, -48, -48, -50, -56, -57, -61, -87, -86, -85]
    after[15:34] = [4, 0, -1, -5, -6, -6, -5, -3, 1, 5, -46, -50, -56, -59, -61, -87, -86, -84, -86]
    assert advance(before, after) < 25.0


def test_a_coin_beside_the_hand_that_pushes_is_no_part_of_it_that_stays() -> None:
    """It lay between its finger and the striker, which made it one with the hand (slipping world 9299)."""
    beside = (Piece(Kind.BLACK, X - 26.0, Y - 30.0), Piece(Kind.BLACK, X + 26.0, Y - 30.0))
    assert played(goes, goes, lay=beside) > 0.95
    assert played(stays, lambda t: min(1500.0 * t, 60.0), lay=beside) < 0.05


@pytest.mark.parametrize("follows", [10.0, 30.0, 50.0, 70.0])
def test_a_finger_that_follows_through_while_the_hand_stays_flicks(follows: float) -> None:
    assert played(stays, lambda t: min(1500.0 * t, follows)) < 0.05


def test_a_hand_that_jerks_a_little_flicks() -> None:
    assert played(lambda t: min(400.0 * t, 15.0), lambda t: min(1500.0 * t, 40.0)) < 0.05


def test_a_hand_that_comes_after_a_striker_long_gone_does_not_push_it() -> None:
    def slowly(t: float) -> float:
        return min(250.0 * t, 60.0)

    assert played(slowly, slowly) < 0.05


@pytest.mark.parametrize("late", [0.05, 0.1, 0.18])
def test_a_push_is_told_though_the_hand_hides_how_it_began(late: float) -> None:
    """Slipping worlds 9020, 9150 and 9155: the strike is told when the striker comes out from under the hand."""
    assert played(goes, goes, STRIKE_S + late, seen_from=SPEED * late) > 0.9


def test_a_hand_of_the_strikers_look_hides_that_it_has_left() -> None:
    """It seems to stand until it comes out; how fast it is then tells when it left (slipping world 9838)."""
    late = 0.19
    assert played(goes, goes, STRIKE_S + late, seen_from=SPEED * late, stands_s=STRIKE_S + late) > 0.9
    assert played(stays, lambda t: min(1500.0 * t, 60.0), STRIKE_S + 0.05, stands_s=STRIKE_S + 0.05) < 0.05


def test_a_patch_of_the_hand_that_the_strikers_track_begins_with_tells_no_way() -> None:
    """It lay behind the striker, farther from where it stood than where it was seen next (slipping world 9871)."""
    stray, unseen_s = [(STRIKE_S + 0.01, (X + 15.0, Y - 100.0))], STRIKE_S + 0.03
    assert played(goes_far, goes_far, seen_from=40.0, stray=stray, unseen_s=unseen_s) > 0.95
    assert played(stays, lambda t: min(1500.0 * t, 60.0), seen_from=40.0, stray=stray, unseen_s=unseen_s) < 0.05


@pytest.mark.parametrize(("palm", "told"), [(goes, True), (stays, False)])
def test_a_push_towards_a_cushion_is_told_by_the_way_before_the_cushion_turned_the_striker(
    palm: Callable[[float], float], told: bool
) -> None:
    """Turned near where it had stood it seemed to have gone far aside of its hand (slipping world 11640)."""
    background, (x0, y0), (cos, sin) = gate_over(), (BOARD.base_circle_x, Y), (0.95, math.sqrt(1 - 0.95**2))
    hands, striker, reach = HandHistory(background), Track(1, None, None), BOARD.half - BOARD.striker_radius
    along, across = (
        (background.x - x0) * cos + (background.y - y0) * sin,
        (background.x - x0) * sin - (background.y - y0) * cos,
    )
    for i in range(round((STRIKE_S + 0.5) * FPS)):
        since = max(i / FPS - STRIKE_S, 0.0)
        knuckles = (np.abs(across) < WIDE_MM) & (along < palm(since) - BOARD.striker_radius - 70.0)
        tip = (np.abs(across) < FINGER_MM) & (along < goes(since) - BOARD.striker_radius - 2.0)
        hands.add(i / FPS, np.where(knuckles | tip, np.uint8(255), np.uint8(0)))
        if SPEED * since > 50.0:
            striker.add(i / FPS, reach - abs(x0 + SPEED * since * cos - reach), y0 + SPEED * since * sin)
    sure = pushed(hands, standing(x0, y0, STRIKE_S - 1 / FPS), striker)
    assert sure > 0.95 if told else sure < 0.05


def test_where_no_hand_was_seen_nothing_is_told() -> None:
    background, striker = gate_over(), Track(1, None, None)
    for i in range(1, 20):
        striker.add(STRIKE_S + i / FPS, X, Y + SPEED * i / FPS)
    assert pushed(HandHistory(background), standing(X, Y, STRIKE_S), striker) < 0.01
