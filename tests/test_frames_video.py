"""Video files: planes bit for bit, the stream's own time, phones' formats, and what is broken told in a sentence."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.frames.frame import Frame, SourceError
from referee.frames.video import VideoFile

WIDTH, HEIGHT = 208, 112
MS = Fraction(1, 1000)


def scene(index: int) -> NDArray[np.uint8]:
    """RGB (HEIGHT, WIDTH, 3): bright top left quarter, red top right; a number of bars that is the index."""
    image = np.full((HEIGHT, WIDTH, 3), 60, np.uint8)
    image[: HEIGHT // 2, : WIDTH // 2] = 220
    image[: HEIGHT // 2, WIDTH // 2 :] = (200, 40, 40)
    for bar in range(index % 20):
        image[HEIGHT // 2 + 8 : -8, 4 + 10 * bar : 9 + 10 * bar] = 255
    return image


def write_video(path: Path, fmt: str = "yuv420p", codec: str = "libx264", *, count: int = 12,
                times_ms: Sequence[int] | None = None, turn: tuple[float, bool] | None = None,
                rate: int = 30, movflags: str | None = None, size: tuple[int, int] | None = None,
                **options: str) -> Path:  # fmt: skip
    """`count` scenes; `times_ms` stamps them freely, `turn` = (degrees, mirrored) sets the display matrix."""
    with av.open(str(path), "w", options={"movflags": movflags} if movflags else {}) as container:
        stream = container.add_stream(codec, rate=rate, options=options)
        stream.width, stream.height = size or (WIDTH, HEIGHT)
        stream.pix_fmt = fmt
        stream.codec_context.gop_size = 6
        if turn:
            stream.set_display_rotation(turn[0], hflip=turn[1])
        if times_ms:
            stream.codec_context.time_base = MS
        for index in range(count):
            frame = av.VideoFrame.from_ndarray(scene(index), "rgb24").reformat(*(size or (None, None)), format=fmt)
            frame.pts, frame.time_base = (times_ms[index], MS) if times_ms else (index, Fraction(1, rate))
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def read(path: Path, **options: float) -> list[Frame]:
    with VideoFile(str(path), **options) as source:
        return list(source)


def read_until_broken(path: Path) -> tuple[list[Frame], str]:
    frames: list[Frame] = []
    with VideoFile(str(path)) as source, pytest.raises(SourceError) as caught:
        frames.extend(source)
    return frames, str(caught.value)


def bars(frame: Frame) -> int:
    """The index drawn into the frame."""
    row = frame.picture.y[HEIGHT * 3 // 4].astype(int) > 150
    return int(np.sum(row[1:] & ~row[:-1]))


def test_planes_are_the_decoders_own_bytes(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", preset="ultrafast")
    with av.open(str(path)) as container:
        truth = [frame.to_ndarray() for frame in container.decode(video=0)]
    frames = read(path)
    assert len(frames) == len(truth) == 12
    for frame, planar in zip(frames, truth, strict=True):
        p = frame.picture
        assert np.array_equal(np.concatenate([p.y.ravel(), p.u.ravel(), p.v.ravel()]), planar.ravel())


def test_planes_are_views_that_cannot_be_written_and_outlive_the_source(tmp_path: Path) -> None:
    frames = read(write_video(tmp_path / "a.mp4"))
    assert [bars(frame) for frame in frames] == list(range(12))
    plane = frames[0].picture.y
    assert not plane.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        plane[0, 0] = 1


def test_frames_go_from_memory_as_soon_as_nobody_holds_them(tmp_path: Path) -> None:
    """Without waiting for the garbage collector: a picture of 1456x1088 takes 2.4 MB."""
    path = write_video(tmp_path / "clip.mp4", count=40)
    gc.collect()
    gc.disable()
    # What earlier tests left need not be looked through at every frame.
    gc.freeze()
    try:
        with VideoFile(str(path)) as source:
            kept = [sum(isinstance(o, av.VideoFrame) for o in gc.get_objects()) for _ in source]
    finally:
        gc.unfreeze()
        gc.enable()
    # The decoder gives what it holds back at the stream's end all at once.
    assert max(kept) < 10


def test_index_time_and_rate_come_from_the_stream(tmp_path: Path) -> None:
    with VideoFile(str(write_video(tmp_path / "a.mp4", rate=60)), row_s=1e-5) as source:
        frames = list(source)
        assert (source.fps, source.live) == (60.0, False)
    assert [frame.index for frame in frames] == list(range(12))
    assert [frame.t for frame in frames] == pytest.approx([i / 60 for i in range(12)], abs=1e-12)
    assert {(frame.row_s, frame.dropped) for frame in frames} == {(1e-5, 0)}


def test_variable_rate_keeps_each_frames_own_time(tmp_path: Path) -> None:
    times = [100, 133, 190, 200, 275, 300, 390, 400, 433, 500, 610, 625]
    frames = read(write_video(tmp_path / "v.mkv", times_ms=times, rate=1000))
    assert [round(frame.t * 1000) for frame in frames] == [t - 100 for t in times]
    assert sum(frame.dropped for frame in frames) == 0


def test_a_gap_in_a_constant_rate_counts_as_lost_frames(tmp_path: Path) -> None:
    times = [40 * i + (1200 if i >= 15 else 0) for i in range(30)]
    frames = read(write_video(tmp_path / "g.mkv", count=30, times_ms=times, rate=25))
    assert {frame.index: frame.dropped for frame in frames if frame.dropped} == {15: 30}


@pytest.mark.parametrize(("name", "codec", "fmt", "full"), [
    ("hevc10.mp4", "libx265", "yuv420p10le", False),
    ("p422.mkv", "ffv1", "yuv422p", False),
    ("p444.mkv", "ffv1", "yuv444p", False),
    ("nv12.mkv", "rawvideo", "nv12", False),
    ("webcam.avi", "rawvideo", "yuyv422", False),
    ("mjpeg.avi", "mjpeg", "yuvj420p", True),
    ("mjpeg422.mov", "mjpeg", "yuvj422p", True),
])  # fmt: skip
def test_phones_and_webcams_formats_are_converted_at_the_door(
    tmp_path: Path, name: str, codec: str, fmt: str, full: bool
) -> None:
    quiet = {"x265-params": "log-level=none"} if codec == "libx265" else {}
    frames = read(write_video(tmp_path / name, fmt, codec, **quiet))
    assert [bars(frame) for frame in frames] == list(range(12))
    picture = frames[0].picture
    assert picture.full_range is full
    assert (picture.y.shape, picture.u.shape, picture.v.shape) == ((112, 208), (56, 104), (56, 104))
    bright, dark = (220, 60) if full else (16 + 220 * 219 / 255, 16 + 60 * 219 / 255)
    assert np.median(picture.y[:50, :96]) == pytest.approx(bright, abs=2)
    assert np.median(picture.y[60:, :96]) == pytest.approx(dark, abs=2)
    b, g, r = np.median(picture.bgr()[5:50, 112:200].reshape(-1, 3), axis=0)
    assert (r, g, b) == pytest.approx((200, 40, 40), abs=12)


@pytest.mark.parametrize(("degrees", "mirrored", "corner"), [
    (0, False, "top left"), (90, False, "bottom left"), (180, False, "bottom right"), (-90, False, "top right"),
    (0, True, "top right"), (90, True, "bottom right"),
])  # fmt: skip
def test_a_rotation_flag_turns_the_picture_upright(tmp_path: Path, degrees: float, mirrored: bool, corner: str) -> None:
    """Where the bright quarter goes when the display matrix turns counterclockwise (and mirrors)."""
    y = read(write_video(tmp_path / "r.mp4", turn=(degrees, mirrored), count=2))[0].picture.y
    assert y.shape == ((HEIGHT, WIDTH) if degrees in (0, 180) else (WIDTH, HEIGHT))
    rows, columns = y.shape[0] // 2, y.shape[1] // 2
    quarters = {
        "top left": y[:rows, :columns],
        "top right": y[:rows, columns:],
        "bottom left": y[rows:, :columns],
        "bottom right": y[rows:, columns:],
    }
    assert max(quarters, key=lambda name: float(np.median(quarters[name]))) == corner


def test_a_phone_that_is_turned_in_the_middle_is_told(tmp_path: Path) -> None:
    """The turn stands in the stream itself, as an SEI message of H.264."""
    source = write_video(tmp_path / "a.h264", preset="ultrafast")
    path = tmp_path / "turned.h264"
    with av.open(str(source)) as container, path.open("wb") as file:
        stream = container.streams.video[0]
        turned = av.BitStreamFilterContext("h264_metadata=display_orientation=insert:rotate=90", stream)
        parts = [bytes(each) for packet in container.demux(stream) if packet.size for each in turned.filter(packet)]
        file.write(source.read_bytes() + b"".join(parts))
    with pytest.raises(SourceError, match=r"from 208x112 to 112x208, as of a phone that was turned, after 12 frames"):
        read(path)


def test_odd_sizes_lose_their_last_row_and_column(tmp_path: Path) -> None:
    picture = read(write_video(tmp_path / "odd.mkv", "yuv420p", "ffv1", size=(207, 111), count=2))[0].picture
    assert (picture.y.shape, picture.u.shape) == ((110, 206), (55, 103))


def test_two_readings_are_the_same(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", "yuv420p10le", "libx265", **{"x265-params": "log-level=none"})
    for one, other in zip(read(path), read(path), strict=True):
        assert (one.t, one.dropped) == (other.t, other.dropped)
        assert np.array_equal(one.picture.y, other.picture.y)


def test_a_bare_h264_stream_is_counted_out_at_the_rate_given(tmp_path: Path) -> None:
    frames = read(write_video(tmp_path / "bare.h264", count=12), fps=50)
    assert [frame.t for frame in frames] == pytest.approx([i / 50 for i in range(12)])


def test_shuffled_avi_has_no_time_of_its_own(tmp_path: Path) -> None:
    """H.264 with B frames in AVI: the stored times are those of storage and run to and fro."""
    frames = read(write_video(tmp_path / "b.avi", bf="2"))
    assert [bars(frame) for frame in frames] == list(range(12))
    assert [frame.t for frame in frames] == pytest.approx([i / 30 for i in range(12)])


def test_a_cut_off_mp4_gives_its_good_frames_and_then_says_so(tmp_path: Path) -> None:
    path = write_video(tmp_path / "t.mp4", count=90, movflags="faststart", preset="ultrafast", bf="2")
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
    frames, message = read_until_broken(path)
    assert [bars(frame) for frame in frames] == [i % 20 for i in range(len(frames))]
    assert len(frames) > 40
    assert "breaks off" in message


def test_a_cut_off_matroska_file_is_shorter_than_its_header_says(tmp_path: Path) -> None:
    path = write_video(tmp_path / "t.mkv", count=90)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    frames, message = read_until_broken(path)
    assert len(frames) > 20
    assert "states 3.00 s" in message


def test_damage_in_the_middle_shows_no_smeared_picture(tmp_path: Path) -> None:
    """Frames built on damaged ones are lost frames, up to the next key frame."""
    path = write_video(tmp_path / "d.mp4", count=60, movflags="faststart", preset="ultrafast")
    data = bytearray(path.read_bytes())
    noise = np.random.default_rng(1).integers(0, 256, 700, np.uint8).tobytes()
    middle = len(data) // 2
    data[middle : middle + len(noise)] = noise
    path.write_bytes(data)
    frames = read(path)
    seen = [round(frame.t * 30) for frame in frames]
    assert [bars(frame) for frame in frames] == [i % 20 for i in seen]
    assert 0 < sum(frame.dropped for frame in frames) == 60 - len(frames) < 30


@pytest.mark.parametrize(("name", "content", "words"), [
    ("missing.mp4", None, "there is no"),
    ("empty.mp4", b"", "cannot be read as video"),
    ("text.mp4", b"this is a text, no video\n" * 50, "cannot be read as video"),
])  # fmt: skip
def test_what_is_no_video_is_told_in_a_sentence(tmp_path: Path, name: str, content: bytes | None, words: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SourceError, match=words), VideoFile(str(path)):
        pass


def test_a_recording_of_sound_only_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sound.mka"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("flac", rate=8000, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 4096), np.int16), format="s16", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = 8000, 0, Fraction(1, 8000)
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    with pytest.raises(SourceError, match="no video"), VideoFile(str(path)):
        pass


def test_mp4_without_its_index_is_told(tmp_path: Path) -> None:
    """A recorder that lost power never wrote the index at the end."""
    path = write_video(tmp_path / "t.mp4", count=30)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(SourceError, match="complete"), VideoFile(str(path)):
        pass


@pytest.mark.parametrize("name", ["12:30.mp4", "carrom:final.mp4", "2026-05-01T12:30:05.mp4"])
def test_a_file_named_by_the_time_is_read_as_the_file_it_is(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_video(tmp_path / "a.mp4").rename(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    assert len(read(Path(name))) == 12
