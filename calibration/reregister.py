"""Re-estimates the pose of a camera that was bumped, with the board and lens of its profile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

import numpy as np

from calibration.calibrate import mean_picture
from calibration.find_board.edge_maps import EdgeMaps, evidence
from calibration.find_board.hypotheses import corners_of, hypotheses, mark_agreement
from calibration.find_board.quality import agreement, shortcomings
from calibration.fit_board.edge_colour import planes_of
from calibration.fit_board.fit import FIT_LINES, FIT_STAGES, FitStage, refine, start_camera
from calibration.fit_board.mark_samples import Mark, MarkLayout, expected, layout_of
from calibration.fit_board.solve import Free
from calibration.geometry.camera import F64, Camera
from calibration.geometry.picture import Picture
from calibration.profile import Profile

REREGISTER_SHIFT_MM, SHIFT_STEPS = 18.0, 7
TURN_RAD, REREGISTER_TURN_STEPS = np.radians(2.0), 5
"""Range and number of shifts and rotations tried near the old pose; larger bumps need a search of the whole picture."""
NEAR_STAGES = (FitStage((*FIT_LINES, Mark.RING, Mark.DISC, Mark.POCKET), 8.0, 0.0, 20.0, 8, 3.0), *FIT_STAGES[2:])
REREGISTER_MOVED_MM = 0.5
"""Least displacement that counts as a move; with a resting board, hands in view included, registrations differ by 0.2
mm."""
REREGISTER_GUESSES = 2
"""Full-picture guesses refined after the nearby search has failed."""


def register(profile: Profile, picture: Picture) -> Profile | None:
    """Returns `profile` with the camera's present pose; None if the board is not found (hands, dark, out of view).

    The lens, the board's lengths and the marks' positions stay unchanged.
    """
    whole = mean_picture([picture], profile.camera.mirror)
    planes = planes_of(whole, profile.pale_print)
    lens = _unmirrored(profile.camera)
    edges = evidence(whole, planes.ink, planes.tone, lens)
    layout = layout_of(profile.board)
    size = (whole.width, whole.height)
    for start in chain([_nearby(edges, lens, layout)], _anywhere(edges, lens, layout, profile.turn, size)):
        fit = refine(planes, start, layout, layout, Free.POSE, NEAR_STAGES)
        if fit is not None and not shortcomings(planes, fit, agreement(whole, planes, fit)):
            c = fit.camera
            return replace(profile, camera=replace(c, mirror=profile.camera.mirror))
    return None


def apart_mm(a: Profile, b: Profile) -> float:
    """Returns the greatest distance (mm on the board) between the base lines' corners as located by two cameras."""
    reach = a.board.base_y
    corners = np.array([(x, y) for x in (-reach, reach) for y in (-reach, reach)])
    apart = a.camera.to_board(b.camera.to_pixels(corners)) - corners
    return float(np.hypot(apart[:, 0], apart[:, 1]).max())


def moved_mm(a: Profile, b: Profile) -> float:
    """Returns how far (mm on the board) the camera moved from `a` to `b`; 0.0 if no more than registrations scatter."""
    apart = apart_mm(a, b)
    return apart if apart >= REREGISTER_MOVED_MM else 0.0


def _unmirrored(camera: Camera) -> Camera:
    return replace(camera, mirror=False)


def _nearby(edges: EdgeMaps, old: Camera, layout: MarkLayout) -> Camera:
    """Returns the old camera, shifted and rotated to the tried motion that agrees best with the marks."""
    shifts = np.linspace(-REREGISTER_SHIFT_MM, REREGISTER_SHIFT_MM, SHIFT_STEPS)
    turns = np.linspace(-TURN_RAD, TURN_RAD, REREGISTER_TURN_STEPS)
    moves = [(x, y, a) for a in turns for x in shifts for y in shifts]
    base = _homography(edges, old)
    guesses = np.array([base @ _motion(*m) for m in moves])
    best = moves[int(np.argmax(mark_agreement(edges, expected(layout, 40.0, 1, FIT_LINES), guesses)))]
    turn = np.eye(3)
    turn[:2, :2] = _motion(*best)[:2, :2]
    t = old.r @ np.array([best[0], best[1], 0.0]) + old.t
    return Camera.of(old.width, old.height, old.k, old.dist, old.r @ turn, t)


def _motion(x: float, y: float, angle: float) -> F64:
    """Returns the homogeneous motion (3, 3) of the board in its own plane: shift in mm, angle in radians."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, x], [s, c, y], [0.0, 0.0, 1.0]])


def _homography(edges: EdgeMaps, camera: Camera) -> F64:
    """Returns the homography, board mm -> small undistorted px, of `camera`, whose lens undistorted the evidence."""
    return np.asarray(edges.lens.k @ np.column_stack([camera.r[:, 0], camera.r[:, 1], camera.t]))


def _anywhere(edges: EdgeMaps, lens: Camera, layout: MarkLayout, turn: int, size: tuple[int, int]) -> Iterator[Camera]:
    """Yields cameras from a search of the whole picture, which takes most of a second and starts on first use."""
    for guess in hypotheses(edges, layout)[:REREGISTER_GUESSES]:
        yield start_camera(corners_of(guess, edges, layout), layout, size, lens).turned(turn)
