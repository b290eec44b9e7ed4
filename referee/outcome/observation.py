"""The observation of a stroke: all that is known of it when a census is taken, without a picture.

It is the door through which strokes are explained: beliefs about places, discs found, trajectories, hands. It can be
written out as a line and read back (`observation_lines`), so that recorded strokes are explained again in no time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from models.pieces import Kind, Piece, Pocket
from referee.board_state.occupancy import Presence
from referee.outcome.cells import Cells

Place = tuple[float, float]
"""Board mm."""
Unlike = Mapping[Kind, float]
"""How far a look is from each kind's, in standard deviations; kinds whose look is not known are left out."""


@dataclass(frozen=True, slots=True)
class ObservedRim:
    """A pocket: middle (mm) and radius (mm) of its hole."""

    centre: Place
    radius: float


@dataclass(frozen=True, slots=True)
class ObservedTable:
    """The board and the set that are played with."""

    half: float
    """From the middle of the surface to the cushions, mm."""
    coin_radius: float
    striker_radius: float
    pockets: Mapping[Pocket, ObservedRim]
    full_set: Mapping[Kind, int]
    out: Mapping[Kind, int]
    """How many coins of a kind were seen to leave the board before the stroke and are still off it."""

    def radius(self, kind: Kind) -> float:
        """Of a piece, mm."""
        return self.striker_radius if kind is Kind.STRIKER else self.coin_radius


@dataclass(frozen=True, slots=True)
class Remembered:
    """A piece that lay on the board before the stroke."""

    piece: Piece
    presence: Presence
    """What the frame of the census says of its place."""
    seen: float
    """When it was last clearly seen there, s."""
    seen_bare: bool
    """Whether the board beneath it has been seen bare, so that it can be told from a print."""
    track: int | None
    """Number of the track that began when it left."""


@dataclass(frozen=True, slots=True)
class Detection:
    """A disc that the search has found."""

    kind: Kind
    """The likeliest by size and look."""
    x_mm: float
    y_mm: float
    evidence: float
    """How strongly it speaks for a piece by itself; 1.2 and more is plain."""
    unlike: Unlike

    @property
    def place(self) -> Place:
        return self.x_mm, self.y_mm


@dataclass(frozen=True, slots=True)
class ObservedColours:
    """What the picture of the census shows where a track rests."""

    unlike: Unlike
    bare_unlike: Unlike
    """The same of the bare board there; empty where it has not been seen."""
    hides: float
    """Share of the board beneath a coin's inner part that is hidden, of what has been seen bare."""
    rim_hides: float
    """The same of the ring from a coin's rim to the striker's."""


@dataclass(frozen=True, slots=True)
class Sighted:
    """A track as it was followed."""

    number: int
    kind: Kind | None
    """Of the piece that it was followed for; None for one that nothing explained."""
    home: Place | None
    """Where that piece lay."""
    times: tuple[float, ...]
    places: tuple[Place, ...]
    unlike: Unlike
    """By the median look of all its sightings."""
    end_unlike: Unlike
    """By that of the last ones on the board."""
    live: bool
    """Whether it is followed still."""
    shown: ObservedColours | None
    """Where it rests on the board; None of one that moves or was lost."""

    @property
    def t(self) -> float:
        """When it was last seen."""
        return self.times[-1]

    @property
    def place(self) -> Place:
        """Where it was last seen."""
        return self.places[-1]


@dataclass(frozen=True, slots=True)
class HandSeen:
    """Where hands and arms were at a time."""

    t: float
    arms: Cells


@dataclass(frozen=True, slots=True)
class Observation:
    """A stroke as it stands when a census is taken."""

    table: ObservedTable
    t: float
    """Of the census, s."""
    t_strike: float
    t_rest: float
    stood: Place | None
    """Where the striker stood before it was struck, if that was seen."""
    lay: tuple[Remembered, ...]
    """All pieces that lay on the board, the striker if it was known to lie there."""
    striker: int | None
    """Number of the track that is thought to be the striker's."""
    found: tuple[Detection, ...]
    """Discs where none of the pieces lies that are still in their places."""
    weak: tuple[Detection, ...]
    """Other discs of the search, at places of known pieces and where little speaks for a piece."""
    tracks: tuple[Sighted, ...]
    hidden: Cells
    """What hands have hidden ever since all came to rest."""
    hands: tuple[HandSeen, ...]
    """In the last seconds."""
    net_falls: tuple[tuple[float, Pocket], ...]
    """When something fell on what lay in a net."""
    disturbed: int
    """How often the camera was pushed or the light changed meanwhile or right before."""
    stranger: bool = False
    """Whether the striker seems to have met a coin that nobody knew of."""
