"""Defines the Profile, the calibration of one board under one camera, and its JSON file."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.doubt import COIN_HEIGHT_MM, DOUBT_CERTAIN, STRIKER_HEIGHT_MM, CameraDoubt
from calibration.geometry.camera import F64, Camera
from calibration.geometry.lens import LensOrigin
from models.board import BoardModel
from models.pieces import FULL_SET, Kind, Pocket, Seat

VERSION = 1
KIND = "carrom-profile"

PROFILE_MOST_BYTES = 16 << 20
"""Greatest size of a profile's file; usual ones have some hundred kilobytes."""
MOST_PX, PROFILE_MOST_MM, PROFILE_MOST_CELLS = 16_384, 3000.0, 4096
"""Greatest side of a picture (px), length on a board (mm) and side of the background's lattice (cells): twice what any
camera or board has."""
PROFILE_LEAST_MM, LEAST_STEP_MM, LEAST_LENGTH_MM = 200.0, 0.25, 0.01
"""Least side of a surface, least step of the background's lattice, and least length that is not 0, mm."""
MOST_COUNT = 100
"""Greatest number of coins of a kind."""
CAMERA_LEAST_MM, CAMERA_MOST_MM = 10.0, 100_000.0
"""Least and greatest distance of a camera from the board: ten times beyond what any lens shows a board from."""
LEAST_VIEW, MOST_VIEW = 0.02, 20.0
"""Least and greatest size of the board in the picture, in sides of the picture."""
LENS_MOST = 1e6
"""Greatest number of a lens: a focal length in pixels, a distortion."""
ROTATION_OFF = 1e-3
"""Greatest error of a rotation times its inverse."""

Point = tuple[float, float]


class ProfileError(ValueError):
    """Raised if a profile cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Segment:
    """The centre line of a printed stroke, from end to end, in board mm."""

    start: Point
    end: Point
    thickness: float
    sigma_mm: float = 0.0
    """Standard deviation of its edges' distance from where they are, mm."""

    def moved(self, to: Callable[[Point], Point], ratio: float = 1.0) -> Segment:
        """Returns the stroke with its ends mapped by `to`, which enlarges lengths by `ratio`."""
        return Segment(to(self.start), to(self.end), self.thickness * ratio, self.sigma_mm * ratio)

    def widened(self) -> Segment:
        """Returns the stroke with each edge moved outward by one standard deviation."""
        return replace(self, thickness=self.thickness + 2 * self.sigma_mm)


@dataclass(frozen=True, slots=True)
class Circle:
    """A printed ring or a pocket's rim: centre, and radius to the middle of the print, in board mm."""

    centre: Point
    radius: float
    sigma_mm: float = 0.0
    """Standard deviation of its outline's distance from where it is, mm."""

    def moved(self, to: Callable[[Point], Point], ratio: float = 1.0) -> Circle:
        """Returns the circle with its centre mapped by `to`, which enlarges lengths by `ratio`."""
        return Circle(to(self.centre), self.radius * ratio, self.sigma_mm * ratio)

    def widened(self) -> Circle:
        """Returns the circle with its outline moved outward by one standard deviation."""
        return replace(self, radius=self.radius + self.sigma_mm)


@dataclass(frozen=True, slots=True)
class SideMarks:
    """The measured marks printed before one seat; None for a mark that this board lacks.

    Left and right are as the player sees them.
    """

    rear_line: Segment | None
    front_line: Segment | None
    left_circle: Circle | None
    right_circle: Circle | None
    left_arrow: Segment | None
    right_arrow: Segment | None

    def filled(self, others: SideMarks) -> SideMarks:
        """Returns the marks, with missing ones filled in from `others`."""
        return SideMarks(*(getattr(self, f.name) or getattr(others, f.name) for f in fields(self)))

    def moved(self, to: Callable[[Point], Point], ratio: float = 1.0) -> SideMarks:
        """Returns the marks with each point mapped by `to`, which enlarges lengths by `ratio`."""
        return SideMarks(*(mark and mark.moved(to, ratio) for mark in self._all))

    def widened(self) -> SideMarks:
        """Returns the marks with each outline moved outward by one standard deviation."""
        return SideMarks(*(mark and mark.widened() for mark in self._all))

    @property
    def _all(self) -> list[Any]:
        return [getattr(self, f.name) for f in fields(self)]


UNMARKED = SideMarks(None, None, None, None, None, None)


@dataclass(frozen=True, slots=True)
class Colour:
    """The colour of a kind's top face: luma, blue and red difference, in percent of the surrounding board's luma.

    It is relative to the board because lighting and vignetting change both alike.
    """

    mean: tuple[float, float, float]
    sigma: tuple[float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """The latest picture of the empty board on a lattice of `step` mm at the coins' top height.

    `yuv` is Y, U, V (3, n, n); `seen` (n, n) is 0 where a piece or a hand hid the board and `yuv` is a guess.
    """

    step: float
    yuv: NDArray[np.uint8]
    seen: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Residuals:
    """RMS and worst distance (mm) between measured and predicted marks, and the number of marks."""

    rms_mm: float
    worst_mm: float
    marks: int
    model_sure: bool = True
    """Whether the board was named, or no other known board explains marks and coins nearly as well."""


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """One board under one camera."""

    camera: Camera
    board: BoardModel
    """The book's lengths, replaced by measured ones where available (surface, pockets, coin and striker radius)."""
    sides: dict[Seat, SideMarks]
    pockets: dict[Pocket, Circle]
    residuals: Residuals
    colours: dict[Kind, Colour] = field(default_factory=dict)
    """Learned colours by kind; the striker may be missing until it is first detected."""
    background: Background | None = None
    full_set: dict[Kind, int] = field(default_factory=lambda: dict(FULL_SET))
    """Coins that belong to this set (some sets have coins missing or spare)."""
    turn: int = 0
    """Clockwise quarter turns by which the owner moved south from the side nearest the picture's bottom."""
    lens: LensOrigin = LensOrigin.ESTIMATED
    middle: Point = (0.0, 0.0)
    """Centre of the playing surface, in board mm: the origin is the prints' centre, which is off the surface's on some
    boards."""
    doubt: CameraDoubt = DOUBT_CERTAIN
    """Uncertainty of the camera and of the pieces' heights."""
    pale_print: bool = False
    """Whether the print is paler than the board's wood."""

    @property
    def corners(self) -> NDArray[np.float64]:
        """The playing surface's corners NW NE SE SW (4, 2), in board mm."""
        half = self.board.half
        return np.array([(-half, half), (half, half), (half, -half), (-half, -half)]) + self.middle

    def outward(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the distances (mm, any shape) of points beyond the cushions; negative on the surface."""
        return np.asarray(np.maximum(np.abs(x - self.middle[0]), np.abs(y - self.middle[1])) - self.board.half)

    def sigmas(self, places: ArrayLike, kind: Kind | None = None) -> F64:
        """Returns the standard deviations (n, 2) in mm of positions (n, 2), from the uncertain camera and piece height.

        The positions are those of pieces of `kind`, or of prints for None.
        """
        z = self.board.height(kind) if kind else 0.0
        at = np.asarray(places, np.float64).reshape(-1, 2)
        return self.doubt.of_places(self.camera, at, z, self.doubt.height(kind) if kind else 0.0)

    def to_json(self) -> str:
        """Returns the whole profile as JSON."""
        d: dict[str, Any] = {"type": KIND, "version": VERSION, "camera": self.camera.as_dict()}
        d["board"] = asdict(self.board)
        d["sides"] = {seat: asdict(marks) for seat, marks in self.sides.items()}
        d["pockets"] = {pocket: asdict(circle) for pocket, circle in self.pockets.items()}
        d["residuals"] = asdict(self.residuals)
        d["colours"] = {kind: asdict(colour) for kind, colour in self.colours.items()}
        d["full_set"] = dict(self.full_set)
        d["turn"], d["lens"], d["middle"] = self.turn, self.lens, self.middle
        d["doubt"] = {"ways": self.doubt.ways.tolist(), "coin_mm": self.doubt.coin_mm,
                      "striker_mm": self.doubt.striker_mm}  # fmt: skip
        d["pale_print"] = self.pale_print
        d["background"] = _background_to_dict(self.background) if self.background else None
        return json.dumps(d, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Profile:
        """Parses the text of `to_json`; raises ProfileError for anything else."""
        try:
            d = json.loads(text)
        except (ValueError, RecursionError) as e:
            raise ProfileError(
                f"this is not a profile (no JSON: {str(e)[:100]}); make one with: referee calibrate"
            ) from None
        if not isinstance(d, dict) or d.get("type") != KIND:
            raise ProfileError("this is not a carrom profile; make one with: referee calibrate SOURCE -o FILE")
        if d.get("version") != VERSION:
            raise ProfileError(f"profile version {d.get('version')} is not {VERSION}; run referee calibrate again")
        try:
            profile = _profile_from_dict(d)
            _check_sizes(profile)
            return profile
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError, cv2.error) as e:
            raise ProfileError(f"the profile is damaged ({e!r}); run referee calibrate again") from None

    def for_picture(self, width: int, height: int) -> Profile:
        """Returns the profile itself if the picture has its size; raises ProfileError otherwise."""
        if (width, height) != (self.camera.width, self.camera.height):
            raise ProfileError(
                f"the profile is for {self.camera.width}x{self.camera.height} pictures but the source gives "
                f"{width}x{height}; set the source's size or run referee calibrate again"
            )
        return self


def load_profile(path: Path) -> Profile:
    """Reads the profile in `path`; raises ProfileError with what to do."""
    try:
        if path.stat().st_size > PROFILE_MOST_BYTES:
            raise ProfileError(f"{path} is longer than any profile; make one with: referee calibrate")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise ProfileError(f"cannot read the profile {path}: {e}; make one with: referee calibrate") from None
    return Profile.from_json(text)


def _png(image: NDArray[np.uint8]) -> str:
    return base64.b64encode(cv2.imencode(".png", image)[1].tobytes()).decode("ascii")


def _unpng(text: str) -> NDArray[np.uint8]:
    data = base64.b64decode(text)
    # Width and height follow the signature, a length and a name (PNG, 11.2.2); OpenCV would allocate that size.
    if any(int.from_bytes(data[i : i + 4], "big") > PROFILE_MOST_CELLS for i in (16, 20)):
        raise ValueError("background picture beyond all measure")
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    if image is None:
        raise ValueError("background picture unreadable")
    return np.asarray(image, np.uint8)


def _background_to_dict(b: Background) -> dict[str, Any]:
    return {"step": b.step, "yuv": _png(np.ascontiguousarray(b.yuv.transpose(1, 2, 0))), "seen": _png(b.seen)}


def _background_from_dict(d: dict[str, Any]) -> Background:
    return Background(float(d["step"]), np.ascontiguousarray(_unpng(d["yuv"]).transpose(2, 0, 1)), _unpng(d["seen"]))


def _segment(d: dict[str, Any] | None) -> Segment | None:
    if not d:
        return None
    return Segment(_point(d["start"]), _point(d["end"]), _length(d["thickness"]), _number(d.get("sigma_mm", 0.0)))


def _circle(d: dict[str, Any] | None) -> Circle | None:
    return Circle(_point(d["centre"]), _length(d["radius"]), _number(d.get("sigma_mm", 0.0))) if d else None


def _length(v: Any) -> float:
    """Parses a length on a board (mm), 0 for none."""
    length = float(v)
    if length and not LEAST_LENGTH_MM <= length <= PROFILE_MOST_MM:
        raise ValueError(f"a length of {length} mm")
    return length


def _number(v: Any) -> float:
    """Parses a coordinate (mm) or a level of a colour, neither of which is beyond what a board's greatest length is."""
    number = float(v)
    if not abs(number) <= PROFILE_MOST_MM:
        raise ValueError(f"{number} where no board has it")
    return number


def _point(v: Any) -> Point:
    x, y = v
    return _number(x), _number(y)


def _triple(v: Any) -> tuple[float, float, float]:
    a, b, c = v
    return _number(a), _number(b), _number(c)


def _count(v: Any) -> int:
    """Parses a number of coins or of turns."""
    count = int(v)
    if not 0 <= count <= MOST_COUNT:
        raise ValueError(f"a number of {count}")
    return count


def _board(d: dict[str, Any]) -> BoardModel:
    lengths = {f.name: _length(d[f.name]) for f in fields(BoardModel) if f.name != "name"}
    return BoardModel(name=str(d["name"]), **lengths)


def _residuals(d: dict[str, Any]) -> Residuals:
    return Residuals(_number(d["rms_mm"]), _number(d["worst_mm"]), int(d["marks"]), bool(d.get("model_sure", True)))


def _side(d: dict[str, Any]) -> SideMarks:
    return SideMarks(
        _segment(d["rear_line"]), _segment(d["front_line"]), _circle(d["left_circle"]), _circle(d["right_circle"]),
        _segment(d["left_arrow"]), _segment(d["right_arrow"]))  # fmt: skip


def _doubt(d: dict[str, Any]) -> CameraDoubt:
    """Parses the doubt; profiles of earlier versions have none, so only the heights of pieces are uncertain."""
    ways = np.array(d.get("ways", []), np.float64).reshape(-1, DOUBT_CERTAIN.ways.shape[1])
    if not np.all(np.abs(ways) <= LENS_MOST):
        raise ValueError("a doubt of numbers that are none")
    return CameraDoubt(ways, _number(d.get("coin_mm", COIN_HEIGHT_MM)), _number(d.get("striker_mm", STRIKER_HEIGHT_MM)))


def _check_sizes(p: Profile) -> None:
    """Raises ValueError for sizes that no camera or board has: they would need gigabytes of memory later."""
    if not (1 <= p.camera.width <= MOST_PX and 1 <= p.camera.height <= MOST_PX):
        raise ValueError(f"a picture of {p.camera.width}x{p.camera.height}")
    if p.board.surface < PROFILE_LEAST_MM or min(p.board.coin_radius, p.board.striker_radius) < 1.0:
        raise ValueError("lengths of the board that no board has")
    numbers = [*p.camera.k.ravel(), *p.camera.dist.ravel(), *p.camera.r.ravel(), *p.camera.t.ravel(), *p.middle]
    if not np.all(np.isfinite(numbers)):
        raise ValueError("a camera of numbers that are none")
    _check_view(p.camera, p.board.surface / 2)
    if p.background is not None and not LEAST_STEP_MM <= p.background.step <= PROFILE_MOST_MM:
        raise ValueError(f"a background of {p.background.step} mm cells")


def _check_view(camera: Camera, half_mm: float) -> None:
    """Raises ValueError for a camera that does not have the board in front of it, of a size that a picture can show."""
    r = camera.r
    if np.abs(r).max() > 1.0 + ROTATION_OFF or not np.allclose(r @ r.T, np.eye(3), atol=ROTATION_OFF):
        raise ValueError("a camera whose rotation is none")
    if np.abs(camera.t).max() > CAMERA_MOST_MM or max(np.abs(camera.k).max(), np.abs(camera.dist).max()) > LENS_MOST:
        raise ValueError("a camera with a lens or at a distance that none has")
    corners = np.array([(x, y, 0.0) for x in (-half_mm, half_mm) for y in (-half_mm, half_mm)])
    if (corners @ r.T + camera.t)[:, 2].min() < CAMERA_LEAST_MM:
        raise ValueError("a camera that does not look at the board")
    pixels = camera.to_pixels(corners[:, :2])
    least, most = LEAST_VIEW * min(camera.width, camera.height), MOST_VIEW * max(camera.width, camera.height)
    if not least <= np.ptp(pixels, axis=0).max() <= most:
        raise ValueError("a camera that shows the board too small or too large")


def _profile_from_dict(d: dict[str, Any]) -> Profile:
    b = d["background"]
    pockets = {Pocket(name): _circle(c) for name, c in d["pockets"].items()}
    return Profile(
        camera=Camera.from_dict(d["camera"]),
        board=_board(d["board"]),
        sides={Seat(name): _side(s) for name, s in d["sides"].items()},
        pockets={p: c for p, c in pockets.items() if c is not None},
        residuals=_residuals(d["residuals"]),
        colours={Kind(k): Colour(_triple(c["mean"]), _triple(c["sigma"])) for k, c in d["colours"].items()},
        background=_background_from_dict(b) if b else None,
        full_set={Kind(k): _count(n) for k, n in d["full_set"].items()},
        turn=_count(d["turn"]) % 4,
        lens=LensOrigin(d["lens"]),
        middle=_point(d.get("middle", (0.0, 0.0))),
        doubt=_doubt(d.get("doubt", {})),
        pale_print=bool(d.get("pale_print", False)),
    )
