"""`referee calibrate` from the command line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from drawn_board import camera, error_mm, picture

from calibration.profile import load_profile
from models.board import load_board
from models.pieces import Kind
from referee.cli import main


@pytest.fixture(scope="module")
def drawn() -> np.ndarray:
    """A board's picture (h, w, 3), drawn once for all tests."""
    return picture(camera()).bgr()


@pytest.fixture
def folder(tmp_path: Path, drawn: np.ndarray) -> Path:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    cv2.imwrite(str(pictures / "0.png"), drawn)
    return pictures


def test_a_profile_and_a_picture_are_written_and_the_meters_and_the_card_are_told(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "board.json"
    result = CliRunner().invoke(main, ["calibrate", str(folder), "-o", str(out)])
    assert result.exit_code == 0, result.output
    assert "rear base lines: 4 of 4 seen" in result.output
    assert error_mm(camera(), load_profile(out).camera, load_board()) < 0.5
    assert cv2.imread(str(tmp_path / "board.png")).shape == (750, 1000, 3)
    told = {line.split()[0]: line.split()[1] for line in result.output.splitlines() if line.startswith("  ")}
    assert told.keys() == {"focus", "exposure", "blur", "flicker", "glare", "board", "model", "scale", "colours",
                           "striker", "match"}  # fmt: skip
    assert (told["focus"], told["board"], told["flicker"]) == ("good", "good", "unknown")
    assert "result: good enough to play; some calls will be questions" in result.output


def test_a_model_that_is_not_certain_is_told(folder: Path, tmp_path: Path) -> None:
    small, large = load_board("carambole60"), load_board("masters72")
    marks = ("rear_line", "line_gap", "base_circle_x", "base_circle_radius", "base_disc_radius")
    ratio = small.surface / large.surface
    between = {name: (getattr(small, name) + ratio * getattr(large, name)) / 2 for name in marks}
    cv2.imwrite(str(folder / "0.png"), picture(camera(), replace(small, **between), coins=False).bgr())
    result = CliRunner().invoke(main, ["calibrate", str(folder), "-o", str(tmp_path / "board.json")])
    assert result.exit_code == 0, result.output
    assert " (not certain)" in result.output
    assert "name it with --board" in result.output


def test_corners_and_a_measured_side_hold(folder: Path, tmp_path: Path) -> None:
    out, view = tmp_path / "board.json", camera()
    px = view.to_pixels(np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) * 370.0) + 4.0
    corners = ",".join(f"{v:.0f}" for v in px.ravel())
    words = ["calibrate", str(folder), "-o", str(out), "--corners", corners, "--surface", "712"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    profile = load_profile(out)
    assert profile.board.surface == pytest.approx(712.0)
    assert np.abs(profile.camera.to_pixels(np.array([[356.0, 356.0]])) - (px[1] - 4.0)).max() < 0.5


@pytest.mark.parametrize("corners", ["1,2,3", "a,b,c,d,e,f,g,h", ""])
def test_corners_that_are_none_are_told(corners: str, folder: Path, tmp_path: Path) -> None:
    words = ["calibrate", str(folder), "-o", str(tmp_path / "p.json"), "--corners", corners]
    result = CliRunner().invoke(main, words)
    assert (result.exit_code, "write them as" in result.output) == (2, True)


def test_step_by_step_asks_for_light_coins_and_striker(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "board.json"
    result = CliRunner().invoke(main, ["calibrate", str(folder), "-o", str(out), "--steps"], input="y\nn\ny\nn\ny\nn\n")
    assert result.exit_code == 0, result.output
    assert result.output.count("Look at light and focus again?") == 2
    assert "no opening formation: " in result.output
    assert "no striker is seen on the middle" in result.output
    assert out.exists()


def test_the_sheet_is_written_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "sheet.pdf"
    result = CliRunner().invoke(main, ["calibrate", "--sheet", str(path)])
    assert result.exit_code == 0, result.output
    assert path.read_bytes().startswith(b"%PDF-1.4")
    result = CliRunner().invoke(main, ["calibrate", "--sheet", str(path / "sheet.pdf")])
    assert (result.exit_code, "cannot write" in result.output) == (1, True)


def test_no_board_exits_1_with_the_reason(folder: Path, tmp_path: Path) -> None:
    cv2.imwrite(str(folder / "0.png"), np.full((480, 640, 3), 2, np.uint8))
    out = tmp_path / "board.json"
    result = CliRunner().invoke(main, ["calibrate", str(folder), "-o", str(out)])
    assert result.exit_code == 1
    assert "black" in result.output
    assert not out.exists()


def test_a_source_that_is_not_there_is_told(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["calibrate", str(tmp_path / "none.mp4"), "-o", str(tmp_path / "p.json")])
    assert result.exit_code == 1
    assert "none.mp4" in result.output


def test_a_place_that_cannot_be_written_is_told(folder: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["calibrate", str(folder), "-o", str(folder / "0.png" / "p.json")])
    assert result.exit_code == 1
    assert "cannot write" in result.output


def test_a_set_that_lacks_coins_is_written_down(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "board.json"
    result = CliRunner().invoke(main, ["calibrate", str(folder), "-o", str(out), "--coins", "white=8, queen=0"])
    assert result.exit_code == 0, result.output
    assert load_profile(out).full_set == {Kind.WHITE: 8, Kind.BLACK: 9, Kind.QUEEN: 0}


@pytest.mark.parametrize("coins", ["white", "white=many", "green=9", "black=40", ""])
def test_a_set_that_cannot_be_is_told(coins: str, folder: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["calibrate", str(folder), "-o", str(tmp_path / "p.json"), "--coins", coins])
    assert result.exit_code == 2
    assert "write it as white=8,black=9,queen=1" in result.output
