"""Pictures show the pieces and marks where the camera model says they are."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from models.board import load_board
from models.pieces import Kind, Pocket, Seat, from_side
from referee.sim.discs import DiscPainter
from referee.sim.layer import planes
from referee.sim.light import Light
from referee.sim.render import Renderer
from referee.sim.scene import Scene, Where, with_rolling_shutter
from referee.sim.sensor_noise import Exposure, Sensor
from referee.sim.stage import pocket_centre
from referee.sim.texture import circle
from referee.sim.viewpoint import Appearance, Glare, Mount, camera_over, scaled

BOARD = load_board()
STEEP = Mount(height_mm=950.0, tilt_rad=0.12, tilt_towards=0.4, roll_rad=-0.2, k1=-0.09, k2=0.02)
BRIGHT = (250, 250, 250)
PLAIN = Appearance(
    wood=scaled(BRIGHT, 0.62), white=BRIGHT, black=BRIGHT, queen=BRIGHT, striker=BRIGHT, lines=scaled(BRIGHT, 0.62),
    red=scaled(BRIGHT, 0.62), lamp_falloff_mm=1e6)  # fmt: skip
"""A board as bright as the side walls of its bright pieces, so that only the top faces stand out."""
SPOTS = np.array([(0, 0), (-310, 300), (250, -325), (150, 90), (-200, -252.6)], np.float64)
KINDS = (Kind.WHITE, Kind.BLACK, Kind.QUEEN, Kind.WHITE, Kind.STRIKER)


def renderer(camera, look, noise=0.0):
    rng = np.random.default_rng(0)
    sensor = Sensor(camera.width, camera.height, Exposure(noise=noise), rng)
    return Renderer(camera, BOARD, look, (Seat.SOUTH, Seat.NORTH), sensor, rng)


def scene(trail, moving=False, where=Where.BOARD, kinds=KINDS):
    n = len(kinds)
    return Scene(0.0, kinds, (where,) * n, np.atleast_3d(trail).reshape(-1, n, 2), np.zeros(n),
                 np.full(n, moving), ())  # fmt: skip


def measured_centre(y, expected, radius_px):
    """Centroid of what is brighter than the board around an expected place."""
    rows, columns = np.mgrid[: y.shape[0], : y.shape[1]]
    away = np.hypot(columns - expected[0], rows - expected[1])
    near, inside = away < radius_px * 1.4, away < radius_px * 1.2
    low, high = np.median(y[near & ~inside]), y[near].max()
    weight = np.clip((y.astype(float) - low - 12) / (high - low - 12), 0, 1) * near
    return np.array([(weight * columns).sum(), (weight * rows).sum()]) / weight.sum()


@pytest.mark.parametrize("mount", [Mount(), STEEP])
@pytest.mark.parametrize(("width", "height"), [(728, 544), (1456, 1088)])
def test_top_faces_are_drawn_where_the_camera_sees_them(mount, width, height):
    """Those of discs at rest and of moving ones, which are drawn in different ways."""
    camera = camera_over(BOARD, width, height, mount)
    drawing = renderer(camera, replace(PLAIN, edge_mm=0.0))
    pictures = [drawing.draw(scene(SPOTS[None], moving), 0) for moving in (False, True)]
    for picture, (kind, spot) in product(pictures, zip(KINDS, SPOTS, strict=True)):
        radius, z = (BOARD.striker_radius, BOARD.striker_height) if kind is Kind.STRIKER else (
            BOARD.coin_radius, BOARD.coin_height)  # fmt: skip
        rim = camera.to_pixels(circle((float(spot[0]), float(spot[1])), radius), z)
        found = measured_centre(picture.y, rim.mean(axis=0), np.hypot(*(rim - rim.mean(axis=0)).T).mean())
        assert np.hypot(*(found - camera.to_pixels(spot[None], z)[0])) < 0.3


def test_a_disc_is_drawn_as_large_as_it_is():
    camera = camera_over(BOARD, 728, 544, Mount(tilt_rad=0.0, k1=0.0, k2=0.0))
    sprite = DiscPainter(camera, BOARD, PLAIN, Light(camera, PLAIN)).sprite(Kind.STRIKER, np.zeros((1, 2)), 0.0)
    radius = BOARD.striker_radius * camera.px_per_mm(z=BOARD.striker_height - PLAIN.edge_mm)[0]
    assert math.sqrt(sprite.disc[..., 3].sum() / 255 / math.pi) == pytest.approx(radius, abs=0.03)


@pytest.mark.parametrize("mount", [Mount(), STEEP])
def test_marks_and_pockets_are_printed_where_the_board_model_says(mount):
    look = Appearance(wood=(200, 200, 200), red=(0, 0, 255), net=(0, 0, 0), lamp_falloff_mm=1e6)
    camera = camera_over(BOARD, 1456, 1088, mount)
    picture = renderer(camera, look).draw(scene(SPOTS[None], where=Where.AWAY), 0)
    discs = [from_side(s, x, -BOARD.base_y) for s in Seat for x in (-BOARD.base_circle_x, BOARD.base_circle_x)]
    for place in discs:
        expected = camera.to_pixels([place])[0]
        half = np.round(expected / 2).astype(int)
        window = np.asarray(picture.v[half[1] - 12 : half[1] + 13, half[0] - 12 : half[0] + 13], float)
        rows, columns = np.mgrid[half[1] - 12 : half[1] + 13, half[0] - 12 : half[0] + 13]
        weight = np.clip(window - 140, 0, None)
        found = np.array([(weight * columns).sum(), (weight * rows).sum()]) / weight.sum() * 2 + 0.5
        assert np.hypot(*(found - expected)) < 0.3
    for pocket in Pocket:
        u, v = camera.to_pixels([pocket_centre(BOARD, pocket)])[0].round().astype(int)
        assert picture.y[v, u] < 40


def test_a_fast_disc_is_smeared_along_its_way():
    camera = camera_over(BOARD, 728, 544, Mount())
    way = np.linspace((-20.0, 0.0), (20.0, 0.0), 7)[:, None]
    blurred = renderer(camera, PLAIN).draw(scene(way, True, kinds=(Kind.WHITE,)), 0).y.astype(int)
    sharp = renderer(camera, PLAIN).draw(scene(way[3:4], True, kinds=(Kind.WHITE,)), 0).y.astype(int)
    bright = sharp.max() - 10
    assert (blurred > bright).sum() < 0.6 * (sharp > bright).sum()


def test_a_still_piece_drawn_as_moving_looks_the_same():
    camera = camera_over(BOARD, 728, 544, Mount())
    still = renderer(camera, Appearance()).draw(scene(SPOTS[None], False), 0)
    moving = renderer(camera, Appearance()).draw(scene(SPOTS[None], True), 0)
    np.testing.assert_allclose(still.y.astype(int), moving.y.astype(int), atol=2)
    np.testing.assert_allclose(still.u.astype(int), moving.u.astype(int), atol=2)


def test_a_piece_that_left_leaves_no_trace():
    camera = camera_over(BOARD, 728, 544, Mount())
    worn, fresh = renderer(camera, Appearance()), renderer(camera, Appearance())
    worn.draw(scene(SPOTS[None]), 0)
    after = worn.draw(scene(SPOTS[None], where=Where.NET), 0)
    empty = fresh.draw(scene(SPOTS[None], where=Where.NET), 0)
    for a, b in ((after.y, empty.y), (after.u, empty.u), (after.v, empty.v)):
        np.testing.assert_array_equal(a, b)


def test_flicker_and_noise_change_the_light_but_not_the_board():
    rng = np.random.default_rng(0)
    sensor = Sensor(64, 48, Exposure(noise=2.0, flicker=0.1), rng)
    grey = np.full((48, 64), 120, np.uint8)
    half = np.full((24, 32), 128, np.uint8)
    light = sensor.expose(grey.copy(), half.copy(), half.copy(), 0.0025, 0).y.astype(float)
    dark = sensor.expose(grey.copy(), half.copy(), half.copy(), 0.0075, 1).y.astype(float)
    assert light.mean() > 125 > 115 > dark.mean()
    assert light.std() == pytest.approx(2.0, abs=0.5)


def test_planes_hold_the_colours_in_video_range():
    y, u, v = planes(np.full((4, 6, 3), 255, np.uint8))
    assert (y.shape, u.shape, v.shape) == ((4, 6), (2, 3), (2, 3))
    assert abs(int(y[0, 0]) - 235) <= 1
    assert abs(int(u[0, 0]) - 128) <= 1
    assert abs(int(v[0, 0]) - 128) <= 1


def test_coins_in_a_net_show_through_its_opening_only():
    camera = camera_over(BOARD, 728, 544, Mount())
    fallen = np.array([(345.0, 345.0)])
    looks = [Appearance(nets_show=shown, net=(0, 0, 0)) for shown in (False, True)]
    dark, lit = (
        renderer(camera, look).draw(scene(fallen[None], where=Where.NET, kinds=(Kind.WHITE,)), 0).y.astype(int)
        for look in looks
    )
    rows, columns = np.nonzero(lit != dark)
    places = camera.to_board(np.column_stack([columns, rows]))
    away = np.hypot(*(places - pocket_centre(BOARD, Pocket.NE)).T)
    assert len(rows) > 50
    assert away.max() < BOARD.pocket_diameter / 2 + 3.0


def test_glare_brightens_a_black_coin_and_a_worn_print_pales():
    camera = camera_over(BOARD, 728, 544, Mount())
    coin = scene(np.array([[(0.0, 200.0)]]), kinds=(Kind.BLACK,))
    plain, glaring = Appearance(), Appearance(glares=(Glare(0.0, 200.0, 60.0, 60.0),))
    u, v = camera.to_pixels([(0.0, 200.0)], BOARD.coin_height)[0].round().astype(int)
    before, after = (int(renderer(camera, look).draw(coin, 0).y[v, u]) for look in (plain, glaring))
    assert after > before + 20
    line = camera.to_pixels([(0.0, -BOARD.half + BOARD.rear_line)])[0].round().astype(int)
    worn = (
        renderer(camera, Appearance(worn=0.9))
        .draw(scene(SPOTS[None], where=Where.AWAY), 0)
        .y[line[1], line[0] - 40 : line[0] + 40]
    )
    sharp = (
        renderer(camera, plain).draw(scene(SPOTS[None], where=Where.AWAY), 0).y[line[1], line[0] - 40 : line[0] + 40]
    )
    assert worn.mean() > sharp.mean() + 15


def test_a_rolling_shutter_sees_low_rows_later():
    kinds = (Kind.WHITE, Kind.BLACK)
    base = scene(np.array([[(0.0, 100.0), (0.0, -100.0)]]), True, kinds=kinds)
    later = scene(np.array([[(5.0, 100.0), (7.0, -100.0)]] * 3), True, kinds=kinds)
    mixed = with_rolling_shutter(base, {1: later})
    assert mixed.trail_mm.shape == (3, 2, 2)
    np.testing.assert_array_equal(mixed.pos_mm, [(0.0, 100.0), (7.0, -100.0)])


def test_gamma_and_tint_bend_the_picture_alike_everywhere():
    sensor = Sensor(64, 48, Exposure(noise=0.0, gamma=1.5, tint=(4.0, -3.0), saturation=0.5), np.random.default_rng(0))
    half = np.full((24, 32), 148, np.uint8)
    picture = sensor.expose(np.full((48, 64), 120, np.uint8), half.copy(), half.copy(), 0.0, 0)
    assert len(np.unique(picture.y)) == 1
    assert picture.y[0, 0] < 110
    assert (picture.u[0, 0], picture.v[0, 0]) == (142, 135)
