"""Defines `Observation`: all measurements of a stroke at the time of its census, without images.

It is the only input of the explanation of a stroke: pieces and their presence, discs found, trajectories, hands.
`observation_lines` writes it as a line of JSON and reads it back, so that recorded strokes are explained again without
their video.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from calibration.profile import Circle
from models.pieces import Kind, Piece, Pocket
from referee.board_state.occupancy import Presence
from referee.outcome.cells import Cells
from referee.tracking.tracker import Place

Unlike = Mapping[Kind, float]
"""Distance of a measured colour from each kind's, in standard deviations; kinds of unknown colour are left out."""


@dataclass(frozen=True, slots=True)
class ObservedTable:
    """The dimensions of the board and its pieces, and the number of pieces per kind."""

    half: float
    """Distance from the centre of the surface to the cushions, mm."""
    coin_radius: float
    striker_radius: float
    pockets: Mapping[Pocket, Circle]
    full_set: Mapping[Kind, int]
    out: Mapping[Kind, int]
    """Number of coins per kind that left the board before the stroke and are still off it."""

    def radius(self, kind: Kind) -> float:
        """Returns the radius of a piece, mm."""
        return self.striker_radius if kind is Kind.STRIKER else self.coin_radius


@dataclass(frozen=True, slots=True)
class Remembered:
    """A piece that lay on the board before the stroke."""

    piece: Piece
    presence: Presence
    """Presence at its place in the frame of the census."""
    seen: float
    """Time of its last clear detection there, s."""
    track: int | None
    """Number of the track that began when it left; None without one."""


@dataclass(frozen=True, slots=True)
class Detection:
    """A disc found by the search."""

    kind: Kind
    """The likeliest kind by size and colour."""
    x_mm: float
    y_mm: float
    presence: float
    """Log odds of a disc there against none."""
    unlike: Unlike
    handled: float = 0.0
    """Share (0 to 1) of its place that an earlier census after the strike showed bare and a hand has covered since."""

    @property
    def place(self) -> Place:
        return self.x_mm, self.y_mm


@dataclass(frozen=True, slots=True)
class Sighted:
    """A track with its sightings."""

    number: int
    kind: Kind | None
    """Kind of the piece that it belongs to; None for a stray track."""
    home: Place | None
    """Place where that piece lay; None for a stray track."""
    times: tuple[float, ...]
    places: tuple[Place, ...]
    unlike: Unlike
    """Colour distance of the median of all its sightings."""
    live: bool
    """Whether the tracker still follows it."""

    @property
    def is_stray(self) -> bool:
        """Tells whether it belongs to no known piece."""
        return self.home is None and self.kind is None

    @property
    def t(self) -> float:
        """Returns the time of its last sighting, s."""
        return self.times[-1]

    @property
    def place(self) -> Place:
        """Returns the place of its last sighting, mm."""
        return self.places[-1]


@dataclass(frozen=True, slots=True)
class HandSeen:
    """The mask of hands and arms at a time (s)."""

    t: float
    arms: Cells


@dataclass(frozen=True, slots=True)
class Observation:
    """The measurements of a stroke at the time of a census."""

    table: ObservedTable
    t: float
    """Time of the census, s."""
    t_strike: float
    t_rest: float
    stood: Place | None
    """The striker's place before the strike; None if it was not detected."""
    lay: tuple[Remembered, ...]
    """All pieces that lay on the board, including the striker if its place was known."""
    striker: int | None
    """Number of the striker's presumed track."""
    found: tuple[Detection, ...]
    """Discs apart from the pieces that are still at their places."""
    tracks: tuple[Sighted, ...]
    hidden: Cells
    """The part of the board that hands have hidden ever since the rest."""
    hands: tuple[HandSeen, ...]
    """The masks of the last seconds."""
    disturbed: int
    """Number of pushes of the camera and changes of the light during the stroke or right before."""
    pockets: Mapping[Pocket, float] = field(default_factory=dict)
    """Share (0 to 1) of each pocket's opening that looks other than before the stroke; pockets near a hand are left
    out.
    """
    nets: float = 0.0
    """Log likelihood ratio, by earlier strokes, that the board's nets hold coins in view."""
