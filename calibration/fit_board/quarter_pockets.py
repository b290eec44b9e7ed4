"""Detects quarter-circle pockets cut into the corners of the surface, as home-made boards have them.

Pockets by the rule books are full circles that touch two cushions. The rim of a quarter-circle pocket runs from cushion
to cushion. A small full circle fitted to it covers only part of the net, so coins in the rest of the net would count as
lying on the board. Input: a picture, its camera and the surface's size. Output: one circle for each pocket, or None.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np

from calibration.geometry.camera import F64, Camera
from calibration.geometry.picture import Picture
from calibration.geometry.top_view import Above
from calibration.profile import Circle
from models.pieces import Pocket

QUARTER_ANGLES = np.radians(np.arange(0.0, 360.0, 4.0))
QUARTER_BESIDE_MM, QUARTER_EDGE_MM = 2.5, 4.0
"""Distance inside and outside a rim at which tones are compared, and least distance of a rim point from a cushion; both
in mm."""
LEAST_ARC = 6
"""Least number of angles at which a rim must lie on the surface to be scored."""
QUARTER_PLAIN = 30.0
"""Tone step (levels) above which a rim's score no longer grows, so that a black hole is not favoured."""
FAINT = 12.0
"""Least mean tone step (levels) of a rim; smaller ones may be wood grain."""
QUARTER_WHOLE = [(r + off, r) for r in np.arange(16.0, 35.0, 2.0) for off in np.arange(-4.0, 11.0, 2.0)]
QUARTER = [(off, r) for r in np.arange(36.0, 86.0, 2.0) for off in np.arange(-12.0, 11.0, 2.0)]
"""Candidate (inset, radius) pairs of full-circle and quarter-circle pockets, in mm; the inset is the distance of a
pocket's centre from both cushions."""
PLAINER = 1.1
"""Least ratio of the best quarter-circle score to the best full-circle score at which pockets count as quarter circles.
The ratio is 1.2 to 1.36 on photographs of boards that have them and at most 0.93 on 54 others."""
QUARTER_ASIDE, WIDER, QUARTER_COST_PER_MM = range(-2, 3), range(-3, 4), 0.15
"""Steps by which a single pocket's place and radius may differ from the common ones, and the score (levels) subtracted
for each mm of difference."""
STEPS_MM = (3.0, QUARTER_PLAIN), (1.0, np.inf)
"""Successive search steps (mm), each with the tone step (levels) at which scores are capped. The last has no cap,
because a rim is steepest at its middle."""


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """Top view of a surface whose cushions lie `half` mm from its centre."""

    above: Above
    half: float

    def drawn(self, pocket: Pocket, circle: F64, most: float = QUARTER_PLAIN) -> float:
        """Returns the mean tone step (levels) across a circular rim, each angle capped at `most`.

        `circle` is (x, y, radius) in mm, with x and y positive towards the pocket's corner. Returns 0 where too little
        of the rim lies on the surface.
        """
        east, north = pocket.corner
        x, y, radius = circle.tolist()
        ray = np.stack([np.cos(QUARTER_ANGLES), np.sin(QUARTER_ANGLES)], 1)
        rim = np.array([east * x, north * y]) + radius * ray
        ray = ray[np.abs(rim).max(1) < self.half - QUARTER_EDGE_MM]
        if len(ray) < LEAST_ARC:
            return 0.0
        sides = np.array(
            [[east * x, north * y] + (radius + beside) * ray for beside in (-QUARTER_BESIDE_MM, QUARTER_BESIDE_MM)]
        )
        tones = self.above.tones(sides)
        steps = np.linalg.norm(tones[:, 1] - tones[:, 0], axis=0)
        return float(np.minimum(steps, most).mean())

    def all_drawn(self, inset: float, radius: float) -> float:
        """Returns the mean of `drawn` over all four pockets, centred `inset` mm from the cushions."""
        at = self.half - inset
        return float(np.mean([self.drawn(pocket, np.array([at, at, radius])) for pocket in Pocket]))

    def best(self, sizes: Iterable[tuple[float, float]]) -> tuple[float, float, float]:
        """Returns the score, inset and radius of the best (inset, radius) pair."""
        return max((self.all_drawn(inset, radius), inset, radius) for inset, radius in sizes)


def quarters(picture: Picture, camera: Camera, half_mm: float) -> dict[Pocket, Circle] | None:
    """Returns the pockets if they are clearly quarter circles; None where full circles fit as well, or nothing does.

    `half_mm` is the distance of the cushions from the surface's centre.
    """
    view = _View(Above.of(picture, camera, half_mm), half_mm)
    drawn, inset, radius = view.best(QUARTER)
    if drawn < max(FAINT, PLAINER * view.best(QUARTER_WHOLE)[0]):
        return None
    return {pocket: _own(view, pocket, inset, radius) for pocket in Pocket}


def _own(view: _View, pocket: Pocket, inset: float, radius: float) -> Circle:
    """Returns the best rim of one pocket near the rim common to all four."""
    place = np.array([view.half - inset, view.half - inset, radius])
    for step, most in STEPS_MM:
        tried = [step * np.array(off) for off in product(QUARTER_ASIDE, QUARTER_ASIDE, WIDER)]
        drawn = [
            view.drawn(pocket, place + off, most) - QUARTER_COST_PER_MM * float(np.abs(off).sum()) for off in tried
        ]
        place = place + tried[int(np.argmax(drawn))]
    x, y, own = place.tolist()
    east, north = pocket.corner
    return Circle((east * x, north * y), own)
