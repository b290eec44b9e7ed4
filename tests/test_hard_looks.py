"""Boards and coins that look as they should not, drawn from truth: what is told is right, or told as doubtful."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from film import Film, strokes
from sim_scenes import BOARD, FORMATION, LOOK, SCATTERED, Studio, places, unmatched

from calibration.calibrate import calibrate
from models.pieces import Kind, Piece, Pocket
from referee.facts import PlacementReason, Stroke
from referee.pieces.detector import detect_and_learn, find_pieces, learn_colours
from referee.sim.stage import pocket_centre
from referee.sim.viewpoint import Print

BROWN = replace(LOOK, wood=(84, 128, 166), white=(58, 92, 128))
"""A board of brown wood whose "white" coins are a darker brown."""
HOLE = pocket_centre(BOARD, Pocket.NE)
Y = -BOARD.base_y
SURE = 0.9
NARROW = replace(BOARD, line_gap=29.0)
OTHERS = (Piece(Kind.WHITE, -180.0, 140.0), Piece(Kind.BLACK, -210.0, -90.0), Piece(Kind.QUEEN, 0.0, 0.0),
          Piece(Kind.WHITE, -90.0, 220.0))  # fmt: skip


def aimed(coin: Piece) -> tuple[float, float]:
    """Where the striker must meet the coin to send it into NE."""
    reach = math.dist((coin.x_mm, coin.y_mm), HOLE)
    back = BOARD.coin_radius + BOARD.striker_radius
    return coin.x_mm - (HOLE[0] - coin.x_mm) / reach * back, coin.y_mm - (HOLE[1] - coin.y_mm) / reach * back


def the_stroke(film: Film, seconds: float = 4.5) -> Stroke:
    (stroke,) = strokes(film.facts(seconds))
    return stroke


def test_brown_white_coins_on_a_brown_board_are_found_and_are_white() -> None:
    at = Studio(look=BROWN)
    _, found = detect_and_learn(at.picture(SCATTERED), at.profile)
    for kind in Kind:
        seen = [(d.x, d.y) for k, d in found if k is kind]
        assert unmatched(seen, places(p for p in SCATTERED if p.kind is kind), 2.5) == ([], []), kind


@pytest.mark.parametrize("ink", [Print.STAR, Print.SECTORS])
def test_what_is_printed_on_a_pale_striker_is_no_coin(ink: Print) -> None:
    """A dark star draws a coin's ring aside within the rim (simulated worlds 1024, 1071, 1084)."""
    look = replace(LOOK, striker=(215, 185, 205), striker_ink=(70, 25, 60), striker_print=ink)
    at = Studio(640, 480, look=look)
    for place in ((-199.0, -126.0), (145.0, 39.0), (-97.0, -89.0)):
        _, found = detect_and_learn(
            at.picture([Piece(Kind.STRIKER, *place), Piece(Kind.BLACK, 40.0, 220.0)]), at.profile
        )
        assert {kind for kind, _ in found} == {Kind.STRIKER, Kind.BLACK}
        assert unmatched([(d.x, d.y) for k, d in found if k is Kind.STRIKER], [place], 1.5) == ([], [])


def test_a_dark_centre_circle_is_no_black_coin_and_a_coin_upon_it_is_one() -> None:
    """The opening formation hides it until the break (simulated world 1042)."""
    at = Studio(look=replace(LOOK, red=(30, 28, 30)))
    profile = learn_colours(at.profile, [at.picture(FORMATION)])
    for coins in ([], [Piece(Kind.BLACK, 1.5, -1.0)], [Piece(Kind.WHITE, -1.0, 2.0)]):
        found = find_pieces(at.picture([*SCATTERED, *coins]), profile)
        assert [k for k, d in found if math.hypot(d.x, d.y) < 12.0] == [p.kind for p in coins]


def test_coins_seen_in_a_net_are_not_found_on_the_board() -> None:
    at = Studio(look=replace(LOOK, nets_show=True))
    film = Film(OTHERS, at=at)
    for disc in (3, 4, 12):
        film.stage.drop(disc)
    found = find_pieces(at.shot(next(film.scenes(1.0))), at.profile)
    assert unmatched([(d.x, d.y) for _, d in found], places(OTHERS), 2.5) == ([], [])


@pytest.fixture(scope="module")
def narrow() -> Studio:
    """A board calibrated from its own picture."""
    at = Studio(width=1092, height=816, board=NARROW)
    at.profile = calibrate([at.picture(SCATTERED)])
    return at


@pytest.mark.parametrize(("clearance", "legal"), [(1.5, True), (-1.5, False)])
def test_between_lines_29_mm_apart_a_striker_is_judged_by_them(clearance: float, legal: bool, narrow: Studio) -> None:
    """By the book's lines the first would not touch the front one, by 1.3 mm."""
    assert narrow.profile.board.line_gap == pytest.approx(29.0, abs=0.4)
    front = NARROW.half - NARROW.rear_line - NARROW.line_gap + NARROW.front_line_thickness / 2
    film = Film([*OTHERS, Piece(Kind.BLACK, 100.0, 0.0)], at=narrow, board=NARROW)
    film.stroke(60.0, -(front + NARROW.striker_radius - clearance), (100.0, 0.0), 1200.0)
    placement = the_stroke(film, 3.0).placement
    assert placement is not None
    assert placement.clearance_mm.front_line == pytest.approx(clearance, abs=0.7)
    assert placement.legal is legal
    assert placement.reason is (None if legal else PlacementReason.NOT_TOUCHING_FRONT_LINE)
