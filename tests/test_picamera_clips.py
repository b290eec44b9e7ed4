"""Clips shown once to the real picamera2 by a virtual camera: they are ruled as their files are."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import av
import cv2
import pytest
from click.testing import CliRunner
from picamera_bed import Bed
from sim_clips import one_stroke
from test_run import line_with
from web_stage import state, until

from calibration.calibrate import calibrate
from calibration.geometry.picture import Picture
from referee.cli import main
from referee.frames.video import VideoFile
from referee.log import read_log
from referee.replay.match_folder import MatchFolder

SHARED = Path(os.environ.get("CARROM_SHARED", ""))
FOOTAGE = "double"
"""Footage in which two coins fall, 1456x1088 at 60."""
ROCKED = 8
"""Frames at both ends of the clip that are shown there and back while the referee starts and ends."""
LEAD_S, TAIL_S, AFTER_S = 5.0, 40.0, 1.0
"""So long they are shown before it (the referee settles for two seconds, then looks at the table), after it, and of
that in its film."""
WHAT = ("seat", "first_contact", "off_board", "fouls")
"""What a stroke is, but for its times and places."""
TIMES = ("t_placed", "t_strike", "t_rest", "t_called")
RULED = ("stroke_text", "decisions", "certain", "turn", "state")


def rocked(number: int) -> int:
    """Counts 0 to ROCKED - 1 and back, for ever."""
    place = number % (2 * ROCKED - 2)
    return min(place, 2 * ROCKED - 2 - place)


def shown_once(clip: Iterable[Picture], fps: int, folder: Path) -> list[Path]:
    """JPEG files numbered as they are shown, a clip between its rocking ends; those of its film are given back."""
    (folder / "clip").mkdir(parents=True)
    count = 0
    for count, picture in enumerate(clip, 1):
        written = cv2.imwrite(str(folder / "clip" / f"{count - 1}.jpg"), picture.bgr(), [cv2.IMWRITE_JPEG_QUALITY, 92])
        assert written
    lead, tail = round(LEAD_S * fps), round(TAIL_S * fps)
    shown = [*(rocked(lead - i) for i in range(lead)), *range(count), *(count - 1 - rocked(i) for i in range(tail))]
    links = [folder / f"{place}.jpg" for place in range(len(shown))]
    for link, number in zip(links, shown, strict=True):
        link.symlink_to(folder / "clip" / f"{number}.jpg")
    return links[: lead + count + round(AFTER_S * fps)]


def as_film(path: Path, pictures: Sequence[Path], fps: int, size: tuple[int, int]) -> Path:
    """The very pictures as a film."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mjpeg", rate=fps)
        stream.width, stream.height, stream.pix_fmt = *size, "yuvj420p"
        for number, picture in enumerate(pictures):
            packet = av.Packet(picture.read_bytes())
            packet.stream, packet.pts, packet.dts = stream, number, number
            packet.time_base = Fraction(1, fps)
            container.mux(packet)
    return path


def lines(log: Path, kind: str) -> list[dict[str, Any]]:
    return [line for line in read_log(log).lines if line["type"] == kind]


def told(stroke: dict[str, Any]) -> dict[str, Any]:
    """A stroke but for its times, places and the shades of its doubts."""
    fell = [(fall["kind"], fall["pocket"]) for fall in stroke["pocketed"]]
    return {key: stroke[key] for key in WHAT} | {"pocketed": fell, "legal": stroke["placement"]["legal"]}


def watched(bed: Bed, words: list[str], until_s: float) -> int:
    """Referees the camera until so long after its first frame; how many frames were lost since the table was known."""
    with bed.referee([*words, "--record", "video", "--port", "0", "--host", "127.0.0.1"]) as process:
        url = line_with(process, "Scoreboard: ")
        until(lambda: "live" in state(url), "a picture", 60.0)
        before = state(url)["live"]["dropped"]
        until(lambda: state(url)["live"]["t"] > until_s, "the clip's end", until_s + 30.0)
        lost = int(state(url)["live"]["dropped"]) - int(before)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0
    return lost


def assert_ruled_as_its_film(clip: Iterable[Picture], size: tuple[int, int], fps: int, folder: Path) -> None:
    """Frames truly lost apart; each stroke has its clip. `fps` and `size` (width, height) as the camera shows it."""
    bed = Bed.at(folder / "cam.yaml")
    pictures = shown_once(clip, fps, folder / "shown")
    film = as_film(folder / "film.mkv", pictures, fps, size)
    profile, log, true = (folder / name for name in ("board.json", "match.jsonl", "true.jsonl"))
    with VideoFile(str(film)) as source:
        profile.write_text(calibrate([frame.picture for frame in islice(source, 8)]).to_json(), encoding="utf-8")
    result = CliRunner().invoke(main, ["analyse", str(film), "--profile", str(profile), "--log", str(true)])
    assert result.exit_code == 0, result.output

    bed.serve(folder / "shown", size)
    words = ["run", "picamera", "--size", f"{size[0]}x{size[1]}", "--fps", str(fps), "--profile", str(profile)]
    lost = watched(bed, [*words, "--log", str(log)], len(pictures) / fps - AFTER_S)
    seen, filmed = lines(log, "stroke"), lines(true, "stroke")
    assert [told(stroke) for stroke in seen] == [told(stroke) for stroke in filmed] != []
    ahead_s = filmed[0]["t_strike"] - seen[0]["t_strike"]
    for stroke, same in zip(seen, filmed, strict=True):
        times = [stroke[key] + ahead_s for key in TIMES]
        assert times == pytest.approx([same[key] for key in TIMES], abs=(1.5 + lost) / fps)
        assert MatchFolder(log).clip(stroke["n"]).is_file()
    rulings = [[{key: ruling[key] for key in RULED} for ruling in lines(each, "ruling")] for each in (log, true)]
    assert rulings[0] == rulings[1] or lost


def test_a_simulated_stroke_seen_through_picamera2_is_ruled_as_its_film(tmp_path: Path) -> None:
    assert_ruled_as_its_film(one_stroke(), (480, 360), 30, tmp_path)


@pytest.mark.skipif(not SHARED.name, reason="CARROM_SHARED names no folder with footage")
def test_footage_at_full_size_and_rate_seen_through_picamera2_is_ruled_as_its_film(tmp_path: Path) -> None:
    with VideoFile(str(SHARED / "footage" / f"{FOOTAGE}.mp4")) as source:
        assert_ruled_as_its_film((frame.picture for frame in source), (1456, 1088), 60, tmp_path)
