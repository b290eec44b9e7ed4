"""Draws the ChArUco calibration sheet as a one-page A4 PDF at true scale, with a 100 mm line to check the printer."""

from __future__ import annotations

import io
from collections.abc import Iterator

import cv2
import numpy as np
import pydyf

from calibration.geometry.lens import LENS_SQUARES, MARKER_MM, SQUARE_MM, charuco_board

PAGE_MM = (297.0, 210.0)
"""A4, the long side across."""
POINTS_PER_MM = 72.0 / 25.4
"""A PDF counts in points, of which 72 make an inch (ISO 32000-1, 8.3.2.3)."""
CHECK_MM = 100.0
TICK_MM = 3.0
LINE_MM = 0.3
TEXT_MM = 3.4
SHEET_LEFT_MM = (PAGE_MM[0] - LENS_SQUARES[0] * SQUARE_MM) / 2
"""Left edge of the target and the words."""
WORDS = ("Print at 100 % (no fitting to the page), glue flat onto something stiff, show it to the camera from about "
         "twelve angles.", "This line is 100 mm long:")  # fmt: skip

Rectangle = tuple[float, float, float, float]
"""Left, bottom, width and height, mm from the page's lower left corner."""


def sheet_pdf() -> bytes:
    """Returns the PDF file."""
    pdf, drawing = pydyf.PDF(), _drawing()
    font = pydyf.Dictionary({"Type": "/Font", "Subtype": "/Type1", "BaseFont": "/Helvetica"})
    pdf.add_object(font)
    pdf.add_object(drawing)
    pdf.add_page(
        pydyf.Dictionary({
            "Type": "/Page", "Parent": pdf.pages.reference, "Contents": drawing.reference,
            "MediaBox": pydyf.Array([0, 0, *(mm * POINTS_PER_MM for mm in PAGE_MM)]),
            "Resources": pydyf.Dictionary({"Font": pydyf.Dictionary({"F1": font.reference})}),
        })
    )  # fmt: skip
    file = io.BytesIO()
    pdf.write(file, version=b"1.4")
    return file.getvalue()


def _drawing() -> pydyf.Stream:
    """Returns the page's content in mm: filled rectangles, the words, the check line."""
    drawing = pydyf.Stream()
    drawing.set_matrix(POINTS_PER_MM, 0, 0, POINTS_PER_MM, 0, 0)
    for rectangle in rectangles():
        drawing.rectangle(*rectangle)
    drawing.fill()
    _write(drawing, WORDS[0], SHEET_LEFT_MM, 11.0)
    _write(drawing, WORDS[1], SHEET_LEFT_MM, 5.0)
    _draw_check_line(drawing, SHEET_LEFT_MM + 45.0, 6.0)
    return drawing


def rectangles() -> list[Rectangle]:
    """Returns the black parts of the sheet: its dark squares, and the dark cells of its markers."""
    columns, rows = LENS_SQUARES
    top = PAGE_MM[1] - (PAGE_MM[1] - rows * SQUARE_MM) * 0.4
    found, number = [], 0
    for row in range(rows):
        for column in range(columns):
            x, y = SHEET_LEFT_MM + column * SQUARE_MM, top - (row + 1) * SQUARE_MM
            # OpenCV's boards begin with a dark square at the top left.
            if (row + column) % 2 == 0:
                found.append((x, y, SQUARE_MM, SQUARE_MM))
            else:
                found += _marker(number, x, y)
                number += 1
    return found


def _marker(number: int, x: float, y: float) -> Iterator[Rectangle]:
    """Yields the dark cells of a marker in the middle of the square whose lower left corner is at (x, y)."""
    dictionary = charuco_board().getDictionary()
    cells = dictionary.markerSize + 2
    bits = cv2.aruco.generateImageMarker(dictionary, number, cells)
    cell, inset = MARKER_MM / cells, (SQUARE_MM - MARKER_MM) / 2
    for row, column in np.argwhere(np.asarray(bits) == 0).tolist():
        yield x + inset + column * cell, y + inset + (cells - 1 - row) * cell, cell, cell


def _write(drawing: pydyf.Stream, words: str, x: float, y: float) -> None:
    drawing.begin_text()
    drawing.set_font_size("F1", TEXT_MM)
    drawing.move_text_to(x, y)
    drawing.show_text_string(words)
    drawing.end_text()


def _draw_check_line(drawing: pydyf.Stream, x: float, y: float) -> None:
    drawing.set_line_width(LINE_MM)
    tick = TICK_MM / 2
    for start, end in (((x, y), (x + CHECK_MM, y)), ((x, y - tick), (x, y + tick)),
                       ((x + CHECK_MM, y - tick), (x + CHECK_MM, y + tick))):  # fmt: skip
        drawing.move_to(*start)
        drawing.line_to(*end)
        drawing.stroke()
