"""A placement tracker over an empty board and the pictures that it gets, for the tests of the striker."""

from __future__ import annotations

from dataclasses import replace

from sim_scenes import BOARD, Studio, compared, gate_over
from sim_scenes import studio as shared_studio

from models.pieces import Kind, Piece, Seat, from_side
from referee.pieces.current_profile import CurrentProfile
from referee.sim.scene import HandPose
from referee.striker.baseline_search import StrikerSighting
from referee.striker.placement_tracker import PlacementTracker

PLACE_MM = 2.0
"""Accuracy of a placed striker, mm: a little more than a pixel."""


class Watched:
    """A placement tracker over an empty board, fed with drawn pictures."""

    def __init__(self, studio: Studio | None = None) -> None:
        self.studio = studio or shared_studio()
        self.background = gate_over()
        self.watch = PlacementTracker(CurrentProfile(self.studio.profile), self.background)

    def show(self, t: float, *pieces: Piece, hands: tuple[HandPose, ...] = (), lying: tuple[Piece, ...] = ()) -> None:
        picture = self.studio.picture(pieces, hands, grain=round(t * 30))
        foreground = compared(self.background, picture, t)
        self.watch.update(picture, foreground, lying, foreground.solid)

    @property
    def sightings(self) -> list[StrikerSighting]:
        return self.watch.sightings


def striker(seat: Seat, x: float, y: float = -BOARD.base_y) -> Piece:
    """Returns a striker placed by `seat` at (x, y) mm in its player's frame."""
    return Piece(Kind.STRIKER, *from_side(seat, x, y))


def aimed_with(placed: Piece) -> tuple[Watched, StrikerSighting]:
    """Returns a tracker with sightings of a striker at rest as `placed` from 3.0 to 3.5 s, and the first sighting."""
    watched = Watched()
    watched.show(1.0, placed)
    (seen,) = watched.sightings
    watched.watch.sightings = [replace(seen, t=3.0 + 0.1 * i) for i in range(6)]
    return watched, seen
