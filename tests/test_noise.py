"""Noise told by counting levels, held against differences put in order."""

from __future__ import annotations

from itertools import pairwise
from statistics import NormalDist

import numpy as np
import pytest
from film import Film, strokes
from filmed_strokes import HOLE, OTHERS, Y, ghost
from hypothesis import given
from hypothesis import strategies as st
from sim_clips import FPS
from sim_scenes import studio
from watching import BEGINNING

from calibration.geometry.picture import Picture
from models.pieces import Kind, Piece, Pocket
from referee.facts import Fact
from referee.foreground.background import BackgroundModel
from referee.foreground.noise import quantile, sigma_of
from referee.frames.frame import Frame
from referee.seeing import Seeing

SURE = 0.9
GRAINY, LOUD = 7.0, 30.0
"""Noise of a camera in dim light, and of no camera for long, levels."""


@given(st.lists(st.integers(0, 255), min_size=1, max_size=40), st.floats(0.0, 1.0))
def test_a_quantile_of_counted_levels_is_that_of_the_levels(levels: list[int], share: float) -> None:
    counts = np.bincount(levels, minlength=256)
    assert quantile(counts, share) == pytest.approx(float(np.quantile(levels, share)), abs=1e-9)


@pytest.mark.parametrize("sigma", [0.0, 0.4, 2.0, 9.0])
@pytest.mark.parametrize("share", [0.68, 0.9995])
def test_noise_is_what_differences_in_order_tell(sigma: float, share: float) -> None:
    rng = np.random.default_rng(1)
    planes = [np.clip(rng.normal(90, sigma, (70, 90)), 0, 255).astype(np.uint8) for _ in range(5)]
    off = [np.abs(a.astype(np.int16) - b) for a, b in pairwise(planes)]
    bare = None if share < 0.9 else np.ones((70, 90), bool)
    normal = NormalDist().inv_cdf((1 + share) / 2) * np.sqrt(2)
    assert sigma_of(planes, bare) == pytest.approx(float(np.percentile(off, 100 * share)) / normal, abs=0.02)


def test_a_lamp_that_flickers_is_no_noise() -> None:
    """Under mains of 50 Hz every other picture of a camera is brighter, by several levels."""
    rng = np.random.default_rng(1)
    planes = [(rng.normal(90 + 9 * (i % 2), 1.0, (70, 90)) + 0.5).astype(np.uint8) for i in range(5)]
    assert sigma_of(planes) == pytest.approx(1.0, abs=0.3)


def test_colours_compressed_in_steps_are_as_noisy_as_their_rare_leaps() -> None:
    """A webcam's chroma stays the same but for blocks that leap by 8 levels: 1 in 500 of them."""
    rng = np.random.default_rng(1)
    planes = [np.where(rng.random((70, 90)) < 0.002, 98, 90).astype(np.uint8) for _ in range(5)]
    assert sigma_of(planes) == 0.0
    assert 5 * sigma_of(planes, np.ones((70, 90), bool)) > 8.0


def noisy(picture: Picture, sigma: float, seed: int) -> Picture:
    """Returns the picture with more noise in its brightness, levels."""
    noise = np.random.default_rng(seed).normal(0.0, sigma, picture.y.shape)
    return Picture(np.clip(picture.y + noise, 0, 255).astype(np.uint8), picture.u, picture.v, picture.full_range)


def grains(*numbers: int, sigma: float = 0.0) -> list[Picture]:
    """Returns pictures of the bare board with the noise of these numbers, and `sigma` more of it."""
    return [noisy(studio().picture(grain=n), sigma, n) for n in numbers]


def followed(first: list[Picture], then: list[Picture],
             seconds: float) -> tuple[BackgroundModel, tuple[float, float]]:  # fmt: skip
    """Returns a background that learned its noise from the `first` pictures and saw the others for a while, ten a
    second; and the noise that it believed at first.
    """
    background = BackgroundModel(studio().profile)
    samples = [background.lattice.sample(picture) for picture in first]
    later = [background.lattice.sample(picture) for picture in then]
    background.learn_noise(samples)
    background.remember(samples[0], np.zeros(background.lattice.shape, np.uint8))
    believed = background.noise
    for i in range(round(10 * seconds)):
        background.follow_noise(background.compare(later[i % len(later)], i / 10))
    return background, believed


@pytest.mark.parametrize(
    ("first", "luma"),
    [(grains(1) * 8, (0.5, 0.5)), (grains(*range(8), sigma=LOUD), (LOUD / 2, LOUD))],
    ids=["copies of one", "loud"],
)
def test_noise_that_the_first_pictures_hid_or_exaggerated_is_learned_later(
    first: list[Picture], luma: tuple[float, float]
) -> None:
    background, believed = followed(first, grains(1, 2, 3), 12.0)
    known, _ = followed(grains(1, 2, 3, 4), grains(1), 0.0)
    assert luma[0] <= believed[0] <= luma[1]
    assert background.noise == pytest.approx(known.noise, rel=0.1)


def test_noise_that_stays_what_it_was_is_not_learned_again() -> None:
    background, believed = followed(grains(1, 2, 3, 4), grains(1, 2, 3), 12.0)
    assert background.noise == believed


@pytest.mark.parametrize(("first_sigma", "sigma"), [(0.0, GRAINY), (LOUD, 0.0)], ids=["copies of one", "loud"])
def test_no_start_silences_strokes_for_good(first_sigma: float, sigma: float) -> None:
    """The noise is learned from eight pictures. Twelve seconds of rest later a coin is pocketed."""
    coin = Piece(Kind.WHITE, 200.0, 200.0)
    film = Film([*OTHERS, coin])
    film.stroke(0.0, Y, ghost(coin, HOLE), 1500.0)
    shots = [film.at.shot(scene, i) for i, scene in enumerate(film.scenes(4.5))]
    still = [film.at.picture([*OTHERS, coin], grain=i) for i in range(10)]
    first = [noisy(still[i], first_sigma, i) for i in range(BEGINNING)] if first_sigma else [still[0]] * BEGINNING
    rest = [noisy(still[i % 10], sigma, i) for i in range(20)]
    then = [*(rest[i % 20] for i in range(12 * FPS)), *(noisy(shot, sigma, i) for i, shot in enumerate(shots))]
    seeing, told = Seeing(film.at.profile, first), list[Fact]()
    for i, picture in enumerate([*first, *then]):
        told += seeing.process(Frame(picture, i / FPS, i, 0.0))
    (stroke,) = strokes(told)
    assert [(p.kind, p.pocket) for p in stroke.pocketed] == [(Kind.WHITE, Pocket.NE)]
    assert stroke.confidence >= SURE
