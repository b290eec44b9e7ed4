"""Analyses the strokes of a stored match again from its clips, with the vision of this program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from calibration.calibrate import CalibrationError
from calibration.geometry.camera import Camera
from calibration.profile import Profile, ProfileError, load_profile
from referee.facts import Stroke
from referee.frames.frame import SourceError
from referee.frames.video import VideoFile
from referee.log import line_of
from referee.pipeline.startup import MatchSettings, ready
from referee.replay.reanalyse import NotReanalysed, ReanalysedStroke
from referee.replay.store import Replay, StrokeRecord

CLIPS_SAME_S = 0.5
"""Greatest difference between the times of the strike, in seconds, as logged and as detected again in the clip."""


def reanalysed_from_clips(replay: Replay, only: int | None = None) -> Iterator[ReanalysedStroke]:
    """Yields every stroke, or only one, as detected in its clip.

    Raises ProfileError if the board's profile was not stored.
    """
    profile = load_profile(replay.folder.profile)
    for n, record in replay.strokes.items():
        if only not in (None, n):
            continue
        if record.clip is None:
            yield ReanalysedStroke(
                n, None, "no video of it was kept, or it was deleted to make room", NotReanalysed.NO_VIDEO
            )
            continue
        try:
            yield _facts_of(replay, record, profile)
        except (SourceError, CalibrationError, ProfileError) as e:
            yield ReanalysedStroke(n, None, str(e), NotReanalysed.UNREADABLE)


def _facts_of(replay: Replay, record: StrokeRecord, profile: Profile) -> ReanalysedStroke:
    assert record.clip is not None
    begun = record.clip.times[0]
    setting = MatchSettings(profile=replace(profile, camera=Camera.from_dict(record.clip.camera)), stands=True)
    with VideoFile(str(replay.folder.clip(record.n))) as source:
        frames = iter(source)
        prepared = ready(frames, setting)
        facts = [fact for frame in prepared.followed_by(frames) for fact in prepared.seeing.process(frame)]
    strokes = [_on_log_clock(fact, begun, record.n) for fact in facts if isinstance(fact, Stroke)]
    same = [s for s in strokes if abs(s.t_strike - record.line["t_strike"]) <= CLIPS_SAME_S]
    if not same:
        return ReanalysedStroke(record.n, None, "in its clip no stroke is seen at that moment", NotReanalysed.NOT_FOUND)
    return ReanalysedStroke(record.n, line_of(min(same, key=lambda s: abs(s.t_strike - record.line["t_strike"]))))


def _on_log_clock(stroke: Stroke, begun: float, n: int) -> Stroke:
    """Returns the stroke on the log's clock, under its number."""
    return replace(
        stroke, n=n, t_placed=None if stroke.t_placed is None else stroke.t_placed + begun,
        t_strike=stroke.t_strike + begun, t_rest=stroke.t_rest + begun, t_called=stroke.t_called + begun,
        pocketed=tuple(replace(p, t=p.t + begun) for p in stroke.pocketed),
        off_board=tuple(replace(o, t=o.t + begun) for o in stroke.off_board),
    )  # fmt: skip
