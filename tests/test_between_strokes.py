"""What lies otherwise than before though no stroke was seen is what it looks like, not what lay there before.

Pieces drawn at rest, and from one frame to the next drawn elsewhere: frames were lost, or a hand was quick.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np
import pytest
from sim_scenes import BOARD, FORMATION, LOOK, SCATTERED, hand_over, places, studio, unmatched
from watching import BEGINNING

from calibration.geometry.picture import Picture, picture_from_bgr
from calibration.profile import Profile
from models.pieces import Kind, Piece, Seat
from referee.census.between_strokes import CensusChanges, HandDisplacement
from referee.facts import Fact, Formation, Returned, Stroke, Table
from referee.frames.frame import Frame
from referee.pieces.detector import learn_colours
from referee.seeing import Seeing
from referee.setup.piece_colours import learn_striker_colour

FPS = 30
LASTS = 2 * FPS
"""Frames before and after the change."""
FINGER_MM = 17.0
STRIKER = next(p for p in SCATTERED if p.kind is Kind.STRIKER)
FROM_WITHIN = sorted(FORMATION, key=lambda p: math.hypot(p.x_mm, p.y_mm))
"""The opening formation in the order in which hands lay it out."""


@lru_cache(maxsize=1)
def knowing() -> Profile:
    """The board with the looks of all coins and of the striker."""
    at = studio()
    striker = learn_striker_colour(
        learn_colours(at.profile, [at.picture(FORMATION)]), [at.picture([Piece(Kind.STRIKER, 0.0, 0.0)])]
    )
    assert striker is not None
    return striker.profile


def changed(before: Sequence[Piece], after: Sequence[Piece]) -> tuple[list[Fact], tuple[Piece, ...]]:
    """What is told when a table becomes another, and what is known to lie there in the end."""
    return followed(shown(before), shown(after))


def shown(pieces: Sequence[Piece]) -> list[Picture]:
    """Pictures of the same pieces that differ in their noise."""
    return [studio().picture(pieces, grain=g) for g in range(4)]


def followed(*phases: Sequence[Picture],
             profile: Profile | None = None) -> tuple[list[Fact], tuple[Piece, ...]]:  # fmt: skip
    """The same for pictures, one phase after the other, where less may be known beforehand."""
    whole = range(len(phases) * LASTS)
    frames = [Frame(phases[i // LASTS][i % len(phases[i // LASTS])], i / FPS, i, 0.0) for i in whole]
    seeing = Seeing(profile or knowing(), [f.picture for f in frames[:BEGINNING]])
    facts = [fact for frame in frames for fact in seeing.process(frame)]
    return facts, seeing.watch.table.pieces()


def under_fingers(picture: Picture, coin: Piece) -> Picture:
    """A picture with two fingers of a hand whose arm looks like the board: one over a coin, the other beside it."""
    tips = [(coin.x_mm + beside, coin.y_mm + 18.0) for beside in (0.0, 32.0)]
    return with_fingers(picture, tips, (15.0, -50.0), (FINGER_MM, FINGER_MM), (60, 80, 150))


def with_fingers(picture: Picture, tips: Sequence[tuple[float, float]], reach: tuple[float, float],
                 widths: Sequence[float], colour: tuple[int, ...]) -> Picture:  # fmt: skip
    """A picture with fingers from their `tips` on, each so wide (mm)."""
    bgr = picture.bgr().copy()
    camera, height = studio().profile.camera, studio().profile.board.coin_height
    for tip, width in zip(tips, widths, strict=True):
        ends = camera.to_pixels(np.array([tip, np.add(tip, reach)]), height).round().astype(int)
        cv2.line(bgr, ends[0].tolist(), ends[1].tolist(), colour, round(width * float(camera.px_per_mm()[0])))
    return picture_from_bgr(bgr)


def test_a_coin_under_fingers_that_are_not_known_for_a_hands_lies_there_still() -> None:
    """It would turn up as a new one after the stroke, and be taken for another that has fallen (world 1373)."""
    coin = next(p for p in SCATTERED if p.kind is Kind.WHITE)
    facts, _ = followed(shown(SCATTERED), [under_fingers(p, coin) for p in shown(SCATTERED)])
    told = [f for f in facts if isinstance(f, Table)]
    assert_same(told[-1].pieces, SCATTERED)
    assert len(told) == len(facts)


def test_a_fingertip_as_pale_as_white_coins_is_no_coin_put_back() -> None:
    """A thumb of a hand whose arm looks like the frame was told as a coin, and its leaving as one off the board."""
    coins = [p for p in SCATTERED if p.kind is not Kind.STRIKER]
    pale = tuple(int(level) for level in LOOK.white)
    tips, widths = [(-60.0, 60.0), (-18.0, 76.8)], [24.0, FINGER_MM]
    aiming = [with_fingers(p, tips, (6.0, -60.0), widths, pale) for p in shown(coins[1:])]
    facts, lying = followed(shown(coins), shown(coins[1:]), aiming)
    assert not [f for f in facts if isinstance(f, (Returned, Stroke))]
    assert unmatched(places(lying), places(coins[1:]), 3.0) == ([], [])


def test_a_coin_under_something_wide_that_is_not_known_for_a_hand_lies_there_still() -> None:
    """The back of a hand as dark as the frame that its arm came over, where the board was seen bare before (slipping
    world 11201).
    """
    coin = next(p for p in SCATTERED if p.kind is Kind.BLACK)
    bare, whole = ([p for p in SCATTERED if p is not coin], SCATTERED)
    _, table = followed(shown(bare), shown(whole), [under_a_back(p, coin) for p in shown(whole)])
    assert_same(table, SCATTERED)


def test_a_striker_beside_whose_place_something_lies_loose_lies_there_no_longer_once_it_is_put_down_elsewhere() -> None:
    """A petal that it had hidden passed for fingers: two strikers lay on the table (simulated world 11115)."""
    beside = replace(STRIKER, x_mm=STRIKER.x_mm + 30.0)
    after = [*(p for p in SCATTERED if p is not STRIKER), replace(STRIKER, x_mm=0.0, y_mm=-BOARD.base_y)]
    facts, table = followed(shown(SCATTERED), [under_a_back(p, beside, 14.0) for p in shown(after)])
    assert_same(table, after)
    strikers = [sum(p.kind is Kind.STRIKER for p in f.pieces) for f in facts if isinstance(f, Table)]
    assert set(strikers) == {1}


def test_a_striker_placed_near_where_it_is_thought_to_lie_still_under_a_hand_is_not_taken_for_dragged_there() -> None:
    """The stroke that left it on its lines, and the placement, were told of nobody (slipping world 11405)."""
    left = Piece(Kind.STRIKER, 40.0, 40.0 - BOARD.base_y)
    bare = [p for p in SCATTERED if p is not STRIKER]
    after = [*bare, Piece(Kind.STRIKER, 0.0, -BOARD.base_y)]
    fingers = [under_a_back(p, replace(left, x_mm=left.x_mm + 30.0), 14.0) for p in shown(after)]
    facts, _ = followed(shown([*bare, left]), fingers)
    told = [p for f in facts if isinstance(f, Table) for p in f.pieces if p.kind is Kind.STRIKER]
    assert any(math.dist((p.x_mm, p.y_mm), (0.0, -BOARD.base_y)) < 2.0 for p in told)


@pytest.mark.parametrize(("kind", "told"), [(Kind.STRIKER, True), (Kind.WHITE, False)])
def test_a_striker_that_lay_still_for_as_long_as_two_censuses_take_needs_but_one(kind: Kind, told: bool) -> None:
    """Something stirred elsewhere, and a pushed one was taken away before the second census (slipping world 11643)."""
    bare = [p for p in SCATTERED if p is not STRIKER]
    place = (-70.0, -170.0)
    lying = shown([*bare, Piece(kind, *place)])
    stirring = [under_a_back(p, Piece(kind, 250.0, -200.0)) for p in lying]
    frames = [*shown(bare) * 10, *lying, *stirring, *lying * 3, *shown(bare) * 10]
    seeing = Seeing(knowing(), frames[:BEGINNING])
    facts = [fact for i, p in enumerate(frames) for fact in seeing.process(Frame(p, i / FPS, i, 0.0))]
    lay = [p for f in facts if isinstance(f, Table) for p in f.pieces if math.dist((p.x_mm, p.y_mm), place) < 2.0]
    assert bool(lay) is told


def under_a_back(picture: Picture, coin: Piece, wide_mm: float = 60.0) -> Picture:
    """A picture with something over a coin, as wide as the back of a hand."""
    bgr = picture.bgr().copy()
    camera, height = studio().profile.camera, studio().profile.board.coin_height
    ends = (
        camera.to_pixels(np.array([(coin.x_mm - 15.0, coin.y_mm), (coin.x_mm + 15.0, coin.y_mm)]), height)
        .round()
        .astype(int)
    )
    cv2.line(bgr, ends[0].tolist(), ends[1].tolist(), (20, 40, 80), round(wide_mm * float(camera.px_per_mm()[0])))
    return picture_from_bgr(bgr)


def test_a_coin_half_under_a_fingertip_beside_a_hand_lies_there_still() -> None:
    """The finger between is in the light and not known for the hand's (simulated world 1938)."""
    coin = next(p for p in SCATTERED if p.kind is Kind.BLACK)
    hand = hand_over(Seat.SOUTH, coin.x_mm, coin.y_mm - 52.0)
    tipped = [tip_over(studio().picture(SCATTERED, [hand], grain=g), coin) for g in range(4)]
    facts, table = followed(shown(SCATTERED), tipped)
    assert_same(table, SCATTERED)
    assert next(f for f in facts if isinstance(f, Table)) == facts[-1]


def tip_over(picture: Picture, coin: Piece) -> Picture:
    """A picture with something of a hand's colour over one half of a coin."""
    bgr = picture.bgr().copy()
    camera, height = studio().profile.camera, studio().profile.board.coin_height
    tip = np.array([(coin.x_mm - 8.0, coin.y_mm - 6.0), (coin.x_mm + 10.0, coin.y_mm + 2.0)])
    ends = camera.to_pixels(tip, height).round().astype(int)
    cv2.line(bgr, ends[0].tolist(), ends[1].tolist(), (60, 80, 150), round(20.0 * float(camera.px_per_mm()[0])))
    return picture_from_bgr(bgr)


def assert_same(found: Sequence[Piece], true: Sequence[Piece]) -> None:
    for kind in Kind:
        pairs = [places(p for p in pieces if p.kind is kind) for pieces in (found, true)]
        assert unmatched(*pairs, within_mm=2.0) == ([], []), kind


@pytest.mark.parametrize("kind", [Kind.WHITE, Kind.BLACK])
def test_a_coin_put_back_while_the_striker_is_taken_is_a_coin(kind: Kind) -> None:
    back = Piece(kind, STRIKER.x_mm + 60.0, STRIKER.y_mm)
    after = (*(p for p in SCATTERED if p is not STRIKER), back)
    facts, table = changed(SCATTERED, after)
    assert_same(table, after)
    assert not [f for f in facts if isinstance(f, Stroke)]


@pytest.mark.parametrize("aside_mm", [12.0, 16.0])
def test_a_coin_put_back_where_the_striker_hid_a_board_that_was_never_seen_is_no_part_of_it(aside_mm: float) -> None:
    """The bare board was remembered from the picture in which one census had found the coin (slipping world 12332)."""
    back = Piece(Kind.WHITE, STRIKER.x_mm + aside_mm, STRIKER.y_mm)
    after = (*(p for p in SCATTERED if p is not STRIKER), back)
    assert_same(changed(SCATTERED, after)[1], after)


def test_a_striker_that_was_moved_or_taken_is_no_coin_that_was() -> None:
    """Who took the striker after a stroke, placed it again and took it once more seemed to clear the board, and the
    coin that was put back then was told of nobody (slipping world 12308).
    """
    coin = next(p for p in SCATTERED if p.kind is Kind.WHITE)
    shifts = [HandDisplacement(replace(p, x_mm=p.x_mm + 20.0), p, 1.0, 2.0) for p in (STRIKER, coin)]
    assert CensusChanges((), (shifts[0],), {}, ()).lifted == 0
    assert CensusChanges((), tuple(shifts), {}, ()).lifted == 1


def test_a_coin_that_is_measured_anew_a_little_beside_was_not_lifted() -> None:
    """One that was measured thrice seemed to clear the board, and a coin put back was told of nobody (clip w93016)."""
    coin = next(p for p in SCATTERED if p.kind is Kind.WHITE)
    beside = HandDisplacement(replace(coin, x_mm=coin.x_mm + 0.2), coin, 1.0, 2.0)
    assert CensusChanges((), (beside, beside, beside), {}, ()).lifted == 0


def test_a_coin_taken_while_one_of_another_kind_is_put_down_is_not_that_one() -> None:
    taken = next(p for p in SCATTERED if p.kind is Kind.WHITE)
    after = (*(p for p in SCATTERED if p is not taken), Piece(Kind.BLACK, taken.x_mm + 70.0, taken.y_mm))
    assert_same(changed(SCATTERED, after)[1], after)


def test_the_first_striker_put_down_beside_where_a_coin_was_taken_is_not_that_coin() -> None:
    """A hand hid a black coin and placed a green striker, the first that was seen: it was the coin, and its stroke that
    of nobody.
    """
    coin = next(p for p in SCATTERED if p.kind is Kind.BLACK)
    before = [p for p in SCATTERED if p is not STRIKER]
    after = [*(p for p in before if p is not coin), Piece(Kind.STRIKER, coin.x_mm + 40.0, coin.y_mm + 25.0)]
    at = studio()
    assert_same(
        followed(shown(before), shown(after), profile=learn_colours(at.profile, [at.picture(before)]))[1], after
    )


def test_when_the_formation_stands_its_coins_lie_on_the_table_and_no_others() -> None:
    facts, table = changed(SCATTERED, FORMATION)
    assert_same(table, FORMATION)
    assert len([f for f in facts if isinstance(f, Formation)]) == 1
    assert not [f for f in facts if isinstance(f, Stroke | Returned)]


@pytest.mark.parametrize("stages", [(7,), (1, 4, 12), (16,)])
def test_a_formation_that_is_built_in_stages_is_told_once_it_stands(stages: Sequence[int]) -> None:
    """Seven coins lay for four seconds before the other twelve came, all known by then: they were nineteen coins put
    back, and no board began (simulated world 14770).
    """
    facts, table = followed(*(shown(FROM_WITHIN[:n]) for n in (0, *stages, len(FORMATION))))
    assert_same(table, FORMATION)
    (told,) = (f for f in facts if isinstance(f, Formation))
    assert_same(told.pieces, FORMATION)
    assert facts[-1] is told


def test_a_formation_that_is_told_with_most_of_its_coins_gets_the_others_without_being_told_again() -> None:
    facts, table = followed(*(shown(FORMATION[:n]) for n in (0, 9, 18, 19)))
    assert_same(table, FORMATION)
    assert [type(f) for f in facts[-2:]] == [Formation, Table]
    assert not [f for f in facts if isinstance(f, Returned)]


def test_a_formation_that_has_been_told_is_not_told_again_when_the_striker_is_placed() -> None:
    for before in ([FORMATION], [FORMATION[:8], FORMATION]):
        facts, table = followed(*map(shown, [*before, [*FORMATION, STRIKER]]))
        assert_same(table, [*FORMATION, STRIKER])
        assert len([f for f in facts if isinstance(f, Formation)]) == 1


def test_a_formation_that_a_hand_hides_for_a_while_is_not_told_again() -> None:
    """It was told a second time when the striker had been placed (a simulated second board, seed 15309)."""
    hidden = [studio().picture(FORMATION, [hand_over(Seat.SOUTH, 0.0, 20.0)], grain=g) for g in range(4)]
    placed = shown([*FORMATION, STRIKER])
    facts, table = followed(shown(FROM_WITHIN[:7]), shown(FORMATION), hidden, placed, hidden, placed)
    assert_same(table, [*FORMATION, STRIKER])
    assert len([f for f in facts if isinstance(f, Formation)]) == 1


def test_a_striker_where_a_coin_of_the_formation_will_stand_is_not_taken_for_that_coin() -> None:
    corner = max(FORMATION, key=lambda p: p.x_mm)
    before = (*(p for p in SCATTERED if p is not STRIKER), Piece(Kind.STRIKER, corner.x_mm + 3.0, corner.y_mm))
    assert_same(changed(before, FORMATION)[1], FORMATION)


def faintly(picture: Picture, x: float, y: float) -> Picture:
    """A picture with a faint circle of a coin's size, as ornaments and coins together may draw."""
    bgr = picture.bgr().copy()
    camera, board = studio().profile.camera, studio().profile.board
    middle = camera.to_pixels([(x, y)], board.coin_height)[0].round().astype(int).tolist()
    shape = bgr.copy()
    cv2.circle(shape, middle, round(board.coin_radius * float(camera.px_per_mm()[0])), (200, 225, 235), 1, cv2.LINE_AA)
    return picture_from_bgr(cv2.addWeighted(shape, 0.8, bgr, 0.2, 0.0).astype(np.uint8))


@pytest.mark.parametrize("whites", [4, 9])
def test_a_faint_circle_is_no_coin_whether_or_not_all_of_its_kind_lie_elsewhere(whites: int) -> None:
    """A tenth white coin lay between others on the ornament (simulated world 2827)."""
    place = (110.0, -170.0)
    frames = [*shown(SCATTERED), *(faintly(p, *place) for p in shown(SCATTERED))]
    profile = replace(knowing(), full_set={Kind.WHITE: whites, Kind.BLACK: 4, Kind.QUEEN: 1})
    seeing = Seeing(profile, frames[:4] * 2)
    for i in range(2 * LASTS):
        list(seeing.process(Frame(frames[i % 4 + 4 * (i >= LASTS)], i / FPS, i, 0.0)))
    new = [p for p in seeing.watch.table.pieces() if math.dist((p.x_mm, p.y_mm), place) < 5.0]
    assert not new
