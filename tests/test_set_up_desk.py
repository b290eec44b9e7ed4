"""The set-up's steps on the simulator's board: each is measured, kept at once, and there again after a restart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from set_up import SIZE, Bench, shots, small
from sim_scenes import BOARD, FORMATION, SCATTERED, Studio

from calibration.geometry.picture import Picture
from calibration.profile import Residuals
from calibration.rescale import rescaled
from models.board import board_names
from models.pieces import Kind, Piece
from referee.frames.frame import Frame
from referee.setup.piece_colours import learn_coin_colours, learn_striker_colour
from referee.setup.progress import SetUpFiles
from referee.setup.steps import Choices, Progress, Step
from referee.setup.wizard import SetUpWizard, is_same_board

MATCH = {"rules": "icf", "seats": {}, "players": {"south": "Asha"}, "policy": {}, "south": "south"}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path, shots(*FORMATION))
    with made.desk:
        yield made


def again(bench: Bench, *pieces: Piece) -> Bench:
    """The vision process started anew over the same files."""
    return Bench(bench.kept.profile_file.parent, shots(*pieces) if pieces else bench.pictures)


def test_a_whole_set_up_ends_with_a_card_and_a_profile(bench: Bench) -> None:
    bench.see(60)
    assert {m["gauge"] for m in bench.state["meters"]} == {"focus", "exposure", "blur", "flicker", "glare"}
    bench.ask("keep", step="camera")
    bench.ask("go", step="board")
    found = bench.until(lambda s: s["board"])
    assert (found["board"]["model"], found["kept"], found["size"]) == ("icf74", False, list(SIZE))
    assert found["board"]["rms_mm"] < 0.4
    true = small().camera.to_pixels(np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) * BOARD.half)
    assert np.abs(np.array(found["board"]["corners"]) - true).max() < 1.0
    bench.ask("keep", step="board")
    bench.ask("go", step="colours")
    coins = bench.done("formation")["coins"]
    assert (coins["stands"], coins["verdict"], coins["counts"]) == (True, "good", {"white": 9, "black": 9, "queen": 1})
    bench.ask("keep", step="colours")
    bench.ask("go", step="striker")
    bench.pictures = shots(Piece(Kind.STRIKER, 2.0, -3.0))
    assert bench.done("striker")["striker"]["diameter_mm"] == pytest.approx(2 * BOARD.striker_radius, abs=1.0)
    bench.ask("keep", step="striker")
    bench.ask("match", match=MATCH)
    bench.ask("go", step="card")
    bench.see(60)
    card = bench.until(lambda s: s["at"] == "card")["card"]
    verdicts = {line["point"]: line["verdict"] for line in card["lines"]}
    assert {k for k, v in verdicts.items() if v == "good"} >= {
        "focus",
        "exposure",
        "board",
        "model",
        "colours",
        "striker",
    }
    assert (card["result"], verdicts["blur"]) == ("doubts", "unknown"), "the source does not tell its exposure"
    bench.ask("finish", begin=True)
    assert (bench.desk.closed, bench.desk.wish) == (True, MATCH)
    profile = bench.kept.profile_for("test")
    assert profile is not None
    assert set(profile.colours) == set(Kind)
    assert bench.kept.profile_for("another camera") is None


def test_it_goes_on_where_it_was_when_the_eyes_are_started_anew(bench: Bench) -> None:
    bench.ask("go", step="board")
    bench.until(lambda s: s["board"])
    assert not bench.kept.profile_file.exists(), "found is not kept"
    bench.ask("keep", step="board")
    bench.ask("go", step="colours")
    with again(bench).desk as desk:
        assert (desk.progress.at, desk.progress.done) == (Step.COLOURS, (Step.BOARD,))
        assert desk.profile is not None
    with SetUpWizard(bench.kept, "another camera", lambda state, jpeg: None) as desk:
        assert (desk.progress.at, desk.profile) == (Step.CAMERA, None), "another camera sees another board"


def test_a_board_measured_anew_asks_for_the_looks_again() -> None:
    progress = Progress("test", Step.BOARD, (Step.BOARD, Step.COLOURS, Step.STRIKER))
    assert set(progress.with_done(Step.BOARD).done) == {Step.BOARD, Step.COLOURS, Step.STRIKER}
    assert progress.with_done(Step.BOARD, anew=True).done == (Step.BOARD,)
    assert set(progress.with_done(Step.STRIKER, anew=True).done) == set(progress.done)


def test_a_board_that_lies_where_it_was_kept_is_not_kept_anew() -> None:
    kept = small().profile
    assert is_same_board(kept, replace(kept, residuals=Residuals(0.2, 0.5, 38)))
    assert not is_same_board(kept, Studio(*SIZE, pushed=(1.5, 0.0, 0.0)).profile)
    assert not is_same_board(kept, rescaled(kept, 745.0))
    assert not is_same_board(kept, replace(kept, lens="charuco"))


def test_a_measured_side_and_dragged_corners_hold(bench: Bench) -> None:
    bench.ask("go", step="board")
    corners = small().camera.to_pixels(np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) * BOARD.half) + 3.0
    state = bench.done("find", board="icf74", surface_mm=700.0, corners=corners.tolist())
    assert state["board"]["sizes"]["surface"] == 700.0
    assert state["board"]["sizes"]["coin"] == 2 * BOARD.coin_radius, "coins are made by the book"
    assert state["choices"]["corners"] is not None
    with again(bench).desk as desk:
        assert desk.progress.choices.surface_mm == 700.0


def test_where_no_board_is_the_reason_is_named_and_looked_for_again(tmp_path: Path) -> None:
    empty = np.random.default_rng(0).normal(100, 20, (SIZE[1], SIZE[0])).clip(0, 255).astype(np.uint8)
    half = np.full((SIZE[1] // 2, SIZE[0] // 2), 128, np.uint8)
    bench = Bench(tmp_path, [Picture(empty, half, half)])
    with bench.desk:
        bench.ask("go", step="board")
        assert bench.until(lambda s: s["reasons"])["reasons"][0]["why"] == "no_board"
        bench.ask("keep", step="board")
        assert bench.done("formation")["problem"] == "no_board"
        assert bench.desk.progress.done == ()
        bench.pictures = shots(*FORMATION)
        assert bench.until(lambda s: s["board"])["reasons"] == []


def test_pieces_that_do_not_stand_as_the_opening_formation_are_not_taken_for_it() -> None:
    coins = learn_coin_colours(small().profile, shots(*SCATTERED))
    assert (coins.stands, coins.verdict) == (False, "bad")


@pytest.mark.parametrize(("x", "y"), [(-3.0, 6.0), (5.0, 5.0), (0.0, 0.0)])
def test_prints_beneath_a_striker_hide_it_from_nobody(x: float, y: float) -> None:
    """With the centre circle's they drew a coin's ring within its own; a coin there is no striker."""
    learned = learn_coin_colours(small().profile, shots(*FORMATION)).profile
    assert learn_striker_colour(learned, shots(Piece(Kind.STRIKER, x, y))) is not None
    assert learn_striker_colour(learned, shots(Piece(Kind.WHITE, x, y))) is None
    assert learn_striker_colour(learned, shots(Piece(Kind.BLACK, x, y))) is None


@pytest.mark.parametrize("radius", [BOARD.striker_radius, 23.5])
def test_the_strikers_size_is_measured(radius: float) -> None:
    place = Studio(board=replace(BOARD, striker_radius=radius))
    learned = learn_coin_colours(place.profile, [place.picture(FORMATION)]).profile
    shots = [place.picture([Piece(Kind.STRIKER, -4.0, 6.0)], grain=i) for i in range(3)]
    striker = learn_striker_colour(learned, shots)
    assert striker is not None
    assert striker.radius_mm == pytest.approx(radius, abs=0.5)
    assert striker.profile.board.striker_radius == striker.radius_mm
    assert learn_striker_colour(learned, [place.picture()]) is None
    assert learn_striker_colour(learned, [place.picture([Piece(Kind.QUEEN, 0.0, 0.0)])]) is None


def test_motion_blur_follows_the_exposure_that_the_camera_tells(tmp_path: Path) -> None:
    told: list[dict[str, Any]] = []
    with SetUpWizard(SetUpFiles(tmp_path / "board.json"), "test", lambda state, jpeg: told.append(state)) as desk:
        desk.update(Frame(shots()[0], 0.0, 0, 0.0), lambda: 0.004)
    (blur,) = (m for m in told[0]["meters"] if m["gauge"] == "blur")
    assert (blur["verdict"], blur["value"], blur["blanks"]) == ("fair", 20.0, {"ms": 2})


def test_a_set_up_nobody_looks_at_closes(tmp_path: Path) -> None:
    now = 0.0
    with SetUpWizard(SetUpFiles(tmp_path / "board.json"), "test", lambda state, jpeg: None, lambda: now) as desk:
        desk.update(Frame(shots()[0], 0.0, 0, 0.0))
        assert not desk.closed
        now = 45.0
        desk.update(Frame(shots()[0], 0.05, 1, 0.0))
        assert not desk.closed
        now = 90.0
        desk.update(Frame(shots()[0], 0.1, 1, 0.0))
        assert desk.closed


def test_a_picture_of_the_sheet_is_kept_only_where_the_sheet_is_seen(bench: Bench) -> None:
    assert bench.done("shoot")["problem"] == "no_sheet"
    sheet = cv2.aruco.CharucoBoard((9, 6), 30.0, 21.9, cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100))
    grey = np.asarray(sheet.generateImage(SIZE, marginSize=20), np.uint8)
    half = np.full((SIZE[1] // 2, SIZE[0] // 2), 128, np.uint8)
    bench.pictures = [Picture(grey, half, half)]
    for n in (1, 2, 3, 4):
        assert bench.done("shoot")["sheet"]["shots"] == n
    assert bench.done("measure_lens")["reasons"][0]["why"] == "sheet_alike"
    assert bench.done("clear_sheet")["sheet"]["shots"] == 0


def test_files_that_cannot_be_read_cost_the_set_up_and_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kept = SetUpFiles(tmp_path / "board.json")
    kept.progress_file.write_text("{")
    kept.profile_file.write_text("{}")
    assert (kept.progress(), kept.profile()) == (Progress(), None)
    assert "begins anew" in caplog.text


def test_a_disk_that_takes_nothing_is_told_and_costs_only_that(tmp_path: Path) -> None:
    (tmp_path / "full").write_text("")
    bench = Bench(tmp_path / "full", shots(*FORMATION))
    with bench.desk:
        bench.ask("go", step="lens")
        bench.see()
        assert (bench.state["problem"], bench.state["at"]) == ("no_room", "camera")


def test_progress_comes_back_from_its_text_as_it_was() -> None:
    choices = Choices(board_names()[0], 733.0, 2, True, 1050.0, ((1.0, 2.0), (3.0, 4.0), (5.0, 6.0), (7.0, 8.0)))
    progress = Progress("picamera", Step.LENS, (Step.CAMERA, Step.BOARD), choices, True, MATCH, True)
    assert Progress.from_json(progress.to_json()) == progress
    for text in ("", "[]", "{}", json.dumps({"version": 9}), progress.to_json().replace("lens", "elsewhere")):
        with pytest.raises(ValueError):
            Progress.from_json(text)
