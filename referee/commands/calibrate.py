"""`referee calibrate`: a profile of a board and its camera from a few pictures."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import click
import cv2

from calibration.calibrate import CalibrationError, calibrate
from calibration.learn import learn
from calibration.lens import Lens, LensError, lens_from_charuco
from calibration.picture import Picture
from calibration.profile import Profile
from calibration.render import render
from calibration.residuals import mark_residuals
from models.board import board_names
from models.pieces import Kind
from referee.commands.options import CoinsOption
from referee.commands.sentences import OTHER_MODEL
from referee.frames.frame import SourceError
from referee.frames.open import open_source

PICTURES = 5
"""Frames that are averaged; more would only blur a board that moves."""


@click.command()
@click.argument("source")
@click.option("--board", type=click.Choice(board_names()), help="The board model; recognised when left out.")
@click.option("--lens", "lens_dir", type=click.Path(exists=True, file_okay=False, path_type=Path),
              help="A folder with pictures of the ChArUco sheet taken by this camera.")  # fmt: skip
@click.option("--turn", type=click.IntRange(0, 3), default=0,
              help="Quarter turns clockwise from the side nearest the picture's bottom to south.")  # fmt: skip
@click.option("--mirror", is_flag=True, help="The camera delivers its picture flipped left to right.")
@click.option("--coins", type=CoinsOption(), help="Coins of a set that lacks some or has more: white=8,black=9.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True,
              help="Where the profile goes; a picture to check it is written beside it.")  # fmt: skip
def command(source: str, board: str | None, lens_dir: Path | None, turn: int, mirror: bool,
            coins: dict[Kind, int] | None, output: Path) -> None:  # fmt: skip
    """Build a profile of the board that SOURCE sees.

    SOURCE is picamera, a V4L2 device, a video file or an image folder.

    Example: referee calibrate picamera --lens sheet/ -o board.json
    """
    try:
        lens = lens_from_charuco(lens_dir) if lens_dir else None
        pictures = _pictures(source)
        profile = learn(calibrate(pictures, board, lens, turn, mirror), pictures)
        profile = replace(profile, full_set=coins or profile.full_set)
    except CalibrationError as e:
        raise click.ClickException("not calibrated:\n" + "\n".join(f"  - {r}" for r in e.reasons)) from None
    except (SourceError, LensError) as e:
        raise click.ClickException(str(e)) from None
    picture_file = output.with_suffix(".png")
    try:
        output.write_text(profile.to_json(), encoding="utf-8")
        picture_file.write_bytes(cv2.imencode(".png", render(profile, pictures[0]))[1].tobytes())
    except OSError as e:
        raise click.ClickException(f"cannot write {e.filename}: {e.strerror}; choose another place with -o") from None
    click.echo(_summary(profile, lens))
    click.echo(f"profile {output}, picture {picture_file}")


def _pictures(source: str) -> list[Picture]:
    """The first few frames' pictures."""
    with open_source(source) as frames:
        return [frame.picture for frame in islice(frames, PICTURES)]


def _summary(profile: Profile, lens: Lens | None) -> str:
    """What was measured, a line per kind of mark."""
    camera = profile.camera
    sure = "" if profile.residuals.model_sure else " (not certain)"
    lines = [f"board {profile.board.name}{sure}, camera {camera.position[2]:.0f} mm above it, lens {profile.lens}"
             + (f" (sheet fits to {lens.rms_px:.2f} px)" if lens else "")]  # fmt: skip
    for kind in mark_residuals(profile):
        seen = f"{kind.name}: {kind.seen} of {kind.wanted} seen"
        if kind.rms_mm is not None and kind.worst_mm is not None:
            seen += f", off by {kind.rms_mm:.2f} mm RMS, {kind.worst_mm:.2f} mm at most"
        lines.append(seen)
    r = profile.residuals
    lines.append(f"all sightings: {r.rms_mm:.2f} mm RMS, {r.worst_mm:.2f} mm at most, {r.marks} marks")
    if not r.model_sure:
        lines.append(OTHER_MODEL)
    return "\n".join(lines)
