"""One look after another at a picture until a board is found in it beyond doubt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from calibration.find_board.board_size import misfit, ring_size
from calibration.find_board.hypotheses import Clues, Hypothesis, hypotheses
from calibration.find_board.model_selection import Attempt, SoughtBoard, attempt, likeliest, worked_out
from calibration.fit_board.mark_samples import layout_of
from calibration.fit_board.solve import CUT
from calibration.geometry.picture import Picture
from models.board import DEFAULT_BOARD, BoardModel, board_names, load_board

SEARCH_TRIES = 3
"""Guesses worked out fully before giving up."""
TRIES_ASLANT = 6
"""The same of boards seen aslant, for which far more passes."""
LEAST_ASLANT = 2.5
"""A board seen aslant must agree so well: what is none, or lies elsewhere by centimetres, reaches 2.43."""
LEAST_SCORE = 1.9
"""A guess that agrees no better with its picture is of no board: right ones reach 2.1 and more however worn and aslant,
those in pictures without a board 0.7 to 1.9.
"""
SAME_PROPORTION = 0.04
"""Boards whose base lines lie so near to the same share of the way to the cushions are found by each other's."""
SMALLER = (0.75, 0.55)
"""Where no fit is plain the board is sought in smaller pictures too: other lines stand out in them."""
SEARCH_CLEARER = 0.1
"""What was found another way than by the usual search must agree better by this."""


def search(view: SoughtBoard) -> Attempt | None:
    """The board that stands best: as a picture from above shows it, in smaller pictures, seen from aside."""
    best = found_by(view, _guesses(view))
    if view.lens is None and not (best and best.is_plain):
        best = _clearest(view, best)
        best = best if best and best.is_plain else _aslant(view, best)
    return best


def sought_as_each(view: SoughtBoard, found: Attempt) -> Attempt:
    """`found`, or the board sought anew as one of each model where none explains it: from a wrong place all misfit."""
    if view.board or found.sure:
        return found
    sought = [search(replace(view, board=name)) for name in board_names()]
    tried = [found, *(a for a in sought if a is not None and not a.reasons)]
    rings = [ring_size(view.picture, a.fit.camera, a.fit.layout, a.board.coin_height) for a in tried]
    return likeliest([(misfit(a.fit.layout, a.board, seen), a) for a, seen in zip(tried, rings, strict=True)])


def found_by(view: SoughtBoard, guesses: Sequence[Hypothesis]) -> Attempt | None:
    """The guess that stands best when worked out; the first plain one ends the search."""
    best: Attempt | None = None
    for guess in guesses:
        found = _taken(view, guess)
        if found is not None and found.is_better(best):
            best = found
        if found is not None and found.is_plain:
            break
    return best


def _taken(view: SoughtBoard, guess: Hypothesis) -> Attempt | None:
    """A guess worked out, taking the picture as whole or, where that does not explain it plainly with a usual camera,
    as one that was cropped or stretched: a worse guess may explain a part of the marks as a whole picture.
    """
    whole = worked_out(view, guess)
    if view.lens or (whole and whole.is_plain and not whole.is_strained):
        return whole
    cut = worked_out(view, guess, CUT)
    by = 0.0 if whole is None or whole.is_strained else SEARCH_CLEARER
    return cut if cut and cut.is_better(whole, by) else whole


def _guesses(view: SoughtBoard, aslant: bool = False) -> list[Hypothesis]:
    """What is worth being worked out, best first, in the millimetres of the usual board."""
    usual, tries = view.usual, TRIES_ASLANT if aslant else SEARCH_TRIES
    found, clues = [], Clues.of(view.seen, aslant)
    for model in [usual] if view.board else differing():
        s = model.base_y / usual.base_y
        found += [replace(guess, h=guess.h @ np.diag([s, s, 1.0]))
                  for guess in hypotheses(view.seen, layout_of(model), aslant, clues)]  # fmt: skip
    return [guess for guess in sorted(found, key=lambda g: -g.score)[:tries] if guess.score > LEAST_SCORE]


def differing() -> list[BoardModel]:
    """The usual board, and one of each other proportion of lines to cushions: by a wrong one a side of one square is
    taken for that of another.
    """
    chosen: list[BoardModel] = []
    for model in sorted(map(load_board, board_names()), key=lambda m: m.name != DEFAULT_BOARD):
        if all(abs(model.base_y / model.half - m.base_y / m.half) > SAME_PROPORTION for m in chosen):
            chosen.append(model)
    return chosen


def _clearest(view: SoughtBoard, best: Attempt | None) -> Attempt | None:
    """The `best` fit so far, or one that smaller pictures lead to and that agrees better with this one."""
    picture = view.picture
    for share in SMALLER:
        small = SoughtBoard.of(_shrunk(picture, share), view.board, height_mm=view.height_mm)
        found = found_by(small, _guesses(small))
        if found is None:
            continue
        camera = found.fit.camera.sized(picture.width, picture.height)
        again = attempt(view, camera, found.fit.layout, found.board, found.usual)
        if again is not None and again.is_better(best, SEARCH_CLEARER):
            best = again
    return best


def _aslant(view: SoughtBoard, best: Attempt | None) -> Attempt | None:
    """The `best` fit so far, or one of a board that is not seen from straight above and agrees better."""
    found = found_by(view, _guesses(view, aslant=True))
    if found is None or found.agreement < LEAST_ASLANT:
        return best
    return found if found.is_better(best, SEARCH_CLEARER) else best


def _shrunk(picture: Picture, share: float) -> Picture:
    """A picture with its sides shortened to so much."""
    width, height = (round(side * share / 2) * 2 for side in (picture.width, picture.height))
    sizes = (width, height), (width // 2, height // 2), (width // 2, height // 2)
    y, u, v = (np.asarray(cv2.resize(plane, size, interpolation=cv2.INTER_AREA), np.uint8)
               for plane, size in zip((picture.y, picture.u, picture.v), sizes, strict=True))  # fmt: skip
    return Picture(y, u, v, picture.full_range)
