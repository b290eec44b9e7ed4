"""The set-up on footage and photographs as its camera; needs them in the folder named by CARROM_SHARED."""

from __future__ import annotations

import json
import os
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn_board import error_mm
from playwright.sync_api import Page, expect
from set_up import Bench
from test_pages_setup import Eyes, begin, go
from web_stage import Stage

from calibration.geometry.camera import Camera
from calibration.geometry.picture import Picture, picture_from_bgr
from models.board import load_board
from referee.frames.folder import read_image
from referee.frames.video import VideoFile

SHARED = Path(os.environ.get("CARROM_SHARED", ""))
pytestmark = pytest.mark.skipif(not SHARED.name, reason="CARROM_SHARED names no folder with footage")
WORK_MS = 90_000


def truth(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SHARED / name).read_text())
    return found


def frames(clip: str, count: int = 40) -> list[Picture]:
    with VideoFile(str(SHARED / "footage" / f"{clip}.mp4")) as source:
        return [frame.picture for frame in islice(source, count)]


def test_a_clip_is_set_up_in_the_browser_to_its_looks(page: Page, tmp_path: Path) -> None:
    with Eyes(tmp_path) as eyes, Stage(tmp_path).house() as house:
        eyes.pictures = frames("board_a")
        begin(page, house)
        go(page, "board")
        expect(page.locator("#body table")).to_be_visible(timeout=WORK_MS)
        page.locator("#next").click()
        expect(page.locator("#title")).to_have_text("Lens")
        go(page, "colours")
        page.get_by_role("button", name="Look").click()
        expect(page.locator("#body")).to_contain_text("White 9 · Black 9 · Queen 1", timeout=WORK_MS)
        expect(page.locator("#body li").first).to_have_attribute("data-verdict", "good")
        kept = eyes.kept.profile()
        assert kept is not None
        c = truth("footage/board_a.truth.json")["camera"]
        true = Camera.of(c["width"], c["height"], c["K"], c["dist_k1k2p1p2k3"], c["R_board_to_camera"], c["t_mm"])
        assert error_mm(true, kept.camera, load_board()) < 1.0


def test_a_photograph_of_a_real_board_is_found_and_drawn(page: Page, tmp_path: Path) -> None:
    photograph = max((SHARED / "real").glob("*.jpg"))
    corners = np.array(truth(f"real/{photograph.stem}.truth.json")["surface_corners_px"], np.float64)
    with Eyes(tmp_path) as eyes, Stage(tmp_path).house() as house:
        eyes.pictures = [picture_from_bgr(read_image(photograph))]
        begin(page, house)
        go(page, "board")
        expect(page.locator("#body table")).to_be_visible(timeout=WORK_MS)
        drawn = page.request.get(f"{house.urls[0]}api/setup").json()["board"]["corners"]
        side = np.linalg.norm(corners[1] - corners[0])
        assert np.linalg.norm(np.array(drawn) - corners, axis=1).max() < 0.02 * side


def test_the_sheets_pictures_tell_the_lens_truly(tmp_path: Path) -> None:
    folder = SHARED / "footage" / "charuco_own_direct"
    bench = Bench(tmp_path, frames("own_direct", 8))
    with bench.desk:
        bench.ask("go", step="lens")
        clip = bench.pictures
        for n, path in enumerate(sorted(folder.glob("*.jpg")), 1):
            bench.pictures = [picture_from_bgr(read_image(path))]
            assert bench.done("shoot")["sheet"]["shots"] == n
        bench.pictures = clip
        state = bench.done("measure_lens")
        assert (state["board"]["lens"], state["reasons"]) == ("charuco", [])
        bench.ask("keep", step="lens")
        kept = bench.kept.profile()
    assert kept is not None
    focal = truth("footage/charuco_own_direct/truth.json")["camera"]["K"][0][0]
    assert kept.camera.k[0, 0] == pytest.approx(focal, rel=0.003)
    assert bench.desk.progress.has_sheet
