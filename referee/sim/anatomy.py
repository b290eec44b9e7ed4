"""The shape of a hand: capsules of skin and sleeve, computed from a pose, in board mm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from referee.sim.scene import HandPose

F64 = NDArray[np.float64]


class Cover(StrEnum):
    """Material of a limb."""

    SKIN = "skin"
    SLEEVE = "sleeve"


@dataclass(frozen=True, slots=True)
class Capsule:
    """A tapered limb between two round ends."""

    cover: Cover
    start: tuple[float, float]
    end: tuple[float, float]
    start_radius: float
    end_radius: float
    start_z: float
    end_z: float


ARC_POINTS = 9
"""Corners of a capsule's outline at each end."""
PALM_Z, ELBOW_Z = 42.0, 95.0
"""Heights of palm and elbow above the fingertips, mm."""


def capsules(pose: HandPose) -> tuple[Capsule, ...]:
    """Returns the parts of a hand, the farthest from the camera first."""
    along = np.array([math.cos(pose.heading), math.sin(pose.heading)])
    aside = np.array([-along[1], along[0]])
    tip = np.array([pose.x_mm, pose.y_mm])
    base_z, palm_z = pose.z_mm, pose.z_mm + PALM_Z

    def at(forward: float, left: float) -> tuple[float, float]:
        x, y = tip + along * forward + aside * left
        return float(x), float(y)

    def limb(cover: Cover, a: tuple[float, float], b: tuple[float, float], ra: float, rb: float,
             za: float, zb: float) -> Capsule:  # fmt: skip
        return Capsule(cover, a, b, ra, rb, za, zb)

    pinch = pose.pinch
    snap = np.array([math.cos(pose.flick_heading), math.sin(pose.flick_heading)]) * pose.flick_mm
    index_tip = (float(tip[0] + snap[0]), float(tip[1] + snap[1]))
    skin, sleeve = Cover.SKIN, Cover.SLEEVE
    parts = [
        limb(sleeve, at(-640, -6), at(-270, -2), 58, 44, palm_z + ELBOW_Z, palm_z + 25),
        limb(skin, at(-285, -2), at(-165, 0), 31, 26, palm_z + 22, palm_z),
        limb(skin, at(-150, 14), at(-84, 20), 24, 15, palm_z, palm_z - 4),
        limb(skin, at(-150, -14), at(-84, -22), 24, 15, palm_z, palm_z - 4),
        limb(skin, at(-150, 0), at(-82, 0), 28, 18, palm_z, palm_z - 2),
    ]
    for root_left, straight, curled, radius in ((-32, -30, -52, 7.5), (-18, -12, -42, 8.5)):
        forward = curled + (straight - curled) * 0.35 * pinch
        parts.append(
            limb(skin, at(-86, root_left), at(forward, root_left * 0.8), radius + 1, radius, palm_z - 6, base_z)
        )
    middle = at(-36 + 36 * pinch, -6 - 5 * pinch)
    parts.append(limb(skin, at(-84, -2), middle, 10, 8.5, palm_z - 4, base_z + 1))
    thumb_knee, thumb_tip = at(-92, 46 - 4 * pinch), at(-58 + 34 * pinch, 36 - 14 * pinch)
    parts.append(limb(skin, at(-138, 26), thumb_knee, 14, 11, palm_z - 6, palm_z - 14))
    parts.append(limb(skin, thumb_knee, thumb_tip, 11, 9, palm_z - 14, base_z))
    knuckle, joint = at(-80, 15), tuple((np.array(at(-44, 12)) + 0.4 * snap).tolist())
    parts.append(limb(skin, knuckle, (joint[0], joint[1]), 10.5, 9, palm_z - 3, base_z + 16))
    parts.append(limb(skin, (joint[0], joint[1]), index_tip, 9, 7.5, base_z + 16, base_z))
    return tuple(parts)


def capsule_outlines(ends: F64, radii: F64) -> F64:
    """Returns outlines (n, 2 * ARC_POINTS, 2) of capsules with ends (n, 2, 2) and radii (n, 2), in any one unit."""
    travel = ends[:, 1] - ends[:, 0]
    length = np.maximum(np.hypot(travel[:, 0], travel[:, 1]), 1e-9)
    turn = np.arctan2(travel[:, 1], travel[:, 0])
    half = math.pi / 2 - np.arcsin(np.clip((radii[:, 0] - radii[:, 1]) / length, -1.0, 1.0))
    part = np.linspace(-1.0, 1.0, ARC_POINTS)
    front = turn[:, None] + half[:, None] * part
    rear = turn[:, None] + math.pi + (math.pi - half)[:, None] * part
    angle = np.stack([rear, front], axis=1)
    arcs = np.stack([np.cos(angle), np.sin(angle)], axis=-1) * radii[:, :, None, None] + ends[:, :, None]
    return np.asarray(arcs.reshape(len(ends), 2 * ARC_POINTS, 2))
