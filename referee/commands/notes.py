"""Notes on the terminal: problems with picture and lens, when they begin and each time they change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from calibration.geometry.lens import LensOrigin
from calibration.profile import Profile
from referee.commands.errors import OTHER_LENS
from referee.facts import AlertKind
from referee.frames.frame import SIMULATOR, Source
from referee.log import Line
from referee.pipeline.frame_referee import FrameReferee
from referee.pipeline.run_match import NoAudience
from referee.setup.exactness import small_picture

OF_PICTURE = frozenset({
    AlertKind.CAMERA_MOVED, AlertKind.LIGHT_CHANGED, AlertKind.FOCUS_CHANGED, AlertKind.BOARD_LOST,
    AlertKind.BOARD_UNSURE, AlertKind.PICTURE_RESTLESS, AlertKind.PICTURE_SOUND, AlertKind.PICTURE_FROZEN,
    AlertKind.PICTURE_POOR, AlertKind.NO_COLOUR,
})  # fmt: skip


class PictureNotes(NoAudience):
    """An audience that prints on standard error a picture too small to be exact, a lens that is not the stated one, and
    every alert of the picture.
    """

    def __init__(self) -> None:
        self._notes: tuple[str, ...] = ()

    def began(self, source: Source, frame_referee: FrameReferee, log: Path) -> None:
        notes = () if source.name == SIMULATOR else tuple(camera_notes(frame_referee.seeing.profile))
        for note in notes:
            if note not in self._notes:
                click.echo(f"note: {note}", err=True)
        self._notes = notes

    def on_line(self, line: Line) -> None:
        if line["type"] == "alert" and line["kind"] in OF_PICTURE:
            click.echo(f"note: {line['t']:.1f} s: {line['text']}", err=True)


def camera_notes(profile: Profile) -> Iterator[str]:
    """Yields a sentence on each fault of the camera that the calibration shows."""
    if small := small_picture(profile):
        yield small
    if profile.lens is LensOrigin.EXCHANGED:
        yield OTHER_LENS
