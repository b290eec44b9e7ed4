"""Recognising the board: marks of one proportion on boards of several sizes are told apart by lengths and coins."""

from __future__ import annotations

from dataclasses import replace

import cv2
import pytest
from drawn_board import camera, error_mm, picture
from sim_scenes import BOARD, FORMATION, SCATTERED, studio

from calibration.calibrate import calibrate
from calibration.find_board.board_size import RingSize, misfit, ring_size
from calibration.find_board.hypotheses import hypotheses
from calibration.find_board.model_selection import Attempt, SearchPicture, fit_guess, fit_model, likeliest, select_model
from calibration.fit_board.mark_samples import MarkLayout, layout_of
from calibration.reason import CalibrationFault, CalibrationReason
from models.board import BoardModel, board_names, load_board
from models.pieces import Piece

LAYOUT = layout_of(BOARD)


def enlarged(board: BoardModel, ratio: float) -> MarkLayout:
    """What is measured of `board` when everything is taken for larger than it is."""
    return MarkLayout.from_vector(layout_of(board).vector() * ratio)


@pytest.fixture(scope="module")
def attempts() -> dict[str, Attempt]:
    """One and the same drawn board, worked out as if it were each of the models; equally good but for what is told."""
    view = SearchPicture.of(picture(camera()), BOARD.name)
    board = fit_guess(view, hypotheses(view.edges, LAYOUT)[0])
    assert board is not None
    return {name: replace(board, board=load_board(name)) for name in board_names()}


@pytest.mark.parametrize("name", board_names())
def test_a_board_by_its_book_is_explained_by_its_model(name: str) -> None:
    board = load_board(name)
    assert misfit(layout_of(board), board, RingSize(board.coin_radius)) == 0.0


def is_plausible(misfits: float, attempts: dict[str, Attempt]) -> bool:
    """Whether a board that fits no other model is taken for sure in spite of so great a misfit."""
    return likeliest([(misfits, attempts["icf74"])]).sure


def test_a_makers_own_lengths_stay_plausible(attempts: dict[str, Attempt]) -> None:
    own = replace(LAYOUT, rear=LAYOUT.rear + 2.0, front=LAYOUT.front + 3.0, circle_x=LAYOUT.circle_x - 1.5)
    assert is_plausible(misfit(own, BOARD, RingSize(BOARD.coin_radius - 0.4)), attempts)


def test_a_small_board_taken_for_a_large_one_is_not_plausible(attempts: dict[str, Attempt]) -> None:
    small = load_board("carambole60")
    ratio = BOARD.half / small.half
    large = enlarged(small, ratio)
    assert not is_plausible(misfit(large, BOARD, None), attempts)
    assert not is_plausible(misfit(large, BOARD, RingSize(small.coin_radius * ratio)) / 2, attempts)


@pytest.mark.parametrize("pieces", [FORMATION, SCATTERED])
def test_the_coins_size_is_told_roughly(pieces: tuple[Piece, ...]) -> None:
    found = ring_size(studio().picture(pieces), studio().camera, LAYOUT, BOARD.coin_height)
    assert found is not None
    assert not found.alone
    assert found.radius == pytest.approx(BOARD.coin_radius, abs=1.6)


def test_a_ring_alone_may_be_the_striker(attempts: dict[str, Attempt]) -> None:
    """A lone striker on a board of 74 cm was taken for a coin, and the board for one of 60 cm."""
    assert misfit(LAYOUT, BOARD, RingSize(BOARD.striker_radius, alone=True)) == 0.0
    assert not is_plausible(misfit(LAYOUT, BOARD, RingSize(BOARD.striker_radius)), attempts)


def test_a_model_that_takes_other_edges_for_its_lines_gives_way() -> None:
    """A board of 74 cm was taken for one of 60 cm whose pockets are there, but not its base lines, 20 mm beside."""
    view, small = SearchPicture.of(picture(camera()), "home60"), layout_of(load_board("home60"))
    found = fit_guess(view, hypotheses(view.edges, small)[0])
    assert found is not None
    assert found.fit.layout.half == pytest.approx(small.half, abs=1.0)
    told = select_model(replace(view, board=None), found)
    assert (told.board.name, told.sure) == ("icf74", True)
    assert told.fit.layout.rear == pytest.approx(LAYOUT.rear, abs=1.0)


def test_a_third_line_before_each_side_is_not_taken_for_its_front_line() -> None:
    """A maker's third line was taken for the front line and that for the rear one, 33 mm beside, and for sure."""
    view = SearchPicture.of(picture(camera(), third=LAYOUT.front**2 / LAYOUT.rear))
    found = fit_model(view, camera().farther(LAYOUT.rear / LAYOUT.front), LAYOUT, BOARD)
    assert found is not None
    assert not found.reasons
    told = select_model(view, found)
    assert (told.board.name, told.sure) == ("icf74", True)
    assert told.fit.camera.px_per_mm()[0] == pytest.approx(camera().px_per_mm()[0], rel=0.005)


def test_rings_that_repeat_before_each_side_are_print() -> None:
    """Bold arrows' arcs of a home board were taken for coins, and the board for a large one."""
    seen, view = studio().picture(), studio().camera
    for x, y in ((100.0, 100.0), (-100.0, 100.0), (100.0, -100.0), (-100.0, -100.0)):
        column, row = view.to_pixels([(x, y)])[0].round().astype(int).tolist()
        cv2.circle(seen.y, (column, row), round(17.0 * float(view.px_per_mm()[0])), 30, 3)
    assert ring_size(seen, view, LAYOUT, BOARD.coin_height) is None


def test_without_coins_their_size_is_not_told() -> None:
    assert ring_size(studio().picture(), studio().camera, LAYOUT, BOARD.coin_height) is None


def test_a_model_is_told_by_its_lengths_where_marks_agree_equally(attempts: dict[str, Attempt]) -> None:
    found, other = attempts["icf74"], attempts["masters72"]
    told = likeliest([(20.0, found), (2.0, other)])
    assert (told.board.name, told.sure) == ("masters72", True)
    told = likeliest([(7.0, found), (3.5, other)])
    assert (told.board.name, told.sure) == ("masters72", False)


def test_lengths_weigh_against_how_well_the_marks_agree(attempts: dict[str, Attempt]) -> None:
    found, other = attempts["icf74"], attempts["masters72"]
    worse = replace(found, agreement=other.agreement - 0.4)
    assert likeliest([(20.0, worse), (21.0, other)]).board.name == "masters72"
    assert likeliest([(20.0, worse), (38.0, other)]).board.name == "icf74"


def test_lengths_weigh_against_how_much_is_seen_of_the_marks(attempts: dict[str, Attempt]) -> None:
    """Lengths that are not seen cannot come out wrong; of the right model less may be seen (world 13208)."""
    found, other = attempts["icf74"], attempts["masters72"]
    less_seen = replace(other, worth=found.worth - 0.21)
    assert likeliest([(7.0, found), (4.0, less_seen)]).board.name == "icf74"
    told = likeliest([(20.0, found), (4.0, less_seen)])
    assert (told.board.name, told.sure) == ("masters72", True)


def test_a_model_that_is_refused_is_no_rival(attempts: dict[str, Attempt]) -> None:
    found, other = attempts["icf74"], attempts["masters72"]
    refused = replace(other, agreement=found.agreement + 0.4, reasons=(CalibrationReason(CalibrationFault.NO_BOARD),))
    told = likeliest([(7.0, found), (1.0, refused)])
    assert (told.board.name, told.sure) == ("icf74", True)


def test_a_board_that_no_model_explains_is_never_sure(attempts: dict[str, Attempt]) -> None:
    """One of 60 cm was taken for one of 72 cm with a misfit of 33, and sure."""
    assert not likeliest([(33.0, attempts["icf74"])]).sure


@pytest.mark.parametrize("name", board_names())
def test_an_empty_board_is_recognised_by_its_marks_alone(name: str) -> None:
    board, view = load_board(name), camera()
    found = calibrate([picture(view, board, coins=False)])
    assert found.board.name == name
    assert found.residuals.model_sure
    assert error_mm(view, found.camera, board) < 0.6
