"""Detects long straight lines, among them the cushions' feet, the frame's edges and the base lines."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry.camera import F64

F32 = NDArray[np.float32]

SHORTEST_PX = 12.0
"""Least length of a segment; shorter ones are texture."""
MERGE_PX = 2.5
"""Greatest distance of a segment's ends from the line it belongs to, remaining lens distortion included."""
MERGE_RAD = np.radians(3.0)
APART_PX = 2.0
"""Distance below which two parallel lines are one."""


def long_lines(grey: F32, count: int) -> tuple[F64, F64]:
    """Returns the `count` best supported lines of `grey` (h, w, 0-255), strongest first.

    They are rows (n, 3) of the normal form (cos, sin, rho), x cos + y sin = rho; the support (n,) is in px.
    """
    detector = cv2.createLineSegmentDetector(cv2.LSD_REFINE_NONE)
    found: Any = detector.detect(np.clip(grey, 0, 255).astype(np.uint8))[0]
    ends = np.asarray(found if found is not None else [], np.float64).reshape(-1, 2, 2)
    length = np.hypot(*(ends[:, 1] - ends[:, 0]).T)
    order = np.argsort(-length, kind="stable")
    ends, length = ends[order], length[order]
    keep = length >= SHORTEST_PX
    return _grouped(ends[keep], length[keep], count)


def _grouped(ends: F64, length: F64, count: int) -> tuple[F64, F64]:
    """Joins collinear segments to lines, starting from the longest."""
    d = ends[:, 1] - ends[:, 0]
    angle = np.arctan2(d[:, 1], d[:, 0])
    free = np.ones(len(ends), bool)
    lines: list[F64] = []
    support: list[float] = []
    for i in range(len(ends)):
        if not free[i]:
            continue
        if length[i] < 2 * SHORTEST_PX and len(lines) >= count:
            break
        normal = np.array([-np.sin(angle[i]), np.cos(angle[i])])
        off = np.abs((ends - ends[i].mean(axis=0)) @ normal).max(axis=1)
        turn = np.abs((angle - angle[i] + np.pi / 2) % np.pi - np.pi / 2)
        mine = free & (off < MERGE_PX) & (turn < MERGE_RAD)
        free &= ~mine
        lines.append(_fitted(ends[mine], length[mine]))
        support.append(float(length[mine].sum()))
    if not lines:
        return np.empty((0, 3)), np.empty(0)
    best = np.argsort(-np.array(support), kind="stable")
    return _apart(np.array(lines)[best], np.array(support)[best], count)


def _fitted(ends: F64, length: F64) -> F64:
    """Fits a line by total least squares to the segments' ends, weighted by length."""
    points, weight = ends.reshape(-1, 2), np.repeat(length, 2)
    middle = np.average(points, axis=0, weights=weight)
    spread = (points - middle).T @ ((points - middle) * weight[:, None])
    normal = np.linalg.eigh(spread)[1][:, 0]
    return np.array([normal[0], normal[1], normal @ middle])


def _apart(lines: F64, support: F64, count: int) -> tuple[F64, F64]:
    """Returns the strongest lines without near duplicates."""
    chosen: list[int] = []
    for i, line in enumerate(lines):
        best_lines = lines[chosen]
        dot = best_lines[:, :2] @ line[:2]
        same = (np.abs(dot) > np.cos(MERGE_RAD / 2)) & (np.abs(best_lines[:, 2] * np.sign(dot) - line[2]) < APART_PX)
        if not same.any():
            chosen.append(i)
        if len(chosen) == count:
            break
    return lines[chosen], support[chosen]
