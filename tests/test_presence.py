"""What lies there: a network's word on the picture about a disc, beside what is drawn of its circle."""

from __future__ import annotations

from importlib import resources

import cv2
import numpy as np
from sim_scenes import BOARD, SCATTERED, studio

from referee.pieces.circles import Ring
from referee.pieces.detector import meet
from referee.pieces.disc_fit import Disc
from referee.pieces.presence import symmetric
from referee.pieces.scan import View
from referee.pieces.witnesses import believed, witnessed


def found() -> list[Disc]:
    at = studio()
    picture = at.picture(SCATTERED)
    _, pieces = meet(picture, at.profile)
    return witnessed(View(picture, at.profile), [disc for _, disc in pieces])


def test_pieces_that_lie_plainly_are_there_for_sure_by_both_witnesses() -> None:
    discs = found()
    assert len(discs) == len(SCATTERED)
    assert min(d.presence for d in discs if d.presence is not None) > 1.0


def test_the_same_picture_gives_the_same_log_odds() -> None:
    assert [d.presence for d in found()] == [d.presence for d in found()]


def test_what_was_not_asked_is_believed_and_what_is_denied_is_not() -> None:
    *_, disc = found()
    assert believed([disc]) == [disc]
    assert believed([disc], least=100.0) == []


def test_bare_board_is_denied_where_a_disc_is_claimed() -> None:
    view = View(studio().picture(), studio().profile)
    places = ((100.0, 150.0), (-220.0, 40.0), (60.0, -170.0))
    claimed = [view.disc(Ring(x, y, BOARD.coin_radius, 0.5)) for x, y in places]
    assert all(d.presence is not None and d.presence < 0 for d in witnessed(view, claimed))


def test_nothing_is_asked_of_no_discs() -> None:
    assert witnessed(View(studio().picture(), studio().profile), []) == []


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
        told = symmetric(lying, (60.3, 59.1), 36.0)
        middle = np.s_[:, 10:110, 10:110]
        assert np.abs(told[middle] - board[middle]).mean() < 0.02, leaves
        assert np.abs(told[middle] - board[middle]).max() < 0.35, leaves


def test_weights_are_small() -> None:
    assert len((resources.files("models") / "presence.onnx").read_bytes()) < 1_000_000
