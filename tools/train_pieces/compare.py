"""Compares the network alone with the program's own finder, on pictures with truth.

    python compare.py TRUTH.json...

Prints a line for each picture and finder: the numbers of true, found and invented discs.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from disc_set import seen
from sample import UNKNOWN
from stills import OFF, true_discs

from calibration.calibrate import CalibrationError, calibrate
from calibration.geometry.picture import picture_from_bgr
from calibration.profile import Profile
from referee.frames.folder import read_image
from referee.pieces.detector import find_pieces
from referee.pieces.disc_fit import Disc
from referee.pieces.scan import View


def counted(discs: Sequence[Disc], profile: Profile, truth: list[tuple[float, float, float, int]]) -> Counter[str]:
    """Returns the numbers of true, found and invented discs. Each true disc is found at most once."""
    px = profile.camera.to_pixels(np.array([(d.x, d.y) for d in discs]).reshape(-1, 2), profile.board.coin_height)
    out = Counter(there=sum(kind != UNKNOWN for *_, kind in truth))
    left = list(truth)
    for at in px:
        near = [t for t in left if np.hypot(at[0] - t[0], at[1] - t[1]) < OFF * t[2]]
        if not near:
            out["invented"] += 1
            continue
        own = min(near, key=lambda t: float(np.hypot(at[0] - t[0], at[1] - t[1])))
        left.remove(own)
        out["found"] += own[3] != UNKNOWN
    return out


def main() -> None:
    totals: dict[str, Counter[str]] = {"finder": Counter(), "network": Counter()}
    for path in map(Path, sys.argv[1:]):
        truth = json.loads(path.read_text(encoding="utf-8"))
        picture = picture_from_bgr(read_image(path.parent / truth["image"]))
        try:
            profile = calibrate([picture])
        except CalibrationError as e:
            print(f"{path.name}: {e}")
            continue
        found = {"finder": [d for _, d in find_pieces(picture, profile)], "network": seen(View(picture, profile))}
        for name, discs in found.items():
            counts = counted(discs, profile, true_discs(truth))
            totals[name] += counts
            print(path.name, name, dict(counts), flush=True)
    for name, counts in totals.items():
        print(name, dict(counts))


if __name__ == "__main__":
    main()
