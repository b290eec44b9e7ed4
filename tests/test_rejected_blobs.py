"""Ghosts: patches in which two censuses found nothing are let be for a while, until they look otherwise."""

from __future__ import annotations

from dataclasses import replace

from referee.board_state.rejected_blobs import RejectedBlobs
from referee.foreground.segmentation import Blob
from referee.pieces.disc import Disc

PATCH = Blob(100.0, -200.0, 600.0, (5.0, 0.0, 0.0))
BOARD, COIN = (150.0, 120.0, 140.0), (60.0, 128.0, 128.0)


def coin(x: float, y: float) -> Disc:
    return Disc(x, y, 15.9, 0.8, COIN, BOARD, 90.0, 0.8)


def test_a_patch_is_let_be_once_two_censuses_have_found_nothing_in_it() -> None:
    ghosts = RejectedBlobs()
    assert not ghosts.rejects(PATCH, 1.0)
    ghosts.learn(1.0, [PATCH], [])
    assert not ghosts.rejects(PATCH, 1.1)
    ghosts.learn(1.25, [PATCH], [])
    assert ghosts.rejects(PATCH, 1.3)
    assert ghosts.rejects(replace(PATCH, x=PATCH.x + 2.0, area_mm2=700.0), 1.3)


def test_it_is_looked_at_again_after_a_while_and_one_census_lets_it_be_again() -> None:
    ghosts = RejectedBlobs()
    for t in (1.0, 1.25):
        ghosts.learn(t, [PATCH], [])
    assert ghosts.rejects(PATCH, 5.0)
    assert not ghosts.rejects(PATCH, 7.0)
    ghosts.learn(7.0, [PATCH], [])
    assert ghosts.rejects(PATCH, 7.1)


def test_a_patch_in_which_a_piece_was_found_is_no_ghost() -> None:
    ghosts = RejectedBlobs()
    for t in (1.0, 1.25):
        ghosts.learn(t, [PATCH], [])
    ghosts.learn(1.5, [PATCH], [coin(104.0, -203.0)])
    assert not ghosts.rejects(PATCH, 1.6)


def test_a_patch_elsewhere_or_much_larger_is_another() -> None:
    ghosts = RejectedBlobs()
    for t in (1.0, 1.25):
        ghosts.learn(t, [PATCH], [])
    assert not ghosts.rejects(replace(PATCH, x=PATCH.x + 10.0), 1.3)
    assert not ghosts.rejects(replace(PATCH, area_mm2=1200.0), 1.3)


def test_what_has_held_nothing_for_long_is_no_finger_either() -> None:
    """Grain beside it kept two coins on the table that hands had built into the formation (simulated world 2144)."""
    ghosts, patch = RejectedBlobs(), replace(PATCH, x=10.0, y=20.0)
    for t in (0.0, 0.3, 0.6):
        ghosts.learn(t, [patch], [])
    assert ghosts.rejects(patch, 0.7)
    assert not ghosts.lasts(patch, 0.7)
    ghosts.learn(4.0, [patch], [])
    assert not ghosts.lasts(patch, 4.1)
    assert ghosts.lasts(patch, 6.0)
    ghosts.learn(6.1, [patch], [coin(10.0, 20.0)])
    assert not ghosts.lasts(patch, 6.2)
