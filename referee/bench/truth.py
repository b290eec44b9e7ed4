"""Ground truth of a clip, from a file or from the simulator, with which a log is compared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calibration.geometry.camera import Camera
from models.pieces import Kind, Piece, Pocket, Seat
from referee.facts import Foul, PlacementReason

TRUTH_SUFFIX = ".truth.json"
LAST_TUNING_LETTER = "l"
"""Last initial of the clips used for tuning. The others only measure."""


class TruthError(ValueError):
    """A truth file cannot be used; the message is one sentence that says what to do."""


@dataclass(frozen=True, slots=True)
class Gone:
    """A piece that fell into a pocket or off the board."""

    kind: Kind
    pocket: Pocket | None = None
    t: float | None = None


@dataclass(frozen=True, slots=True)
class TruePlacement:
    """True place of the striker."""

    x_mm: float
    y_mm: float
    legal: bool
    reason: PlacementReason | None
    margin_mm: float
    """Signed distance to the nearest legal limit."""


@dataclass(frozen=True, slots=True)
class PutBack:
    """A coin put back by hand."""

    kind: Kind
    t: float


@dataclass(frozen=True, slots=True)
class TruePlay:
    """Ground truth of a stroke; times in seconds of the clip."""

    seat: Seat
    t_strike: float
    t_rest: float
    placement: TruePlacement | None
    left_base_line: bool
    """False for a failed stroke: the striker stayed on its lines and touched nothing."""
    first_contact: Kind | None
    pocketed: tuple[Gone, ...]
    """Pieces in the order they fell, the striker too."""
    off_board: tuple[Gone, ...]
    fouls: frozenset[Foul]
    rest: tuple[Piece, ...]
    """Every piece on the board after it; empty if not given."""
    returned: tuple[PutBack, ...]
    turn_after: Seat | None


@dataclass(frozen=True, slots=True)
class Visit:
    """An arm over the board."""

    t_enter: float
    t_leave: float


@dataclass(frozen=True, slots=True)
class TrueMarks:
    """Lengths (mm) that give the places of the marks by which a calibration is scored."""

    half: float
    base_circle_x: float
    base_circle_y: float
    pocket: float
    """Distance of a pocket's centre from the board's middle along each axis."""


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """Ground truth of one clip."""

    name: str
    fps: float
    frames: int
    duration_s: float
    camera: Camera
    marks: TrueMarks
    strokes: tuple[TruePlay, ...]
    hands: tuple[Visit, ...]
    disturbances: tuple[float, ...]
    """Times of disturbances that people should be told of, s."""
    is_board: bool
    """The strokes follow each other as in a match, so whose turn it is can be scored."""
    video: Path | None = None

    @property
    def is_for_tuning(self) -> bool:
        """Tells whether the clip may be used to tune the program."""
        return self.name[:1].lower() <= LAST_TUNING_LETTER


def clips_with_truth(folder: Path) -> list[Truth]:
    """Returns every clip with truth in a folder, by name. Raises TruthError if there is none or a file is damaged."""
    found = [truth for path in sorted(folder.glob(f"*{TRUTH_SUFFIX}")) if (truth := load_truth(path)) is not None]
    if not found:
        raise TruthError(
            f"no clips with truth in {folder}; give a folder that holds NAME.mp4 beside NAME{TRUTH_SUFFIX}"
        )
    return found


def chosen_clips(folder: Path, only: str) -> list[Truth]:
    """Returns the clips of a folder whose names contain `only`. Raises TruthError if there is none."""
    clips = [c for c in clips_with_truth(folder) if only in c.name]
    if not clips:
        raise TruthError(f"no clip in {folder} has {only} in its name")
    return clips


def load_truth(path: Path) -> Truth | None:
    """Returns the truth of one clip; None if the file is of a still picture. Raises TruthError."""
    try:
        d = json.loads(path.read_text(encoding="utf-8"))
        return _truth(d, path) if "video" in d else None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, KeyError, TypeError, ValueError) as e:
        raise TruthError(f"{path} is no truth of a clip ({e!r}); write it as the footage's README says") from None


def _truth(d: Mapping[str, Any], path: Path) -> Truth:
    b, c = d["board"], d["camera"]
    half = b["surface_mm"] / 2
    marks = TrueMarks(half, b["base_circle_x"], half - b["baseline_rear_distance"] - b["baseline_gap"] / 2,
                  half - b["pocket_inset"])  # fmt: skip
    camera = Camera.of(c["width"], c["height"], c["K"], c["dist_k1k2p1p2k3"], c["R_board_to_camera"], c["t_mm"])
    return Truth(
        name=path.name.removesuffix(TRUTH_SUFFIX), fps=float(d["fps"]), frames=int(d["frames"]),
        duration_s=float(d["duration_s"]), camera=camera, marks=marks,
        strokes=tuple(_play(s) for s in d["strokes"]),
        hands=tuple(Visit(h["t_enter"], h["t_leave"]) for h in d["hands"]),
        disturbances=tuple(x["t"] for x in d["disturbances"] if x["t"] is not None),
        is_board=d["kind"] == "board", video=path.parent / d["video"],
    )  # fmt: skip


def _play(s: Mapping[str, Any]) -> TruePlay:
    return TruePlay(
        seat=Seat(s["seat"]), t_strike=s["t_strike"], t_rest=s["t_rest"],
        placement=_spot(s["placement"]) if s.get("placement") else None,
        left_base_line=bool(s["left_base_line"]),
        first_contact=Kind(s["first_contact"]) if s["first_contact"] else None,
        pocketed=tuple(_gone(p) for p in s["pocketed"]),
        off_board=tuple(_gone(p) for p in s["off_board"]),
        fouls=frozenset(Foul(f) for f in s["fouls"]),
        rest=tuple(Piece(Kind(p["kind"]), p["x_mm"], p["y_mm"]) for p in s["rest"] or ()),
        returned=tuple(PutBack(Kind(p["kind"]), p["t"]) for p in s["returned"]),
        turn_after=Seat(s["turn_after"]) if s["turn_after"] in set(Seat) else None,
    )  # fmt: skip


def _spot(p: Mapping[str, Any]) -> TruePlacement:
    reason = PlacementReason(p["reason"]) if p["reason"] else None
    return TruePlacement(p["x_mm"], p["y_mm"], bool(p["legal"]), reason, p["margin_mm"])


def _gone(p: Mapping[str, Any]) -> Gone:
    return Gone(Kind(p["kind"]), Pocket(p["pocket"]) if p.get("pocket") else None, p.get("t"))
