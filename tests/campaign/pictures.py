"""Pictures of a board, cropped, turned, shaded or half empty: no traceback, no placement called wrong and sure."""

from __future__ import annotations

import random
import traceback

import numpy as np
from drawn_board import camera, picture
from numpy.typing import NDArray
from sim_scenes import BOARD, book_profile

from calibration.calibrate import CalibrationError, calibrate
from calibration.geometry.camera import Camera
from calibration.geometry.picture import Picture
from calibration.profile import Profile
from calibration.turning import turned
from campaign.cuts import Result
from models.pieces import Seat, from_side
from referee.striker.placement_rules import judge_placement

SIZES = ((640, 480), (1000, 750), (1280, 720))
RIM_MM = 0.12
"""Standard deviation of a striker's detected rim along each axis."""
PLACEMENTS = 40


def disturbed_pictures(count: int, seed: int = 1) -> Result:
    """Calibrates `count` pictures; a finding is a traceback, or a placement called wrongly and certainly."""
    lost, accepted, sure = [], 0, 0
    for n in range(seed, seed + count):
        rng = random.Random(n)
        seen, true, said = disturbed(rng)
        try:
            profile = calibrate([seen])
        except CalibrationError:
            continue
        except Exception:  # noqa: BLE001 - any other error is what is looked for
            lost.append(f"{n} ({said}): {traceback.format_exc(limit=-1)}")
            continue
        accepted += 1
        sure += profile.residuals.model_sure
        wrong = _wrong(profile, true, rng)
        lost += [f"{n} ({said}): {wrong}"] if wrong else []
    return Result(count, lost, {"accepted": accepted, "sure": sure})


def disturbed(rng: random.Random) -> tuple[Picture, Camera, str]:
    """Returns a picture with one or two faults, the camera that took it, and what was done to it."""
    view = camera(*rng.choice(SIZES), focal=rng.uniform(0.8, 2.0), roll=rng.uniform(0.0, 360.0),
                  tilt=rng.uniform(0, 18), k1=rng.uniform(-0.3, 0.08), board_share=rng.uniform(0.5, 0.95))  # fmt: skip
    look = {"worn": rng.choice([0.0, 0.3]), "light": rng.uniform(0.2, 1.0), "noise": rng.uniform(1.0, 6.0)}
    seen, said = picture(view, seed=rng.randrange(1000), **look), "turned"
    for _ in range(rng.randint(1, 2)):
        harm = rng.choice([_cropped, _shaded, _emptied])
        seen, view = harm(seen, view, rng)
        said += f", {harm.__name__[1:]}"
    return seen, view, said


def _cropped(seen: Picture, view: Camera, rng: random.Random) -> tuple[Picture, Camera]:
    """Returns the picture without up to half of its width or height at each side."""
    sides = [2 * int(rng.choice([0.0, rng.uniform(0.0, 0.25)]) * size) for size in (seen.width, seen.height) * 2]
    left, top, right, bottom = (side // 2 * 2 for side in sides)
    right, bottom = max(seen.width - right, left + 64), max(seen.height - bottom, top + 64)
    planes = [np.ascontiguousarray(p[top // s : bottom // s, left // s : right // s])
              for p, s in ((seen.y, 1), (seen.u, 2), (seen.v, 2))]  # fmt: skip
    height, width = planes[0].shape
    k = view.k - np.array([[0, 0, left], [0, 0, top], [0, 0, 0]])
    return Picture(*planes, seen.full_range), Camera.of(width, height, k, view.dist, view.r, view.t)


def _shaded(seen: Picture, view: Camera, rng: random.Random) -> tuple[Picture, Camera]:
    """Returns the picture with a shadow over what lies beyond a line, with a hard or soft edge."""
    shade = 1.0 - rng.uniform(0.3, 0.85) * _beyond(seen, rng, rng.uniform(1.0, 80.0))
    return Picture(np.asarray(seen.y * shade, np.uint8), seen.u, seen.v, seen.full_range), view


def _emptied(seen: Picture, view: Camera, rng: random.Random) -> tuple[Picture, Camera]:
    """Returns the picture with one colour over what lies beyond a line."""
    over = _beyond(seen, rng, 1.0)
    planes = [np.where(cover > 0.5, rng.randrange(256), plane).astype(np.uint8)
              for plane, cover in ((seen.y, over), (seen.u, over[::2, ::2]), (seen.v, over[::2, ::2]))]  # fmt: skip
    return Picture(*planes, seen.full_range), view


def _beyond(seen: Picture, rng: random.Random, soft: float) -> NDArray[np.float64]:
    """Returns a mask (h, w), 0 to 1, of what lies beyond a random line, with an edge of `soft` px."""
    way, away = rng.uniform(0.0, 2 * np.pi), rng.uniform(-0.1, 0.5) * seen.height
    y, x = np.mgrid[: seen.height, : seen.width] - np.array([seen.height, seen.width]).reshape(2, 1, 1) / 2
    return np.asarray(np.clip((x * np.cos(way) + y * np.sin(way) - away) / soft + 0.5, 0.0, 1.0))


def _wrong(profile: Profile, true: Camera, rng: random.Random) -> str:
    """Returns the first placement that `profile` calls wrongly, in words; empty if it calls none."""
    truth, mark = book_profile(true), (BOARD.base_circle_x, BOARD.base_y)
    turns = [turned(profile, n) for n in range(4)]
    found = min(turns, key=lambda p: float(np.linalg.norm(p.camera.to_board(true.to_pixels([mark])) - mark)))
    for _ in range(PLACEMENTS):
        seat = rng.choice(list(Seat))
        at = from_side(seat, rng.uniform(-mark[0], mark[0]), rng.uniform(-8.0, 8.0) - mark[1])
        margin = judge_placement(truth, seat, *at, BOARD.striker_radius, 0.0).margin_mm
        pixel = true.to_pixels([at], BOARD.striker_height)
        seen = found.camera.to_board(pixel, found.board.striker_height)[0]
        told = judge_placement(
            found, seat, *(float(v) + rng.gauss(0.0, RIM_MM) for v in seen), BOARD.striker_radius, RIM_MM
        )
        if abs(margin) < 5.0 and told.legal not in (None, margin >= 0.0):
            return f"{margin:.2f} mm told as {told.margin_mm:.2f} with {told.sigma_mm:.2f}, {found.board.name}"
    return ""
