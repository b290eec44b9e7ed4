"""All meters of the picture, and a recording of a source's first seconds, long enough to read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from calibration.geometry.lens import StatedLens
from calibration.geometry.picture import Picture
from calibration.meters.focus import focus
from calibration.meters.lighting import WATCH_S, LightReading, exposure, flicker, glare, light_of, motion_blur
from calibration.meters.meter import Reading
from calibration.profile import Profile
from referee.frames.frame import ReportsCondition, Source, stated_lens_of

PICTURES = 5
"""Number of pictures averaged to calibrate the board, or searched for pieces."""
METERS_WATCH_S = WATCH_S + 0.5


@dataclass(frozen=True, slots=True, eq=False)
class FirstSeconds:
    """A source's first seconds."""

    pictures: tuple[Picture, ...]
    lights: tuple[LightReading, ...]
    exposure_s: float | None
    """Shutter time, s; None if the source does not report it."""
    stated_lens: StatedLens | None = None
    """Focal length that the source states; None if it states none."""

    def meters(self, profile: Profile | None) -> list[Reading]:
        """Returns every meter's reading; none without a picture."""
        if not self.pictures:
            return []
        return readings(self.pictures[0], self.lights, profile, exposure_s=self.exposure_s)


def record_first_seconds(source: Source) -> FirstSeconds:
    """Reads a source's first pictures, and its light over two seconds or to its end. Raises SourceError."""
    pictures: list[Picture] = []
    lights: list[LightReading] = []
    with source:
        for frame in source:
            if len(pictures) < PICTURES:
                pictures.append(copied(frame.picture))
            lights.append(light_of(frame.picture, frame.t))
            if frame.t > METERS_WATCH_S:
                break
        exposure_s, stated_lens = exposure_of(source), stated_lens_of(source)
    return FirstSeconds(tuple(pictures), tuple(lights), exposure_s, stated_lens)


def exposure_of(source: Source) -> float | None:
    """Returns the shutter time (s) of an open source's last picture; None if the source does not report it."""
    return source.condition.get("exposure_s") if isinstance(source, ReportsCondition) else None


def readings(picture: Picture, lights: Sequence[LightReading], profile: Profile | None, best: float = 0.0,
             exposure_s: float | None = None) -> list[Reading]:  # fmt: skip
    """Returns every meter's reading. `best` is the highest sharpness so far; a profile of another picture size is
    ignored.
    """
    board = profile
    if board is not None and (board.camera.width, board.camera.height) != (picture.width, picture.height):
        board = None
    return [focus(picture, board, best), exposure(picture, board), motion_blur(exposure_s), flicker(lights),
            glare(picture, board)]  # fmt: skip


def copied(picture: Picture) -> Picture:
    """Returns a copy of a picture, whose buffers belong to the camera."""
    return Picture(picture.y.copy(), picture.u.copy(), picture.v.copy(), picture.full_range)
