"""The camera: board to pixels and back."""

import cv2
import numpy as np
import pytest
from drawn_board import camera

from calibration.geometry.camera import Camera

GRID = np.stack(np.meshgrid(np.linspace(-400, 400, 9), np.linspace(-400, 400, 9)), -1).reshape(-1, 2)


@pytest.mark.parametrize("z", [0.0, 8.0, 22.0])
@pytest.mark.parametrize("mirror", [False, True])
def test_to_board_undoes_to_pixels(z: float, mirror: bool) -> None:
    c = camera(tilt=9.0, roll=30.0, k1=-0.11, k2=0.03)
    c = Camera.of(c.width, c.height, c.k, c.dist, c.r, c.t, mirror)
    assert np.abs(c.to_board(c.to_pixels(GRID, z), z) - GRID).max() < 1e-3


@pytest.mark.parametrize("mirror", [False, True])
def test_many_points_are_seen_where_each_is_by_itself(mirror: bool) -> None:
    c = camera(tilt=9.0, roll=30.0, k1=-0.11, k2=0.03)
    c = Camera.of(c.width, c.height, c.k, c.dist, c.r, c.t, mirror)
    rng = np.random.default_rng(1)
    points, heights = rng.uniform(-400, 400, (50_003, 2)), rng.uniform(0, 9, 50_003)
    some = [c.to_pixels(points[i : i + 97], heights[i : i + 97]) for i in range(0, len(points), 97)]
    np.testing.assert_allclose(c.to_pixels(points, heights), np.concatenate(some), rtol=1e-12)


def test_a_coin_top_away_from_the_middle_is_seen_farther_out() -> None:
    c = camera(tilt=0.0)
    corner = np.array([[300.0, 300.0]])
    middle = c.to_pixels([[0.0, 0.0]])
    assert np.linalg.norm(c.to_pixels(corner, 8.0) - middle) > np.linalg.norm(c.to_pixels(corner) - middle) + 1.0


def test_a_mirrored_picture_is_flipped_left_to_right() -> None:
    c = camera()
    m = Camera.of(c.width, c.height, c.k, c.dist, c.r, c.t, mirror=True)
    assert np.allclose(m.to_pixels(GRID)[:, 0], c.width - 1 - c.to_pixels(GRID)[:, 0])


@pytest.mark.parametrize("mirror", [False, True])
def test_a_picture_of_another_size_shows_each_point_where_its_pixels_were_gathered(mirror: bool) -> None:
    c = camera(k1=-0.11)
    c = Camera.of(c.width, c.height, c.k, c.dist, c.r, c.t, mirror)
    half = c.sized(c.width // 2, c.height // 2)
    assert (half.width, half.height) == (500, 375)
    assert np.allclose(half.to_pixels(GRID, 8.0), (c.to_pixels(GRID, 8.0) + 0.5) / 2 - 0.5)


@pytest.mark.parametrize("mirror", [False, True])
def test_a_board_twice_as_large_looks_the_same_from_twice_as_far(mirror: bool) -> None:
    c = camera(tilt=9.0, k1=-0.11)
    c = Camera.of(c.width, c.height, c.k, c.dist, c.r, c.t, mirror)
    assert np.allclose(c.farther(2.0).to_pixels(2.0 * GRID, 16.0), c.to_pixels(GRID, 8.0))


def test_turning_south_moves_the_seats_clockwise() -> None:
    c = camera(roll=0.0, tilt=0.0)
    west = c.to_pixels([[-300.0, 0.0]])
    assert np.allclose(c.turned(1).to_pixels([[0.0, -300.0]]), west)
    assert np.allclose(c.turned(4).r, c.r)


def test_no_points_give_no_pixels() -> None:
    assert camera().to_pixels(np.empty((0, 2))).shape == (0, 2)
    assert camera().to_board(np.empty((0, 2))).shape == (0, 2)


def test_a_camera_survives_its_dictionary() -> None:
    c = camera()
    again = Camera.from_dict(c.as_dict())
    assert np.array_equal(again.to_pixels(GRID), c.to_pixels(GRID))


def test_scale_is_pixels_per_millimetre() -> None:
    c = camera(tilt=0.0, k1=0.0, k2=0.0, board_share=0.8)
    assert c.px_per_mm()[0] == pytest.approx(0.8 * c.height / 740.0, rel=1e-3)


@pytest.mark.parametrize("mirror", [False, True])
def test_pixels_are_those_of_opencvs_lens_model(mirror: bool) -> None:
    view = Camera.of(640, 480, [[700, 0, 300], [0, 690, 250], [0, 0, 1]], [-0.05, 0.01, 0.002, -0.003, 0.004],
                     cv2.Rodrigues(np.array([3.0, 0.1, -0.05]))[0], [5.0, -3.0, 1000.0], mirror)  # fmt: skip
    rng = np.random.default_rng(0)
    xy, z = rng.uniform(-400, 400, (500, 2)), rng.uniform(0, 60, 500)
    px = cv2.projectPoints(np.column_stack([xy, z])[:, None], cv2.Rodrigues(view.r)[0], view.t, view.k, view.dist)[0]
    expected = px.reshape(-1, 2) if not mirror else [639, 0] + px.reshape(-1, 2) * [-1, 1]
    np.testing.assert_allclose(view.to_pixels(xy, z), expected, atol=1e-9)
