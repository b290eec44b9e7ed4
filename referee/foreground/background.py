"""The background model: the bare board on a coarse lattice, and what of each frame differs from it.

Later stages look only where this one found a difference. Lattice points are board points at the height of the coins'
tops, so later stages work in millimetres whatever the camera.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.lattice import Lattice
from calibration.geometry.picture import U8
from calibration.profile import Profile
from models.board import BoardModel
from models.pieces import Piece
from referee.foreground.illumination import LIGHT_GREY, Illumination, IlluminationMeter
from referee.foreground.noise import NoiseFollower, believable, sigma_of
from referee.foreground.patches import DiscPatches, in_light
from referee.foreground.unseen_board import guessed

BACKGROUND_STEP_MM = 2.5
"""Lattice spacing. Six points span a coin's radius: enough to tell one coin from two, cheap enough for every frame."""
FRAME_REACH_MM = 45.0
"""The lattice covers the playing surface and this much of the frame, where arms come in and coins jump out."""
BACKGROUND_STEPS = 12, 6
"""Least differences of luma and chroma from the bare board that count, levels. They lie above the noise of any usable
picture."""
BACKGROUND_NOISE_TIMES = 4.0
"""Differences below this many standard deviations of the noise do not count."""
SHADE_DARKEST = 0.5
"""Least share of the board's luma that is left in a shadow. A shadow keeps the board's tint."""
COVER_MM = 6.0
"""Margin beyond a piece's rim in which its wall and its shadow hide the board."""
LEAST_FREE = 0.2
"""Least share of a patch free of other pieces from which its whole difference is extrapolated."""
GROUND_RADII = 1.9
"""Outer radius of the board around a disc, in radii of the disc."""
KNOWN_SHARE = 0.5
"""Share of the cells under a patch that must have been seen bare for the board there to count as known."""
SWAY_LEFT = 0.25
"""Residual of a swinging camera, as a share of the local contrast. It equals a shift of 0.6 mm."""
BACKGROUND_EDGE_MM = 8.0
"""Distance from a cushion or a pocket within which the board lies in its shade. No printed line is as wide."""

Mask = NDArray[np.uint8]
"""255 where true, 0 elsewhere, (n, n)."""


def is_known(share: float) -> bool:
    """Tells whether the bare board is known where a share (0 to 1) of the cells was seen bare."""
    return share >= KNOWN_SHARE


@dataclass(frozen=True, slots=True, eq=False)
class ForegroundFrame:
    """One frame on the lattice: its samples, its light, and where it differs from the bare board."""

    t: float
    yuv: U8
    """Y, U, V of the lattice points, (3, n, n)."""
    light: Illumination
    """Light of this frame, relative to the light in which the bare board was learned."""
    solid: Mask
    """Cells that differ from the bare board as no shadow does, in tint or in brightness."""
    shade: Mask
    """Cells that are darker than the bare board, as in a shadow."""


class BackgroundModel:
    """The bare board as last seen. Each frame is compared with it."""

    def __init__(self, profile: Profile) -> None:
        self.half = profile.board.half
        self.relocate(profile)
        outward = profile.outward(self.x, self.y)
        self.inside: Mask = mask_of(outward < 0.0)
        self.frame: Mask = mask_of(outward > 0.0)
        """Cells over the board's frame."""
        self.surface: Mask = mask_of((self.inside > 0) & ~self._over_holes(profile))
        """Cells of the playing surface that lie over no pocket."""
        self.empty: U8 | None = None
        self.ground: U8 = np.zeros(self.lattice.shape, np.uint8)
        """Luma (n, n) of the bare board. Cells over pockets and the frame carry that of the nearest open surface."""
        self.known: Mask = np.zeros(self.lattice.shape, np.uint8)
        self.noise = (2.0, 1.0)
        self._follower = NoiseFollower()
        self.edge_floor: float | None = None
        """Gradient at which an edge counts half on this board, levels per lattice step; None until it is measured."""
        self.sways = False
        """Whether the camera is displaced. Known cells are then not learned again, because residuals would add up."""
        self.swings = False
        """Whether the camera moved a moment ago."""
        self.hidden: Mask = np.zeros(self.lattice.shape, np.uint8)
        self._meter = IlluminationMeter(self.inside)
        self.light = Illumination.even(self.lattice.shape)
        """Light of the last frame compared."""

    def relocate(self, profile: Profile) -> None:
        """Follows a camera that has moved. What is known in millimetres stays known."""
        reach = profile.board.half + FRAME_REACH_MM
        self.lattice = Lattice.over(profile.camera, reach, BACKGROUND_STEP_MM, profile.board.coin_height)
        self.x, self.y = self.lattice.points()
        self._lender, self._camera = self._lenders(profile), profile.camera

    def remember(self, yuv: U8, hidden: Mask) -> None:
        """Learns samples (3, n, n) as the bare board, except where `hidden`. Cells never seen are guessed."""
        fresh = (hidden == 0) & (self.known == 0) if self.sways else hidden == 0
        if self.empty is None:
            self.empty = guessed(self.lattice, self._camera, yuv, hidden, mask_of(hidden == 0))
        else:
            # Learn in these samples' own light: errors of an earlier measurement would add up from frame to frame.
            light = self._meter.measure(yuv, self.empty, self.hidden)
            then = in_light(yuv[:, fresh].astype(np.float32), light.gain[fresh], light)
            self.empty = self.empty.copy()
            self.empty[:, fresh] = np.clip(then + 0.5, 0, 255).astype(np.uint8)
        self.known[fresh] = 255
        self.ground = self.empty[0].take(self._lender)

    def uncover(self, yuv: U8, place: Mask, bare: Mask) -> None:
        """Forgets the bare board at `place` (n, n). Learns it again from samples where they show it `bare`, and
        guesses the rest.
        """
        assert self.empty is not None
        self.known[place > 0] = 0
        self.remember(yuv, np.asarray(cv2.bitwise_not(bare), np.uint8))
        unseen = np.asarray(cv2.subtract(place, bare), np.uint8)
        self.empty = guessed(self.lattice, self._camera, self.empty, unseen, self.known)
        self.ground = self.empty[0].take(self._lender)

    def _over_holes(self, profile: Profile, margin: float = 0.0) -> NDArray[np.bool_]:
        """Returns cells (n, n) over a pocket or within `margin` mm of one."""
        away = (np.hypot(self.x - c.centre[0], self.y - c.centre[1]) - c.radius for c in profile.pockets.values())
        return np.asarray(np.min(list(away), axis=0) < margin)

    def _lenders(self, profile: Profile) -> NDArray[np.int32]:
        """Returns the flat index (n, n) of the nearest cell of the open surface."""
        closed = profile.outward(self.x, self.y) > -BACKGROUND_EDGE_MM
        closed |= self._over_holes(profile, BACKGROUND_EDGE_MM)
        _, labels = cv2.distanceTransformWithLabels(mask_of(closed), cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL)
        zones = np.asarray(labels, np.int32)
        cells = np.zeros(int(zones.max()) + 1, np.int32)
        cells[zones[~closed]] = np.flatnonzero(~closed)
        return cells.take(zones)

    def compare(self, yuv: U8, t: float) -> ForegroundFrame:
        """Compares lattice samples (3, n, n) with the bare board; needs `remember` first."""
        assert self.empty is not None
        self.light = self._meter.measure(yuv, self.empty, self.hidden)
        least, most, dark = _limits(self.empty, self.light, self.steps())
        within = [cv2.inRange(*planes) for planes in zip(yuv, least, most, strict=True)]
        solid = cv2.bitwise_not(cv2.bitwise_and(cv2.bitwise_and(*within[1:]), within[0]))
        shade = cv2.subtract(cv2.compare(yuv[0], dark, cv2.CMP_LT), solid)
        return ForegroundFrame(t, yuv, self.light, np.asarray(solid, np.uint8), np.asarray(shade, np.uint8))

    def steps(self) -> tuple[int, int]:
        """Returns the least differences (luma, chroma levels) that count, more in much noise."""
        luma, chroma = (
            max(s, round(BACKGROUND_NOISE_TIMES * n)) for s, n in zip(BACKGROUND_STEPS, self.noise, strict=True)
        )
        return luma, chroma

    def shadowed(self, foreground: ForegroundFrame, mask: Mask) -> NDArray[np.intp]:
        """Returns the flat indices (k,) of the cells of a mask (n, n) that a shadow explains: it dims all three colours
        of the board alike. A deep one on a coloured board is foreground, for its tint is weaker by far.
        """
        assert self.empty is not None
        cells, light = np.flatnonzero(mask), foreground.light
        luma, *chroma = (plane.take(cells).astype(np.float32) for plane in foreground.yuv)
        full, *tints = (plane.take(cells).astype(np.float32) for plane in self.empty)
        full *= light.gain.take(cells)
        share, is_shadow, (_, step) = luma / np.maximum(full, 1.0), luma < full, self.steps()
        for plane, tint, shift in zip(chroma, tints, light.shifts, strict=True):
            bare = tint * light.colour + shift - LIGHT_GREY
            is_shadow &= np.abs(plane - LIGHT_GREY - share * bare) <= step
        return np.asarray(cells[is_shadow], np.intp)

    @property
    def is_noisy(self) -> bool:
        """Whether the noise raises the least difference of luma that counts."""
        return self.steps()[0] > BACKGROUND_STEPS[0]

    def differs(self, a: U8, b: U8) -> Mask:
        """Returns cells where two samples (3, n, m) differ beyond the noise and the residual of a swinging camera."""
        luma_step, chroma_step = max(10, round(5 * self.noise[0])), max(6, round(5 * self.noise[1]))
        y, u, v = (cv2.absdiff(p, q) for p, q in zip(a, b, strict=True))
        if self.swings:
            y, u, v = (cv2.subtract(d, _beside(q, SWAY_LEFT)) for d, q in zip((y, u, v), b, strict=True))
        luma, chroma = above(y, luma_step), above(cv2.max(u, v), chroma_step)
        return np.asarray(cv2.bitwise_or(luma, chroma), np.uint8)

    def difference(self, foreground: ForegroundFrame, patch: DiscPatches, beside: Mask) -> float:
        """Returns the difference (levels) between a frame and the bare board over a patch, cells under `beside` (n, n)
        left out.
        """
        assert self.empty is not None
        planes, empty = patch.sample(foreground.yuv, foreground.light), patch.at(self.empty)
        other = patch.at(beside) > 0
        planes[:, other] = empty[:, other]
        return float(patch.differences(planes, empty)[0]) / max(1.0 - float(other.mean()), LEAST_FREE)

    def ground_at(self, foreground: ForegroundFrame, x: float, y: float, radius: float) -> tuple[float, float, float]:
        """Returns Y, U, V of the bare board around a disc, in the frame's light."""
        luma, blue, red = self.ground_near(x, y, radius)
        light = foreground.light
        gain = float(light.gain[self.lattice.disc_cells(x, y, GROUND_RADII * radius)].mean())
        return luma * gain, blue * light.colour + light.shifts[0], red * light.colour + light.shifts[1]

    def ground_near(self, x: float, y: float, radius: float) -> tuple[float, float, float]:
        """Returns Y, U, V of the bare board around a disc, in the learned light. Cells near pockets or cushions are
        replaced by the nearest open surface.
        """
        assert self.empty is not None
        cells = self._lender[self.lattice.disc_cells(x, y, GROUND_RADII * radius)]
        seen = cells[self.known.take(cells) > 0]
        cells = seen if len(seen) else cells
        luma, blue, red = (float(np.median(plane.take(cells))) for plane in self.empty)
        return luma, blue, red

    def knows(self, patch: DiscPatches) -> bool:
        """Tells whether the bare board under a patch is known."""
        return is_known(float(patch.shares(self.known)[0]))

    def learn_noise(self, samples: list[U8]) -> None:
        """Measures the sensor's noise from samples (3, n, n) of a board at rest, where nothing moves in them."""
        if len(samples) < 2:
            return
        planes = list(zip(*samples, strict=True))
        self.noise = believable(*map(sigma_of, planes))
        still = self.inside > 0
        for sample in samples[1:]:
            still &= self.differs(sample, samples[0]) == 0
        if is_known(float(still[self.inside > 0].mean())):
            self.noise = believable(*(sigma_of(of_plane, still) for of_plane in planes))

    def follow_noise(self, foreground: ForegroundFrame) -> None:
        """Adopts the noise of later frames."""
        if self.swings or not self._follower.is_due(foreground.t):
            return
        bare = cv2.subtract(self.inside, cv2.bitwise_or(foreground.solid, foreground.shade)) > 0
        self.noise = self._follower.update(foreground.t, foreground.yuv, bare) or self.noise

    def cover(self, pieces: Iterable[Piece], board: BoardModel) -> Mask:
        """Returns cells (n, n) that pieces hide, with walls and shadows."""
        mask = np.zeros(self.lattice.shape, np.uint8)
        for p in pieces:
            window, inside = self.lattice.disc(p.x_mm, p.y_mm, board.radius(p.kind) + COVER_MM)
            mask[window][inside] = 255
        return mask


def mask_of(where: NDArray[np.bool_]) -> Mask:
    """Returns a mask with 255 where `where` holds."""
    return np.where(where, np.uint8(255), np.uint8(0))


def above(plane: cv2.typing.MatLike, limit: int) -> Mask:
    """Returns a mask with 255 where a plane (n, n) exceeds `limit`."""
    return np.asarray(cv2.threshold(plane, limit, 255, cv2.THRESH_BINARY)[1], np.uint8)


def _limits(empty: U8, light: Illumination, steps: tuple[int, int]) -> tuple[U8, U8, U8]:
    """Returns the least and the greatest Y, U, V (3, n, n) of a bare board in some light, in shadow too, and its least
    luma (n, n) out of shadow; `steps`: differences (luma, chroma) that do not count.

    In uneven light U and V may have any value between that of the whole board's light and of the region's.
    """
    luma = np.asarray(cv2.multiply(empty[0], light.gain, dtype=cv2.CV_8U), np.uint8)
    spans = [(luma, luma)]
    for plane, tint in zip(empty[1:], map(round, light.tint), strict=True):
        # In whole levels of tint, so that noise of the measured light changes nothing.
        shift = LIGHT_GREY * (1.0 - light.colour) + tint
        whole = region = np.asarray(cv2.convertScaleAbs(plane, alpha=light.colour, beta=shift), np.uint8)
        if light.uneven:
            local = (plane.astype(np.float32) - LIGHT_GREY) * light.gain + (LIGHT_GREY + 0.5 + tint)
            region = np.clip(local, 0, 255).astype(np.uint8)
        spans.append((np.minimum(whole, region), np.maximum(whole, region)))
    # OpenCV stays between 0 and 255 by itself; NumPy takes five times as long to do so.
    by = [np.full_like(luma, step) for step in (steps[0], steps[1], steps[1])]
    least = np.array([cv2.subtract(low, step) for (low, _), step in zip(spans, by, strict=True)], np.uint8)
    most = np.array([cv2.add(high, step) for (_, high), step in zip(spans, by, strict=True)], np.uint8)
    unshaded = least[0].copy()
    least[0] = np.minimum(unshaded, cv2.convertScaleAbs(luma, alpha=SHADE_DARKEST))
    return least, most, unshaded


def _beside(plane: U8, share: float) -> U8:
    """Returns the local contrast of a plane (n, m) times `share`."""
    spread = cv2.morphologyEx(plane, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
    return np.asarray(cv2.convertScaleAbs(spread, alpha=share), np.uint8)
