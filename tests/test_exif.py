"""The focal length that a photograph's Exif states, and photographs that state none or nonsense."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from drawn_board import camera, picture
from PIL import Image
from PIL.ExifTags import IFD, Base
from PIL.TiffImagePlugin import IFDRational

from calibration.geometry.lens import LensOrigin
from referee.cli import main
from referee.commands.errors import OTHER_LENS
from referee.frames.exif import lens_by_exif
from referee.frames.frame import stated_lens_of
from referee.frames.open import open_source
from referee.frames.paced import PacedSource

SIZE = (400, 300)
DIAGONAL_PX = 500.0
FILM_DIAGONAL_MM = math.hypot(36.0, 24.0)


def photograph(path: Path, tags: dict[int, object], image: Image.Image | None = None) -> Path:
    """Writes a JPEG with tags of the Exif folder."""
    exif = Image.Exif()
    exif.get_ifd(IFD.Exif).update(tags)
    (image or Image.new("RGB", SIZE, (90, 120, 150))).save(path, exif=exif)
    return path


def test_the_equivalent_for_film_holds_over_the_diagonal(tmp_path: Path) -> None:
    lens = lens_by_exif(photograph(tmp_path / "a.jpg", {Base.FocalLengthIn35mmFilm: 26}))
    assert lens is not None
    assert lens.focal_px == pytest.approx(26 / FILM_DIAGONAL_MM * DIAGONAL_PX, rel=1e-3)
    assert lens.origin is LensOrigin.EXIF


def test_the_sensors_resolution_gives_it_too(tmp_path: Path) -> None:
    """A camera of 22.3 mm and 5184 pixels a side, at 18 mm: the picture was made smaller since."""
    tags = {Base.FocalLength: 18.0, Base.FocalPlaneXResolution: IFDRational(5184 * 254, 223),
            Base.FocalPlaneResolutionUnit: 2, Base.ExifImageWidth: 5184, Base.ExifImageHeight: 3888}  # fmt: skip
    lens = lens_by_exif(photograph(tmp_path / "a.jpg", tags))
    assert lens is not None
    assert lens.focal_px == pytest.approx(18.0 / 22.3 * SIZE[0], rel=1e-3)


@pytest.mark.parametrize("tags", [
    {}, {Base.FocalLengthIn35mmFilm: 0}, {Base.FocalLengthIn35mmFilm: 60000}, {Base.FocalLength: 4.2},
    {Base.FocalLength: 4.2, Base.FocalPlaneXResolution: IFDRational(0, 0), Base.ExifImageWidth: 4000},
])  # fmt: skip
def test_what_is_not_stated_or_cannot_be_is_none(tmp_path: Path, tags: dict[int, object]) -> None:
    assert lens_by_exif(photograph(tmp_path / "a.jpg", tags)) is None


def test_damaged_photographs_state_nothing(tmp_path: Path) -> None:
    good = photograph(tmp_path / "a.jpg", {Base.FocalLengthIn35mmFilm: 26}).read_bytes()
    rng, path = np.random.default_rng(1), tmp_path / "b.jpg"
    for _ in range(300):
        data = bytearray(good[: rng.integers(1, 400)] if rng.random() < 0.3 else good)
        for at in rng.integers(0, min(len(data), 160), 8):
            data[at] = rng.integers(256)
        path.write_bytes(data)
        lens = lens_by_exif(path)
        assert lens is None or math.isfinite(lens.focal_px)
    assert lens_by_exif(tmp_path / "missing.jpg") is None


def test_a_folder_states_the_lens_of_its_first_photograph(tmp_path: Path) -> None:
    photograph(tmp_path / "2.jpg", {Base.FocalLengthIn35mmFilm: 50})
    photograph(tmp_path / "1.jpg", {Base.FocalLengthIn35mmFilm: 26})
    with PacedSource(open_source(str(tmp_path))) as source:
        lens = stated_lens_of(source)
    assert lens is not None
    assert lens.focal_px == pytest.approx(26 / FILM_DIAGONAL_MM * DIAGONAL_PX, rel=1e-3)


@pytest.mark.parametrize(("times", "origin"), [(1.03, "exif"), (2.0, "exchanged")])
def test_calibrate_weighs_a_photographs_exif(tmp_path: Path, times: float, origin: str) -> None:
    view = camera(tilt=9.0)
    image = Image.fromarray(np.ascontiguousarray(picture(view).bgr()[..., ::-1]))
    equivalent = round(times * view.k[0, 0] / math.hypot(*image.size) * FILM_DIAGONAL_MM)
    (tmp_path / "photos").mkdir()
    photograph(tmp_path / "photos" / "board.jpg", {Base.FocalLengthIn35mmFilm: equivalent}, image)
    words = ["calibrate", str(tmp_path / "photos"), "-o", str(tmp_path / "board.json")]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    assert f"lens {origin}" in result.output
    assert (OTHER_LENS in result.output) == (origin == "exchanged")
