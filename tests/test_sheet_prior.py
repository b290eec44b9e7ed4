"""A lens measured with the sheet is known to its information only: the board's own marks may correct it within that."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn_board import camera, error_mm, picture

from calibration.calibrate import calibrate
from calibration.geometry.camera import Camera
from calibration.geometry.lens import Lens, LensOrigin
from models.board import load_board
from tools.camera_figures import sheet_lens


@pytest.fixture(scope="module")
def view() -> Camera:
    """A camera whose lens is tilted to its sensor."""
    return replace(camera(), dist=np.array([-0.06, 0.02, 8e-4, -1e-3, 0.0]))


def test_the_sheets_lens_is_as_true_as_its_information_says(view: Camera) -> None:
    truth = Lens(view.width, view.height, view.k, view.dist).parameters
    off = []
    for seed in range(30):
        lens = sheet_lens(view, np.random.default_rng(seed))
        assert lens.information is not None
        off.append((lens.parameters - truth) @ np.linalg.cholesky(lens.information))
    assert 0.7 < np.sqrt(np.mean(np.square(off))) < 1.3


def test_the_cameras_doubt_holds_that_of_the_sheet(view: Camera) -> None:
    seen, lens = [picture(view)], sheet_lens(view, np.random.default_rng(4))
    found, exact = calibrate(seen, lens=lens), calibrate(seen, lens=replace(lens, information=None))
    assert found.lens is LensOrigin.CHARUCO
    assert found.doubt.height_sigma(found.camera) > exact.doubt.height_sigma(exact.camera)
    assert abs(found.camera.position[2] / view.position[2] - 1) < 3 * found.doubt.height_sigma(found.camera)
    assert error_mm(view, found.camera, load_board()) < 0.2
    assert not np.array_equal(found.camera.dist, lens.dist)


def test_a_poor_sheet_is_corrected_by_the_board(view: Camera) -> None:
    """Its distortion is off, and its information says that it may be."""
    seen, lens = [picture(view)], sheet_lens(view, np.random.default_rng(4))
    assert lens.information is not None
    poor = replace(lens, dist=lens.dist + np.array([0.05, 0.0, 0.0, 0.0, 0.0]), information=lens.information / 400.0)
    found, held = calibrate(seen, lens=poor), calibrate(seen, lens=replace(poor, information=None))
    assert error_mm(view, found.camera, load_board()) < 0.5 * error_mm(view, held.camera, load_board())
