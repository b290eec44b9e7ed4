"""Rings: circles of a known size, whatever their colour."""

from __future__ import annotations

import tracemalloc

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.rings import (
    apart,
    board_field,
    edge_field,
    edge_floor,
    peaks,
    ring_response,
    ring_responses,
)

U8 = NDArray[np.uint8]
RADIUS = 15.5
WOOD = (170, 118, 140)
LOOKS = {
    "white": (205, 112, 140),
    "black": (45, 127, 129),
    "queen": (90, 118, 200),
    "of the wood's luma": (170, 108, 172),
}


def wood(noise: float = 1.5) -> U8:
    """A bare lattice (3, 200, 200) of one millimetre."""
    rng = np.random.default_rng(3)
    plain = np.array(WOOD, np.float64)[:, None, None] + rng.normal(0, noise, (3, 200, 200))
    return np.clip(plain, 0, 255).astype(np.uint8)


def lay(yuv: U8, x: float, y: float, look: tuple[int, int, int], radius: float = RADIUS, thickness: int = -1) -> None:
    for plane, level in zip(yuv, look, strict=True):
        centre = round(x * 16), round(y * 16)
        cv2.circle(plane, centre, round(radius * 16), level, thickness, cv2.LINE_AA, 4)


def best(yuv: U8, radius: float = RADIUS) -> tuple[float, tuple[int, int]]:
    response = ring_response(edge_field(yuv), radius)
    row, column = np.unravel_index(int(response.argmax()), response.shape)
    return float(response.max()), (int(column), int(row))


@pytest.mark.parametrize("name", LOOKS)
def test_a_disc_answers_at_its_middle_whatever_its_colour(name: str) -> None:
    yuv = wood()
    lay(yuv, 80.4, 121.7, LOOKS[name])
    height, (x, y) = best(yuv)
    assert height > 0.6
    assert np.hypot(x - 80.4, y - 121.7) < 1.0


def test_bare_wood_answers_nowhere() -> None:
    assert best(wood())[0] < 0.15


def board(pale: tuple[int, int, int] = (182, 117, 140), noise: float = 0.7) -> U8:
    """Dark coins and one that is hardly paler than the wood, at (100, 40)."""
    yuv = wood(noise)
    for i in range(2):
        lay(yuv, 60 + 80 * i, 140, (60, 127, 129))
    lay(yuv, 100, 40, pale)
    return yuv


def dimmed(yuv: U8, share: float) -> U8:
    """The same in a light that leaves this share of every level and contrast."""
    dark = np.array([0.0, 128.0, 128.0])[:, None, None]
    return np.asarray(dark + share * (yuv - dark), np.uint8)


def test_a_picture_of_one_grey_answers_nowhere() -> None:
    xx, xy = board_field(np.full((3, 64, 64), 128, np.uint8))
    assert not xx.any()
    assert not xy.any()


def test_a_pale_coin_is_better_drawn_in_dim_light_by_the_boards_own_contrast() -> None:
    """In a dim picture three white coins of four were not seen."""
    dim = dimmed(board(), 0.45)
    own, usual = (float(ring_response(field(dim), RADIUS)[40, 100]) for field in (board_field, edge_field))
    assert own > 1.4 * usual
    plain = [float(ring_response(field(board()), RADIUS)[40, 100]) for field in (board_field, edge_field)]
    assert plain[0] == plain[1] > own


def test_noise_is_not_taken_for_the_contrast_of_a_dim_board() -> None:
    noisy = dimmed(board(), 0.45).astype(np.float64) + np.random.default_rng(5).normal(0.0, 5.0, (3, 200, 200))
    response = ring_response(board_field(np.clip(noisy, 0, 255).astype(np.uint8)), RADIUS)
    assert float(response[60:110, 20:180].max()) < 0.25


def test_the_floor_of_a_board_in_plain_light_is_the_usual_one() -> None:
    usual, dim = edge_floor(board()), edge_floor(dimmed(board(), 0.45))
    assert edge_floor(dimmed(board(), 0.95)) == usual
    for plane, expected in zip(board_field(board()), edge_field(board(), usual), strict=True):
        np.testing.assert_array_equal(plane, expected)
    assert dim < 0.8 * usual


def test_a_straight_edge_answers_weakly() -> None:
    yuv = wood()
    yuv[0, :, 100:] = 60
    assert best(yuv)[0] < 0.4


def test_a_disc_of_another_size_answers_less() -> None:
    yuv = wood()
    lay(yuv, 100, 100, LOOKS["black"], radius=21)
    assert best(yuv, 21)[0] > best(yuv, RADIUS)[0] + 0.3


def test_half_a_ring_answers_about_half() -> None:
    yuv = wood()
    lay(yuv, 100, 100, LOOKS["black"])
    whole = best(yuv)[0]
    yuv[:, :100] = wood()[:, :100]
    response = ring_response(edge_field(yuv), RADIUS)[100, 100]
    assert 0.3 * whole < response < 0.7 * whole


def test_touching_discs_are_two_peaks() -> None:
    yuv = wood()
    lay(yuv, 80, 100, LOOKS["white"])
    lay(yuv, 80 + 2 * RADIUS, 100, LOOKS["white"])
    found = peaks(ring_response(edge_field(yuv), RADIUS), 0.4, 9.0)
    assert len(found) == 2
    np.testing.assert_allclose(sorted(found.tolist()), [(80, 100), (111, 100)], atol=1.0)


@pytest.mark.parametrize("shape", [(90, 101), (87, 97), (87, 101), (90, 97)], ids=["even", "odd", "low", "narrow"])
def test_responses_are_the_correlation_with_each_ring(shape: tuple[int, int]) -> None:
    """Of spectra whose sides are even and odd, which OpenCV packs otherwise. A single point is answered by the ring."""
    rng, radii = np.random.default_rng(7), (15.5, 8.0)
    field = tuple(cv2.GaussianBlur(rng.normal(0, 1, shape).astype(np.float32), (0, 0), 2.0) for _ in range(2))
    for radius, response in zip(radii, ring_responses((field[0], field[1]), radii), strict=True):
        expected = sum(cv2.filter2D(part, cv2.CV_32F, ring, borderType=cv2.BORDER_REFLECT_101)
                       for part, ring in zip(field, rings(radius), strict=True))  # fmt: skip
        assert np.abs(response).max() > 0.01
        np.testing.assert_allclose(response, expected, atol=1e-6)


def rings(radius: float) -> list[NDArray[np.float32]]:
    """What a point's edge in each of both directions answers about it (n, n)."""
    point, nothing = np.zeros((2, 61, 61), np.float32)
    point[30, 30] = 1.0
    return [ring_response(field, radius)[8:53, 8:53] for field in ((point, nothing), (nothing, point))]


def test_a_point_on_a_ring_is_answered_where_the_middle_may_be() -> None:
    across, along = rings(10.0)
    for ring in (across, along):
        away = np.hypot(*(np.argwhere(np.abs(ring) > 0.5 * np.abs(ring).max()) - 22).T)
        assert np.all(np.abs(away - 10.0) < 2.5)
    assert (across[22, 12], across[12, 22]) == (pytest.approx(across.max()), pytest.approx(across.min()))


def _peaks_by_dilating(response: NDArray[np.float32], least: float, distance: float) -> list[list[int]]:
    """What `peaks` tells, the plain way."""
    size = 2 * int(distance / 2) + 1
    highest = cv2.dilate(response, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)))
    rows, columns = np.nonzero((response >= highest) & (response >= least))
    spots = np.column_stack([columns, rows])[np.argsort(-response[rows, columns], kind="stable")]
    kept: list[list[int]] = []
    for spot in spots.tolist():
        if all(np.hypot(spot[0] - x, spot[1] - y) >= distance for x, y in kept):
            kept.append(spot)
    return kept


@pytest.mark.parametrize("distance", [1.0, 4.0, 9.0, 14.0])
@pytest.mark.parametrize("levels", [6, 1000], ids=["plateaus", "hills"])
@pytest.mark.parametrize("shape", [(40, 60), (70, 90)])
def test_peaks_are_those_of_a_dilated_response(shape: tuple[int, int], distance: float, levels: int) -> None:
    rough = np.random.default_rng(2).normal(0, 1, shape).astype(np.float32)
    smooth = cv2.GaussianBlur(rough, (0, 0), 2.0)
    response = np.round(smooth / np.float32(smooth.max()) * np.float32(levels)).astype(np.float32) / np.float32(levels)
    found = peaks(response, 0.25, distance).tolist()
    assert found == _peaks_by_dilating(response, 0.25, distance)
    assert any(x in (0, shape[1] - 1) or y in (0, shape[0] - 1) for x, y in found)


def test_peaks_come_best_first_and_apart() -> None:
    response = np.zeros((60, 60), np.float32)
    response[10, 10], response[13, 10], response[40, 50], response[50, 10] = 0.9, 0.8, 0.95, 0.2
    assert peaks(response, 0.25, 9.0).tolist() == [[50, 40], [10, 10]]


def test_no_peaks_give_an_empty_list() -> None:
    assert peaks(np.zeros((20, 20), np.float32), 0.25, 9.0).shape == (0, 2)


@pytest.mark.parametrize("grid", [1.0, 0.1])
@pytest.mark.parametrize(("count", "side"), [(300, 120), (16, 40)], ids=["many", "few"])
def test_points_are_kept_apart_as_when_each_is_held_against_all(count: int, side: int, grid: float) -> None:
    """On a coarse grid many lie exactly the distance apart, and some in one place."""
    points = np.round(np.random.default_rng(4).uniform(0, side, (count, 2)) / grid) * grid
    free, kept = np.ones(len(points), bool), []
    for i, point in enumerate(points):
        if free[i]:
            kept.append(i)
            free &= ((points - point) ** 2).sum(1) >= 81.0
    assert apart(points, 9.0) == kept


def test_no_points_are_apart() -> None:
    assert apart(np.zeros((0, 2)), 9.0) == []


def test_a_kept_ring_takes_half_of_what_its_frequencies_would() -> None:
    side, field = 480, (np.zeros((440, 440), np.float32),) * 2
    ring_response(field, RADIUS)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    ring_response(field, RADIUS + 0.25)
    kept = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    whole = 2 * side * side * np.dtype(np.float32).itemsize
    assert 0.4 * whole < kept < 0.55 * whole
