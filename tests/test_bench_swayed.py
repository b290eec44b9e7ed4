"""Clips from a camera that sways: by how much, and that nothing else is changed."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.geometry.picture import SimilarityTransform
from referee.frames.open import open_source
from tools.bench.swayed import Swayed, Swaying, Wave, swayed, swaying

SIZE = (160, 120)
SPOT = (100.0, 50.0)
STILL = Wave(0.0, 1.0, 0.0)


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """Four pictures of a pale red spot with soft edges."""
    folder = tmp_path / "clip"
    folder.mkdir()
    x, y = np.meshgrid(np.arange(SIZE[0]), np.arange(SIZE[1]))
    spot = np.exp(-((x - SPOT[0]) ** 2 + (y - SPOT[1]) ** 2) / (2 * 6.0**2))
    image = (40 + spot[..., None] * (60, 60, 180)).astype(np.uint8)
    for i in range(4):
        cv2.imwrite(str(folder / f"{i}.png"), image)
    return folder


def place(plane: np.ndarray) -> tuple[float, float]:
    """Column and row of the middle of what stands out, in the plane's own points."""
    level = np.abs(plane.astype(float) - np.median(plane))
    level[level < 4] = 0.0
    x, y = np.meshgrid(np.arange(plane.shape[1]), np.arange(plane.shape[0]))
    return float((x * level).sum() / level.sum()), float((y * level).sum() / level.sum())


@pytest.mark.parametrize(
    "sway",
    [
        SimilarityTransform(1.5, -2.0),
        SimilarityTransform(turn=0.02, middle=(79.5, 59.5)),
        SimilarityTransform(0.5, 0.0, zoom=0.03, middle=(79.5, 59.5)),
    ],
)
def test_all_planes_show_a_thing_where_the_sway_says(clip: Path, sway: SimilarityTransform) -> None:
    with open_source(str(clip)) as source:
        picture = next(iter(source)).picture
    shown, (x, y) = swayed(picture, sway), sway.moved(np.array([SPOT], np.float32))[0]
    assert place(shown.y) == pytest.approx((x, y), abs=0.1)
    for plane in (shown.u, shown.v):
        assert place(plane) == pytest.approx((x / 2 - 0.25, y / 2 - 0.25), abs=0.2)


def test_frames_are_passed_on_at_their_times_each_swayed_as_it_is_then(clip: Path) -> None:
    how = Swaying((Wave(3.0 * 1456 / SIZE[0], 1.0, 1.0), STILL), (STILL, STILL), STILL, STILL)
    with open_source(str(clip)) as source:
        own = [(f.t, f.index) for f in source]
    with Swayed(open_source(str(clip)), how) as source:
        frames = list(source)
    assert [(f.t, f.index) for f in frames] == own
    for frame in frames:
        x, y = place(frame.picture.y)
        assert (x, y) == pytest.approx((SPOT[0] + how.at(frame.t, *SIZE).right, SPOT[1]), abs=0.1)
    assert len({round(place(f.picture.y)[0], 1) for f in frames}) > 1


def test_each_clip_sways_its_own_way_the_same_for_the_same_seed() -> None:
    assert swaying(1, "arrow") == swaying(1, "arrow")
    assert len({swaying(seed, name) for seed in range(4) for name in ("arrow", "moon")}) == 8
    for seed in range(50):
        how = swaying(seed, "arrow")
        assert all(0.1 < wave.most < 1.0 for wave in (how.right[0], how.down[0]))
        assert all(3.0 < wave.hz < 15.0 for wave in (how.right[1], how.down[1]))
        assert how.turn.most < 1e-3
        assert how.zoom.most < 5e-3
