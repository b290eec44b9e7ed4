"""Searches a picture for a board with one method after another until a fit is clear.

The methods are: the usual search from above, downscaled pictures, and a search for boards seen obliquely. The input is
a `SearchPicture`, the output an `Attempt` or None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np

from calibration.find_board.hypotheses import Clues, Hypothesis, hypotheses
from calibration.find_board.model_selection import Attempt, SearchPicture, fit_guess, fit_model
from calibration.find_board.quality import BASE_LINES
from calibration.fit_board.cross_profiles import cross_profiles
from calibration.fit_board.fit import FIT_STAGES
from calibration.fit_board.mark_samples import expected, layout_of
from calibration.fit_board.solve import CROPPED
from calibration.geometry.picture import Picture
from models.board import DEFAULT_BOARD, BoardModel, board_names, load_board

SEARCH_TRIES = 3
"""Greatest number of guesses refined."""
TRIES_ASLANT = 6
"""The same for boards seen obliquely, where far more false guesses pass."""
LEAST_ASLANT = 2.5
"""Least agreement of a board seen obliquely: false boards, and fits off by centimetres, reach 2.43."""
LEAST_SCORE = 1.9
"""Score that a guess must exceed: right ones reach 2.1 and more however worn or oblique the board is, those in pictures
without a board 0.7 to 1.9.
"""
SAME_PROPORTION = 0.04
"""Difference of the ratio base line / half side up to which one board's layout also finds another board."""
SMALLER = (0.75, 0.55)
"""Scale factors of the smaller pictures searched if no fit is clear: other lines stand out in them."""
SENSOR_SHAPES, SHAPE_SLACK = (5 / 4, 4 / 3, 3 / 2, 16 / 9, 17 / 9), 0.01
"""Ratios of the sides of sensors and their modes, and the relative difference allowed: 1332x990 is 0.9 % from 4:3. A
picture of another shape was cropped, so its middle is not the lens's."""
LINE_TAP_MM = 1.0
"""Distance of the points across a base line at which its tone is compared with the wood's, mm."""
SEARCH_CLEARER = 0.1
"""Gain in agreement that a result of any other than the usual search needs."""

Guesses = Callable[[SearchPicture], Sequence[Hypothesis]]
Searched = tuple[SearchPicture, Attempt | None]
"""A picture as it was searched, for dark or pale print, and the best fit."""


def search(view: SearchPicture) -> Searched:
    """Returns the best fit of the searches from above, in smaller pictures and for oblique views, or None; with the
    picture as it was searched.

    The searches after the first run only if no fit is clear yet, those after the second only if the lens is not given.
    """
    view, best = likelier_print(view, fit_guesses(view, best_guesses(view)), best_guesses)
    if view.lens is None and not (best and best.is_plain):
        best = search_smaller(view, best)
        best = best if best and best.is_plain else search_aslant(view, best)
    return view, best


def likelier_print(view: SearchPicture, best: Attempt | None, guesses: Guesses) -> Searched:
    """Returns `best`, or a fit with pale print on dark wood that agrees better.

    Such a fit is tried where `best` is not clear, or where its base lines are pale.
    """
    if best is not None and best.is_plain and not are_lines_paler(view, best):
        return view, best
    pale = view.with_pale_print()
    found = fit_guesses(pale, guesses(pale))
    return (pale, found) if found is not None and found.is_better(best, SEARCH_CLEARER) else (view, best)


def are_lines_paler(view: SearchPicture, found: Attempt) -> bool:
    """Tells whether across the base lines of a fit, or beside them, more stands out paler than darker from the wood."""
    nearby = FIT_STAGES[0]
    lines = expected(found.fit.layout, nearby.window, nearby.run, BASE_LINES)
    taps = np.arange(-nearby.reach, nearby.reach + LINE_TAP_MM / 2, LINE_TAP_MM)
    levels = cross_profiles(view.planes.tone, found.fit.camera, lines, taps)
    levels = levels[~np.isnan(levels).any(axis=1)]
    off = levels - np.median(levels, axis=1, keepdims=True)
    return bool(off.max(axis=1).sum() > -off.min(axis=1).sum())


def fit_guesses(view: SearchPicture, guesses: Sequence[Hypothesis]) -> Attempt | None:
    """Refines guesses in turn and returns the best; the first clear one ends the search."""
    best: Attempt | None = None
    for guess in guesses:
        found = _fit_whole_or_cropped(view, guess)
        if found is not None and found.is_better(best):
            best = found
        if found is not None and found.is_plain:
            break
    return best


def _fit_whole_or_cropped(view: SearchPicture, guess: Hypothesis) -> Attempt | None:
    """Refines a guess for an uncropped picture and, if that is not clear or the camera implausible, for a cropped one.

    The second try also covers stretched pictures. Without it a worse guess might explain part of the marks as an
    uncropped picture.
    """
    whole = fit_guess(view, guess) if view.lens or _has_sensors_shape(view.picture) else None
    is_likelier_cropped = whole is not None and not view.lens and whole.is_likelier_cropped
    if view.lens or (whole and whole.is_plain and not is_likelier_cropped):
        return whole
    cut = fit_guess(view, guess, CROPPED)
    return cut if cut and cut.is_better(whole, -SEARCH_CLEARER if is_likelier_cropped else SEARCH_CLEARER) else whole


def _has_sensors_shape(picture: Picture) -> bool:
    """Tells whether a whole sensor may have taken the picture, by the ratio of its sides."""
    ratio = max(picture.width, picture.height) / min(picture.width, picture.height)
    return any(abs(ratio / shape - 1.0) < SHAPE_SLACK for shape in SENSOR_SHAPES)


def best_guesses(view: SearchPicture, aslant: bool = False) -> list[Hypothesis]:
    """Returns the guesses worth refining, best first, in the millimetres of the usual board."""
    usual, tries = view.default_model, TRIES_ASLANT if aslant else SEARCH_TRIES
    found, clues = [], Clues.of(view.edges, aslant)
    for model in [usual] if view.board else differing():
        s = model.base_y / usual.base_y
        found += [replace(guess, h=guess.h @ np.diag([s, s, 1.0]))
                  for guess in hypotheses(view.edges, layout_of(model), aslant, clues)]  # fmt: skip
    return [guess for guess in sorted(found, key=lambda g: -g.score)[:tries] if guess.score > LEAST_SCORE]


def differing() -> list[BoardModel]:
    """Returns the default board and one board for each clearly different ratio of base lines to cushions.

    With a wrong ratio the side of one square is mistaken for that of another.
    """
    chosen: list[BoardModel] = []
    for model in sorted(map(load_board, board_names()), key=lambda m: m.name != DEFAULT_BOARD):
        if all(abs(model.base_y / model.half - m.base_y / m.half) > SAME_PROPORTION for m in chosen):
            chosen.append(model)
    return chosen


def search_smaller(view: SearchPicture, best: Attempt | None) -> Attempt | None:
    """Returns `best`, or a fit started from a smaller picture that agrees better with the full one."""
    picture = view.picture
    for share in SMALLER:
        small = SearchPicture.of(_shrunk(picture, share), view.board, height_mm=view.height_mm)
        small = small.with_pale_print() if view.pale_print else small
        found = fit_guesses(small, best_guesses(small))
        if found is None:
            continue
        camera = found.fit.camera.sized(picture.width, picture.height)
        again = fit_model(view, camera, found.fit.layout, found.board, found.prior)
        if again is not None and again.is_better(best, SEARCH_CLEARER):
            best = again
    return best


def search_aslant(view: SearchPicture, best: Attempt | None) -> Attempt | None:
    """Returns `best`, or a fit of a board seen obliquely that agrees better."""
    found = fit_guesses(view, best_guesses(view, aslant=True))
    if found is None or found.agreement < LEAST_ASLANT:
        return best
    return found if found.is_better(best, SEARCH_CLEARER) else best


def _shrunk(picture: Picture, share: float) -> Picture:
    """Returns the picture scaled by the factor `share`, with even sides."""
    width, height = (round(side * share / 2) * 2 for side in (picture.width, picture.height))
    sizes = (width, height), (width // 2, height // 2), (width // 2, height // 2)
    y, u, v = (np.asarray(cv2.resize(plane, size, interpolation=cv2.INTER_AREA), np.uint8)
               for plane, size in zip((picture.y, picture.u, picture.v), sizes, strict=True))  # fmt: skip
    return Picture(y, u, v, picture.full_range)
