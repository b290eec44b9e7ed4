"""`referee calibrate`: makes a profile of a board and its camera, with the steps of the set-up page, in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click
import cv2

from calibration.calibrate import CalibrationError
from calibration.geometry.lens import Lens, LensError, LensOrigin, lens_from_charuco
from calibration.meters.meter import MeterVerdict, Reading
from calibration.profile import Profile
from calibration.profile_overlay import render
from calibration.rescale import RESCALE_LEAST_MM, RESCALE_MOST_MM
from calibration.residuals import mark_residuals
from calibration.sheet import sheet_pdf
from models.board import board_names
from models.pieces import COINS, Kind
from referee.atomic_files import written
from referee.commands.errors import OTHER_LENS, OTHER_MODEL
from referee.commands.number_range import NumberRange
from referee.commands.options import CoinsOption, CornersOption, height_option
from referee.frames.frame import SourceError
from referee.frames.open import open_source
from referee.setup.exactness import exactness
from referee.setup.long_tasks import calibrated
from referee.setup.meters import FirstSeconds, record_first_seconds
from referee.setup.piece_colours import Coins, Striker, learn_coin_colours, learn_striker_colour
from referee.setup.steps import Choices, Progress, Step
from referee.setup.verdict import Card, Result, card

T = TypeVar("T", Coins, Striker)

RESULTS = {
    Result.PASS: "ready to play",
    Result.DOUBTS: "good enough to play; some calls will be questions",
    Result.FAIL: "not good enough to referee by",
}


def _write_sheet(ctx: click.Context, param: click.Parameter, path: Path | None) -> None:
    """Writes the sheet and ends the command."""
    if path is None or ctx.resilient_parsing:
        return
    _written(path, sheet_pdf())
    click.echo(f"sheet {path}: print it at 100 %, its line must measure 100 mm")
    ctx.exit()


@click.command()
@click.argument("source")
@click.option("--board", type=click.Choice(board_names()), help="Board model; by default it is recognised.")
@click.option("--lens", "lens_dir", type=click.Path(exists=True, file_okay=False, path_type=Path),
              help="Folder with this camera's pictures of the ChArUco sheet.")  # fmt: skip
@click.option("--turn", type=click.IntRange(0, 3), default=0,
              help="Clockwise quarter turns from the side at the picture's bottom to south.")  # fmt: skip
@click.option("--mirror", is_flag=True, help="The camera delivers its picture flipped left to right.")
@click.option("--corners", type=CornersOption(),
              help="Corners of the surface (px), clockwise from the picture's top left: 10,20,700,18,...")  # fmt: skip
@click.option("--surface", type=NumberRange(RESCALE_LEAST_MM, RESCALE_MOST_MM),
              help="Side of the playing surface by a tape measure, mm; by default the model's.")  # fmt: skip
@height_option
@click.option(
    "--coins", type=CoinsOption(), help="Numbers of coins of a set with missing or spare ones: white=8,black=9."
)
@click.option("--steps", is_flag=True, help="Go step by step: light and focus, the coins, the striker.")
@click.option("--sheet", type=click.Path(dir_okay=False, path_type=Path), is_eager=True, expose_value=False,
              callback=_write_sheet, help="Only write the ChArUco sheet to print, as PDF.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True,
              help="Path of the profile; a picture to check it is written beside it.")  # fmt: skip
def command(source: str, output: Path, lens_dir: Path | None, steps: bool, coins: dict[Kind, int] | None,
            surface: float | None, **board: Any) -> None:  # fmt: skip
    """Measure the board and the camera of SOURCE, and store them as a profile.

    SOURCE is picamera, a V4L2 device, a network camera's address, a video file or an image folder.

    \b
    referee calibrate picamera --steps -o board.json
    referee calibrate picamera --lens sheet/ -o board.json
    referee calibrate --sheet sheet.pdf
    """
    try:
        lens = lens_from_charuco(lens_dir) if lens_dir else None
        first = _lit(source) if steps else _first_pictures(source)
        profile = _find_board(first, lens, surface, **board)
        profile = replace(profile, full_set=coins or profile.full_set)
        profile, done = _by_steps(source, profile) if steps else _at_once(first, profile)
    except CalibrationError as e:
        raise click.ClickException("not calibrated:\n" + "\n".join(f"  - {r}" for r in e.reasons)) from None
    except (SourceError, LensError) as e:
        raise click.ClickException(str(e)) from None
    picture_file = output.with_suffix(".png")
    _written(output, profile.to_json().encode())
    _written(picture_file, cv2.imencode(".png", render(profile, first.pictures[0]))[1].tobytes())
    click.echo(_summary(profile, lens))
    meters = first.meters(profile)
    _print_card(meters, card(meters, profile, Progress(done=done)))
    click.echo(f"profile {output}, picture {picture_file}")


def _first_pictures(source: str) -> FirstSeconds:
    """Reads the source's first pictures. Raises SourceError."""
    return record_first_seconds(open_source(source))


def _lit(source: str) -> FirstSeconds:
    """Measures light and focus until the user is content."""
    while True:
        first = _first_pictures(source)
        for line in _meter_lines(first.meters(None)):
            click.echo(line)
        if not click.confirm("Look at light and focus again?", default=False):
            return first


def _find_board(first: FirstSeconds, lens: Lens | None, surface: float | None, board: str | None, turn: int,
                mirror: bool, corners: list[tuple[float, float]] | None,
                height_mm: float | None) -> Profile:  # fmt: skip
    """Calibrates the board with the user's options. Raises CalibrationError or LensError."""
    pointed = None if corners is None else tuple(corners)
    choices = Choices(board, surface, turn, mirror, height_mm, pointed)
    return calibrated(first.pictures, choices, lens, first.stated_lens)


def _at_once(first: FirstSeconds, profile: Profile) -> tuple[Profile, tuple[Step, ...]]:
    """Learns the colours of the pieces on the board now."""
    coins = learn_coin_colours(profile, first.pictures)
    return coins.profile, (Step.BOARD, Step.COLOURS) if coins.stands else (Step.BOARD,)


def _by_steps(source: str, profile: Profile) -> tuple[Profile, tuple[Step, ...]]:
    """Learns the coins' colours, then the striker's, each when the user has laid them out. Either may be skipped."""
    done = [Step.BOARD]
    coins = _ask_person("Lay the opening formation and take all hands away", source,
                   lambda first: learn_coin_colours(profile, first.pictures), _coin_lines)  # fmt: skip
    if coins is not None:
        profile = coins.profile
        done.append(Step.COLOURS)
    known = profile
    striker = _ask_person("Take the coins off the middle and put the striker on it", source,
                     lambda first: learn_striker_colour(known, first.pictures), _striker_lines)  # fmt: skip
    if striker is not None:
        profile = striker.profile
        done.append(Step.STRIKER)
    return profile, tuple(done)


def _ask_person(
    what: str, source: str, measure: Callable[[FirstSeconds], T | None], is_enough: Callable[[T | None], bool]
) -> T | None:
    """Prompts and measures until the result suffices. Returns None if the user goes on without it."""
    while click.confirm(f"{what}. Look now?", default=True):
        readings = measure(_first_pictures(source))
        if is_enough(readings):
            return readings
    return None


def _coin_lines(coins: Coins | None) -> bool:
    """Prints the coins' counts; tells whether they suffice."""
    assert coins is not None, "a look at the formation always tells something"
    counts = ", ".join(f"{coins.counts[kind]} {kind}" for kind in COINS)
    apart = "" if coins.apart is None else f", kinds {coins.apart:.1f} standard deviations apart"
    click.echo(f"  {'the opening formation' if coins.stands else 'no opening formation'}: {counts}{apart}")
    return coins.verdict is not MeterVerdict.BAD


def _striker_lines(striker: Striker | None) -> bool:
    """Prints the striker's size; tells whether it was found."""
    if striker is None:
        click.echo("  no striker is seen on the middle")
        return False
    click.echo(f"  striker {2 * striker.radius_mm:.1f} mm across")
    return True


def _meter_lines(meters: list[Reading]) -> Iterator[str]:
    for reading in meters:
        figure = "" if reading.value is None else f" {reading.value:g}"
        yield f"  {reading.gauge:<9}{reading.verdict:<8}{figure:>7}  {reading.text}"


def _print_card(meters: list[Reading], result: Card) -> None:
    for line in _meter_lines(meters):
        click.echo(line)
    for each in result.lines[len(meters) :]:
        click.echo(f"  {each.point:<9}{each.verdict:<8}" + ("" if each.value is None else f" {each.value:>6g}"))
    click.echo(f"result: {RESULTS[result.result]}")


def _written(path: Path, data: bytes) -> None:
    try:
        with written(path) as part:
            part.write_bytes(data)
    except OSError as e:
        raise click.ClickException(f"cannot write {e.filename}: {e.strerror}; choose another place") from None


def _summary(profile: Profile, lens: Lens | None) -> str:
    """Returns the results, a line per kind of mark."""
    camera = profile.camera
    sure = "" if profile.residuals.model_sure else " (not certain)"
    lines = [f"board {profile.board.name}{sure}, camera {camera.position[2]:.0f} mm above it, lens {profile.lens}"
             + (f" (sheet fits to {lens.rms_px:.2f} px)" if lens else "")]  # fmt: skip
    for kind in mark_residuals(profile):
        text = f"{kind.name}: {kind.measured} of {kind.wanted} seen"
        if kind.rms_mm is not None and kind.worst_mm is not None:
            text += f", off by {kind.rms_mm:.2f} mm RMS, {kind.worst_mm:.2f} mm at most"
        lines.append(text)
    r = profile.residuals
    lines.append(f"all sightings: {r.rms_mm:.2f} mm RMS, {r.worst_mm:.2f} mm at most, {r.marks} marks")
    if not r.model_sure:
        lines.append(OTHER_MODEL)
    if profile.lens is LensOrigin.EXCHANGED:
        lines.append(OTHER_LENS)
    lines.append(exactness(profile))
    return "\n".join(lines)
