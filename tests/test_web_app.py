"""What is served besides the live state: pages and their files, the API's description, the camera's picture."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import av
import httpx
from web_stage import Eyes

from referee.web.app import static_folder
from referee.web.process import WebProcess
from referee.web.template import PAGES


def test_pages_may_load_only_our_own_files_and_name_no_other_address(house: WebProcess) -> None:
    for path in [page.lstrip("/") for page in PAGES] + ["static/scripts/scoreboard.js", "favicon.ico", "api/state"]:
        answer = httpx.get(house.urls[0] + path)
        assert answer.status_code == 200, path
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
        assert "unsafe" not in policy
        assert answer.headers["cache-control"] == "no-cache"
    assert httpx.get(f"{house.urls[0]}static/media/tour/en/proof.webp").headers["content-type"] == "image/webp"
    for file in static_folder().rglob("*.*"):
        if file.suffix not in (".png", ".webp", ".mp4"):
            foreign = set(re.findall(r"https?://[^\s\"']+", file.read_text())) - {"http://www.w3.org/2000/svg"}
            assert not foreign, file.name


def test_the_api_describes_itself_without_internet(house: WebProcess) -> None:
    described = httpx.get(f"{house.urls[0]}api/openapi.json").json()
    assert set(described["paths"]) >= {
        "/api/state",
        "/api/strokes",
        "/api/umpire",
        "/api/umpire/preview",
        "/api/session",
    }
    assert not described["paths"]["/api/umpire"]["post"].get("parameters")
    assert all(operation.get("description") for path in described["paths"].values() for operation in path.values())


def test_the_manifest_lets_the_page_be_installed(house: WebProcess) -> None:
    answer = httpx.get(f"{house.urls[0]}manifest.webmanifest")
    assert answer.headers["content-type"] == "application/manifest+json"
    manifest = answer.json()
    assert (manifest["start_url"], manifest["display"]) == ("/", "fullscreen")
    assert all(httpx.get(house.urls[0] + icon["src"][1:]).status_code == 200 for icon in manifest["icons"])


def test_the_film_that_keeps_screens_on_is_small_silent_and_dark() -> None:
    file = static_folder() / "media" / "silence.mp4"
    assert file.stat().st_size < 5000
    with av.open(str(file)) as film:
        assert film.duration is not None
        assert film.duration / av.time_base >= 8
        for frame in film.decode(audio=0, video=0):
            assert abs(frame.to_ndarray()).max() < 20 or frame.to_ndarray().max() == 128


def test_the_camera_is_asked_only_while_somebody_looks_and_shares_its_pictures(house: WebProcess, eyes: Eyes) -> None:
    with ThreadPoolExecutor(2) as pool:
        lookers = [pool.submit(httpx.get, f"{house.urls[0]}api/camera.jpg") for _ in range(2)]
        eyes.asked("preview_wanted")
        eyes.picture(b"jpeg", t=7.25)
        for answer in (looker.result() for looker in lookers):
            assert (answer.status_code, answer.content, answer.headers["x-time"]) == (200, b"jpeg", "7.25")
            assert answer.headers["x-reach"] == "440.0"
    assert httpx.get(f"{house.urls[0]}api/camera.jpg?after=7.25").status_code == 204
