"""Recordings watched from their first picture on, for the tests of seeing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from calibration.geometry.picture import Picture
from calibration.profile import Profile
from referee.facts import Fact
from referee.frames.frame import Frame
from referee.seeing import Seeing

BEGINNING = 8
"""So many pictures show the board before the first is refereed."""


def frames_of(pictures: Iterable[Picture], fps: float) -> list[Frame]:
    """The frames of a camera that lends its pictures to nobody else."""
    return [Frame(picture, i / fps, i, 0.0) for i, picture in enumerate(pictures)]


def begun(profile: Profile, frames: Sequence[Frame], **options: float) -> Seeing:
    """Seeing that has looked at the beginning of these frames."""
    return Seeing(profile, [frame.picture for frame in frames[:BEGINNING]], **options)


def facts_of(profile: Profile, frames: Sequence[Frame]) -> list[Fact]:
    """Everything that is told of these frames."""
    seeing = begun(profile, frames)
    return [fact for frame in frames for fact in seeing.process(frame)]
