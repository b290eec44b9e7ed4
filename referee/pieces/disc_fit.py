"""A disc as it is seen: a circle in the picture with its place, colours, and how surely it is a piece."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from calibration.geometry.picture import F32, U8

Tint = tuple[float, float, float]
"""Luma, blue and red difference, relative to a reference luma."""


class ImagePlanes(Protocol):
    """Image planes that show discs: a whole picture, or tiles of several."""

    @property
    def y(self) -> U8:
        """Luma."""

    @property
    def u(self) -> U8:
        """Blue difference, at half the height and width."""

    @property
    def v(self) -> U8:
        """Red difference, at half the height and width."""

    def at(self, columns: F32, rows: F32) -> tuple[F32, F32]:
        """Returns the plane's columns and rows (n, k) for pixels of the profile's camera, k for each of n discs."""


@dataclass(frozen=True, slots=True)
class Disc:
    """A circle in the picture that may be a piece, with its colours."""

    x: float
    y: float
    """Centre in board mm, at the height of the top face."""
    radius: float
    """Radius, mm."""
    response: float
    """Ring response: share of the ring along which there is an edge, -1..1."""
    colour: tuple[float, float, float]
    """Median Y, U, V of the inner top face."""
    ground: tuple[float, float, float]
    """Median Y, U, V of the board around."""
    shade: float
    """Median luma just outside the rim, in percent of the board's; below 100 where the disc throws a shadow."""
    support: float = 0.0
    """Lower quartile of the edge strength along the rim, -1..1."""
    sigma: float = 0.5
    """Standard deviation of the centre on each axis, in mm."""
    excess: float = 0.0
    """Measured minus expected radius, in mm."""
    presence: float = 0.0
    """Log odds that a piece lies here (`referee.pieces.disc_set`); 0 if they were not computed."""

    @property
    def tint(self) -> Tint:
        """Returns the top face's colour relative to the board around, as in `calibration.profile.Colour`."""
        return relative_colour(self.colour, self.ground)


def relative_colour(colour: tuple[float, float, float], ground: tuple[float, float, float]) -> Tint:
    """Returns luma, blue and red difference in percent of the ground's luma."""
    (y, u, v), share = colour, 100.0 / max(ground[0], 8.0)
    return y * share, (u - 128.0) * share, (v - 128.0) * share
