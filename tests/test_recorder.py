"""Recording: what is encoded keeps the frames' own times, a clip plays from its start, and vision waits for nothing."""

from __future__ import annotations

import io
from pathlib import Path

import av
import numpy as np
import pytest
from sim_clips import grey, one_stroke

from calibration.geometry.picture import Picture
from calibration.profile import Profile, load_profile
from referee.frames.planes import PlaneReader
from referee.replay.clip import ClipFormat, frames_between, mp4, pictures
from referee.replay.encoder import EncodedFrame, Encoder, EncoderError, frame_of
from referee.replay.mask import SurroundingsMask
from referee.replay.recorder import Recorder
from referee.replay.worker import JobWorker


@pytest.fixture
def profile(profile_file: Path) -> Profile:
    return load_profile(profile_file)


def numbered(n: int) -> Picture:
    """A picture whose shade tells its number, up to 100."""
    return grey(20 + 2 * n)


def number_of(frame: av.VideoFrame) -> int:
    return round((float(PlaneReader().picture(frame).y.mean()) - 20) / 2)


def coded(times: list[float]) -> list[EncodedFrame]:
    encoder = Encoder(480, 360, False)
    packets = [c for i, t in enumerate(times) for c in encoder.encode(frame_of(numbered(i)), t)]
    return packets + encoder.flush()


UNEVEN = [7.0 + i / 30 for i in range(40)] + [8.4 + i / 60 for i in range(40)]


def test_every_frame_keeps_its_own_time() -> None:
    data = mp4(coded(UNEVEN), ClipFormat(480, 360, "x", False))
    with av.open(io.BytesIO(data)) as container:
        shown = [frame.time for frame in container.decode(video=0)]
    assert shown == pytest.approx([t - 7.0 for t in UNEVEN], abs=1e-5)


def test_a_clip_says_first_what_browsers_need_to_play_it() -> None:
    data = mp4(coded(UNEVEN), ClipFormat(480, 360, "x", False))
    assert data.index(b"moov") < data.index(b"mdat")


def test_a_clip_begins_with_a_frame_that_stands_by_itself_and_holds_all_that_was_asked_for() -> None:
    chosen = frames_between(coded(UNEVEN), 8.5, 8.701)
    assert chosen[0].is_key
    assert 8.5 - 1 <= chosen[0].t <= 8.5
    assert chosen[-1].t == pytest.approx(8.7, abs=1e-9)


def test_of_what_is_remembered_the_frames_of_any_moment_are_shown() -> None:
    packets = coded(UNEVEN)
    shown = [(t, number_of(frame)) for t, frame in pictures(packets, [7.51, 8.41, 8.4])]
    assert [n for _, n in shown] == [15, 40, 41]
    assert [t for t, _ in shown] == pytest.approx([UNEVEN[15], UNEVEN[40], UNEVEN[41]])
    assert list(pictures([], [1.0])) == []


def test_a_machine_without_an_encoder_is_told_so_in_a_sentence() -> None:
    with pytest.raises(EncoderError, match="no encoder on this machine"):
        Encoder(480, 360, False, names=("h264_of_nobody",))
    assert Encoder(480, 360, False, names=("h264_of_nobody", "libx264")).name == "libx264"


def recorded(profile: Profile, times: list[float], moving: set[int], ask: tuple[float, float],
             *, every_frame: bool = False) -> list[float]:  # fmt: skip
    """Times of the frames that a recorder keeps of these, of which those numbered in `moving` show a stroke."""
    kept: list[float] = []
    with JobWorker("test") as worker, Recorder(worker, grey(20), masked=False, every_frame=every_frame) as recorder:
        recorder.ask(*ask, lambda frames, _: kept.extend(c.t for c in frames))
        for i, t in enumerate(times):
            recorder.offer(numbered(i % 100), t, profile, moving=i in moving, patient=True)
    return kept


def test_thirty_frames_a_second_are_kept_and_all_from_shortly_before_a_stroke_is_noticed(profile: Profile) -> None:
    times = [i / 60 for i in range(180)]
    steps = np.diff(recorded(profile, times, set(range(90, 120)), (0.0, 3.0)))
    full = np.flatnonzero(steps < 0.02)
    assert full[0] == pytest.approx((1.5 - 0.3) * 30, abs=2)
    assert len(full) == pytest.approx(0.3 * 60 + 30, abs=2)
    assert set(np.rint(steps * 60).astype(int)) == {1, 2}


def test_a_source_of_thirty_frames_is_kept_whole(profile: Profile) -> None:
    times = [i / 30 for i in range(90)]
    assert recorded(profile, times, set(), (0.0, 3.0)) == times


def test_every_frame_is_kept_where_that_is_wished(profile: Profile) -> None:
    times = [i / 60 for i in range(60)]
    assert recorded(profile, times, set(), (0.0, 1.0), every_frame=True) == times


def test_a_wish_is_granted_at_the_end_with_what_there_is(profile: Profile) -> None:
    kept = recorded(profile, [i / 30 for i in range(30)], set(), (0.5, 60.0))
    assert kept[-1] == pytest.approx(29 / 30)


def test_what_cannot_be_encoded_before_the_end_is_left_out_whole_and_named(profile: Profile) -> None:
    granted: list[str] = []
    with JobWorker("test") as worker:
        recorder = Recorder(worker, grey(20), masked=False)
        recorder.ask(0.0, 1.0, lambda *_: granted.append("clip"), "the clip of stroke 1")
        for i in range(30):
            recorder.offer(numbered(i), i / 30, profile, moving=True, patient=False)
        assert recorder.finish(lambda: 0.0) == ("the clip of stroke 1",)
        with recorder:
            assert not granted
    assert not granted


def test_vision_never_waits_for_an_encoder_that_falls_behind(profile: Profile) -> None:
    with JobWorker("test") as worker:
        recorder, shared = Recorder(worker, grey(20), masked=False), grey(30)
        for i in range(1100):
            recorder.offer(shared, i / 30, profile, moving=False, patient=False)
        waiting_mib = (1100 - recorder.lost) * 480 * 360 * 1.5 / 2**20
        assert 100 < waiting_mib < 250


def test_beyond_the_frame_nothing_is_left_to_see(profile: Profile) -> None:
    picture = one_stroke(61)[0]
    frame = frame_of(picture)
    SurroundingsMask(profile.camera, profile.board).paint(frame)
    painted = PlaneReader().picture(frame)
    corners = profile.camera.to_pixels([[0.0, 0.0], [300.0, -300.0]]).astype(int)
    for x, y in corners:
        assert painted.y[y, x] == picture.y[y, x]
    assert set(painted.y[0].tolist()) == {128}
    assert set(painted.u[0].tolist()) == {128}
