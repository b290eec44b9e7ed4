"""Symmetry: what an ornament repeats is print, a piece has no twins."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np
import pytest
from sim_scenes import BOARD, LOOK, Studio, places, studio, unmatched

from calibration.geometry.picture import picture_from_bgr
from models.pieces import Kind, Piece
from referee.pieces.detector import find_pieces
from referee.pieces.disc_fit import Disc
from referee.pieces.ornament_symmetry import LEAST_TWINS, twins
from referee.sim.viewpoint import Bgr

NOTHING = (0.0, 128.0, 128.0)
COINS = (Piece(Kind.BLACK, 48.0, 30.0), Piece(Kind.WHITE, -180.0, 140.0), Piece(Kind.BLACK, 150.0, -90.0))


@lru_cache(maxsize=2)
def rosette(petals: int) -> Studio:
    return Studio(look=replace(LOOK, petals=petals))


def disc(x: float, y: float) -> Disc:
    return Disc(x, y, BOARD.coin_radius, 0.5, NOTHING, NOTHING, NOTHING, 95.0)


@pytest.mark.parametrize("petals", [6, 8])
def test_a_petal_has_twins(petals: int) -> None:
    at = rosette(petals)
    assert twins(at.picture(), at.profile, [disc(50.0, 0.0)])[0] >= LEAST_TWINS


@pytest.mark.parametrize("bold", [0.55, 1.8])
def test_a_petal_has_twins_among_others_that_are_worn_unequally(bold: float) -> None:
    """Every other petal is paler or bolder than the one that is asked for (simulated worlds 1343, 1364)."""
    at = rosette(6)
    bare, drawn = studio().picture().bgr().astype(float), at.picture().bgr().astype(float)
    share = np.ones((*drawn.shape[:2], 1))
    for turn in range(1, 6):
        angle = math.radians(60.0 * turn)
        (x, y), *_ = at.profile.camera.to_pixels([(50.0 * math.cos(angle), 50.0 * math.sin(angle))], 0.0)
        radius = round(26.0 * float(at.profile.camera.px_per_mm()[0]))
        cv2.circle(share, (round(float(x)), round(float(y))), radius, bold if turn % 2 else 1 / bold, cv2.FILLED)
    worn = picture_from_bgr(np.clip(bare + share * (drawn - bare), 0, 255).astype(np.uint8))
    assert twins(worn, at.profile, [disc(50.0, 0.0)])[0] >= LEAST_TWINS


@pytest.mark.parametrize("petals", [6, 8])
@pytest.mark.parametrize("petal", [(100, 150, 160), (110, 155, 165)])
@pytest.mark.parametrize("coin", [(80, 125, 155), (70, 110, 140)])
def test_a_brown_coin_on_an_olive_petal_has_no_twins(petals: int, petal: Bgr, coin: Bgr) -> None:
    """It is half like the bare ones, and was overlooked (simulated world 2084)."""
    at = Studio(look=replace(LOOK, petals=petals, petal=petal, white=coin))
    found = twins(at.picture((Piece(Kind.WHITE, 48.0, 0.0),)), at.profile, [disc(48.0, 0.0)])
    assert found[0] < LEAST_TWINS


def test_a_coin_has_no_twins() -> None:
    found = twins(studio().picture(COINS), studio().profile, [disc(48.0, 30.0)])
    assert found[0] < LEAST_TWINS


def test_outside_the_ornament_nothing_is_asked() -> None:
    assert twins(studio().picture(), studio().profile, [disc(200.0, 200.0)]) == [0]
    assert twins(studio().picture(), studio().profile, []) == []


@pytest.mark.parametrize("petals", [6, 8])
def test_coins_on_a_rosette_are_found_and_no_petals(petals: int) -> None:
    at = rosette(petals)
    found = [(d.x, d.y) for _, d in find_pieces(at.picture(COINS), at.profile)]
    assert unmatched(found, places(COINS), 3.0) == ([], [])
