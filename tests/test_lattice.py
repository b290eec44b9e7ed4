"""The lattice: pictures seen in board millimetres."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from sim_scenes import BOARD, SIZE

from calibration.geometry.camera import Camera
from calibration.geometry.lattice import Lattice, halved
from calibration.geometry.picture import Picture, SimilarityTransform
from referee.sim.viewpoint import Mount, camera_over

HEIGHT = BOARD.coin_height


def camera(scale: int = 1) -> Camera:
    return camera_over(BOARD, SIZE[0] * scale, SIZE[1] * scale, Mount(tilt_rad=0.06, roll_rad=0.1))


def board_ramp(view: Camera) -> Picture:
    """Luma tells a point's x, blue its y, red its x again, at the coins' height: 128 at the middle, 4 mm a level."""
    v, u = np.mgrid[0 : view.height, 0 : view.width]
    xy = view.to_board(np.column_stack([u.ravel(), v.ravel()]), HEIGHT) / 4.0 + 128.0
    x, y = (np.clip(c + 0.5, 0, 255).astype(np.uint8).reshape(view.height, view.width) for c in xy.T)
    half = (view.width // 2, view.height // 2)
    small = [np.asarray(cv2.resize(p, half, interpolation=cv2.INTER_AREA), np.uint8) for p in (x, y)]
    return Picture(x, small[1], small[0])


@pytest.mark.parametrize(("scale", "step"), [(1, 2.5), (1, 1.0), (2, 2.5), (2, 8.0)])
def test_each_point_shows_its_own_place_of_the_board(scale: int, step: float) -> None:
    view = camera(scale)
    lattice = Lattice.over(view, 300.0, step, HEIGHT)
    y, u, v = lattice.sample(board_ramp(view)).astype(np.float64)
    across, up = lattice.points()
    for seen, true in ((y, across), (u, up), (v, across)):
        assert np.abs((seen - 128.0) * 4.0 - true).max() < 6.0
        assert abs(np.mean((seen - 128.0) * 4.0 - true)) < 1.5


def test_rows_run_from_north_to_south_and_columns_from_west_to_east() -> None:
    lattice = Lattice.window(camera(), (-30.0, 20.0), (100.0, 110.0), 10.0, 0.0)
    x, y = lattice.points()
    assert lattice.shape == (2, 6)
    assert (x[0, 0], y[0, 0], x[-1, -1], y[-1, -1]) == (-30.0, 110.0, 20.0, 100.0)


def test_cells_and_board_points_turn_into_each_other() -> None:
    lattice = Lattice.over(camera(), 100.0, 2.5, HEIGHT)
    points = np.array([(0.0, 0.0), (-100.0, 100.0), (33.3, -71.9)])
    np.testing.assert_allclose(lattice.to_board(lattice.to_cells(points)), points, atol=1e-9)
    np.testing.assert_allclose(lattice.to_cells([(-100.0, 100.0)]), [(0.0, 0.0)])


def test_the_nearest_point_to_a_place_beyond_the_lattice_lies_on_its_edge() -> None:
    lattice = Lattice.window(camera(), (-30.0, 20.0), (100.0, 110.0), 10.0, 0.0)
    x, y = lattice.points()
    nearest = lattice.nearest([(-14.0, 108.0), (500.0, -500.0)])
    assert list(zip(x[nearest], y[nearest], strict=True)) == [(-10.0, 110.0), (20.0, 100.0)]


def test_a_disc_takes_the_points_within_its_radius() -> None:
    lattice = Lattice.over(camera(), 100.0, 2.0, HEIGHT)
    rows, columns = lattice.disc_cells(11.3, -40.2, 15.5)
    x, y = lattice.points()
    inside = np.hypot(x - 11.3, y + 40.2) <= 15.5
    assert np.array_equal(np.argwhere(inside), np.column_stack([rows, columns]))


def test_a_disc_over_the_edge_takes_what_the_lattice_has() -> None:
    lattice = Lattice.over(camera(), 100.0, 2.0, HEIGHT)
    rows, columns = lattice.disc_cells(100.0, 100.0, 15.5)
    assert len(rows) > 0
    assert rows.min() == 0
    assert columns.max() == lattice.shape[1] - 1
    assert len(lattice.disc_cells(300.0, 0.0, 15.5)[0]) == 0


def test_fine_patterns_are_averaged_on_a_coarse_lattice() -> None:
    view = camera(2)
    stripes = np.zeros((view.height, view.width), np.uint8)
    stripes[:, ::2] = 200
    grey = np.full((view.height // 2, view.width // 2), 128, np.uint8)
    seen = Lattice.over(view, 300.0, 4.0, HEIGHT).sample(Picture(stripes, grey, grey))[0]
    assert np.abs(seen.astype(int) - 100).max() < 12


@pytest.mark.parametrize(("scale", "step", "reach"), [
    (1, 2.0, (300.0, 300.0)), (1, 5.0, (300.0, 300.0)), (2, 5.0, (300.0, 300.0)),
    (1, 0.1, (300.0, 0.35)), (1, 5.0, (5.0, 2.5)),
], ids=["fine", "coarse", "halved", "long rows", "two rows"])  # fmt: skip
def test_planes_looked_up_together_are_those_looked_up_one_by_one(scale: int, step: float,
                                                                  reach: tuple[float, float]) -> None:  # fmt: skip
    view, rng = camera(scale), np.random.default_rng(0)
    shapes = ((view.height, view.width), *[(view.height // 2, view.width // 2)] * 2)
    y, u, v = (rng.integers(0, 256, s).astype(np.uint8) for s in shapes)
    lattice = Lattice.window(view, (-reach[0], reach[0]), (-reach[1], reach[1]), step, HEIGHT)
    luma = lattice.halvings, lattice.crop.of_luma, lattice.luma_maps
    chroma = lattice.chroma_halvings, lattice.crop.of_chroma, lattice.chroma_maps
    apart = [cv2.remap(halved(plane[crop], halvings), *maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
             for plane, (halvings, crop, maps) in zip((y, u, v), (luma, chroma, chroma), strict=True)]  # fmt: skip
    np.testing.assert_array_equal(lattice.sample(Picture(y, u, v)), apart)


@pytest.mark.parametrize("sway", [None, SimilarityTransform(0.7, -1.2, 3e-4, 2e-3, (400.0, 300.0))])
@pytest.mark.parametrize("step", [1.0, 2.5])
def test_the_luma_of_some_points_is_what_a_look_shows_there(step: float, sway: SimilarityTransform | None) -> None:
    view, rng = camera(2), np.random.default_rng(0)
    shapes = ((view.height, view.width), *[(view.height // 2, view.width // 2)] * 2)
    y, u, v = (rng.integers(0, 256, s).astype(np.uint8) for s in shapes)
    lattice = Lattice.over(view, 300.0, step, HEIGHT)
    planes, cells = lattice.planes(Picture(y, u, v)), rng.integers(0, lattice.shape[0] * lattice.shape[1], 999)
    seen = lattice.sample(Picture(y, u, v, sway=sway))[0].take(cells)
    np.testing.assert_array_equal(lattice.luma(planes, lattice.luma_maps_of(cells), sway), seen)


@pytest.mark.parametrize("step", [1.0, 2.5, 8.0])
def test_only_the_part_that_shows_the_lattice_is_read(step: float) -> None:
    view, rng = camera(2), np.random.default_rng(0)
    shapes = ((view.height, view.width), *[(view.height // 2, view.width // 2)] * 2)
    y, u, v = (rng.integers(0, 256, s).astype(np.uint8) for s in shapes)
    lattice = Lattice.window(view, (-200.0, 100.0), (-50.0, 250.0), step, HEIGHT)
    seen = lattice.sample(Picture(y, u, v))
    elsewhere = np.ones(shapes[0], bool)
    elsewhere[lattice.crop.of_luma] = False
    assert elsewhere.mean() > 0.5
    y[elsewhere] = 0
    np.testing.assert_array_equal(lattice.sample(Picture(y, u, v)), seen)
    px = view.to_pixels(np.column_stack([p.ravel() for p in lattice.points()]), HEIGHT)
    assert not elsewhere[px[:, 1].round().astype(int), px[:, 0].round().astype(int)].any()


@pytest.mark.parametrize(("scale", "step"), [(1, 1.0), (2, 2.5)])
def test_a_part_of_a_lattice_shows_what_the_whole_shows_there(scale: int, step: float) -> None:
    picture, whole = board_ramp(camera(scale)), Lattice.over(camera(scale), 200.0, step, HEIGHT)
    part = whole.part(slice(20, 60), slice(33, 150))
    np.testing.assert_array_equal(part.sample(picture), whole.sample(picture)[:, 20:60, 33:150])
    np.testing.assert_allclose(part.points(), [p[20:60, 33:150] for p in whole.points()], atol=1e-9)
