"""Samples labelled patches of drawn scenes.

    python sample.py OUT.npz FIRST LAST        scenes of these seeds

Candidates are the circles that the program's own search finds. True discs that it misses, and some places anywhere, are
added for training (`from_search` is 0).
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import numpy as np
from draw import WINDOW, Scene, draw

from calibration.geometry.lattice import Crop, Lattice
from calibration.rings import board_field, ring_responses
from models.pieces import STRIKER_RADII
from referee.pieces.circles import Ring, find_rings
from referee.pieces.learned_network import PATCH_SIDE
from referee.pieces.presence import PatchSource, PrintedCircles, relative_planes
from referee.pieces.scan import PRINTED_RING_EDGE_MM

PLANES = 8
"""Number of planes of a patch: see `PatchSource.patches`."""
NOTHING, COIN, STRIKER, UNKNOWN = 0, 1, 2, -1
ON_MM, OFF_MM = 4.5, 9.0
"""Distance of a circle from a disc's centre, in mm, up to which it is that disc, and above which it is none; between
the two it is unlabelled."""
ORNAMENT_MM, CIRCLE_MM = 100.0, 15.9
HIDDEN, HALF = 0.35, 0.7
"""Share of a disc hidden by a hand up to which it is labelled a disc, and from which it is labelled nothing."""


@dataclass
class Sample:
    """Patches (n, 8, 48, 48) of one scene with labels (n,)."""

    x: np.ndarray
    label: np.ndarray
    from_search: np.ndarray


def lattice_of(size: int) -> Lattice:
    """Returns a lattice of one mm a step without a camera."""
    flat = (np.zeros((size, size), np.float32), np.zeros((size, size), np.float32))
    return Lattice(-(size - 1) / 2, (size - 1) / 2, 1.0, 8.0, Crop(0, 0, size, size), 0, flat, flat, 0)


def find_circles(scene: Scene, lattice: Lattice, coin: float) -> list[Ring]:
    """Returns the circles that the program's search finds in a scene."""
    field = board_field(scene.yuv)
    book = coin * 20.65 / 15.5
    radii = [book, *(r for r in STRIKER_RADII if r > book + 1)]
    out = []
    for rs in ([coin], radii):
        responses = zip(rs, ring_responses(field, rs), strict=True)
        out += find_rings(lattice, responses, WINDOW / 2)
    return out


def patch_source(scene: Scene, coin: float) -> PatchSource:
    """Returns the source of a scene's patches."""
    circles = PrintedCircles(np.array(scene.circles), CIRCLE_MM + PRINTED_RING_EDGE_MM) if scene.circles else None
    source = PatchSource(scene.yuv, scene.prints, scene.holes, coin, scene.middle, ORNAMENT_MM, circles=circles)
    if scene.middle is None and scene.bare is not None:
        bare = relative_planes(scene.bare, source.size, scene.holes)
        return PatchSource(scene.yuv, scene.prints, scene.holes, coin, bare=bare)
    return source


def sample_scene(scene: Scene, rng: np.random.Generator) -> Sample:
    """Returns the labelled patches of a scene."""
    lattice = lattice_of(WINDOW)
    coin = scene.coin * rng.uniform(0.97, 1.03)
    rings = find_circles(scene, lattice, coin)
    # The window's own frame: x to the right, y down, from its left top.
    half = (WINDOW - 1) / 2
    at = [(r.x + half, half - r.y) for r in rings]
    inside = [
        i
        for i, (x, y) in enumerate(at)
        if 8 < x < WINDOW - 8 and 8 < y < WINDOW - 8 and not scene.holes[round(y), round(x)]
    ]
    rings, at, found = [rings[i] for i in inside], [at[i] for i in inside], [1] * len(inside)
    for d in scene.discs:
        off = rng.normal(0, 1.5, 2)
        if 10 < d.x < WINDOW - 10 and 10 < d.y < WINDOW - 10 and math.hypot(*off) < 4:
            x, y = d.x + off[0], d.y + off[1]
            rings.append(Ring(x - half, half - y, d.radius, 0.0))
            at.append((x, y))
            found.append(0)
    anywhere = [rng.uniform(20, WINDOW - 20, 2)] if rng.random() < 0.3 else []
    if scene.middle is not None:
        anywhere.append(np.array(scene.middle) + rng.normal(0, 1.5, 2))
    for x, y in anywhere:
        if not scene.holes[round(y), round(x)]:
            rings.append(Ring(x - half, half - y, coin, 0.0))
            at.append((float(x), float(y)))
            found.append(0)
    labels = [label_at(x, y, scene) for x, y in at]
    labelled = [i for i, label in enumerate(labels) if label != UNKNOWN]
    cells = np.array([at[i] for i in labelled]).reshape(-1, 2)
    x = (
        patch_source(scene, coin).patches(cells)
        if labelled
        else np.zeros((0, PLANES, PATCH_SIDE, PATCH_SIDE), np.float32)
    )
    label, from_search = (np.array([values[i] for i in labelled], np.int8) for values in (labels, found))
    return Sample(x.astype(np.float16), label, from_search)


def label_at(x: float, y: float, scene: Scene) -> int:
    """Returns the label of a circle at (x, y) mm of the window."""
    off = [(math.dist((x, y), (d.x, d.y)), d) for d in scene.discs]
    if not off or min(off, key=lambda o: o[0])[0] > OFF_MM:
        return NOTHING
    distance, d = min(off, key=lambda o: o[0])
    if distance > ON_MM or HIDDEN < d.covered < HALF:
        return UNKNOWN
    if d.covered >= HALF:
        return NOTHING
    return STRIKER if d.is_striker else COIN


def main() -> None:
    out, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    samples, scenes = [], []
    for seed in range(first, last):
        rng = np.random.default_rng([49, seed])
        samples.append(sample_scene(draw(rng), rng))
        scenes.append(np.full(len(samples[-1].label), seed))
    np.savez(out, x=np.concatenate([s.x for s in samples]), label=np.concatenate([s.label for s in samples]),
             from_search=np.concatenate([s.from_search for s in samples]), scene=np.concatenate(scenes))  # fmt: skip


if __name__ == "__main__":
    main()
