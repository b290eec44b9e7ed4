"""Clips from a camera hung elsewhere: that pictures and truth go there together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bench_truth import CAMERA, PLAY, truth

from calibration.geometry.camera import Camera
from calibration.geometry.picture import Picture
from models.pieces import Kind, Piece, Pocket, Seat
from referee.bench.truth import Gone
from tools.bench.rehung import Hanging, hanging, rehung, shown

LENS = Camera.of(CAMERA.width, CAMERA.height, CAMERA.k, (-0.2, 0.05, 2e-3, -3e-3, 0.01), CAMERA.r, CAMERA.t)
WAYS = (Hanging(0.0, 1.0), Hanging(0.04, 0.85), Hanging(-0.03, 0.9))


def spots(at: np.ndarray) -> Picture:
    """A grey picture with soft bright and coloured spots at pixels (n, 2)."""
    planes = []
    for share, level in ((1, 60.0), (2, 128.0), (2, 128.0)):
        x, y = np.meshgrid(np.arange(CAMERA.width // share), np.arange(CAMERA.height // share))
        plane = np.full(x.shape, level)
        for c, r in (np.asarray(at) - (share - 1) / 2) / share:
            plane += 100 * np.exp(-((x - c) ** 2 + (y - r) ** 2) / (2 * (5 / share) ** 2))
        planes.append(np.rint(np.clip(plane, 0, 255)).astype(np.uint8))
    return Picture(*planes, full_range=True)


def middles(plane: np.ndarray, near: np.ndarray) -> np.ndarray:
    """The middles (n, 2) of what stands out within ten points of each of (n, 2)."""
    found = []
    for c, r in np.rint(near).astype(int):
        window = plane[r - 10 : r + 11, c - 10 : c + 11].astype(float)
        window = np.clip(window - np.median(window) - 4, 0, None)
        y, x = np.mgrid[-10:11, -10:11]
        found.append((c + (x * window).sum() / window.sum(), r + (y * window).sum() / window.sum()))
    return np.array(found)


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("camera", [CAMERA, LENS])
def test_a_mirrored_coin_is_seen_where_the_true_camera_says(camera: Camera, how: Hanging) -> None:
    at = np.array([(-200.0, 150.0), (120.0, 230.0), (60.0, -180.0), (-130.0, -90.0)])
    pixels = camera.to_pixels(at, 8.0)
    picture = shown(spots(pixels), how)
    seen = rehung(replace(truth(), camera=camera), how).camera
    assert (picture.width, picture.height) == (seen.width, seen.height) == how.size(camera.width, camera.height)
    there = seen.to_pixels(at * (-1, 1), 8.0)
    assert middles(picture.y, there) == pytest.approx(there, abs=0.1)
    for plane in (picture.u, picture.v):
        assert middles(plane, there / 2 - 0.25) == pytest.approx(there / 2 - 0.25, abs=0.15)


def test_seats_pockets_and_places_are_those_of_the_mirror() -> None:
    true = truth(replace(PLAY, seat=Seat.EAST, turn_after=Seat.WEST, off_board=(Gone(Kind.QUEEN),)),
                 replace(PLAY, placement=None))  # fmt: skip
    east, south = rehung(true, WAYS[1]).strokes
    assert (east.seat, east.turn_after, south.seat, south.turn_after) == (Seat.WEST, Seat.EAST, Seat.SOUTH, None)
    assert [(g.kind, g.pocket, g.t) for g in east.pocketed] == [
        (Kind.WHITE, Pocket.NW, 2.5), (Kind.BLACK, Pocket.NE, 2.8)]  # fmt: skip
    assert east.off_board == (Gone(Kind.QUEEN),)
    assert Piece(Kind.BLACK, 100.0, 40.0) in east.rest
    assert len(east.rest) == len(PLAY.rest)
    assert south.placement is None
    assert (east.t_strike, east.first_contact, east.fouls) == (PLAY.t_strike, PLAY.first_contact, PLAY.fouls)
    moved = rehung(truth(replace(PLAY, placement=replace(PLAY.placement, x_mm=30.0))), WAYS[0]).strokes[0].placement
    assert moved == replace(PLAY.placement, x_mm=-30.0)


def test_each_clip_hangs_its_own_way_the_same_for_the_same_seed() -> None:
    assert hanging(1, "arrow") == hanging(1, "arrow")
    ways = {hanging(seed, name) for seed in range(4) for name in ("arrow", "moon")}
    assert len(ways) == 8
    assert all(abs(w.turn) < 0.05 and 0.75 < w.scale < 1.05 for w in ways)
