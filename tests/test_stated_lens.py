"""The focal length by datasheet or Exif narrows the camera's height where it holds; where it does not, that is told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn_board import camera, error_mm, picture

from calibration.calibrate import calibrate
from calibration.find_board.stated_lens import joined
from calibration.fit_board.mark_samples import layout_of
from calibration.fit_board.solve import Solution, parameters
from calibration.geometry.camera import Camera
from calibration.geometry.lens import Lens, LensOrigin, StatedLens
from calibration.geometry.picture import Picture
from calibration.profile import Profile
from models.board import load_board
from models.pieces import Kind


@pytest.fixture(scope="module")
def view() -> Camera:
    """A camera that looks so aslant that the picture tells its focal length to some percent."""
    return camera(tilt=9.0)


@pytest.fixture(scope="module")
def seen(view: Camera) -> Picture:
    return picture(view)


@pytest.fixture(scope="module")
def alone(seen: Picture) -> Profile:
    return calibrate([seen])


def stated(view: Camera, times: float = 1.0) -> StatedLens:
    return StatedLens(times * float(view.k[0, 0]), 0.04, 0.8, LensOrigin.DATASHEET)


def test_a_stated_lens_narrows_the_height(view: Camera, seen: Picture, alone: Profile) -> None:
    found = calibrate([seen], stated_lens=stated(view, 1.02))
    assert found.lens is LensOrigin.DATASHEET
    assert abs(found.camera.position[2] / view.position[2] - 1.0) < 0.04
    assert found.doubt.height_sigma(found.camera) < alone.doubt.height_sigma(alone.camera)
    assert found.sigmas([(250.0, 250.0)], Kind.STRIKER).max() < alone.sigmas([(250.0, 250.0)], Kind.STRIKER).max()


@pytest.mark.parametrize("times", [0.6, 1.7])
def test_an_exchanged_lens_is_told_and_moves_nothing(view: Camera, seen: Picture, alone: Profile, times: float) -> None:
    found = calibrate([seen], stated_lens=stated(view, times))
    assert found.lens is LensOrigin.EXCHANGED
    assert found.camera.position[2] == pytest.approx(alone.camera.position[2], rel=0.03)
    assert error_mm(view, found.camera, load_board()) < 0.5


def test_a_measured_lens_needs_no_stated_one(view: Camera, seen: Picture) -> None:
    found = calibrate([seen], lens=Lens(view.width, view.height, view.k, view.dist), stated_lens=stated(view, 1.7))
    assert found.lens is LensOrigin.GIVEN
    assert found.camera.k[0, 0] == pytest.approx(view.k[0, 0])


def test_the_profile_keeps_where_its_lens_is_from(view: Camera, alone: Profile) -> None:
    assert alone.lens is LensOrigin.ESTIMATED
    kept = Profile.from_json(replace(alone, lens=LensOrigin.EXCHANGED).to_json())
    assert kept.lens is LensOrigin.EXCHANGED


def test_two_explanations_differ_along_the_course_of_one_picture(view: Camera) -> None:
    """A lens and a height 20 % shorter show the same surface: that must not look like a doubt of its places."""
    layout, size = layout_of(load_board()), len(parameters(view))
    still = np.zeros((size + len(layout.vector()),) * 2)
    k, dist, less = view.k.copy(), view.dist * [0.64, 0.4096, 1.0, 1.0, 1.0], np.log(0.8)
    k[[0, 1], [0, 1]] *= 0.8
    lower = Camera.of(view.width, view.height, k, dist, view.r, 0.8 * view.t)
    own, other = (Solution(each, layout, np.zeros(0), still) for each in (view, lower))
    covariance = joined(own, other, 0.25).covariance
    assert covariance[0, 0] == pytest.approx(0.25 * less**2)
    ways = covariance[0] / covariance[0, 0]
    assert ways[size - 3 : size] == pytest.approx(view.t)
