"""Calibration on a few shared clips and stills against their true cameras; needs CARROM_SHARED."""

from __future__ import annotations

import json
import os
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import pytest
from drawn_board import board_with, error_mm

from calibration.calibrate import calibrate
from calibration.geometry.camera import Camera
from calibration.geometry.lens import lens_from_charuco
from calibration.geometry.picture import picture_from_bgr
from referee.frames.open import open_source

SHARED = os.environ.get("CARROM_SHARED")
pytestmark = pytest.mark.skipif(not SHARED, reason="CARROM_SHARED names no folder with footage")
CAMERA_MM = 0.5


def truth(name: str) -> tuple[Camera, float]:
    """The true camera and the pocket's diameter."""
    d = json.loads((Path(SHARED or "") / "footage" / f"{name}.truth.json").read_text())
    c = d["camera"]
    view = Camera.of(c["width"], c["height"], c["K"], c["dist_k1k2p1p2k3"], c["R_board_to_camera"], c["t_mm"])
    return view, float(d["board"]["pocket_diameter"])


@pytest.mark.parametrize("name", ["board_a", "bump", "drops", "queen", "striker_in", "webcam"])
def test_a_clip_is_calibrated_to_half_a_millimetre(name: str) -> None:
    with open_source(str(Path(SHARED or "") / "footage" / f"{name}.mp4")) as source:
        profile = calibrate([frame.picture for frame in islice(source, 5)])
    view, pocket = truth(name)
    board = board_with(pocket_diameter=pocket, pocket_inset=pocket / 2)
    assert error_mm(view, profile.camera, board) < CAMERA_MM


@pytest.mark.parametrize("name", ["still_02", "still_09"])
def test_a_still_is_calibrated_to_half_a_millimetre(name: str) -> None:
    image = cv2.imread(str(Path(SHARED or "") / "footage" / f"{name}.jpg"))
    view, pocket = truth(name)
    board = board_with(pocket_diameter=pocket, pocket_inset=pocket / 2)
    found = calibrate([picture_from_bgr(np.asarray(image, np.uint8))])
    assert error_mm(view, found.camera, board) < CAMERA_MM


def test_a_charuco_set_gives_the_true_lens() -> None:
    folder = Path(SHARED or "") / "footage" / "charuco_own_direct"
    lens = lens_from_charuco(folder)
    true = json.loads((folder / "truth.json").read_text())["camera"]
    assert np.abs(lens.k - np.array(true["K"])).max() < 3.0
    assert lens.dist[0] == pytest.approx(true["dist_k1k2p1p2k3"][0], abs=0.005)
