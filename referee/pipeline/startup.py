"""Getting ready: the first frames are looked at together, so that the board, its pieces and the light are known."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np

from calibration.calibrate import CalibrationError, calibrate
from calibration.geometry.lens import Lens
from calibration.geometry.picture import Picture
from calibration.profile import Profile
from calibration.reason import CalibrationFault, CalibrationReason
from calibration.reregister import moved_mm, register
from models.pieces import Kind, Seat
from referee.frames.frame import Frame
from referee.laws import AnyState
from referee.match import Policy
from referee.match.seating import ToldSeats
from referee.replay.kept_media import Recording
from referee.seeing import FIRST_FRAMES, Seeing
from referee.web.board_json import geometry_of_profile

LATER_S, LATER = 0.5, 1.25
"""A recording that shows no board at first, but a title or people setting up, is looked at again after so many seconds,
and then each time after so many times as long, so that hours of something else end soon."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What people say before the referee looks; whatever is left out it finds out by itself."""

    profile: Profile | None = None
    """None = the one that was set up, else calibrate from the first frames."""
    known_profile: Profile | None = None
    """The board that was set up with this source; used where nothing else is said of the board and it fits."""
    stands: bool = False
    """The profile's camera was measured in these very pictures, as that of a stored clip; no need to look for it."""
    board: str | None = None
    """Name of the board model; None = recognised."""
    lens: Lens | None = None
    height_mm: float | None = None
    """The lens above the surface by tape; None = estimated."""
    rules: str | None = None
    """Rule book; None = that of the log when it is continued, else the default."""
    book: str | None = None
    """The text of a rule book of one's own; None: `rules` names a shipped one or a file."""
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

    first: deque[Frame]
    """The frames that have been looked at, still to be refereed."""
    seeing: Seeing
    moved_mm: float = 0.0
    """How far the camera stood from where the given profile has it, on the board; 0 where it stood there."""
    unseen_s: float = 0.0
    """For how long the source had shown no board before these frames."""

    @property
    def profile(self) -> Profile:
        return self.seeing.profile

    def followed_by(self, frames: Iterator[Frame]) -> Iterator[Frame]:
        """The frames that have been looked at, none of which is kept once it has been passed on, and `frames`."""
        while self.first:
            yield self.first.popleft()
        yield from frames


def ready(frames: Iterator[Frame], setting: Setting, given_up: Callable[[float], bool] | None = None) -> Ready:
    """Looks at the first frames; where they show no board, at later ones until some do or `given_up(t)` says so.

    Raises CalibrationError, ProfileError, LensError or SourceError saying what to do.
    """
    first = _looked_at(frames)
    begun = first[0].t if first else 0.0
    while True:
        try:
            return replace(_known(first, setting), unseen_s=first[0].t - begun)
        except CalibrationError:
            if given_up is None or not first:
                raise
            later = begun + max(LATER_S, LATER * (first[-1].t - begun))
            if not (first := _looked_at(_from(later, frames, given_up))):
                raise


def _from(t: float, frames: Iterator[Frame], given_up: Callable[[float], bool]) -> Iterator[Frame]:
    """The frames from time t on, none once it is given up."""
    for frame in frames:
        if given_up(frame.t):
            return
        if frame.t >= t:
            yield frame


def _looked_at(frames: Iterator[Frame]) -> deque[Frame]:
    return deque(replace(frame, picture=lasting_copy(frame.picture)) for frame in islice(frames, FIRST_FRAMES))


def _known(first: deque[Frame], setting: Setting) -> Ready:
    """What the first frames show of the board."""
    pictures = [frame.picture for frame in first]
    given = setting.profile or _fitting(setting, pictures)
    profile = given
    if profile is None or not pictures:
        profile = calibrate(pictures, setting.board, setting.lens, height_mm=setting.height_mm)
    profile = profile.for_picture(pictures[0].width, pictures[0].height)
    moved_mm = 0.0
    if given is not None and not setting.stands:
        profile, moved_mm = as_it_stands(profile, pictures[0])
    if setting.coins is not None:
        profile = replace(profile, full_set=setting.coins)
    return Ready(first, Seeing(profile, pictures), moved_mm)


def _fitting(setting: Setting, pictures: list[Picture]) -> Profile | None:
    """The board that was set up, where these pictures are of its size and nobody says otherwise of board or lens."""
    if setting.known_profile is None or setting.board or setting.lens or setting.height_mm or not pictures:
        return None
    camera = setting.known_profile.camera
    return setting.known_profile if (camera.width, camera.height) == (pictures[0].width, pictures[0].height) else None


def as_it_stands(profile: Profile, picture: Picture) -> tuple[Profile, float]:
    """A profile made earlier, with the camera where it is now, and how far (mm) it stood from there on the board.

    Later movements are told by comparing pictures with the first ones; one before those is seen here or never. Raises
    CalibrationError where the board is not found.
    """
    found = register(profile, picture)
    if found is None:
        raise CalibrationError([CalibrationReason(CalibrationFault.HIDDEN)])
    moved = moved_mm(profile, found)
    return (found if moved else profile), moved


def lasting_copy(picture: Picture) -> Picture:
    """A copy that stays good: a camera lends its buffers from a small pool and loses pictures while they are held."""
    y, u, v = (np.array(plane) for plane in (picture.y, picture.u, picture.v))
    return Picture(y, u, v, picture.full_range)


def geometry_fields(profile: Profile) -> dict[str, Any]:
    """What a header says of the camera and the board: OpenCV's model, and every mark as measured (mm)."""
    camera, board = profile.camera.as_dict(), geometry_of_profile(profile)
    lengths = {"surface_mm": round(profile.board.surface, 3), "rms_mm": round(profile.residuals.rms_mm, 4)}
    return {"calibration": camera | lengths, "board": board}
