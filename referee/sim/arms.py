"""Arms as the camera sees them: rounded limbs of skin and sleeve, and the shadow they throw."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from models.pieces import Seat
from referee.sim.anatomy import Capsule, Cover, capsules, outline
from referee.sim.layer import U8, Layer, Patch, lay
from referee.sim.scene import HandPose
from referee.sim.view import Bgr, Look, scaled

F64 = NDArray[np.float64]

FINE = 2
"""Samples along each side of a pixel."""
SHADES = ((1.0, 0.74), (0.86, 0.90), (0.62, 1.0), (0.34, 1.07))
"""Nested outlines that round a limb off: share of its radius, brightness."""
SHADOW_SHARE = 0.34
"""Darkness of an arm's shadow."""
SHADOW_MM = 7.0
"""Softness of an arm's shadow."""


class ArmPainter:
    """Paints the hands of one scene."""

    def __init__(self, camera: Camera, look: Look, seats: Sequence[Seat]) -> None:
        self._camera, self._look = camera, look
        self._sleeve = dict(zip(seats, look.sleeves, strict=True))
        self._eye_z = float(camera.position[2])
        self._per_mm = float(camera.px_per_mm()[0])
        self._lamp = np.array(look.lamp_mm)

    def paint_shadow(self, image: U8, pose: HandPose) -> Patch:
        """Darken what the arm keeps from the lamp; returns where the picture changed."""
        limbs = capsules(pose)
        ends = np.array([p for limb in limbs for p in (limb.start, limb.end)])
        z = np.array([h for limb in limbs for h in (limb.start_z, limb.end_z)])
        cast = ends + (ends - self._lamp[:2]) * (z / (self._lamp[2] - z))[:, None]
        outlines = self._outlines(limbs, self._camera.to_pixels(cast), np.zeros(len(z)))
        return self._lay(image, [(o, (0, 0, 0)) for o in outlines], SHADOW_MM * self._per_mm, 1, SHADOW_SHARE)

    def paint(self, image: U8, pose: HandPose) -> Patch:
        """Draw the arm; returns where the picture changed."""
        limbs = capsules(pose)
        ends = np.array([p for limb in limbs for p in (limb.start, limb.end)])
        z = np.array([h for limb in limbs for h in (limb.start_z, limb.end_z)])
        places = self._camera.to_pixels(ends, z)
        shapes = []
        for k, limb in enumerate(limbs):
            base = self._look.skin if limb.cover is Cover.SKIN else self._sleeve[pose.seat]
            for share, bright in SHADES:
                shape = self._outlines([limb], places[2 * k : 2 * k + 2], z[2 * k : 2 * k + 2], share)[0]
                shapes.append((shape, scaled(base, bright)))
        return self._lay(image, shapes, 0.8, FINE, 1.0)

    def _outlines(self, limbs: Sequence[Capsule], places: F64, z: F64, share: float = 1.0) -> list[F64]:
        """Outlines in pixels of limbs whose ends project to `places` (2n, 2) from heights z (2n,)."""
        nearer = self._per_mm * self._eye_z / (self._eye_z - z) * share
        return [
            outline(
                places[2 * k], places[2 * k + 1], limb.start_radius * nearer[2 * k], limb.end_radius * nearer[2 * k + 1]
            )
            for k, limb in enumerate(limbs)
        ]

    def _lay(self, image: U8, shapes: Sequence[tuple[F64, Bgr]], soft_px: float, fine: int, share: float) -> Patch:
        height, width = image.shape[:2]
        patch = Patch.around(np.concatenate([s for s, _ in shapes]), 2 * soft_px + 2, width, height)
        if not patch.is_empty:
            layer = Layer(patch, fine)
            for shape, colour in shapes:
                layer.fill([shape], colour)
            layer.soften(soft_px)
            lay(image, patch, layer.covered(), share)
        return patch
