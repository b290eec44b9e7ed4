"""Notes on the terminal: problems with the picture, when they begin and each time they change."""

from __future__ import annotations

from pathlib import Path

import click

from referee.facts import AlertKind
from referee.frames.frame import SIMULATOR, Source
from referee.log import Line
from referee.pipeline.camera_side import FrameReferee
from referee.pipeline.run_match import NoAudience
from referee.setup.exactness import small_picture

OF_PICTURE = frozenset({
    AlertKind.CAMERA_MOVED, AlertKind.LIGHT_CHANGED, AlertKind.FOCUS_CHANGED, AlertKind.BOARD_LOST,
    AlertKind.BOARD_UNSURE, AlertKind.PICTURE_RESTLESS, AlertKind.PICTURE_SOUND, AlertKind.PICTURE_FROZEN,
    AlertKind.PICTURE_POOR, AlertKind.NO_COLOUR,
})  # fmt: skip


class PictureNotes(NoAudience):
    """An audience that prints on standard error a picture too small to be exact, and every alert of the picture."""

    def __init__(self) -> None:
        self._small: str | None = None

    def began(self, source: Source, eyes: FrameReferee, log: Path) -> None:
        small = None if source.name == SIMULATOR else small_picture(eyes.seeing.profile)
        if small and small != self._small:
            click.echo(f"note: {small}", err=True)
        self._small = small

    def heard(self, line: Line) -> None:
        if line["type"] == "alert" and line["kind"] in OF_PICTURE:
            click.echo(f"note: {line['t']:.1f} s: {line['text']}", err=True)
