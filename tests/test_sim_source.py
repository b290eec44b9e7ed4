"""The simulator behind the sources' common door."""

from __future__ import annotations

import threading
from itertools import islice

import numpy as np
import pytest

from models.pieces import Kind, Seat
from referee.frames.frame import Source
from referee.sim.scene import Where
from referee.sim.script import MatchConditions
from referee.sim.sensor_noise import Exposure
from referee.sim.source import SimOptions, SimSource
from referee.sim.trouble import PassingShadow, PictureTrouble, Push, TroubleCourse
from referee.sim.viewpoint import Appearance, Mount

SMALL = SimOptions(width=320, height=240)


def frames(count, **changes):
    with SimSource(SMALL, **changes) as source:
        return list(islice(source, count))


def test_frames_come_at_the_rate_asked_for():
    got = frames(5, fps=25.0)
    assert [f.index for f in got] == [0, 1, 2, 3, 4]
    assert [f.t for f in got] == pytest.approx([0, 0.04, 0.08, 0.12, 0.16])
    assert {(f.picture.width, f.picture.height, f.row_s) for f in got} == {(320, 240, 0.0)}
    assert got[0].picture.u.shape == (120, 160)


def test_the_same_seed_gives_the_same_pictures():
    first, second = frames(120), frames(120)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a.picture.y, b.picture.y)
        np.testing.assert_array_equal(a.picture.v, b.picture.v)


def test_frames_that_are_lost_leave_a_gap():
    got = frames(4, fps=10.0, trouble=PictureTrouble(lost=((0.15, 0.35),)))
    assert [f.index for f in got] == [0, 1, 4, 5]
    assert [f.t for f in got] == pytest.approx([0.0, 0.1, 0.4, 0.5])


def test_a_push_shifts_the_whole_picture_and_keeps_the_wood():
    """Seven pixels to the right of a picture in which the board is all that is not dark."""
    mount, look = Mount(tilt_rad=0.1, tilt_towards=0.0), Appearance(grain=0.4)
    dx = 7 / float(SimSource(SMALL, mount=mount).camera.px_per_mm()[0])
    trouble = PictureTrouble(pushes=(Push(0.05, dx, 0.0, 0.0),))
    still, pushed = frames(2, fps=10.0, mount=mount, appearance=look, trouble=trouble, exposure=Exposure(noise=0.0))
    board = slice(70, 170), slice(110, 210)
    before, moved = still.picture.y.astype(int), np.roll(pushed.picture.y, -7, 1)[board]
    assert np.abs(moved - before[board]).mean() < 4.0
    assert np.abs(moved - np.roll(before, 2, 1)[board]).mean() > 12.0


@pytest.mark.parametrize("trouble", [
    PictureTrouble(lamp=TroubleCourse.always(0.6)), PictureTrouble(passer=PassingShadow(-1.0, 2.0, 0.4, 10.0)),
], ids=["a dimmed lamp", "a shadow"])  # fmt: skip
def test_less_light_makes_less_of_a_colour(trouble):
    (lit,), (dim,) = (frames(1, trouble=t, exposure=Exposure(noise=0.0)) for t in (PictureTrouble(), trouble))
    board = slice(40, 80), slice(55, 105)
    (v, less), (y, dark) = (
        [(p.picture.v if chroma else p.picture.y)[board].astype(float) - zero for p in (lit, dim)]
        for chroma, zero in ((True, 128.0), (False, 16.0))
    )
    assert less.mean() / v.mean() == pytest.approx(dark.mean() / y.mean(), abs=0.05)
    assert less.mean() < 0.7 * v.mean()


def test_another_seed_gives_another_match():
    a, b = (next(s.scenes()) for s in (SimSource(SMALL, seed=1), SimSource(SMALL, seed=2)))
    assert not np.array_equal(a.pos_mm, b.pos_mm)


def test_the_frame_rate_does_not_change_the_match():
    manner = MatchConditions(boards=1, wait_s=0.0)
    sources = [SimSource(SMALL, fps=fps, seed=3, manner=manner) for fps in (10.0, 24.0)]
    for source in sources:
        for _ in source.scenes():
            if len(source.strokes) == 6:
                break
    assert sources[0].strokes[:6] == sources[1].strokes[:6]


def test_pictures_already_given_stay_as_they_were_and_frames_go_on():
    with SimSource(SMALL) as source:
        first = next(iter(source))
        kept = first.picture.y.copy()
        later = list(islice(source, 100))
    np.testing.assert_array_equal(first.picture.y, kept)
    assert [later[0].index, later[-1].index] == [1, 100]


def test_the_first_frames_show_the_formation_alone():
    source = SimSource(SMALL)
    for scene in islice(source.scenes(), 60):
        assert not scene.hands
        assert sum(p.kind is not Kind.STRIKER for p in scene.pieces()) == 19


def test_truth_is_kept_on_demand_only():
    source = SimSource(SMALL, keep_scenes=True)
    shown = list(islice(source.scenes(), 3))
    assert source.truth(2) is shown[2]
    with pytest.raises(LookupError, match="keep_scenes"):
        SimSource(SMALL).truth(0)


def test_the_stream_ends_after_the_last_board():
    source = SimSource(SMALL, fps=4.0, manner=MatchConditions(boards=1, wait_s=0.0, tempo=0.5))
    held = 0
    for scene in source.scenes():
        held = scene.where.count(Where.HELD)
        if len(source.strokes) == 1:
            source.announce(None, (), board_over=True)
    assert held == 0
    assert len(source.strokes) == 1


def test_a_ruling_may_come_from_another_thread():
    source = SimSource(SMALL, fps=10.0)
    for _ in source.scenes():
        if len(source.strokes) == 1:
            speaker = threading.Thread(target=source.announce, args=(Seat.NORTH,))
            speaker.start()
            speaker.join()
        if len(source.strokes) == 2:
            break
    assert source.strokes[1].seat is Seat.NORTH


def test_the_simulator_is_a_source():
    source: Source = SimSource(SMALL)
    assert (source.name, source.fps, source.live) == ("simulator", 30.0, False)


def test_frames_need_an_open_source():
    with pytest.raises(RuntimeError, match="with"):
        next(iter(SimSource(SMALL)))


def test_odd_pictures_are_refused():
    with pytest.raises(ValueError, match="even"):
        SimSource(SMALL, width=641)
