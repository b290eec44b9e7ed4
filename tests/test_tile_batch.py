"""Discs of many frames measured at once: as each would be alone in its own picture."""

from __future__ import annotations

import numpy as np
import pytest
from sim_clips import SIZE
from sim_scenes import BOARD, Studio, studio

from calibration.geometry.picture import Picture
from models.pieces import Kind, Piece
from referee.foreground.background import BackgroundModel
from referee.pieces.disc import Disc
from referee.pieces.disc_place import place_discs
from referee.replay.refine_discs import DiscGuess, DiscMeasurer
from referee.replay.tile_batch import Mosaic
from referee.replay.tiles import FrameTiles, TileCutter

REACH_PX = 37.0


def cutout_of(picture: Picture, at: Studio, pieces: list[Piece]) -> FrameTiles:
    """What is kept of a picture where some pieces are."""
    lattice = BackgroundModel(at.profile).lattice
    where = np.zeros(lattice.shape, np.uint8)
    for p in pieces:
        where[lattice.disc_cells(p.x_mm, p.y_mm, 20.0)] = 255
    cutout = TileCutter(at.camera, lattice).cut(picture, 1.0, 1.0, where)
    assert cutout is not None
    return cutout


@pytest.mark.parametrize("px", [(200.4, 310.0), (4.0, 9.5), (SIZE[0] - 3.0, SIZE[1] - 12.0)])
def test_a_square_shows_what_its_own_picture_shows(px: tuple[float, float]) -> None:
    rng, side = (
        np.random.default_rng(3),
        cutout_of(studio().picture(), studio(), [Piece(Kind.WHITE, 0.0, 0.0)]).y.shape[1],
    )
    width, height = (length // side * side for length in SIZE)
    tiles = np.sort(rng.permutation(width * height // side**2)[: width * height // side**2 * 2 // 3])
    planes = [rng.integers(1, 255, (len(tiles), n, n), np.uint8) for n in (side, side // 2, side // 2)]
    cutout = FrameTiles(0.0, 1.0, tiles, planes[0], planes[1], planes[2])
    picture = cutout.picture(width, height)
    mosaic = Mosaic.of([cutout, cutout], np.array([(333.3, 222.2), px]), REACH_PX, width)
    column, row = np.floor(px).astype(int)
    near = range(int(-REACH_PX) + 1, int(REACH_PX))
    shown = [
        (c, r)
        for c in (column + i for i in near)
        for r in (row + i for i in near)
        if 0 <= c < width and 0 <= r < height
    ]
    columns, rows = np.array([shown, shown], np.float32).transpose(2, 0, 1)
    across, down = (at[1].astype(int) for at in mosaic.at(columns, rows))
    c, r = np.array(shown).T
    assert len(shown) > 400
    np.testing.assert_array_equal(mosaic.y[down, across], picture.y[r, c])
    np.testing.assert_array_equal(mosaic.u[down // 2, across // 2], picture.u[r // 2, c // 2])
    np.testing.assert_array_equal(mosaic.v[down // 2, across // 2], picture.v[r // 2, c // 2])


def test_discs_measured_at_once_lie_where_each_is_found_alone() -> None:
    at = studio()
    pieces = [Piece(Kind.WHITE, -150.0, 90.0), Piece(Kind.BLACK, 160.0, -251.0), Piece(Kind.QUEEN, 8.0, 60.0),
              Piece(Kind.STRIKER, 330.0, 331.0), Piece(Kind.WHITE, -119.0, 90.0)]  # fmt: skip
    cutouts = [cutout_of(at.picture(pieces[:n]), at, pieces[:n]) for n in range(1, 1 + len(pieces))]
    wanted = [(cutout, DiscGuess(p.kind, p.x_mm + 0.4 * n, p.y_mm - 0.3 * n))
              for n, cutout in enumerate(cutouts) for p in pieces[: n + 1]] * 2  # fmt: skip
    assert len(wanted) == 30, "more than are measured at once"
    background = BackgroundModel(at.profile)
    measurer = DiscMeasurer(at.profile, background.lattice, background.lattice.sample(at.picture([])))
    for (cutout, guess), fix in zip(wanted, measurer.refine(wanted), strict=True):
        picture = cutout.picture(at.camera.width, at.camera.height)
        disc = Disc(guess.x, guess.y, BOARD.radius(guess.kind), 1.0, (0.0, 128.0, 128.0), (100.0, 128.0, 128.0), 100.0)
        alone = place_discs(picture, at.camera, [disc], BOARD.height(guess.kind), in_flight=True)[0]
        assert (fix.x, fix.y, fix.sigma) == pytest.approx((alone.x, alone.y, alone.sigma), abs=0.02)
        assert min(np.hypot(fix.x - p.x_mm, fix.y - p.y_mm) for p in pieces) < 0.8
