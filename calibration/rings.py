"""Detects circles of a known size in a picture by a directional Hough transform, computed with the Fourier transform.

The edge direction at each point is represented as a doubled angle, so that dark-to-light and light-to-dark edges agree.
This field is correlated with a ring of radial directions: the response is +1 for a perfect circle and 0 for texture,
whatever its colour or contrast. The correlation is computed as a product of spectra.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

RINGS_RIM_MM = 1.5
"""Sigma, in lattice steps, of the ring's profile: a printed rim, a bevel and the contact shadow fall into it."""
EDGE_FLOOR = 5.0
"""Gradient (levels per lattice step) at which an edge counts half; sensor noise and grain lie below it."""
STRONG, QUIET = 34.0, 2.2
"""Constants of the adaptive edge floor. If the 99th percentile of a board's gradients is below the first (dim light,
haze, defocus), the floor falls in proportion, but not below the second times their median. Of 50 boards in plain light
none had a 99th percentile below 34; their medians were 1 to 4."""
RINGS_SPARSE = 3
"""Step of the rows and columns whose gradients are used for the percentiles."""
CHROMA_GAIN = 2.0
"""Weight of an edge in the chroma planes: their contrasts between wood, coins and prints are about half of the luma's,
and they have less noise."""
RINGS_HANDFUL = 16
"""Number of points up to which plain loops are faster than arrays."""
FEW_POINTS = 5000
"""Number of points below which dilating the whole response is faster than comparing single points."""
CACHED_RINGS, SMALL = 8, 250_000
"""Number of ring spectra cached for pictures of any size (a coin's and those of all striker sizes; 3 MB each for the
whole board), and number of points below which a picture uses the larger cache."""


def edge_field(yuv: NDArray[np.uint8], floor: float | None = None) -> tuple[F32, F32]:
    """Returns the doubled-angle edge field (cos 2a, sin 2a), each (n, n), of Y, U, V (3, n, n).

    Its length, 0..1, is the certainty of an edge. `floor` is the board's own `edge_floor`; None stands for a board
    in plain light.
    """
    return _field(*_gradients(yuv), EDGE_FLOOR if floor is None else floor)


def board_field(yuv: NDArray[np.uint8]) -> tuple[F32, F32]:
    """Returns the edge field of a whole board, with its own `edge_floor`."""
    xx, yy, xy = _gradients(yuv)
    return _field(xx, yy, xy, _floor(xx + yy))


def edge_floor(yuv: NDArray[np.uint8]) -> float:
    """Returns the edge floor of a whole board (3, n, n): `EDGE_FLOOR`, or less if contrast is low."""
    xx, yy, _ = _gradients(yuv)
    return _floor(xx + yy)


def _floor(strength: F32) -> float:
    half, strong = np.sqrt(np.percentile(strength[::RINGS_SPARSE, ::RINGS_SPARSE], (50, 99)))
    return float(min(EDGE_FLOOR, max(EDGE_FLOOR * strong / STRONG, QUIET * half)))


def _gradients(yuv: NDArray[np.uint8]) -> tuple[F32, F32, F32]:
    """Returns the sums over the planes of the gradients' squares and product: xx, yy, xy, each (n, n)."""
    xx = np.zeros(yuv.shape[1:], np.float32)
    yy, xy = np.zeros_like(xx), np.zeros_like(xx)
    for plane, gain in zip(yuv, (1.0, CHROMA_GAIN, CHROMA_GAIN), strict=True):
        smooth = cv2.GaussianBlur(plane, (0, 0), 0.8)
        gx = cv2.Scharr(smooth, cv2.CV_32F, 1, 0, scale=gain / 16)
        gy = cv2.Scharr(smooth, cv2.CV_32F, 0, 1, scale=gain / 16)
        cv2.accumulateSquare(gx, xx)
        cv2.accumulateSquare(gy, yy)
        cv2.accumulateProduct(gx, gy, xy)
    return xx, yy, xy


def _field(xx: F32, yy: F32, xy: F32, floor: float) -> tuple[F32, F32]:
    total = xx + yy
    # Of a picture without any edge or noise the field is 0.
    total += floor * floor + np.finfo(np.float32).tiny
    xx -= yy
    xy += xy
    xx /= total
    xy /= total
    return xx, xy


def ring_response(field: tuple[F32, F32], radius: float) -> F32:
    """Returns how well a ring of `radius` lattice steps fits the edges around each point, -1..1 (n, n)."""
    return next(ring_responses(field, [radius]))


def ring_responses(field: tuple[F32, F32], radii: Sequence[float]) -> Iterator[F32]:
    """Yields the `ring_response` of each radius; the field is mirrored at the borders.

    The field is transformed once, and each radius needs one inverse transform.
    """
    (height, width), reach = field[0].shape, _reach(max(radii))
    size = cv2.getOptimalDFTSize(height + 2 * reach), cv2.getOptimalDFTSize(width + 2 * reach)
    filled, total = np.zeros(size, np.float32), np.empty(size, np.float32)
    spectra = []
    for part in field:
        cv2.copyMakeBorder(part, reach, reach, reach, reach, cv2.BORDER_REFLECT_101,
                           filled[: height + 2 * reach, : width + 2 * reach])  # fmt: skip
        spectra.append(np.asarray(cv2.dft(filled), np.float32))
    chosen = _small_spectrum if size[0] * size[1] < SMALL else _spectrum
    for radius in radii:
        cos2, sin2 = chosen(radius, size)
        cos2.times(spectra[0], total)
        sin2.times(spectra[1], filled)
        total += filled
        cv2.dft(total, filled, cv2.DFT_INVERSE | cv2.DFT_SCALE | cv2.DFT_REAL_OUTPUT)
        yield np.ascontiguousarray(filled[reach : reach + height, reach : reach + width])


class _Even:
    """The real spectrum of one component of a ring's field, in OpenCV's packed format for real pictures.

    The field is point symmetric, so the spectrum has no imaginary part. Mirrored top to bottom it is equal or opposite
    (`sign`), so only half of the rows are stored. The whole columns of the first and, for an even width, of the last
    frequency are stored too, since those are packed along the rows.
    """

    def __init__(self, part: F32, size: tuple[int, int], sign: float) -> None:
        """Transforms the component `part` (k, k), centred on the ring, for pictures of `size` (height, width)."""
        filled, reach = np.zeros(size, np.float32), part.shape[0] // 2
        filled[: part.shape[0], : part.shape[1]] = part
        whole = np.asarray(cv2.dft(np.roll(filled, (-reach, -reach), (0, 1))), np.float32)
        ends = [0, size[1] - 1] if size[1] % 2 == 0 else [0]
        self._ends, self._columns = ends, _doubled(whole[:, ends])
        self._rows = _doubled(whole[: size[0] // 2 + 1].T).T.copy()
        self._sign = sign

    def times(self, spectrum: F32, out: F32) -> None:
        """Multiplies a picture's packed spectrum (height, width) by it into `out`."""
        first = len(self._rows)
        np.multiply(spectrum[:first], self._rows, out[:first])
        np.multiply(spectrum[first:], self._rows[len(spectrum) - first : 0 : -1], out[first:])
        if self._sign < 0:
            np.negative(out[first:], out[first:])
        out[:, self._ends] = spectrum[:, self._ends] * self._columns


def _doubled(packed: F32) -> F32:
    """Copies each real part to the imaginary part after it, along the first axis, in place.

    The axis is packed as first, real, imaginary, real, imaginary, ...
    """
    pairs = (len(packed) - 1) // 2
    packed[2 : 2 * pairs + 1 : 2] = packed[1 : 2 * pairs : 2]
    return packed


def _ring_spectrum(radius: float, size: tuple[int, int]) -> tuple[_Even, _Even]:
    """Returns the spectra of both components of a perfect ring's field for pictures of `size`."""
    cos2, sin2 = _ring(radius)
    return _Even(cos2, size, 1.0), _Even(sin2, size, -1.0)


@lru_cache(maxsize=CACHED_RINGS)
def _spectrum(radius: float, size: tuple[int, int]) -> tuple[_Even, _Even]:
    """Caches `_ring_spectrum`: every census searches the same rings."""
    return _ring_spectrum(radius, size)


@lru_cache(maxsize=24)
def _small_spectrum(radius: float, size: tuple[int, int]) -> tuple[_Even, _Even]:
    """Caches `_ring_spectrum` for base strips, in which a striker of any size is searched many times a second."""
    return _ring_spectrum(radius, size)


def _reach(radius: float) -> int:
    """Returns the half width, in lattice steps, of the window that contains a ring."""
    return int(np.ceil(radius + 3))


def _ring(radius: float) -> tuple[F32, F32]:
    """Returns the field (cos 2a, sin 2a) of a perfect ring, weighted by each point's distance from it."""
    reach = _reach(radius)
    v, u = np.mgrid[-reach : reach + 1, -reach : reach + 1].astype(np.float32)
    angle, distance = np.arctan2(v, u), np.hypot(u, v)
    weight = np.exp(-0.5 * ((distance - radius) / RINGS_RIM_MM) ** 2)
    weight /= weight.sum()
    return (weight * np.cos(2 * angle)).astype(np.float32), (weight * np.sin(2 * angle)).astype(np.float32)


def peaks(response: F32, least: float, distance: float) -> NDArray[np.int64]:
    """Returns local maxima (k, 2), as (column, row), of at least `least`, best first and at least `distance` apart."""
    spots, drawn = _highest(response, least, distance)
    if len(spots) <= 1:
        return spots
    spots = spots[np.argsort(-drawn, kind="stable")]
    return spots[apart(spots, distance)]


def _highest(response: F32, least: float, distance: float) -> tuple[NDArray[np.int64], F32]:
    """Returns the maxima (k, 2) of at least `least` within about half the distance, by rows, and their responses."""
    flat, (height, width), reach = response.ravel(), response.shape, int(distance / 2)
    if flat.size < FEW_POINTS:
        at = np.flatnonzero(flat >= np.maximum(cv2.dilate(response, _ellipse(reach)).ravel(), least))
        return np.column_stack([at % width, at // width]), flat[at]
    at = np.flatnonzero(flat >= least)
    # Few points reach the threshold, and fewer exceed their direct neighbours.
    for steps in _around(reach):
        rows, columns = np.divmod(at[:, None], width)
        near = np.clip(rows + steps[1], 0, height - 1) * width + np.clip(columns + steps[0], 0, width - 1)
        at = at[flat[at] >= flat[near].max(1, initial=-np.inf)]
    return np.column_stack([at % width, at // width]), flat[at]


@lru_cache(maxsize=8)
def _around(reach: int) -> list[NDArray[np.int64]]:
    """Returns the steps (2, k), right and down, to all points of `_ellipse`, in three groups, the nearest first."""
    steps = np.array(np.nonzero(_ellipse(reach)))[::-1] - reach
    off = (steps**2).sum(0)
    return [steps[:, part] for part in (off == 1, off == 2, off > 2)]


@lru_cache(maxsize=8)
def _ellipse(reach: int) -> NDArray[np.uint8]:
    """Returns OpenCV's elliptical structuring element with radius `reach`."""
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1)), np.uint8)


def apart(points: NDArray[np.int64] | NDArray[np.float64], distance: float) -> list[int]:
    """Returns the indices of those points (n, 2), best first, not nearer than `distance` to a better retained one."""
    if len(points) <= RINGS_HANDFUL:
        return _few_apart(points.tolist(), distance)
    free = [True] * len(points)
    for better, worse in _near_pairs(points, distance):
        if free[better]:
            free[worse] = False
    return [i for i, f in enumerate(free) if f]


def _few_apart(points: list[list[float]], distance: float) -> list[int]:
    """Does the same for a few points, comparing each with all retained ones."""
    chosen: list[int] = []
    for i, (x, y) in enumerate(points):
        if all((x - points[k][0]) ** 2 + (y - points[k][1]) ** 2 >= distance * distance for k in chosen):
            chosen.append(i)
    return chosen


def _near_pairs(points: NDArray[np.int64] | NDArray[np.float64], distance: float) -> list[list[int]]:
    """Returns the sorted index pairs (lower, higher) of points nearer than `distance`, comparing neighbours in x."""
    order = np.argsort(points[:, 0], kind="stable")
    placed, pairs = points[order], [np.zeros((0, 2), np.int64)]
    for step in range(1, len(points)):
        off = placed[step:] - placed[:-step]
        beside = off[:, 0] < distance
        if not beside.any():
            break
        near = np.flatnonzero(beside & ((off**2).sum(1) < distance * distance))
        pairs.append(np.sort(np.column_stack([order[near], order[near + step]]), 1))
    every = np.concatenate(pairs)
    ordered: list[list[int]] = every[np.lexsort(every.T[::-1])].tolist()
    return ordered
