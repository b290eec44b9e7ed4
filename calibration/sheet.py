"""The ChArUco sheet as a PDF of one A4 page at its true scale, with a line of 100 mm to check the printer by."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from calibration.geometry.lens import MARKER_MM, SQUARE_MM, SQUARES, charuco_board

PAGE_MM = (297.0, 210.0)
"""A4, the long side across."""
POINTS_PER_MM = 72.0 / 25.4
"""A PDF counts in points, of which 72 make an inch (ISO 32000-1, 8.3.2.3)."""
CHECK_MM = 100.0
TICK_MM = 3.0
TEXT_MM = 3.4
WORDS = ("Print at 100 % (no fitting to the page), glue flat onto something stiff, show it to the camera from about "
         "twelve angles.", "This line is 100 mm long:")  # fmt: skip

Rectangle = tuple[float, float, float, float]
"""Left, bottom, width and height, mm from the page's lower left corner."""


def sheet_pdf() -> bytes:
    """The whole file."""
    drawing = "\n".join(_drawing()).encode("ascii")
    width, height = (f"{mm * POINTS_PER_MM:.3f}" for mm in PAGE_MM)
    return _file(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R "
            "/Resources << /Font << /F1 5 0 R >> >> >>".encode("ascii"),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawing), drawing),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        ]
    )


def rectangles() -> list[Rectangle]:
    """The black parts of the sheet: its dark squares, and the dark cells of its markers."""
    columns, rows = SQUARES
    left = (PAGE_MM[0] - columns * SQUARE_MM) / 2
    top = PAGE_MM[1] - (PAGE_MM[1] - rows * SQUARE_MM) * 0.4
    found, number = [], 0
    for row in range(rows):
        for column in range(columns):
            x, y = left + column * SQUARE_MM, top - (row + 1) * SQUARE_MM
            # OpenCV's boards begin with a dark square at the top left.
            if (row + column) % 2 == 0:
                found.append((x, y, SQUARE_MM, SQUARE_MM))
            else:
                found += _marker(number, x, y)
                number += 1
    return found


def _marker(number: int, x: float, y: float) -> Iterator[Rectangle]:
    """The dark cells of a marker in the middle of the square whose lower left corner is at (x, y)."""
    dictionary = charuco_board().getDictionary()
    cells = dictionary.markerSize + 2
    bits = cv2.aruco.generateImageMarker(dictionary, number, cells)
    cell, inset = MARKER_MM / cells, (SQUARE_MM - MARKER_MM) / 2
    for row, column in np.argwhere(np.asarray(bits) == 0).tolist():
        yield x + inset + column * cell, y + inset + (cells - 1 - row) * cell, cell, cell


def _drawing() -> Iterator[str]:
    """The page's content: filled rectangles, the check line, the words."""
    yield "0 g"
    for rectangle in rectangles():
        yield " ".join(f"{mm * POINTS_PER_MM:.4f}" for mm in rectangle) + " re"
    yield "f"
    left = (PAGE_MM[0] - SQUARES[0] * SQUARE_MM) / 2
    yield from (_text(WORDS[0], left, 11.0), _text(WORDS[1], left, 5.0))
    yield from _check_line(left + 45.0, 6.0)


def _check_line(x: float, y: float) -> Iterator[str]:
    yield f"{0.3 * POINTS_PER_MM:.4f} w"
    for x1, y1, x2, y2 in ((x, y, x + CHECK_MM, y), (x, y - TICK_MM / 2, x, y + TICK_MM / 2),
                           (x + CHECK_MM, y - TICK_MM / 2, x + CHECK_MM, y + TICK_MM / 2)):  # fmt: skip
        a, b, c, d = (f"{mm * POINTS_PER_MM:.4f}" for mm in (x1, y1, x2, y2))
        yield f"{a} {b} m {c} {d} l S"


def _text(words: str, x: float, y: float) -> str:
    plain = words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    size, at = TEXT_MM * POINTS_PER_MM, (x * POINTS_PER_MM, y * POINTS_PER_MM)
    return f"BT /F1 {size:.3f} Tf {at[0]:.3f} {at[1]:.3f} Td ({plain}) Tj ET"


def _file(objects: list[bytes]) -> bytes:
    """Numbered objects with the table that says where each begins."""
    out, starts = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        starts.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % start for start in starts)
    size = len(objects) + 1
    return out + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        size, table, size, len(out))  # fmt: skip
