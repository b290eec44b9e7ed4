"""Fellows: a coin too pale to be told by itself is told by the plain ones of its kind, and nothing bare is."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import pytest
from sim_scenes import LOOK, SCATTERED, Studio

from calibration.geometry.picture import Picture
from calibration.profile import Profile
from models.pieces import Kind, Piece, Seat
from referee.pieces.circles import Ring
from referee.pieces.detector import find_pieces, meet
from referee.pieces.disc_fit import Disc
from referee.pieces.faint_coins import FAINT_LEAST_ALIKE, KIN_CLEAR, LEAST_KIN, overlooked, strangers
from referee.pieces.printed_mask import print_distances
from referee.pieces.scan import View
from referee.pieces.template_similarity import Surroundings
from referee.sim.viewpoint import Glare, scaled

BARE = ((-250.0, 30.0), (-30.0, 250.4), (188.0, 250.0), (120.0, 120.0), (-219.0, 254.0))
"""Wood, base lines, beside a base circle, an arrow, a base circle."""

Pieces = list[tuple[Kind, Disc]]


@lru_cache(maxsize=1)
def seen() -> tuple[Picture, Profile, Pieces]:
    """White coins hardly lighter than the wood, each of which is plain enough here to be told by itself."""
    at = Studio(look=replace(LOOK, white=scaled(LOOK.wood, 1.06)))
    picture = at.picture(SCATTERED)
    return picture, *meet(picture, at.profile)


@pytest.mark.parametrize("left_out", range(4))
def test_a_pale_coin_that_was_overlooked_is_told_by_its_fellows(left_out: int) -> None:
    picture, profile, pieces = seen()
    whites = [d for k, d in pieces if k is Kind.WHITE]
    assert len(whites) == 4
    others = [(k, d) for k, d in pieces if d is not whites[left_out]]
    ((kind, found),) = overlooked(View(picture, profile), others, profile)
    assert kind is Kind.WHITE
    assert math.dist((found.x, found.y), (whites[left_out].x, whites[left_out].y)) < 6.0
    assert found.alike > FAINT_LEAST_ALIKE


def test_nothing_else_looks_as_they_do() -> None:
    picture, profile, pieces = seen()
    view = View(picture, profile)
    assert overlooked(view, pieces, profile) == []
    around = Surroundings(view, [d for _, d in pieces])
    whites = around.common([d for k, d in pieces if k is Kind.WHITE])
    for x, y in BARE:
        assert around.likeness(Ring(x, y, profile.board.coin_radius, 0.3), whites).alike < FAINT_LEAST_ALIKE


@pytest.mark.parametrize("worn", [True, False])
def test_base_circles_of_a_pale_coins_look_are_prints_and_coins_on_other_ones_are_coins(worn: bool) -> None:
    """Reddish coins beside worn red circles (simulated world 2166)."""
    picture, profile, pieces = seen()
    view, marks = View(picture, profile), profile.sides[Seat.SOUTH]
    white = next(d for k, d in pieces if k is Kind.WHITE)
    others = [(k, d) for k, d in pieces if d is not white]
    ring = next(r for r in view.coins if math.dist((r.x, r.y), (white.x, white.y)) < 4.0)
    circles = [r for r in view.coins if print_distances([r], profile)[0] < 2.0]
    view.coins = [ring, *(replace(ring, response=0.4 + 0.01 * i) for i in range(3))] if worn else [ring, *circles]
    assert marks.left_circle is not None
    moved = replace(marks, left_circle=replace(marks.left_circle, centre=(ring.x, ring.y)))
    view.profile = replace(profile, sides={**profile.sides, Seat.SOUTH: moved})
    assert [k for k, _ in overlooked(view, others, profile)] == ([] if worn else [Kind.WHITE])


def test_a_weak_circle_off_its_kinds_look_is_a_stranger_unless_it_looks_as_its_fellows_do() -> None:
    """Two base lines a coin's width apart and the grain between them draw half a coin (simulated worlds 1582, 1700)."""
    picture, profile, pieces = seen()
    view = View(picture, profile)
    coin = next(d for k, d in pieces if k is Kind.WHITE)
    off = profile.colours[Kind.WHITE].mean[0] + 5.0 * profile.colours[Kind.WHITE].sigma[0]
    weak = replace(coin, response=0.3, support=0.45, colour=(off * coin.ground[0] / 100.0, *coin.colour[1:]))
    others = [(k, d) for k, d in pieces if d is not coin]
    assert strangers(view, [*others, (Kind.WHITE, weak)], profile) == []
    between = replace(weak, x=BARE[1][0], y=BARE[1][1])
    assert strangers(view, [*others, (Kind.WHITE, between)], profile) == [between]


@pytest.mark.parametrize("kin", [LEAST_KIN - 1, LEAST_KIN])
def test_a_weak_circle_unlike_its_fellows_is_a_coin_if_others_that_nobody_told_look_as_it_does(kin: int) -> None:
    """Two whites in a lamp's glare taught how all of them look; the other six were overlooked (a relit recording)."""
    picture, profile, pieces = seen()
    view = View(picture, profile)
    coin, *others = sorted((d for k, d in pieces if k is Kind.WHITE and d.clear >= KIN_CLEAR), key=lambda d: d.x)
    look = profile.colours[Kind.WHITE]
    weak = replace(coin, response=0.3, support=0.45)
    unlike = replace(profile, colours={**profile.colours, Kind.WHITE: replace(look, mean=(140.0, *look.mean[1:]))})
    glaring = [replace(coin, x=x, y=y, colour=(1.4 * coin.ground[0], *coin.colour[1:])) for x, y in BARE[1:3]]
    told = [*((k, d) for k, d in pieces if k is not Kind.WHITE), *((Kind.WHITE, d) for d in (*glaring, weak))]
    assert len(others) > kin
    view.coins = [r for r in view.coins if all(math.dist((r.x, r.y), (d.x, d.y)) > 6.0 for d in others[kin:])]
    assert strangers(view, told, unlike) == ([] if kin == LEAST_KIN else [weak])


def in_glare(glares: tuple[Glare, ...]) -> Studio:
    """Coins of the board's own wood, without grooves and hardly shading it."""
    return Studio(look=replace(LOOK, white=LOOK.wood, groove_shade=1.0, shadow=0.03, edge_mm=0.5, glares=glares))


def test_coins_apart_from_a_lamps_glare_are_told_by_those_that_lie_in_their_light() -> None:
    """What the two in the glare draw is another picture than what the others do: two or more were overlooked."""
    spots = ((-180.3, 140.7), (300.1, 301.4), (20.5, -180.1), (-60.2, 330.6), (-300.0, -120.0), (120.0, -20.0),
             (-150.0, -20.0), (200.0, 150.0))  # fmt: skip
    others = tuple(p for p in SCATTERED if p.kind in (Kind.BLACK, Kind.QUEEN))
    at = in_glare((Glare(20.5, -180.1, 80.0, 70.0), Glare(120.0, -20.0, 80.0, 60.0)))
    pieces = find_pieces(at.picture([*(Piece(Kind.WHITE, x, y) for x, y in spots), *others]), at.profile)
    whites = [(d.x, d.y) for k, d in pieces if k is Kind.WHITE]
    assert len(pieces) == len(whites) + len(others)
    assert all(min(math.dist(w, s) for s in spots) < 4.0 for w in whites)
    assert len(whites) >= 6


@pytest.mark.parametrize(("response", "support", "clear", "told"), [
    (0.9, 0.3, 0.95, True), (0.35, 0.21, 0.95, True), (0.47, 0.47, 0.48, True), (0.2, 0.21, 0.95, False),
    (0.47, 0.47, 0.3, False),
])  # fmt: skip
def test_a_plain_coin_without_a_rim_all_round_is_told_by_its_fellows(response: float, support: float, clear: float,
                                                                     told: bool) -> None:  # fmt: skip
    """A lamp's shade as dark as the coin, or the hole of a pocket, takes half of a rim (worlds 1700, 2048), two coins
    of its kind on both sides and a line that it lies on nearly all of it (13853), and base lines right beside it on
    both sides hide half of it (15052). What hardly draws a circle is none, nor is what prints draw nearly all round.
    """
    picture, profile, pieces = seen()
    view = View(picture, profile)
    black = next(d for k, d in pieces if k is Kind.BLACK and d.clear > 0.9)
    drawn = {"response": response, "support": support, "clear": clear}
    view.coins = [replace(r, **drawn) if math.dist((r.x, r.y), (black.x, black.y)) < 4.0 else r for r in view.coins]
    found = overlooked(view, [(k, d) for k, d in pieces if d is not black], profile)
    assert [k for k, _ in found] == ([Kind.BLACK] if told else [])
    assert all(math.dist((d.x, d.y), (black.x, black.y)) < 6.0 for _, d in found)


def test_beyond_the_lattice_nothing_is_alike() -> None:
    picture, profile, pieces = seen()
    around = Surroundings(View(picture, profile), [])
    whites = around.common([d for k, d in pieces if k is Kind.WHITE])
    assert around.likeness(Ring(900.0, 0.0, profile.board.coin_radius, 0.3), whites).alike == 0.0
