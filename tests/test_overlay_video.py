"""A clip for others: slow motion where the stroke is, and what was seen drawn where it was."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest
from click.testing import CliRunner

from calibration.geometry.camera import Camera
from referee.cli import main
from referee.replay.cliptimes import clip_times
from referee.replay.match_folder import MatchFolder
from referee.replay.overlay_video import slowed
from referee.replay.store import Replay


@pytest.fixture(scope="module")
def exported(kept: MatchFolder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The clip of the recorded stroke as exported, three times slower."""
    out = tmp_path_factory.mktemp("exported") / "out.mp4"
    options = ["--clip", str(out), "--stroke", "1", "--slow", "3"]
    result = CliRunner().invoke(main, ["export", str(kept.log), *options])
    assert result.exit_code == 0, result.output
    return out


def test_time_passes_slower_between_strike_and_rest() -> None:
    clock = list(slowed((5.0, 6.0, 7.0, 8.0, 9.0), 6.0, 8.0, 4.0))
    assert clock == [0.0, 1.0, 5.0, 9.0, 10.0]


def test_the_exported_clip_is_slow_and_shows_rings_where_pieces_lie(kept: MatchFolder, exported: Path) -> None:
    replay, told = Replay(kept.log), clip_times(kept, 1)
    assert told is not None
    with av.open(str(exported)) as container:
        frames = list(container.decode(video=0))
    stroke = replay.strokes[1].line
    longer = 2 * (min(stroke["t_rest"] + 0.1, told.times[-1]) - stroke["t_strike"] + 0.2)
    assert frames[-1].time == pytest.approx(told.times[-1] - told.times[0] + longer, abs=0.15)
    with av.open(str(kept.clip(1))) as container:
        plain = next(container.decode(video=0)).to_ndarray(format="gray").astype(int)
    drawn = frames[0].to_ndarray(format="gray").astype(int)
    lying = replay.tracks(1).lying
    first = lying[lying["change"] == 0]
    rims = np.column_stack([first["x"] + 15.5, first["y"]])
    at = np.rint(Camera.from_dict(told.camera).to_pixels(rims, told.top_mm)).astype(int)
    changed = [np.abs(drawn - plain)[y - 1 : y + 2, x - 1 : x + 2].max() for x, y in at]
    assert np.median(changed) > 25


def test_what_was_exported_is_never_deleted(kept: MatchFolder, exported: Path) -> None:
    assert kept.keep_mark(1).exists()


@pytest.mark.parametrize(
    ("stroke", "why"), [("9", "must be one of this match's strokes"), ("1", "no video of stroke 1")]
)
def test_without_stroke_or_video_a_sentence_says_so(analysed: Path, tmp_path: Path, stroke: str, why: str) -> None:
    options = ["--clip", str(tmp_path / "out.mp4"), "--stroke", stroke]
    result = CliRunner().invoke(main, ["export", str(analysed), *options])
    assert result.exit_code != 0
    assert why in result.output
    assert not (tmp_path / "out.mp4").exists()
