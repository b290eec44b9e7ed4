"""Pieces so like the board that they pass for shade, and what else does."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from sim_scenes import BOARD, LOOK, SCATTERED, Studio, compared, gate_over, hand_over, shadowed, studio

from models.pieces import Kind, Piece, Seat
from referee.foreground.background import BackgroundModel
from referee.foreground.low_contrast_discs import is_like_board
from referee.foreground.segmentation import Blob, Segmenter
from referee.pieces.detector import learn_colours
from referee.sim.scene import HandPose

BROWN = replace(LOOK, white=(LOOK.wood[0] - 50, LOOK.wood[1] - 50, LOOK.wood[2] - 50))
"""Brown "white" coins: darker than the wood and of its hue."""
COINS = tuple(p for p in SCATTERED if p.kind is Kind.WHITE)


def blobs(place: Studio, background: BackgroundModel, pieces: tuple[Piece, ...] = (), hands: tuple[HandPose, ...] = (),
          shady: bool = True) -> tuple[Blob, ...]:  # fmt: skip
    reader = Segmenter(background, BOARD.half, BOARD.coin_radius)
    reader.shady = shady
    return reader.read(compared(background, place.picture(pieces, hands), 1.0), np.zeros_like(background.inside)).blobs


def near(found: tuple[Blob, ...], piece: Piece) -> bool:
    return any(math.dist((b.x, b.y), (piece.x_mm, piece.y_mm)) < 4.0 for b in found)


def test_brown_coins_on_brown_wood_are_discs_where_the_set_has_such() -> None:
    """They fell and touched unseen (slipping worlds 9268, 9279)."""
    place = Studio(look=BROWN)
    background = gate_over(at=place)
    found = blobs(place, background, COINS)
    assert all(near(found, p) for p in COINS)
    assert len(found) == len(COINS)
    assert not any(near(blobs(place, background, COINS, shady=False), p) for p in COINS)


@pytest.mark.parametrize(("look", "like"), [(LOOK, []), (BROWN, [Kind.WHITE])], ids=["pale", "brown"])
def test_a_look_passes_for_shade_if_it_is_the_boards_and_darker(look: object, like: list[Kind]) -> None:
    place = studio() if look is LOOK else Studio(look=BROWN)
    background = gate_over(at=place)
    colours = learn_colours(place.profile, [place.picture(SCATTERED)]).colours
    assert [kind for kind in colours if is_like_board(colours[kind], background)] == like


@pytest.mark.parametrize("pose", [hand_over(Seat.SOUTH, 0.0, -200.0), hand_over(Seat.SOUTH, 150.0, 60.0),
                                  hand_over(Seat.NORTH, -80.0, 120.0)])  # fmt: skip
def test_the_shadow_of_a_hand_is_no_disc(pose: HandPose) -> None:
    assert blobs(studio(), gate_over(), hands=(pose,)) == ()


def test_the_shadow_of_a_person_is_no_disc() -> None:
    background, gain = gate_over(), np.ones((studio().camera.height, studio().camera.width))
    gain[: gain.shape[0] // 2, gain.shape[1] // 3 : gain.shape[1] // 2] = 0.7
    foreground, nothing = (
        compared(background, shadowed(studio().picture(), gain.tolist()), 1.0),
        np.zeros_like(background.inside),
    )
    assert np.count_nonzero(foreground.shade) > 2000
    reader = Segmenter(background, BOARD.half, BOARD.coin_radius)
    at_its_edge = reader.read(foreground, nothing).blobs
    reader.shady = True
    assert reader.read(foreground, nothing).blobs == at_its_edge
