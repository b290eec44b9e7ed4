"""Folders, webcams, pacing, the timeline and the door that tells them apart."""

from __future__ import annotations

import os
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Self

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from calibration.geometry.picture import Picture
from referee.frames.folder import ImageFolder, natural, read_image
from referee.frames.frame import Frame, Source, SourceError
from referee.frames.open import open_source
from referee.frames.paced import PacedSource
from referee.frames.picamera import PicameraSource
from referee.frames.timeline import Timeline
from referee.frames.v4l2 import Webcam, lasting_name
from referee.frames.video import VideoFile

GREY = Picture(np.zeros((2, 2), np.uint8), np.zeros((1, 1), np.uint8), np.zeros((1, 1), np.uint8))


class Listed:
    """A source of given times."""

    name, fps, live = "list", 10.0, False

    def __init__(self, times: list[float]) -> None:
        self._times = times
        self.is_open = False

    def __enter__(self) -> Self:
        self.is_open = True
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self.is_open = False

    def __iter__(self) -> Iterator[Frame]:
        for index, t in enumerate(self._times):
            yield Frame(GREY, t, index, None)


class Watch:
    """A clock that only waiting and working move on."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.waits: list[float] = []

    def wait(self, seconds: float) -> None:
        self.waits.append(round(seconds, 6))
        self.now += seconds


def image(value: int, shape: tuple[int, int] = (20, 30)) -> NDArray[np.uint8]:
    return np.full((*shape, 3), value, np.uint8)


def times_of(timeline: Timeline, clocks: list[Fraction | None]) -> list[tuple[float, int]]:
    return [timeline.place(clock) for clock in clocks]


# folders


def test_pictures_come_in_the_order_in_which_people_number_them(tmp_path: Path) -> None:
    for number in (10, 2, 1):
        cv2.imwrite(str(tmp_path / f"shot{number}.png"), image(number * 10))
    (tmp_path / "notes.txt").write_text("no picture")
    with ImageFolder(str(tmp_path), fps=5) as source:
        frames = list(source)
        assert (source.fps, source.live) == (5, False)
    assert [int(frame.picture.y[0, 0]) for frame in frames] == [10, 20, 100]
    assert [(frame.t, frame.index, frame.row_s, frame.dropped) for frame in frames] == [
        (0.0, 0, None, 0), (0.2, 1, None, 0), (0.4, 2, None, 0)]  # fmt: skip
    assert frames[0].picture.full_range


def test_names_with_and_without_numbers_can_be_sorted_together() -> None:
    names = ["b", "a10", "a9", "10", "9", "a", "a9b2", "a9b10"]
    assert [p.name for p in sorted(map(Path, names), key=natural)] == [
        "9", "10", "a", "a9", "a9b2", "a9b10", "a10", "b"]  # fmt: skip


def test_an_unreadable_picture_is_named(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "1.png"), image(50))
    (tmp_path / "2.png").write_bytes(b"not a png")
    seen = []
    with ImageFolder(str(tmp_path)) as source, pytest.raises(SourceError, match=r"2\.png is damaged"):
        seen.extend(source)
    assert len(seen) == 1


def test_pictures_of_different_sizes_are_refused(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "1.png"), image(50))
    cv2.imwrite(str(tmp_path / "2.png"), image(50, (20, 32)))
    with ImageFolder(str(tmp_path)) as source, pytest.raises(SourceError, match=r"32x20 .* 30x20"):
        list(source)


def test_an_empty_or_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="holds no pictures"), ImageFolder(str(tmp_path)):
        pass
    with pytest.raises(SourceError, match="cannot be read"), ImageFolder(str(tmp_path / "missing")):
        pass


# the door


def test_the_door_tells_sources_apart(tmp_path: Path) -> None:
    video = tmp_path / "clip.mp4"
    video.touch()
    assert isinstance(open_source("picamera"), PicameraSource)
    assert isinstance(open_source(str(tmp_path)), ImageFolder)
    assert isinstance(open_source(str(video)), VideoFile)
    assert isinstance(open_source("/dev/null"), Webcam)


def test_the_simulator_comes_from_the_wiring() -> None:
    made: Source = Listed([])
    assert open_source("sim", simulator=lambda: made) is made
    with pytest.raises(SourceError, match="takes no simulator"):
        open_source("sim")


def test_what_does_not_exist_is_told_with_what_may_be_given() -> None:
    with pytest.raises(SourceError, match="no such file or directory; SOURCE is picamera"):
        open_source("/dev/video99")


# webcams


@pytest.mark.parametrize(("device", "words"), [
    ("/dev/null", "cannot be read as video"), ("/dev/video99", "there is no /dev/video99"),
])  # fmt: skip
def test_a_device_that_is_no_camera_is_told(device: str, words: str) -> None:
    with pytest.raises(SourceError, match=words), Webcam(device, size=(640, 480), fps=30, pixel_format="mjpeg"):
        pass


def test_a_source_must_be_opened_first() -> None:
    for source in (Webcam("/dev/null"), VideoFile("x.mp4"), PicameraSource()):
        with pytest.raises(RuntimeError, match="`with`"):
            next(iter(source))


# pacing


def test_a_paced_recording_never_runs_ahead() -> None:
    watch = Watch()
    source = Listed([0.0, 0.1, 0.25])
    with PacedSource(source, clock=lambda: watch.now, wait=watch.wait) as paced:
        assert (paced.name, paced.fps, paced.live) == ("list", 10.0, False)
        arrived = [(frame.t, watch.now) for frame in paced]
        assert source.is_open
    assert arrived == [(0.0, 1000.0), (0.1, pytest.approx(1000.1)), (0.25, pytest.approx(1000.25))]
    assert not source.is_open


def test_a_slow_referee_gets_every_frame_and_catches_up() -> None:
    watch = Watch()
    seen = []
    with PacedSource(Listed([0.0, 0.1, 0.2, 0.3, 0.4]), clock=lambda: watch.now, wait=watch.wait) as paced:
        for frame in paced:
            seen.append(frame.index)
            watch.now += 0.25 if frame.index == 0 else 0.01
    assert seen == [0, 1, 2, 3, 4]
    assert watch.waits == [pytest.approx(0.03), pytest.approx(0.09)]


# the timeline


def test_time_begins_at_nought_and_keeps_exact_fractions() -> None:
    placed = times_of(Timeline(), [Fraction(7, 3) + Fraction(i, 60) for i in range(5)])
    assert [t for t, _ in placed] == [float(Fraction(i, 60)) for i in range(5)]


def test_lost_frames_are_counted_once_the_rate_is_known() -> None:
    clocks = [Fraction(i, 50) for i in range(60) if i not in (20, 31, 32)]
    lost = [lost for _, lost in times_of(Timeline(), clocks)]
    assert {i: n for i, n in enumerate(lost) if n} == {20: 1, 30: 2}


def test_the_nominal_rate_counts_from_the_first_frame() -> None:
    assert times_of(Timeline(1 / 50), [Fraction(0), Fraction(3, 50)])[-1] == (0.06, 2)


@pytest.mark.parametrize("before", [0, 60])
def test_a_webcam_that_gives_half_the_rate_it_states_is_soon_believed(before: int) -> None:
    """Thirty are stated; in the dark, or from frame 60 on when an arm makes the exposure longer, fifteen come."""
    clocks = [Fraction(min(i, before), 30) + Fraction(max(0, i - before), 15) for i in range(160)]
    lost = [lost for _, lost in times_of(Timeline(1 / 30), clocks)]
    assert sum(lost) <= 8
    assert sum(lost[before + 9 :]) == 0


def test_a_variable_rate_loses_nothing() -> None:
    steps = [33, 70, 20, 110, 45, 33, 90, 15, 60, 33, 120, 25, 80, 40, 33, 100]
    clocks = [Fraction(sum(steps[:i]), 1000) for i in range(len(steps))]
    assert sum(lost for _, lost in times_of(Timeline(), clocks)) == 0


def test_a_clock_that_restarts_goes_on_counting() -> None:
    placed = times_of(Timeline(), [Fraction(i, 10) for i in (50, 51, 52, 0, 1, 2)])
    assert [t for t, _ in placed[:3]] == pytest.approx([0, 0.1, 0.2])
    assert np.diff([t for t, _ in placed]).min() > 0
    assert placed[5][0] - placed[3][0] == pytest.approx(0.2)


def test_frames_without_a_time_are_counted_out() -> None:
    assert [t for t, _ in times_of(Timeline(0.02), [None] * 4)] == pytest.approx([0, 0.02, 0.04, 0.06])


@given(st.lists(st.fractions(-10, 10, max_denominator=1000) | st.none(), max_size=40))
def test_time_always_increases(clocks: list[Fraction | None]) -> None:
    times = [t for t, _ in times_of(Timeline(), clocks)]
    assert all(later > earlier for earlier, later in pairwise(times))


def test_a_webcam_is_called_by_the_name_that_stays_when_it_is_renumbered(tmp_path: Path) -> None:
    names, first, second = tmp_path / "by-id", tmp_path / "video0", tmp_path / "video2"
    names.mkdir()
    first.touch()
    second.touch()
    link = names / "usb-Maker_HD_0123-video-index0"
    link.symlink_to(first)
    assert lasting_name(str(first), names) == str(link)
    assert lasting_name(str(second), names) == str(second), "it has no other name"
    assert lasting_name("sim", names) == "sim"
    assert lasting_name(str(first), tmp_path / "none") == str(first)
    link.unlink()
    link.symlink_to(second)
    assert Path(lasting_name(str(link), names)).resolve() == second, "plugged in again it is another number"


@pytest.mark.skipif("CARROM_SHARED" not in os.environ, reason="CARROM_SHARED names no folder with cases of the field")
def test_a_heic_photograph_shows_what_the_same_picture_does_as_png(tmp_path: Path) -> None:
    case = Path(os.environ["CARROM_SHARED"]) / "field" / "heic_photo"
    photo, same = read_image(case / "photo.heic"), read_image(case / "same_picture.png")
    assert photo.shape == same.shape
    assert np.abs(photo.astype(int) - same).mean() < 3.0
    (tmp_path / "1.HEIC").write_bytes((case / "photo.heic").read_bytes())
    with ImageFolder(str(tmp_path)) as folder:
        assert [frame.picture.width for frame in folder] == [same.shape[1]]


def test_a_damaged_heic_photograph_is_told(tmp_path: Path) -> None:
    path = tmp_path / "photo.heic"
    path.write_bytes(b"\0\0\0\x18ftypheic" + bytes(40))
    with pytest.raises(SourceError, match="damaged or no picture"):
        read_image(path)
