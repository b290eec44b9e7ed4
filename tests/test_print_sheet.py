"""The printed sheet: what its PDF draws is the very target that the lens is measured with, at its true scale."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.geometry.lens import MARKER_MM, SQUARE_MM, SQUARES, charuco_board, sheet_corners
from calibration.sheet import CHECK_MM, PAGE_MM, POINTS_PER_MM, rectangles, sheet_pdf

PX_PER_MM = 8


def printed() -> np.ndarray:
    """The page as a printer puts it on paper."""
    page = np.full((round(PAGE_MM[1] * PX_PER_MM), round(PAGE_MM[0] * PX_PER_MM)), 255, np.uint8)
    for x, y, w, h in rectangles():
        left, right = round(x * PX_PER_MM), round((x + w) * PX_PER_MM)
        top, bottom = round((PAGE_MM[1] - y - h) * PX_PER_MM), round((PAGE_MM[1] - y) * PX_PER_MM)
        page[top:bottom, left:right] = 0
    return page


def test_every_corner_of_the_target_is_recognised_at_its_place() -> None:
    corners, ids = sheet_corners(cv2.resize(printed(), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA))
    assert sorted(ids) == list(range((SQUARES[0] - 1) * (SQUARES[1] - 1)))
    mm = corners / (PX_PER_MM / 2)
    wanted = np.asarray(charuco_board().getChessboardCorners())[ids, :2]
    assert np.abs((mm - mm[0]) - (wanted - wanted[0])).max() < 0.1


def test_it_is_drawn_as_opencv_draws_it() -> None:
    inset = (PAGE_MM[0] - SQUARES[0] * SQUARE_MM) / 2
    theirs = charuco_board().generateImage((270 * PX_PER_MM, 180 * PX_PER_MM))
    left = round(inset * PX_PER_MM)
    top = round(min(PAGE_MM[1] - y - h for _, y, _, h in rectangles()) * PX_PER_MM)
    ours = printed()[top : top + 180 * PX_PER_MM, left : left + 270 * PX_PER_MM]
    assert np.mean(ours != theirs) < 0.02, "rounding at the cells' edges"


def test_the_page_is_a4_and_lies_inside_the_paper_with_room_for_a_printers_margin() -> None:
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", sheet_pdf())
    assert box is not None
    assert [float(v) / POINTS_PER_MM for v in box.groups()] == pytest.approx(PAGE_MM, abs=0.01)
    xs = [v for x, _, w, _ in rectangles() for v in (x, x + w)]
    ys = [v for _, y, _, h in rectangles() for v in (y, y + h)]
    assert min(*xs, *ys, PAGE_MM[0] - max(xs)) > 10
    assert max(ys) < PAGE_MM[1] - 5
    assert max(xs) - min(xs) == pytest.approx(SQUARES[0] * SQUARE_MM)
    assert MARKER_MM < SQUARE_MM


def test_the_check_line_is_100_mm_long() -> None:
    lines = re.findall(rb"([\d.]+) ([\d.]+) m ([\d.]+) ([\d.]+) l S", sheet_pdf())
    x1, y1, x2, y2 = (float(v) for v in lines[0])
    assert ((x2 - x1) / POINTS_PER_MM, y1) == (pytest.approx(CHECK_MM, abs=0.001), y2)


def test_the_file_is_well_formed() -> None:
    data = sheet_pdf()
    start = int(data.rsplit(b"startxref\n", 1)[1].split(b"\n")[0])
    assert data[start:].startswith(b"xref")
    for number, row in enumerate(data[start:].split(b"\n")[3:8], 1):
        assert data[int(row[:10]) :].startswith(b"%d 0 obj" % number)
    length = int(data.split(b"/Length ")[1].split(b" ")[0])
    stream = data.split(b"stream\n", 1)[1].split(b"\nendstream")[0]
    assert len(stream) == length


def test_a_pdf_program_shows_the_same(tmp_path: Path) -> None:
    if shutil.which("pdftoppm") is None:
        pytest.skip("no pdftoppm: apt-get install poppler-utils")
    (tmp_path / "sheet.pdf").write_bytes(sheet_pdf())
    subprocess.run(["pdftoppm", "-r", "101.6", "-gray", "-png", "sheet.pdf", "sheet"], cwd=tmp_path, check=True)
    seen = cv2.imread(str(next(tmp_path.glob("sheet*.png"))), cv2.IMREAD_GRAYSCALE)
    corners, ids = sheet_corners(np.asarray(seen, np.uint8))
    assert len(ids) == 40
    wanted = np.asarray(charuco_board().getChessboardCorners())[ids, :2]
    mm = corners / 4.0
    assert np.abs((mm - mm[0]) - (wanted - wanted[0])).max() < 0.15
