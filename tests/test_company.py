"""What fools simple trackers around a stroke: glare, powder and its wiping, arms that stay, a head that leans in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest
from drawn_stroke import GOAL, OTHERS, alerts, assert_right, played, quiet, seen
from numpy.typing import NDArray
from sim_scenes import LOOK, Studio, hand_over

from calibration.geometry.picture import Picture
from models.pieces import Seat
from referee.facts import AlertKind, Stroke
from referee.sim.scene import HandPose
from referee.sim.viewpoint import Glare

Mask = NDArray[np.float32]


def painted(picture: Picture, colour: tuple[int, int, int], cover: Mask) -> Picture:
    """A picture with something of a colour (Y, U, V) over it, as dense as `cover` (height, width) says."""
    half = np.asarray(cv2.resize(cover, (picture.u.shape[1], picture.u.shape[0]), interpolation=cv2.INTER_AREA))
    planes = zip((picture.y, picture.u, picture.v), colour, (cover, half, half), strict=True)
    return Picture(*((p + (c - p.astype(np.float32)) * share + 0.5).astype(np.uint8) for p, c, share in planes))


def blotches(x: float, y: float, radius_mm: float, seed: int) -> Mask:
    """Powder thrown on the board about (x, y) mm: grains and clouds, half as dense at most as a coin."""
    camera = quiet().camera
    noise = np.random.default_rng(seed).random((camera.height // 4, camera.width // 4)).astype(np.float32)
    clouds = cv2.resize(cv2.GaussianBlur(noise, (0, 0), 2.0), (camera.width, camera.height))
    (px, py), reach = camera.to_pixels([(x, y)])[0], radius_mm * float(camera.px_per_mm()[0])
    rows, columns = np.mgrid[: camera.height, : camera.width]
    near = np.exp(-((columns - px) ** 2 + (rows - py) ** 2) / reach**2)
    return np.asarray(np.clip((clouds - 0.42) * 3.0, 0.0, 0.5) * near, np.float32)


def head(t: float) -> Mask:
    """A head with hair that leans in over the north cushion from 0.3 s on."""
    camera = quiet().camera
    depth = 130.0 * float(np.clip((t - 0.3) / 0.3, 0.0, 1.0))
    scale = float(camera.px_per_mm()[0])
    x, y = camera.to_pixels([(140.0, 470.0 - depth)])[0]
    cover = np.zeros((camera.height, camera.width), np.float32)
    axes = round(95 * scale), round(110 * scale)
    cv2.ellipse(cover, (round(float(x)), round(float(y))), axes, 0.0, 0.0, 360.0, 1.0, -1, cv2.LINE_AA)
    return np.asarray(cv2.GaussianBlur(cover, (0, 0), 1.5), np.float32)


def test_glare_that_turns_black_to_grey_changes_no_kind() -> None:
    black = OTHERS[1]
    spots = tuple(Glare(x, y, 55.0, 60.0) for x, y in ((black.x_mm, black.y_mm), GOAL))
    assert_right(seen(played(at=Studio(noise=0.0, look=replace(LOOK, glares=spots)))))


def test_powder_thrown_on_the_board_and_wiped_is_no_stroke_and_no_coin() -> None:
    thrown, spread = blotches(60.0, 30.0, 90.0, 1), 0.35 * blotches(30.0, 60.0, 160.0, 2)

    def powdered(picture: Picture, t: float) -> Picture:
        return picture if t < 0.25 else painted(picture, (215, 124, 131), thrown if t < 0.7 else spread)

    facts = seen(played(powdered))
    assert_right(facts)
    assert alerts(facts, AlertKind.CAMERA_MOVED) == []


ARMS = {
    "one on the frame": (hand_over(Seat.NORTH, 180.0, 352.0),),
    "two": (hand_over(Seat.NORTH, 180.0, 352.0), replace(hand_over(Seat.SOUTH, 250.0, -330.0), heading=1.2)),
}


@pytest.mark.parametrize("arms", ARMS.values(), ids=ARMS)
def test_arms_that_stay_from_first_to_last_hold_up_no_call(arms: Sequence[HandPose]) -> None:
    facts = seen(played(company=arms))
    assert_right(facts)
    (stroke,) = [f for f in facts if isinstance(f, Stroke)]
    assert stroke.confidence > 0.9
    assert stroke.t_called - stroke.t_rest < 0.4


def test_two_arms_and_a_leaning_head_are_no_stroke_and_hide_none() -> None:
    def leaning(picture: Picture, t: float) -> Picture:
        return painted(picture, (45, 126, 132), head(t))

    assert_right(seen(played(leaning, company=ARMS["two"])))
