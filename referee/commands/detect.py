"""`referee detect`: finds the pieces in one picture."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from calibration.calibrate import calibrate
from calibration.geometry.picture import Picture, picture_from_bgr
from calibration.profile import Profile
from calibration.turning import turned
from models.pieces import Kind
from referee.commands.errors import OTHER_MODEL, as_click_errors
from referee.commands.options import camera_options, setting
from referee.frames.exif import lens_by_exif
from referee.frames.folder import read_image
from referee.pieces.detector import find_pieces
from referee.pieces.disc import Disc
from referee.pipeline import MatchSettings


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
        picture = picture_from_bgr(read_image(image))
        found = detected(picture, replace(setting(**options), stated_lens=lens_by_exif(image)))
    click.echo(json.dumps(found) if as_json else pieces_table(found))


def detected(picture: Picture, chosen: MatchSettings) -> dict[str, Any]:
    """Returns discs and corners as the command prints them. Raises CalibrationError, ProfileError or LensError."""
    profile = chosen.profile or calibrate([picture], chosen.board, chosen.lens, height_mm=chosen.height_mm,
                                           stated_lens=chosen.stated_lens)  # fmt: skip
    profile = profile.for_picture(picture.width, picture.height)
    discs = [_described(kind, disc, profile) for kind, disc in find_pieces(picture, profile)]
    return {"discs": discs, "board": described_board(profile)}


def described_board(profile: Profile) -> dict[str, Any]:
    """Returns the playing surface's place, the recognised model, and whether no other model fits nearly as well."""
    return {
        "corners_px": corners_px(profile),
        "model": profile.board.name,
        "model_sure": profile.residuals.model_sure,
    }


def corners_px(profile: Profile) -> list[list[float]]:
    """Returns pixels (x, y) of the playing surface's corners: top left, top right, bottom right, bottom left of the
    picture.
    """
    shown = turned(profile, -profile.turn)
    corners = shown.corners[[1, 0, 3, 2]] if profile.camera.mirror else shown.corners
    px = shown.camera.to_pixels(corners)
    return [[round(float(x), 2), round(float(y), 2)] for x, y in px]


def _described(kind: Kind, disc: Disc, profile: Profile) -> dict[str, Any]:
    board, camera = profile.board, profile.camera
    top = board.height(kind)
    px = camera.to_pixels([(disc.x, disc.y)], top)[0]
    sigma = np.hypot(disc.sigma, profile.sigmas((disc.x, disc.y), kind)[0])
    scale = float(camera.px_per_mm([(disc.x, disc.y)], top)[0])
    return {
        "kind": kind.value,
        "x_mm": round(float(disc.x), 3),
        "y_mm": round(float(disc.y), 3),
        "sigma_mm": [round(float(s), 3) for s in sigma],
        "x_px": round(float(px[0]), 2),
        "y_px": round(float(px[1]), 2),
        "r_px": round(disc.radius * scale, 2),
        "confidence": round(confidence(disc), 4),
    }


def confidence(disc: Disc) -> float:
    """Returns the probability that a disc is a piece, by both witnesses; 0.5 if they were not asked."""
    return 1 / (1 + math.exp(-disc.presence))


def pieces_table(found: dict[str, Any]) -> str:
    """Returns a line for each piece."""
    rows = [f"{d['kind']:8} {d['x_mm']:8.1f} {d['y_mm']:8.1f} mm  {d['x_px']:8.1f} {d['y_px']:8.1f} px  "
            f"{d['confidence']:.2f}" for d in found["discs"]]  # fmt: skip
    doubt = [] if found["board"]["model_sure"] else [OTHER_MODEL]
    return "\n".join([*rows, *doubt, f"{len(found['discs'])} pieces"])
