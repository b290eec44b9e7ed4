"""How wide base lines are printed, on drawn boards whose makers were not of one mind."""

import numpy as np
import pytest
from drawn_board import WIDENED_MM, board_with, camera, picture

from calibration.calibrate import calibrate
from calibration.fit_board.line_width import Windows, line_widths
from calibration.fit_board.mark_samples import Mark, expected, layout_of
from models.board import load_board

REAR_MM, FRONT_MM, FRONT_SHARE = 0.75, 0.3, 0.15
"""How far a width may be off, for the camera's tone curve is not known; a wide front line by a share."""


FINE, COARSE = (1000, 750), (640, 480)


@pytest.mark.parametrize(
    ("rear", "front", "size", "worn"),
    [(5.5, 1.5, FINE, 0.0), (4.6, 1.2, FINE, 0.0), (5.2, 2.4, FINE, 0.0), (5.0, 5.0, FINE, 0.0),
     (4.6, 1.2, COARSE, 0.4), (5.0, 5.0, COARSE, 0.4)],
)  # fmt: skip
def test_both_widths_are_measured(rear: float, front: float, size: tuple[int, int], worn: float) -> None:
    board = board_with(rear_line_thickness=rear - WIDENED_MM, front_line_thickness=front - WIDENED_MM)
    found = calibrate([picture(camera(*size), board=board, worn=worn)])
    rears = [marks.rear_line.thickness for marks in found.sides.values() if marks.rear_line]
    fronts = [marks.front_line.thickness for marks in found.sides.values() if marks.front_line]
    assert len(rears) == 4
    assert len(fronts) >= 3
    assert rears == pytest.approx([rear] * 4, abs=REAR_MM)
    assert fronts == pytest.approx([front] * len(fronts), abs=FRONT_MM, rel=FRONT_SHARE)


@pytest.mark.parametrize("ink", [0.0, 3.0], ids=["bare", "hardly printed"])
def test_the_book_tells_where_the_picture_does_not(ink: float) -> None:
    board, view = load_board(), camera()
    plane = np.full((view.height, view.width), 180.0, np.float32)
    samples = expected(layout_of(board), 12.0, 8)
    seen = [samples.select(samples.mark == mark) for mark in (Mark.REAR, Mark.FRONT)]
    px = np.rint(view.to_pixels(seen[0].middles[:, :2])).astype(int)
    plane[px[:, 1], px[:, 0]] -= np.float32(ink)
    rear, front = (Windows(windows, np.zeros(len(windows.mark))) for windows in seen)
    widths, sigmas = line_widths(plane, view, rear, front, board).T
    assert widths.tolist() == [board.rear_line_thickness, board.front_line_thickness]
    assert min(sigmas) > 0.3
    nowhere = Windows(seen[0].select(np.zeros(0, np.int64)), np.zeros(0))
    assert line_widths(plane, view, nowhere, front, board).tolist() == np.stack([widths, sigmas], 1).tolist()
