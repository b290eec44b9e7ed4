"""`referee run`: real time with the same strokes as analyse, the scoreboard served, the umpire heard, a clean end."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner
from match_logs import unchained
from web_stage import state, until

from referee.cli import main
from referee.commands.showing import new_log
from referee.log import read_log
from referee.log.identity import match_uid


@contextmanager
def running(*arguments: str | Path) -> Iterator[subprocess.Popen[str]]:
    """The command in a process of its own; it is killed if the test fails."""
    command = [sys.executable, "-c", "from referee.cli import main; main()", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def ended(process: subprocess.Popen[str]) -> str:
    """What an orderly end prints after all that was read already."""
    out, err = process.communicate(timeout=120)
    notes = [line for line in err.splitlines() if not line.startswith("note: the picture is small")]
    assert (process.returncode, notes) == (0, [])
    return out


def line_with(process: subprocess.Popen[str], start: str) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(start):
            return line.removeprefix(start).strip()
    raise AssertionError(f"it never said {start}")


def test_run_logs_what_analyse_logs(clip: Path, analysed: Path, tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    result = CliRunner().invoke(main, ["run", str(clip), "--log", str(log), "--no-web"])
    assert result.exit_code == 0, result.output
    run = unchained(log)
    assert run == unchained(analysed)
    assert any(line["type"] == "stroke" for line in run)


def test_the_umpire_is_heard_during_and_after_a_recording(clip: Path, profile_file: Path, tmp_path: Path) -> None:
    log = tmp_path / "match.jsonl"
    words = ("run", clip, "--profile", profile_file, "--log", log, "--port", "0", "--host", "127.0.0.1", "--stay")
    with running(*words) as process:
        url = line_with(process, "Scoreboard: ")
        until(lambda: (state(url).get("view") or {}).get("strokes") == 1, "a stroke on the scoreboard")
        shown = state(url)
        assert shown["board"]["measured"]
        assert shown["view"]["board"] == 1
        until(lambda: state(url)["live"]["phase"] == "ended")
        act = {"action": "correct", "stroke": 1, "stroke_text": "W@NE", "id": "made-in-the-page"}
        for _ in range(2):  # the page heard no answer, and sent it once more
            answer = httpx.post(f"{url}api/umpire", json=act)
            assert (answer.status_code, answer.json()) == (202, {"id": "made-in-the-page"})
        until(lambda: state(url)["log"].get("last_correction") == answer.json()["id"])
        answer = httpx.post(f"{url}api/umpire", json={"action": "correct", "stroke": 9, "stroke_text": "W"})
        until(lambda: (state(url)["log"].get("refused") or {}).get("id") == answer.json()["id"])
        process.send_signal(signal.SIGINT)
        assert "1 stroke," in ended(process)
    contents = read_log(log)
    last = [line for line in contents.lines if line["type"] == "ruling"][-1]
    assert (last["corrected"], last["stroke_text"], contents.problems) == (True, "W@NE", ())
    assert [line["id"] for line in contents.lines if line["type"] == "correction"] == ["made-in-the-page"]


def test_the_umpire_begins_another_match_with_south_on_another_side(clip: Path, profile_file: Path,
                                                                    tmp_path: Path) -> None:  # fmt: skip
    log = tmp_path / "first.jsonl"
    words = ("run", clip, "--profile", profile_file, "--log", log, "--port", "0", "--host", "127.0.0.1", "--stay",
             "--station", "7", "--event", "tourney=Club cup,round=3,board=7", "--players", "north=Mira")  # fmt: skip
    with running(*words) as process:
        url = line_with(process, "Scoreboard: ")
        until(lambda: (state(url).get("view") or {}).get("strokes") == 1, "a stroke on the scoreboard")
        wish = {"rules": "masters", "players": {"east": "Mira"}, "first": "east", "policy": {"push": "accept"},
                "south": "west", "id": "the-next-match"}  # fmt: skip
        assert httpx.post(f"{url}api/umpire/match", json=wish).status_code == 202
        until(lambda: (state(url).get("view") or {}).get("rules") == "masters", "the new match on the scoreboard")
        until(lambda: state(url)["view"]["strokes"] == 1, "its first stroke")
        assert state(url)["view"]["players"]["east"] == "Mira"
        assert httpx.post(f"{url}api/umpire/match", json=wish).status_code == 202  # sent twice, begun once
        until(lambda: state(url)["live"]["phase"] == "ended")
        assert httpx.post(f"{url}api/umpire", json={"action": "undo", "id": "after-it"}).status_code == 202
        until(lambda: state(url)["log"].get("last_correction") == "after-it")
        process.send_signal(signal.SIGINT)
        assert "1 stroke," in ended(process)
    first, second = sorted(tmp_path.glob("*.jsonl"), key=lambda path: path != log)
    assert (read_log(first).headers[0]["rules"], read_log(second).headers[0]["policy"]) == ("icf", {"push": "accept"})
    one, other = (read_log(log).headers[0] for log in (first, second))
    assert (one["uid"], other["uid"]) == (match_uid(first), match_uid(second))
    assert one["uid"] != other["uid"]
    assert one["station"] == other["station"]
    assert (one["station"]["name"], other["event"]) == ("7", {"tourney": "Club cup", "round": 3, "board": 7})
    assert one["people"]["north"] == other["people"]["east"]
    assert other["word"] == "the-next-match"
    (before,), (after,) = ([k for k in read_log(log).lines if k["type"] == "stroke"] for log in (first, second))
    assert (before["seat"], after["seat"]) == ("south", "east")
    assert after["placement"]["x_mm"] == pytest.approx(-before["placement"]["y_mm"], abs=1.0)
    assert after["placement"]["y_mm"] == pytest.approx(before["placement"]["x_mm"], abs=1.0)


def test_sigterm_ends_it_in_good_order(clip: Path, profile_file: Path, tmp_path: Path) -> None:
    log = tmp_path / "match.jsonl"
    with running("run", clip, "--profile", profile_file, "--log", log, "--no-web") as process:
        until(lambda: log.exists() and b"formation" in log.read_bytes())
        process.send_signal(signal.SIGTERM)
        assert "0 strokes" in ended(process)
    assert [line["type"] for line in read_log(log).lines][-1] != "alert"


def test_a_taken_port_is_told_in_a_sentence(clip: Path, profile_file: Path, tmp_path: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = ["run", str(clip), "--log", str(tmp_path / "a.jsonl"), "--host", "127.0.0.1", "--port", str(port)]
        result = CliRunner().invoke(main, words)
    assert result.exit_code == 1
    assert f"port {port} is taken" in result.stderr


def test_a_new_match_gets_a_log_in_the_users_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    log = new_log()
    assert log.parent == tmp_path / "carrom-referee" / "matches"
    assert log.parent.is_dir()
    assert log.suffix == ".jsonl"


@pytest.mark.parametrize("size", ["0x0", "99999x99999", "1280x" + 5000 * "9"])
def test_a_picture_size_that_no_camera_has_is_told_in_a_sentence(size: str) -> None:
    done = CliRunner().invoke(main, ["run", "sim", "--size", size, "--no-web"])
    assert done.exit_code == 2
    assert "no size of a camera's picture" in done.output
    assert len(done.output) < 1000
