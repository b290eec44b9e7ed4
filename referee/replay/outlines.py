"""Computes the outlines drawn over a clip: where its camera shows the rims of the detected pieces.

The player in the browser (`static/scripts/traced.js`) draws the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibration.geometry.camera import F64, Camera
from models.pieces import Kind
from referee.replay.cliptimes import ClipTimes
from referee.replay.interpolate import ShownDisc, pieces_at
from referee.replay.tracks import TRACKS_LETTERS, Tracks

OUTLINE_CORNERS = 48
"""Number of corners of a drawn outline."""
COIN_MM, STRIKER_MM = 15.9, 20.65
"""Radii by the rule book, for logs that do not state those of this board."""
OUTLINE_ANGLES = np.arange(OUTLINE_CORNERS) * (2 * np.pi / OUTLINE_CORNERS)
OUTLINE_CIRCLE: F64 = np.column_stack([np.cos(OUTLINE_ANGLES), np.sin(OUTLINE_ANGLES)])


@dataclass(frozen=True, slots=True, eq=False)
class DiscOutline:
    """Outline of one piece in one frame."""

    shown: ShownDisc
    px: F64
    """(OUTLINE_CORNERS, 2) pixels of the frame."""


class ClipOutlines:
    """Outlines over one clip."""

    def __init__(self, clip: ClipTimes, header: Mapping[str, Any]) -> None:
        """`header`: of the log's start in which the stroke was played; it states the radii of this board's pieces."""
        board = header.get("board", {})
        self._coin = float(board.get("coin_radius", COIN_MM)), clip.top_mm
        self._striker = float(board.get("striker_radius", STRIKER_MM)), clip.striker_top_mm
        self._clip = clip
        self._cameras: dict[int, Camera] = {}

    def camera_at(self, t: float) -> Camera | None:
        """Returns the camera of the frame of t; None while it moved."""
        found = self._clip.camera_at(t)
        if found is None:
            return None
        return self._cameras.setdefault(id(found), Camera.from_dict(found))

    def at(self, tracks: Tracks, t: float, t_strike: float) -> list[DiscOutline]:
        """Returns the outlines of the visible pieces at t, at the height of their top faces."""
        camera = self.camera_at(t)
        return [DiscOutline(p, self._px(camera, p)) for p in pieces_at(tracks, t, t_strike)] if camera else []

    def _px(self, camera: Camera, shown: ShownDisc) -> F64:
        radius, top = self._striker if shown.kind == TRACKS_LETTERS[Kind.STRIKER] else self._coin
        return camera.to_pixels(np.array((shown.x, shown.y)) + radius * OUTLINE_CIRCLE, top)
