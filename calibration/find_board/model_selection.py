"""Refines a guessed board pose to an exact fit and selects the board model that explains the picture best.

The input is a `Hypothesis` (a homography), the output an `Attempt`: fit, model, quality measures and faults. Several
models are compared because the printed marks alone may fit boards of several sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.find_board.board_size import PLAUSIBLE, SIZE_BEYOND_DOUBT, SIZE_CLEARLY, RingSize, misfit, ring_size
from calibration.find_board.edge_maps import EdgeMaps, evidence
from calibration.find_board.hypotheses import (
    GUESS_CORNERS,
    Hypothesis,
    circle_redness,
    corners_of,
    mark_agreement,
    sized,
)
from calibration.find_board.quality import agreement, rms, shortcomings
from calibration.fit_board.edge_colour import Planes, planes_of
from calibration.fit_board.fit import FIT_STAGES, Fit, FitStage, refine, start_camera
from calibration.fit_board.mark_samples import Mark, MarkLayout, expected, layout_of
from calibration.fit_board.ring_and_disc import concentric
from calibration.fit_board.solve import CROPPED, WHOLE_SENSOR, CameraPrior, Free, solve, with_measured_height
from calibration.fit_board.surface_offset import surface
from calibration.fit_board.surface_size import are_around, are_scarce, resized
from calibration.geometry.camera import Camera
from calibration.geometry.lens import Lens, StatedLens
from calibration.geometry.picture import Picture
from calibration.profile import Point
from calibration.reason import CalibrationReason
from models.board import DEFAULT_BOARD, BoardModel, board_names, load_board

MODEL_PLAIN = 2.8
"""Agreement at which a fit ends the search: clean boards reach 4, worn ones 2.6 to 3. On photographs whose marks are
thin or partly gone, fits of lower agreement may have locked on to a neighbouring line, 20 mm off at a corner."""
MODEL_SLACK_MM = 2.0
"""Greatest shift of a mark when models are compared, in mm. At the same surface size the base lines of the known boards
differ by 7 mm and more."""
MODEL_SCALES = np.linspace(0.955, 1.045, 13)
"""Scale factors tried: a guess made with one board's proportions is off by a few percent under another's."""
OTHER_BOARD = 1.04
"""Factor by which the marks of a less common board must agree better for it to be recognised."""
MORE_MARKS = 0.025
"""Least gain in `Attempt.worth` (share of marks detected minus RMS in mm) at which moved base circles are accepted."""
PRESENT_SHARE = 0.5
"""Share of a mark's samples detected above which the mark counts as present. Rings swapped with their discs reach 0.95
and more. The better of ring and disc reaches 0.77 to 1 where the two are assigned correctly, else 0.24 to 0.49."""
RESIZES, MODEL_SETTLED_MM = 3, 1.0
"""Greatest number of surface size estimates, and the change of the half side (mm) below which they have converged. They
are repeated because the prints may be fitted at another scale once the cushions are searched elsewhere."""
SELDOM_CUT = 0.02
"""Share of pictures that are cropped or stretched."""
MISPLACED = 0.03
"""Distance, as a share of a side, at which the start camera's worst corner rules out the guess."""
DISAGREEMENT, MODEL_UNSEEN = 10.0, 15.0
"""Misfits, in squared sigmas, that weigh as much as 1 less of `agreement`, and as detecting all the marks."""


@dataclass(frozen=True, slots=True, eq=False)
class SearchPicture:
    """A picture prepared for the search, and what is known of its board and lens."""

    picture: Picture
    planes: Planes
    edges: EdgeMaps
    board: str | None
    """The board model's name; None if it is to be recognised."""
    lens: Camera | None
    height_mm: float | None = None
    """Height of the lens above the surface in mm, if it was measured."""
    stated_lens: StatedLens | None = None
    """Focal length by datasheet or photograph."""
    pale_print: bool = False
    """Whether the print is taken to be paler than the board's wood."""
    sheet: Lens | None = None
    """Lens by the sheet, if its information is known; `lens` is then where the search starts."""

    @classmethod
    def of(cls, picture: Picture, board: str | None = None, lens: Camera | None = None, height_mm: float | None = None,
           stated_lens: StatedLens | None = None, sheet: Lens | None = None) -> SearchPicture:  # fmt: skip
        planes = planes_of(picture)
        edges = evidence(picture, planes.ink, planes.tone, lens)
        return cls(picture, planes, edges, board, lens, height_mm, stated_lens, sheet=sheet)

    def with_pale_print(self) -> SearchPicture:
        """Returns the same picture as one of a board whose print is paler than its wood."""
        planes = planes_of(self.picture, pale_print=True)
        edges = evidence(self.picture, planes.ink, planes.tone, self.lens)
        return replace(self, planes=planes, edges=edges, pale_print=True)

    @property
    def default_model(self) -> BoardModel:
        """The requested model, or the default (most common) one."""
        return load_board(self.board or DEFAULT_BOARD)

    @property
    def may_change(self) -> Free:
        return Free.LENS_GIVEN if self.lens and not self.sheet else Free.ALL


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """One refined guess with its quality."""

    fit: Fit
    board: BoardModel
    worth: float
    agreement: float
    reasons: tuple[CalibrationReason, ...]
    """Reasons why it is not good enough; empty if it is."""
    prior: CameraPrior
    """Prior of the camera parameters used in the fit."""
    sure: bool = True
    """Whether no other board model explains the picture nearly as well."""
    middle: Point = (0.0, 0.0)
    """Centre of the surface relative to the centre of the prints, in mm."""

    @property
    def is_plain(self) -> bool:
        """Tells whether the fit is good enough to end the search."""
        return not self.reasons and self.agreement >= MODEL_PLAIN

    @property
    def is_likelier_cropped(self) -> bool:
        """Tells whether the fit, which assumes an uncropped picture, explains it worse than that of a cropped one."""
        fit, prior = self.fit, replace(self.prior, centre=CROPPED.centre, pixel=CROPPED.pixel)
        cut = solve(fit.camera, fit.layout, fit.book, fit.observations, Free.ALL, prior)
        return prior != self.prior and bool(cut.evidence + np.log(SELDOM_CUT) > fit.solution.evidence)

    def is_better(self, other: Attempt | None, by: float = 0.0) -> bool:
        """Tells whether it is acceptable where the other is not, or else agrees better by more than `by`."""
        if other is None or bool(self.reasons) != bool(other.reasons):
            return other is None or not self.reasons
        return self.agreement > other.agreement + by


def fit_guess(view: SearchPicture, guess: Hypothesis, prior: CameraPrior = WHOLE_SENSOR) -> Attempt | None:
    """Recognises the model and surface size of a guess and refines it.

    Returns None if no fit is found or if no plausible camera places the board's corners near the guessed ones.
    """
    edges, picture = view.edges, view.picture
    prior = with_measured_height(replace(prior, sheet=view.sheet), view.height_mm)
    model, scaled = (view.default_model, guess) if view.board else _recognised(edges, guess, view.default_model)
    best, book = None, layout_of(model)
    # A curved picture or shade may make the surface look larger or smaller than it is.
    for layout in dict.fromkeys((book, sized(edges, scaled, book))):
        corners = corners_of(scaled, edges, layout)
        start = start_camera(corners, layout, (picture.width, picture.height), view.lens, prior)
        side = float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean())
        off = np.linalg.norm(start.to_pixels(GUESS_CORNERS * layout.half) - corners, axis=1).max()
        found = fit_model(view, start, layout, model, prior) if off < MISPLACED * side else None
        best = found if found is not None and found.is_better(best) else best
    return best


def fit_model(view: SearchPicture, start: Camera, layout: MarkLayout, model: BoardModel,
              prior: CameraPrior = WHOLE_SENSOR,
              stages: tuple[FitStage, ...] = FIT_STAGES) -> Attempt | None:  # fmt: skip
    """Refines a start camera and layout under one model; returns None if no fit is found.

    Half the side is expected to be that of `layout` if it was measured, which its prior tells.
    """
    planes, book = view.planes, layout_of(model)
    if prior.half_mm != WHOLE_SENSOR.half_mm:
        book = replace(book, half=layout.half, pocket=layout.pocket, pocket_radius=layout.pocket_radius)
    fit = refine(planes, start, layout, book, view.may_change, stages, prior)
    if fit is None:
        return None
    agrees = agreement(view.picture, planes, fit)
    return Attempt(fit, model, _score(fit), agrees, tuple(shortcomings(planes, fit, agrees)), prior)


def _recognised(edges: EdgeMaps, guess: Hypothesis, default: BoardModel) -> tuple[BoardModel, Hypothesis]:
    """Returns the model whose marks agree best with the picture, and the guess in that board's millimetres.

    The default model comes first, then larger boards: they are more common, and small ones have nearly the same
    proportions. A later model must be better by the factor `OTHER_BOARD`.
    """
    best, best_guess, top = default, guess, 0.0
    for model in sorted(map(load_board, board_names()), key=lambda m: (m.name != default.name, -m.surface)):
        layout = layout_of(model)
        scales = np.concatenate([MODEL_SCALES * r for r in (default.half / model.half, default.base_y / model.base_y)])
        h = np.array([guess.h @ np.diag([s, s, 1.0]) for s in scales])
        scores = mark_agreement(edges, expected(layout, 20.0, 1), h, MODEL_SLACK_MM) + circle_redness(edges, layout, h)
        at = int(np.argmax(scores))
        if scores[at] > OTHER_BOARD * top:
            top = float(scores[at])
            best, best_guess = model, guess if model is default else Hypothesis(h[at], top)
    return best, best_guess


def select_model(view: SearchPicture, found: Attempt) -> Attempt:
    """Returns the fit under the model that best explains lengths and coin size; marks alone may fit several."""
    if view.board or found.reasons:
        return found
    found = _disentangled_circles(view, found)
    rings = ring_size(view.picture, found.fit.camera, found.fit.layout, found.board.coin_height)
    if misfit(found.fit.layout, found.board, rings) < SIZE_BEYOND_DOUBT:
        return found
    tried = [(_misfit(a, found, rings), a) for a in (found, *_others(view, found))]
    best = likeliest(tried)
    most = max((a for _, a in tried if not a.reasons), key=_weight_of_marks)
    # The search may have left its own model at edges beside the right ones, which another model's fit has found: it is
    # likelier, or much more of its marks is seen.
    if best.board != found.board:
        start = best
    elif _weight_of_marks(most) > _weight_of_marks(found) + SIZE_CLEARLY:
        start = most
    else:
        return best
    return likeliest([*tried, *((_misfit(a, found, rings), a) for a in _others(view, start))])


def likeliest(tried: Sequence[tuple[float, Attempt]]) -> Attempt:
    """Returns the likeliest of several fits, each given with its misfit in squared sigmas, without those with faults.

    `sure` is set if the winner is plausible and leads the best other model by more than `SIZE_CLEARLY`.
    """
    ill = sorted(((misfits - _weight_of_marks(a), a) for misfits, a in tried if not a.reasons), key=lambda t: t[0])
    least, best = ill[0]
    rivals = [worse for worse, a in ill if a.board.name != best.board.name]
    plausible = min(misfits for misfits, a in tried if a is best) < PLAUSIBLE
    return replace(best, sure=plausible and (not rivals or rivals[0] - least > SIZE_CLEARLY))


def _weight_of_marks(tried: Attempt) -> float:
    """Returns how much the marks alone, whatever their lengths, speak for a fit, in squared sigmas."""
    return DISAGREEMENT * tried.agreement + MODEL_UNSEEN * tried.worth


def _others(view: SearchPicture, found: Attempt) -> list[Attempt]:
    """Returns the fits under each other model, started with its base lines where they were found, and with its cushions
    there: either may be other edges than those that the found model took them for.
    """
    out, own = [], found.fit.layout
    for model in (m for m in map(load_board, board_names()) if m.name != found.board.name):
        layout = layout_of(model)
        by_lines, by_cushions = (layout.rear + layout.front) / (own.rear + own.front), layout.half / own.half
        out += [fit_model(view, found.fit.camera.farther(ratio), layout, model, found.prior)
                for ratio in (by_lines, by_cushions)]  # fmt: skip
    return [_disentangled_circles(view, a) for a in out if a is not None]


def _misfit(tried: Attempt, found: Attempt, rings: RingSize | None) -> float:
    """Returns the misfit (squared sigmas) of a model's lengths and pieces; `rings` has the scale of `found`."""
    ratio = float(found.fit.camera.px_per_mm()[0] / tried.fit.camera.px_per_mm()[0])
    return misfit(tried.fit.layout, tried.board, rings.scaled(ratio) if rings else None)


def fit_surface(view: SearchPicture, found: Attempt) -> Attempt:
    """Returns the fit with the surface resized if cushions and pockets are not where the prints predict them."""
    best = found
    for _ in range(RESIZES):
        if best.reasons or not are_scarce(best.fit):
            break
        layout, sigma = resized(view.picture, view.planes, best.fit)
        if best is not found and abs(layout.half - best.fit.layout.half) < MODEL_SETTLED_MM:
            break
        prior = replace(found.prior, half_mm=sigma)
        again = fit_model(view, best.fit.camera, layout, found.board, prior, FIT_STAGES[1:])
        if again is None or again.reasons:
            break
        best = replace(again, sure=found.sure)
    unclear = not best.reasons and are_scarce(best.fit) and not are_around(best.fit)
    return _fit_surface_middle(view, best) if unclear else best


def fit_base_circles(view: SearchPicture, found: Attempt) -> Attempt:
    """Returns the fit with ring and disc of the base circles searched jointly, if that explains the picture better."""
    layout = concentric(view.planes.ink, found.fit.camera, found.fit.layout, layout_of(found.board))
    if layout is None:
        return found
    again = fit_model(view, found.fit.camera, layout, found.board, found.prior, FIT_STAGES[2:])
    if again is None or again.reasons:
        return found
    drawn = max(again.fit.share(Mark.RING), again.fit.share(Mark.DISC)) > PRESENT_SHARE
    is_there = (drawn and _are_circles_swapped(found)) or again.worth > found.worth + MORE_MARKS
    return replace(again, sure=found.sure) if is_there else found


def _disentangled_circles(view: SearchPicture, tried: Attempt) -> Attempt:
    """Returns the fit with ring and disc searched jointly if they are swapped or neither is mostly detected.

    In both cases their lengths do not identify a model.
    """
    unseen = max(tried.fit.share(Mark.RING), tried.fit.share(Mark.DISC)) < PRESENT_SHARE
    return fit_base_circles(view, tried) if (unseen or _are_circles_swapped(tried)) and not tried.reasons else tried


def _are_circles_swapped(tried: Attempt) -> bool:
    """Tells whether ring and disc are swapped: the rings, mostly detected, are smaller than the discs."""
    return tried.fit.share(Mark.RING) > PRESENT_SHARE and tried.fit.layout.disc > tried.fit.layout.ring


def _fit_surface_middle(view: SearchPicture, found: Attempt) -> Attempt:
    """Returns the fit with a surface whose centre may differ from that of the prints."""
    fit = found.fit
    own = surface(view.picture, view.planes, fit)
    radius = own.radius or fit.layout.pocket_radius
    layout = replace(fit.layout, half=own.half, pocket=own.half - radius, pocket_radius=radius)
    fit = replace(fit, solution=replace(fit.solution, layout=layout))
    return replace(found, fit=fit, middle=own.middle)


def _score(fit: Fit) -> float:
    """Returns the mean share of each kind of mark detected, minus the RMS residual in mm."""
    marks = (Mark.REAR, Mark.FRONT, Mark.FOOT, Mark.RING, Mark.DISC, Mark.POCKET)
    return float(np.mean([fit.share(m) for m in marks])) - rms(fit.residuals_mm)
