"""The surface: discs that the table does not know yet, and which kinds they can be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np
import pytest
from sim_scenes import (
    BOARD,
    FORMATION,
    LOOK,
    SCATTERED,
    Studio,
    compared,
    gate_over,
    hand_over,
    learned,
    shadowed,
    studio,
)

from calibration.geometry.picture import Picture, picture_from_bgr
from calibration.profile import Colour, Profile
from models.pieces import Kind, Piece, Seat
from referee.board_state.occupancy import Occupancy, Presence, RestingPiece
from referee.census.reconcile import Reconciler
from referee.foreground.background import BackgroundModel
from referee.foreground.segmentation import Segmenter
from referee.pieces.circles import Ring
from referee.pieces.colour_classes import mean_colour
from referee.pieces.current_profile import CurrentProfile
from referee.pieces.detector import find_pieces, learn_colours
from referee.pieces.disc import Disc
from referee.pieces.scan import View
from referee.setup.piece_colours import learn_striker_colour

ARM = hand_over(Seat.SOUTH, 0.0, -150.0)
NEW = Piece(Kind.WHITE, 0.0, 20.0)
QUEENS = tuple(p for p in SCATTERED if p.kind is Kind.QUEEN)


def found(known: tuple[Piece, ...], shown: tuple[Piece, ...], profile: Profile) -> list[tuple[Kind, float, float]]:
    """The discs of a picture of `shown` that a table on which `known` lie does not know."""
    return looked(known, shown, profile)[0]


def looked(known: tuple[Piece, ...], shown: tuple[Piece, ...], profile: Profile, at: Studio | None = None,
           look: Colour | None = None) -> tuple[list[tuple[Kind, float, float]], Occupancy]:  # fmt: skip
    """The same, and the table as it is then; `look` is how the striker looked where it stood."""
    at = at or studio()
    background = gate_over(at=at)
    table = Occupancy(background, BOARD)
    surface = Reconciler(CurrentProfile(profile), background, table)
    table.settle(known, compared(background, at.picture(known), 0.0))
    picture = at.picture(shown, grain=5)
    foreground = compared(background, picture, 0.1)
    scene = Segmenter(background, BOARD.half, BOARD.coin_radius).read(foreground, table.explained)
    table.check(foreground, scene)
    return [(k, d.x, d.y) for k, d in surface.find_new(picture, foreground, scene, colour=look)], table


def shaded(profile: Profile) -> Profile:
    """A profile by which a white coin looks more like the queen: so it does in the shade of a hand."""
    white, queen = profile.colours[Kind.WHITE], profile.colours[Kind.QUEEN]
    colours = {Kind.QUEEN: replace(queen, mean=white.mean),
               Kind.WHITE: Colour((white.mean[0] + 40.0, white.mean[1], white.mean[2]), white.sigma)}  # fmt: skip
    return replace(profile, colours={**profile.colours, **colours})


def test_a_new_coin_is_found_where_it_lies() -> None:
    ((kind, x, y),) = found(SCATTERED, (*SCATTERED, NEW), learned())
    assert kind is Kind.WHITE
    assert abs(x - NEW.x_mm) < 1.0
    assert abs(y - NEW.y_mm) < 1.0


def test_beside_a_queen_that_lies_there_a_new_coin_is_no_queen() -> None:
    assert len(QUEENS) == 1
    profile = shaded(learned())
    assert [k for k, _, _ in found(SCATTERED, (*SCATTERED, NEW), profile)] == [Kind.WHITE]


def test_a_set_that_lacks_a_kind_gets_none() -> None:
    profile = replace(learned(), full_set={Kind.WHITE: 4, Kind.BLACK: 9, Kind.QUEEN: 1})
    assert sum(p.kind is Kind.WHITE for p in SCATTERED) == 4
    assert [k for k, _, _ in found(SCATTERED, (*SCATTERED, NEW), profile)] == [Kind.BLACK]


@pytest.mark.parametrize("aside_mm", [10.0, 14.0, 20.0])
def test_a_coin_half_on_which_another_has_come_to_rest_lies_there_no_more(aside_mm: float) -> None:
    """It was struck full by a coin of its look, which stopped in its place."""
    struck = next(p for p in SCATTERED if p.kind is Kind.WHITE)
    stopped = Piece(Kind.WHITE, struck.x_mm + aside_mm, struck.y_mm)
    left = tuple(p for p in SCATTERED if p is not struck)
    (new,), table = looked(SCATTERED, (*left, stopped), learned())
    assert new[1:] == pytest.approx((stopped.x_mm, stopped.y_mm), abs=1.0)
    assert [k.piece for k in table.lying if k.presence is Presence.GONE] == [struck]


@pytest.mark.parametrize(("kind", "presence"), [(Kind.QUEEN, Presence.GONE), (Kind.BLACK, Presence.COVERED)])
def test_a_covered_coin_of_which_another_place_shows_half_was_moved_there(kind: Kind, presence: Presence) -> None:
    """A hand dragged the queen by 17 mm: she was a white coin then, and told as pocketed (slipping world 9326)."""
    lay, lies = Piece(kind, 60.0, 80.0), Piece(Kind.QUEEN, 62.0, 97.0)
    background = gate_over()
    table = Occupancy(background, BOARD)
    table.settle((lay,), compared(background, studio().picture([lay]), 0.0))
    picture = studio().picture([lies], grain=5)
    foreground = compared(background, picture, 0.1)
    scene = Segmenter(background, BOARD.half, BOARD.coin_radius).read(foreground, table.explained)
    table.lying[0].presence = Presence.COVERED
    ((found, _),) = Reconciler(CurrentProfile(learned()), background, table).find_new(picture, foreground, scene)
    assert found is Kind.QUEEN
    assert table.lying[0].presence is presence


def test_a_print_that_the_formation_hid_is_no_coin() -> None:
    """The empty board there has never been seen; its dull red is no queen's, who lies nowhere, nor any other coin's."""
    look = replace(LOOK, wood=(99, 147, 204), red=(36, 46, 137), white=(203, 227, 237), black=(48, 55, 48))
    dull = Studio(look=replace(look, queen=(23, 15, 213)))
    profile = learn_colours(dull.profile, [dull.picture(FORMATION)])
    background = BackgroundModel(profile)
    formation = background.lattice.sample(dull.picture(FORMATION))
    background.remember(formation, background.cover(FORMATION, BOARD))
    shown = tuple(p for p in SCATTERED if p.kind is not Kind.QUEEN)
    picture = dull.picture(shown)
    foreground = compared(background, picture, 0.1)
    table = Occupancy(background, BOARD)
    scene = Segmenter(background, BOARD.half, BOARD.coin_radius).read(foreground, table.explained)
    found = Reconciler(CurrentProfile(profile), background, table).find_new(picture, foreground, scene)
    assert len(found) == len(shown)
    assert [d for _, d in found if math.hypot(d.x, d.y) < 20.0] == []


ROUND = tuple(
    (BOARD.coin_radius * math.cos(a), BOARD.coin_radius * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 60)
)
RHOMBUS = ((-24.0, 0.0), (0.0, -18.0), (24.0, 0.0), (0.0, 18.0))


def test_a_petal_that_the_formation_hid_is_no_coin() -> None:
    """Half as a coin, it draws no whole circle (simulated worlds 1336, 1382)."""
    background = BackgroundModel(profile := learn_colours(studio().profile, [studio().picture(FORMATION)]))
    background.remember(background.lattice.sample(studio().picture(FORMATION)), background.cover(FORMATION, BOARD))
    shown = tuple(p for p in SCATTERED if math.hypot(p.x_mm, p.y_mm) > 90.0)
    drawn = studio().picture(shown).bgr()
    corners = 16 * studio().camera.to_pixels(np.array(RHOMBUS) + np.array([25.0, -40.0]), 0.0)
    cv2.fillPoly(drawn, [corners.round().astype(np.int32)], (60, 70, 90), cv2.LINE_AA, 4)
    picture = picture_from_bgr(drawn)
    foreground = compared(background, picture, 0.1)
    table = Occupancy(background, BOARD)
    scene = Segmenter(background, BOARD.half, BOARD.coin_radius).read(foreground, table.explained)
    found = Reconciler(CurrentProfile(profile), background, table).find_new(picture, foreground, scene)
    assert sorted((k, round(d.x, -1), round(d.y, -1)) for k, d in found) == sorted(
        (p.kind, round(p.x_mm, -1), round(p.y_mm, -1)) for p in shown
    )


def test_a_striker_on_the_ornament_that_the_formation_hid_is_no_print() -> None:
    """It looks like no coin; its own look is known (simulated world 1911)."""
    background = BackgroundModel(profile := learn_colours(studio().profile, [studio().picture(FORMATION)]))
    seen = learn_striker_colour(profile, [studio().picture([Piece(Kind.STRIKER, 0.0, 0.0)])])
    assert seen is not None
    background.remember(background.lattice.sample(studio().picture(FORMATION)), background.cover(FORMATION, BOARD))
    shown = [Piece(Kind.STRIKER, 30.0, -20.0)]
    picture = studio().picture(shown)
    foreground = compared(background, picture, 0.1)
    table = Occupancy(background, BOARD)
    scene = Segmenter(background, BOARD.half, BOARD.coin_radius).read(foreground, table.explained)
    ((kind, disc),) = Reconciler(CurrentProfile(seen.profile), background, table).find_new(picture, foreground, scene)
    assert kind is Kind.STRIKER
    assert math.dist((disc.x, disc.y), (30.0, -20.0)) < 1.0


def test_a_striker_that_lies_elsewhere_now_lies_no_more_where_it_lay() -> None:
    """It was dark on dark petals: its bare place looks like it still (simulated worlds 1910 and 1953)."""
    known, new = (Piece(Kind.STRIKER, 0.0, -80.0),), Piece(Kind.STRIKER, 0.0, 150.0)
    seen = learn_striker_colour(learned(), [studio().picture([Piece(Kind.STRIKER, 0.0, 0.0)])])
    assert seen is not None
    background = gate_over()
    table = Occupancy(background, BOARD)
    table.settle(known, compared(background, studio().picture([new]), 0.0))
    picture = studio().picture([new], grain=5)
    foreground = compared(background, picture, 0.1)
    scene = Segmenter(background, BOARD.half, BOARD.coin_radius).read(foreground, table.explained)
    table.check(foreground, scene)
    assert table.pieces() == known
    ((kind, _),) = Reconciler(CurrentProfile(seen.profile), background, table).find_new(picture, foreground, scene)
    assert kind is Kind.STRIKER
    assert table.pieces() == ()


def test_a_coin_on_whose_place_the_striker_has_come_to_rest_lies_there_no_more() -> None:
    """The striker drove it away and stopped there: no stroke was told (simulated world 2433)."""
    seen = learn_striker_colour(learned(), [studio().picture([Piece(Kind.STRIKER, 0.0, 0.0)])])
    assert seen is not None
    before, now = Piece(Kind.BLACK, 120.0, 150.0), (Piece(Kind.STRIKER, 119.0, 151.0), Piece(Kind.BLACK, 160.0, 190.0))
    background = gate_over()
    table = Occupancy(background, BOARD)
    table.settle((before,), compared(background, studio().picture([before]), 0.0))
    picture = studio().picture(now, grain=5)
    foreground = compared(background, picture, 0.1)
    scene = Segmenter(background, BOARD.half, BOARD.coin_radius).read(foreground, table.explained)
    table.lying[0].presence = Presence.OBSCURED
    found = Reconciler(CurrentProfile(seen.profile), background, table).find_new(
        picture, foreground, scene, struck=True
    )
    assert {kind for kind, _ in found} == {Kind.STRIKER, Kind.BLACK}
    assert table.pieces() == ()


def test_a_grazed_coin_lies_where_it_is_seen_beside_its_place_after_a_stroke() -> None:
    """Too little of its look had changed for it to be thought gone (simulated worlds 1983 and 1988)."""
    coin = next(p for p in SCATTERED if p.kind is Kind.WHITE)
    now = replace(coin, x_mm=coin.x_mm + 3.5, y_mm=coin.y_mm + 2.0)
    background, shown = gate_over(), [now if p is coin else p for p in SCATTERED]
    table = Occupancy(background, BOARD)
    table.settle(SCATTERED, compared(background, studio().picture(shown), 0.0))
    picture = studio().picture(shown, grain=5)
    foreground = compared(background, picture, 0.1)
    scene = Segmenter(background, BOARD.half, BOARD.coin_radius).read(foreground, table.explained)
    surface = Reconciler(CurrentProfile(learned()), background, table)
    assert surface.find_new(picture, foreground, scene) == []
    ((kind, disc),) = surface.find_new(picture, foreground, scene, struck=True)
    assert kind is Kind.WHITE
    assert math.dist((disc.x, disc.y), (now.x_mm, now.y_mm)) < 0.5
    assert [k.piece for k in table.lying if k.presence is Presence.GONE] == [coin]


@lru_cache(maxsize=1)
def searched() -> tuple[Picture, tuple[Piece, ...]]:
    """A picture of the scattered pieces, and what is found in it."""
    picture = studio().picture(SCATTERED)
    return picture, tuple(Piece(kind, d.x, d.y) for kind, d in find_pieces(picture, learned()))


@pytest.mark.parametrize("turn", range(0, 360, 60))
@pytest.mark.parametrize(("aside_mm", "there"), [(0.0, True), (3.0, False), (5.0, False), (8.0, False)])
def test_a_piece_that_looks_otherwise_need_not_be_searched_for_only_if_its_rim_is_where_it_lay(
    turn: int, aside_mm: float, there: bool
) -> None:
    """In a hand's shade each coin beside it asked for a search of the whole board, which took half of the time."""
    chosen = [next(p for p in SCATTERED if p.kind is kind) for kind in (Kind.WHITE, Kind.BLACK, Kind.QUEEN)]
    way = aside_mm * math.cos(math.radians(turn)), aside_mm * math.sin(math.radians(turn))
    background, (first, lay) = gate_over(), searched()
    table = Occupancy(background, BOARD)
    surface = Reconciler(CurrentProfile(learned()), background, table)
    foreground = compared(background, first, 0.0)
    table.settle(lay, foreground)
    scene = Segmenter(background, BOARD.half, BOARD.coin_radius).read(foreground, table.explained)
    surface.find_new(first, foreground, scene)
    lying = [min(table.lying, key=lambda k: math.dist((k.piece.x_mm, k.piece.y_mm), (p.x_mm, p.y_mm))) for p in chosen]
    for piece in lying:
        piece.stirred = 0.1
        assert piece.may_lie_beside
    now = [replace(p, x_mm=p.x_mm + way[0], y_mm=p.y_mm + way[1]) if p in chosen else p for p in SCATTERED]
    picture = studio().picture(now, grain=5)
    surface.confirm(shadowed(picture, [np.linspace(0.95, 0.65, picture.width)]), 0.1)
    assert [piece.may_lie_beside for piece in lying] == [not there] * 3


def beside_after_a_stroke(shown: Sequence[Piece]) -> tuple[list[tuple[RestingPiece, Disc]], Reconciler]:
    """What lies a little beside its place after a stroke that leaves `shown` of the scattered pieces; the surface."""
    background, profile, first = gate_over(), learned(), studio().picture(SCATTERED)
    lay = tuple(Piece(kind, d.x, d.y) for kind, d in find_pieces(first, profile))
    table = Occupancy(background, BOARD)
    table.settle(lay, compared(background, first, 0.0))
    picture = studio().picture(shown, grain=5)
    foreground = compared(background, picture, 0.1)
    scene = Segmenter(background, BOARD.half, BOARD.coin_radius).read(foreground, table.explained)
    table.check(foreground, scene)
    surface = Reconciler(CurrentProfile(profile), background, table)
    assert surface.find_new(picture, foreground, scene, struck=True) == []
    beside = surface.beside(picture)
    assert len(table.pieces()) == len(lay)
    return beside, surface


def test_after_a_stroke_pieces_are_measured_where_they_lie_now() -> None:
    """A coin that another has just touched lay millimetres beside its place for the rest of a match (slipping 9385)."""
    coin = next(p for p in SCATTERED if p.kind is Kind.WHITE)
    now = replace(coin, x_mm=coin.x_mm + 1.5, y_mm=coin.y_mm - 1.0)
    ((known, moved),), _ = beside_after_a_stroke([now if p is coin else p for p in SCATTERED])
    assert known.piece.kind is Kind.WHITE
    assert math.dist((moved.x, moved.y), (now.x_mm, now.y_mm)) < 0.3


def test_a_camera_that_was_bumped_has_moved_no_single_piece() -> None:
    """All lie 1.5 mm beside their places, as the board does after a bump that was not quite undone."""
    shown = [replace(p, x_mm=p.x_mm + 1.2, y_mm=p.y_mm - 0.9) for p in SCATTERED]
    beside, surface = beside_after_a_stroke(shown)
    assert len(surface.recognised()) > len(SCATTERED) / 2
    assert beside == []


def test_the_known_board_is_not_remembered_from_pictures_with_hands_in_them() -> None:
    """Skin of the board's colour would be taken for it."""
    background = gate_over()
    surface = Reconciler(CurrentProfile(learned()), background, Occupancy(background, BOARD))
    reader = Segmenter(background, BOARD.half, BOARD.coin_radius)
    for t, hands, changes in ((0.1, (), True), (0.2, (ARM,), False), (12.0, (ARM,), True)):
        foreground = compared(background, studio().picture((), hands, grain=7 + round(10 * t)), t)
        assert background.empty is not None
        before, known = background.empty, background.known > 0
        surface.refresh(foreground, reader.read(foreground, surface.table.explained))
        assert np.any(background.empty[:, known] != before[:, known]) == changes


def test_a_striker_nearly_of_the_boards_colour_is_told_by_how_it_looked_where_it_stood() -> None:
    """Its look, never seen plainly enough to be learned, was asked of tracks only: it was told as a coin, and another's
    fall as its own.
    """
    at = Studio(look=replace(LOOK, striker=(132, 182, 217)))
    coins = tuple(p for p in SCATTERED if p.kind is not Kind.STRIKER)
    striker = next(p for p in SCATTERED if p.kind is Kind.STRIKER)
    profile, picture = learn_colours(at.profile, [at.picture(coins)]), at.picture(SCATTERED)
    stood = View(picture, profile).disc(Ring(striker.x_mm, striker.y_mm, BOARD.striker_radius, 1.0))
    told = [looked(coins, SCATTERED, profile, at, look)[0] for look in (None, mean_colour([stood]))]
    assert [[k for k, _, _ in found] for found in told] == [[Kind.STRIKER]] * 2


@pytest.mark.parametrize("known", [True, False])
def test_a_striker_that_comes_to_rest_where_the_formation_lay_is_the_striker_though_nobody_knows_its_look(
    known: bool,
) -> None:
    """The board there had never been seen bare, and it looked as no coin: it was told as taken by a hand that nobody
    saw (slipping worlds 14194, 14213, 14306).
    """
    at = Studio(look=replace(LOOK, striker=(120, 90, 40)))
    background = BackgroundModel(profile := learn_colours(at.profile, [at.picture(FORMATION)]))
    background.remember(background.lattice.sample(at.picture(FORMATION)), background.cover(FORMATION, BOARD))
    rests = Piece(Kind.STRIKER, 53.0, -54.0)
    picture = at.picture([*SCATTERED[:2], rests])
    stood = View(picture, profile).disc(Ring(rests.x_mm, rests.y_mm, BOARD.striker_radius, 1.0))
    table = Occupancy(background, BOARD)
    foreground = compared(background, picture, 0.1)
    scene = Segmenter(background, BOARD.half, BOARD.coin_radius).read(foreground, table.explained)
    look = mean_colour([stood]) if known else None
    found = Reconciler(CurrentProfile(profile), background, table).find_new(
        picture, foreground, scene, struck=True, colour=look
    )
    assert [k for k, d in found if math.dist((d.x, d.y), (53.0, -54.0)) < 2.0] == [Kind.STRIKER]


@pytest.mark.parametrize("kind", [Kind.STRIKER, Kind.WHITE])
def test_a_disc_with_a_ring_of_a_coins_size_is_the_striker_if_it_hides_the_board_as_far(kind: Kind) -> None:
    """A striker of the white coins' look came to rest where one of them had lain and was told as that one; the striker,
    as fallen (slipping world 14362).
    """
    pale = (100, 137, 165)
    at = Studio(look=replace(LOOK, striker=pale, white=pale, striker_ink=(150, 40, 150)))
    profile, there = learn_colours(at.profile, [at.picture(FORMATION)]), (60.0, 80.0)
    stood = View(at.picture([Piece(Kind.STRIKER, *there)]), profile).disc(Ring(*there, BOARD.striker_radius, 1.0))
    profile = replace(profile, colours={**profile.colours, Kind.STRIKER: mean_colour([stood])})
    background, shown = gate_over(at=at), at.picture([Piece(kind, *there)])
    foreground, table = compared(background, shown, 0.1), Occupancy(background, BOARD)
    scene = Segmenter(background, BOARD.half, BOARD.coin_radius).read(foreground, table.explained)
    surface = Reconciler(CurrentProfile(profile), background, table)
    assert [k for k, _ in surface.find_new(shown, foreground, scene, struck=True)] == [kind]
