"""Samples patches around discs with their true offsets, for the network of `referee.pieces.disc_place`.

    python place_sample.py OUT.npz drawn FIRST LAST [PALE]                   drawn scenes of these seeds
    PYTHONPATH=../../tests python place_sample.py OUT.npz simulated SEED N   the simulator's boards in random looks
    python place_sample.py OUT.npz stills TRUTH.json...                      rendered pictures, by their true camera
    python place_sample.py OUT.npz drawn-circles FIRST LAST [PALE]           what the search finds, disc or not
    python place_sample.py OUT.npz still-circles TRUTH.json...               the same, calibrated as by the program

PALE: share of discs' styles near the wood's colour beside those that are so anyway. A disc is sought beside its place,
with a height and a radius that are some percent off, as calibrations are. A pure function of the seeds.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from canvas import FINE, WINDOW, Scene
from draw import draw
from sample import NOTHING, UNKNOWN, find_circles, label_at, lattice_of
from stills import label_of, true_discs

from calibration.calibrate import calibrate
from calibration.geometry.camera import Camera
from calibration.geometry.picture import Picture, picture_from_bgr
from models.board import load_board
from models.pieces import Kind, Piece
from referee.frames.folder import read_image
from referee.pieces.disc_place import OFFSET_UNIT, eye_directions, place_patches, turned_left
from referee.pieces.scan import View
from referee.sim.viewpoint import Mount

WIDE, NEAR = 0.12, 0.025
"""Standard deviation of a start on each axis, in radii: as the search leaves it, and in the second round."""
HEIGHT_SPREAD, COIN_SPREAD, STRIKER_SPREAD = 0.03, 0.03, 0.05
"""Relative standard deviations of the assumed height and radius."""
HIDDEN = 0.4
"""Share of a disc under a hand from which it is not learned from."""
DRAWN_HEIGHT_MM, DRAWN_EYE_MM, FIRST_PX = 8.0, 1e5, 0.5 / FINE - 0.5
"""Heights of a drawn disc's top and of the lens, mm; and the pixel of the window's first mm."""
SIZES = ((728, 544), (640, 480), (1280, 720), (1456, 1088))
FREE = {Kind.QUEEN: 1, Kind.STRIKER: 1, Kind.WHITE: 9, Kind.BLACK: 9}
BOARD = load_board()


@dataclass(frozen=True)
class TrueDisc:
    """A disc that shows: centre of its top face and radius, mm."""

    x: float
    y: float
    radius: float
    height: float
    is_striker: bool


Shown = tuple[Picture, Camera, list[TrueDisc]]
Samples = tuple[np.ndarray, np.ndarray]
"""Patches (n, 4, side, side), and what the network should answer (n, 4): offset along and across, growth, and whether a
disc is there. Where no offset is known it is not a number."""


def sample(shown: Shown, rng: np.random.Generator, starts: int) -> Samples:
    """Returns samples of each disc of a picture, sought from some starts."""
    picture, camera, discs = shown
    rows = np.repeat([(d.x, d.y, d.radius, d.height, d.is_striker) for d in discs], starts, 0)
    n = len(rows)
    heights = rows[:, 3] * np.exp(rng.normal(0, HEIGHT_SPREAD, n))
    px = camera.to_pixels(rows[:, :2], rows[:, 3])
    centres = np.array([camera.to_board(at[None], h)[0] for at, h in zip(px, heights, strict=True)])
    radii = rows[:, 2] * np.exp(rng.normal(0, np.where(rows[:, 4] > 0, STRIKER_SPREAD, COIN_SPREAD), n))
    spread = np.where(rng.random(n) < 0.5, WIDE, NEAR) * radii
    sought = centres + rng.normal(0, 1, (n, 2)) * spread[:, None]
    towards, off = eye_directions(camera, sought), (centres - sought) / radii[:, None] / OFFSET_UNIT
    growth = (rows[:, 2] / radii - 1) / OFFSET_UNIT
    answer = np.stack([(off * towards).sum(1), (off * turned_left(towards)).sum(1), growth, np.ones(n)], 1)
    return place_patches(picture, camera, sought, radii, heights).astype(np.float16), answer.astype(np.float32)


def circle_samples(picture: Picture, camera: Camera, circles: list[tuple[float, float, float, float, bool]],
                   rng: np.random.Generator) -> Samples:  # fmt: skip
    """Returns samples of circles: centre, radius, height, and whether a disc is there. Where nothing is, a disc would
    lie anywhere near.
    """
    rows = np.array(circles, np.float64)
    answer = np.full((len(rows), 4), np.nan)
    answer[:, 3], bare = rows[:, 4], rows[:, 4] == 0
    answer[bare, :2] = rng.normal(0, WIDE / OFFSET_UNIT, (bare.sum(), 2))
    answer[bare, 2] = 0
    x = place_patches(picture, camera, rows[:, :2], rows[:, 2], rows[:, 3])
    return x.astype(np.float16), answer.astype(np.float32)


def drawn(seed: int, pale: float) -> Shown:
    """Returns a drawn scene with the discs that show."""
    scene = draw(np.random.default_rng([50, seed]), pale)
    discs = [
        TrueDisc(d.x, -d.y, d.radius, DRAWN_HEIGHT_MM, d.is_striker)
        for d in scene.discs
        if d.covered < HIDDEN and d.radius / 2 < min(d.x, d.y) and max(d.x, d.y) < WINDOW - d.radius / 2
    ]
    return *window(scene), discs


def window(scene: Scene) -> tuple[Picture, Camera]:
    """Returns a drawn scene under a camera straight above that shows one mm a pixel and discs' feet where they are."""
    even = WINDOW // 2 * 2
    y, *chroma = (plane[:even, :even] for plane in scene.yuv)
    halves = (cv2.resize(p, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA) for p in chroma)
    # The window's rows run down, the board's y runs up.
    eye = (WINDOW / 2 + np.array(scene.foot) * DRAWN_EYE_MM / DRAWN_HEIGHT_MM) * (1, -1)
    focal = DRAWN_EYE_MM - DRAWN_HEIGHT_MM
    k = [[focal, 0, eye[0] + FIRST_PX], [0, focal, FIRST_PX - eye[1]], [0, 0, 1]]
    turn = np.diag([1.0, -1.0, -1.0])
    camera = Camera.of(even, even, k, [0.0] * 5, turn, -turn @ (*eye, DRAWN_EYE_MM))
    return Picture(np.ascontiguousarray(y), *halves), camera


def drawn_circles(seed: int, pale: float) -> Samples | None:
    """Returns samples of the circles that the search finds in a drawn scene."""
    rng = np.random.default_rng([50, seed])
    scene = draw(rng, pale)
    circles = []
    for ring in find_circles(scene, lattice_of(WINDOW), scene.coin * rng.uniform(0.97, 1.03)):
        x, y = ring.x + (WINDOW - 1) / 2 - FIRST_PX, (WINDOW - 1) / 2 - ring.y - FIRST_PX
        label = label_at(x, y, scene)
        inside = min(x, y) > 8 and max(x, y) < WINDOW - 8
        if label != UNKNOWN and inside and not scene.holes[round(y), round(x)]:
            circles.append((x, -y, ring.radius, DRAWN_HEIGHT_MM, label != NOTHING))
    return circle_samples(*window(scene), circles, rng) if circles else None


def still_circles(path: Path) -> Samples | None:
    """Returns samples of the circles that the search finds in a rendered picture."""
    truth = json.loads(path.read_text(encoding="utf-8"))
    picture = picture_from_bgr(read_image(path.parent / truth["image"]))
    view, circles = View(picture, calibrate([picture])), []
    board, camera = view.profile.board, view.profile.camera
    for ring in (*view.coins, *view.large):
        label = label_of(camera.to_pixels([(ring.x, ring.y)], board.coin_height)[0], true_discs(truth))
        if label != UNKNOWN:
            circles.append((ring.x, ring.y, ring.radius, *view.top_heights([ring]), label != NOTHING))
    rng = np.random.default_rng([54, int(truth["camera"]["K"][0][0])])
    return circle_samples(picture, camera, circles, rng) if circles else None


def still(path: Path) -> Shown:
    """Returns a rendered picture with truth."""
    truth = json.loads(path.read_text(encoding="utf-8"))
    c, board = truth["camera"], truth["board"]
    camera = Camera.of(c["width"], c["height"], c["K"], c["dist_k1k2p1p2k3"], c["R_board_to_camera"], c["t_mm"])
    discs = [
        TrueDisc(d["x_mm"], d["y_mm"], d["radius_mm"], board[f"{size}_height"], size == "striker")
        for d in truth["discs"]
        if d.get("where", "board") == "board" and d.get("covered", 0) < HIDDEN
        for size in ("striker" if d["kind"] == "striker" else "coin",)
    ]
    return picture_from_bgr(read_image(path.parent / truth["image"])), camera, discs


def simulated(rng: np.random.Generator) -> Shown:
    """Returns a simulated board in a random look under a random camera."""
    from middles import draw_appearance
    from sim_scenes import Studio

    look, size = draw_appearance(rng), SIZES[int(rng.integers(len(SIZES)))]
    mount = Mount(
        height_mm=rng.uniform(750, 1900),
        tilt_rad=rng.choice((rng.uniform(0, 0.05), rng.uniform(0.05, 0.26))),
        tilt_towards=rng.uniform(-math.pi, math.pi),
        roll_rad=rng.normal(0, 0.05),
        k1=rng.uniform(-0.3, 0.02),
        k2=rng.uniform(0, 0.08),
    )
    at = Studio(*size, noise=rng.uniform(0.5, 4), seed=int(rng.integers(10**6)), look=look, mount=mount)
    pieces = _draw_pieces(rng)
    discs = [
        TrueDisc(p.x_mm, p.y_mm, BOARD.radius(p.kind), BOARD.height(p.kind), p.kind is Kind.STRIKER) for p in pieces
    ]
    return at.picture(pieces), at.camera, discs


def _draw_pieces(rng: np.random.Generator) -> list[Piece]:
    """Returns pieces at rest: anywhere, at cushions, on the base lines, touching one another."""
    kinds = [kind for kind, n in FREE.items() for _ in range(n)][: int(rng.integers(8, 20))]
    pieces = list[Piece]()
    for kind in kinds:
        places = (_draw_place(kind, pieces, rng) for _ in range(30))
        pieces += [Piece(kind, *at) for at in places if _is_free(kind, at, pieces)][:1]
    return pieces


def _draw_place(kind: Kind, pieces: list[Piece], rng: np.random.Generator) -> tuple[float, float]:
    reach = BOARD.half - BOARD.radius(kind)
    x, y = rng.uniform(-reach, reach, 2)
    if rng.random() < 0.15:
        x = np.sign(x) * (reach - rng.exponential(0.3))
    if kind is Kind.STRIKER and rng.random() < 0.5:
        x, y = np.clip(x, -BOARD.base_circle_x, BOARD.base_circle_x), np.sign(y) * BOARD.base_y
    if pieces and rng.random() < 0.25:
        beside, turn = pieces[int(rng.integers(len(pieces)))], rng.uniform(0, math.tau)
        away = 1.003 * (BOARD.radius(kind) + BOARD.radius(beside.kind))
        x, y = beside.x_mm + away * math.cos(turn), beside.y_mm + away * math.sin(turn)
    return float(x), float(y)


def _is_free(kind: Kind, at: tuple[float, float], pieces: list[Piece]) -> bool:
    inset, radius = BOARD.half - BOARD.pocket_inset, BOARD.radius(kind)
    off_pocket = math.dist(np.abs(at), (inset, inset)) > BOARD.pocket_diameter / 2 + 2
    apart = all(math.dist(at, (p.x_mm, p.y_mm)) > radius + BOARD.radius(p.kind) for p in pieces)
    return max(map(abs, at)) <= BOARD.half - radius and off_pocket and apart


def samples(what: str, rest: list[str]) -> Iterator[Samples | None]:
    """Yields the samples of each picture, None where it has none."""
    if what.startswith("drawn"):
        seeds, pale = range(int(rest[0]), int(rest[1])), float(rest[2]) if rest[2:] else 0.0
    match what:
        case "drawn":
            yield from (_of_discs(drawn(seed, pale), [51, seed], 3) for seed in seeds)
        case "simulated":
            for i in range(int(rest[1])):
                rng = np.random.default_rng([int(rest[0]), i])
                yield _of_discs(simulated(rng), [52, int(rest[0]), i], 4)
        case "stills":
            yield from (_of_discs(still(Path(path)), [53, i], 8) for i, path in enumerate(rest))
        case "drawn-circles":
            yield from (drawn_circles(seed, pale) for seed in seeds)
        case "still-circles":
            yield from (still_circles(Path(path)) for path in rest)
        case _:
            raise SystemExit(f"{what} is none of drawn, simulated, stills, drawn-circles, still-circles.")


def _of_discs(shown: Shown, seed: list[int], starts: int) -> Samples | None:
    return sample(shown, np.random.default_rng(seed), starts) if shown[2] else None


def main() -> None:
    out, what, *rest = sys.argv[1:]
    x, y = zip(*filter(None, samples(what, rest)), strict=True)
    np.savez(out, x=np.concatenate(x), y=np.concatenate(y))


if __name__ == "__main__":
    main()
