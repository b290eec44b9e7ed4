"""Calibrates the camera from pictures of a board; returns a `Profile` or raises the reasons why not.

    profile = calibrate(pictures)                       # board recognised, lens estimated
    profile = calibrate(pictures, board="masters72", lens=lens_from_charuco(folder))

`pictures` are a few of the same view (the first frames of a stream; they are averaged); coins, hands and a striker may
cover parts of the board. Raises CalibrationError, whose `reasons` are sentences for people. Colours and background are
left empty: `referee.pieces.detector` adds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import cv2
import numpy as np

from calibration.doubt import CameraDoubt
from calibration.find_board.hypotheses import BOOK_SIZE
from calibration.find_board.model_selection import (
    Attempt,
    SearchPicture,
    fit_base_circles,
    fit_model,
    fit_surface,
    select_model,
)
from calibration.find_board.quality import NO_BOARD, detected_marks, rms
from calibration.find_board.search import fit_guesses, likelier_print, search
from calibration.find_board.stated_lens import origin_of_lens, weigh_stated_lens
from calibration.find_board.user_corners import guess_at_corners, mirrored_corners, outline_a_board
from calibration.fit_board.fit import FIT_STAGES
from calibration.fit_board.mark_samples import Mark, MarkLayout, layout_of
from calibration.fit_board.measure_marks import measure
from calibration.fit_board.quarter_pockets import quarters
from calibration.fit_board.solve import WHOLE_SENSOR
from calibration.geometry.camera import F64
from calibration.geometry.lens import Lens, StatedLens
from calibration.geometry.picture import Picture
from calibration.profile import Circle, Profile, Residuals
from calibration.reason import CalibrationFault, CalibrationReason
from calibration.turning import turned
from models.board import BoardModel
from models.pieces import Pocket

Each = TypeVar("Each")

MOST_PICTURES = 5
"""Greatest number of pictures averaged; more do not reduce the noise noticeably."""
RIMS_DETECTED = 0.5
"""Share of the pockets' rims detected below which another make of pocket is tried: 0.6 to 1 on boards by the book, 0.25
on others."""
CALIBRATE_DARK = 12.0
"""Mean luma below which a picture shows nothing."""
FLAT = 3.0
"""Spread of luma below which a picture shows nothing."""


class CalibrationError(ValueError):
    """Raised if the board's pose cannot be determined; `reasons` say why and what to do."""

    def __init__(self, reasons: Sequence[CalibrationReason]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = tuple(reasons)


def calibrate(pictures: Sequence[Picture], board: str | None = None, lens: Lens | None = None, turn: int = 0,
              mirror: bool = False, corners: F64 | None = None, height_mm: float | None = None,
              stated_lens: StatedLens | None = None) -> Profile:  # fmt: skip
    """Returns the profile of the board in `pictures`; see the module's docstring.

    `turn` moves south by quarter turns clockwise, seen from above. `mirror` declares that the pictures are flipped left
    to right. `corners` are the playing surface's, TL TR BR BL (4, 2) px in the unchanged pictures, marked by a user to
    about 10 mm; they replace the search of the whole picture. `height_mm` is the lens's measured height above the
    surface. `stated_lens` is the focal length by datasheet or photograph; it is weighed against that of another lens,
    and not used if `lens` is given. Raises CalibrationError, or ValueError for an unknown board or a lens of another
    picture size.
    """
    if not pictures:
        raise CalibrationError([CalibrationReason(CalibrationFault.NO_PICTURE)])
    picture = mean_picture(pictures, mirror)
    _check_light(picture)
    size = (picture.width, picture.height)
    if corners is not None and not outline_a_board(corners, size):
        raise CalibrationError([CalibrationReason(CalibrationFault.CORNERS)])
    view = SearchPicture.of(picture, board, lens.camera(*size) if lens else None, height_mm, stated_lens,
                            sheet=lens if lens and lens.information is not None else None)  # fmt: skip
    if corners is None:
        view, best = search(view)
    else:
        pointed = mirrored_corners(corners, picture.width) if mirror else corners
        guess = [guess_at_corners(view.edges, pointed, layout_of(view.default_model))]
        view, best = likelier_print(view, fit_guesses(view, guess), lambda other: guess)
    if best is None:
        raise CalibrationError([NO_BOARD])
    if best.reasons:
        raise CalibrationError(best.reasons)
    best = select_model(view, best)
    best = weigh_stated_lens(view, fit_surface(view, fit_base_circles(view, best)))
    profile = _profile(view, scale_to_surface(view, best), lens, mirror)
    return turned(profile, turn) if turn % 4 else profile


def scale_to_surface(view: SearchPicture, found: Attempt) -> Attempt:
    """Rescales the fit so that the surface has the book's size, if it has another in the scale of the prints.

    The surface is assumed to follow the book and the prints to be smaller or larger. The rescaled fit is refined
    again with the book's frame height, unless the surface is off the prints' centre. Its size is then measured less
    well than prints follow the book, so that a small difference counts as none.
    """
    fit = found.fit
    ratio, (x, y) = found.board.half / fit.layout.half, found.middle
    exact = WHOLE_SENSOR.half_mm / fit.layout.half if found.middle == (0.0, 0.0) else BOOK_SIZE
    if abs(ratio - 1.0) < exact:
        return found
    scaled = replace(found, fit=replace(fit, solution=fit.solution.farther(ratio)), middle=(x * ratio, y * ratio))
    if found.middle != (0.0, 0.0):
        return scaled
    layout = replace(scaled.fit.layout, wall=found.board.frame_height)
    prior = replace(found.prior, half_mm=WHOLE_SENSOR.half_mm)
    again = fit_model(view, scaled.fit.camera, layout, found.board, prior, FIT_STAGES[2:])
    return scaled if again is None or again.reasons else replace(again, sure=found.sure)


def first_few(each: Sequence[Each]) -> Sequence[Each]:
    """Returns what belongs to the first few pictures: those whose mean a calibration works on."""
    return each[:MOST_PICTURES]


def mean_picture(pictures: Sequence[Picture], mirror: bool = False) -> Picture:
    """Returns the mean of the first few pictures, unflipped if `mirror`; raises CalibrationError if sizes differ."""
    few = first_few(pictures)
    if len({p.y.shape for p in few}) > 1:
        raise CalibrationError([CalibrationReason(CalibrationFault.SIZES)])
    planes = []
    for name in ("y", "u", "v"):
        total = np.zeros(getattr(few[0], name).shape, np.float32)
        for picture in few:
            cv2.accumulate(getattr(picture, name), total)
        mean = np.asarray(np.clip(total / len(few) + 0.5, 0, 255), np.uint8)
        planes.append(np.ascontiguousarray(mean[:, ::-1]) if mirror else mean)
    return Picture(planes[0], planes[1], planes[2], few[0].full_range)


def _check_light(picture: Picture) -> None:
    mean, spread = float(picture.y.mean()), float(picture.y.std())
    floor = 0.0 if picture.full_range else 16.0
    if mean - floor < CALIBRATE_DARK:
        raise CalibrationError([CalibrationReason(CalibrationFault.BLACK)])
    if spread < FLAT:
        raise CalibrationError([CalibrationReason(CalibrationFault.EMPTY)])


def _profile(view: SearchPicture, found: Attempt, lens: Lens | None, mirror: bool) -> Profile:
    fit = found.fit
    residuals = Residuals(rms(fit.residuals_mm), float(np.abs(fit.residuals_mm).max()), detected_marks(fit), found.sure)
    marks = measure(view.planes, fit.camera, fit.layout, found.board)
    pockets = _pockets(view, found) or marks.pockets
    board = _measured(found.board, fit.layout)
    return Profile(replace(fit.camera, mirror=mirror), board, marks.sides, pockets, residuals,
                   lens=lens.origin if lens else origin_of_lens(found.prior, view.stated_lens), middle=found.middle,
                   doubt=CameraDoubt.of(fit.solution.covariance), pale_print=view.pale_print)  # fmt: skip


def _pockets(view: SearchPicture, found: Attempt) -> dict[Pocket, Circle] | None:
    """Returns the pockets if they are of another make or not centred on the prints; None if they are regular."""
    camera, layout = found.fit.camera.about(found.middle), found.fit.layout
    cut = quarters(view.picture, camera, layout.half) if found.fit.share(Mark.POCKET) < RIMS_DETECTED else None
    if cut is None and found.middle != (0.0, 0.0):
        cut = measure(view.planes, camera, layout, found.board).pockets
    x, y = found.middle
    return {p: Circle((c.centre[0] + x, c.centre[1] + y), c.radius) for p, c in cut.items()} if cut else None


def _measured(board: BoardModel, layout: MarkLayout) -> BoardModel:
    """Returns the board model with the measured lengths in place of the book's."""
    return replace(board, surface=2 * layout.half, pocket_diameter=2 * layout.pocket_radius,
                   pocket_inset=layout.half - layout.pocket, rear_line=layout.half - layout.rear,
                   line_gap=layout.rear - layout.front, base_circle_x=layout.circle_x,
                   base_circle_radius=layout.ring, base_disc_radius=layout.disc)  # fmt: skip
