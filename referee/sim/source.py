"""The simulator as a source of frames, with ground truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self

import numpy as np

from calibration.geometry.camera import Camera
from calibration.geometry.picture import Picture
from models.board import DEFAULT_BOARD, BoardModel, load_board
from models.pieces import Kind, Seat
from referee.frames.frame import SIMULATOR, Frame
from referee.sim.game import Game
from referee.sim.physics import Sliding
from referee.sim.render import Renderer
from referee.sim.scene import Scene, TrueReturn, TrueStroke, with_rolling_shutter
from referee.sim.script import MatchConditions
from referee.sim.sensor_noise import Exposure, Sensor
from referee.sim.simple_rules import Announcement
from referee.sim.trouble import PictureTrouble
from referee.sim.viewpoint import Appearance, Mount, camera_over, pushed


@dataclass(frozen=True, slots=True)
class SimOptions:
    """Settings of a simulated match."""

    width: int = 728
    """Picture width, px; even."""
    height: int = 544
    """Picture height, px; even."""
    fps: float = 30.0
    seed: int = 0
    board: str | BoardModel = DEFAULT_BOARD
    """The board model, or its name."""
    manner: MatchConditions = field(default_factory=MatchConditions)
    sliding: Sliding = field(default_factory=Sliding)
    mount: Mount = field(default_factory=Mount)
    appearance: Appearance = field(default_factory=Appearance)
    exposure: Exposure = field(default_factory=Exposure)
    trouble: PictureTrouble = field(default_factory=PictureTrouble)
    live: bool = False
    """Frames that nobody reads in time count as lost. The simulator itself never waits."""
    keep_scenes: bool = False
    """Store the scene of every frame for `truth`; about 1 kB a frame."""


class SimSource:
    """Plays and renders a match; a `Source` of `referee.frames.frame`.

    The players wait for `announce` after each stroke, and apply their own reading if it does not arrive in time.
    """

    name = SIMULATOR

    def __init__(self, options: SimOptions | None = None, **changes: Any) -> None:
        """`changes` are fields of SimOptions. Raises ValueError for odd sizes or an unknown board."""
        self.options = replace(options or SimOptions(), **changes)
        o = self.options
        if o.width % 2 or o.height % 2:
            raise ValueError(f"the simulator's pictures need even sides, not {o.width}x{o.height}")
        self.board = load_board(o.board) if isinstance(o.board, str) else o.board
        self.camera: Camera = camera_over(self.board, o.width, o.height, o.mount)
        play, paint = np.random.SeedSequence(o.seed).spawn(2)
        self._game = Game(self.board, o.manner, o.sliding, np.random.default_rng(play))
        self._paint = paint
        self._renderers: list[Renderer] = []
        """One for each place of the camera so far; none while closed."""
        self._scenes: list[Scene] = []
        self._index = 0

    @property
    def fps(self) -> float | None:
        return self.options.fps

    @property
    def seats(self) -> tuple[Seat, Seat]:
        """The seats at which the two players sit."""
        return self.options.manner.seats

    @property
    def live(self) -> bool:
        return self.options.live

    def __enter__(self) -> Self:
        self._renderers = [self._rendered_by(self.camera)]
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self._renderers = []

    def _rendered_by(self, camera: Camera) -> Renderer:
        """Returns a renderer of the same board, light and noise for another camera."""
        o, rng = self.options, np.random.default_rng(self._paint)
        sensor = Sensor(o.width, o.height, o.exposure, rng, o.trouble)
        return Renderer(camera, self.board, o.appearance, o.manner.seats, sensor, rng, self.camera)

    def _draw(self, scene: Scene, index: int) -> Picture:
        """Returns a frame from the camera's pose at that time."""
        pushes = [p for p in self.options.trouble.pushes if p.t <= scene.t]
        for push in pushes[len(self._renderers) - 1 :]:
            camera = pushed(self.camera, push.dx_mm, push.dy_mm, push.turn_rad)
            self._renderers.append(self._rendered_by(camera))
        return self._renderers[len(pushes)].draw(scene, index)

    def __iter__(self) -> Iterator[Frame]:
        if not self._renderers:
            raise RuntimeError("open the simulator with `with` before taking frames")
        for scene in self.scenes():
            index = self._index - 1
            row_s = None if self.options.exposure.readout_s else 0.0
            if not self.options.trouble.loses(scene.t):
                yield Frame(self._draw(scene, index), scene.t, index, row_s)

    def scenes(self) -> Iterator[Scene]:
        """Yields ground truth at every frame, drawn or not, from the last one on; ends after the last board."""
        while True:
            t = self._index / self.options.fps
            self._game.advance(t)
            if self._game.over:
                return
            scene = self._scene(t)
            if self.options.keep_scenes:
                self._scenes.append(scene)
            self._index += 1
            yield scene

    def _scene(self, t: float) -> Scene:
        """Returns the world at t, when the middle row is read. A rolling shutter sees each sliding disc when its row is
        read.
        """
        exposure = self.options.exposure
        scene = self._game.stage.scene(t, exposure.exposure_s)
        if not exposure.readout_s or not scene.moving.any():
            return scene
        rows = self.camera.to_pixels(scene.pos_mm)[:, 1]
        late = (rows / self.camera.height - 0.5).clip(-0.5, 0.5) * exposure.readout_s
        own = {
            i: self._game.stage.scene(t + float(late[i]), exposure.exposure_s)
            for i in np.flatnonzero(scene.moving).tolist()
        }
        return with_rolling_shutter(scene, own)

    def announce(self, turn: Seat | None, returns: Sequence[Kind] = (), board_over: bool = False) -> None:
        """Announces the referee's ruling on the last stroke; may be called from any thread.

        `turn` None leaves the next seat to the players; `returns` lists the coins to be put back, one entry each.
        """
        self._game.ear.announce(Announcement(turn, tuple(returns), board_over))

    def truth(self, index: int) -> Scene:
        """Returns the scene of frame `index`; raises LookupError if it was not stored."""
        if not self.options.keep_scenes:
            raise LookupError("this simulator keeps no scenes; make it with keep_scenes=True")
        return self._scenes[index]

    def picture(self, index: int) -> Picture:
        """Renders an earlier frame again; raises LookupError if its scene was not stored."""
        if not self._renderers:
            raise RuntimeError("open the simulator with `with` before drawing its frames")
        return self._draw(self.truth(index), index)

    @property
    def frames(self) -> int:
        """Number of frames so far."""
        return self._index

    @property
    def strokes(self) -> tuple[TrueStroke, ...]:
        """Strokes that have come to rest so far."""
        return tuple(self._game.strokes)

    @property
    def returns(self) -> tuple[TrueReturn, ...]:
        """Coins put back so far."""
        return tuple(self._game.returns)

    @property
    def board_number(self) -> int:
        """Number of the current board, from 1; 0 before the first begins."""
        return self._game.board_number
