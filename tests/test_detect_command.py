"""`referee detect`: the pieces of one picture where they truly lie, in millimetres and in pixels."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result
from sim_clips import grey, half_a_board, simulator

from calibration.profile import load_profile
from calibration.turning import turned
from referee.cli import main
from referee.commands.detect import corners_px, described_board, pieces_table
from referee.sim.source import SimSource

NEAR_MM, NEAR_PX = 1.5, 1.0
"""A picture of 480 x 360 shows a millimetre in half a pixel."""


def detect(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["detect", *map(str, arguments)])


@pytest.fixture(scope="module")
def shown() -> SimSource:
    """A simulator that has shown its first picture and remembers the truth of it."""
    with SimSource(width=480, height=360, keep_scenes=True) as sim:
        sim.picture = next(islice(sim, 1)).picture  # type: ignore[attr-defined]
    return sim


@pytest.fixture(scope="module")
def image(shown: SimSource, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("still") / "board.png"
    cv2.imwrite(str(path), shown.picture.bgr())  # type: ignore[attr-defined]
    return path


@pytest.fixture(scope="module")
def found(image: Path) -> dict[str, Any]:
    result = detect(image, "--json")
    assert result.exit_code == 0, result.output
    return dict(json.loads(result.stdout))


def test_every_piece_is_found_where_it_lies_and_nothing_else(found: dict[str, Any], shown: SimSource) -> None:
    truth = shown.truth(0).pieces()
    assert len(found["discs"]) == len(truth) == 19
    for piece in truth:
        disc = min(found["discs"], key=lambda d: np.hypot(d["x_mm"] - piece.x_mm, d["y_mm"] - piece.y_mm))
        assert (disc["x_mm"], disc["y_mm"]) == pytest.approx((piece.x_mm, piece.y_mm), abs=NEAR_MM)
        assert disc["kind"] == piece.kind
        px = shown.camera.to_pixels([(piece.x_mm, piece.y_mm)], shown.board.coin_height)[0]
        assert (disc["x_px"], disc["y_px"]) == pytest.approx(tuple(px), abs=NEAR_PX)


def test_each_disc_says_how_large_and_how_sure(found: dict[str, Any], shown: SimSource) -> None:
    assert set(found["discs"][0]) == {"kind", "x_mm", "y_mm", "x_px", "y_px", "r_px", "confidence", "sigma_mm"}
    scale = float(shown.camera.px_per_mm()[0])
    assert all(d["r_px"] == pytest.approx(scale * shown.board.coin_radius, rel=0.08) for d in found["discs"])
    assert all(0.8 < d["confidence"] <= 1 for d in found["discs"])


def test_corners_are_those_of_the_playing_surface(found: dict[str, Any], shown: SimSource) -> None:
    half = shown.board.half
    truth = shown.camera.to_pixels([(-half, half), (half, half), (half, -half), (-half, -half)])
    assert np.allclose(found["board"]["corners_px"], truth, atol=2.0)


def test_the_model_is_told_and_a_doubt_about_it_too(found: dict[str, Any], profile_file: Path) -> None:
    assert (found["board"]["model"], found["board"]["model_sure"]) == ("icf74", True)
    profile = load_profile(profile_file)
    unsure = replace(profile, residuals=replace(profile.residuals, model_sure=False))
    assert described_board(unsure)["model_sure"] is False
    assert "--board" in pieces_table({"discs": [], "board": described_board(unsure)})
    assert "--board" not in pieces_table({"discs": [], "board": described_board(profile)})


def test_corners_stay_the_pictures_own_when_south_is_another_side(profile_file: Path) -> None:
    profile = load_profile(profile_file)
    for n in range(4):
        assert np.allclose(corners_px(turned(profile, n)), corners_px(profile), atol=0.1)


def test_a_profile_may_be_given(image: Path, profile_file: Path) -> None:
    result = detect(image, "--profile", profile_file)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "19 pieces"


def test_pieces_need_not_be_nineteen_with_a_striker_and_a_hand_on_the_board(tmp_path: Path) -> None:
    with simulator() as sim:
        frame = next(f for f in sim if len(sim.strokes) == 0 and f.t > 3.2)
    path = tmp_path / "placed.png"
    cv2.imwrite(str(path), frame.picture.bgr())
    result = detect(path, "--json")
    kinds = [d["kind"] for d in json.loads(result.stdout)["discs"]]
    assert (len(kinds), kinds.count("black"), kinds.count("queen")) == (20, 9, 1)


@pytest.mark.parametrize(("view", "what"), [("black", "black"), ("half", "not calibrated")])
def test_a_picture_without_a_board_is_told(view: str, what: str, shown: SimSource, tmp_path: Path) -> None:
    picture = grey(16) if view == "black" else half_a_board(shown.picture)  # type: ignore[attr-defined]
    path = tmp_path / "a.png"
    cv2.imwrite(str(path), picture.bgr())
    result = detect(path, "--json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert what in result.stderr


def test_a_missing_or_damaged_picture_is_told(tmp_path: Path) -> None:
    (tmp_path / "text.jpg").write_text("no picture")
    for name, what in (("none.jpg", "cannot be read"), ("text.jpg", "no picture")):
        result = detect(tmp_path / name, "--json")
        assert result.exit_code == 1
        assert what in result.stderr
