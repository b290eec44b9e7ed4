"""The set-up in the browser over the real picamera2, whose virtual camera shows a board with its opening formation."""

from __future__ import annotations

import signal
from pathlib import Path

import cv2
from picamera_bed import Bed
from playwright.sync_api import Page, expect
from set_up import SIZE, shots
from sim_scenes import FORMATION
from test_pages_setup import go
from test_run import line_with

from referee.setup.progress import PROFILE_NAME, SetUpFiles
from referee.setup.steps import Step

WORK_MS = 60_000


def test_a_board_before_picamera2_is_set_up_in_the_browser(page: Page, tmp_path: Path) -> None:
    bed, shown, log = Bed.at(tmp_path / "cam.yaml"), tmp_path / "shown", tmp_path / "match.jsonl"
    shown.mkdir()
    for number, picture in enumerate(shots(*FORMATION)):
        cv2.imwrite(str(shown / f"{number}.jpg"), picture.bgr(), [cv2.IMWRITE_JPEG_QUALITY, 97])
    bed.serve(shown, SIZE)
    words = ["run", "picamera", "--size", f"{SIZE[0]}x{SIZE[1]}", "--fps", "30", "--log", str(log), "--pin", "2468"]
    with bed.referee([*words, "--port", "0", "--host", "127.0.0.1", "--wait"]) as process:
        page.goto(f"{line_with(process, 'Scoreboard: ')}setup")
        page.get_by_label("PIN").fill("2468")
        page.locator("#sign .main").click()
        page.locator("#next").click()
        expect(page.locator("#title")).to_have_text("Picture", timeout=WORK_MS)
        blur = page.locator("#body li", has_text="Motion blur")
        expect(blur).to_have_attribute("data-verdict", "good", timeout=WORK_MS)
        expect(blur).to_contain_text("10 mm")
        page.locator("#next").click()
        expect(page.locator("#body")).to_contain_text("marks agree to 0.", timeout=WORK_MS)
        page.locator("#next").click()
        expect(page.locator("#title")).to_have_text("Lens")
        go(page, "colours")
        page.get_by_role("button", name="Look").click()
        expect(page.locator("#body")).to_contain_text("White 9 · Black 9 · Queen 1", timeout=WORK_MS)
        page.locator("#next").click()
        go(page, "card")
        expect(page.locator(".result")).to_have_attribute("data-result", "doubts")
        page.locator("#next").click()
        expect(page).to_have_url(page.url.removesuffix("setup"))
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0
    progress = SetUpFiles(tmp_path / PROFILE_NAME).progress()
    assert progress.finished
    assert {Step.CAMERA, Step.BOARD, Step.COLOURS, Step.CARD} <= set(progress.done)
