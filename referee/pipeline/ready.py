"""Getting ready: the first frames are looked at together, so that the board, its pieces and the light are known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np

from calibration.calibrate import calibrate
from calibration.lens import Lens
from calibration.picture import Picture
from calibration.profile import Profile
from models.pieces import Kind, Seat
from referee.frames.frame import Frame
from referee.laws import AnyState
from referee.match import Policy
from referee.match.seating import ToldSeats
from referee.replay.choice import Recording
from referee.seeing import FIRST_FRAMES, Seeing
from referee.web.geometry import geometry_of_profile


@dataclass(frozen=True, slots=True)
class Setting:
    """What people say before the referee looks; whatever is left out it finds out by itself."""

    profile: Profile | None = None
    """None = calibrate from the first frames."""
    board: str | None = None
    """Name of the board model; None = recognised."""
    lens: Lens | None = None
    rules: str | None = None
    """Rule book; None = that of the log when it is continued, else the default."""
    state: AnyState | None = None
    seats: ToldSeats = ()
    players: tuple[tuple[Seat, str], ...] = ()
    """Names by seat."""
    coins: dict[Kind, int] | None = None
    """Coins that belong to the set; None = as the profile has it."""
    policy: Policy = field(default_factory=Policy)
    """What becomes of each kind of infringement that the camera sees, in a match that begins."""
    recording: Recording = field(default_factory=Recording)
    """Which pictures are kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Ready:
    """A source whose board is known, before its first frame is refereed."""

    first: tuple[Frame, ...]
    """The frames that have been looked at, still to be refereed."""
    seeing: Seeing

    @property
    def profile(self) -> Profile:
        return self.seeing.profile


def ready(frames: Iterator[Frame], setting: Setting) -> Ready:
    """Looks at the first frames. Raises CalibrationError, ProfileError, LensError or SourceError saying what to do."""
    first = tuple(replace(frame, picture=kept(frame.picture)) for frame in islice(frames, FIRST_FRAMES))
    pictures = [frame.picture for frame in first]
    profile = setting.profile
    if profile is None or not pictures:
        profile = calibrate(pictures, setting.board, setting.lens)
    profile = profile.for_picture(pictures[0].width, pictures[0].height)
    if setting.coins is not None:
        profile = replace(profile, full_set=setting.coins)
    return Ready(first, Seeing(profile, pictures))


def kept(picture: Picture) -> Picture:
    """A copy that stays good: a camera lends its buffers from a small pool and loses pictures while they are held."""
    y, u, v = (np.array(plane) for plane in (picture.y, picture.u, picture.v))
    return Picture(y, u, v, picture.full_range)


def geometry_fields(profile: Profile) -> dict[str, Any]:
    """What a header says of the camera and the board: OpenCV's model, and every mark as measured (mm)."""
    camera, board = profile.camera.as_dict(), geometry_of_profile(profile)
    lengths = {"surface_mm": round(profile.board.surface, 3), "rms_mm": round(profile.residuals.rms_mm, 4)}
    return {"calibration": camera | lengths, "board": board}
