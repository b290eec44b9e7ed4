"""A guess of where the board lies -> an exact fit under the board's model that explains the picture best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.find_board.board_size import PLAUSIBLE, SIZE_BEYOND_DOUBT, SIZE_CLEARLY, RingSize, misfit, ring_size
from calibration.find_board.edge_maps import EdgeMaps, evidence
from calibration.find_board.hypotheses import GUESS_CORNERS, Hypothesis, corners_of, judge, redness, sized
from calibration.find_board.quality import agreement, rms, shortcomings
from calibration.fit_board.edge_colour import Planes, planes_of
from calibration.fit_board.fit import FIT_STAGES, Fit, FitStage, refine, start_camera
from calibration.fit_board.mark_samples import Mark, MarkLayout, expected, layout_of
from calibration.fit_board.ring_and_disc import concentric
from calibration.fit_board.solve import SOLVE_WHOLE, STRAINED, Free, Usual, strain, taped
from calibration.fit_board.surface_offset import surface
from calibration.fit_board.surface_size import are_around, are_scarce, resized
from calibration.geometry.camera import Camera
from calibration.geometry.picture import Picture
from calibration.profile import Point
from calibration.reason import CalibrationReason
from models.board import DEFAULT_BOARD, BoardModel, board_names, load_board

MODEL_PLAIN = 2.8
"""A fit that agrees so well with its picture ends the search: clean boards reach 4, worn ones 2.6 to 3. On photographs
whose marks are thin or partly gone fits that agree less may have caught a line's neighbour, 20 mm off at a corner."""
MODEL_SLACK_MM = 2.0
"""The base lines of the known boards differ by 7 mm and more at the same size of the surface."""
MODEL_SCALES = np.linspace(0.955, 1.045, 13)
"""A guess made with one board's proportions is off by some percent under another's."""
OTHER_BOARD = 1.04
"""A less usual board is recognised when its marks agree better by this factor."""
MORE_MARKS = 0.025
"""Base circles lie elsewhere when so much more of the marks is found then, or they agree so much better."""
SEEN_MOSTLY = 0.5
"""More than this share of a mark is seen where a board has it; of crossed rings, 0.95 and more. Where ring and disc are
told apart rightly one of the two is: 0.77 to 1, where they are not 0.24 to 0.49."""
RESIZES, MODEL_SETTLED_MM = 3, 1.0
"""The prints may be fitted to another scale once cushions are sought elsewhere; so often the surface is sized at most,
until it changes by less."""
MISPLACED = 0.03
"""A usual camera that sees a corner of the guess so far off, as a share of a side, does not explain it."""
DISAGREEMENT = 10.0
"""Squared sigmas that count as much as marks which agree with the picture by 1 less (see `agreement`)."""
MODEL_UNSEEN = 15.0
"""Squared sigmas that count as much as seeing all the marks: lengths that are not seen cannot come out wrong, yet the
right model may be the one of which less is seen. From 0 to 60 all of 81 simulated boards are told rightly.
"""


@dataclass(frozen=True, slots=True, eq=False)
class SoughtBoard:
    """A picture as the search looks at it, and what is known of its board and lens."""

    picture: Picture
    planes: Planes
    seen: EdgeMaps
    board: str | None
    """The board's name; None where it is to be recognised."""
    lens: Camera | None
    height_mm: float | None = None
    """The lens's above the surface, where somebody has measured it."""

    @classmethod
    def of(cls, picture: Picture, board: str | None = None, lens: Camera | None = None,
           height_mm: float | None = None) -> SoughtBoard:  # fmt: skip
        planes = planes_of(picture)
        return cls(picture, planes, evidence(picture, planes.ink, lens), board, lens, height_mm)

    @property
    def usual(self) -> BoardModel:
        """The model asked for, or the one that most boards are."""
        return load_board(self.board or DEFAULT_BOARD)

    @property
    def may_change(self) -> Free:
        return Free.LENS_GIVEN if self.lens else Free.ALL


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """One guess worked out, with how well it stands."""

    fit: Fit
    board: BoardModel
    worth: float
    agreement: float
    reasons: tuple[CalibrationReason, ...]
    """Why it is not good enough; empty when it is."""
    usual: Usual
    """What was expected of the camera."""
    sure: bool = True
    """Whether no other model of a board explains the picture nearly as well."""
    middle: Point = (0.0, 0.0)
    """That of the surface, mm from that of the prints."""

    @property
    def is_plain(self) -> bool:
        """Whether nothing better need be sought."""
        return not self.reasons and self.agreement >= MODEL_PLAIN

    @property
    def is_strained(self) -> bool:
        """Whether the picture, taken as whole, would need an unusual camera to look so."""
        return self.usual.pixel == SOLVE_WHOLE.pixel and strain(self.fit.camera) > STRAINED

    def is_better(self, other: Attempt | None, by: float = 0.0) -> bool:
        """Whether it stands better than another, or is good enough where that is not."""
        if other is None or bool(self.reasons) != bool(other.reasons):
            return other is None or not self.reasons
        return self.agreement > other.agreement + by


def worked_out(view: SoughtBoard, guess: Hypothesis, usual: Usual = SOLVE_WHOLE) -> Attempt | None:
    """A guess worked out; None where nothing fits, or where no camera that is usual sees the board lie so."""
    seen, picture, usual = view.seen, view.picture, taped(usual, view.height_mm)
    model, scaled = (view.usual, guess) if view.board else _recognised(seen, guess, view.usual)
    layout = sized(seen, scaled, layout_of(model))
    corners = corners_of(scaled, seen, layout)
    start = start_camera(corners, layout, (picture.width, picture.height), view.lens, usual)
    side = float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean())
    off = np.linalg.norm(start.to_pixels(GUESS_CORNERS * layout.half) - corners, axis=1).max()
    return attempt(view, start, layout, model, usual) if off < MISPLACED * side else None


def attempt(view: SoughtBoard, start: Camera, layout: MarkLayout, model: BoardModel, usual: Usual = SOLVE_WHOLE,
            stages: tuple[FitStage, ...] = FIT_STAGES) -> Attempt | None:  # fmt: skip
    """A camera's guess worked out; None where nothing fits."""
    planes = view.planes
    fit = refine(planes, start, layout, view.may_change, stages, usual)
    if fit is None:
        return None
    agrees = agreement(view.picture, planes.ink, fit)
    return Attempt(fit, model, _worth(fit), agrees, tuple(shortcomings(planes, fit, agrees)), usual)


def _recognised(seen: EdgeMaps, guess: Hypothesis, usual: BoardModel) -> tuple[BoardModel, Hypothesis]:
    """The model whose marks agree best with the picture, and the guess in that board's millimetres.

    Larger boards are the usual ones and win when equal; the small ones have nearly the same proportions.
    """
    best, best_guess, top = usual, guess, 0.0
    for model in sorted(map(load_board, board_names()), key=lambda m: (m.name != usual.name, -m.surface)):
        layout = layout_of(model)
        scales = np.concatenate([MODEL_SCALES * r for r in (usual.half / model.half, usual.base_y / model.base_y)])
        h = np.array([guess.h @ np.diag([s, s, 1.0]) for s in scales])
        scores = judge(seen, expected(layout, 20.0, 1), h, MODEL_SLACK_MM) + redness(seen, layout, h)
        at = int(np.argmax(scores))
        if scores[at] > OTHER_BOARD * top:
            top = float(scores[at])
            best, best_guess = model, guess if model is usual else Hypothesis(h[at], top)
    return best, best_guess


def remodelled(view: SoughtBoard, found: Attempt) -> Attempt:
    """The same guess under the model whose own lengths and coins come out right; marks alone may fit several."""
    if view.board or found.reasons:
        return found
    found = _uncrossed(view, found)
    rings = ring_size(view.picture, found.fit.camera, found.fit.layout, found.board.coin_height)
    if misfit(found.fit.layout, found.board, rings) < SIZE_BEYOND_DOUBT:
        return found
    return likeliest([(_misfit(a, found, rings), a) for a in (found, *_others(view, found))])


def likeliest(tried: Sequence[tuple[float, Attempt]]) -> Attempt:
    """Of a board under several models, each with its misfit, the likeliest."""
    ill = sorted(((misfits - DISAGREEMENT * a.agreement - MODEL_UNSEEN * a.worth, a) for misfits, a in tried
                  if not a.reasons), key=lambda t: t[0])  # fmt: skip
    least, best = ill[0]
    rivals = [worse for worse, a in ill if a.board.name != best.board.name]
    plausible = min(misfits for misfits, a in tried if a is best) < PLAUSIBLE
    return replace(best, sure=plausible and (not rivals or rivals[0] - least > SIZE_CLEARLY))


def _others(view: SoughtBoard, found: Attempt) -> list[Attempt]:
    """What was found under each other model, whose base lines begin where they were found."""
    out = []
    for model in map(load_board, board_names()):
        if model.name == found.board.name:
            continue
        layout, own = layout_of(model), found.fit.layout
        start = found.fit.camera.farther((layout.rear + layout.front) / (own.rear + own.front))
        out.append(attempt(view, start, layout, model, found.usual))
    return [_uncrossed(view, a) for a in out if a is not None]


def _misfit(tried: Attempt, found: Attempt, rings: RingSize | None) -> float:
    """How ill a model's lengths and pieces come out, `rings` being of the size measured where the board was `found`."""
    ratio = float(found.fit.camera.px_per_mm()[0] / tried.fit.camera.px_per_mm()[0])
    return misfit(tried.fit.layout, tried.board, rings.scaled(ratio) if rings else None)


def resurfaced(view: SoughtBoard, found: Attempt) -> Attempt:
    """The same board with its cushions where they are, if they do not lie where the prints would have them."""
    best = found
    for _ in range(RESIZES):
        if best.reasons or not are_scarce(best.fit):
            break
        layout, sigma = resized(view.picture, view.planes, best.fit)
        if best is not found and abs(layout.half - best.fit.layout.half) < MODEL_SETTLED_MM:
            break
        usual = replace(found.usual, half_mm=sigma)
        again = attempt(view, best.fit.camera, layout, found.board, usual, FIT_STAGES[1:])
        if again is None or again.reasons:
            break
        best = replace(again, sure=found.sure)
    unclear = not best.reasons and are_scarce(best.fit) and not are_around(best.fit)
    return _beside_prints(view, best) if unclear else best


def recircled(view: SoughtBoard, found: Attempt) -> Attempt:
    """The same board with its base circles where ring and disc together are drawn, if those were not seen there."""
    layout = concentric(view.planes.ink, found.fit.camera, found.fit.layout, layout_of(found.board))
    if layout is None:
        return found
    again = attempt(view, found.fit.camera, layout, found.board, found.usual, FIT_STAGES[2:])
    if again is None or again.reasons:
        return found
    drawn = max(again.fit.share(Mark.RING), again.fit.share(Mark.DISC)) > SEEN_MOSTLY
    is_there = (drawn and _is_crossed(found)) or again.worth > found.worth + MORE_MARKS
    return replace(again, sure=found.sure) if is_there else found


def _uncrossed(view: SoughtBoard, tried: Attempt) -> Attempt:
    """The same with ring and disc sought together where each was taken for the other or neither is mostly seen: their
    lengths tell no model then.
    """
    unseen = max(tried.fit.share(Mark.RING), tried.fit.share(Mark.DISC)) < SEEN_MOSTLY
    return recircled(view, tried) if (unseen or _is_crossed(tried)) and not tried.reasons else tried


def _is_crossed(tried: Attempt) -> bool:
    """Whether the base circles' rings, seen mostly, lie within their discs: each was taken for the other."""
    return tried.fit.share(Mark.RING) > SEEN_MOSTLY and tried.fit.layout.disc > tried.fit.layout.ring


def _beside_prints(view: SoughtBoard, found: Attempt) -> Attempt:
    """The same board with a surface that need not lie about the middle of the prints."""
    fit = found.fit
    own = surface(view.picture, view.planes, fit)
    radius = own.radius or fit.layout.pocket_radius
    layout = replace(fit.layout, half=own.half, pocket=own.half - radius, pocket_radius=radius)
    fit = replace(fit, solution=replace(fit.solution, layout=layout))
    return replace(found, fit=fit, middle=own.middle)


def _worth(fit: Fit) -> float:
    """Share of the marks seen, less their scatter in mm."""
    marks = (Mark.REAR, Mark.FRONT, Mark.FOOT, Mark.RING, Mark.DISC, Mark.POCKET)
    return float(np.mean([fit.share(m) for m in marks])) - rms(fit.residuals_mm)
