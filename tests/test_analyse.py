"""`referee analyse`: a recording's strokes in its log, the same at every run; what is wrong told in one sentence."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sim_clips import FLYING, LAST, QUIET, grey, half_a_board, one_stroke, record, simulator

from calibration.profile import load_profile
from referee.cli import main
from referee.log import encode, read_log
from referee.log.stored_match import stored_match

Json = dict[str, Any]
HEIGHT_SHARE = 0.07
"""How well one picture tells the camera's height: by the frame's, which makers' boards keep to 1.5 mm of 22."""


def analyse(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["analyse", *map(str, arguments)])


def lines(log: Path, kind: str | None = None) -> list[Json]:
    contents = read_log(log)
    assert not contents.problems
    return [line for line in contents.lines if kind in (None, line["type"])]


def said(result: Result) -> str:
    """The error of a command that failed as people are to see it: a sentence, no traceback."""
    assert (result.exit_code, type(result.exception)) == (1, SystemExit)
    error = re.sub(r"\A(?:note: .*\n)*", "", result.stderr)
    assert error.startswith("Error: ")
    return error.removeprefix("Error: ").strip()


def test_the_stroke_is_logged_as_it_was_played(analysed: Path) -> None:
    with simulator() as sim:
        for scene in sim.scenes():
            if sim.strokes or scene.t > 9:
                break
    truth, begun = sim.strokes[0], QUIET / 30
    (stroke,) = lines(analysed, "stroke")
    assert (stroke["n"], stroke["seat"], stroke["first_contact"]) == (1, truth.seat, truth.first_contact)
    assert [p["kind"] for p in stroke["pocketed"]] == [p.kind for p in truth.pocketed]
    assert stroke["t_strike"] + begun == pytest.approx(truth.t_strike, abs=0.1)
    assert stroke["t_rest"] + begun == pytest.approx(truth.t_rest, abs=0.2)
    assert (stroke["placement"]["x_mm"], stroke["placement"]["y_mm"]) == pytest.approx((truth.x_mm, truth.y_mm), abs=2)


def test_lines_come_in_the_order_in_which_they_were_called(analysed: Path) -> None:
    kinds = [line["type"] for line in lines(analysed)]
    assert kinds[:2] == ["header", "formation"]
    assert kinds[kinds.index("stroke") + 1] == "ruling"
    assert kinds[-1] == "alert"
    called = [
        line.get("t_called", line.get("t")) for line in lines(analysed) if line["type"] not in ("header", "ruling")
    ]
    assert called == sorted(called)


def test_the_header_tells_the_camera_that_was_found(analysed: Path) -> None:
    (header,) = lines(analysed, "header")
    calibration = header["calibration"]
    assert {"K", "dist", "R", "t_mm", "surface_mm", "rms_mm"} <= set(calibration)
    with simulator() as sim:
        eye = sim.camera.position
    assert -calibration["R"][0][2] * calibration["t_mm"][0] - calibration["R"][1][2] * calibration["t_mm"][1] - (
        calibration["R"][2][2] * calibration["t_mm"][2]
    ) == pytest.approx(eye[2], rel=2 * HEIGHT_SHARE)
    assert calibration["surface_mm"] == pytest.approx(740, abs=6)
    assert header["board"]["measured"]


def test_the_end_is_told(analysed: Path) -> None:
    (alert,) = lines(analysed, "alert")
    assert (alert["kind"], alert["t"]) == ("source_ended", pytest.approx((LAST - QUIET - 1) / 30, abs=0.01))


def test_two_runs_differ_in_the_time_of_day_only(analysed: Path, clip: Path, tmp_path: Path) -> None:
    again = tmp_path / "b.jsonl"
    assert analyse(clip, "--log", again).exit_code == 0
    (first, *rest), (other, *same) = (path.read_bytes().splitlines() for path in (analysed, again))
    assert same == rest
    differing = {k for k, v in json.loads(first).items() if json.loads(other)[k] != v}
    assert differing <= {"wall", "check"}


def test_a_restart_goes_on_with_the_match_and_a_profile_spares_the_calibration(analysed: Path, clip: Path,
                                                                               profile_file: Path,
                                                                               tmp_path: Path) -> None:  # fmt: skip
    path = tmp_path / "a.jsonl"
    path.write_bytes(analysed.read_bytes())
    assert analyse(clip, "--profile", profile_file, "--log", path).exit_code == 0
    assert [line["n"] for line in lines(path, "stroke")] == [1, 2]
    first, second = lines(path, "header")
    assert first["match"] == second["match"]
    assert second["calibration"]["K"] == load_profile(profile_file).camera.as_dict()["K"]
    assert len(stored_match(path).match.rulings) == 2


def test_what_people_say_at_the_start_holds(profile_file: Path, tmp_path: Path) -> None:
    path, moment = tmp_path / "a.jsonl", record(tmp_path / "a.mkv", one_stroke(QUIET + 9))
    told = ("--seats", "north=white,south=black", "--state", "W3 B2 Q=board due 0/0 score 4:7 mv W")
    assert analyse(moment, "--profile", profile_file, "--log", path, *told).exit_code == 0
    (header,) = lines(path, "header")
    assert (header["seats"], header["state"][:5]) == ({"north": "white", "south": "black"}, "W3 B2")
    later = "W4 B2 Q=board due 0/0 score 4:7 mv B"
    assert analyse(moment, "--profile", profile_file, "--log", path, "--state", later).exit_code == 0
    (word,) = lines(path, "correction")
    assert (word["action"], word["state"][:5]) == ("declare", "W4 B2")


def test_a_source_that_ends_in_mid_stroke_is_no_error(profile_file: Path, tmp_path: Path) -> None:
    cut, path = record(tmp_path / "cut.mkv", one_stroke(FLYING)), tmp_path / "a.jsonl"
    assert analyse(cut, "--profile", profile_file, "--log", path).exit_code == 0
    assert (lines(path, "stroke"), [a["kind"] for a in lines(path, "alert")]) == ([], ["source_ended"])


def test_a_truncated_file_ends_with_a_sentence_and_what_was_seen_is_kept(clip: Path, profile_file: Path,
                                                                         tmp_path: Path) -> None:  # fmt: skip
    cut, path = tmp_path / "cut.mkv", tmp_path / "a.jsonl"
    cut.write_bytes(clip.read_bytes()[: clip.stat().st_size // 2])
    text = said(analyse(cut, "--profile", profile_file, "--log", path))
    assert "breaks off after" in text
    (alert,) = lines(path, "alert")
    assert (alert["kind"], alert["text"]) == ("source_failed", f"{text}.")
    assert lines(path, "formation")


def test_a_missing_file_leaves_nothing_behind(tmp_path: Path) -> None:
    assert "no such file" in said(analyse(tmp_path / "none.mp4", "--log", tmp_path / "a.jsonl"))
    assert not (tmp_path / "a.jsonl").exists()


def test_a_file_that_is_no_video_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_text("not a video")
    assert "cannot be read as video" in said(analyse(tmp_path / "a.mp4", "--log", tmp_path / "a.jsonl"))


@pytest.mark.parametrize(
    ("view", "what"), [("black", "the picture is black"), ("empty", "one colour"), ("half", "of the board")]
)
def test_what_cannot_be_calibrated_is_told_with_its_reason(view: str, what: str, tmp_path: Path) -> None:
    seen = {"black": grey(16), "empty": grey(120), "half": half_a_board(one_stroke(QUIET + 1)[0])}[view]
    video = record(tmp_path / "a.mkv", [seen] * 6)
    path = tmp_path / "kept.jsonl"
    before = encode({"type": "header", "version": 1, "wall": 1.0, "rules": "icf"}) + "\n"
    path.write_text(before)
    text = said(analyse(video, "--log", path))
    assert text.startswith("not calibrated:")
    assert what in text or "no carrom board found" in text
    assert path.read_text() == before


def test_a_profile_of_another_resolution_is_refused(clip: Path, profile_file: Path, tmp_path: Path) -> None:
    other = json.loads(profile_file.read_text())
    other["camera"]["width"], other["camera"]["height"] = 1456, 1088
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps(other))
    text = said(analyse(clip, "--profile", wrong, "--log", tmp_path / "a.jsonl"))
    assert "1456x1088" in text
    assert "480x360" in text
    assert not (tmp_path / "a.jsonl").exists()


@pytest.mark.parametrize("damage", ["", "{", '{"type": "carrom-profile", "version": 1}', "[]", "\x00"])
def test_a_corrupt_profile_is_refused(damage: str, clip: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text(damage)
    assert "referee calibrate" in said(analyse(clip, "--profile", tmp_path / "bad.json", "--log", tmp_path / "a.jsonl"))


def test_a_log_of_another_version_is_left_untouched(clip: Path, profile_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    path.write_text(encode({"type": "header", "version": 7, "wall": 1.0}) + "\n")
    before = path.read_bytes()
    assert "version 7" in said(analyse(clip, "--profile", profile_file, "--log", path))
    assert path.read_bytes() == before


def test_a_file_that_is_no_log_is_left_untouched(clip: Path, tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Asha,")
    assert "not a match log" in said(analyse(clip, "--log", path))
    assert path.read_text() == "Dear Asha,"


def test_an_unknown_rule_book_is_told_before_anything_is_done(clip: Path, tmp_path: Path) -> None:
    assert "nonsense" in said(analyse(clip, "--rules", "nonsense", "--log", tmp_path / "a.jsonl"))


@pytest.mark.parametrize(
    ("seats", "code"), [("south=white,west=black", 1), ("south,north,west", 1), ("south=red", 2), ("sud", 2)]
)
def test_seats_that_cannot_be_are_told(seats: str, code: int, clip: Path, profile_file: Path, tmp_path: Path) -> None:
    result = analyse(clip, "--seats", seats, "--profile", profile_file, "--log", tmp_path / "a.jsonl")
    assert result.exit_code == code
    assert "seats" in result.stderr or "players" in result.stderr
    assert not (tmp_path / "a.jsonl").exists() or not (tmp_path / "a.jsonl").read_text()
