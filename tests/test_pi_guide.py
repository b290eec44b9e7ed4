"""The Raspberry Pi guide: its tables are what the formulas give, its files and commands exist."""

from __future__ import annotations

import math
import re
import runpy
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from models.board import load_board
from referee.cli import COMMANDS

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "docs" / "pi.md").read_text(encoding="utf-8")
CAMERAS = runpy.run_path(str(ROOT / "deploy" / "cameras.py"))


@pytest.mark.parametrize("table", ["heights", "modes", "blur", "lamps"])
def test_tables_are_what_the_formulas_give(table: str) -> None:
    assert "\n".join(CAMERAS[table]()) in GUIDE, "write what deploy/cameras.py prints into docs/pi.md"


def test_a_height_shows_the_board_as_a_pinhole_does() -> None:
    camera, board = CAMERAS["CAMERAS"][0], load_board("icf74")
    height = CAMERAS["height_mm"](camera, (1456, 1088), CAMERAS["seen_mm"](board))
    pixel_at_board_mm = height / camera.focal_mm * camera.pixel_um * 1e-3
    assert 1088 * pixel_at_board_mm == pytest.approx(board.surface + 2 * board.frame_width + 40)


@pytest.mark.parametrize("camera", [c for c in CAMERAS["CAMERAS"] if c.field_deg], ids=lambda c: str(c.name))
def test_fixed_lenses_see_as_much_as_their_maker_says(camera: Any) -> None:
    _, sensor, _ = camera.modes[0]
    field = 2 * math.atan(min(sensor) * camera.pixel_um * 1e-3 / (2 * camera.focal_mm))
    assert math.degrees(field) == pytest.approx(camera.field_deg, abs=1.0)


def test_only_rolling_shutters_skew() -> None:
    gs, v3 = CAMERAS["CAMERAS"][:2]
    assert CAMERAS["skew_mm"](gs, (1456, 1088), (1456, 1088), 60.38, 36) == 0
    assert CAMERAS["skew_mm"](v3, (2304, 1296), (4608, 2592), 56.03, 44) == pytest.approx(
        3000 / 56 * 0.95 * 44 / 1296, 1e-3
    )


def test_files_and_commands_that_it_names_exist() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", GUIDE):
        assert (ROOT / "docs" / target).is_file(), target
    for script in set(re.findall(r"deploy/[a-z.]+", GUIDE)):
        assert (ROOT / script.rstrip(".")).exists(), script
    assert set(re.findall(r"settings.toml ([a-z]+)`", GUIDE)) <= set(COMMANDS)
    options = (ROOT / "deploy" / "install").read_text()
    assert all(option in options for option in ("--update", "--rollback", "--uninstall", "--purge", "--dry-run"))


@pytest.mark.parametrize("name", ["mount.svg", "cabling.svg"])
def test_drawings_are_drawings(name: str) -> None:
    drawing = ElementTree.parse(ROOT / "docs" / name).getroot()
    assert drawing.tag.endswith("svg")
    assert any(child.tag.endswith("title") and child.text for child in drawing)
