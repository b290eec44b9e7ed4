"""Facts that vision reports: strokes and the settled board, frozen, each with its uncertainty. They know no
rule book.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from models.pieces import Kind, Piece, Pocket, Seat

PLACEMENT_SIGMAS = 2.0
"""Standard deviations from a limit within which a placement is too close to call: measured on the board against the
ICF's limits, and in the laws against those of the book in force."""


class PlacementReason(StrEnum):
    """The limit that a placement missed by most."""

    CUTTING_MOON = "cutting_moon"
    NOT_TOUCHING_FRONT_LINE = "not_touching_front_line"
    NOT_TOUCHING_REAR_LINE = "not_touching_rear_line"
    TOUCHING_ARROW = "touching_arrow"
    OUTSIDE_BASELINE = "outside_baseline"


class Foul(StrEnum):
    """An infringement that the camera can detect. The value is its name in the match log."""

    CUTTING_MOON = "placement:cutting_moon"
    NOT_TOUCHING_FRONT_LINE = "placement:not_touching_front_line"
    NOT_TOUCHING_REAR_LINE = "placement:not_touching_rear_line"
    TOUCHING_ARROW = "placement:touching_arrow"
    OUTSIDE_BASELINE = "placement:outside_baseline"
    HAND_OVER_DIAGONAL = "hand_over_diagonal"
    TOUCHED_COIN = "touched_coin"
    PUSH = "push"
    COIN_OFF_BOARD = "coin_off_board"
    STRIKER_OFF_BOARD = "striker_off_board"
    STRIKER_POCKETED = "striker_pocketed"
    NO_LEAVE = "no_leave"


@dataclass(frozen=True, slots=True)
class Clearances:
    """Distance to each limit (mm), positive on the legal side; None where this board lacks the mark."""

    front_line: float | None = None
    rear_line: float | None = None
    moon: float | None = None
    arrow: float | None = None
    ends: float | None = None
    circle: float | None = None
    """Distance to the end circles from outside, for books by which they may never be touched. The ICF has no such
    limit."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Position of the striker before the stroke, and the verdict by the ICF laws."""

    x_mm: float
    y_mm: float
    legal: bool | None
    """None if too close to call."""
    reason: PlacementReason | None
    margin_mm: float
    """Signed distance to the nearest legal limit."""
    sigma_mm: float
    clearance_mm: Clearances


@dataclass(frozen=True, slots=True)
class Pocketed:
    """A piece that fell into a pocket; `pocket` is None if unknown."""

    kind: Kind
    pocket: Pocket | None
    t: float


@dataclass(frozen=True, slots=True)
class OffBoard:
    """A piece that jumped over the frame."""

    kind: Kind
    t: float


@dataclass(frozen=True, slots=True)
class OtherFalls:
    """What else may have left the board in a stroke."""

    pocketed: tuple[Pocketed, ...]
    off_board: tuple[OffBoard, ...]
    confidence: float
    """Probability that these sets are exactly right."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """All facts of one stroke. Times are seconds on the frames' clock."""

    n: int
    seat: Seat
    t_placed: float | None
    t_strike: float
    t_rest: float
    t_called: float
    placement: Placement | None
    first_contact: Kind | None
    pocketed: tuple[Pocketed, ...]
    """Pieces in the order in which they fell, the striker included."""
    off_board: tuple[OffBoard, ...]
    fouls: tuple[Foul, ...]
    foul_confidence: Mapping[Foul, float] = field(default_factory=lambda: MappingProxyType({}))
    confidence: float = 1.0
    """Probability that the sets `pocketed` and `off_board` are both exactly right."""
    other: OtherFalls | None = None
    """The runner-up of these sets, if there is one."""


@dataclass(frozen=True, slots=True)
class Table:
    """The settled board: every piece on the playing surface, the striker included."""

    t: float
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Returned:
    """A coin put back on the board by hand."""

    t: float
    kind: Kind
    x_mm: float
    y_mm: float
    by: Seat | None


@dataclass(frozen=True, slots=True)
class Fell:
    """A coin at rest on a pocket's lip fell by itself: it counts as pocketed by the last stroke (ICF R44, R86)."""

    t: float
    kind: Kind
    pocket: Pocket


@dataclass(frozen=True, slots=True)
class Formation:
    """The opening formation: all nineteen coins lie as a board begins."""

    t: float
    pieces: tuple[Piece, ...]
    breaker: Seat | None = None
    """Seat that placed the striker first; None until somebody has."""


class AlertKind(StrEnum):
    """Reason of an alert."""

    CAMERA_MOVED = "camera_moved"
    LIGHT_CHANGED = "light_changed"
    FOCUS_CHANGED = "focus_changed"
    FRAMES_DROPPED = "frames_dropped"
    SOURCE_ENDED = "source_ended"
    SOURCE_FAILED = "source_failed"
    COUNT_DIFFERS = "count_differs"
    BOARD_LOST = "board_lost"
    BOARD_UNSURE = "board_unsure"
    PICTURE_RESTLESS = "picture_restless"
    """Something keeps changing in the picture although no piece moves."""
    PICTURE_SOUND = "picture_sound"
    """The picture is sound again, after it was restless or frozen."""
    PICTURE_FROZEN = "picture_frozen"
    """The camera repeats one picture. Reported by the pipeline."""
    PICTURE_POOR = "picture_poor"
    """The picture would fail the verdict of `calibrate`. Reported by the pipeline."""
    NO_COLOUR = "no_colour"
    """The camera delivers no colour, so the queen is never certain."""
    BOARD_LATE = "board_late"
    """A recording did not show the board from its beginning. Reported by the pipeline."""
    LAYOUT_DIFFERS = "layout_differs"
    """The coins do not lie as a board begins. Reported by the match, not by vision."""
    POWDER_CHANGED = "powder_changed"
    """Pieces slide or bounce differently than at the last match. Reported by the pipeline, like the next two."""
    LIGHT_DIFFERS = "light_differs"
    """The light differs from that of the last match."""
    CAMERA_DIFFERS = "camera_differs"
    """The camera's position or view differs from that of the last match."""
    RECORDING_STOPPED = "recording_stopped"
    """Replays are no longer stored, mostly for lack of space, or were not finished before the end. The match goes on.
    Reported by the pipeline."""
    LOG_REPLACED = "log_replaced"
    """Somebody deleted or replaced the match log while it was written. Reported by the log."""


@dataclass(frozen=True, slots=True)
class Alert:
    """A message to the people at the board, in a sentence."""

    t: float
    kind: AlertKind
    text: str


Fact = Table | Stroke | Returned | Fell | Formation | Alert
"""Any fact that vision reports. Facts are reported in order of time."""
