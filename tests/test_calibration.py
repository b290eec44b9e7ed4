"""Calibration against pictures drawn from truth: camera and marks in millimetres, and reasons when it fails."""

from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np
import pytest
from drawn_board import WIDENED_MM, board_with, camera, error_mm, picture

from calibration.calibrate import CalibrationError, calibrate
from calibration.find_board.hypotheses import hypotheses
from calibration.find_board.model_selection import SearchPicture
from calibration.find_board.quality import run_on
from calibration.find_board.search import best_guesses, search_aslant, search_smaller
from calibration.fit_board.edge_colour import planes_of
from calibration.fit_board.fit import refine
from calibration.fit_board.mark_samples import layout_of
from calibration.fit_board.solve import Free
from calibration.geometry.camera import Camera
from calibration.geometry.lens import Lens, LensError
from calibration.geometry.picture import Picture, picture_from_bgr
from calibration.profile import Profile
from calibration.reason import CalibrationFault, CalibrationReason
from models.board import load_board
from models.pieces import Pocket, Seat, from_side

CAMERA_MM = 0.35
NOT_FOUND = (CalibrationReason(CalibrationFault.NO_BOARD),)
"""Tolerance of the camera (RMS over marks and a grid at the coins' height)."""
CIRCLE_MM = 0.35
"""A quarter of a pixel in these small pictures."""
LINE_MM = 0.3


def reasons(*pictures: Picture, lens: Lens | None = None) -> str:
    """Why the pictures show no board. By a lens that is known, the search gives up after its first method."""
    with pytest.raises(CalibrationError) as e:
        calibrate(pictures, lens=lens)
    return "; ".join(e.value.reasons)


def lens_of(view: Camera) -> Lens:
    return Lens(view.width, view.height, view.k, view.dist)


def flipped(p: Picture) -> Picture:
    return Picture(*(np.ascontiguousarray(x[:, ::-1]) for x in (p.y, p.u, p.v)), p.full_range)


@pytest.fixture(scope="module")
def view() -> Camera:
    return camera()


@pytest.fixture(scope="module")
def seen(view: Camera) -> Picture:
    return picture(view)


@pytest.fixture(scope="module")
def profile(seen: Picture) -> Profile:
    return calibrate([seen])


def test_the_camera_is_found_on_a_plain_board(view: Camera, profile: Profile) -> None:
    assert profile.board.name == "icf74"
    assert error_mm(view, profile.camera, load_board()) < CAMERA_MM


@pytest.mark.parametrize(
    ("name", "lens", "look"),
    [
        ("turned by 40 degrees", {"roll": 40.0, "tilt": 6.0, "board_share": 0.6}, {}),
        ("tilted, strong barrel", {"roll": -20.0, "tilt": 10.0, "k1": -0.1, "board_share": 0.7}, {}),
        ("two fifths of the print rubbed off", {}, {"worn": 0.4, "seed": 3}),
        ("one fifth of the light", {}, {"light": 0.2}),
        ("a long lens", {"focal": 1.5}, {}),
    ],
)
def test_the_camera_is_found(name: str, lens: dict[str, float], look: dict[str, float]) -> None:
    view = camera(**lens)  # type: ignore[arg-type]
    assert error_mm(view, calibrate([picture(view, **look)]).camera, load_board()) < CAMERA_MM, name  # type: ignore[arg-type]


def test_a_small_webcam_is_enough_for_half_a_millimetre_or_so() -> None:
    view = camera(width=640, height=480)
    assert error_mm(view, calibrate([picture(view)]).camera, load_board()) < 0.8


def test_each_mark_is_measured_where_it_is(profile: Profile) -> None:
    board = load_board()
    for seat in Seat:
        marks = profile.sides[seat]
        assert marks.rear_line
        assert marks.front_line
        for line, y in ((marks.rear_line, 268.5), (marks.front_line, 236.7)):
            for end, x in ((line.start, -219.1), (line.end, 219.1)):
                off = np.subtract(end, from_side(seat, x, -y)) @ np.array(seat.inward)
                assert abs(off) < LINE_MM, (seat, y)
        for circle, x in ((marks.left_circle, -219.1), (marks.right_circle, 219.1)):
            if circle:
                assert np.linalg.norm(np.subtract(circle.centre, from_side(seat, x, -board.base_y))) < CIRCLE_MM
                assert abs(circle.radius - 15.9) < 0.4
    assert sum(c is not None for m in profile.sides.values() for c in (m.left_circle, m.right_circle)) >= 7


def test_thickness_of_the_rear_line_is_measured(profile: Profile) -> None:
    found = [m.rear_line.thickness for m in profile.sides.values() if m.rear_line]
    assert np.median(found) == pytest.approx(5.5 + WIDENED_MM, abs=0.5)


def test_pockets_are_measured(profile: Profile) -> None:
    for pocket in Pocket:
        place = np.array(pocket.corner) * 347.75
        assert np.linalg.norm(profile.pockets[pocket].centre - place) < 0.8


@pytest.mark.parametrize("radius", [48.0, 65.0])
def test_pockets_that_are_quarters_of_circles_are_measured(radius: float) -> None:
    """As on home-made boards: of a small whole circle within them, coins in most of the net would lie beside it."""
    board, view = load_board(), camera()
    profile = calibrate([picture(view, quarter=radius)])
    assert error_mm(view, profile.camera, board) < CAMERA_MM
    for pocket, hole in profile.pockets.items():
        inward = -np.array(pocket.corner) / math.sqrt(2)
        rim = (np.array(hole.centre) + hole.radius * inward) @ inward
        assert rim == pytest.approx(radius - board.half * math.sqrt(2), abs=2.0)
        cushion = board.half - abs(hole.centre[0]) + math.sqrt(hole.radius**2 - (board.half - abs(hole.centre[1])) ** 2)
        assert cushion == pytest.approx(radius, abs=6.0)


def test_a_worn_board_is_found_by_what_smaller_pictures_show_too() -> None:
    """By lines' neighbours photographs of worn boards were 30 mm off at a corner."""
    view = camera()
    worn = picture(view, worn=0.6)
    found = search_smaller(SearchPicture.of(worn), None)
    assert found is not None
    assert not found.reasons
    assert error_mm(view, found.fit.camera, load_board()) < 2 * CAMERA_MM
    assert not found.is_better(found)
    assert found.is_better(replace(found, agreement=found.agreement - 0.5), 0.1)
    assert found.is_better(replace(found, agreement=9.0, reasons=NOT_FOUND))
    assert not replace(found, agreement=9.0, reasons=NOT_FOUND).is_better(found)


@pytest.mark.parametrize("roll", [0.0, 25.0])
def test_a_worn_board_seen_from_aside_is_found(roll: float) -> None:
    view = camera(tilt=27.0, roll=roll, board_share=0.65)
    worn = picture(view, worn=0.4)
    found = search_aslant(SearchPicture.of(worn), None)
    assert found is not None
    assert not found.reasons
    assert error_mm(view, found.fit.camera, load_board()) < 2 * CAMERA_MM
    assert search_aslant(SearchPicture.of(worn), found) is found


def test_what_hardly_agrees_is_no_board_seen_from_aside() -> None:
    blank = picture(camera(tilt=27.0, board_share=0.65), worn=1.0, coins=False)
    assert search_aslant(SearchPicture.of(blank), None) is None


def test_a_maker_who_draws_the_lines_29_mm_apart_does_not_bend_the_camera() -> None:
    board = board_with(line_gap=29.0)
    view = camera()
    found = calibrate([picture(view, board)])
    assert found.board.line_gap == pytest.approx(29.0, abs=0.3)
    assert error_mm(view, found.camera, board) < 0.7


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_the_surface_is_the_ruler_whatever_the_print_measures(sign: float) -> None:
    book = load_board()
    off = {"rear_line": 1.8, "base_circle_x": -1.4, "line_gap": -1.5}
    board = board_with(**{name: getattr(book, name) + sign * by for name, by in off.items()})
    view = camera()
    assert error_mm(view, calibrate([picture(view, board)]).camera, board) < 0.5


def test_marks_that_a_board_lacks_are_none() -> None:
    view = camera()
    bare = board_with(base_circle_radius=0.6, base_disc_radius=0.1, arrow_length=0.1)
    found = calibrate([picture(view, bare)])
    assert all(m.left_circle is None and m.right_circle is None for m in found.sides.values())
    assert all(m.left_arrow is None and m.right_arrow is None for m in found.sides.values())
    assert error_mm(view, found.camera, load_board()) < 0.7


def test_the_masters_board_is_recognised() -> None:
    board = load_board("masters72")
    view = camera()
    found = calibrate([picture(view, board)])
    assert found.board.name == "masters72"
    assert error_mm(view, found.camera, board) < CAMERA_MM


def test_a_known_lens_is_kept(view: Camera, seen: Picture) -> None:
    found = calibrate([seen], lens=lens_of(view))
    assert np.array_equal(found.camera.dist, view.dist)
    assert found.camera.k[0, 0] == pytest.approx(view.k[0, 0])
    assert error_mm(view, found.camera, load_board()) < 0.2
    assert found.lens == "given"


def test_a_lens_of_another_picture_size_is_refused(seen: Picture, view: Camera) -> None:
    with pytest.raises(LensError, match="640x480"):
        calibrate([seen], lens=Lens(640, 480, view.k, view.dist))


def test_a_mirrored_picture_gives_a_mirrored_camera(view: Camera, seen: Picture) -> None:
    found = calibrate([flipped(seen)], mirror=True).camera
    assert found.mirror
    middle = np.array([[100.0, 50.0]])
    there = view.to_pixels(middle)[0]
    assert found.to_pixels(middle)[0] == pytest.approx([view.width - 1 - there[0], there[1]], abs=0.5)


def test_turn_says_which_side_is_south(profile: Profile, seen: Picture) -> None:
    found = calibrate([seen], turn=1)
    assert found.turn == 1
    assert np.allclose(found.camera.to_pixels([[0.0, -300.0]]), profile.camera.to_pixels([[-300.0, 0.0]]), atol=1e-6)
    rear, old = found.sides[Seat.SOUTH].rear_line, profile.sides[Seat.WEST].rear_line
    assert rear
    assert old
    assert found.camera.to_pixels([rear.start])[0] == pytest.approx(profile.camera.to_pixels([old.start])[0])


def test_a_calibrated_profile_survives_its_json(profile: Profile) -> None:
    again = Profile.from_json(profile.to_json())
    assert again.sides == profile.sides
    assert again.pockets == profile.pockets
    assert np.array_equal(again.camera.r, profile.camera.r)


def test_calibration_is_deterministic(profile: Profile, seen: Picture) -> None:
    assert calibrate([seen]).to_json() == profile.to_json()


def test_no_picture_is_told() -> None:
    assert "no picture" in reasons()


def test_a_black_picture_is_told(seen: Picture) -> None:
    dark = Picture(np.full_like(seen.y, 3), np.full_like(seen.u, 128), np.full_like(seen.v, 128), True)
    assert "black" in reasons(dark)


def test_an_empty_picture_is_told(seen: Picture) -> None:
    grey = Picture(np.full_like(seen.y, 120), np.full_like(seen.u, 128), np.full_like(seen.v, 128), True)
    assert "empty" in reasons(grey)


def test_half_a_board_is_told(seen: Picture) -> None:
    half = Picture(*(np.ascontiguousarray(p[:, : p.shape[1] // 2]) for p in (seen.y, seen.u, seen.v)), True)
    assert "in view" in reasons(half)


def test_a_picture_without_a_board_is_told() -> None:
    rng = np.random.default_rng(5)
    noise = rng.integers(0, 255, (480, 640), dtype=np.uint8)
    flat = np.full((240, 320), 128, np.uint8)
    assert "no carrom board" in reasons(Picture(noise, flat, flat, True))


def test_tiles_are_no_board_though_their_joints_lie_as_base_lines_do(profile: Profile, seen: Picture) -> None:
    """Base lines end at their circles; joints go on. Nothing else tells these tiles from a board."""
    tiles = np.full((300, 400, 3), 170, np.uint8)
    for at in range(0, 400, 19):
        cv2.line(tiles, (at, 0), (at, 299), (90, 90, 100), 2)
        cv2.line(tiles, (0, at), (399, at), (90, 90, 100), 2)
    noise = np.random.default_rng(3).normal(0, 6, tiles.shape)
    floor = picture_from_bgr(np.clip(tiles + noise, 0, 255).astype(np.uint8))
    assert "no carrom board" in reasons(floor, lens=lens_of(camera(width=400, height=300)))
    planes, book = planes_of(seen), layout_of(profile.board)
    board = refine(planes, profile.camera, book, book, Free.POSE)
    assert board is not None
    assert run_on(planes, board) < 0.1


def test_only_guesses_that_agree_better_than_noise_are_worked_out() -> None:
    """A picture without a board took up to a minute to be refused."""
    rng = np.random.default_rng(5)
    flat = np.full((240, 320), 128, np.uint8)
    cloth = SearchPicture.of(Picture(rng.integers(0, 255, (480, 640), dtype=np.uint8), flat, flat, True))
    aslant = SearchPicture.of(picture(camera(tilt=27.0, board_share=0.65), worn=0.4))
    assert hypotheses(cloth.edges, layout_of(cloth.default_model))
    assert not best_guesses(cloth)
    assert not best_guesses(cloth, aslant=True)
    assert best_guesses(aslant, aslant=True)


def test_a_blurred_picture_is_told() -> None:
    view = camera(width=640, height=480)
    p = picture(view, coins=False)
    y = np.asarray(cv2.GaussianBlur(p.y, (0, 0), 3.2), np.uint8)
    assert "focus the lens on the playing surface" in reasons(Picture(y, p.u, p.v, True), lens=lens_of(view))


def test_pictures_of_two_cameras_are_told(seen: Picture) -> None:
    small = Picture(seen.y[::2, ::2].copy(), seen.u[::2, ::2].copy(), seen.v[::2, ::2].copy(), True)
    assert "different sizes" in reasons(seen, small)


def test_an_unknown_board_is_refused(seen: Picture) -> None:
    with pytest.raises(ValueError, match="unknown board"):
        calibrate([seen], board="square")
