"""What shows in the pockets: a coin in a net changes the opening; a hand near it leaves nothing to compare."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from sim_scenes import BOARD, compared, gate_over, lit, studio

from models.pieces import Kind, Piece, Pocket
from referee.foreground.background import BackgroundModel, Mask
from referee.foreground.hand_history import HandDistance
from referee.foreground.pocket_appearance import PocketAppearance

STRIKE, REST = 1.0, 3.0
INSET = BOARD.half - BOARD.pocket_inset


@pytest.fixture
def background() -> BackgroundModel:
    return gate_over()


def netted(pocket: Pocket) -> Piece:
    """A white coin in the opening of a pocket."""
    x, y = pocket.corner
    return Piece(Kind.WHITE, x * INSET, y * INSET)


def hand_at(background: BackgroundModel, *pockets: Pocket) -> Mask:
    mask = np.zeros_like(background.inside)
    for pocket in pockets:
        window, inside = background.lattice.disc(netted(pocket).x_mm, netted(pocket).y_mm, 40.0)
        mask[window][inside] = 255
    return mask


def changes(
    background: BackgroundModel,
    before: list[Piece],
    after: list[Piece],
    *,
    gain: float = 1.0,
    hand_before: tuple[Pocket, ...] = (),
    hand_after: tuple[Pocket, ...] = (),
) -> dict[Pocket, float]:
    """The share of each opening that differs, with these coins in nets before and after a stroke."""
    looks = PocketAppearance(background, studio().profile)
    hands = HandDistance(hand_at(background, *hand_before), background.lattice)
    looks.note(compared(background, studio().picture(before), STRIKE - 0.1), hands)
    foreground = compared(background, lit(studio().picture(after), gain), REST)
    return looks.changed(foreground, hand_at(background, *hand_after), STRIKE)


def test_a_coin_that_fell_shows_in_its_pocket_and_no_other(background: BackgroundModel) -> None:
    shares = changes(background, [], [netted(Pocket.SW)])
    assert shares.pop(Pocket.SW) > 0.3
    assert len(shares) == 3
    assert max(shares.values()) < 0.05


def test_a_coin_that_lay_in_the_net_before_changes_nothing(background: BackgroundModel) -> None:
    shares = changes(background, [netted(Pocket.NE)], [netted(Pocket.NE)])
    assert max(shares.values()) < 0.05


def test_light_that_drifts_changes_nothing(background: BackgroundModel) -> None:
    assert max(changes(background, [], [], gain=1.06).values()) < 0.05


def test_a_pocket_near_a_hand_is_left_out(background: BackgroundModel) -> None:
    fell = [netted(Pocket.SW), netted(Pocket.NE)]
    shares = changes(background, [], fell, hand_before=(Pocket.SW,), hand_after=(Pocket.NE,))
    assert set(shares) == {Pocket.SE, Pocket.NW}


def test_a_stroke_is_compared_with_the_board_before_it(background: BackgroundModel) -> None:
    """A fast coin has fallen before the stroke is noticed."""
    looks, empty = PocketAppearance(background, studio().profile), HandDistance(hand_at(background), background.lattice)
    fallen = compared(background, studio().picture([netted(Pocket.SW)]), STRIKE + 0.1)
    looks.note(compared(background, studio().picture([]), STRIKE - 0.2), empty)
    looks.note(fallen, empty)
    assert looks.changed(fallen, hand_at(background), STRIKE)[Pocket.SW] > 0.3
    assert cv2.countNonZero(fallen.solid) > 0


def test_after_a_change_of_the_light_nothing_is_compared(background: BackgroundModel) -> None:
    looks, empty = PocketAppearance(background, studio().profile), HandDistance(hand_at(background), background.lattice)
    foreground = compared(background, studio().picture([]), STRIKE - 0.2)
    looks.note(foreground, empty)
    looks.forget()
    assert looks.changed(foreground, hand_at(background), STRIKE) == {}
