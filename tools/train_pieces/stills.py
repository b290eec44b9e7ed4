"""Samples labelled patches of pictures with truth, for training or for evaluation.

    python stills.py OUT.npz TRUTH.json...

Each truth names its `image` and `discs` with the pixel of each one's centre, as for rendered pictures and photographs.
The board is calibrated as by the program.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from sample import COIN, NOTHING, STRIKER, UNKNOWN

from calibration.calibrate import CalibrationError, calibrate
from calibration.geometry.picture import picture_from_bgr
from referee.frames.folder import read_image
from referee.pieces.circles import Ring
from referee.pieces.disc_place import place_patches
from referee.pieces.disc_set import CENTRE_MM, laid_not_printed
from referee.pieces.scan import View

ON, OFF = 0.3, 0.6
"""Distance of a circle from a disc's middle up to which it is that disc, and from which it is none, in radii."""
HIDDEN = 0.5


def true_discs(truth: dict[str, Any]) -> list[tuple[float, float, float, int]]:
    """Returns centre and radius in pixels, and label; UNKNOWN for discs elsewhere or hidden."""
    out = []
    for d in truth.get("discs", []):
        x, y, r = (d.get(f"{name}_px", d.get(name)) for name in ("x", "y", "r"))
        if r is None:
            r = d["radius_mm"] * truth["camera"]["K"][0][0] / abs(truth["camera"]["t_mm"][2])
        hidden = d.get("where", "board") != "board" or d.get("covered", 0) > HIDDEN or d.get("partly_hidden")
        kind = STRIKER if d["kind"] == "striker" else COIN
        out.append((x, y, r, UNKNOWN if hidden or d["kind"] == "unknown" else kind))
    return out


def label_of(px: np.ndarray, discs: list[tuple[float, float, float, int]]) -> int:
    """Returns the label of a circle at pixel `px` (2,)."""
    label = NOTHING
    for x, y, r, kind in discs:
        away = float(np.hypot(*(px - (x, y)))) / r
        if away < ON and kind != UNKNOWN:
            return kind
        if away < (1.0 if kind == UNKNOWN else OFF):
            label = UNKNOWN
    return label


def sample_picture(path: Path) -> dict[str, np.ndarray] | None:
    """Returns the labelled patches of one picture; None if it cannot be calibrated."""
    truth = json.loads(path.read_text(encoding="utf-8"))
    picture = picture_from_bgr(read_image(path.parent / truth["image"]))
    try:
        view = View(picture, calibrate([picture]))
    except CalibrationError as e:
        print(f"{path}: {e}", file=sys.stderr)
        return None
    rings: list[Ring] = [*view.coins, *view.large]
    px = view.profile.camera.to_pixels([(r.x, r.y) for r in rings], view.profile.board.coin_height)
    labels = [label_of(at, true_discs(truth)) for at in px]
    labelled = [i for i, label in enumerate(labels) if label != UNKNOWN]
    cells = view.lattice.to_cells([(rings[i].x, rings[i].y) for i in labelled])
    found = [rings[i] for i in labelled]
    radii, places = np.array([r.radius for r in found]), np.array([(r.x, r.y) for r in found])
    return {
        "rim": place_patches(picture, view.profile.camera, places, radii, view.top_heights(found)).astype(np.float16),
        "x": view.patch_source().patches(cells).astype(np.float16),
        "label": np.array([labels[i] for i in labelled], np.int8),
        "laid": laid_not_printed(view, found).astype(np.float32),
        "shade": np.array([view.disc(r).shade for r in found], np.float32),
        "middle": np.array([np.hypot(r.x, r.y) < CENTRE_MM for r in found]),
        "from_search": np.ones(len(labelled), np.int8),
        "scene": np.full(len(labelled), str(path)),
    }


def main() -> None:
    samples = [s for path in sys.argv[2:] if (s := sample_picture(Path(path))) is not None]
    np.savez(sys.argv[1], **{key: np.concatenate([s[key] for s in samples]) for key in samples[0]})


if __name__ == "__main__":
    main()
