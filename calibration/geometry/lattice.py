"""Resamples pictures onto a lattice of board points at one height, in board millimetres.

Only the lattice's own points are resampled. Detection uses a coarse lattice to find changes and a finer one there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.geometry.camera import F64, Camera
from calibration.geometry.picture import U8, Picture, SimilarityTransform

AREA_STEP = 1.6
"""Lattice step, in source pixels, above which the picture is downsampled by averaging first, to avoid aliasing of thin
marks."""
LONGEST_ROW = 2**15 - 1
"""Row length that OpenCV's remap does not accept; rows must be shorter."""


Maps = tuple[NDArray[np.float32], NDArray[np.float32]]
"""Fractional columns and rows (h, w) of a plane that show the points of a lattice."""


@dataclass(frozen=True, slots=True)
class Crop:
    """Rectangle of a picture's luma plane, in pixels; `right` and `bottom` are exclusive."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def of_luma(self) -> tuple[slice, slice]:
        """Slices (rows, columns) of the luma plane."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    @property
    def of_chroma(self) -> tuple[slice, slice]:
        """Slices (rows, columns) of the chroma planes."""
        return slice(self.top // 2, (self.bottom + 1) // 2), slice(self.left // 2, (self.right + 1) // 2)


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """Rectangular lattice of points; row 0 is its north edge, column 0 its west edge."""

    west: float
    """x of column 0, board mm."""
    north: float
    """y of row 0, board mm."""
    step: float
    """Spacing, mm."""
    z: float
    """Height above the surface, mm."""
    crop: Crop
    """Part of the luma plane that shows the lattice."""
    halvings: int
    """Number of halvings of the luma plane before it is resampled."""
    luma_maps: Maps
    chroma_maps: Maps
    chroma_halvings: int

    @classmethod
    def over(cls, camera: Camera, reach: float, step: float, z: float) -> Lattice:
        """Returns the lattice of the points within -reach..reach mm in x and y."""
        return cls.window(camera, (-reach, reach), (-reach, reach), step, z)

    @classmethod
    def window(cls, camera: Camera, xs: tuple[float, float], ys: tuple[float, float], step: float,
               z: float) -> Lattice:  # fmt: skip
        """Returns the lattice of the points with x in `xs` and y in `ys`, mm."""
        across = np.arange(xs[0], xs[1] + step / 2, step)
        down = np.arange(ys[1], ys[0] - step / 2, -step)
        x, y = np.meshgrid(across, down)
        px = camera.to_pixels(np.column_stack([x.ravel(), y.ravel()]), z).reshape(*x.shape, 2)
        spacing = step * float(camera.px_per_mm(z=z)[0])
        luma = max(0, int(np.floor(np.log2(max(spacing / AREA_STEP, 1.0)))) + (spacing > AREA_STEP))
        crop = _crop(camera, px, luma)
        maps = _maps(px, luma, crop)
        chroma = maps if luma else _maps(px, 1, crop)
        return cls(float(across[0]), float(down[0]), step, z, crop, luma, maps, chroma, max(0, luma - 1))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.luma_maps[0].shape[:2]
        return rows, columns

    def sample(self, picture: Picture) -> U8:
        """Returns Y, U, V (3, rows, columns) of the lattice's points."""
        return self.resample(self.planes(picture), picture.sway)

    def planes(self, picture: Picture) -> tuple[U8, ...]:
        """Returns the cropped and halved planes of a picture, ready for `resample`.

        Where luma and chroma then have one size, this is one merged plane (h, w, 4); else luma (h, w) and a merged
        plane of both chroma components.
        """
        y = halved(fetched(picture.y, self.crop), self.halvings)
        u, v = (halved(plane[self.crop.of_chroma], self.chroma_halvings) for plane in (picture.u, picture.v))
        if self.chroma_maps is self.luma_maps and y.shape == u.shape:
            return (_merged(y, u, v),)
        return y, _merged(u, v, v)

    def resample(self, planes: tuple[U8, ...], sway: SimilarityTransform | None) -> U8:
        """Returns Y, U, V (3, rows, columns) of the lattice's points from `planes`, corrected for the camera's
        `sway`.
        """
        out = np.empty((3, *self.shape), np.uint8)
        luma, chroma = self._maps_under(sway)
        if len(planes) == 1:
            cv2.split(_resampled(planes[0], luma), [out[0], out[1], out[2], out[2]])
            return out
        out[0] = _resampled(planes[0], luma)
        cv2.split(_resampled(planes[1], chroma), [out[1], out[2], out[2], out[2]])
        return out

    def luma_maps_of(self, cells: NDArray[np.int64]) -> Maps:
        """Returns the luma maps (1, k) of the points with these indices (k,)."""
        return self.luma_maps[0].take(cells)[None], self.luma_maps[1].take(cells)[None]

    def luma(self, planes: tuple[U8, ...], maps: Maps, sway: SimilarityTransform | None) -> U8:
        """Returns luma (k,) of some of the points from their maps (1, k), equal to that of `resample`."""
        tones = _resampled(planes[0], maps if sway is None else _swayed(maps, self.halvings, self.crop, sway))
        return tones[0] if len(planes) > 1 else tones[0, :, 0]

    def _maps_under(self, sway: SimilarityTransform | None) -> tuple[Maps, Maps]:
        """The maps of luma and chroma for a picture whose camera has swayed so."""
        if sway is None:
            return self.luma_maps, self.chroma_maps
        luma = _swayed(self.luma_maps, self.halvings, self.crop, sway)
        if self.chroma_maps is self.luma_maps:
            return luma, luma
        return luma, _swayed(self.chroma_maps, self.chroma_halvings + 1, self.crop, sway)

    def pixels(self, cells: NDArray[np.int64]) -> Maps:
        """Returns columns and rows (k,) of the source pixels that show the points with these indices (k,)."""
        size, crop = 2**self.halvings, self.crop
        across, down = (
            (plane.ravel()[cells] + (first >> self.halvings) + 0.5) * size - 0.5
            for plane, first in zip(self.luma_maps, (crop.left, crop.top), strict=True)
        )
        return np.asarray(across, np.float32), np.asarray(down, np.float32)

    def part(self, rows: slice, columns: slice) -> Lattice:
        """Returns the sub-lattice of some rows and columns; both slices need a start and a stop."""
        west, north = self.to_board([(columns.start, rows.start)])[0].tolist()
        luma, chroma = (
            (across[rows, columns], down[rows, columns]) for across, down in (self.luma_maps, self.chroma_maps)
        )
        return replace(self, west=west, north=north, luma_maps=luma,
                       chroma_maps=luma if self.chroma_maps is self.luma_maps else chroma)  # fmt: skip

    def to_cells(self, points: ArrayLike) -> F64:
        """Returns fractional (column, row) (n, 2) of board points (n, 2) mm."""
        xy = np.asarray(points, np.float64).reshape(-1, 2)
        return np.column_stack([xy[:, 0] - self.west, self.north - xy[:, 1]]) / self.step

    def between(self, planes: Iterable[NDArray[Any]], points: F64) -> NDArray[np.float32]:
        """Returns values (planes, n, ...) of planes (rows, columns) at board points (n, ..., 2) mm, linearly
        interpolated.

        Points beyond the lattice get the values at its edge.
        """
        at = self.to_cells(points.reshape(-1, 2)).astype(np.float32).reshape(len(points), -1, 2)
        tones = [cv2.remap(plane, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
                 for plane in planes]  # fmt: skip
        return np.asarray(tones, np.float32).reshape(len(tones), *points.shape[:-1])

    def nearest(self, points: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns rows and columns (n,) of the nearest lattice points to board points (n, 2) mm, clipped to the
        lattice.
        """
        rows, columns = self.shape
        at = np.clip(np.rint(self.to_cells(points)), 0, (columns - 1, rows - 1)).astype(np.int64)
        return at[:, 1], at[:, 0]

    def to_board(self, cells: ArrayLike) -> F64:
        """Returns board points (n, 2) mm of fractional (column, row) (n, 2)."""
        cr = np.asarray(cells, np.float64).reshape(-1, 2) * self.step
        return np.column_stack([self.west + cr[:, 0], self.north - cr[:, 1]])

    def points(self) -> tuple[F64, F64]:
        """Returns board x and y (rows, columns) mm of every lattice point."""
        rows, columns = self.shape
        x, y = np.meshgrid(self.west + np.arange(columns) * self.step, self.north - np.arange(rows) * self.step)
        return x, y

    def disc_cells(self, x: float, y: float, radius: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns rows and columns (k,) of the lattice points within `radius` mm of (x, y) mm."""
        window, inside = self.disc(x, y, radius)
        rows, columns = np.nonzero(inside)
        return rows + window[0].start, columns + window[1].start

    def disc(self, x: float, y: float, radius: float) -> tuple[tuple[slice, slice], NDArray[np.bool_]]:
        """Returns a window (rows, columns) around (x, y) mm, and a mask of its points within `radius` mm."""
        column, row, reach = (x - self.west) / self.step, (self.north - y) / self.step, radius / self.step
        rows = slice(max(0, int(row - reach)), max(0, min(self.shape[0], int(row + reach) + 2)))
        columns = slice(max(0, int(column - reach)), max(0, min(self.shape[1], int(column + reach) + 2)))
        down, across = np.arange(rows.start, rows.stop) - row, np.arange(columns.start, columns.stop) - column
        return (rows, columns), (down * down)[:, None] + across * across <= reach * reach


def _crop(camera: Camera, px: F64, halvings: int) -> Crop:
    """Returns the part of a picture that contains the pixels (rows, columns, 2), aligned to pixels of the halved
    planes.

    It is the whole picture where the picture's size is not divisible by that many halvings.
    """
    unit = 2 ** max(1, halvings)
    if camera.width % unit or camera.height % unit:
        return Crop(0, 0, camera.width, camera.height)
    limit = np.array([camera.width, camera.height]) // unit
    # One axis after the other: NumPy takes thirty times as long for both at once.
    least, most = (np.array([ends(px[..., 0]), ends(px[..., 1])]) for ends in (np.min, np.max))
    first = np.clip(np.floor(least / unit) - 1, 0, limit - 1).astype(int) * unit
    last = np.clip(np.ceil(most / unit) + 2, 1, limit).astype(int) * unit
    return Crop(int(first[0]), int(first[1]), int(last[0]), int(last[1]))


def _maps(px: F64, halvings: int, crop: Crop) -> Maps:
    """Returns the coordinates of pixels (rows, columns, 2) in the cropped plane after `halvings` halvings.

    OpenCV resamples with float coordinates in half the time it needs with its fixed-point maps.
    """
    small = (px + 0.5) * 0.5**halvings - 0.5 - (crop.left >> halvings, crop.top >> halvings)
    return np.ascontiguousarray(small[..., 0], np.float32), np.ascontiguousarray(small[..., 1], np.float32)


def _swayed(maps: Maps, halvings: int, crop: Crop, sway: SimilarityTransform) -> Maps:
    """Returns `maps` into a plane halved `halvings` times, corrected for a camera that has swayed."""
    size = 2**halvings
    x, y = (((first >> halvings) + 0.5) * size - 0.5 for first in (crop.left, crop.top))
    right, down = ((to - at) / size for to, at in zip(sway.moved_to(x, y), (x, y), strict=True))
    across = cv2.addWeighted(maps[0], 1.0 + sway.zoom, maps[1], -sway.turn, right)
    return np.asarray(across, np.float32), np.asarray(
        cv2.addWeighted(maps[1], 1.0 + sway.zoom, maps[0], sway.turn, down), np.float32
    )


def fetched(luma: U8, crop: Crop) -> U8:
    """Returns the crop of a luma plane (h, w) as a view, and loads wide crops into the processor's caches.

    Reading whole rows in sequence from memory takes a third of the time of reading parts of two rows at once, as
    halving does. This does not pay where most of each row is cut off.
    """
    if 2 * (crop.right - crop.left) > luma.shape[1]:
        luma[crop.top : crop.bottom].max()
    return luma[crop.of_luma]


def _merged(y: U8, u: U8, v: U8) -> U8:
    """Returns three planes (h, w) merged into one (h, w, 4), with the last plane twice.

    OpenCV resamples four bytes a point in half the time of three. The array begins at an odd address on purpose: OpenCV
    writes an aligned one past the processor's caches, and resampling then takes more than twice the time.
    """
    merged = np.empty(1 + 4 * y.size, np.uint8)[1:].reshape(*y.shape, 4)
    cv2.merge([y, u, v, v], merged)
    return merged


def _resampled(image: U8, maps: Maps) -> U8:
    """Returns the planes (h, w) or (h, w, 4) resampled by `maps`; four planes at once cost little more than one."""
    shape = maps[0].shape
    across, down = (plane.reshape(_long_rows(*shape)) for plane in maps)
    tones = cv2.remap(image, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(tones, np.uint8).reshape(*shape, *image.shape[2:])


@lru_cache(maxsize=64)
def _long_rows(rows: int, columns: int) -> tuple[int, int]:
    """Returns an equal-sized shape with fewer, longer rows: OpenCV resamples the last few points of each row singly."""
    together = max(n for n in range(1, rows + 1) if rows % n == 0 and (n == 1 or n * columns < LONGEST_ROW))
    return rows // together, columns * together


def halved(plane: U8, times: int) -> U8:
    """Returns a plane (h, w) with its sides halved `times` times by averaging; the plane itself for 0."""
    if not times:
        return plane
    size = (plane.shape[1] >> times, plane.shape[0] >> times)
    return np.asarray(cv2.resize(plane, size, interpolation=cv2.INTER_AREA), np.uint8)
