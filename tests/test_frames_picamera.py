"""The Raspberry Pi camera: its layout and clock by arithmetic, its life on the real picamera2 over a virtual camera."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from picamera_bed import Bed

from referee.frames.frame import SourceError
from referee.frames.picamera import PicameraSource, PlaneLayout
from referee.frames.sensor_modes import row_time_s

ROOT = Path(__file__).parents[1]
PICTURES = 8
"""Pictures that the virtual camera shows in a loop, each with its number in bars."""

WATCH = """
import json, sys, time
import numpy as np
from referee.frames.open import open_source

def bars(y):
    row = y[50].astype(int) > 128
    return int(np.sum(row[1:] & ~row[:-1]))

def facts(frame):
    p = frame.picture
    return {"t": frame.t, "index": frame.index, "dropped": frame.dropped, "row_s": frame.row_s, "bars": bars(p.y),
            "y": p.y.shape, "u": p.u.shape, "full": p.full_range, "view": not p.y.flags.owndata,
            "writable": p.y.flags.writeable, "padding": p.y.strides[0] - p.y.shape[1],
            "uv": [int(np.median(p.u)), int(np.median(p.v))]}

def watch(count, pause_at=None, keep_at=(), pause_s=1.0, fps=30):
    seen, kept = [], []
    with open_source("picamera", size=(626, 470), fps=fps) as source:
        for frame in source:
            seen.append(facts(frame))
            if frame.index in keep_at:
                kept.append(frame)
            if frame.index == pause_at:
                time.sleep(pause_s)
            if frame.index == count - 1:
                break
    del frame
    return {"seen": seen, "kept": [(f.index, bars(f.picture.y)) for f in kept], "fps": source.fps, "live": source.live}

print(json.dumps(eval(sys.argv[1])))
"""


@pytest.fixture
def bed(tmp_path: Path) -> Bed:
    bed = Bed.at(tmp_path / "cam.yaml")
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for number in range(PICTURES):
        # Orange, so that exchanged chroma planes are noticed.
        picture = np.full((470, 626, 3), (20, 90, 160), np.uint8)
        picture[:100] = 0
        for bar in range(number + 1):
            picture[:100, 20 + 40 * bar : 40 + 40 * bar] = 255
        cv2.imwrite(str(pictures / f"{number}.jpg"), picture)
    bed.serve(pictures, (626, 470))
    return bed


def watch(bed: Bed, expression: str) -> dict[str, object]:
    done = bed.run(WATCH, expression)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert isinstance(result, dict)
    return result


def test_real_picamera2_gives_views_with_the_sensors_time(bed: Bed) -> None:
    result = watch(bed, "watch(40)")
    seen = result["seen"]
    assert isinstance(seen, list)
    assert (result["fps"], result["live"]) == (30, True)
    first = seen[0]
    assert (first["y"], first["u"], first["full"]) == ([470, 626], [235, 313], True)
    assert first["view"]
    assert not first["writable"]
    assert first["padding"] > 0
    assert first["uv"] == pytest.approx([81, 169], abs=2)
    assert [frame["index"] for frame in seen] == list(range(40))
    for frame in seen:
        steps = round(frame["t"] * 30)
        assert frame["t"] == pytest.approx(steps / 30, abs=2e-3)
        assert frame["bars"] == (first["bars"] - 1 + steps) % PICTURES + 1
    assert sum(1 + frame["dropped"] for frame in seen[1:]) == round(seen[-1]["t"] * 30)


def test_a_hold_up_of_the_referee_is_counted_and_ends_in_the_present(bed: Bed) -> None:
    seen = watch(bed, "watch(30, pause_at=12)")["seen"]
    assert isinstance(seen, list)
    assert seen[13]["dropped"] > 15
    present = [frame["t"] for frame in seen[13 : 13 + 9]]
    assert present[-1] - present[0] < 0.35, "what waited is what happened last"
    assert sum(1 + frame["dropped"] for frame in seen[1:]) == round(seen[-1]["t"] * 30)


def test_a_short_hold_up_loses_nothing_though_the_camera_has_few_buffers(bed: Bed) -> None:
    seen = watch(bed, "watch(60, pause_at=12, pause_s=0.25, fps=60)")["seen"]
    assert isinstance(seen, list)
    assert [frame["dropped"] for frame in seen[12:32]] == [0] * 20
    for frame in seen[12:]:
        assert frame["bars"] == (seen[0]["bars"] - 1 + round(frame["t"] * 60)) % PICTURES + 1


def test_frames_that_are_held_are_never_overwritten_even_after_the_camera_has_closed(bed: Bed) -> None:
    result = watch(bed, "watch(40, keep_at=(3, 4, 20))")
    seen, kept = result["seen"], result["kept"]
    assert isinstance(seen, list)
    assert kept == [[index, seen[index]["bars"]] for index in (3, 4, 20)]


def test_the_camera_can_be_opened_again_and_again(bed: Bed) -> None:
    result = watch(bed, "[watch(3) for _ in range(3)][-1]")
    assert isinstance(result["seen"], list)
    assert len(result["seen"]) == 3


def test_no_camera_is_told(bed: Bed) -> None:
    bed.config.unlink()
    assert "SourceError: no camera is connected; check its cable" in bed.run(WATCH, "watch(1)").stderr


@pytest.mark.skipif(importlib.util.find_spec("picamera2") is not None, reason="picamera2 is installed here")
def test_without_picamera2_the_way_to_install_it_is_told() -> None:
    with pytest.raises(SourceError, match="apt install python3-picamera2"), PicameraSource():
        pass


def test_planes_lie_behind_each_other_with_padded_rows() -> None:
    colours = type("ColorSpace", (), {"range": "Range.Limited"})
    layout = PlaneLayout.of({"main": {"size": (6, 4), "stride": 8}, "colour_space": colours})
    data = np.arange(8 * 4 + 2 * 4 * 2, dtype=np.uint8)
    picture = layout.picture(data)
    assert picture.y.tolist() == [[8 * row + column for column in range(6)] for row in range(4)]
    assert picture.u.tolist() == [[32, 33, 34], [36, 37, 38]]
    assert picture.v.tolist() == [[40, 41, 42], [44, 45, 46]]
    assert np.shares_memory(picture.v, data)
    assert not picture.full_range


def test_a_global_shutter_reads_all_rows_at_once() -> None:
    assert row_time_s("imx296", 1 / 60, (1456, 1088), (1456, 1088)) == 0.0


def test_a_rolling_shutters_rows_follow_from_its_fastest_rate() -> None:
    """imx708 at 2304x1296: 56 frames/s at most, read in about 17 ms."""
    row_s = row_time_s("imx708", 1 / 56, (2304, 1296), (2304, 1296))
    assert row_s is not None
    assert row_s * 1296 == pytest.approx(0.0168, rel=0.03)


def test_a_cropped_and_shrunk_picture_has_longer_rows() -> None:
    """Square from 2304x1296 at 648 rows: all of the sensor's rows, two for one."""
    full = row_time_s("imx708", 1 / 56, (2304, 1296), (2304, 1296))
    half = row_time_s("imx708", 1 / 56, (2304, 1296), (648, 648))
    assert full is not None
    assert half == pytest.approx(2 * full)


def test_an_unknown_mode_has_no_row_time() -> None:
    assert row_time_s("virtual", 1 / 60, None, (640, 480)) is None
