"""Draws a profile over its picture, for people to check at a glance."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64
from calibration.geometry.picture import Picture
from calibration.profile import Circle, Profile, Segment
from models.pieces import Seat, from_side

SURFACE, LINE, OVERLAY_CIRCLE, POCKET, OVERLAY_TEXT = (
    (80, 220, 80),
    (255, 160, 0),
    (255, 0, 255),
    (0, 220, 255),
    (255, 255, 255),
)
"""Colours (BGR) of the outline, base lines and arrows, base circles, pockets and words."""
OVERLAY_FINE = 4
"""Fractional bits of sub-pixel coordinates."""
SEAT_MM = 60.0
"""Distance of the seat names from the cushion."""


def render(profile: Profile, picture: Picture) -> NDArray[np.uint8]:
    """Returns the picture (h, w, 3) BGR with the playing surface, measured marks, pockets and seat names drawn in."""
    image = picture.bgr()
    corners, share = profile.corners[:, None], np.linspace(0.0, 1.0, 40)[:, None]
    outline = corners * (1 - share) + np.roll(corners, -1, axis=0) * share
    _stroke(image, profile, outline.reshape(-1, 2), SURFACE, closed=True)
    for seat in Seat:
        marks = profile.sides[seat]
        for line in (marks.rear_line, marks.front_line, marks.left_arrow):
            _segment(image, profile, line)
        for circle in (marks.left_circle, marks.right_circle):
            _circle(image, profile, circle, OVERLAY_CIRCLE)
        _name(image, profile, seat)
    for pocket in profile.pockets.values():
        _circle(image, profile, pocket, POCKET)
    return image


def _stroke(image: NDArray[np.uint8], profile: Profile, points: F64, colour: tuple[int, int, int],
            closed: bool = False) -> None:  # fmt: skip
    px = np.clip(profile.camera.to_pixels(points), -1e5, 1e5)
    fixed = np.rint(px * 2**OVERLAY_FINE).astype(np.int32).reshape(-1, 1, 2)
    cv2.polylines(image, [fixed], closed, colour, 1, cv2.LINE_AA, OVERLAY_FINE)


def _segment(image: NDArray[np.uint8], profile: Profile, segment: Segment | None) -> None:
    if segment is not None:
        share = np.linspace(0, 1, 20)[:, None]
        points = np.array(segment.start) * (1 - share) + np.array(segment.end) * share
        _stroke(image, profile, points, LINE)


def _circle(image: NDArray[np.uint8], profile: Profile, circle: Circle | None, colour: tuple[int, int, int]) -> None:
    if circle is not None:
        a = np.linspace(0, 2 * np.pi, 48, endpoint=False)
        ring = np.array(circle.centre) + circle.radius * np.stack([np.cos(a), np.sin(a)], 1)
        _stroke(image, profile, ring, colour, closed=True)


def _name(image: NDArray[np.uint8], profile: Profile, seat: Seat) -> None:
    place = profile.camera.to_pixels([from_side(seat, 0.0, SEAT_MM - profile.board.half)])[0]
    size = max(0.4, image.shape[0] / 1400)
    width, height = cv2.getTextSize(seat.value, cv2.FONT_HERSHEY_SIMPLEX, size, 2)[0]
    at = (int(place[0] - width / 2), int(place[1] + height / 2))
    cv2.putText(image, seat.value, at, cv2.FONT_HERSHEY_SIMPLEX, size, (0, 0, 0), 3, cv2.LINE_AA)
    cv2.putText(image, seat.value, at, cv2.FONT_HERSHEY_SIMPLEX, size, OVERLAY_TEXT, 1, cv2.LINE_AA)
