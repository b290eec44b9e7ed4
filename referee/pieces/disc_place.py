"""Places discs: a small network says how far a disc's centre is from where it was sought, and how surely.

Discs at rest, whose places are judged, are asked twice and mirrored. In flight, where many frames show a disc's path,
it is asked once, which takes half the time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from enum import IntEnum
from functools import lru_cache
from typing import Protocol

import cv2
import numpy as np

from calibration.geometry.camera import F64, Camera
from calibration.geometry.picture import F32, U8
from referee.pieces.circles import Ring
from referee.pieces.disc import Disc
from referee.pieces.learned_network import DARKEST_GROUND, LEAST_TONE, PATCH_SIDE, network

RADIUS_STEPS = 14.0
"""Radius of the sought disc in patch steps."""
OVERSAMPLING = 2
"""Points a side that are averaged to one of the patch, so that large pictures do not alias."""
OUTSIDE_RADII = 1.3
"""Distance from the sought centre, in radii, beyond which the median is the patch's reference."""
PLACE_MOST = 3.0
"""Greatest difference from the reference, as a share of its luma."""
OFFSET_UNIT = 0.1
"""Unit of the network's offsets and growth, in radii."""
PLACE_ROUNDS = 2
"""Number of times a disc at rest is asked, again where it was put."""
PLACE_NETWORK = "place.onnx"
PATCH_RADII = PATCH_SIDE / RADIUS_STEPS / math.sqrt(2)
"""Distance from the sought centre to a patch's corners, in radii."""


class ImagePlanes(Protocol):
    """Image planes that show discs: a whole picture, or tiles of several."""

    @property
    def y(self) -> U8:
        """Luma."""

    @property
    def u(self) -> U8:
        """Blue difference, at half the height and width."""

    @property
    def v(self) -> U8:
        """Red difference, at half the height and width."""

    def at(self, columns: F32, rows: F32) -> tuple[F32, F32]:
        """Returns the plane's columns and rows (n, k) for pixels of the profile's camera, k for each of n discs."""


class Answer(IntEnum):
    """The network's answers about a disc, in its output's order."""

    ALONG = 0
    """Offset towards the point beneath the lens, in `OFFSET_UNIT` radii, as the next three."""
    ACROSS = 1
    """Offset to the left of it."""
    LOG_SIGMA = 2
    """Logarithm of the offset's standard deviation on each axis."""
    GROWTH = 3
    """Growth of the radius."""
    PRESENCE = 4
    """Log odds of a disc."""


def place_discs(shown: ImagePlanes, camera: Camera, discs: Sequence[Disc], heights: F64 | float,
                in_flight: bool = False) -> list[Disc]:  # fmt: skip
    """Returns the discs at their measured centres, with `sigma` and `excess`.

    `heights`: top height (mm) of each disc. Centres may be sought some 5 mm beside.
    """
    if not discs:
        return []
    tops = np.broadcast_to(np.asarray(heights, np.float64), (len(discs),))
    centres, radii = np.array([(d.x, d.y) for d in discs]), np.array([d.radius for d in discs])
    answer = np.empty((len(discs), len(Answer)))
    for _ in range(1 if in_flight else PLACE_ROUNDS):
        towards = eye_directions(camera, centres)
        answer = answers(place_patches(shown, camera, centres, radii, tops), mirrored=not in_flight)
        along, across = (OFFSET_UNIT * answer[:, [Answer.ALONG, Answer.ACROSS]] * radii[:, None]).T
        centres += along[:, None] * towards + across[:, None] * turned_left(towards)
    sigmas = OFFSET_UNIT * np.exp(answer[:, Answer.LOG_SIGMA]) * radii
    growths = OFFSET_UNIT * answer[:, Answer.GROWTH] * radii
    fits = zip(discs, centres.tolist(), sigmas.tolist(), growths.tolist(), strict=True)
    return [replace(d, x=x, y=y, sigma=s, excess=e) for d, (x, y), s, e in fits]


def rim_witness(shown: ImagePlanes, camera: Camera, circles: Sequence[Disc | Ring], heights: F64) -> F64:
    """Returns log odds (n,) that discs lie at circles rather than nothing, by what is seen there alone."""
    if not circles:
        return np.empty(0)
    centres, radii = np.array([(c.x, c.y) for c in circles]), np.array([c.radius for c in circles])
    return np.asarray(answers(place_patches(shown, camera, centres, radii, heights))[:, Answer.PRESENCE])


def answers(patches: F32, mirrored: bool = True) -> F64:
    """Returns the network's answers (n, 5) to patches; the mean over the patch and its mirror image if `mirrored`."""
    net, n = network(PLACE_NETWORK), len(patches)
    net.setInput(np.concatenate([patches, patches[:, :, ::-1]]) if mirrored else patches)
    both = np.asarray(net.forward(), np.float64)
    return np.asarray((both[:n] + both[n:] * (1, -1, 1, 1, 1)) / 2) if mirrored else both


def eye_directions(camera: Camera, centres: F64) -> F64:
    """Returns the unit vectors (n, 2) from centres (n, 2) to the point beneath the lens: a disc's foot shows there."""
    towards = camera.position[:2] - centres
    return np.asarray(towards / np.maximum(np.linalg.norm(towards, axis=1), 1e-9)[:, None])


def turned_left(directions: F64) -> F64:
    """Returns directions (n, 2) turned left by a right angle."""
    return np.stack([-directions[:, 1], directions[:, 0]], 1)


def place_patches(shown: ImagePlanes, camera: Camera, centres: F64, radii: F64, heights: F64) -> F32:
    """Returns the network's input (n, 4, PATCH_SIDE, PATCH_SIDE) around centres (n, 2) mm at `heights` (n,) mm.

    Planes: luma, blue and red difference, relative to what is around; displacement of the disc's foot, in radii.
    Columns run towards the point beneath the lens, rows to the left of it.
    """
    towards = eye_directions(camera, centres)
    axes = np.stack([towards, turned_left(towards)], 1) * radii[:, None, None]
    side = PATCH_SIDE * OVERSAMPLING
    along = ((np.arange(side) + 0.5) / side - 0.5) * PATCH_SIDE / RADIUS_STEPS
    at = _pixels(shown, camera, centres, axes, heights, along)
    halves = at * np.float32(0.5) - np.float32(0.25)
    out = np.empty((len(centres), 4, PATCH_SIDE, PATCH_SIDE), np.float32)
    small = PATCH_SIDE, len(centres) * PATCH_SIDE
    for i, (plane, (across, down)) in enumerate(zip((shown.y, shown.u, shown.v), (at, halves, halves), strict=True)):
        tones = cv2.remap(plane, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        patches = cv2.resize(tones.reshape(-1, side), small, interpolation=cv2.INTER_AREA)
        out[:, i] = patches.reshape(len(centres), PATCH_SIDE, PATCH_SIDE)
    around = np.median(out[:, :3, _outside()], 2)
    full = np.maximum(around[:, 0], DARKEST_GROUND)[:, None, None, None]
    gain = np.array([1.0, 2.0, 2.0], np.float32)[:, None, None]
    np.clip((out[:, :3] - around[..., None, None]) * gain / full, LEAST_TONE, PLACE_MOST, out[:, :3])
    foot = np.linalg.norm(camera.position[:2] - centres, axis=1) * heights / (camera.position[2] * radii)
    out[:, 3] = foot[:, None, None]
    return out


@lru_cache(maxsize=1)
def _outside() -> np.ndarray:
    """Returns the mask (PATCH_SIDE, PATCH_SIDE) of what lies beyond the disc."""
    along = (np.arange(PATCH_SIDE) - (PATCH_SIDE - 1) / 2) / RADIUS_STEPS
    return np.asarray(np.hypot(along, along[:, None]) > OUTSIDE_RADII)


def _pixels(shown: ImagePlanes, camera: Camera, centres: F64, axes: F64, heights: F64, along: F64) -> F32:
    """Returns columns and rows (2, n, k * k) of the pixels at `along` (k,) on both `axes` (n, 2, 2) mm.

    Projected are nine points of each patch. Between them its image is a parabola each way.
    """
    ends = np.array([-1.0, 0.0, 1.0]) * abs(along[0])
    offsets = axes[:, None, None, 1] * ends[:, None, None] + axes[:, None, None, 0] * ends[None, :, None]
    points = (centres[:, None, None] + offsets).reshape(-1, 2)
    px = camera.to_pixels(points, np.repeat(heights, 9)).reshape(-1, 3, 3, 2)
    share = (along / abs(along[0])).astype(np.float32)
    weights = np.array([share * (share - 1) / 2, 1 - share**2, share * (share + 1) / 2])
    spread = weights.T @ px.transpose(3, 0, 1, 2).astype(np.float32) @ weights
    return np.stack(shown.at(*spread.reshape(2, len(centres), -1)))
