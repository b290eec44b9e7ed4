"""The cells of a mask, patch by patch: held against one patch after the other."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.foreground.background import Mask
from referee.foreground.components import Components, Window

SHAPE = 60, 80
WINDOW: Window = (slice(4, 52), slice(6, 76))


def blotches(seed: int) -> Mask:
    """Patches of many shapes (SHAPE) within WINDOW."""
    rng = np.random.default_rng(seed)
    mask: Mask = np.zeros(SHAPE, np.uint8)
    inner = mask[5:51, 7:75]
    inner[:] = np.where(cv2.GaussianBlur(rng.normal(size=inner.shape), (0, 0), 2.0) > 0.1, 255, 0)
    return mask


def labels_of(mask: Mask) -> NDArray[np.int32]:
    """The number of the patch that each cell belongs to, as OpenCV counts them in the window."""
    labels = np.zeros(SHAPE, np.int32)
    labels[WINDOW] = cv2.connectedComponents(mask[WINDOW], connectivity=8)[1]
    return labels


def test_each_patch_has_its_cells_row_by_row() -> None:
    mask = blotches(1)
    labels, found = labels_of(mask), Components.of(mask, WINDOW)
    assert len(found.sizes) == labels.max() > 5
    for i in range(len(found.sizes)):
        rows, columns = np.nonzero(labels == i + 1)
        np.testing.assert_array_equal(found.rows[found.owner == i], rows)
        np.testing.assert_array_equal(found.columns[found.owner == i], columns)


def test_means_are_those_of_each_patch_by_itself() -> None:
    mask = blotches(2)
    labels, found = labels_of(mask), Components.of(mask, WINDOW)
    rng = np.random.default_rng(3)
    planes = [rng.integers(0, 256, SHAPE).astype(np.uint8), rng.uniform(0.2, 4.0, SHAPE).astype(np.float32)]
    expected = []
    for i in range(1, labels.max() + 1):
        rows, columns = np.nonzero(labels == i)
        expected.append([v.mean() for v in (columns, rows, *(p[rows, columns].astype(np.float64) for p in planes))])
    np.testing.assert_allclose(found.means(planes).T, expected, rtol=1e-12)


def test_a_patch_that_is_shared_out_gives_each_cell_to_the_nearest_middle() -> None:
    mask = blotches(4)
    found = Components.of(mask, WINDOW)
    which = int(np.argmax(found.sizes))
    patch = found.owner == which
    rows, columns = found.rows[patch], found.columns[patch]
    middles = np.column_stack([columns, rows])[[0, len(rows) // 2, len(rows) - 1]]
    away = np.hypot(columns[:, None] - middles[:, 0], rows[:, None] - middles[:, 1]).argmin(1)
    others = found.owner[~patch].copy()
    parts = found.split(which, middles)
    assert len(set(parts)) == 3
    np.testing.assert_array_equal(found.owner[patch], np.take(parts, away))
    np.testing.assert_array_equal(found.owner[~patch], others)


def test_parts_of_a_patch_have_their_own_means() -> None:
    mask: Mask = np.zeros(SHAPE, np.uint8)
    mask[10:20, 10:40] = 255
    found = Components.of(mask, WINDOW)
    found.split(0, np.array([[12, 15], [37, 15]]))
    across = np.broadcast_to(np.arange(SHAPE[1], dtype=np.uint8), SHAPE)
    column, row, shown = found.means([across])
    np.testing.assert_allclose(column, [17.0, 32.0])
    np.testing.assert_allclose(row, [14.5, 14.5])
    np.testing.assert_allclose(shown, column)
