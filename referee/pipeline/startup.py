"""Prepares a match: examines the first frames together to find the board, its pieces and the light."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np

from calibration.calibrate import CalibrationError, calibrate
from calibration.geometry.lens import Lens, StatedLens
from calibration.geometry.picture import Picture
from calibration.profile import Profile
from calibration.reason import CalibrationFault, CalibrationReason
from calibration.reregister import moved_mm, register
from models.pieces import Kind, Seat
from referee.frames.frame import Frame
from referee.laws import AnyState
from referee.log.identity import Origin
from referee.match import Policy
from referee.match.seating import DeclaredSeats
from referee.replay.recording_settings import Recording
from referee.seeing import FIRST_FRAMES, Seeing
from referee.web.board_json import geometry_of_profile

RETRY_AFTER_S, RETRY_FACTOR = 0.5, 1.25
"""RETRY_AFTER_S: time after which a recording that shows no board at first (a title, people setting up) is examined
again. RETRY_FACTOR: factor by which that time grows with each trial, so that hours of something else end soon."""


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """Settings of a match; whatever is left out is determined from the source."""

    profile: Profile | None = None
    """None = `known_profile` if it fits, else calibrate from the first frames."""
    known_profile: Profile | None = None
    """Profile that was set up with this source; used if it fits and no board, lens or height is given."""
    stands: bool = False
    """True if the profile's camera was measured in these very pictures, as that of a stored clip; it is not registered
    again."""
    board: str | None = None
    """Name of the board model; None = recognised."""
    lens: Lens | None = None
    height_mm: float | None = None
    """Height of the lens above the surface by tape; None = estimated."""
    stated_lens: StatedLens | None = None
    """Focal length by the sensor's datasheet or a photograph's Exif; None = not known."""
    rules: str | None = None
    """Name of the rule book; None = that of a continued log, else the default."""
    book: str | None = None
    """Text of a custom rule book; None = `rules` names a shipped one or a file."""
    state: AnyState | None = None
    seats: DeclaredSeats = ()
    players: tuple[tuple[Seat, str], ...] = ()
    """Names by seat."""
    coins: dict[Kind, int] | None = None
    """Number of coins of each kind in the full set; None = as in the profile."""
    policy: Policy = field(default_factory=Policy)
    """Treatment, in a new match, of each kind of infringement that the camera detects."""
    recording: Recording = field(default_factory=Recording)
    """Which pictures are recorded."""
    origin: Origin | None = None
    """Where the match is played. None = a recording is analysed: its log then states no identity, so that it is the
    same at every run."""


@dataclass(frozen=True, slots=True, eq=False)
class PreparedSource:
    """Source whose board is known, before its first frame is refereed."""

    first: deque[Frame]
    """Frames that were examined and are still to be refereed."""
    seeing: Seeing
    moved_mm: float = 0.0
    """Distance on the board between the camera's views now and in the given profile; 0 if it did not move."""
    unseen_s: float = 0.0
    """Time for which the source showed no board before these frames."""

    @property
    def profile(self) -> Profile:
        return self.seeing.profile

    def followed_by(self, frames: Iterator[Frame]) -> Iterator[Frame]:
        """Yields the examined frames, releasing each, and then `frames`."""
        while self.first:
            yield self.first.popleft()
        yield from frames


def ready(
    frames: Iterator[Frame], setting: MatchSettings, given_up: Callable[[float], bool] | None = None
) -> PreparedSource:
    """Examines the first frames; if they show no board, later ones until some do or `given_up(t)` is true.

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
            later = begun + max(RETRY_AFTER_S, RETRY_FACTOR * (first[-1].t - begun))
            if not (first := _looked_at(_from(later, frames, given_up))):
                raise


def _from(t: float, frames: Iterator[Frame], given_up: Callable[[float], bool]) -> Iterator[Frame]:
    """Yields the frames from time t on, none once it is given up."""
    for frame in frames:
        if given_up(frame.t):
            return
        if frame.t >= t:
            yield frame


def _looked_at(frames: Iterator[Frame]) -> deque[Frame]:
    return deque(replace(frame, picture=copied_picture(frame.picture)) for frame in islice(frames, FIRST_FRAMES))


def _known(first: deque[Frame], setting: MatchSettings) -> PreparedSource:
    """Returns the prepared source, with the board found in the first frames."""
    pictures = [frame.picture for frame in first]
    given = setting.profile or _fitting(setting, pictures)
    profile = given
    if profile is None or not pictures:
        profile = calibrate(pictures, setting.board, setting.lens, height_mm=setting.height_mm,
                            stated_lens=setting.stated_lens)  # fmt: skip
    profile = profile.for_picture(pictures[0].width, pictures[0].height)
    moved_mm = 0.0
    if given is not None and not setting.stands:
        profile, moved_mm = registered(profile, pictures[0])
    if setting.coins is not None:
        profile = replace(profile, full_set=setting.coins)
    return PreparedSource(first, Seeing(profile, pictures), moved_mm)


def _fitting(setting: MatchSettings, pictures: list[Picture]) -> Profile | None:
    """Returns the profile that was set up if these pictures have its size and no board, lens or height is given.

    Otherwise it is None.
    """
    if setting.known_profile is None or setting.board or setting.lens or setting.height_mm or not pictures:
        return None
    camera = setting.known_profile.camera
    return setting.known_profile if (camera.width, camera.height) == (pictures[0].width, pictures[0].height) else None


def registered(profile: Profile, picture: Picture) -> tuple[Profile, float]:
    """Returns an earlier profile with the camera where it is now, and how far (mm) it has moved, measured on the board.

    Later movements are measured against the first pictures; one before those is detected here or never. Raises
    CalibrationError if the board is not found.
    """
    found = register(profile, picture)
    if found is None:
        raise CalibrationError([CalibrationReason(CalibrationFault.HIDDEN)])
    moved = moved_mm(profile, found)
    return (found if moved else profile), moved


def copied_picture(picture: Picture) -> Picture:
    """Returns a copy that stays valid.

    A camera lends its buffers from a small pool and loses pictures while they are held.
    """
    y, u, v = (np.array(plane) for plane in (picture.y, picture.u, picture.v))
    return Picture(y, u, v, picture.full_range)


def geometry_fields(profile: Profile) -> dict[str, Any]:
    """Returns the header's fields on camera and board: OpenCV's model, and every mark as measured (mm)."""
    camera, board = profile.camera.as_dict(), geometry_of_profile(profile)
    lengths = {"surface_mm": round(profile.board.surface, 3), "rms_mm": round(profile.residuals.rms_mm, 4)}
    return {"calibration": camera | lengths, "board": board}
