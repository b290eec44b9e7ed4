"""`referee run`: referees a camera, a recording or the simulator in real time, with its scoreboard."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from calibration.calibrate import CalibrationError
from referee.commands.analyse import announcer_of, check_seated, summary
from referee.commands.data_folder import data_folder
from referee.commands.errors import as_click_errors
from referee.commands.matches import Bookmark, Opened, going_on, last_log, matches
from referee.commands.notes import PictureNotes
from referee.commands.number_range import NumberRange
from referee.commands.options import EventOption, SizeOption, camera_options, match_options, record_options, setting
from referee.commands.patience import RetryPolicy, Trouble
from referee.commands.showing import WEB_OPTIONS, following, new_log, web_options
from referee.commands.stop import stopping
from referee.frames.frame import Source, SourceError
from referee.frames.open import open_source
from referee.frames.paced import PacedSource
from referee.frames.v4l2 import lasting_name
from referee.log import DiskRefused
from referee.log.identity import Origin, Station, TournamentPlace, station_of
from referee.pipeline import MatchOutcome, MatchSettings
from referee.pipeline.frame_referee import Players
from referee.pipeline.memory import return_freed_memory
from referee.pipeline.run_match import Audience
from referee.pipeline.service import Service
from referee.pipeline.vitals import CameraState, Vitals
from referee.setup.progress import SetUpFiles

WAITING_STATE = {SourceError: CameraState.AWAY, CalibrationError: CameraState.NO_BOARD, DiskRefused: CameraState.NO_LOG}
"""State shown on the pages while each trouble lasts."""


@click.command()
@click.argument("source")
@camera_options
@match_options
@record_options
@click.option(
    "--log",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Path of the match log; an existing one is continued. By default a new one in the data folder.",
)
@web_options
@click.option(
    "--size",
    type=SizeOption(),
    help="Picture size to request from a camera, such as 1456x1088; by default the best for it.",
)
@click.option("--fps", type=NumberRange(1, 1000), help="Frames per second to request from a camera.")
@click.option("--station", default="", help="Name of this board among others, such as 7; told in the log's header.")
@click.option("--event", type=EventOption(), help="What the match belongs to: tourney=Club cup,round=3,board=7.")
@click.option("--resume", is_flag=True, help="Without --log: continue the last match unless it was ended.")
@click.option("--wait", is_flag=True, help="Wait for a missing camera, and until a board is in view.")
@click.option("--stay", is_flag=True, help="Keep serving after the end of a recording, until Ctrl-C.")
def command(source: str, log: Path | None, size: tuple[int, int] | None, fps: float | None, station: str,
            event: TournamentPlace | None, resume: bool, wait: bool, stay: bool, **options: Any) -> None:  # fmt: skip
    """Referee SOURCE in real time and serve the scoreboard.

    SOURCE is picamera, a V4L2 device, the address of a network camera (rtsp://, http://), a video file, an image folder
    or sim. Ctrl-C ends it; the same --log continues the same match. The match waits for a camera that disappears, and
    for room on a full disk.

    \b
    referee run picamera --log match.jsonl
    referee run /dev/v4l/by-id/usb-HD_Webcam-video-index0 --size 1280x720 --fps 60
    """
    web = {name: options.pop(name) for name in WEB_OPTIONS}
    with as_click_errors():
        if not wait:
            check_there(source)  # before any address is printed

        def opened() -> tuple[Source, Players]:
            nonlocal source
            # A webcam gets another number when it is plugged in again: once it is there its lasting name is used.
            source = lasting_name(source)
            frames = open_source(source, size=size, fps=fps, simulator=simulated_matches)
            return frames if frames.live else PacedSource(frames), announcer_of(frames)

        path = log or (last_log(data_folder(), time.time()) if resume else None) or new_log()
        chosen = replace(setting(**options), origin=Origin(_station(station), event or {}))
        if source == "sim":
            check_seated(simulated_matches(), chosen)
        chosen = chosen if log else going_on(chosen, path)
        files = SetUpFiles(options["profile"]) if options["profile"] else None
        run(opened, path, chosen, web, wait=wait, serves_on=stay, others=() if log else (Bookmark(),), files=files)


def _station(name: str) -> Station | None:
    """Returns this installation; None if its id cannot be kept, which is no reason to judge no match."""
    try:
        return station_of(data_folder(), name)
    except OSError as e:
        click.echo(f"note: {data_folder()} cannot keep this board's id ({e.strerror}): matches name no board", err=True)
        return None


def check_there(source: str) -> None:
    """Raises SourceError if `source` is neither a camera by name nor a file or device that is there."""
    if source not in ("picamera", "sim"):
        open_source(source, simulator=simulated_matches)


def simulated_matches() -> Source:
    """Returns simulated matches, one after the other."""
    from referee.sim.source import SimSource

    return SimSource()


def run(
    opened: Opened,
    path: Path,
    chosen: MatchSettings,
    web: Mapping[str, Any],
    *,
    wait: bool = False,
    serves_on: bool = False,
    others: Sequence[Audience] = (),
    files: SetUpFiles | None = None,
) -> None:
    """Referees the source that `opened` opens, logging to `path`, until a signal or its end; `web` are options of
    `shown`.

    `files`: the files of set-ups, by default those beside the log.
    """
    return_freed_memory()
    service = Service.of()
    outcome: MatchOutcome | None = None
    with stopping() as stop:

        def ending() -> bool:
            service.alive()
            return stop.asked

        keeps = (lambda: not ending()) if serves_on else None
        with following(path, **web, serves_on=keeps, at_once=wait) as show:
            service.ready("looking for the board")
            click.echo("Looking for the board.")
            audience = show.publisher
            patience = RetryPolicy(partial(_report_trouble, audience.vitals, service), ending, wait)
            followers: tuple[Audience, ...] = (service, PictureNotes(), show.addresses, *others)
            outcome, path = matches(opened, chosen, path, audience, lambda t: ending(), patience=patience,
                                    others=followers, files=files, time_left=stop.time_left)  # fmt: skip
            service.stopping()
    _report_end(outcome, path)
    stop.leave()


def _report_trouble(vitals: Vitals, service: Service, trouble: Trouble) -> None:
    """Tells pages, service manager and terminal why nothing can be judged."""
    vitals.waits(WAITING_STATE[type(trouble)], str(trouble))
    service.status(f"waiting: {trouble}")
    click.echo(f"note: {trouble}", err=True)


def _report_end(outcome: MatchOutcome | None, log: Path) -> None:
    if outcome is None:
        click.echo(f"ended while waiting; log {log}")
        return
    for problem in outcome.problems:
        click.echo(f"note: {problem}", err=True)
    click.echo(f"{summary(outcome.match)}; log {log}")
