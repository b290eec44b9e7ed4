"""Accuracy of placement calls with a calibrated camera, in one sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.fit_board.solve import TAPE_MM
from calibration.profile import Profile
from models.pieces import Seat, from_side
from referee.striker.placement_rules import called_from, judge

EXACTNESS_RIM_MM = 0.25
"""Standard deviation of a striker's detected rim, mm: 0.15 to 0.4 where it is well drawn."""
EXACTNESS_ALONG = (-0.7, 0.0, 0.7)
"""Places on the base lines at which it is evaluated, as shares of the way to their circles."""
WORTH_MM = 0.2
"""Least improvement by a measured height that is worth mentioning, mm."""


def sure_from_mm(profile: Profile) -> float:
    """Returns the distance (mm) from a limit beyond which placements are called: the median over places on the base
    lines.
    """
    board, sigmas = profile.board, []
    for seat in Seat:
        for share in EXACTNESS_ALONG:
            x, y = from_side(seat, share * board.base_circle_x, -board.base_y)
            sigmas.append(judge(profile, seat, x, y, board.striker_radius, EXACTNESS_RIM_MM).sigma_mm)
    return called_from(float(np.median(sigmas)))


def exactness(profile: Profile) -> str:
    """Returns that distance as a sentence, with the improvement that a tape-measured height would bring."""
    now = sure_from_mm(profile)
    doubt = profile.doubt.taped(profile.camera, TAPE_MM)
    taped = sure_from_mm(replace(profile, doubt=doubt))
    helps = f"; with the height by tape (--height) from {taped:.1f} mm" if now - taped >= WORTH_MM else ""
    return f"placements are called from {now:.1f} mm beside a limit on{helps}"
