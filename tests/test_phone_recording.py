"""A phone's recording from end to end: held upright, HEVC of ten bits in full range, at its own pace, with sound."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from click.testing import CliRunner
from sim_clips import FPS, SIZE, one_stroke

from calibration.geometry.picture import Picture
from referee.cli import main
from referee.log import read_log

MS = Fraction(1, 1000)
SOUND_HZ = 8000


def phone_recording(path: Path, pictures: Sequence[Picture]) -> Path:
    """What a phone writes that is held upright: the sensor's pictures lie on their side, a matrix turns them up."""
    rng = np.random.default_rng(1)
    with av.open(str(path), "w") as container:
        video = container.add_stream("libx265", rate=FPS, options={
            "preset": "ultrafast", "crf": "18", "x265-params": "log-level=none:range=full"})  # fmt: skip
        video.width, video.height, video.pix_fmt = SIZE[1], SIZE[0], "yuv420p10le"
        video.set_display_rotation(90)
        video.codec_context.time_base = MS
        sound = container.add_stream("aac", rate=SOUND_HZ, layout="mono")
        for index, picture in enumerate(pictures):
            frame = av.VideoFrame(SIZE[1], SIZE[0], "yuv420p10le")
            for plane, shown in zip(frame.planes, (picture.y, picture.u, picture.v), strict=True):
                ten = np.zeros((plane.height, plane.line_size // 2), np.uint16)
                side = np.rot90(shown, -1).astype(np.float64)
                wide = side if plane is not frame.planes[0] else np.clip((side - 16) * 255 / 219, 0, 255)
                ten[:, : plane.width] = np.rint(4 * wide)
                plane.update(ten.tobytes())
            frame.color_range = av.video.reformatter.ColorRange.JPEG
            frame.pts, frame.time_base = round(1000 * index / FPS + rng.uniform(-4, 4)) + 10, MS
            container.mux(video.encode(frame))
        for start in range(0, SOUND_HZ * len(pictures) // FPS, 1024):
            heard = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
            heard.sample_rate, heard.pts, heard.time_base = SOUND_HZ, start, Fraction(1, SOUND_HZ)
            container.mux(sound.encode(heard))
        container.mux(video.encode(None))
        container.mux(sound.encode(None))
    return path


def test_a_phones_recording_is_refereed_as_the_same_stroke(analysed: Path, tmp_path: Path) -> None:
    clip = phone_recording(tmp_path / "VID_20260501_12:30.mp4", one_stroke())
    log = tmp_path / "match.jsonl"
    result = CliRunner().invoke(main, ["analyse", str(clip), "--log", str(log)])
    assert result.exit_code == 0, result.output
    (told,), (truth,) = (
        [line for line in read_log(path).lines if line["type"] == "stroke"] for path in (log, analysed)
    )
    assert (told["seat"], told["first_contact"]) == (truth["seat"], truth["first_contact"])
    assert [p["kind"] for p in told["pocketed"]] == [p["kind"] for p in truth["pocketed"]]
    assert told["t_strike"] == pytest.approx(truth["t_strike"], abs=0.1)
    for name in ("x_mm", "y_mm"):
        assert told["placement"][name] == pytest.approx(truth["placement"][name], abs=2)
    assert not any(line["kind"] == "frames_dropped" for line in read_log(log).lines if line["type"] == "alert")
