"""Writes observed strokes by hand: pieces that lay there, discs found, tracks that glide; no picture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from calibration.profile import Circle
from models.pieces import Kind, Piece, Pocket
from referee.board_state.occupancy import Presence
from referee.outcome.cells import Cells
from referee.outcome.observation import (
    Detection,
    Observation,
    ObservedTable,
    Place,
    Remembered,
    Sighted,
    Unlike,
)

HALF, REACH, SIDE = 370.0, 415.0, 83
INSET = 347.0
SET = {Kind.WHITE: 9, Kind.BLACK: 9, Kind.QUEEN: 1}
STRIKE, REST, CENSUS = 1.0, 3.0, 3.2
DT = 1 / 60
RIMS = {p: Circle((p.corner[0] * INSET, p.corner[1] * INSET), 22.25) for p in Pocket}
LOOKS: Mapping[Kind, Mapping[Kind, float]] = {
    Kind.WHITE: {Kind.WHITE: 0.5, Kind.BLACK: 12.0, Kind.QUEEN: 9.0, Kind.STRIKER: 7.0},
    Kind.BLACK: {Kind.WHITE: 12.0, Kind.BLACK: 0.5, Kind.QUEEN: 9.0, Kind.STRIKER: 10.0},
    Kind.QUEEN: {Kind.WHITE: 9.0, Kind.BLACK: 9.0, Kind.QUEEN: 0.5, Kind.STRIKER: 8.0},
    Kind.STRIKER: {Kind.WHITE: 7.0, Kind.BLACK: 10.0, Kind.QUEEN: 8.0, Kind.STRIKER: 0.5},
}
"""Colour distance of a disc of one kind from each kind, standard deviations."""


def track(number: int, kind: Kind | None, way: Sequence[Place], *, since: float = STRIKE, home: bool = True,
          looks: Kind | None = None, rests: bool = False) -> Sighted:  # fmt: skip
    """Returns a disc's track along a path, one sighting a frame. One that `rests` is seen at its end until the
    census.
    """
    places = list(way)
    if rests:
        places += [way[-1]] * (round((CENSUS - since) / DT) - len(way))
    seen: Unlike = LOOKS[looks or kind or Kind.WHITE]
    times = tuple(since + i * DT for i in range(len(places)))
    return Sighted(number, kind, way[0] if home else None, times, tuple(places), seen, rests)


def glide(start: Place, end: Place, slowing: float = 1100.0, speed_at_end: float = 0.0) -> list[Place]:
    """Returns the positions, a frame apart, of a disc that slides from one place to another and slows evenly."""
    far = math.dist(start, end)
    speed = math.sqrt(speed_at_end**2 + 2 * slowing * far)
    took = (speed - speed_at_end) / slowing
    times = [took - i * DT for i in range(int(took / DT), -1, -1)]
    shares = [(speed * t - slowing * t * t / 2) / far for t in times]
    return [(start[0] + s * (end[0] - start[0]), start[1] + s * (end[1] - start[1])) for s in shares]


def gone(piece: Piece, number: int | None) -> Remembered:
    """Returns a piece that has left its place, on a track or undetected."""
    return Remembered(piece, Presence.GONE, STRIKE, number)


def found(kind: Kind, place: Place, looks: Kind | None = None, presence: float = 9.0) -> Detection:
    return Detection(kind, *place, presence, LOOKS[looks or kind])


def still(pieces: Sequence[Piece]) -> tuple[Remembered, ...]:
    return tuple(Remembered(p, Presence.THERE, CENSUS, None) for p in pieces)


def hidden(*circles: tuple[Place, float]) -> Cells:
    """Returns the cells that hands have hidden: circles of a middle and a radius, mm."""
    along = np.linspace(-REACH, REACH, SIDE)
    x, y = np.meshgrid(along, -along)
    mask = np.zeros((SIDE, SIDE), np.uint8)
    for (cx, cy), radius in circles:
        mask[np.hypot(x - cx, y - cy) < radius] = 255
    return Cells.of(mask, REACH, SIDE)


def observed(lay: Sequence[Remembered], discs: Sequence[Detection] = (), tracks: Sequence[Sighted] = (), *,
             striker: int | None = None, hides: Cells | None = None,
             out: Mapping[Kind, int] | None = None, disturbed: int = 0) -> Observation:  # fmt: skip
    """Returns a stroke at its census. Coins that are not among those that `lay` are out, unless `out` gives their
    numbers.
    """
    known = {k: n - sum(r.piece.kind is k for r in lay) for k, n in SET.items()}
    table = ObservedTable(HALF, 15.9, 20.65, RIMS, SET, known if out is None else out)
    return Observation(table, CENSUS, STRIKE, REST, (0.0, -240.0), tuple(lay), striker, tuple(discs),
                       tuple(tracks), hides or hidden(), (), disturbed)  # fmt: skip
