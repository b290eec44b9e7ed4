"""The printed sheet: what its PDF draws is the very target that the lens is measured with, at its true scale."""

from __future__ import annotations

import cv2
import numpy as np
import pypdfium2
import pytest
from numpy.typing import NDArray

from calibration.geometry.lens import LENS_SQUARES, SQUARE_MM, charuco_board, sheet_corners
from calibration.sheet import sheet_pdf

PX_PER_MM = 8
MM_PER_POINT = 25.4 / 72
WIDE_MM, HIGH_MM = LENS_SQUARES[0] * SQUARE_MM, LENS_SQUARES[1] * SQUARE_MM


@pytest.fixture(scope="module")
def page() -> pypdfium2.PdfPage:
    return pypdfium2.PdfDocument(sheet_pdf())[0]


@pytest.fixture(scope="module")
def printed(page: pypdfium2.PdfPage) -> NDArray[np.uint8]:
    """The page (h, w) as a printer puts it on paper."""
    drawn = page.render(scale=PX_PER_MM * MM_PER_POINT, grayscale=True).to_numpy()
    return np.array(drawn).reshape(drawn.shape[:2])


def target(printed: NDArray[np.uint8]) -> tuple[int, int]:
    """Row and column of the target's upper left corner: its first square is dark."""
    dark = printed[: round(180 * PX_PER_MM)] < 128
    return int(np.flatnonzero(dark.any(axis=1))[0]), int(np.flatnonzero(dark.any(axis=0))[0])


def longest_run(row: NDArray[np.bool_]) -> int:
    """Most pixels on end that are True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], row, [False]])))
    return int((edges[1::2] - edges[::2]).max(initial=0))


def test_the_page_is_one_of_a4_across(page: pypdfium2.PdfPage) -> None:
    assert len(page.pdf) == 1
    assert [points * MM_PER_POINT for points in page.get_size()] == pytest.approx([297.0, 210.0], abs=0.01)


def test_every_corner_of_the_target_is_recognised_at_its_place(printed: NDArray[np.uint8]) -> None:
    corners, ids = sheet_corners(cv2.resize(printed, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA))
    assert sorted(ids) == list(range((LENS_SQUARES[0] - 1) * (LENS_SQUARES[1] - 1)))
    mm = corners / (PX_PER_MM / 2)
    wanted = np.asarray(charuco_board().getChessboardCorners())[ids, :2]
    assert np.abs((mm - mm[0]) - (wanted - wanted[0])).max() < 0.1


def test_it_is_drawn_as_opencv_draws_it(printed: NDArray[np.uint8]) -> None:
    size = round(WIDE_MM * PX_PER_MM), round(HIGH_MM * PX_PER_MM)
    theirs = charuco_board().generateImage(size)
    top, left = target(printed)
    ours = printed[top : top + size[1], left : left + size[0]]
    assert np.mean((ours < 128) != (theirs < 128)) < 0.02, "rounding at the cells' edges"


def test_it_lies_inside_the_paper_with_room_for_a_printers_margin(printed: NDArray[np.uint8]) -> None:
    top, left = (px / PX_PER_MM for px in target(printed))
    assert min(left, 297.0 - left - WIDE_MM) > 10
    assert min(top, 210.0 - top - HIGH_MM) > 5


def test_the_check_line_is_100_mm_long(page: pypdfium2.PdfPage, printed: NDArray[np.uint8]) -> None:
    assert "This line is 100 mm long:" in page.get_textpage().get_text_range()
    below = printed[target(printed)[0] + round(HIGH_MM * PX_PER_MM) :] < 128
    longest = max(longest_run(row) for row in below)
    assert longest / PX_PER_MM == pytest.approx(100.0 + 0.3, abs=0.2), "with the width of its ends' strokes"
