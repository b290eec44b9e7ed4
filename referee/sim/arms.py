"""Renders arms: rounded limbs of skin and sleeve, and their shadows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import Camera
from models.pieces import Seat
from referee.sim.anatomy import Capsule, Cover, capsule_outlines, capsules
from referee.sim.layer import U8, Layer, Patch, blend
from referee.sim.light import Light
from referee.sim.scene import HandPose
from referee.sim.viewpoint import Appearance, Bgr, scaled

F64 = NDArray[np.float64]

ARMS_FINE = 2
"""Samples along each side of a pixel."""
SHADES = ((1.0, 0.74), (0.86, 0.90), (0.62, 1.0), (0.34, 1.07))
"""Nested outlines that give a limb its round shading: share of its radius, brightness."""
SOFT_PX = 0.8
"""Softness of an arm's edges, px."""
SHADOW_SHARE = 0.34
"""Darkness of an arm's shadow, as a share of the light."""
ARMS_SHADOW_MM = 7.0
"""Softness of an arm's shadow, mm."""


class ArmPainter:
    """Paints the hands of one scene."""

    def __init__(self, camera: Camera, appearance: Appearance, seats: Sequence[Seat], light: Light) -> None:
        self._camera, self._appearance, self._light = camera, appearance, light
        self._sleeve = dict(zip(seats, appearance.sleeves, strict=True))
        self._eye_z = float(camera.position[2])
        self._per_mm = float(camera.px_per_mm()[0])
        self._lamp = np.array(appearance.lamp_mm)

    def paint_shadow(self, image: U8, pose: HandPose) -> Patch:
        """Darkens the arm's shadow; returns the patch that changed."""
        ends, radii = _measures(capsules(pose))
        z = ends[..., 2:]
        cast = ends[..., :2] + (ends[..., :2] - self._lamp[:2]) * (z / (self._lamp[2] - z))
        places = self._camera.to_pixels(cast.reshape(-1, 2)).reshape(cast.shape)
        shapes = [(shape, (0, 0, 0)) for shape in capsule_outlines(places, radii * self._per_mm)]
        return self._blend(image, shapes, ARMS_SHADOW_MM * self._per_mm, 1, SHADOW_SHARE)

    def paint(self, image: U8, pose: HandPose) -> Patch:
        """Draws the arm; returns the patch that changed."""
        limbs = capsules(pose)
        ends, radii = _measures(limbs)
        places = self._camera.to_pixels(ends[..., :2].reshape(-1, 2), ends[..., 2].ravel()).reshape(-1, 2, 2)
        nearer = self._per_mm * self._eye_z / (self._eye_z - ends[..., 2])
        rounds = [capsule_outlines(places, radii * nearer * share) for share, _ in SHADES]
        shapes = [
            (rounds[k][n], scaled(self._base(limb.cover, pose.seat), bright))
            for n, limb in enumerate(limbs)
            for k, (_, bright) in enumerate(SHADES)
        ]
        return self._blend(image, shapes, SOFT_PX, ARMS_FINE, 1.0)

    def _base(self, cover: Cover, seat: Seat) -> Bgr:
        return self._appearance.skin if cover is Cover.SKIN else self._sleeve[seat]

    def _blend(self, image: U8, shapes: Sequence[tuple[F64, Bgr]], soft_px: float, fine: int, share: float) -> Patch:
        height, width = image.shape[:2]
        patch = Patch.around(np.concatenate([s for s, _ in shapes]), 2 * soft_px + 2, width, height)
        if not patch.is_empty:
            layer = Layer(patch, fine)
            for shape, colour in shapes:
                layer.fill([shape], colour)
            layer.soften(soft_px)
            blend(image, patch, self._light.on_layer(patch, layer.covered()), share)
        return patch


def _measures(limbs: Sequence[Capsule]) -> tuple[F64, F64]:
    """Returns both ends (n, 2, 3) and radii (n, 2) of limbs, mm. The third coordinate is the height."""
    ends = [((*limb.start, limb.start_z), (*limb.end, limb.end_z)) for limb in limbs]
    radii = [(limb.start_radius, limb.end_radius) for limb in limbs]
    return np.array(ends, np.float64), np.array(radii, np.float64)
