"""Pockets that are quarters of circles cut into the corners of the surface, as home-made boards have them.

The books' pockets are whole circles that touch two cushions. A quarter's rim goes from cushion to cushion: a small
whole circle fitted into it hides only a part of its net, and coins in the rest of that would lie on the board.
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
"""A rim is looked for between what lies so far on both sides of it, and not nearer than the second to a cushion."""
LEAST_ARC = 6
"""Angles at which a rim must lie on the surface to be told."""
QUARTER_PLAIN = 30.0
"""A step of more levels is no plainer a rim: a black hole in pale wood is not asked for."""
FAINT = 12.0
"""Steps of fewer levels on the whole are grain."""
QUARTER_WHOLE = [(r + off, r) for r in np.arange(16.0, 35.0, 2.0) for off in np.arange(-4.0, 11.0, 2.0)]
QUARTER = [(off, r) for r in np.arange(36.0, 86.0, 2.0) for off in np.arange(-12.0, 11.0, 2.0)]
"""Distances (mm) of a pocket's middle from both cushions, and radii, of the two makes of pockets."""
PLAINER = 1.1
"""Pockets are quarters when their rims are drawn better by this factor than those of whole circles: 1.2 to 1.36 times
on the photographs of boards that have them, at most 0.93 times on 54 others."""
QUARTER_ASIDE, WIDER, QUARTER_COST_PER_MM = range(-2, 3), range(-3, 4), 0.15
"""One pocket may lie and be cut otherwise than the others by so many steps; levels that each mm of it costs."""
STEPS_MM = (3.0, QUARTER_PLAIN), (1.0, np.inf)
"""The steps, one after the other, and from which level on a rim is as plain as any: it is steepest in its middle."""


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """A surface that reaches `half` mm from its middle."""

    above: Above
    half: float

    def drawn(self, pocket: Pocket, circle: F64, most: float = QUARTER_PLAIN) -> float:
        """How plainly (levels, each angle's up to `most`) a rim of such a circle (x, y and radius mm, as seen from its
        own corner) is drawn; 0 where too little is on the surface.
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
        """The same for all four pockets together, their middles `inset` mm from the cushions."""
        at = self.half - inset
        return float(np.mean([self.drawn(pocket, np.array([at, at, radius])) for pocket in Pocket]))

    def best(self, sizes: Iterable[tuple[float, float]]) -> tuple[float, float, float]:
        """The plainest of these insets and radii: how plainly drawn, inset and radius."""
        return max((self.all_drawn(inset, radius), inset, radius) for inset, radius in sizes)


def quarters(picture: Picture, camera: Camera, half_mm: float) -> dict[Pocket, Circle] | None:
    """The pockets, if they are plainly quarters of circles about the corners of a surface that reaches `half_mm` from
    its middle; None where whole circles fit as well, or nothing does.
    """
    view = _View(Above.of(picture, camera, half_mm), half_mm)
    drawn, inset, radius = view.best(QUARTER)
    if drawn < max(FAINT, PLAINER * view.best(QUARTER_WHOLE)[0]):
        return None
    return {pocket: _own(view, pocket, inset, radius) for pocket in Pocket}


def _own(view: _View, pocket: Pocket, inset: float, radius: float) -> Circle:
    """One pocket's own rim, near that of all."""
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
