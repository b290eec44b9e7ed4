"""Pictures of a board -> its geometry as a `Profile`, or the reasons why not.

    profile = calibrate(pictures)                       # board recognised, lens estimated
    profile = calibrate(pictures, board="masters72", lens=lens_from_charuco(folder))

`pictures` are a few of the same view (the first frames of a stream; they are averaged); coins, hands and a striker may
cover parts of the board. Raises CalibrationError, whose `reasons` are sentences for people. Colours and background are
left empty: `calibration.learn` adds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.camera import F64, Camera
from calibration.corners import outline_a_board, pointed_at, unflipped
from calibration.evidence import Evidence, evidence
from calibration.fit import Fit, refine, start_camera
from calibration.hues import Planes, planes_of
from calibration.layout import Layout, Mark, expected, layout_of
from calibration.lens import Lens
from calibration.locate import Hypothesis, hypotheses, judge, redness, sized
from calibration.measure import Marks, measure
from calibration.picture import Picture
from calibration.profile import Profile, Residuals
from calibration.quality import NO_BOARD, agreement, marks_seen, rms, shortcomings
from calibration.quarters import quarters
from calibration.reason import Reason, Why
from calibration.recognise import BEYOND_DOUBT, CLEARLY, HEAD_START, coin_radius, misfit
from calibration.solve import Free
from calibration.turning import turned
from models.board import DEFAULT_BOARD, BoardModel, board_names, load_board

MOST_PICTURES = 5
"""More frames average no noise that matters."""
TRIES = 3
"""Guesses worked out fully before giving up."""
TRIES_ASLANT = 6
"""The same of boards seen aslant, for which far more passes."""
LEAST_ASLANT = 2.5
"""A board seen aslant must agree so well: what is none, or lies elsewhere by centimetres, reaches 2.43."""
PLAIN = 2.8
"""A fit that agrees so well with its picture ends the search: clean boards reach 4, worn ones 2.6 to 3. On photographs
whose marks are thin or partly gone fits that agree less may have caught a line's neighbour, 20 mm off at a corner."""
SMALLER = (0.75, 0.55)
"""Where no fit is that plain the board is sought in smaller pictures too: other lines stand out in them."""
CLEARER = 0.1
"""A fit that was found in a smaller picture must agree better by this."""
MODEL_SLACK_MM = 2.0
"""The base lines of the known boards differ by 7 mm and more at the same size of the surface."""
MODEL_SCALES = np.linspace(0.955, 1.045, 13)
"""A guess made with one board's proportions is off by some percent under another's."""
OTHER_BOARD = 1.04
"""A less usual board is recognised when its marks agree better by this factor."""
FEWER_MARKS = 0.15
"""A model by which so much less of the marks is found is no rival: lengths that are not seen cannot come out wrong."""
RIMS_SEEN = 0.5
"""Where less of the pockets' rims is seen they may be of another make: 0.6 to 1 on boards by the book, else 0.25."""
DARK = 12.0
"""Mean luma below which a picture shows nothing."""
FLAT = 3.0
"""Spread of luma below which a picture shows nothing."""


class CalibrationError(ValueError):
    """The board's place cannot be told; `reasons` say why and what to do."""

    def __init__(self, reasons: Sequence[Reason]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = tuple(reasons)


@dataclass(frozen=True, slots=True, eq=False)
class _Try:
    """One guess worked out, with how well it stands."""

    fit: Fit
    board: BoardModel
    worth: float
    agreement: float
    reasons: tuple[Reason, ...]
    """Why it is not good enough; empty when it is."""
    sure: bool = True
    """Whether no other model of a board explains the picture nearly as well."""

    @property
    def is_plain(self) -> bool:
        """Whether nothing better need be sought."""
        return not self.reasons and self.agreement >= PLAIN

    def is_better(self, other: _Try | None, by: float = 0.0) -> bool:
        """Whether it stands better than another, or is good enough where that is not."""
        if other is None or bool(self.reasons) != bool(other.reasons):
            return other is None or not self.reasons
        return self.agreement > other.agreement + by


def calibrate(pictures: Sequence[Picture], board: str | None = None, lens: Lens | None = None, turn: int = 0,
              mirror: bool = False, corners: F64 | None = None) -> Profile:  # fmt: skip
    """The profile of the board in `pictures`; see the module's text.

    `turn` moves south by quarter turns clockwise, seen from above; `mirror` says that the pictures are flipped left to
    right. `corners`, TL TR BR BL (4, 2) px of the playing surface in the pictures as they are, are where somebody sees
    the board, to some 10 mm; the whole picture is not searched then. Raises CalibrationError, or ValueError for an
    unknown board or a lens of another picture size.
    """
    if not pictures:
        raise CalibrationError([Reason(Why.NO_PICTURE)])
    picture = averaged(pictures, mirror)
    _check_light(picture)
    size = (picture.width, picture.height)
    known = lens.camera(*size) if lens else None
    planes = planes_of(picture)
    seen = evidence(picture, planes.ink, known)
    if corners is not None and not outline_a_board(corners, size):
        raise CalibrationError([Reason(Why.CORNERS)])
    pointed = None if corners is None else unflipped(corners, picture.width) if mirror else corners
    guesses = _guesses(seen, board) if pointed is None else [pointed_at(seen, pointed, layout_of(_usual(board)))]
    best = _best(picture, planes, seen, board, known, guesses)
    if known is None and pointed is None and not (best and best.is_plain):
        best = _clearest(picture, planes, best, board)
        best = best if best and best.is_plain else _aslant(picture, planes, seen, best, board)
    if best is None:
        raise CalibrationError([NO_BOARD])
    if best.reasons:
        raise CalibrationError(best.reasons)
    marks = measure(planes, best.fit.camera, best.fit.layout, best.board)
    if best.fit.share(Mark.POCKET) < RIMS_SEEN:
        cut = quarters(picture, best.fit.camera, best.fit.layout.half)
        marks = replace(marks, pockets=cut) if cut else marks
    return _profile(best, marks, lens, turn, mirror)


def averaged(pictures: Sequence[Picture], mirror: bool = False) -> Picture:
    """The mean of the first few pictures, flipped back when `mirror`; raises CalibrationError when sizes differ."""
    few = pictures[:MOST_PICTURES]
    if len({p.y.shape for p in few}) > 1:
        raise CalibrationError([Reason(Why.SIZES)])
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
    if mean - floor < DARK:
        raise CalibrationError([Reason(Why.BLACK)])
    if spread < FLAT:
        raise CalibrationError([Reason(Why.EMPTY)])


def _usual(board: str | None) -> BoardModel:
    """The model asked for, or the one that most boards are."""
    return load_board(board or DEFAULT_BOARD)


def _guesses(seen: Evidence, board: str | None, aslant: bool = False) -> list[Hypothesis]:
    """What is worth being worked out."""
    return hypotheses(seen, layout_of(_usual(board)), aslant)[: TRIES_ASLANT if aslant else TRIES]


def _best(picture: Picture, planes: Planes, seen: Evidence, board: str | None, lens: Camera | None,
          guesses: Sequence[Hypothesis]) -> _Try | None:  # fmt: skip
    """The guess that stands best when worked out; the first plain one ends the search."""
    usual = _usual(board)
    size = (picture.width, picture.height)
    may_change = Free.LENS_GIVEN if lens else Free.ALL
    best: _Try | None = None
    for guess in guesses:
        model, scaled = (usual, guess) if board else _recognised(seen, guess, usual)
        layout = sized(seen, scaled, layout_of(model))
        found = _tried(picture, planes, start_camera(scaled, seen, layout, size, lens), layout, model, may_change)
        if found is None:
            continue
        found = found if board or found.reasons else _remodelled(picture, planes, found, may_change)
        if found.is_better(best):
            best = found
        if found.is_plain:
            break
    return best


def _tried(picture: Picture, planes: Planes, camera: Camera, layout: Layout, model: BoardModel,
           may_change: Free) -> _Try | None:  # fmt: skip
    """A guess worked out; None where nothing fits."""
    fit = refine(planes, camera, layout, may_change)
    if fit is None:
        return None
    agrees = agreement(picture, planes.ink, fit)
    return _Try(fit, model, _worth(fit), agrees, tuple(shortcomings(planes.ink, fit, agrees)))


def _clearest(picture: Picture, planes: Planes, best: _Try | None, board: str | None) -> _Try | None:
    """The `best` fit so far, or one that smaller pictures lead to and that agrees better with this one."""
    for share in SMALLER:
        small = _shrunk(picture, share)
        inked = planes_of(small)
        seen = evidence(small, inked.ink, None)
        found = _best(small, inked, seen, board, None, _guesses(seen, board))
        if found is None:
            continue
        camera = found.fit.camera.sized(picture.width, picture.height)
        again = _tried(picture, planes, camera, found.fit.layout, found.board, Free.ALL)
        if again is not None and again.is_better(best, CLEARER):
            best = replace(again, sure=found.sure)
    return best


def _aslant(picture: Picture, planes: Planes, seen: Evidence, best: _Try | None, board: str | None) -> _Try | None:
    """The `best` fit so far, or one of a board that is not seen from straight above and agrees better."""
    found = _best(picture, planes, seen, board, None, _guesses(seen, board, aslant=True))
    if found is None or found.agreement < LEAST_ASLANT:
        return best
    return found if found.is_better(best, CLEARER) else best


def _shrunk(picture: Picture, share: float) -> Picture:
    """A picture with its sides shortened to so much."""
    width, height = (round(side * share / 2) * 2 for side in (picture.width, picture.height))
    sizes = (width, height), (width // 2, height // 2), (width // 2, height // 2)
    y, u, v = (np.asarray(cv2.resize(plane, size, interpolation=cv2.INTER_AREA), np.uint8)
               for plane, size in zip((picture.y, picture.u, picture.v), sizes, strict=True))  # fmt: skip
    return Picture(y, u, v, picture.full_range)


def _recognised(seen: Evidence, guess: Hypothesis, usual: BoardModel) -> tuple[BoardModel, Hypothesis]:
    """The model whose marks agree best with the picture, and the guess in that board's millimetres.

    Larger boards are the usual ones and win when equal; the small ones have nearly the same proportions.
    """
    best, best_guess, top = usual, guess, 0.0
    for model in sorted(map(load_board, board_names()), key=lambda m: (m.name != usual.name, -m.surface)):
        layout = layout_of(model)
        ratio = usual.half / model.half
        h = np.array([guess.h @ np.diag([ratio * s, ratio * s, 1.0]) for s in MODEL_SCALES])
        scores = judge(seen, expected(layout, 20.0, 1), h, MODEL_SLACK_MM) + redness(seen, layout, h)
        at = int(np.argmax(scores))
        if scores[at] > OTHER_BOARD * top:
            top = float(scores[at])
            best, best_guess = model, guess if model is usual else Hypothesis(h[at], top)
    return best, best_guess


def _remodelled(picture: Picture, planes: Planes, found: _Try, may_change: Free) -> _Try:
    """The same guess under the model whose own lengths and coins come out right; marks alone may fit several."""
    coin = coin_radius(picture, found.fit.camera, found.fit.layout, found.board.coin_height)
    ill = misfit(found.fit.layout, found.board, coin)
    if ill < BEYOND_DOUBT:
        return found
    rated = [(ill, found)]
    for model in map(load_board, board_names()):
        if model.name == found.board.name:
            continue
        ratio, layout, c = model.half / found.board.half, layout_of(model), found.fit.camera
        start = Camera.of(c.width, c.height, c.k, c.dist, c.r, c.t * ratio)
        other = _tried(picture, planes, start, layout, model, may_change)
        if other and not other.reasons and other.worth > found.worth - FEWER_MARKS:
            rated.append((misfit(other.fit.layout, model, coin * ratio if coin else None), other))
    rated.sort(key=lambda r: r[0])
    if rated[0][0] > ill - HEAD_START and found.worth >= rated[0][1].worth:
        rated.sort(key=lambda r: r[1] is not found)
    sure = len(rated) == 1 or rated[1][0] - rated[0][0] > CLEARLY
    return replace(rated[0][1], sure=sure)


def _worth(fit: Fit) -> float:
    """Share of the marks seen, less their scatter in mm."""
    marks = (Mark.REAR, Mark.FRONT, Mark.FOOT, Mark.RING, Mark.DISC, Mark.POCKET)
    return float(np.mean([fit.share(m) for m in marks])) - rms(fit.residuals_mm)


def _profile(found: _Try, marks: Marks, lens: Lens | None, turn: int, mirror: bool) -> Profile:
    fit, layout = found.fit, found.fit.layout
    camera = fit.camera
    camera = Camera.of(camera.width, camera.height, camera.k, camera.dist, camera.r, camera.t, mirror)
    residuals = Residuals(rms(fit.residuals_mm), float(np.abs(fit.residuals_mm).max()), marks_seen(fit), found.sure)
    board = _measured(found.board, layout)
    profile = Profile(camera, board, marks.sides, marks.pockets, residuals, lens=lens.origin if lens else "estimated")
    return turned(profile, turn) if turn % 4 else profile


def _measured(board: BoardModel, layout: Layout) -> BoardModel:
    """The book's lengths, with those that were measured put in their place."""
    return replace(board, surface=2 * layout.half, pocket_diameter=2 * layout.pocket_radius,
                   pocket_inset=layout.half - layout.pocket, rear_line=layout.half - layout.rear,
                   line_gap=layout.rear - layout.front, base_circle_x=layout.circle_x,
                   base_circle_radius=layout.ring, base_disc_radius=layout.disc)  # fmt: skip
