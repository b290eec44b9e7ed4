"""Patches with what lies in their middles, from drawn scenes or from pictures with truth.

    python sample.py OUT.npz FIRST LAST        scenes of these seeds

Candidates are the circles that the program's own search finds, as it would meet them; places of true discs that it
misses, jittered, come along for learning (`from_search` is 0).
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
from referee.pieces.circles import Ring, find_rings, mask_prints, measure_rims
from referee.pieces.presence import PLANES, PRESENCE_SIDE, PatchSource, relative_planes

NOTHING, COIN, STRIKER, UNKNOWN = 0, 1, 2, -1
ON_MM, OFF_MM = 4.5, 9.0
"""A circle this near to a disc's middle is that disc; farther off than the second it is none; between nobody says."""
ORNAMENT_MM = 100.0
HIDDEN, HALF = 0.35, 0.7
"""A disc of which a hand hides less than the first is asked for; more than the second is not there to be seen."""


@dataclass
class Sample:
    """Patches of one picture."""

    x: np.ndarray
    label: np.ndarray
    from_search: np.ndarray


def lattice_of(size: int) -> Lattice:
    """A lattice of a mm a step that no camera looks at."""
    flat = (np.zeros((size, size), np.float32), np.zeros((size, size), np.float32))
    return Lattice(-(size - 1) / 2, (size - 1) / 2, 1.0, 8.0, Crop(0, 0, size, size), 0, flat, flat, 0)


def searched(scene: Scene, lattice: Lattice, coin: float) -> list[Ring]:
    field = board_field(scene.yuv)
    bare = mask_prints(field, scene.prints)
    book = coin * 20.65 / 15.5
    radii = [book, *(r for r in STRIKER_RADII if r > book + 1)]
    out = []
    for own, rs in ((field, [coin]), (bare, radii)):
        responses = zip(rs, ring_responses(own, rs), strict=True)
        rings = find_rings(lattice, responses, WINDOW / 2)
        out += measure_rims(lattice, own, scene.prints, rings, scene.holes if rs == [coin] else None)
    return out


def source_of(scene: Scene, coin: float) -> PatchSource:
    source = PatchSource(scene.yuv, scene.prints, scene.holes, coin, scene.middle, ORNAMENT_MM)
    if scene.middle is None and scene.bare is not None:
        size = (source.shape[1], source.shape[0])
        return PatchSource(
            scene.yuv, scene.prints, scene.holes, coin, bare=relative_planes(scene.bare, size, scene.holes)
        )
    return source


def sampled(scene: Scene, rng: np.random.Generator) -> Sample:
    lattice = lattice_of(WINDOW)
    coin = scene.coin * rng.uniform(0.97, 1.03)
    rings = searched(scene, lattice, coin)
    # The window's own frame: x to the right, y down, from its left top.
    half = (WINDOW - 1) / 2
    at = [(r.x + half, half - r.y) for r in rings]
    keep = [
        i
        for i, (x, y) in enumerate(at)
        if 8 < x < WINDOW - 8 and 8 < y < WINDOW - 8 and not scene.holes[round(y), round(x)]
    ]
    rings, at, found = [rings[i] for i in keep], [at[i] for i in keep], [1] * len(keep)
    for d in scene.discs:
        off = rng.normal(0, 1.5, 2)
        if 10 < d.x < WINDOW - 10 and 10 < d.y < WINDOW - 10 and math.hypot(*off) < 4:
            x, y = d.x + off[0], d.y + off[1]
            rings.append(Ring(x - half, half - y, d.radius, 0.0))
            at.append((x, y))
            found.append(0)
    if rng.random() < 0.3:
        x, y = rng.uniform(20, WINDOW - 20, 2)
        if not scene.holes[round(y), round(x)]:
            rings.append(Ring(x - half, half - y, coin, 0.0))
            at.append((float(x), float(y)))
            found.append(0)
    labels = [_label(x, y, scene) for x, y in at]
    told = [i for i, label in enumerate(labels) if label != UNKNOWN]
    cells = np.array([at[i] for i in told]).reshape(-1, 2)
    x = (
        source_of(scene, coin).patches(cells)
        if told
        else np.zeros((0, PLANES, PRESENCE_SIDE, PRESENCE_SIDE), np.float32)
    )
    label, searched_for = (np.array([values[i] for i in told], np.int8) for values in (labels, found))
    return Sample(x.astype(np.float16), label, searched_for)


def _label(x: float, y: float, scene: Scene) -> int:
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
    got, scenes = [], []
    for seed in range(first, last):
        rng = np.random.default_rng([49, seed])
        got.append(sampled(draw(rng), rng))
        scenes.append(np.full(len(got[-1].label), seed))
    np.savez(out, x=np.concatenate([s.x for s in got]), label=np.concatenate([s.label for s in got]),
             from_search=np.concatenate([s.from_search for s in got]), scene=np.concatenate(scenes))  # fmt: skip


if __name__ == "__main__":
    main()
