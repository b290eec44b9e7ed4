"""A board that somebody points at: four corners dragged to about where they are."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from drawn_board import camera, error_mm, picture

from calibration.calibrate import CalibrationError, calibrate
from calibration.geometry.camera import F64, Camera
from calibration.geometry.picture import Picture
from calibration.reason import CalibrationFault, CalibrationReason
from models.board import load_board

UNIT = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]], np.float64)
"""Top left, top right, bottom right, bottom left."""


@cache
def usual() -> Picture:
    return picture(camera())


def corners_of(view: Camera, half: float = 370.0) -> F64:
    return view.to_pixels(UNIT * half)


def dragged(corners: F64, px: float, seed: int = 3) -> F64:
    """As a finger leaves them: off by up to `px` each way."""
    return corners + np.random.default_rng(seed).uniform(-px, px, corners.shape)


@pytest.mark.parametrize("board", [None, "icf74"])
def test_dragged_corners_lead_to_the_same_board(board: str | None) -> None:
    view = camera(tilt=5.0)
    profile = calibrate([picture(view)], board, corners=dragged(corners_of(view), 7.0))
    assert profile.board.name == "icf74"
    assert error_mm(view, profile.camera, load_board()) < 0.5


def test_south_is_where_the_bottom_corners_are_dragged() -> None:
    view = camera(roll=50.0, board_share=0.6)
    turned = np.roll(corners_of(view), 1, axis=0)
    profile = calibrate([picture(view)], corners=turned)
    assert np.abs(profile.camera.to_pixels(UNIT * 370.0) - turned).max() < 1.5


def test_a_mirrored_picture_has_its_corners_where_they_are_seen() -> None:
    view, p = camera(), usual()
    mirrored = Picture(*(np.ascontiguousarray(plane[:, ::-1]) for plane in (p.y, p.u, p.v)), p.full_range)
    seen = corners_of(view)[[1, 0, 3, 2]]
    seen[:, 0] = view.width - 1 - seen[:, 0]
    profile = calibrate([mirrored], mirror=True, corners=dragged(seen, 5.0))
    assert np.abs(profile.camera.to_pixels(corners_in_mirror()) - seen).max() < 1.5


def corners_in_mirror() -> F64:
    """Board corners as a mirrored picture shows them from its top left on."""
    return UNIT[[1, 0, 3, 2]] * 370.0


@pytest.mark.parametrize(
    ("corners", "why"),
    [
        ([[100, 80], [380, 80], [380, 300], [100, 300]], CalibrationFault.NO_BOARD),
        ([[5, 5]] * 4, CalibrationFault.CORNERS),
        ([[0, 0], [100, 0], [200, 0], [300, 0]], CalibrationFault.CORNERS),
        ([[400, 10], [10, 10], [10, 300], [400, 300]], CalibrationFault.CORNERS),
        ([[-9000, -9000], [9000, -9000], [9000, 9000], [-9000, 9000]], CalibrationFault.CORNERS),
    ],
)
def test_corners_where_no_board_is_are_refused_with_a_reason_that_has_a_name(
    corners: list[list[int]], why: CalibrationFault
) -> None:
    with pytest.raises(CalibrationError) as caught:
        calibrate([picture(camera())], corners=np.array(corners, np.float64))
    assert all(isinstance(reason, CalibrationReason) for reason in caught.value.reasons)
    assert caught.value.reasons[0].why is why
