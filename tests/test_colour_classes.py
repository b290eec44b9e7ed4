"""Looks: kinds told by what was learned, by first guesses, and by the opening formation."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.profile import Colour
from models.pieces import COINS, FULL_SET, Kind, opening_formation
from referee.pieces.colour_classes import contrast, group_by_kind, guess_kind, mean_colour, nearest_kind, tint_distance
from referee.pieces.disc import Disc
from referee.pieces.opening_formation import FORMATION_LEAST_SURE, find_formation

RADIUS = 15.5
WOOD = (170.0, 118.0, 140.0)
COLOURS = {Kind.WHITE: (200.0, 112.0, 140.0), Kind.BLACK: (45.0, 127.0, 129.0), Kind.QUEEN: (95.0, 118.0, 195.0),
           Kind.STRIKER: (195.0, 136.0, 122.0)}  # fmt: skip


def disc(kind: Kind, x: float = 0.0, y: float = 0.0, light: float = 1.0, shift: float = 0.0) -> Disc:
    """A disc under a lamp `light` times as bright, its look `shift` levels off its kind's."""

    def lit(colour: tuple[float, float, float], off: float = 0.0) -> tuple[float, float, float]:
        y, u, v = colour
        return light * y + off, 128 + light * (u - 128), 128 + light * (v - 128)

    colour = lit(COLOURS[kind], shift)
    return Disc(x, y, RADIUS, 0.8, colour, lit(WOOD), 90.0)


def board(arm: float = -math.pi / 2, light: float = 1.0, shift: tuple[float, float] = (0.0, 0.0),
          spread: float = 0.0) -> list[Disc]:  # fmt: skip
    """The opening formation as discs."""
    rng = np.random.default_rng(5)
    return [disc(p.kind, p.x_mm + shift[0] + rng.normal(0, spread), p.y_mm + shift[1] + rng.normal(0, spread), light)
            for p in opening_formation(2 * RADIUS, arm)]  # fmt: skip


@pytest.mark.parametrize("kind", COINS)
@pytest.mark.parametrize("light", [0.4, 1.0, 1.25])
def test_a_first_guess_tells_the_kinds_in_any_light(kind: Kind, light: float) -> None:
    assert guess_kind(disc(kind, light=light)) is kind


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("light", [0.4, 1.0, 1.25])
def test_what_was_learned_tells_all_kinds_in_any_light(kind: Kind, light: float) -> None:
    learned = {k: mean_colour([disc(k), disc(k, shift=2.0), disc(k, shift=-2.0)]) for k in Kind}
    told, distance = nearest_kind(disc(kind, light=light), learned, tuple(Kind))
    assert told is kind
    assert distance < 1.0


def test_only_the_kinds_asked_for_are_told() -> None:
    learned = {k: mean_colour([disc(k)]) for k in Kind}
    assert nearest_kind(disc(Kind.STRIKER), learned)[0] is Kind.WHITE


def test_where_nothing_was_learned_a_first_guess_is_told() -> None:
    assert nearest_kind(disc(Kind.QUEEN), {}) == (Kind.QUEEN, 0.0)


def test_a_learned_spread_has_a_floor() -> None:
    assert tint_distance(disc(Kind.WHITE, shift=3.0).tint, mean_colour([disc(Kind.WHITE)] * 9)) < 1.0


def test_one_odd_coin_does_not_spoil_a_groups_look() -> None:
    colour = mean_colour([disc(Kind.WHITE)] * 8 + [disc(Kind.BLACK)])
    assert colour.mean == pytest.approx(disc(Kind.WHITE).tint)


def test_contrast_grows_with_what_sets_a_disc_off() -> None:
    assert contrast(disc(Kind.BLACK)) > contrast(disc(Kind.WHITE)) > 5.0


def test_coins_are_sorted_without_a_formation() -> None:
    coins = [disc(k, shift=s) for k in COINS for s in (-6.0, -2.0, 2.0, 6.0)[: FULL_SET[k]]]
    groups = group_by_kind(coins)
    assert all(d in groups[k] for k in COINS for d in coins if guess_kind(d) is k)
    assert {k: len(g) for k, g in groups.items()} == {Kind.WHITE: 4, Kind.BLACK: 4, Kind.QUEEN: 1}


def test_coins_all_of_one_colour_are_one_group() -> None:
    groups = group_by_kind([disc(Kind.WHITE, shift=s) for s in (-4.0, 0.0, 4.0)])
    assert (len(groups[Kind.WHITE]), groups[Kind.BLACK], groups[Kind.QUEEN]) == (3, [], [])


@settings(max_examples=25)
@given(arm=st.floats(-math.pi, math.pi), x=st.floats(-4, 4), y=st.floats(-4, 4))
def test_the_formation_is_found_however_it_is_turned_and_shifted(arm: float, x: float, y: float) -> None:
    discs = board(arm, shift=(x, y), spread=0.5)
    found = find_formation(discs, RADIUS)
    assert found is not None
    assert len(found) == 19
    for piece, d in found:
        expected = {Kind.WHITE: 200.0, Kind.BLACK: 45.0, Kind.QUEEN: 95.0}[piece.kind]
        assert d.colour[0] == expected


def test_the_formation_is_found_among_other_discs() -> None:
    found = find_formation([*board(), disc(Kind.STRIKER, 0.0, -252.0), disc(Kind.WHITE, 200.0, 10.0)], RADIUS)
    assert found is not None
    assert len(found) == 19


def test_the_formation_is_found_when_two_coins_were_not_seen() -> None:
    found = find_formation(board()[:-2], RADIUS)
    assert found is not None
    assert len(found) == 17


def test_with_three_coins_missing_no_formation_stands() -> None:
    assert find_formation(board()[:-3], RADIUS) is None


def test_the_colours_of_a_formation_are_sure_with_fourteen_of_its_coins() -> None:
    found = find_formation(board()[:-5], RADIUS, FORMATION_LEAST_SURE)
    assert found is not None
    assert len(found) == 14
    assert find_formation(board()[:-6], RADIUS, FORMATION_LEAST_SURE) is None


def test_scattered_coins_are_no_formation() -> None:
    rng = np.random.default_rng(2)
    spots = rng.uniform(-95, 95, (19, 2))
    kinds = [p.kind for p in opening_formation(2 * RADIUS)]
    assert find_formation([disc(k, *xy) for k, xy in zip(kinds, spots, strict=True)], RADIUS) is None


def test_coins_in_the_places_of_others_are_no_formation() -> None:
    swapped = {Kind.WHITE: Kind.BLACK, Kind.BLACK: Kind.WHITE, Kind.QUEEN: Kind.QUEEN}
    layout = opening_formation(2 * RADIUS)
    upside_down = [disc(swapped[p.kind] if i % 4 else p.kind, p.x_mm, p.y_mm) for i, p in enumerate(layout)]
    assert find_formation(upside_down, RADIUS) is None


def test_an_empty_board_is_no_formation() -> None:
    assert find_formation([], RADIUS) is None


def test_a_look_is_a_colour_relative_to_the_board() -> None:
    colour = mean_colour([disc(Kind.BLACK)])
    assert isinstance(colour, Colour)
    assert colour.mean[0] == pytest.approx(100 * 45 / 170)


def test_brown_white_coins_are_parted_from_black_ones_at_the_gap() -> None:
    lumas = {Kind.WHITE: (61.0, 64.0, 66.0), Kind.BLACK: (22.0, 25.0)}
    coins = {k: [tinted(v) for v in values] for k, values in lumas.items()}
    groups = group_by_kind([d for discs in coins.values() for d in discs])
    assert {k: len(g) for k, g in groups.items() if g} == {Kind.WHITE: 3, Kind.BLACK: 2}


def test_dark_brown_coins_are_parted_from_the_blackest_by_their_hue() -> None:
    """Simulated world 2100."""
    blacks = [tinted(v) for v in (16.0, 17.0, 18.0)]
    browns = [replace(tinted(v), colour=(2 * v, 104.0, 159.0)) for v in (49.0, 51.0, 54.0)]
    assert group_by_kind([*blacks, *browns])[Kind.WHITE] == browns


def test_a_circle_in_the_boards_own_tone_does_not_part_brown_coins_from_each_other() -> None:
    """Between browns and the bare board lies the widest gap of all (simulated world 2052)."""
    browns, blacks, bare = [tinted(v) for v in (50.0, 54.0, 59.0)], [tinted(v) for v in (24.0, 28.0)], tinted(101.0)
    groups = group_by_kind([*browns, *blacks, bare], plain=[*browns, *blacks])
    assert groups[Kind.BLACK] == blacks


def test_a_brown_coin_beside_which_the_board_is_less_red_is_no_queen_among_its_fellows() -> None:
    """Half on a violet leaf, where no queen lay, it was her for a whole match (simulated world 14596)."""
    brown = [replace(tinted(70.0), colour=(140.0, 101.0, 162.0), ground=(200.0, 128.0, 145.0)) for _ in range(7)]
    on_leaf = replace(brown[0], x=72.0, ground=(200.0, 128.0, 143.0))
    blacks = [tinted(31.0), tinted(33.0)]
    assert guess_kind(on_leaf) is Kind.QUEEN
    assert group_by_kind([*brown, on_leaf, *blacks])[Kind.QUEEN] == []
    queen = replace(on_leaf, colour=(100.0, 118.0, 205.0))
    assert group_by_kind([*brown, queen, *blacks])[Kind.QUEEN] == [queen]


@pytest.mark.parametrize(("browns", "told"), [(3, True), (1, False)])
def test_brown_coins_hardly_lighter_than_black_ones_are_parted_by_their_hue_if_there_are_several(
    browns: int, told: bool
) -> None:
    """All were black but a spot of light between two leaves, which was the only white (simulated world 14559)."""
    black = [replace(tinted(v), colour=(2 * v, 115.0, 126.0)) for v in (29.0, 33.0, 35.0, 40.0)]
    brown = [replace(tinted(v), colour=(2 * v, 95.0, 151.0)) for v in (48.0, 50.0, 53.0)[:browns]]
    spot = replace(tinted(90.0), colour=(180.0, 150.0, 127.0))
    groups = group_by_kind([*black, *brown, spot], plain=[*black, *brown])
    assert (groups[Kind.WHITE] == brown) is told
    assert all(d in groups[Kind.BLACK] for d in black)


def test_coins_of_one_kind_whose_hue_varies_are_not_parted_by_it() -> None:
    blacks = [replace(tinted(v), colour=(2 * v, u, 128.0)) for v, u in ((29.0, 126.0), (30.0, 129.0), (33.0, 131.0),
                                                                        (36.0, 127.0))]  # fmt: skip
    assert group_by_kind(blacks, plain=blacks)[Kind.WHITE] == []


def tinted(luma: float) -> Disc:
    """A coin whose top face has this luma in percent of a grey board's."""
    return Disc(0.0, 0.0, 15.5, 0.8, (2 * luma, 128.0, 128.0), (200.0, 128.0, 128.0), 90.0)


def test_a_white_coin_on_a_green_leaf_is_no_queen() -> None:
    """She had fallen: the coin was told as her for four strokes, and her fall when it fell (slipping world 15407)."""
    leaf, wood = (140.0, 120.0, 112.0), [disc(k) for k in (Kind.WHITE, Kind.BLACK) for _ in range(4)]
    coin, queen = (replace(disc(k), ground=leaf) for k in (Kind.WHITE, Kind.QUEEN))
    groups = group_by_kind([*wood, coin])
    assert not groups[Kind.QUEEN]
    assert coin in groups[Kind.WHITE]
    assert group_by_kind([*wood, queen])[Kind.QUEEN] == [queen]


def test_coloured_light_on_one_side_makes_no_queens_of_white_coins() -> None:
    """Where the light is redder the board is as red as the coins there."""
    red = np.array([0.0, 0.0, 12.0])
    coins = [disc(k, x=100.0 * i) for k, n in ((Kind.WHITE, 3), (Kind.BLACK, 6)) for i in range(n)]
    lit = [replace(d, colour=tuple(np.add(d.colour, red)), ground=tuple(np.add(d.ground, red)))
           for d in (disc(Kind.WHITE, x=-300.0), disc(Kind.WHITE, x=-200.0))]  # fmt: skip
    told = group_by_kind([*coins, *lit])
    assert {k: len(g) for k, g in told.items()} == {Kind.WHITE: 5, Kind.BLACK: 6, Kind.QUEEN: 0}


def test_two_red_coins_that_look_alike_are_brown_white_ones_and_one_that_looks_otherwise_is_the_queen() -> None:
    """There is one queen in a set (simulated world 1228)."""
    brown, red = (120.0, 108.0, 152.0), (110.0, 118.0, 185.0)
    blacks = [disc(Kind.BLACK, x=100.0 * i) for i in range(5)]
    browns = [replace(disc(Kind.WHITE, x=-100.0, shift=s), colour=brown, ground=(196.0, 111.0, 140.0)) for s in (0, 2)]
    queen = replace(disc(Kind.QUEEN), colour=red, ground=(196.0, 111.0, 140.0))
    told = group_by_kind([*blacks, *browns])
    assert {k: len(g) for k, g in told.items()} == {Kind.WHITE: 2, Kind.BLACK: 5, Kind.QUEEN: 0}
    told = group_by_kind([*blacks, browns[0], queen])
    assert {k: len(g) for k, g in told.items()} == {Kind.WHITE: 1, Kind.BLACK: 5, Kind.QUEEN: 1}
