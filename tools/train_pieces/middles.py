"""Samples the middles of the simulator's boards, drawn with random looks, with and without a piece in the middle.

    PYTHONPATH=../../tests python middles.py OUT.npz SEED BOARDS

Nothing is calibrated: the profile is by the book. A pure function of the seed.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace

import numpy as np
from sim_scenes import LOOK, Studio

from models.pieces import Kind, Piece
from referee.pieces.disc_place import place_patches
from referee.pieces.disc_set import CENTRE_MM, laid_not_printed
from referee.pieces.scan import View
from referee.sim.viewpoint import Appearance, Bgr

BROWN, GREEN = (62, 98, 150), (60, 70, 60)
IN_THE_MIDDLE = (Kind.QUEEN, Kind.QUEEN, Kind.WHITE, Kind.BLACK)
ELSEWHERE_MM, MIDDLE_FREE_MM, APART_MM = 330.0, 45.0, 33.0
LAID_OFF_MM = 1.5
"""Standard deviation on each axis of where a hand lays a piece in the middle."""


def vary(colour: Bgr, share: float, rng: np.random.Generator) -> Bgr:
    """Returns a colour with each part changed by a share at most."""
    blue, green, red = (int(np.clip(v * rng.uniform(1 - share, 1 + share), 5, 250)) for v in colour)
    return blue, green, red


def draw_appearance(rng: np.random.Generator) -> Appearance:
    """Returns a random look: colours, shadows, grain, wear, lamp, and a rosette, a star or neither in the middle."""
    look = replace(
        LOOK,
        wood=vary(LOOK.wood, 0.25, rng),
        red=vary(LOOK.red, 0.25, rng) if rng.random() < 0.7 else vary(GREEN, 0.4, rng),
        queen=vary(LOOK.queen, 0.25, rng),
        white=vary(LOOK.white, 0.2, rng) if rng.random() < 0.6 else vary(BROWN, 0.3, rng),
        black=vary(LOOK.black, 0.4, rng),
        shadow=rng.uniform(0.25, 0.6),
        shadow_px=rng.uniform(0.7, 2.0),
        grain=rng.uniform(0.02, 0.12),
        worn=float(rng.choice([0, 0, 0.3, 0.6])),
        lamp_mm=(rng.uniform(-300, 300), rng.uniform(-300, 300), rng.uniform(800, 1500)),
        petals=int(rng.choice([0, 0, 6, 8, 9, 10, 12])),
    )
    return replace(look, points=int(rng.integers(6, 13))) if look.petals == 0 and rng.random() < 0.4 else look


def draw_pieces(rng: np.random.Generator) -> tuple[list[Piece], bool]:
    """Returns pieces at rest, and whether one of them lies in the middle."""
    there, kind = rng.random() < 0.5, IN_THE_MIDDLE[int(rng.integers(4))]
    pieces = list[Piece]()
    for k in range(int(rng.integers(2, 10))):
        x, y = rng.uniform(-ELSEWHERE_MM, ELSEWHERE_MM, 2).tolist()
        free = math.hypot(x, y) > MIDDLE_FREE_MM
        if free and all(math.dist((x, y), (p.x_mm, p.y_mm)) > APART_MM for p in pieces):
            pieces.append(Piece((Kind.WHITE, Kind.BLACK)[k % 2], x, y))
    if there:
        pieces.append(Piece(kind, *rng.normal(0, LAID_OFF_MM, 2).tolist()))
    return pieces, there


def main() -> None:
    out, seed, boards = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng, rows = np.random.default_rng(seed), list[tuple[np.ndarray, np.ndarray, float, float, bool]]()
    for i in range(boards):
        look = draw_appearance(rng)
        pieces, there = draw_pieces(rng)
        at = Studio(look=look) if i % 3 else Studio(640, 480, look=look)
        view = View(at.picture(pieces), at.profile)
        rings = [r for r in view.coins if math.hypot(r.x, r.y) < CENTRE_MM]
        if not rings:
            continue
        places, radii = np.array([(r.x, r.y) for r in rings]), np.array([r.radius for r in rings])
        patches = view.patch_source().patches(view.lattice.to_cells(places))
        close = place_patches(view.picture, at.profile.camera, places, radii, view.top_heights(rings))
        shades = [view.disc(r).shade for r in rings]
        rows += [(*row, there) for row in zip(patches, close, laid_not_printed(view, rings), shades, strict=True)]
    x, rim, laid, shade, label = zip(*rows, strict=True)
    n = len(rows)
    np.savez(out, x=np.array(x, np.float16), rim=np.array(rim, np.float16), laid=np.array(laid, np.float32),
             shade=np.array(shade, np.float32), label=np.array(label, np.int8), middle=np.ones(n, bool),
             from_search=np.ones(n, np.int8), scene=np.full(n, f"simulator {seed}"))  # fmt: skip


if __name__ == "__main__":
    main()
