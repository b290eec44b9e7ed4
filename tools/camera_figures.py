"""Measures the accuracy of the calibrated camera, and of its standard deviations, on pictures and clips with truth.

    python tools/camera_figures.py FOLDER [--given nothing|height|sensor|exchanged|sheet|lens] [--out ROWS.jsonl]
    python tools/camera_figures.py --rows ROWS.jsonl            # the table again, of rows measured before

FOLDER holds NAME.truth.json beside NAME.png or NAME.mp4, as the renderer's packages have them. Given is the height by
tape, the focal length of a sensor's standard lens (or of another one: the lens was exchanged), the lens by the
corners of a ChArUco sheet in twelve pictures through the true camera, or the true lens. Placements are drawn at
random: a striker's true place near its limits is projected by the true camera and judged by the calibrated one. So they
measure the errors of the camera, the heights and the marks, but not of detecting the rim.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.calibrate import MOST_PICTURES, CalibrationError, calibrate
from calibration.geometry.camera import Camera
from calibration.geometry.lens import Lens, LensError, LensOrigin, StatedLens, charuco_board, solved_lens
from calibration.geometry.picture import Picture, picture_from_bgr
from calibration.profile import Profile
from models.pieces import Kind, Seat, from_side
from referee.frames.open import open_source
from referee.frames.standard_lenses import AS_SOLD, DATASHEET_SPREAD
from referee.pieces.detector import find_pieces
from referee.striker.placement_rules import judge_placement

F64 = NDArray[np.float64]

GIVEN = ("nothing", "height", "sensor", "exchanged", "sheet", "lens")

GRID = 15
REACH = 0.97
"""Extent of the grid on which the cameras are compared, as a share of the way to the cushions."""
SAME_MM = 6.0
"""Greatest distance of a detected piece from the true one, mm."""
TAPE_SIGMA = 0.01
"""Relative standard deviation of a height measured by tape."""
EXCHANGED_BY = (0.2, 0.5)
"""Least and greatest size of the logarithm of an exchanged lens's focal length relative to the stated one."""
SHEET_SPOTS, SHEET_LARGE, SHEET_TILT_DEG = (0.25, 0.5, 0.75), (0.35, 0.6), (5.0, 38.0)
"""Places of the sheet's middle in the picture (as shares of its sides), its length as a share of the picture's height,
and its tilt."""
SHEET_CORNER_PX = 0.12
"""Standard deviation of a detected corner along each axis, px: 0.09 px in rendered pictures of the sheet."""
PLACEMENTS = 60
MARGIN_MM = 3.0
"""Greatest distance from a limit of drawn placements, mm."""
RIM_MM = 0.12
"""Standard deviation of a striker's detected rim along each axis, mm."""
PLAIN_MM = 1.5
"""Margin from which a placement must be called, mm."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--given", choices=GIVEN, default="nothing")
    parser.add_argument("--limit", type=int, default=10**6, help="only the first so many worlds")
    parser.add_argument("--pieces", action="store_true", help="look for the pieces too, which takes most of the time")
    parser.add_argument("--out", type=Path, help="where a line of JSON goes for each world")
    parser.add_argument("--rows", type=Path, help="rows measured before, instead of a folder")
    a = parser.parse_args()
    if a.rows:
        rows = [json.loads(line) for line in a.rows.read_text().splitlines()]
    elif a.folder and a.folder.is_dir():
        rows = list(_measured(a))
    else:
        parser.error("name a folder with NAME.truth.json files, or --rows")
    print(table(rows))


def _measured(a: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for path in islice(sorted(a.folder.glob("*.truth.json")), a.limit):
        truth = json.loads(path.read_text())
        source = path.parent / (truth.get("image") or truth["video"])
        row = {"name": source.stem, **world(pictures(source), truth, a.given, a.pieces)}
        print(_line(row), file=sys.stderr, flush=True)
        if a.out:
            with a.out.open("a") as out:
                out.write(json.dumps(row) + "\n")
        yield row


def pictures(source: Path) -> list[Picture]:
    """Returns a still, or the first pictures of a clip."""
    if source.suffix == ".png":
        return [picture_from_bgr(np.asarray(cv2.imread(str(source)), np.uint8))]
    with open_source(str(source)) as frames:
        return [frame.picture for frame in islice(frames, MOST_PICTURES)]


def true_camera(truth: dict[str, Any]) -> Camera:
    c = truth["camera"]
    return Camera.of(c["width"], c["height"], c["K"], c["dist_k1k2p1p2k3"], c["R_board_to_camera"], c["t_mm"])


def world(seen: Sequence[Picture], truth: dict[str, Any], given: str, with_pieces: bool) -> dict[str, Any]:
    """Returns the figures of one world."""
    true, board = true_camera(truth), truth["board"]
    rng = np.random.default_rng(int(1000 * true.k[0, 0]))
    try:
        profile = calibrate(seen, **_known(given, true, rng))
    except (CalibrationError, LensError) as e:
        return {"refused": str(e)}
    found = profile.camera
    coin, striker = board["coin_height"], board["striker_height"]
    row: dict[str, Any] = {
        "lens": profile.lens, "board": profile.board.name, "sure": profile.residuals.model_sure,
        "rms": profile.residuals.rms_mm, "focal": found.k[0, 0] / true.k[0, 0] - 1,
        "height": found.position[2] / true.position[2] - 1,
        "height_sigma": _height_sigma(profile), "tilt": math.degrees(math.acos(min(1.0, abs(true.r[2, 2])))),
        "true_height": true.position[2], "dist": true.dist.tolist(), "found_dist": found.dist.tolist(),
        "map0": _map(found, true, board["surface_mm"], 0.0), "map_coin": _map(found, true, board["surface_mm"], coin),
        "z0": _map_sigmas(profile, true, board["surface_mm"], 0.0),
        "z_coin": _map_sigmas(profile, true, board["surface_mm"], coin),
        "placements": _placements(profile, true, board, striker, rng),
    }  # fmt: skip
    if with_pieces:
        row |= _pieces(profile, seen[0], truth, true)
    return row


def _known(given: str, true: Camera, rng: np.random.Generator) -> dict[str, Any]:
    """Returns what `calibrate` is given."""
    match given:
        case "height":
            return {"height_mm": true.position[2] * (1 + TAPE_SIGMA * rng.standard_normal())}
        case "sensor" | "exchanged":
            exchanged = rng.uniform(*EXCHANGED_BY) * rng.choice((-1, 1)) if given == "exchanged" else 0.0
            focal_px = true.k[0, 0] * math.exp(DATASHEET_SPREAD * rng.standard_normal() + exchanged)
            return {"stated_lens": StatedLens(focal_px, DATASHEET_SPREAD, AS_SOLD, LensOrigin.DATASHEET)}
        case "sheet":
            return {"lens": sheet_lens(true, rng)}
        case "lens":
            return {"lens": Lens(true.width, true.height, true.k, true.dist)}
        case _:
            return {}


def sheet_lens(true: Camera, rng: np.random.Generator) -> Lens:
    """Returns the lens by the sheet, held before the camera all over the picture, large and tilted to all sides."""
    corners = np.asarray(charuco_board().getChessboardCorners(), np.float32)
    spots = [(x, y) for x in SHEET_SPOTS for y in SHEET_SPOTS] + [(0.5, 0.5)] * 3
    world, seen = [], []
    for at in spots:
        large = rng.uniform(*SHEET_LARGE) * true.height / float(np.ptp(corners, axis=0).max())
        tilt = np.radians(rng.uniform(*SHEET_TILT_DEG)) * np.array([*_direction(rng), 0.0])
        turn = cv2.Rodrigues(tilt)[0] @ cv2.Rodrigues(np.array([0.0, 0.0, rng.uniform(0, 2 * np.pi)]))[0]
        ray = [
            (at[0] * true.width - true.k[0, 2]) / true.k[0, 0],
            (at[1] * true.height - true.k[1, 2]) / true.k[1, 1],
            1,
        ]
        place = np.array(ray) * float(true.k[0, 0]) / large - turn @ corners.mean(axis=0)
        px = cv2.projectPoints(corners, cv2.Rodrigues(turn)[0], place, true.k, true.dist)[0]
        inside = ((px >= 0) & (px < (true.width, true.height))).all(axis=(1, 2))
        noise = SHEET_CORNER_PX * rng.standard_normal(px.shape)
        world.append(corners[inside])
        seen.append(np.asarray(px + noise, np.float32)[inside])
    return solved_lens(world, seen, (true.width, true.height), len(spots))


def _direction(rng: np.random.Generator) -> tuple[float, float]:
    angle = rng.uniform(0, 2 * np.pi)
    return math.cos(angle), math.sin(angle)


def _grid(surface: float) -> F64:
    s = np.linspace(-REACH, REACH, GRID) * surface / 2
    return np.stack(np.meshgrid(s, s), -1).reshape(-1, 2)


def _map(found: Camera, true: Camera, surface: float, z: float) -> list[float]:
    """Returns the errors (mm) of the calibrated camera on a grid of places seen by the true one."""
    at = _grid(surface)
    return [round(float(v), 4) for v in np.linalg.norm(found.to_board(true.to_pixels(at, z), z) - at, axis=1)]


def _map_sigmas(profile: Profile, true: Camera, surface: float, z: float) -> list[float]:
    """Returns the errors along each axis in the profile's own standard deviations.

    Coins are placed at the height that the profile has for them, whose doubt its sigmas hold.
    """
    at, kind = _grid(surface), Kind.WHITE if z else None
    seen = profile.camera.to_board(true.to_pixels(at, z), profile.board.height(kind) if kind else 0.0)
    sigma = profile.sigmas(seen, kind)
    return [round(float(v), 3) for v in ((seen - at) / np.maximum(sigma, 1e-6)).ravel()]


def _height_sigma(profile: Profile) -> float | None:
    doubt = getattr(profile, "doubt", None)
    return None if doubt is None else float(doubt.height_sigma(profile.camera))


def _pieces(profile: Profile, picture: Picture, truth: dict[str, Any], true: Camera) -> dict[str, Any]:
    """Returns the errors of detected pieces, in mm, and along each axis in standard deviations."""
    discs = [d for d in truth.get("discs" if "image" in truth else "start", []) if d.get("where") == "board"
             and d.get("covered", 0) < 0.05]  # fmt: skip
    off, sigmas = [], []
    for kind, disc in find_pieces(picture, profile):
        near = min(discs, key=lambda d: math.hypot(d["x_mm"] - disc.x, d["y_mm"] - disc.y), default=None)
        if near is None or math.hypot(near["x_mm"] - disc.x, near["y_mm"] - disc.y) > SAME_MM:
            continue
        dx, dy = disc.x - near["x_mm"], disc.y - near["y_mm"]
        off.append(round(math.hypot(dx, dy), 4))
        s = (disc.sigma, disc.sigma)
        if hasattr(profile, "doubt"):
            own = profile.sigmas((disc.x, disc.y), kind)[0]
            s = (math.hypot(s[0], own[0]), math.hypot(s[1], own[1]))
        sigmas += [round(dx / s[0], 3), round(dy / s[1], 3)]
    return {"pieces": off, "z_pieces": sigmas, "wanted": len(discs)}


def _placements(profile: Profile, true: Camera, board: dict[str, Any], height: float,
                rng: np.random.Generator) -> list[list[Any]]:  # fmt: skip
    """Returns, for strikers drawn near the limits: true margin, verdict (true, false or none), measured margin and its
    sigma.
    """
    out: list[list[Any]] = []
    r, half = board["striker_radius"], board["surface_mm"] / 2
    rear = half - board["baseline_rear_distance"]
    while len(out) < PLACEMENTS:
        seat = list(Seat)[int(rng.integers(4))]
        x, y = rng.uniform(-board["base_circle_x"], board["base_circle_x"]), -(rear - board["baseline_gap"] / 2)
        x, y = x, y + rng.uniform(-8.0, 8.0)
        margin = true_margin(board, x, y)
        if abs(margin) > MARGIN_MM:
            continue
        at = np.array([from_side(seat, x, y)])
        px = true.to_pixels(at, height)
        sx, sy = profile.camera.to_board(px, profile.board.striker_height)[0] + RIM_MM * rng.standard_normal(2)
        told = judge_placement(profile, seat, float(sx), float(sy), r, RIM_MM)
        out.append([round(margin, 3), told.legal, round(told.margin_mm, 3), round(told.sigma_mm, 3)])
    return out


def true_margin(b: dict[str, Any], x: float, y: float) -> float:
    """Returns the distance (mm) of a striker at (x, y) in the player's frame to its nearest limit, positive
    when legal.
    """
    r, half = b["striker_radius"], b["surface_mm"] / 2
    rear = -half + b["baseline_rear_distance"]
    front = rear + b["baseline_gap"]
    middle = -half + b["base_circle_distance"] if "base_circle_distance" in b else (rear + front) / 2
    away = math.hypot(abs(x) - b["base_circle_x"], y - middle)
    first = half - b["pocket_inset"] - b["arrow_start"] / math.sqrt(2)
    s = min(max((abs(x) - y) / 2, first - b["arrow_length"] / math.sqrt(2)), first)
    return float(min(y + r - (front - b["front_line_thickness"] / 2), rear + b["rear_line_thickness"] / 2 - (y - r),
                     max(r - b["base_circle_radius"] - away, away - r - b["base_circle_radius"]),
                     math.hypot(abs(x) - s, y + s) - r - b["arrow_thickness"] / 2))  # fmt: skip


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Returns the figures of many worlds."""
    good = [r for r in rows if "refused" not in r]
    lines = [f"worlds {len(rows)}, calibrated {len(good)}, model unsure {sum(not r['sure'] for r in good)}"]
    for name in ("map0", "map_coin"):
        off = np.array([v for r in good for v in r[name]])
        worst = max(((float(np.percentile(r[name], 95)), r["name"]) for r in good), default=(0.0, ""))
        lines.append(f"{name:10} median {np.median(off):.2f}  p95 {np.percentile(off, 95):.2f} mm   worst {worst}")
    focal = np.abs([r["focal"] for r in good]) * 100
    high = np.abs([r["height"] for r in good]) * 100
    lines.append(f"focal off by median {np.median(focal):.1f} p95 {np.percentile(focal, 95):.1f} %, "
                 f"height {np.median(high):.1f} {np.percentile(high, 95):.1f} %")  # fmt: skip
    told = [r["height"] / r["height_sigma"] for r in good if r["height_sigma"]]
    lines.append(f"height by its sigma rms {_rms(told):.2f}" if told else "height: no sigma told")
    for name in ("z0", "z_coin", "z_pieces"):
        values = [v for r in good for v in r.get(name, [])]
        if values:
            lines.append(f"{name:10} error by sigma, each axis: rms {_rms(values):.2f}, "
                         f"{np.mean(np.abs(values) > 3) * 100:.1f} % beyond 3")  # fmt: skip
    pieces = [v for r in good for v in r.get("pieces", [])]
    if pieces:
        lines.append(f"pieces     median {np.median(pieces):.2f}  p99 {np.percentile(pieces, 99):.2f} mm, "
                     f"{len(pieces)} of {sum(r['wanted'] for r in good)}")  # fmt: skip
    drawn = [(p, r["name"]) for r in good for p in r["placements"]]
    wrong = [(p, n) for p, n in drawn if p[1] is not None and p[1] != (p[0] >= 0)]
    plain = [p for p, _ in drawn if abs(p[0]) >= PLAIN_MM]
    by_sigma = [(p[2] - p[0]) / p[3] for p, _ in drawn]
    median = np.median([p[3] for p, _ in drawn])
    lines.append(f"placements {len(drawn)}: wrong and sure {len(wrong)} (in {len({n for _, n in wrong})} worlds), "
                 f"of {PLAIN_MM} mm and more called {np.mean([p[1] is not None for p in plain]) * 100:.0f} %, "
                 f"margin by sigma rms {_rms(by_sigma):.2f}, median sigma {median:.2f}")  # fmt: skip
    lines += [f"  refused {r['name']}: {r['refused'][:150]}" for r in rows if "refused" in r]
    return "\n".join(lines)


def _rms(values: Sequence[float]) -> float:
    return float(np.sqrt(np.mean(np.square(values)))) if len(values) else math.nan


def _line(row: dict[str, Any]) -> str:
    if "refused" in row:
        return f"{row['name']}: refused: {row['refused'][:110]}"
    told = f" (sigma {100 * row['height_sigma']:.1f})" if row["height_sigma"] else ""
    k1, k2 = row["dist"][:2], row["found_dist"][:2]
    return (f"{row['name']}: {row['board']}, z=0 {np.median(row['map0']):.2f}/{np.percentile(row['map0'], 95):.2f}, "
            f"coin {np.median(row['map_coin']):.2f}/{np.percentile(row['map_coin'], 95):.2f}, "
            f"height {100 * row['height']:+.1f} %{told} of {row['true_height']:.0f}, tilt {row['tilt']:.1f}, "
            f"k true {k1[0]:.2f} {k1[1]:.2f} found {k2[0]:.2f} {k2[1]:.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
