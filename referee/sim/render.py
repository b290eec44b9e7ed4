"""Renders a scene: pieces, shadows and arms over the backdrop, drawn only where something changes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.geometry.camera import Camera
from calibration.geometry.picture import Picture
from models.board import BoardModel
from models.pieces import Kind, Seat
from referee.sim.arms import ArmPainter
from referee.sim.backdrop import backdrop
from referee.sim.discs import DiscPainter, Sprite
from referee.sim.holes import PocketOpenings
from referee.sim.layer import U8, Patch, blend, planes
from referee.sim.light import Light
from referee.sim.scene import Scene, Where
from referee.sim.sensor_noise import Sensor
from referee.sim.stage import FALL_MM, KINDS
from referee.sim.viewpoint import Appearance

NET_DEPTH_MM, NET_SHADE = 32.0, 0.55
"""Depth of coins in a net, mm, and their brightness in the dark there."""


class Renderer:
    """Renders the scenes of one camera over one board; pieces at rest stay painted between frames."""

    def __init__(self, camera: Camera, board: BoardModel, appearance: Appearance, seats: Sequence[Seat], sensor: Sensor,
                 rng: np.random.Generator, drawn_for: Camera | None = None) -> None:  # fmt: skip
        """`drawn_for` is the camera's pose when the board was drawn, if it differs now."""
        light = Light(camera, appearance)
        self._discs = DiscPainter(camera, board, appearance, light)
        self._arms = ArmPainter(camera, appearance, seats, light)
        self._sensor, self._appearance = sensor, appearance
        self._holes = PocketOpenings(camera, board)
        self._still = backdrop(camera, board, appearance, light, rng, drawn_for)
        self._tones = 1.0 + appearance.tone_spread * np.clip(rng.standard_normal(len(KINDS)), -2, 2)
        self._resting: dict[int, tuple[tuple[float, float], Sprite]] = {}
        self._table = self._still.copy()
        self._planes = planes(self._table)

    def draw(self, scene: Scene, index: int) -> Picture:
        """Returns frame number `index` in video range, with fresh planes."""
        self._repaint_resting(scene)
        y, u, v = (plane.copy() for plane in self._planes)
        image, changed = self._with_movers(scene)
        for patch in changed:
            if not patch.is_empty:
                y[patch.slices], u[patch.half_slices], v[patch.half_slices] = planes(image[patch.slices])
        return self._sensor.expose(y, u, v, scene.t, index)

    def _repaint_resting(self, scene: Scene) -> None:
        """Updates the painted board to the pieces now at rest."""
        pos = scene.pos_mm
        still = [i for i, w in enumerate(scene.where) if w is Where.BOARD and not scene.moving[i]]
        places = {i: (float(pos[i, 0]), float(pos[i, 1])) for i in still}
        if self._appearance.nets_show:
            netted = [i for i, w in enumerate(scene.where) if w is Where.NET and scene.kinds[i] is not Kind.STRIKER]
            places = {i: self._holes.place(i, pos[i]) for i in netted} | places
        if places == {i: at for i, (at, _) in self._resting.items()}:
            return
        known = self._resting
        self._resting = {
            i: known[i] if i in known and known[i][0] == at else (at, self._lying(scene, i, at))
            for i, at in places.items()
        }
        gone = [s for i, (at, s) in known.items() if places.get(i) != at]
        come = [s for i, (at, s) in self._resting.items() if i not in known or known[i][0] != at]
        for sprite in gone + come:
            self._repaint(sprite.patch)

    def _lying(self, scene: Scene, i: int, at: tuple[float, float]) -> Sprite:
        """Returns the sprite of a piece at rest, on the board or in a net."""
        tone = float(self._tones[i])
        if scene.where[i] is Where.BOARD:
            return self._discs.sprite(scene.kinds[i], np.array([at]), 0.0, tone)
        sprite = self._discs.sprite(scene.kinds[i], np.array([at]), -NET_DEPTH_MM, NET_SHADE * tone)
        return self._holes.within(sprite)

    def _repaint(self, patch: Patch) -> None:
        """Paints one patch of the board anew."""
        if patch.is_empty:
            return
        self._table[patch.slices] = self._still[patch.slices]
        _lay_sprites(self._table, [sprite for _, sprite in self._resting.values()], self._appearance.shadow, patch)
        y, u, v = self._planes
        y[patch.slices], u[patch.half_slices], v[patch.half_slices] = planes(self._table[patch.slices])

    def _with_movers(self, scene: Scene) -> tuple[U8, list[Patch]]:
        """Returns the board with everything that moves, and where it differs from the board at rest."""
        sprites = [
            self._discs.sprite(scene.kinds[i], scene.trail_mm[:, i], float(scene.lift_mm[i]), float(self._tones[i]))
            for i, where in enumerate(scene.where)
            if scene.moving[i] and where in (Where.BOARD, Where.HELD)
        ]
        falling = [i for i, where in enumerate(scene.where) if where is Where.FALLING]
        if not (sprites or falling or scene.hands):
            return self._table, []
        image = self._table.copy()
        changed = [self._lay_falling(image, scene, i) for i in falling]
        changed += [self._arms.paint_shadow(image, pose) for pose in scene.hands]
        _lay_sprites(image, sprites, self._appearance.shadow)
        changed += [sprite.patch for sprite in sprites]
        changed += [self._arms.paint(image, pose) for pose in scene.hands]
        return image, changed

    def _lay_falling(self, image: U8, scene: Scene, i: int) -> Patch:
        """Draws a falling disc, which fades into the dark of the pocket."""
        lift = float(scene.lift_mm[i])
        sprite = self._discs.sprite(scene.kinds[i], scene.trail_mm[:, i], lift)
        blend(image, sprite.patch, sprite.disc, 1.0 + lift / FALL_MM)
        return sprite.patch


def _lay_sprites(image: U8, sprites: Sequence[Sprite], shadow: float, within: Patch | None = None) -> None:
    """Draws all shadows first: a shadow falls on the board, not on a neighbour's top face."""
    for sprite in sprites:
        blend(image, sprite.patch, sprite.shadow, shadow, within)
    for sprite in sprites:
        blend(image, sprite.patch, sprite.disc, 1.0, within)
