"""Detects endless apparent motion in the picture while the pieces lie still, and reports it to people.

A fan's soft shadow, marks that another program draws into the picture or a clock in a corner look like motion. A stroke
ends when nothing moves, so it would never be reported. After some seconds of motion the monitor therefore detects the
discs in pictures half a second apart and compares their positions to decide whether the pieces rest.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator

import cv2
import numpy as np

from calibration.geometry.camera import F64
from calibration.geometry.picture import Picture
from calibration.profile import Profile
from referee.board_state.motion import are_at_rest
from referee.census.reconcile import has_moved
from referee.facts import Alert, AlertKind
from referee.foreground.background import BackgroundModel, ForegroundFrame
from referee.foreground.segmentation import Segmentation
from referee.pieces.detector import find_pieces
from referee.pieces.disc_set import is_sure

DOUBTED_AFTER_S, SEARCH_EVERY_S = 3.0, 0.5
"""Duration of motion from which it is doubted, and interval of the disc comparisons from then on, in seconds. The
longest of 63 recorded strokes moves for 2.1 s."""
RESTING_LEAST_S, SEARCHES = 1.0, 6
"""Pieces rest once, for this many seconds, every detected disc lay where one of the last `SEARCHES` searches had one.

Several searches are compared because marks hide a disc in one picture and show it in the next. A disc that fell is not
detected anywhere.
"""
REPORT_AFTER_S = 5.0
"""Duration of motion, in seconds, from which it is reported even if the discs are not found at rest, and of calm after
which it is over: a fan's shadow rests for moments."""
LONGEST_STROKE_S = 20.0
"""Greatest duration of a stroke, in seconds, whatever seems to move."""
UNREST_TEXT = (
    "Something keeps changing in the picture though no piece moves, as a fan's shadow or marks drawn into the picture "
    "do; strokes are told later and in doubt until it is gone."
)
OVER_TEXT = "The picture is calm again."


class UnrestMonitor:
    """Monitors apparent motion that never ends; call `watch` for each examined frame."""

    def __init__(self, background: BackgroundModel) -> None:
        self._background = background
        self._still_since: float | None = None
        """When the last motion ended; None while something moves."""
        self.rested = math.nan
        """Last time at which nothing moved in the picture; NaN before the first frame."""
        self._searched = self._restless = -math.inf
        """Times of the last disc search and of the last apparent motion."""
        self._searches: deque[F64] = deque(maxlen=SEARCHES)
        """Disc centres of the last searches, each an array (n, 2) in mm."""
        self._is_reported = False
        self._same_since: float | None = None
        """Time since which each search has found the same discs; None if the last one did not."""

    def begin_stroke(self) -> None:
        """Discards the searches: pieces move from now on."""
        self._searches.clear()
        self._same_since = None

    @property
    def rests_since(self) -> float | None:
        """Time since which the pieces are found at rest though something seems to move; None if unknown."""
        is_long = self._same_since is not None and self._searched >= self._same_since + RESTING_LEAST_S
        return self._same_since if is_long else None

    def watch(self, picture: Picture, foreground: ForegroundFrame, scene: Segmentation, profile: Profile,
              moving: bool) -> Iterator[Alert]:  # fmt: skip
        """Processes one frame and yields alerts; `moving` tells whether anything but hands seems to move in it."""
        t = foreground.t
        if math.isnan(self.rested):
            self.rested = t
        if self._is_at_rest(t, moving):
            self.rested = t
            self.begin_stroke()
            if self._is_reported and t >= self._restless + REPORT_AFTER_S:
                self._is_reported = False
                yield Alert(t, AlertKind.PICTURE_SOUND, OVER_TEXT)
            return
        self._restless = t
        is_open = self.rests_since is None and t >= self.rested + DOUBTED_AFTER_S
        if is_open and t >= self._searched + SEARCH_EVERY_S:
            self._search(picture, t, scene, profile)
        if (self.rests_since is not None or t >= self.rested + REPORT_AFTER_S) and not self._is_reported:
            self._is_reported = True
            yield Alert(t, AlertKind.PICTURE_RESTLESS, UNREST_TEXT)

    def _is_at_rest(self, t: float, moving: bool) -> bool:
        if moving:
            self._still_since = None
        elif self._still_since is None:
            self._still_since = t
        return self._still_since is not None and are_at_rest(self._still_since, t)

    def _search(self, picture: Picture, t: float, scene: Segmentation, profile: Profile) -> None:
        """Compares the clearly detected discs of this picture with those of the last searches."""
        discs = [d for _, d in find_pieces(picture, profile) if is_sure(d)]
        places = np.array([(d.x, d.y) for d in discs], np.float64).reshape(-1, 2)
        if not self._searches or not self._has_all(places, np.concatenate(self._searches), scene):
            self._same_since = None
        elif self._same_since is None:
            self._same_since = self._searched
        self._searches.append(places)
        self._searched = t

    def _has_all(self, sought: F64, found: F64, scene: Segmentation) -> bool:
        """Tells whether each position of `sought` (n, 2) that no hand hides is one of `found` (m, 2), hardly moved."""
        if len(sought) and cv2.countNonZero(scene.near_hand):
            sought = sought[scene.near_hand[self._background.lattice.nearest(sought)] == 0]
        return all(any(not has_moved(place, other) for other in found.tolist()) for place in sought.tolist())
