"""The wiring: what is lost before a frame is told, and what the pages are shown of this moment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Self

import numpy as np
import pytest
from sim_clips import FPS, one_stroke

from calibration.calibrate import CalibrationError
from calibration.geometry.picture import Picture
from calibration.profile import Profile, load_profile
from models.rules import load_book
from referee.facts import Stroke
from referee.frames.frame import Frame, SourceError
from referee.log import LogWriter, read_log
from referee.log.session import Session
from referee.match import Start
from referee.pipeline import MatchOutcome, MatchSettings, referee
from referee.pipeline.clock import WallClock
from referee.pipeline.live_view import live
from referee.pipeline.startup import ready


@cache
def pictures() -> tuple[Picture, ...]:
    return one_stroke(130)


class Recorded:
    """A source of these frames, which breaks at its end if `trouble` says so."""

    name, fps = "recorded", float(FPS)

    def __init__(self, frames: list[Frame], live: bool = False, trouble: str | None = None) -> None:
        self.live = live
        self._frames, self._trouble = frames, trouble

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def __iter__(self) -> Iterator[Frame]:
        yield from self._frames
        if self._trouble:
            raise SourceError(self._trouble)


def frames(count: int) -> list[Frame]:
    return [Frame(picture, i / FPS, i, 0.0) for i, picture in enumerate(pictures()[:count])]


@pytest.fixture
def profile(profile_file: Path) -> Profile:
    return load_profile(profile_file)


def alerts(source: Recorded, profile: Profile, folder: Path) -> list[tuple[str, str]]:
    """Kind and text of each alert that refereeing the source logs."""
    folder.mkdir(exist_ok=True)
    referee(source, MatchSettings(profile), folder / "a.jsonl", "m")
    return [(line["kind"], line["text"]) for line in read_log(folder / "a.jsonl").lines if line["type"] == "alert"]


def with_loss(count: int, at: int, lost: int) -> list[Frame]:
    return [replace(f, dropped=lost) if f.index == at else f for f in frames(count)]


def test_thirty_frames_lost_in_a_row_get_a_sentence(profile: Profile, tmp_path: Path) -> None:
    (lost, ended) = alerts(Recorded(with_loss(20, 15, 30)), profile, tmp_path)
    assert lost[0] == "frames_dropped"
    assert lost[1].startswith("30 frames in a row were lost before 0.50 s")
    assert ended[0] == "source_ended"


def test_a_few_lost_frames_are_no_news(profile: Profile, tmp_path: Path) -> None:
    assert [kind for kind, _ in alerts(Recorded(with_loss(20, 15, 3)), profile, tmp_path)] == ["source_ended"]


def test_what_a_camera_loses_while_it_is_calibrated_is_no_news(profile: Profile, tmp_path: Path) -> None:
    source = Recorded(with_loss(20, 8, 60), live=True)
    assert [kind for kind, _ in alerts(source, profile, tmp_path)] == ["source_ended"]


def test_a_source_that_breaks_keeps_what_was_seen_and_says_why(profile: Profile, tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    with pytest.raises(SourceError, match="cable"):
        referee(Recorded(frames(12), trouble="the cable is out; push it in"), MatchSettings(profile), log, "m")
    last = read_log(log).lines[-1]
    assert (last["kind"], last["text"]) == ("source_failed", "the cable is out; push it in.")
    assert last["t"] == pytest.approx(11 / FPS, abs=1e-3)


def pushed(count: int, px: int) -> list[Frame]:
    """The frames as a camera sees them that was pushed aside by so many (even) pixels."""

    def aside(p: Picture) -> Picture:
        y, u, v = np.roll(p.y, px, 1), np.roll(p.u, px // 2, 1), np.roll(p.v, px // 2, 1)
        return Picture(y, u, v, p.full_range)

    return [replace(f, picture=aside(f.picture)) for f in frames(count)]


def test_a_camera_pushed_aside_since_its_profile_was_made_is_told_and_the_board_found(
    profile: Profile, tmp_path: Path
) -> None:
    assert [kind for kind, _ in alerts(Recorded(frames(12)), profile, tmp_path)] == ["source_ended"]
    moved, _ = alerts(Recorded(pushed(12, 10)), profile, tmp_path / "pushed")
    assert moved[0] == "camera_moved"
    stood, stands = (
        read_log(tmp_path / name / "a.jsonl").headers[0]["calibration"]["t_mm"] for name in (".", "pushed")
    )
    mm_px = stood[2] / profile.camera.k[0, 0]
    assert stands[0] - stood[0] == pytest.approx(10 * mm_px, rel=0.1)
    assert float(moved[1].split("about ")[1].split(" mm")[0]) == pytest.approx(10 * mm_px, rel=0.1)


def test_a_profile_whose_board_is_not_in_the_picture_judges_nothing(profile: Profile, tmp_path: Path) -> None:
    dark = [replace(f, picture=replace(f.picture, y=np.full_like(f.picture.y, 90))) for f in frames(12)]
    with pytest.raises(CalibrationError, match="free its lines and circles"):
        alerts(Recorded(dark), profile, tmp_path)
    assert not (tmp_path / "a.jsonl").exists()


def test_a_source_without_pictures_writes_no_log(tmp_path: Path) -> None:
    with pytest.raises(CalibrationError, match="gave no picture"):
        referee(Recorded([]), MatchSettings(), tmp_path / "a.jsonl", "m")
    assert not (tmp_path / "a.jsonl").exists()


def test_a_source_shorter_than_the_first_look_is_refereed_all_the_same(profile: Profile, tmp_path: Path) -> None:
    outcome: MatchOutcome = referee(Recorded(frames(3)), MatchSettings(profile), tmp_path / "a.jsonl", "m")
    assert outcome.frames == 3
    assert read_log(tmp_path / "a.jsonl").lines[1]["type"] == "formation"


def test_it_stops_after_the_frame_at_which_it_is_asked_to(profile: Profile, tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    outcome = referee(Recorded(frames(20)), MatchSettings(profile), log, "m", stopped=lambda t: t >= 0.4)
    assert outcome.frames == 13
    assert all(line["type"] != "alert" for line in read_log(log).lines)


def test_the_first_frames_stay_good_though_the_source_uses_its_buffer_again(profile: Profile) -> None:
    def reused() -> Iterator[Frame]:
        buffer = pictures()[0].y.copy()
        for i, picture in enumerate(pictures()[:8]):
            buffer[:] = picture.y
            yield Frame(replace(picture, y=buffer), i / FPS, i, 0.0)

    prepared = ready(reused(), MatchSettings(profile))
    looked = [frame.picture.y for frame in prepared.first]
    assert not any(np.array_equal(a, b) for a, b in pairwise(looked))


def test_no_first_frame_is_kept_once_it_has_been_passed_on(profile: Profile) -> None:
    """Eight pictures of 1456x1088 take 19 MB."""
    frames = [Frame(picture, i / FPS, i, 0.0) for i, picture in enumerate(pictures()[:9])]
    coming = iter(frames)
    prepared = ready(coming, MatchSettings(profile))
    passed = [(frame.index, len(prepared.first)) for frame in prepared.followed_by(coming)]
    assert passed == [*((i, 7 - i) for i in range(8)), (8, 0)]


def test_a_clock_that_is_set_during_a_match_is_logged_once(tmp_path: Path) -> None:
    wall, steady = [1000.0], [5.0]
    clock = WallClock(lambda: wall[0], lambda: steady[0])
    with LogWriter(tmp_path / "a.jsonl") as log:
        session = Session(log, Start("m"))
        session.begin(1000.0)
        for later, by in ((1.0, 1.0), (2.0, 86402.5), (3.0, 1.0)):
            steady[0] += 1.0
            wall[0] += by
            clock.check(session, later)
    assert read_log(tmp_path / "a.jsonl").lines[1:] == ({"type": "clock", "t": 2.0, "wall": 87403.5},)


def test_the_live_board_shows_pieces_hands_and_phase_in_millimetres(profile: Profile) -> None:
    moment = frames(len(pictures()))
    prepared = ready(iter(moment), MatchSettings(profile))
    shown = []
    for frame in moment:
        list(prepared.seeing.process(frame))
        shown.append(live(prepared.seeing, frame.t, load_book()))
    assert len(shown[0]["pieces"]) == 19
    assert {"waiting", "hand", "moving"} <= {s["phase"] for s in shown}
    hands = [hand for s in shown for hand in s["hands"]]
    assert hands
    assert all(len(hand) >= 3 and all(abs(c) < 450 for point in hand for c in point) for hand in hands)
    flying = next(s for s in shown if s["phase"] == "moving")
    assert all(abs(p["x_mm"]) <= 371 and abs(p["y_mm"]) <= 371 for p in flying["pieces"])


def test_the_striker_being_placed_is_told_before_the_stroke_as_the_stroke_tells_it_after(profile: Profile) -> None:
    moment = [Frame(picture, i / FPS, i, 0.0) for i, picture in enumerate(one_stroke())]
    prepared = ready(iter(moment), MatchSettings(profile))
    placed, strokes = [], []
    for frame in moment:
        strokes += [fact for fact in prepared.seeing.process(frame) if isinstance(fact, Stroke)]
        told = live(prepared.seeing, frame.t, load_book())
        assert (told["phase"] == "placed") == (told["placement"] is not None)
        if told["placement"]:
            placed.append(told["placement"])
            assert [p["kind"] for p in told["pieces"]].count("striker") == 1
    (stroke,) = strokes
    assert stroke.placement is not None
    last = placed[-1]
    assert last["seat"] == stroke.seat.value
    assert (last["x_mm"], last["y_mm"]) == pytest.approx((stroke.placement.x_mm, stroke.placement.y_mm), abs=1.5)
    assert last["margin_mm"] == pytest.approx(stroke.placement.margin_mm, abs=1.5)


def titled(count: int, seconds: float) -> list[Frame]:
    """A recording that begins with a title, and its frames of the board."""
    title = Picture(np.full_like(pictures()[0].y, 60), pictures()[0].u, pictures()[0].v, pictures()[0].full_range)
    first = round(seconds * FPS)
    shown = [*[title] * first, *pictures()[:count]]
    return [Frame(picture, i / FPS, i, 0.0) for i, picture in enumerate(shown)]


@pytest.mark.parametrize("given", [True, False])
def test_a_recording_that_begins_with_a_title_is_refereed_from_where_it_shows_the_board(
    profile: Profile, tmp_path: Path, given: bool
) -> None:
    log = tmp_path / "a.jsonl"
    outcome = referee(Recorded(titled(60, 0.9)), MatchSettings(profile if given else None), log, "m")
    _, late, table, *_, ended = read_log(log).lines
    assert (late["kind"], table["type"], ended["kind"]) == ("board_late", "formation", "source_ended")
    assert 0.9 <= late["t"] == table["t"] < 1.25 * 0.9 + 8 / FPS
    assert outcome.frames == round((ended["t"] - late["t"]) * FPS) + 1


def test_a_camera_that_shows_no_board_is_not_waited_for_by_looking_on(profile: Profile, tmp_path: Path) -> None:
    with pytest.raises(CalibrationError):
        referee(Recorded(titled(60, 0.9), live=True), MatchSettings(profile), tmp_path / "a.jsonl", "m")


def test_a_recording_that_never_shows_a_board_ends_in_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(CalibrationError):
        referee(Recorded(titled(0, 20.0)), MatchSettings(), tmp_path / "a.jsonl", "m")
    assert not (tmp_path / "a.jsonl").exists()


def test_whoever_stops_it_waits_for_no_board(tmp_path: Path) -> None:
    with pytest.raises(CalibrationError):
        referee(Recorded(titled(60, 0.9)), MatchSettings(), tmp_path / "a.jsonl", "m", stopped=lambda t: t > 0.3)
