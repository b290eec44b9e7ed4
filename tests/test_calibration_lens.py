"""The lens from pictures of the ChArUco sheet, drawn here through a known lens."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.geometry.lens import LENS_SQUARES, MARKER_MM, SQUARE_MM, LensError, charuco_board, lens_from_charuco

K = np.array([[820.0, 0.0, 402.0], [0.0, 820.0, 297.0], [0.0, 0.0, 1.0]])
DIST = np.array([-0.08, 0.02, 0.0, 0.0, 0.0])
SIZE = (800, 600)
VIEWS = [(0.0, 0.0, 0.0, 330.0), (0.5, 0.1, 0.1, 380.0), (-0.5, 0.2, -0.1, 380.0), (0.1, 0.5, 0.3, 380.0),
         (0.2, -0.5, 0.0, 370.0), (0.4, 0.4, 0.8, 400.0)]  # fmt: skip


def sheet(rx: float, ry: float, rz: float, distance: float) -> np.ndarray:  # type: ignore[type-arg]
    """The sheet seen through the lens, by looking up every pixel's ray on it."""
    dots = 8
    flat = charuco_board().generateImage(
        (round(LENS_SQUARES[0] * SQUARE_MM * dots), round(LENS_SQUARES[1] * SQUARE_MM * dots))
    )
    flat = cv2.copyMakeBorder(flat, 240, 240, 240, 240, cv2.BORDER_CONSTANT, value=255)
    r = cv2.Rodrigues(np.array([rx, ry, rz]))[0]
    middle = np.array([LENS_SQUARES[0], LENS_SQUARES[1], 0]) * SQUARE_MM / 2
    t = np.array([0.0, 0.0, distance]) - r @ middle
    u, v = np.meshgrid(np.arange(SIZE[0], dtype=np.float64), np.arange(SIZE[1], dtype=np.float64))
    norm = cv2.undistortPoints(np.stack([u.ravel(), v.ravel()], 1).reshape(-1, 1, 2), K, DIST).reshape(-1, 2)
    rays = np.column_stack([norm, np.ones(len(norm))]) @ r
    eye = -r.T @ t
    at = (eye[:2] - rays[:, :2] * (eye[2] / rays[:, 2])[:, None]) * dots + 240 - 0.5
    px = at.reshape(SIZE[1], SIZE[0], 2).astype(np.float32)
    return cv2.GaussianBlur(cv2.remap(flat, px[..., 0], px[..., 1], cv2.INTER_AREA, borderValue=128), (0, 0), 0.7)


def test_the_lens_is_found(tmp_path: Path) -> None:
    for i, view in enumerate(VIEWS):
        cv2.imwrite(str(tmp_path / f"{i}.png"), sheet(*view))
    lens = lens_from_charuco(tmp_path)
    assert (lens.width, lens.height, lens.origin) == (*SIZE, "charuco")
    assert np.abs(lens.k - K).max() < 6.0
    assert lens.dist[0] == pytest.approx(-0.08, abs=0.02)
    assert lens.rms_px < 0.5


def test_an_empty_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(LensError, match="no pictures"):
        lens_from_charuco(tmp_path)


def test_too_few_sheets_are_told(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), sheet(*VIEWS[0]))
    cv2.imwrite(str(tmp_path / "b.png"), np.full((SIZE[1], SIZE[0]), 200, np.uint8))
    with pytest.raises(LensError, match="1 of 2 pictures"):
        lens_from_charuco(tmp_path)


def test_pictures_of_two_sizes_are_told(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), np.full((600, 800), 200, np.uint8))
    cv2.imwrite(str(tmp_path / "b.png"), np.full((480, 640), 200, np.uint8))
    with pytest.raises(LensError, match="another size"):
        lens_from_charuco(tmp_path)


def test_a_file_that_is_no_picture_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"nothing")
    with pytest.raises(LensError, match="cannot read"):
        lens_from_charuco(tmp_path)


def test_the_sheet_has_the_lengths_that_the_program_prints() -> None:
    board = charuco_board()
    assert board.getChessboardSize() == LENS_SQUARES
    assert (board.getSquareLength(), board.getMarkerLength()) == pytest.approx((SQUARE_MM, MARKER_MM))
