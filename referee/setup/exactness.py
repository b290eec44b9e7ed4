"""Accuracy of placement calls with a calibrated camera, in one sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from calibration.fit_board.solve import TAPE_MM
from calibration.profile import Profile
from models.pieces import Seat, from_side
from referee.facts import PLACEMENT_SIGMAS
from referee.setup.verdict import is_small, mm_per_px
from referee.striker.placement_rules import judge_placement
from referee.striker.placement_tracker import sighting_sigma

EXACTNESS_CENTRE_MM = 0.2
"""Standard deviation of a well drawn striker's measured centre, mm."""
EXACTNESS_ALONG = (-0.7, 0.0, 0.7)
"""Places on the base lines at which it is evaluated, as shares of the way to their circles."""
WORTH_MM = 0.2
"""Least improvement by a measured height that is worth mentioning, mm."""

PICTURE_SMALL = "the picture is small, {scale:.1f} mm a pixel: hang the camera lower, or choose a larger picture"


def sure_from_mm(profile: Profile) -> float:
    """Returns the distance (mm) from a limit beyond which placements are called: the median over places on the base
    lines.
    """
    board, sigmas, rim_mm = profile.board, [], sighting_sigma(EXACTNESS_CENTRE_MM)
    for seat in Seat:
        for share in EXACTNESS_ALONG:
            x, y = from_side(seat, share * board.base_circle_x, -board.base_y)
            sigmas.append(judge_placement(profile, seat, x, y, board.striker_radius, rim_mm).sigma_mm)
    return PLACEMENT_SIGMAS * float(np.median(sigmas))


@dataclass(frozen=True, slots=True)
class Exactness:
    """Accuracy of placement calls, and what would improve it."""

    sure_from_mm: float
    """Distance from a limit beyond which placements are called, mm."""
    taped_mm: float | None
    """The same with the lens's height by tape, mm; None if that is no improvement worth mentioning."""
    mm_per_px: float
    """Scale of the picture in the middle of the board, mm."""
    is_small: bool
    """The picture is too small to be exact."""


@lru_cache(2)
def exactness_of(profile: Profile) -> Exactness:
    """Returns the accuracy of placement calls with this profile."""
    now = sure_from_mm(profile)
    taped = sure_from_mm(replace(profile, doubt=profile.doubt.with_measured_height(profile.camera, TAPE_MM)))
    scale = mm_per_px(profile)
    return Exactness(now, taped if now - taped >= WORTH_MM else None, scale, is_small(scale))


def exactness(profile: Profile) -> str:
    """Returns that distance as a sentence, with what would improve it most."""
    exact = exactness_of(profile)
    helps = f"; {PICTURE_SMALL.format(scale=exact.mm_per_px)}" if exact.is_small else ""
    if exact.taped_mm is not None:
        helps = f"; with the height by tape (--height) from {exact.taped_mm:.1f} mm{helps}"
    return f"placements are called from {exact.sure_from_mm:.1f} mm beside a limit on{helps}"


def small_picture(profile: Profile) -> str | None:
    """Returns the sentence on a picture that is too small to be exact; None if it is large enough."""
    scale = mm_per_px(profile)
    return PICTURE_SMALL.format(scale=scale) if is_small(scale) else None
