"""The opening layout: what stands right is found right, and every fault is named with its place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from models.pieces import Kind, Piece, Seat, opening_formation
from referee.languages import languages
from referee.laws.opening_layout import LayoutDifference, LayoutFault, LayoutRing, difference_text, opening_layout_of

COIN_MM = 31.2
TURNS = [math.radians(degrees) for degrees in (-90, -83, 0, 17, 30, 45, 59, 60, 100, 175)]
SOUTH = -math.pi / 2


def faults(pieces: Sequence[Piece], breaker: Seat | None = None) -> list[tuple[LayoutFault, Kind | None, Kind | None]]:
    layout = opening_layout_of(pieces, breaker)
    assert layout is not None
    return [(d.fault, d.expected, d.found) for d in layout.differences]


def moved(piece: Piece, x_mm: float, y_mm: float) -> Piece:
    return replace(piece, x_mm=piece.x_mm + x_mm, y_mm=piece.y_mm + y_mm)


def swapped(pieces: Sequence[Piece], i: int, j: int) -> list[Piece]:
    other = list(pieces)
    other[i], other[j] = replace(pieces[i], kind=pieces[j].kind), replace(pieces[j], kind=pieces[i].kind)
    return other


@pytest.mark.parametrize("arm", TURNS)
def test_the_layout_by_the_book_has_no_faults_however_it_is_turned(arm: float) -> None:
    layout = opening_layout_of(opening_formation(COIN_MM, arm))
    assert layout is not None
    assert (layout.filled, layout.differences) == (19, ())
    apart = (layout.arm - arm) % (2 * math.pi / 3)
    assert min(apart, 2 * math.pi / 3 - apart) < math.radians(1.5)


@pytest.mark.parametrize("arm", TURNS)
def test_measured_coins_and_a_striker_beside_them_are_no_fault(arm: float) -> None:
    noise = np.random.default_rng(5).normal(0, 0.8, (19, 2))
    coins = [moved(p, *n) for p, n in zip(opening_formation(COIN_MM, arm), noise.tolist(), strict=True)]
    assert faults([*coins, Piece(Kind.STRIKER, 0.0, -252.0)]) == []


@pytest.mark.parametrize("arm", TURNS)
def test_two_swapped_coins_are_both_named(arm: float) -> None:
    whole = opening_formation(COIN_MM, arm)
    white = next(i for i, p in enumerate(whole) if p.kind is Kind.WHITE)
    black = next(i for i, p in enumerate(whole) if p.kind is Kind.BLACK)
    found = faults(swapped(whole, white, black))
    assert sorted(found) == [
        (LayoutFault.WRONG_KIND, Kind.BLACK, Kind.WHITE),
        (LayoutFault.WRONG_KIND, Kind.WHITE, Kind.BLACK),
    ]


def test_the_queen_in_the_wrong_place_is_told_with_both_places() -> None:
    layout = opening_layout_of(swapped(opening_formation(COIN_MM, SOUTH), 0, 2))
    assert layout is not None
    middle, outer = layout.differences
    assert middle.ring is LayoutRing.CENTRE
    assert (middle.expected, middle.found) == (Kind.QUEEN, Kind.WHITE)
    assert outer.ring is LayoutRing.OUTER
    assert (outer.x_mm, outer.y_mm) == pytest.approx((0.0, -2 * COIN_MM))


@pytest.mark.parametrize("arm", TURNS)
@pytest.mark.parametrize("gone", [0, 1, 2, 18])
def test_a_missing_coin_is_told_with_its_place(arm: float, gone: int) -> None:
    whole = opening_formation(COIN_MM, arm)
    layout = opening_layout_of(whole[:gone] + whole[gone + 1 :])
    assert layout is not None
    (missing,) = layout.differences
    assert (missing.fault, missing.expected, layout.filled) == (LayoutFault.MISSING, whole[gone].kind, 18)
    assert (missing.x_mm, missing.y_mm) == pytest.approx((whole[gone].x_mm, whole[gone].y_mm), abs=2.0)


def test_a_spare_coin_is_told_wherever_it_lies() -> None:
    whole = opening_formation(COIN_MM, 0.3)
    for x, y in ((120.0, 30.0), (-300.0, 300.0), (3 * COIN_MM, 0.0)):
        layout = opening_layout_of([*whole, Piece(Kind.BLACK, x, y)])
        assert layout is not None
        assert layout.differences == (LayoutDifference(LayoutFault.SPARE, x, y, found=Kind.BLACK),)


def test_a_coin_out_of_line_is_told_once_beyond_the_tolerance() -> None:
    whole = list(opening_formation(COIN_MM, SOUTH))
    whole[2] = moved(whole[2], 0.0, -8.0)
    assert faults(whole) == [(LayoutFault.DISPLACED, Kind.WHITE, Kind.WHITE)]
    layout = opening_layout_of(whole, tolerance_mm=10.0)
    assert layout is not None
    assert layout.differences == ()


def test_a_layout_beside_the_middle_is_told_with_where_it_is() -> None:
    layout = opening_layout_of([moved(p, 14.0, -6.0) for p in opening_formation(COIN_MM, 0.0)])
    assert layout is not None
    (off,) = layout.differences
    assert off.fault is LayoutFault.OFF_CENTRE
    assert (off.x_mm, off.y_mm) == pytest.approx((14.0, -6.0), abs=0.1)


@pytest.mark.parametrize("seat", list(Seat))
def test_an_arm_points_at_the_breaker_where_the_book_wants_it(seat: Seat) -> None:
    x, y = seat.inward
    towards = math.atan2(-y, -x)
    assert faults(opening_formation(COIN_MM, towards), seat) == []
    assert faults(opening_formation(COIN_MM, towards + math.radians(250)), seat) == []
    assert [f for f, _, _ in faults(opening_formation(COIN_MM, towards + math.radians(30)), seat)] == [
        LayoutFault.TURNED
    ]
    assert [f for f, _, _ in faults(opening_formation(COIN_MM, towards + math.radians(60)), seat)] == [
        LayoutFault.TURNED
    ]


def test_coins_that_lie_about_are_no_opening_layout() -> None:
    places = np.random.default_rng(2).uniform(-300, 300, (19, 2)).tolist()
    kinds = [p.kind for p in opening_formation(COIN_MM)]
    assert opening_layout_of([Piece(k, x, y) for k, (x, y) in zip(kinds, places, strict=True)]) is None
    assert opening_layout_of(opening_formation(COIN_MM)[:14]) is None
    assert opening_layout_of([]) is None
    assert opening_layout_of([Piece(Kind.WHITE, 0.0, 0.0)] * 19) is None


@pytest.mark.parametrize("size", [20.0, 30.2, 31.8])
def test_the_size_of_the_coins_is_seen_from_their_places(size: float) -> None:
    assert faults(opening_formation(size, 1.0)) == []


@pytest.mark.parametrize("language", languages())
def test_every_difference_has_its_sentence(language: str) -> None:
    for fault in LayoutFault:
        for ring in (None, *LayoutRing):
            text = difference_text(LayoutDifference(fault, 40.0, -41.0, ring, Kind.WHITE, Kind.BLACK), language)
            assert text.endswith((".", "।", "۔"))
            assert not text[0].islower()
            assert not set(text) & set("{}")


def test_a_difference_reads_like_an_umpire() -> None:
    wrong = LayoutDifference(LayoutFault.WRONG_KIND, 40.0, -40.0, LayoutRing.OUTER, Kind.WHITE, Kind.BLACK)
    assert difference_text(wrong) == "A black coin lies where a white coin belongs: outer ring, south-east."
    assert difference_text(wrong, "fr").startswith("Un pion noir occupe la place prévue pour un pion blanc")
    spare = LayoutDifference(LayoutFault.SPARE, 120.2, -30.0, found=Kind.QUEEN)
    assert difference_text(spare) == "The queen lies beside the layout: x 120 mm, y -30 mm."
