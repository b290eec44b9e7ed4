"""Boards whose print is paler than their wood, and coloured print, are calibrated as well as black on pale wood."""

from __future__ import annotations

import drawn_board
import numpy as np
import pytest
from drawn_board import camera, error_mm, picture

from calibration.calibrate import calibrate
from calibration.geometry.camera import Camera
from calibration.geometry.picture import Picture
from calibration.meters.focus import edge_spread
from calibration.profile import Profile
from calibration.reregister import apart_mm, register
from models.board import load_board

Bgr = tuple[int, int, int]
WALNUT, DARK, MID, GREEN, PALE = (60, 75, 110), (35, 45, 70), (100, 140, 170), (60, 90, 40), (150, 195, 220)
WHITE, YELLOW, RED, BLUE = (232, 235, 238), (80, 200, 230), (60, 60, 200), (160, 70, 40)


def drawn(patch: pytest.MonkeyPatch, view: Camera, wood: Bgr, print_: Bgr, discs: Bgr) -> Picture:
    """Returns a picture of a board in these colours."""
    for name, colour in (("WOOD", wood), ("INK", print_), ("RED", discs)):
        patch.setattr(drawn_board, name, colour)
    return picture(view)


@pytest.mark.parametrize(
    ("wood", "print_", "discs", "pale"),
    [(WALNUT, WHITE, RED, True), (DARK, YELLOW, RED, True), (MID, WHITE, RED, True), (GREEN, WHITE, WHITE, True),
     (PALE, BLUE, BLUE, False), (PALE, RED, RED, False)],
)  # fmt: skip
def test_print_of_any_polarity_is_found(
    monkeypatch: pytest.MonkeyPatch, wood: Bgr, print_: Bgr, discs: Bgr, pale: bool
) -> None:
    view = camera(tilt=6.0)
    found = calibrate([drawn(monkeypatch, view, wood, print_, discs)])
    assert found.pale_print == pale
    assert (found.board.name, found.residuals.model_sure) == ("icf74", True)
    assert error_mm(view, found.camera, load_board()) < 0.3
    circles = [c for marks in found.sides.values() for c in (marks.left_circle, marks.right_circle) if c]
    assert len(circles) >= 6
    lines = [line for marks in found.sides.values() for line in (marks.rear_line, marks.front_line) if line]
    assert len(lines) == 8
    thin, thick = load_board().front_line_thickness, load_board().rear_line_thickness
    assert all(0.6 * thin < line.thickness < 1.4 * thick for line in lines)


def test_a_bumped_camera_finds_pale_print_again(monkeypatch: pytest.MonkeyPatch) -> None:
    view, bumped = camera(), camera(roll=3.0, tilt=3.5)
    found = calibrate([drawn(monkeypatch, view, WALNUT, WHITE, RED)])
    again = register(Profile.from_json(found.to_json()), picture(bumped))
    assert again is not None
    assert error_mm(bumped, again.camera, load_board()) < 0.5
    assert apart_mm(found, again) > 5.0


def test_the_sharpness_of_pale_lines_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = drawn(monkeypatch, camera(), WALNUT, WHITE, RED)
    spreads = edge_spread(seen, calibrate([seen]))
    assert len(spreads) == 4
    assert np.median([spread.px for spread in spreads.values()]) == pytest.approx(0.6, abs=0.4)
