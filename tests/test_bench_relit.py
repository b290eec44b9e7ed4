"""Clips in another light: what is changed, and that nothing else is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from bench_truth import truth
from numpy.typing import NDArray

from calibration.geometry.picture import U8, Picture
from referee.frames.open import open_source
from tools.bench.altered import Altered
from tools.bench.relit import Light, Relit, light

SIZE = (64, 48)
PALE, RED = (230, 230, 230), (60, 60, 200)


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """Three pictures that are pale to the left and red to the right."""
    folder = tmp_path / "clip"
    folder.mkdir()
    image = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
    image[:, : SIZE[0] // 2], image[:, SIZE[0] // 2 :] = PALE, RED
    for i in range(3):
        cv2.imwrite(str(folder / f"{i}.png"), image)
    return folder


def shown(clip: Path, how: Light) -> list[Picture]:
    with Relit(open_source(str(clip)), how) as source:
        return [frame.picture for frame in source]


def half(plane: U8, right: bool) -> NDArray[np.float64]:
    """The inner part of a half of a plane."""
    rows, columns = plane.shape
    first = columns // 2 * right + columns // 8
    return plane[rows // 4 : -(rows // 4), first : first + columns // 4].astype(np.float64)


def means(pictures: Sequence[Picture], right: bool) -> tuple[float, float, float]:
    """Y, U, V of a half."""
    y, u, v = (float(half(plane, right).mean()) for plane in (pictures[0].y, pictures[0].u, pictures[0].v))
    return y, u, v


def test_a_light_like_the_clips_own_changes_nothing(clip: Path) -> None:
    with open_source(str(clip)) as source:
        own = [(frame.t, frame.index, frame.picture.y.copy(), frame.picture.v.copy()) for frame in source]
    with Relit(open_source(str(clip)), Light()) as source:
        frames = list(source)
        assert (source.fps, source.live) == (open_source(str(clip)).fps, False)
    assert [(f.t, f.index) for f in frames] == [(t, i) for t, i, *_ in own]
    for frame, (_, _, y, v) in zip(frames, own, strict=True):
        np.testing.assert_allclose(frame.picture.y, y, atol=1)
        np.testing.assert_allclose(frame.picture.v, v, atol=1)


def test_tones_white_balance_and_saturation_do_what_they_say(clip: Path) -> None:
    y, u, v = means(shown(clip, Light()), right=False)
    assert means(shown(clip, Light(gamma=1.5)), right=False)[0] < y - 5
    reddish = means(shown(clip, Light(cast=1.0)), right=False)
    assert reddish[1] < u - 5
    assert reddish[2] > v + 5
    red = means(shown(clip, Light()), right=True)[2]
    assert means(shown(clip, Light(saturation=0.5)), right=True)[2] - 128 == pytest.approx((red - 128) / 2, abs=2)
    dull = shown(clip, Light(black=0.1, white=0.8))
    full = means(shown(clip, Light()), right=False)[0] - means(shown(clip, Light()), right=True)[0]
    assert means(dull, right=False)[0] - means(dull, right=True)[0] == pytest.approx(0.7 * full, rel=0.05)


def test_a_lamp_a_reflection_noise_and_focus_lie_over_the_picture(clip: Path) -> None:
    y = means(shown(clip, Light()), right=False)[0]
    assert means(shown(clip, Light(lamp=0.5, lamp_towards=0.0)), right=False)[0] < 0.85 * y
    spot = shown(clip, Light(gamma=2.0, spot=0.3, spot_at=(0.25, 0.5), spot_size=0.1))[0].y.astype(int)
    assert spot[SIZE[1] // 2, SIZE[0] // 4] > spot[2, 2] + 30
    noisy = shown(clip, Light(gamma=1.5, noise=5.0))
    assert float(half(noisy[0].y, right=True).std()) == pytest.approx(5.0, rel=0.3)
    assert (noisy[0].y != noisy[1].y).any()
    sharp, soft = (np.abs(np.diff(shown(clip, Light(blur_px=b))[0].y.astype(int), axis=1)).max() for b in (0.0, 1.4))
    assert soft < 0.5 * sharp


def test_each_clip_and_each_seed_has_a_light_of_its_own_the_same_each_time() -> None:
    lights = [light(seed, name) for seed in range(20) for name in ("moon", "break")]
    assert len(set(lights)) == len(lights)
    assert lights == [light(seed, name) for seed in range(20) for name in ("moon", "break")]
    for each in lights:
        changed = {n.split("_")[0].replace("white", "black") for n in Light.__slots__
                   if getattr(each, n) != getattr(Light(), n)}  # fmt: skip
        assert 2 <= len(changed) <= 4


def test_a_clip_is_shown_in_every_way_that_is_asked_for(clip: Path) -> None:
    true = replace(truth(), name="moon", video=clip)
    with Altered().source(true) as source:
        own = next(iter(source)).picture
        own = own.y.copy(), own.u.copy()
    for how, size in ((Altered(relit=1), SIZE), (Altered(swayed=1), SIZE), (Altered(rehung=1), None)):
        with how.source(true) as source:
            shown_so = next(iter(source)).picture
        assert (shown_so.y.shape == own[0].shape) == (size is not None)
        assert size is None or (shown_so.y != own[0]).any()
    assert Altered(relit=1, swayed=1).truth(true) is true
    assert Altered(rehung=1).truth(true).camera != true.camera
