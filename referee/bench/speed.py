"""Speed of the whole referee on one recording: by content of the frames, beside yardsticks, and by stage."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from calibration.calibrate import calibrate
from calibration.geometry.picture import Picture
from calibration.profile import Profile
from referee.bench.recording import FrameContent, FramePlayer, FrameRecording, Label
from referee.bench.stages import Profiles
from referee.bench.watched import TimedSource
from referee.bench.yardsticks import Cost, Yardstick, Yardsticks, timed
from referee.pipeline import MatchSettings, referee
from referee.pipeline.startup import copied_picture
from referee.seeing import FIRST_FRAMES

YARDSTICK_EVERY = 10
"""Interval of frames at which the yardsticks are measured. They cost the same whatever a frame shows."""
PLAYS = 5
"""Number of times a recording is played. The yardsticks are measured before and after each play. A frame's time is the
median over its plays, since machines have busy moments.
"""


@dataclass(frozen=True, slots=True)
class Speed:
    """Results of one recording."""

    recording: FrameRecording
    yardsticks: dict[Yardstick, Cost]
    shows: dict[FrameContent, Cost]
    """Cost by content of the frames; content that never occurred is missing."""
    every_play: dict[FrameContent, Cost]
    """The same with every play's frames counted separately, busy moments included."""
    by_moving: dict[int, Cost]
    """Cost by number of moving pieces; 0 counts frames without a hand only."""
    stages: dict[str, dict[str, float]]
    """Each module's share of the time, by content of the frames."""
    calibration_s: float
    board_bytes: int
    """Bytes of a frame's three planes that show the playing surface: the least that an analysis of all of it
    must read.
    """

    def ratio(self, show: FrameContent, yardstick: Yardstick) -> tuple[float, float]:
        """Returns the median and 99th percentile of a frame's cost, in medians of a yardstick."""
        cost, unit = self.shows[show], self.yardsticks[yardstick].median
        return cost.median / unit, cost.p99 / unit


def measure_speed(recording: FrameRecording) -> Speed:
    """Plays a recording `PLAYS` times for the times and once for the stages. Raises CalibrationError."""
    profile, calibration_s = timed_calibration(recording)
    units, plays = yardstick_seconds(recording, profile), list[list[float]]()
    for _ in range(PLAYS):
        plays.append(_seconds(recording, profile))
        for name, more in yardstick_seconds(recording, profile).items():
            units[name] += more
    yardsticks = {y: Cost.of(units[y]) for y in Yardstick}
    labels, seconds = recording.labels[FIRST_FRAMES:], [float(t) for t in np.median(plays, axis=0)]
    counts = sorted({label.moving for label in labels})
    moving = {n: [s for s, label in zip(seconds, labels, strict=True) if label.moving == n and (n or not label.hand)]
              for n in counts}  # fmt: skip
    return Speed(
        recording, yardsticks, _costs(labels, [seconds]), _costs(labels, plays),
        {n: Cost.of(s) for n, s in moving.items() if s}, _stages(recording, profile), calibration_s,
        board_bytes(profile),
    )  # fmt: skip


def _costs(labels: Sequence[Label], plays: Sequence[list[float]]) -> dict[FrameContent, Cost]:
    """Returns the cost of frames by content, over some plays of one recording."""
    shows = {show: [s for play in plays for s, label in zip(play, labels, strict=True) if label.show is show]
             for show in FrameContent}  # fmt: skip
    return {show: Cost.of(seconds) for show, seconds in shows.items() if seconds}


def board_bytes(profile: Profile) -> int:
    """Returns the bytes of a frame's planes (luma, and chroma at half its size) that show the playing surface."""
    half = profile.board.half
    corners = profile.camera.to_pixels([(-half, -half), (half, -half), (half, half), (-half, half)])
    return round(1.5 * cv2.contourArea(corners.astype(np.float32)))


def timed_calibration(recording: FrameRecording) -> tuple[Profile, float]:
    """Returns the profile from the first frames, and the time (s) that it took."""
    pictures = first_pictures(recording)
    found: list[Profile] = []
    seconds = timed(lambda: found.append(calibrate(pictures)))
    return found[0], seconds


def first_pictures(recording: FrameRecording) -> list[Picture]:
    """Returns copies of the pictures that a calibration needs."""
    with FramePlayer(recording, FIRST_FRAMES) as player:
        return [copied_picture(frame.picture) for frame in player]


def yardstick_seconds(recording: FrameRecording, profile: Profile) -> dict[Yardstick, list[float]]:
    """Returns the yardsticks' times (s) on the recording's own frames."""
    work = Yardsticks(profile.camera, profile.board.half)
    seconds: dict[Yardstick, list[float]] = {y: [] for y in Yardstick}
    with FramePlayer(recording) as player:
        for index, frame in player.raw():
            if index % YARDSTICK_EVERY == 0:
                for name, spent in work.seconds(frame).items():
                    seconds[name].append(spent)
    return seconds


def _seconds(recording: FrameRecording, profile: Profile) -> list[float]:
    """Returns the referee's time (s) for each frame after the first ones, log and laws included."""
    watched = TimedSource(FramePlayer(recording))
    _referee(watched, profile)
    return watched.spent.seeing


def _stages(recording: FrameRecording, profile: Profile) -> dict[str, dict[str, float]]:
    profiles = Profiles()

    def around(index: int) -> AbstractContextManager[object]:
        return nullcontext() if index < FIRST_FRAMES else profiles.of(recording.labels[index].show.value)

    _referee(TimedSource(FramePlayer(recording), around=around), profile)
    return profiles.shares()


def _referee(watched: TimedSource, profile: Profile) -> None:
    with tempfile.TemporaryDirectory() as passing:
        referee(watched, MatchSettings(profile=profile), Path(passing) / "log.jsonl", "bench")
