"""Network cameras: their pictures and times, what drops and comes late, and one sentence for what cannot be had."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import islice, pairwise

import numpy as np
import pytest
from network_cameras import FPS, SIZE, jpeg, mjpeg_camera, rtsp_camera

from referee.frames.frame import Frame, SourceError
from referee.frames.network import NetworkCamera, without_password
from referee.frames.open import open_source

BUSY_S = 1.2
"""So long the referee takes no picture: longer than a busy machine holds up the camera, which sends for 2.4 s."""


def steadily(count: int, first: int = 0, size: tuple[int, int] = SIZE,
             pace_s: float = 1 / FPS) -> Iterator[bytes]:  # fmt: skip
    for index in range(first, first + count):
        yield jpeg(index, size)
        time.sleep(pace_s)


def number(frame: Frame) -> int:
    return round((float(np.median(frame.picture.y)) - (0 if frame.picture.full_range else 16)) / (
        1.0 if frame.picture.full_range else 219 / 255) / 5) - 8  # fmt: skip


def test_an_mjpeg_stream_is_timed_by_when_its_pictures_come() -> None:
    with mjpeg_camera(lambda _: steadily(40, pace_s=2 / FPS)) as url, open_source(url) as camera:
        frames = list(islice(camera, 30))
        assert (camera.live, camera.name) == (True, url)
    numbers = [number(frame) for frame in frames]
    assert numbers == list(range(numbers[0], numbers[0] + 30))
    assert all(a.t < b.t for a, b in pairwise(frames))
    # FFmpeg counts such pictures at 25 a second whatever their rate is: here they come at half of that, or later still.
    assert frames[-1].t - frames[0].t > 1.3 * 29 / 25
    assert frames[0].picture.y.shape == (SIZE[1], SIZE[0])


def test_pictures_that_came_while_the_referee_was_busy_have_their_own_times() -> None:
    with mjpeg_camera(lambda _: steadily(60)) as url, open_source(url) as camera:
        frames = iter(camera)
        first = [next(frames) for _ in range(10)]
        time.sleep(BUSY_S)
        later = [next(frames) for _ in range(10)]
    steps = [b.t - a.t for a, b in pairwise([first[-1], *later])]
    assert max(steps) < 0.8 * BUSY_S, "the pause was ours and not the camera's"


def test_a_stream_that_drops_is_asked_for_again_and_the_gap_is_on_the_clock() -> None:
    with mjpeg_camera(lambda n: steadily(15, 15 * n)) as url, open_source(url) as camera:
        frames = list(islice(camera, 28))
    assert [number(frame) for frame in frames][-1] >= 26
    ((last, again),) = [(a, b) for a, b in pairwise(frames) if number(a) < 15 <= number(b)]
    assert again.t - last.t >= 0.5


def test_a_camera_that_stays_silent_is_given_up_in_a_sentence() -> None:
    def goes(connection: int) -> Iterator[bytes]:
        return steadily(10 if connection == 0 else 0)

    with mjpeg_camera(goes) as url, NetworkCamera(url, lost_s=1.0, read_s=1.0) as camera:
        frames = iter(camera)
        with pytest.raises(SourceError, match=r"gave no picture for 1 s \(.+\): is the camera on") as caught:
            for _ in frames:
                pass
        assert url in str(caught.value)


def test_pictures_of_another_size_after_a_break_are_told() -> None:
    with (
        mjpeg_camera(lambda n: steadily(8, size=SIZE if n == 0 else (160, 96))) as url,
        open_source(url) as camera,
        pytest.raises(SourceError, match=r"another size than before \(208x112, now 160x96\)"),
    ):
        list(camera)


def test_an_rtsp_camera_keeps_its_own_clock_and_comes_back() -> None:
    with rtsp_camera(30) as url, open_source(url) as camera:
        frames = list(islice(camera, 45))
    steps = np.array([b.t - a.t for a, b in pairwise(frames)])
    assert np.median(steps) == pytest.approx(1 / FPS, abs=0.001), "times of the camera, not of the network"
    assert np.sum(np.abs(steps - 1 / FPS) < 0.002) >= 40
    assert np.sum(steps > 0.4) == 1, "it ended once and was asked again"
    assert not frames[0].picture.full_range


@pytest.mark.parametrize(
    ("status", "kind", "why"),
    [
        (401, "text/html", "wants a name and a password"),
        (404, "text/html", "has no such stream"),
        (200, "text/html", "sends no video"),
        (503, "text/html", "cannot be reached"),
    ],
)
def test_what_is_no_stream_is_told_in_a_sentence(status: int, kind: str, why: str) -> None:
    with (
        mjpeg_camera(lambda _: iter([b"<html>a page</html>"]), status, kind) as url,
        pytest.raises(SourceError, match=why),
        open_source(url),
    ):
        pass


@pytest.mark.parametrize("scheme", ["http", "rtsp"])
def test_a_camera_that_is_off_is_told_without_its_password(scheme: str) -> None:
    url = f"{scheme}://mira:geheim@127.0.0.1:9/stream"
    with pytest.raises(SourceError, match="cannot be reached") as caught, open_source(url):
        pass
    assert "geheim" not in str(caught.value)
    assert str(caught.value).startswith(f"{scheme}://...@127.0.0.1:9/stream ")


def test_no_address_names_a_file_of_this_machine() -> None:
    list_of_files = b"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/hostname\n#EXT-X-ENDLIST\n"
    with (
        mjpeg_camera(lambda _: iter([list_of_files]), kind="application/vnd.apple.mpegurl") as url,
        pytest.raises(SourceError),
        open_source(url),
    ):
        pass
    assert without_password("rtsp://a:b@camera.local/x") == "rtsp://...@camera.local/x"
