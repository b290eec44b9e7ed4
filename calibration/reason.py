"""Why no board or no lens can be told from pictures: sentences in English that other languages can know by name."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class Why(StrEnum):
    """Everything that stands in the way of a calibration."""

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


SENTENCES = {
    Why.NO_PICTURE: "the source gave no picture: check the camera or the file",
    Why.SIZES: "the pictures have different sizes: give pictures of one camera only",
    Why.BLACK: "the picture is black: take off the lens cap, switch on a light or expose longer",
    Why.EMPTY: "the picture is empty (one colour all over): check that the camera sees the board",
    Why.NO_BOARD: "no carrom board found: its whole playing surface with the base lines must be in view, in focus and "
    "lit",
    Why.OUT_OF_VIEW: "part of the board lies outside the picture: move the camera until all of it is in view",
    Why.BLURRED: "the picture is blurred: focus the lens on the playing surface and fix it there",
    Why.FEW_SIDES: "only {n} of the board's four sides can be made out: clear hands and coins off the lines",
    Why.FEW_MARKS: "only {n} marks can be made out: focus the lens, light and clear the board",
    Why.SCATTER: "the marks scatter by {n} mm: focus the lens and light the board evenly",
    Why.CORNERS: "the corners pointed at are not those of a board: give them clockwise from the picture's top left",
    Why.HIDDEN: "the profile's board is not found in the picture; free its lines and circles, or set it up again",
    Why.SHEET_FEW: "the sheet is recognised in {n} of {of} pictures, {least} are needed: take it flat, sharp and "
    "large, from different angles",
    Why.SHEET_BENT: "the sheet's corners miss by {n} px: keep the sheet flat and the focus fixed",
    Why.SHEET_ALIKE: "the {n} pictures of the sheet are too alike: take it tilted to all sides, near and far",
    Why.LENS_SIZE: "the lens was measured at {width}x{height} but the pictures are {w}x{h}; take the sheet's pictures "
    "with the same settings as the board's",
}


class Reason(str):
    """The sentence itself; `why` and `blanks` say the same to who words it otherwise."""

    why: Why
    blanks: dict[str, float]

    def __new__(cls, why: Why, **blanks: float) -> Self:
        reason = super().__new__(cls, SENTENCES[why].format(**blanks))
        reason.why, reason.blanks = why, blanks
        return reason
