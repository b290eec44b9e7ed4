"""What lies there: a network's word on the picture about a disc, and on the bare board there."""

from __future__ import annotations

from importlib import resources

import cv2
import numpy as np
import pytest
from sim_scenes import SCATTERED, studio

from referee.pieces.detector import find_pieces
from referee.pieces.disc import Disc
from referee.pieces.presence import BareBoard, log_odds, symmetric_estimate
from referee.pieces.scan import View


def found() -> list[Disc]:
    return [disc for _, disc in find_pieces(studio().picture(SCATTERED), studio().profile)]


def test_pieces_that_lie_plainly_are_there_for_sure() -> None:
    discs = found()
    assert len(discs) == len(SCATTERED)
    assert min(d.presence for d in discs if d.presence is not None) > 1.0


def test_the_same_picture_gives_the_same_log_odds() -> None:
    assert [d.presence for d in found()] == [d.presence for d in found()]


def test_bare_board_is_denied_and_nothing_is_asked_of_no_places() -> None:
    source = View(studio().picture(), studio().profile).patch_source()
    assert (log_odds(source, np.array([(480.0, 230.0), (160.0, 340.0), (440.0, 550.0)])) < -2.0).all()
    assert log_odds(source, np.zeros((0, 2))).shape == (0, 2)


@pytest.mark.parametrize("remembers", [True, False])
def test_what_was_seen_bare_goes_before_what_symmetry_tells(remembers: bool) -> None:
    """A print that no symmetry repeats is a coin to whoever does not know that it was there before."""
    at = studio()
    bare = at.picture((SCATTERED[0],))
    lattice = View(bare, at.profile).lattice
    yuv = lattice.sample(bare)
    known = np.full(lattice.shape, 255 if remembers else 0, np.uint8)
    found_there = find_pieces(bare, at.profile, bare=BareBoard(lattice, yuv, known))
    assert len(found_there) == (0 if remembers else 1)


def board_with(leaves: int, size: int = 121, middle: tuple[float, float] = (60.3, 59.1)) -> np.ndarray:
    """Lines about four sides, and an ornament of some leaves (3, size, size)."""
    column, row = np.meshgrid(np.arange(float(size)), np.arange(float(size)))
    x, y = column - middle[0], row - middle[1]
    off, away = np.maximum(abs(x), abs(y)), np.hypot(x, y)
    drawn = np.where((off > 44) & (off < 48), -0.5, 0.0)
    drawn += np.where((away < 30) & (away > 8) & (np.cos(leaves * np.arctan2(y, x)) > 0), 0.4, 0.0)
    soft = cv2.GaussianBlur(np.repeat(drawn[..., None], 3, 2).astype(np.float32), (0, 0), 1.5)
    return np.ascontiguousarray(soft.transpose(2, 0, 1))


def test_symmetry_shows_prints_and_ornaments_of_any_leaves_and_no_coins() -> None:
    column, row = np.meshgrid(np.arange(121.0), np.arange(121.0))
    for leaves in (8, 9, 10):
        board = board_with(leaves)
        lying = board.copy()
        for x, y in ((78, 66), (95, 40), (20, 50)):
            lying[:, np.hypot(column - x, row - y) < 7] = 1.0
        told = symmetric_estimate(lying, (60.3, 59.1), 36.0)
        asked = (np.hypot(column - 60.3, row - 59.1) > 15) & (np.abs(column - 60) < 50) & (np.abs(row - 60) < 50)
        assert np.abs(told - board)[:, asked].mean() < 0.02, leaves
        assert np.abs(told - board)[:, asked].max() < 0.35, leaves


def test_weights_are_small() -> None:
    assert len((resources.files("models") / "presence.onnx").read_bytes()) < 1_000_000
