"""Notes on the terminal: problems with the picture, when they begin and each time they change."""

from __future__ import annotations

import click

from referee.facts import AlertKind
from referee.log import Line
from referee.pipeline.run_match import NoAudience

OF_PICTURE = frozenset({
    AlertKind.CAMERA_MOVED, AlertKind.LIGHT_CHANGED, AlertKind.FOCUS_CHANGED, AlertKind.BOARD_LOST,
    AlertKind.BOARD_UNSURE, AlertKind.PICTURE_RESTLESS, AlertKind.PICTURE_SOUND, AlertKind.PICTURE_FROZEN,
    AlertKind.PICTURE_POOR, AlertKind.NO_COLOUR,
})  # fmt: skip


class PictureNotes(NoAudience):
    """An audience that prints every alert of the picture on standard error."""

    def heard(self, line: Line) -> None:
        if line["type"] == "alert" and line["kind"] in OF_PICTURE:
            click.echo(f"note: {line['t']:.1f} s: {line['text']}", err=True)
