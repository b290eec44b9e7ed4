"""A set-up over the real processes: it stops the match, outlives both of them, and leaves a board behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import cv2
import httpx
import numpy as np
import pytest
from sim_clips import one_stroke
from test_run import ended, line_with, running
from web_stage import LONGEST_PAUSE_S, state, until

from calibration.profile import load_profile
from referee.log import read_log
from referee.setup.progress import SetUpFiles
from referee.setup.steps import Progress, Step

Json = dict[str, Any]

WORK_S = 60.0
"""Longest wait for what the vision process works out on a busy machine; asking for the state waits for news."""


@pytest.fixture
def profile(profile_file: Path, tmp_path: Path) -> Path:
    """The clip's board, in a file that a set-up may write."""
    return Path(shutil.copy(profile_file, tmp_path / "board.json"))


@pytest.fixture
def photograph(tmp_path: Path) -> Path:
    """A folder with one picture of the board as its camera."""
    folder = tmp_path / "camera"
    folder.mkdir()
    cv2.imwrite(str(folder / "0.png"), one_stroke()[0].bgr())
    return folder


@pytest.fixture
def left(photograph: Path, profile: Path) -> Path:
    """The photograph's folder, with a set-up left at the coins."""
    SetUpFiles(profile).save(Progress(str(photograph), Step.COLOURS, (Step.BOARD,)))
    return photograph


class Page:
    """What the set-up's page does, without a browser."""

    def __init__(self, url: str) -> None:
        self.url = url

    def look(self) -> Json:
        with urlopen(f"{self.url}api/setup", timeout=20) as answer:
            found: Json = json.loads(answer.read())
        return found

    def ask(self, what: str, **more: Any) -> None:
        answer = httpx.post(f"{self.url}api/setup", json={"ask": what, **more})
        assert answer.status_code == 202, answer.text

    def until(self, holds: Callable[[Json], Any], what: str = "") -> Json:
        end = time.monotonic() + WORK_S
        while not holds(found := self.look()):
            assert time.monotonic() < end, f"{what or holds}: {found}"
            time.sleep(LONGEST_PAUSE_S)
        return found


def words(source: Path, log: Path, *more: str) -> tuple[str | Path, ...]:
    return ("run", source, "--log", log, "--port", "0", "--host", "127.0.0.1", *more)


def test_a_set_up_stops_the_match_and_leaves_its_board_behind(clip: Path, profile: Path, tmp_path: Path) -> None:
    log, before = tmp_path / "match.jsonl", profile.read_text()
    with running(*words(clip, log, "--stay", "--profile", str(profile))) as process:
        page = Page(line_with(process, "Scoreboard: "))
        until(lambda: (state(page.url).get("view") or {}).get("strokes") == 1, "a stroke on the scoreboard")
        page.ask("find")
        assert not page.look()["open"], "only who begins it stops the match"
        page.ask("begin")
        page.until(lambda s: s["open"], "the set-up")
        until(lambda: "set_up" in [alert["kind"] for alert in state(page.url)["health"]["alerts"]])
        picture = httpx.get(f"{page.url}api/setup.jpg")
        assert cv2.imdecode(np.frombuffer(picture.content, np.uint8), cv2.IMREAD_COLOR).shape == (360, 480, 3)
        page.ask("go", step="board")
        page.until(lambda s: s.get("board"), "the board")
        page.ask("keep", step="board")
        page.until(lambda s: "board" in s["done"])
        page.ask("finish")
        page.until(lambda s: not s["open"], "its end")
        until(
            lambda: [a["kind"] for a in state(page.url)["health"]["alerts"]] == ["picture_small"], "the match going on"
        )
        until(lambda: state(page.url)["view"]["strokes"] == 2, "its next stroke")
        process.send_signal(signal.SIGINT)
        assert "2 strokes," in ended(process)
    assert profile.read_text() != before
    assert load_profile(profile).camera.width == 480
    assert len(read_log(log).headers) == 2, "the match went on in its log"
    first, second = (header["calibration"]["t_mm"] for header in read_log(log).headers)
    assert np.linalg.norm(np.subtract(first, second)) < 40.0


def test_it_begins_the_match_that_was_asked_for(left: Path, tmp_path: Path) -> None:
    with running(*words(left, tmp_path / "first.jsonl", "--stay")) as process:
        page = Page(line_with(process, "Scoreboard: "))
        page.ask("begin")
        page.ask("match", match={"rules": "masters", "players": {"south": "Mira"}, "first": "north"})
        page.until(lambda s: s["match"])
        page.ask("finish", begin=True)
        until(lambda: (state(page.url).get("view") or {}).get("rules") == "masters", "the new match")
        assert state(page.url)["view"]["players"]["south"] == "Mira"
        process.send_signal(signal.SIGINT)
        ended(process)


def test_house_and_eyes_may_die_in_the_middle(left: Path, tmp_path: Path) -> None:
    log = tmp_path / "match.jsonl"
    with running(*words(left, log, "--stay")) as process:
        page = Page(line_with(process, "Scoreboard: "))
        page.ask("begin")
        page.ask("go", step="striker")
        page.until(lambda s: s["open"] and s["at"] == "striker")
        (house,) = (int(child) for child in _children(process.pid))
        os.kill(house, signal.SIGKILL)
        until(lambda: _answers(page), "the web server again")
        back = page.until(lambda s: s["open"])
        assert (back["at"], back["done"]) == ("striker", ["board"])
        process.kill()
    with running(*words(left, log, "--stay")) as process:
        page = Page(line_with(process, "Scoreboard: "))
        told = page.until(lambda s: s.get("at"))
        assert (told["open"], told["at"], told["done"]) == (False, "striker", ["board"])
        page.ask("begin")
        assert page.until(lambda s: s["open"])["board"]["model"] == "icf74"
        process.send_signal(signal.SIGINT)
        ended(process)


def test_a_set_up_helps_where_no_board_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "camera"
    folder.mkdir()
    cv2.imwrite(str(folder / "0.png"), np.random.default_rng(1).integers(60, 120, (360, 480, 3), np.uint8))
    with running(*words(folder, tmp_path / "match.jsonl", "--wait")) as process:
        page = Page(line_with(process, "Scoreboard: "))
        until(lambda: [a["kind"] for a in state(page.url)["health"]["alerts"]] == ["no_board"])
        page.ask("begin")
        page.ask("go", step="board")
        found = page.until(lambda s: s.get("reasons"), "why there is none")
        assert found["reasons"][0]["why"] == "no_board"
        assert [m["verdict"] for m in found["meters"] if m["gauge"] == "glare"] == ["unknown"]
        page.ask("leave")
        page.until(lambda s: not s["open"])
        process.send_signal(signal.SIGINT)
        ended_with_a_note = process.communicate(timeout=120)
        assert "ended while waiting" in ended_with_a_note[0]


def _children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def _answers(page: Page) -> bool:
    try:
        return bool(page.look())
    except OSError:
        return False
