"""Referees clips with ground truth in this process as `analyse` would: score sheets and times."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from calibration.calibrate import CalibrationError
from referee.bench.measure import logged, score_clip
from referee.bench.score import ScoreRow, ScoreSheet
from referee.bench.truth import Truth
from referee.bench.watched import FrameTimes, TimedSource
from referee.bench.yardsticks import Yardstick, Yardsticks
from referee.frames.frame import Source, SourceError
from referee.frames.open import open_source
from referee.log import read_log
from referee.pipeline import MatchSettings, referee
from referee.pipeline.run_match import Audience

MEASURED_FRAMES = 24
"""Frames of a clip on which the yardsticks are measured. The costliest takes a second for them."""


class ClipPlayer:
    """Plays clips unchanged. A subclass may change the picture, and the truth with it."""

    def truth(self, truth: Truth) -> Truth:
        """Returns the truth of the clip as played."""
        return truth

    def source(self, truth: Truth) -> Source:
        """Returns the frames of the clip as played."""
        return open_source(str(truth.video))


AS_FILMED = ClipPlayer()


@dataclass(frozen=True, slots=True)
class ClipResult:
    """Result of one clip."""

    truth: Truth
    sheet: ScoreSheet
    spent: FrameTimes
    failure: str | None
    """Why it could not be refereed; None if it could."""
    log: Path
    shown: ClipPlayer = AS_FILMED

    def source(self) -> Source:
        """Returns the clip's frames as they were refereed."""
        return self.shown.source(self.truth)


def referee_clip(truth: Truth, folder: Path, shown: ClipPlayer = AS_FILMED,
                 audience: Audience | None = None) -> ClipResult:  # fmt: skip
    """Referees one clip into `folder`/NAME.jsonl and scores it. A clip that cannot be refereed is a result too."""
    truth, log = shown.truth(truth), folder / f"{truth.name}.jsonl"
    log.unlink(missing_ok=True)
    yardsticks = Yardsticks(truth.camera, truth.marks.half)
    watched = TimedSource(shown.source(truth), yardsticks, max(1, truth.frames // MEASURED_FRAMES))
    failure = None
    try:
        referee(watched, MatchSettings(), log, truth.name, audience=audience)
    except (SourceError, CalibrationError) as e:
        failure = str(e)
    lines = read_log(log).lines if log.is_file() else ()
    sheet = score_clip(truth, logged(lines, (truth.camera.width, truth.camera.height)))
    sheet.count(ScoreRow.CALIBRATED, failure is None)
    if failure is not None:
        sheet.wrong.insert(0, f"{truth.name}: {failure}")
    return ClipResult(truth, sheet, watched.spent, failure, log, shown)


def referee_clips(clips: list[Truth], folder: Path | None, shown: ClipPlayer = AS_FILMED,
                  audience: Audience | None = None) -> Iterator[ClipResult]:  # fmt: skip
    """Yields the results of the clips, followed by an `audience`; logs are stored in `folder` if one is given."""
    with tempfile.TemporaryDirectory() as passing:
        place = folder or Path(passing)
        place.mkdir(parents=True, exist_ok=True)
        for truth in clips:
            yield referee_clip(truth, place, shown, audience)


def tutorial_ratio(results: list[ClipResult]) -> float | None:
    """Returns by what factor all clips together were refereed faster than by the tutorial pipeline, decoding
    excluded.
    """
    ours = sum(sum(r.spent.seeing) for r in results)
    frames = [(len(r.spent.seeing), r.spent.yardsticks[Yardstick.TUTORIAL]) for r in results]
    theirs = sum(count * sum(seconds) / len(seconds) for count, seconds in frames if seconds)
    return theirs / ours if ours else None
