"""Hands in motion: a hand moves from pose to pose on minimum-jerk paths and may carry discs."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, replace

from models.board import BoardModel
from models.pieces import Seat, from_side, to_side
from referee.sim.scene import HandPose

HANDS_AWAY_MM = 330.0
"""Distance before the cushion at which a fingertip waits out of the picture, mm."""
ELBOW_MM = 420.0
"""Distance of the resting elbow before the cushion, mm. The forearm points from there to the fingertip."""
ELBOW_FOLLOWS = 0.55
"""Share by which the elbow follows the hand sideways: people lean rather than twist the wrist."""
HOVER_MM = 45.0
"""Height of fingertips that pass over coins, mm."""
HANDS_TOUCH_MM = 12.0
"""Height of fingertips that hold or touch a disc, mm."""
FLICK_BACK_MM = 14.0
"""Gap between the waiting finger and the striker's rim, mm."""
FLICK_S = 0.028
"""Time from the finger's release to its contact with the striker, s."""
FOLLOW_MM = 26.0
"""Total travel of the finger, mm."""


@dataclass(frozen=True, slots=True)
class _Key:
    t: float
    pose: HandPose


class Hand:
    """The hand of one seat: a list of poses in time, connected by minimum-jerk paths."""

    def __init__(self, seat: Seat, board: BoardModel) -> None:
        self.seat = seat
        self._half = board.half
        self._keys = [_Key(0.0, self.away())]

    def away(self, x_side: float = 0.0) -> HandPose:
        """Returns the pose beside the board, out of the picture; `x_side` is sideways as the player sees it."""
        return self.over(*from_side(self.seat, x_side, -self._half - HANDS_AWAY_MM), z=HOVER_MM)

    def over(self, x: float, y: float, z: float = HOVER_MM, pinch: float = 0.0, lean: float = 0.0) -> HandPose:
        """Returns the pose with the fingertip at board (x, y) mm, the forearm coming from this seat's side; `lean`
        turns it (radians).
        """
        x_side, _ = to_side(self.seat, x, y)
        elbow = from_side(self.seat, x_side * ELBOW_FOLLOWS, -self._half - ELBOW_MM)
        heading = math.atan2(y - elbow[1], x - elbow[0]) + lean
        return HandPose(self.seat, x, y, z, heading, pinch)

    def move(self, start: float, duration: float, pose: HandPose) -> float:
        """Moves to `pose` from `start` on; returns the time of arrival. Later poses planned before are dropped."""
        here = self.pose(start)
        self._keys = [k for k in self._keys if k.t < start][-1:]
        self._keys += [_Key(start, here), _Key(start + duration, pose)]
        return start + duration

    def then(self, duration: float, pose: HandPose) -> float:
        """Moves to `pose` after all that is planned; returns the time of arrival."""
        self._keys.append(_Key(self.free_s + duration, pose))
        return self.free_s

    def rest_until(self, t: float) -> None:
        """Stays in the last pose until t."""
        if t > self.free_s:
            self._keys.append(_Key(t, self._keys[-1].pose))

    def flick(self, strike_s: float, heading: float) -> float:
        """Snaps the finger so that it meets the striker at `strike_s`; returns the end of the snap."""
        rest = replace(self._keys[-1].pose, flick_heading=heading)
        self.rest_until(strike_s - FLICK_S)
        self._keys[-1] = _Key(self.free_s, rest)
        self._keys.append(_Key(strike_s, replace(rest, flick_mm=FLICK_BACK_MM)))
        self._keys.append(_Key(strike_s + FLICK_S, replace(rest, flick_mm=FOLLOW_MM)))
        return self.free_s

    @property
    def free_s(self) -> float:
        """Time at which all that is planned is done, s."""
        return self._keys[-1].t

    def pose(self, t: float) -> HandPose:
        """Returns the pose at time t."""
        k = bisect_right(self._keys, t, key=lambda key: key.t)
        if k == 0:
            return self._keys[0].pose
        if k == len(self._keys):
            return self._keys[-1].pose
        before, after = self._keys[k - 1], self._keys[k]
        return _between(before.pose, after.pose, (t - before.t) / (after.t - before.t))

    def is_out(self, t: float) -> bool:
        """Tells whether the hand is wholly beside the board."""
        p = self.pose(t)
        return max(abs(p.x_mm), abs(p.y_mm)) > self._half + HANDS_AWAY_MM - 20.0


def _between(a: HandPose, b: HandPose, part: float) -> HandPose:
    """Returns a pose between two on the path of minimum jerk (Flash and Hogan 1985): 10 s^3 - 15 s^4 + 6 s^5."""
    s = part**3 * (10 - 15 * part + 6 * part * part)
    turn = math.remainder(b.heading - a.heading, math.tau)
    return HandPose(
        a.seat,
        a.x_mm + s * (b.x_mm - a.x_mm),
        a.y_mm + s * (b.y_mm - a.y_mm),
        a.z_mm + s * (b.z_mm - a.z_mm),
        a.heading + s * turn,
        a.pinch + s * (b.pinch - a.pinch),
        a.flick_mm + s * (b.flick_mm - a.flick_mm),
        b.flick_heading,
    )
