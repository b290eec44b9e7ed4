"""`referee detect`: the pieces in one picture."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import click

from calibration.calibrate import calibrate
from calibration.geometry.picture import Picture, picture_from_bgr
from calibration.profile import Profile
from calibration.turning import turned
from models.pieces import Kind
from referee.commands.errors import OTHER_MODEL, as_click_errors
from referee.commands.options import camera_options, setting
from referee.frames.folder import read_image
from referee.pieces.detector import find_pieces
from referee.pieces.disc_fit import Disc
from referee.pieces.print_rejection import evidence
from referee.pipeline import Setting

EVEN_EVIDENCE, EVEN_SUPPORT = 0.55, 0.42
"""Evidence and rim support of a circle that is as likely a print as a piece; measured on pictures with truth."""
SURER_BY_EVIDENCE, SURER_BY_SUPPORT = 6.0, 12.0
"""How fast the odds (logarithm) grow with each: prints draw strong arcs, but hardly ever a ring all round."""
EVEN_ALIKE, SURER_BY_LIKENESS = 0.58, 20.0
"""The same of how much a pale coin looks as its fellows do: what has a rim and is no coin reaches this at the most."""

LEAST_CONFIDENCE = 0.3
"""Discs less sure are left out: of the pieces of pictures with truth none was, of the prints taken for pieces most."""


@click.command()
@click.argument("image", type=click.Path(path_type=Path))
@camera_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def command(image: Path, as_json: bool, **options: Any) -> None:
    """Find the pieces on the board in IMAGE, a photograph from above.

    \b
    referee detect board.jpg --json
    """
    with as_click_errors():
        found = detected(picture_from_bgr(read_image(image)), setting(**options))
    click.echo(json.dumps(found) if as_json else table(found))


def detected(picture: Picture, chosen: Setting) -> dict[str, Any]:
    """Discs and corners as the command prints them; raises CalibrationError, ProfileError or LensError."""
    profile = chosen.profile or calibrate([picture], chosen.board, chosen.lens)
    profile = profile.for_picture(picture.width, picture.height)
    sure = [(kind, disc) for kind, disc in find_pieces(picture, profile) if confidence(disc) >= LEAST_CONFIDENCE]
    discs = [_described(kind, disc, profile) for kind, disc in sure]
    return {"discs": discs, "board": described_board(profile)}


def described_board(profile: Profile) -> dict[str, Any]:
    """Where the playing surface lies, which model it was taken for, and whether no other would do nearly as well."""
    return {
        "corners_px": corners_px(profile),
        "model": profile.board.name,
        "model_sure": profile.residuals.model_sure,
    }


def corners_px(profile: Profile) -> list[list[float]]:
    """Pixels (x, y) of the playing surface's corners: top left, top right, bottom right, bottom left of the picture."""
    shown = turned(profile, -profile.turn)
    corners = shown.corners[[1, 0, 3, 2]] if profile.camera.mirror else shown.corners
    px = shown.camera.to_pixels(corners)
    return [[round(float(x), 2), round(float(y), 2)] for x, y in px]


def _described(kind: Kind, disc: Disc, profile: Profile) -> dict[str, Any]:
    board, camera = profile.board, profile.camera
    top = board.height(kind)
    px = camera.to_pixels([(disc.x, disc.y)], top)[0]
    scale = float(camera.px_per_mm([(disc.x, disc.y)], top)[0])
    return {
        "kind": kind.value,
        "x_mm": round(float(disc.x), 3),
        "y_mm": round(float(disc.y), 3),
        "x_px": round(float(px[0]), 2),
        "y_px": round(float(px[1]), 2),
        "r_px": round(disc.radius * scale, 2),
        "confidence": round(confidence(disc), 4),
    }


def confidence(disc: Disc) -> float:
    """Probability that a disc that was found is a piece."""
    if disc.alike:
        return 1 / (1 + math.exp(-SURER_BY_LIKENESS * (disc.alike - EVEN_ALIKE)))
    surer = SURER_BY_EVIDENCE * (evidence(disc) - EVEN_EVIDENCE) + SURER_BY_SUPPORT * (disc.support - EVEN_SUPPORT)
    return 1 / (1 + math.exp(-surer))


def table(found: dict[str, Any]) -> str:
    """A line a piece, for people."""
    rows = [f"{d['kind']:8} {d['x_mm']:8.1f} {d['y_mm']:8.1f} mm  {d['x_px']:8.1f} {d['y_px']:8.1f} px  "
            f"{d['confidence']:.2f}" for d in found["discs"]]  # fmt: skip
    doubt = [] if found["board"]["model_sure"] else [OTHER_MODEL]
    return "\n".join([*rows, *doubt, f"{len(found['discs'])} pieces"])
