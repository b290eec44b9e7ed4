"""Defines the reasons why a calibration fails, as names for translation and as English sentences."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class CalibrationFault(StrEnum):
    """Causes of a failed calibration."""

    NO_PICTURE = "no_picture"
    SIZES = "sizes"
    BLACK = "black"
    EMPTY = "empty"
    NO_BOARD = "no_board"
    OUT_OF_VIEW = "out_of_view"
    BLURRED = "blurred"
    FEW_SIDES = "few_sides"
    FEW_MARKS = "few_marks"
    SCATTER = "scatter"
    CORNERS = "corners"
    HIDDEN = "hidden"
    SHEET_FEW = "sheet_few"
    SHEET_BENT = "sheet_bent"
    SHEET_ALIKE = "sheet_alike"
    LENS_SIZE = "lens_size"


REASON_SENTENCES = {
    CalibrationFault.NO_PICTURE: "the source gave no picture: check the camera or the file",
    CalibrationFault.SIZES: "the pictures have different sizes: give pictures of one camera only",
    CalibrationFault.BLACK: "the picture is black: take off the lens cap, switch on a light or expose longer",
    CalibrationFault.EMPTY: "the picture is empty (one colour all over): check that the camera sees the board",
    CalibrationFault.NO_BOARD: (
        "no carrom board found: its whole playing surface with the base lines must be in view, in focus and lit"
    ),
    CalibrationFault.OUT_OF_VIEW: (
        "part of the board lies outside the picture: move the camera until all of it is in view"
    ),
    CalibrationFault.BLURRED: "the picture is blurred: focus the lens on the playing surface and fix it there",
    CalibrationFault.FEW_SIDES: (
        "only {n} of the board's four sides can be made out: clear hands and coins off the lines"
    ),
    CalibrationFault.FEW_MARKS: "only {n} marks can be made out: focus the lens, light and clear the board",
    CalibrationFault.SCATTER: "the marks scatter by {n} mm: focus the lens and light the board evenly",
    CalibrationFault.CORNERS: (
        "the corners pointed at are not those of a board: give them clockwise from the picture's top left"
    ),
    CalibrationFault.HIDDEN: (
        "the profile's board is not found in the picture; free its lines and circles, or set it up again"
    ),
    CalibrationFault.SHEET_FEW: (
        "the sheet is recognised in {n} of {of} pictures, {least} are needed: take it flat, sharp and large, "
        "from different angles"
    ),
    CalibrationFault.SHEET_BENT: "the sheet's corners miss by {n} px: keep the sheet flat and the focus fixed",
    CalibrationFault.SHEET_ALIKE: (
        "the {n} pictures of the sheet are too alike: take it tilted to all sides, near and far"
    ),
    CalibrationFault.LENS_SIZE: (
        "the lens was measured at {width}x{height} but the pictures are {w}x{h}; take the sheet's pictures "
        "with the same settings as the board's"
    ),
}


class CalibrationReason(str):
    """The English sentence; `why` and `blanks` let a translation word it in another language."""

    why: CalibrationFault
    blanks: dict[str, float]

    def __new__(cls, why: CalibrationFault, **blanks: float) -> Self:
        reason = super().__new__(cls, REASON_SENTENCES[why].format(**blanks))
        reason.why, reason.blanks = why, blanks
        return reason
