"""Which circles are pieces: red ones on red prints, and light within an arc."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from sim_scenes import BOARD, LOOK, SCATTERED, Studio, lit, places, studio, unmatched

from calibration.profile import Colour
from models.pieces import Kind, Piece, Seat, from_side
from referee.pieces.colour_classes import is_light
from referee.pieces.detector import find_pieces
from referee.pieces.disc_fit import Disc
from referee.pieces.print_rejection import standing
from referee.sim.viewpoint import Appearance

OTHERS = tuple(p for p in SCATTERED if p.kind in (Kind.WHITE, Kind.BLACK))
BROWN = replace(LOOK, wood=(150, 185, 215), white=(62, 98, 150))
"""Coins that are "white" by name, and so much redder than the board that one might be a queen by itself."""


def on_base_circle(seat: Seat, off_mm: float) -> Piece:
    """The queen on a base circle, so far from its middle."""
    x, y = from_side(seat, BOARD.base_circle_x, -BOARD.base_y)
    return Piece(Kind.QUEEN, x + off_mm * math.cos(1.0), y + off_mm * math.sin(1.0))


def queens(at: Studio, *pieces: Piece) -> list[tuple[float, float]]:
    """Where the queen is seen in a picture of these pieces on a board of which nothing is known."""
    return [(d.x, d.y) for kind, d in find_pieces(at.picture(pieces), at.profile) if kind is Kind.QUEEN]


@pytest.mark.parametrize("seat", Seat)
@pytest.mark.parametrize("off_mm", [0.3, 3.2])
def test_the_queen_on_a_base_circle_is_found(seat: Seat, off_mm: float) -> None:
    """She was taken for the print for a whole match, and the print that she left for the striker (slipping 9384)."""
    queen = on_base_circle(seat, off_mm)
    assert unmatched(queens(studio(), *OTHERS, queen), places([queen]), 2.0) == ([], [])


def test_a_queen_of_the_prints_red_hides_the_ring_of_the_base_circle_that_she_lies_on() -> None:
    at, queen = Studio(look=replace(LOOK, queen=LOOK.red)), on_base_circle(Seat.WEST, 1.0)
    assert unmatched(queens(at, *OTHERS, queen), places([queen]), 2.0) == ([], [])


def test_the_queen_on_a_base_circle_that_is_not_red_is_found() -> None:
    at, queen = Studio(look=replace(LOOK, red=(60, 70, 60))), on_base_circle(Seat.EAST, 2.0)
    assert unmatched(queens(at, *OTHERS, queen), places([queen]), 2.0) == ([], [])


@pytest.mark.parametrize("where", [on_base_circle(Seat.NORTH, 1.0), Piece(Kind.QUEEN, 0.4, -0.7)])
def test_brown_coins_are_not_the_queen_who_lies_elsewhere(where: Piece) -> None:
    at = Studio(look=BROWN)
    assert unmatched(queens(at, *OTHERS, where), places([where]), 2.0) == ([], [])


@pytest.mark.parametrize("look", [LOOK, BROWN, replace(LOOK, worn=0.6)], ids=["plain", "brown coins", "worn"])
def test_no_print_is_the_queen_when_she_has_been_pocketed(look: Appearance) -> None:
    assert queens(Studio(look=look), *OTHERS) == []


def test_no_print_is_the_queen_when_she_lies_elsewhere() -> None:
    queen = Piece(Kind.QUEEN, 60.4, 200.9)
    assert unmatched(queens(studio(), *OTHERS, queen), places([queen]), 2.0) == ([], [])


BETWEEN_LINES = Disc(-251.0, -51.0, BOARD.coin_radius, 0.45, (161.0, 118.0, 130.0), (150.0, 118.0, 130.0),
                     (158.0, 118.0, 130.0), 103.0, support=0.56, clear=0.46)  # fmt: skip
"""Bright grain where two base lines a coin's width apart draw half a rim, in simulated world 14471."""


@pytest.mark.parametrize(
    ("disc", "told"),
    [
        (BETWEEN_LINES, False),
        (replace(BETWEEN_LINES, support=0.7), True),
        (replace(BETWEEN_LINES, clear=0.8), True),
        (replace(BETWEEN_LINES, colour=(190.0, 118.0, 130.0)), True),
    ],
    ids=["grain", "with a rim", "off the lines", "plain"],
)
def test_grain_between_base_lines_is_no_pale_coin(disc: Disc, told: bool) -> None:
    """It lay there as a white from the first picture on, on 4 boards of 61 (and worlds 14423, 14471, 14488)."""
    assert (standing([disc], studio().profile) == [disc]) is told


LAMP, BOARD_LOOK = (232.0, 108.0, 138.0), (197.0, 107.0, 143.0)
"""The look (Y, U, V) of a spot of light and of the board around it, in slipping world 9403."""


@pytest.mark.parametrize(
    ("middle", "margin", "shade", "light"),
    [
        (LAMP, (207.0, 109.0, 141.0), 105.0, True),
        (LAMP, (228.0, 108.0, 138.0), 105.0, False),
        ((232.0, 128.0, 128.0), (207.0, 120.0, 134.0), 105.0, False),
        ((150.0, 107.0, 143.0), (180.0, 107.0, 143.0), 105.0, False),
        (LAMP, (207.0, 109.0, 141.0), 92.0, False),
        (LAMP, (207.0, 109.0, 141.0), 96.0, True),
    ],
    ids=["fades", "pale to its rim", "of another hue", "darker", "shades the board", "beside an arc's ink"],
)
def test_what_fades_to_the_boards_look_within_its_rim_is_light(
    middle: tuple[float, float, float], margin: tuple[float, float, float], shade: float, light: bool
) -> None:
    """Within an arrow's arc it was a striker, and then a white coin, for a whole match."""
    assert is_light(Disc(110.0, -111.0, 24.0, 0.64, middle, BOARD_LOOK, margin, shade, 0.96, 0.92)) is light


def printed(seat: Seat, hand: int, margin: tuple[float, float, float]) -> Disc:
    """A bare base circle of a blueish, noisy picture, whose margin looks so."""
    x, y = from_side(seat, hand * BOARD.base_circle_x, -BOARD.base_y)
    return Disc(x, y, BOARD.coin_radius, 0.6, (104.0, 135.0, 136.0), (125.0, 131.0, 122.0), margin, 99.0, support=0.7,
                clear=0.2)  # fmt: skip


@pytest.mark.parametrize(("margin", "told"), [((118.0, 132.0, 126.0), True), ((105.0, 135.0, 136.0), False)])
def test_the_queen_in_the_middle_is_told_by_the_ring_that_base_circles_have(
    margin: tuple[float, float, float], told: bool
) -> None:
    """Out of focus her rim is darker than her middle, as a ring would be; in cold light she lay there unseen."""
    queen = Disc(1.0, 0.0, BOARD.coin_radius, 0.69, (101.0, 136.0, 140.0), (125.5, 131.0, 122.0), (93.0, 133.0, 140.0),
                 92.4, support=0.86, clear=0.0)  # fmt: skip
    base = [printed(seat, hand, margin) for seat in Seat for hand in (-1, 1)]
    assert (queen in standing([*base, queen], studio().profile)) is told


@pytest.mark.parametrize(("margin", "told"), [((103.0, 135.0, 132.0), True), ((103.0, 135.0, 130.2), False)])
def test_a_disc_of_the_base_circles_ink_in_the_middle_is_the_queen_if_it_has_less_of_a_ring_than_prints_have(
    margin: tuple[float, float, float], told: bool
) -> None:
    """Petals shade the board around a bare centre circle: it was the queen for a whole match (world 11411)."""
    base = [printed(seat, hand, (118.0, 132.0, 126.0)) for seat in Seat for hand in (-1, 1)]
    middle = replace(base[0], x=0.5, y=0.0, margin_colour=margin, response=0.92, support=0.96, shade=90.4)
    assert (middle in standing([*base, middle], studio().profile)) is told


INKS = (
    ((75.0, 101.0, 199.0), (81.0, 102.0, 191.0), 80.8),
    ((81.0, 101.0, 197.0), (84.0, 102.5, 191.0), 78.1),
    ((71.0, 105.0, 187.0), (77.0, 106.0, 181.0), 74.8),
    ((74.0, 105.0, 187.0), (79.0, 106.0, 181.0), 76.7),
    ((80.0, 105.0, 183.0), (81.0, 106.0, 181.0), 75.4),
    ((76.0, 106.0, 182.0), (79.0, 106.0, 179.0), 75.6),
    ((79.0, 102.0, 196.0), (82.5, 104.0, 186.5), 77.6),
)
"""Middle, margin and shade of bare base circles that have no rings, in simulated world 15700."""


@pytest.mark.parametrize(
    ("red", "shade", "told"), [(205.0, 82.6, False), (205.0, 72.0, True), (212.0, 82.6, True), (190.0, 62.0, True)]
)
def test_a_base_circle_of_a_somewhat_other_red_is_the_queen_only_if_she_casts_a_shadow(
    red: float, shade: float, told: bool
) -> None:
    """A bare one, redder than its fellows, was the queen for a whole match."""
    looks = [*INKS, ((82.0, 101.0, red), (84.5, 102.0, red - 3.0), shade)]
    places = [(seat, hand) for hand in (-1, 1) for seat in Seat]
    plain = [printed(*place, margin) for place, (_, margin, _) in zip(places, looks, strict=True)]
    circles = [replace(disc, response=0.95, support=0.98, colour=middle, ground=(131.0, 114.0, 135.0), shade=dark)
               for disc, (middle, _, dark) in zip(plain, looks, strict=True)]  # fmt: skip
    assert standing(circles, studio().profile) == (circles[-1:] if told else [])


@pytest.mark.parametrize(("margin", "told"), [((128.0, 110.5, 143.5), False), ((125.0, 111.0, 151.0), True)])
def test_the_only_base_circle_that_is_not_worn_off_is_told_by_its_ring(
    margin: tuple[float, float, float], told: bool
) -> None:
    """Where fewer than three are seen nobody knows how bare ones look: one was a white coin on a relit recording."""
    x, y = from_side(Seat.WEST, -BOARD.base_circle_x, -BOARD.base_y)
    disc = Disc(x, y, BOARD.coin_radius, 0.36, (124.0, 111.0, 152.0), (150.0, 110.0, 140.0), margin, 93.0, support=0.52,
                clear=0.04)  # fmt: skip
    assert (standing([disc], studio().profile) == [disc]) is told


SOFT_WHITE = Disc(-3.0, -2.0, BOARD.coin_radius, 0.764, (144.0, 104.0, 143.0), (110.0, 110.0, 143.0),
                  (113.0, 109.0, 142.0), 89.0, support=0.92, clear=0.19)  # fmt: skip
"""A white coin half over the centre circle, in a soft picture: its rim is as light as the board."""


@pytest.mark.parametrize(
    ("coin", "known", "told"),
    [
        (SOFT_WHITE, True, True),
        (SOFT_WHITE, False, False),
        (replace(SOFT_WHITE, shade=99.0), True, False),
        (replace(SOFT_WHITE, support=0.6), True, False),
    ],
    ids=["as the known ones", "no white is known", "shades nothing", "half a rim"],
)
def test_a_coin_on_the_centre_circle_is_told_by_its_kinds_look(coin: Disc, known: bool, told: bool) -> None:
    """Nothing else told it in world 11102: it was called pocketed, in doubt."""
    profile = studio().profile
    white = Colour((132.1, -21.6, 13.5), (4.0, 2.0, 2.0))
    base = [printed(seat, hand, (118.0, 132.0, 126.0)) for seat in Seat for hand in (-1, 1)]
    profile = replace(profile, colours={Kind.WHITE: white} if known else {})
    assert (coin in standing([*base, coin], profile)) is told
    pale = [replace(d, colour=SOFT_WHITE.colour, ground=SOFT_WHITE.ground) for d in base]
    assert coin not in standing([*pale, coin], profile)


BESIDE_MIDDLE = Disc(2.1, 3.9, BOARD.coin_radius, 0.79, (147.0, 112.0, 140.0), (119.0, 122.0, 140.0),
                     (133.0, 117.0, 141.0), 76.0, support=0.94, clear=0.33)  # fmt: skip
"""A yellow coin beside the centre circle's middle, a crescent of which makes its look and its margin redder."""


@pytest.mark.parametrize(
    ("coin", "told"),
    [
        (BESIDE_MIDDLE, True),
        (replace(BESIDE_MIDDLE, x=0.4, y=0.4), False),
        (replace(BESIDE_MIDDLE, response=0.6), False),
        (replace(BESIDE_MIDDLE, colour=(185.0, 112.0, 140.0)), False),
    ],
    ids=["beside", "right on it", "hardly drawn", "of another look"],
)
def test_a_coin_plainly_beside_the_centre_circles_middle_may_look_a_little_otherwise(coin: Disc, told: bool) -> None:
    """It was told as pocketed, in doubt, and lay there unseen for a match (simulated world 14553)."""
    mean = BESIDE_MIDDLE.tint
    white = Colour((mean[0] + 11.0, mean[1], mean[2]), (6.0, 2.0, 2.5))
    base = [printed(seat, hand, (118.0, 132.0, 126.0)) for seat in Seat for hand in (-1, 1)]
    assert (coin in standing([*base, coin], replace(studio().profile, colours={Kind.WHITE: white}))) is told


ON_PETALS = Disc(-3.9, -0.1, BOARD.coin_radius, 0.79, (166.0, 95.0, 142.0), (143.0, 113.0, 139.0), (162.0, 99.0, 144.0),
                 100.0, support=0.97, clear=0.23)  # fmt: skip
"""A white coin half over the centre circle, among the petals of a star that hide its shade."""
IN_MIDDLE = replace(ON_PETALS, x=1.1, y=-1.1, colour=(197.0, 90.0, 146.0), margin_colour=(172.0, 97.0, 146.0),
                    ground=(145.0, 99.0, 157.0), clear=0.04)  # fmt: skip
"""One right over it, in a coarse picture: half of its margin is the print's ring."""


@pytest.mark.parametrize(
    ("coin", "told"),
    [
        (ON_PETALS, True),
        (replace(ON_PETALS, x=-1.0), False),
        (IN_MIDDLE, True),
        (replace(IN_MIDDLE, margin_colour=(160.0, 97.0, 150.0)), False),
    ],
    ids=["beside the middle", "in the middle, pale", "in the middle, plain", "ringed"],
)
def test_a_coin_on_the_centre_circle_of_a_star_is_told_though_its_shade_is_not_seen(coin: Disc, told: bool) -> None:
    """Where a break left them they were seen by nobody, and told as pocketed, in doubt (worlds 13613 and 13699)."""
    white = Colour(coin.tint, (4.0, 2.0, 2.0))
    base = [printed(seat, hand, (118.0, 132.0, 126.0)) for seat in Seat for hand in (-1, 1)]
    assert (coin in standing([*base, coin], replace(studio().profile, colours={Kind.WHITE: white}))) is told


@pytest.mark.parametrize("known", [True, False])
def test_a_disc_in_the_middle_that_looks_like_no_coin_is_a_print_where_all_kinds_are_known(known: bool) -> None:
    """A red one on an orange board, less red than the queen, was a black coin for a whole match (world 13990)."""
    print_ = Disc(0.1, -0.1, BOARD.coin_radius, 0.87, (118.0, 114.0, 178.0), (165.0, 82.0, 170.0),
                  (100.0, 113.0, 163.0), 100.0, support=0.94, clear=0.0)  # fmt: skip
    white, black, queen = (Colour(mean, (6.0, 2.0, 2.5)) for mean in ((123.1, -32.5, 12.1), (33.8, 0.7, 3.5),
                                                                      (50.0, -10.7, 68.0)))  # fmt: skip
    colours = {Kind.WHITE: white, Kind.BLACK: black} | ({Kind.QUEEN: queen} if known else {})
    assert (print_ in standing([print_], replace(studio().profile, colours=colours))) is not known


@pytest.mark.parametrize("light", [1.0, 0.6, 0.45])
def test_a_brown_coin_on_brown_wood_by_a_cushion_is_found_in_dim_light_too(light: float) -> None:
    """Half its rim drowned, and a stroke that struck it into a pocket was told without it, surely (world 12064)."""
    at = Studio(look=replace(LOOK, wood=(60, 95, 135), white=(46, 66, 105)))
    coin = Piece(Kind.WHITE, BOARD.half - BOARD.coin_radius - 10.0, -12.0)
    picture = lit(at.picture([*OTHERS[:6], coin]), light)
    found = [(d.x, d.y) for kind, d in find_pieces(picture, at.profile)]
    assert unmatched(found, places([*OTHERS[:6], coin]), 2.0) == ([], [])
