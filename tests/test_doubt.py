"""The camera's doubt: wider where the picture tells less, kept in the profile, narrowed by a tape measure."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn_board import camera, picture
from sim_scenes import book_profile

from calibration.calibrate import calibrate
from calibration.doubt import CameraDoubt
from calibration.fit_board.mark_samples import layout_of
from calibration.fit_board.solve import parameters
from calibration.geometry.camera import Camera
from calibration.profile import Profile
from calibration.rescale import rescaled
from calibration.turning import turned
from models.board import load_board
from models.pieces import Kind, Seat, to_side
from referee.setup.exactness import exactness, sure_from_mm

CORNER = [(250.0, 250.0)]
TAPE_OFF_MM = 20.0
"""So far off is a height by tape."""


@pytest.fixture(scope="module")
def view() -> Camera:
    return camera()


@pytest.fixture(scope="module")
def found(view: Camera) -> Profile:
    return calibrate([picture(view)])


@pytest.fixture(scope="module")
def taped(view: Camera) -> Profile:
    return calibrate([picture(view)], height_mm=float(view.position[2]))


def test_a_place_high_above_the_board_is_known_less_well(found: Profile) -> None:
    print_, coin, striker = (found.sigmas(CORNER, kind).max() for kind in (None, Kind.WHITE, Kind.STRIKER))
    assert 0.0 < print_ < coin < striker < 2.0


def test_the_height_is_true_within_its_sigma(found: Profile, view: Camera) -> None:
    sigma = found.doubt.height_sigma(found.camera)
    assert 0.005 < sigma < 0.2
    assert abs(found.camera.position[2] / view.position[2] - 1.0) < 3 * sigma


def test_a_height_by_tape_is_believed_and_narrows_the_doubt(found: Profile, taped: Profile, view: Camera) -> None:
    assert taped.camera.position[2] == pytest.approx(view.position[2], abs=2 * TAPE_OFF_MM)
    assert taped.doubt.height_sigma(taped.camera) < found.doubt.height_sigma(found.camera)
    assert taped.sigmas(CORNER, Kind.STRIKER).max() <= found.sigmas(CORNER, Kind.STRIKER).max()


def test_what_a_tape_would_bring_is_foretold(found: Profile, taped: Profile) -> None:
    foretold = found.doubt.with_measured_height(found.camera, TAPE_OFF_MM).height_sigma(found.camera)
    assert foretold == pytest.approx(taped.doubt.height_sigma(taped.camera), rel=0.5)


def test_the_profile_keeps_the_doubt(found: Profile) -> None:
    kept = Profile.from_json(found.to_json())
    assert np.allclose(kept.doubt.ways, found.doubt.ways)
    assert np.allclose(kept.sigmas(CORNER, Kind.WHITE), found.sigmas(CORNER, Kind.WHITE))


def test_turning_and_rescaling_a_board_turns_and_scales_its_doubt(found: Profile) -> None:
    here, there = found.sigmas([(100.0, 250.0)]), turned(found, 1).sigmas([to_side(Seat.WEST, 100.0, 250.0)])
    assert np.allclose(here, there[:, ::-1], rtol=1e-3)
    larger = rescaled(found, 1.1 * found.board.surface)
    assert np.allclose(larger.sigmas([(110.0, 275.0)]), 1.1 * here, rtol=1e-3)


def test_nothing_is_in_doubt_under_a_certain_camera(found: Profile) -> None:
    certain = book_profile(found.camera)
    assert not replace(found, doubt=certain.doubt).sigmas(CORNER, Kind.STRIKER).any()


def test_a_lower_camera_that_sees_the_same_surface_leaves_its_places_certain(found: Profile) -> None:
    """The square of 10 % less height and focal length made 2 mm of doubt on the surface."""
    way = np.zeros((1, len(parameters(found.camera))))
    way[0, 0], way[0, -1] = 0.1, 0.1 * parameters(found.camera)[-1]
    level = replace(found, doubt=CameraDoubt(way))
    assert level.sigmas(CORNER).max() < 1.0
    assert level.doubt.height_sigma(level.camera) == pytest.approx(0.1, rel=0.05)


def test_one_line_tells_from_where_on_placements_are_called(found: Profile) -> None:
    assert f"{sure_from_mm(found):.1f} mm" in exactness(found)
    way = np.zeros((1, len(parameters(found.camera))))
    way[0, 0], way[0, -1] = np.log(1.3), 0.3 * parameters(found.camera)[-1]
    vague = replace(found, doubt=CameraDoubt(way))
    assert sure_from_mm(vague) > sure_from_mm(found)
    assert "--height" in exactness(vague)


def test_a_home_board_with_the_large_boards_lines_is_recognised() -> None:
    """It was taken for one of 72 cm, 60 mm too large."""
    board = load_board("home60")
    found = calibrate([picture(camera(), board)])
    assert found.board.name == "home60"
    assert layout_of(found.board).rear == pytest.approx(layout_of(board).rear, abs=1.0)
