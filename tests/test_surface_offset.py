"""Boards whose prints lie beside the middle of the playing surface, as home-made ones do: cushions tell the corners."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from drawn_board import camera, picture
from sim_scenes import BOARD, RADIUS, studio
from test_surface_size import printed

from calibration.calibrate import calibrate
from calibration.profile import Point, Profile
from calibration.rescale import rescaled
from calibration.turning import turned
from models.board import load_board
from models.pieces import Kind, Piece, Pocket
from referee.commands.detect import corners_px
from referee.foreground.background import BackgroundModel
from referee.pieces.circles import scan_lattice
from referee.pieces.detector import find_pieces
from referee.pieces.printed_mask import at_coin_height, hole_mask

CORNER = 0.006
"""Tolerance of a corner, share of a side; taken for the middle of their prints, these boards' were off by 0.009."""
ASIDE = (4.0, -6.0)


def beside(middle: Point) -> Profile:
    """A profile of the simulator's board that has the surface's middle there, and nothing else changed."""
    return replace(studio().profile, middle=middle)


@pytest.mark.parametrize(("ratio", "quarter", "middle"), [(1.0, 0.0, (3.0, -5.0)), (0.95, 55.0, (-6.0, 2.0))])
def test_corners_are_where_the_cushions_are_and_not_about_the_prints(ratio: float, quarter: float,
                                                                    middle: Point) -> None:  # fmt: skip
    view = camera()
    found = calibrate([picture(view, printed(ratio), quarter=quarter, middle=middle)])
    half = load_board().half
    corners = np.array([(-half, half), (half, half), (half, -half), (-half, -half)]) + middle
    off = np.linalg.norm(np.array(corners_px(found)) - view.to_pixels(corners), axis=1)
    assert off.max() < CORNER * 2 * half * float(view.px_per_mm()[0])
    assert math.dist(found.middle, middle) < 3.0
    holes = np.array([found.pockets[pocket].centre for pocket in Pocket]) - found.middle
    assert np.abs(np.abs(holes[:, 0]) - np.abs(holes[:, 1])).max() < 6.0
    if not quarter:
        # Of a pocket taken for smaller the rest would be a piece.
        assert all(-0.5 < found.pockets[p].radius - load_board().pocket_diameter / 2 < 3.0 for p in Pocket)


def test_a_turned_or_measured_board_keeps_its_corners_in_the_picture() -> None:
    profile = beside(ASIDE)
    for other in (*(turned(profile, n) for n in (1, 2, 3)), rescaled(profile, 900.0)):
        np.testing.assert_allclose(corners_px(other), corners_px(profile), atol=0.02)


def test_a_mirrored_picture_has_its_corners_clockwise_from_the_left_too() -> None:
    profile = beside(ASIDE)
    mirrored = replace(profile, camera=replace(profile.camera, mirror=True))
    (left, top), (right, _), (_, bottom), _ = corners_px(mirrored)
    assert left < right
    assert top < bottom


def test_the_middle_is_kept_with_the_profile_and_lies_in_the_prints_where_none_was_kept() -> None:
    profile = beside(ASIDE)
    assert Profile.from_json(profile.to_json()).middle == ASIDE
    older = profile.to_json().replace('"middle"', '"unknown"')
    assert Profile.from_json(older).middle == (0.0, 0.0)


def test_a_coin_at_a_cushion_lies_on_the_board_wherever_the_prints_are() -> None:
    """It lay 6 mm beyond the square about the prints, and was no piece."""
    at = studio()
    coin = Piece(Kind.BLACK, 60.0, BOARD.half - RADIUS[Kind.BLACK])
    south = replace(at.profile, middle=(0.0, 6.0), board=replace(BOARD, surface=BOARD.surface - 12.0))
    found = find_pieces(at.picture((coin,)), south)
    assert [kind for kind, disc in found if math.dist((disc.x, disc.y), (coin.x_mm, coin.y_mm)) < 2.0] == [Kind.BLACK]


def test_what_lies_beyond_the_cushions_is_told_by_where_they_are() -> None:
    profile = beside(ASIDE)
    cells = scan_lattice(profile.camera, BOARD.half, BOARD.coin_height)
    places = at_coin_height(profile, np.array([(BOARD.half + 1.0, 0.0), (3.0 - BOARD.half, 0.0)]))
    (x, y), (u, v) = np.round(cells.to_cells(places)).astype(int)
    holes, by_prints = hole_mask(profile, cells), hole_mask(beside((0.0, 0.0)), cells)
    assert (holes[y, x], holes[v, u]) == (0, 255)
    assert (by_prints[y, x], by_prints[v, u]) == (255, 0)
    background, about_prints = BackgroundModel(profile), BackgroundModel(beside((0.0, 0.0)))
    assert background.x[background.inside > 0].max() == pytest.approx(
        about_prints.x[about_prints.inside > 0].max() + 4.0, abs=2.0
    )
