"""Random worlds as different as real ones: boards, woods, strikers, lamps, cameras; each a pure function of its
seed.
"""

from __future__ import annotations

import colorsys
import math
from dataclasses import dataclass, replace

import numpy as np

from models.board import BoardModel, load_board
from models.pieces import FULL_SET, Kind, Piece, Seat
from referee.sim.physics import Sliding
from referee.sim.player import Skill
from referee.sim.script import MatchConditions
from referee.sim.sensor_noise import Exposure
from referee.sim.source import SimOptions
from referee.sim.trouble import TROUBLE_NOTHING, PassingShadow, PictureTrouble, Push, TroubleCourse
from referee.sim.viewpoint import Appearance, Bgr, Cloth, Glare, Mount, Print

Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class PictureMode:
    """A camera mode: picture size, frame rate and shutter."""

    width: int
    height: int
    fps: float
    readout_s: float
    """Readout time of a rolling shutter, s; 0 for a global one."""


VARIETY_MODES = (
    PictureMode(1456, 1088, 60.0, 0.0),
    PictureMode(1332, 990, 120.0, 0.0083),
    PictureMode(1536, 864, 120.0, 0.0083),
    PictureMode(1280, 720, 30.0, 0.015),
    PictureMode(1280, 720, 60.0, 0.011),
    PictureMode(728, 544, 60.0, 0.0),
    PictureMode(800, 600, 30.0, 0.015),
    PictureMode(640, 480, 30.0, 0.015),
    PictureMode(640, 480, 60.0, 0.008),
)
"""Modes of Raspberry Pi cameras and webcams."""
BOARDS = ("icf74", "icf74", "icf74", "icf74", "masters72", "carambole60")
LEAST_LEFT, VARIETY_MOST_LEFT = 2, 8
"""Coins of a colour on the board when a match is joined midway."""
LEAST_COLOUR_DIFFERENCE = 50.0
"""Least colour difference between white coins and the wood, levels (blue, green, red)."""
POINTS = (8, 8, 8, 12, 16)
"""Numbers of points of stars; most have eight."""
STROKE_S = 4.5
"""Assumed duration of a stroke, s. Disturbances fall into the first strokes."""
DISTURBANCES = ("lamp", "passer", "pushes", "lost", "focus")
"""Possible disturbances of a camera."""
FRAME_LOSSES = 6
"""Number of losses of a camera that loses frames."""
JOLT_S = 0.05
"""Duration of a jolt, s."""
VARIETY_EDGE_MM = 20.0
"""Least distance from a cushion of coins that do not touch it, mm."""


@dataclass(frozen=True, slots=True)
class WorldOdds:
    """Probabilities of features that most matches lack."""

    slips: float = 0.0
    """Share of strokes with an infringement by hand."""
    stars: float = 0.0
    """Share of boards with a star instead of petals."""
    troubles: float = 0.0
    """Share of worlds with a disturbance of the whole picture."""


VARIETY_NONE = WorldOdds()


def world(seed: int, strokes: int, odds: WorldOdds = VARIETY_NONE) -> SimOptions:
    """Returns the world of one seed, in which `strokes` strokes are played."""
    rng = np.random.default_rng([seed, 20260101])
    mode = VARIETY_MODES[int(rng.integers(len(VARIETY_MODES)))]
    board = varied_board(rng)
    seats = (Seat.SOUTH, Seat.NORTH) if rng.random() < 0.7 else (Seat.WEST, Seat.EAST)
    start = None if rng.random() < 0.6 else scattered(board, rng)
    skill = Skill(angle_rad=_between(rng, 0.003, 0.02), place_mm=_between(rng, 0.5, 1.5), careless=0.5)
    manner = MatchConditions(seats=seats, skill=skill, tempo=_between(rng, 0.7, 1.1), strokes=strokes, start=start,
                    slips=odds.slips)  # fmt: skip
    options = SimOptions(
        width=mode.width, height=mode.height, fps=mode.fps, seed=seed, board=board, manner=manner,
        sliding=varied_sliding(rng), mount=varied_mount(rng), appearance=varied_appearance(rng),
        exposure=varied_exposure(mode, rng), keep_scenes=True,
    )  # fmt: skip
    appearance = replace(options.appearance, edge_mm=_between(rng, 0.8, 2.4))
    options = replace(options, appearance=starred(appearance, rng) if _chance(rng, odds.stars) else appearance)
    trouble = varied_trouble(rng, strokes * STROKE_S, mode.height) if _chance(rng, odds.troubles) else options.trouble
    return replace(options, trouble=trouble)


def starred(appearance: Appearance, rng: Rng) -> Appearance:
    """Returns the appearance with a star as its ornament."""
    return replace(appearance, petals=0, points=int(rng.choice(POINTS)))


def _between(rng: Rng, low: float, high: float) -> float:
    return float(rng.uniform(low, high))


def _chance(rng: Rng, share: float) -> bool:
    return bool(rng.random() < share)


def varied_board(rng: Rng) -> BoardModel:
    """Returns a maker's board: its lengths differ from the book's by some millimetres."""
    book = load_board(str(rng.choice(BOARDS)))
    pocket = book.pocket_diameter + _between(rng, 0.0, 5.0)
    return replace(
        book, pocket_diameter=pocket, pocket_inset=pocket / 2,
        line_gap=book.line_gap + _between(rng, -2.5, 0.5), rear_line=book.rear_line + _between(rng, -2.0, 2.0),
        base_circle_x=book.base_circle_x + _between(rng, -1.5, 1.5),
        rear_line_thickness=_between(rng, 4.5, 6.5), front_line_thickness=_between(rng, 1.2, 2.5),
        base_disc_radius=book.base_circle_radius - _between(rng, 1.6, 4.5),
        arrow_length=book.arrow_length * _between(rng, 0.9, 1.02),
        frame_width=_between(rng, 50.0, 100.0), frame_height=_between(rng, 18.0, 25.0),
        striker_radius=_between(rng, 20.2, 20.65), coin_radius=_between(rng, 15.2, 15.9),
        coin_height=_between(rng, 7.0, 9.0),
    )  # fmt: skip


def varied_sliding(rng: Rng) -> Sliding:
    """Returns friction and restitution as powder, wood and humidity vary them."""
    return Sliding(
        _between(rng, 700.0, 1600.0), _between(rng, 0.82, 0.94), _between(rng, 0.55, 0.78), _between(rng, 0.88, 0.96)
    )


def varied_mount(rng: Rng) -> Mount:
    """Returns a camera on an arm, on a tripod or at the ceiling."""
    wide = _between(rng, 0.0, 1.0)
    return Mount(
        height_mm=1000.0 + 900.0 * (1 - wide), tilt_rad=abs(float(rng.normal(0, 0.06))),
        tilt_towards=_between(rng, -math.pi, math.pi), roll_rad=float(rng.normal(0, 0.04)),
        k1=-0.12 * wide * rng.random(), k2=0.03 * wide * rng.random(), fill=_between(rng, 0.84, 0.98),
    )  # fmt: skip


def varied_exposure(mode: PictureMode, rng: Rng) -> Exposure:
    """Returns light, shutter time, noise and brightness curve."""
    return Exposure(
        exposure_s=min(float(np.exp(rng.uniform(np.log(0.0008), np.log(0.009)))), 0.8 / mode.fps),
        gain=_between(rng, 0.75, 1.15), noise=float(np.exp(rng.uniform(np.log(0.8), np.log(4.0)))),
        flicker=_between(rng, 0.0, 0.04) if _chance(rng, 0.4) else 0.0, mains_hz=50.0 if _chance(rng, 0.6) else 60.0,
        readout_s=mode.readout_s, gamma=_between(rng, 0.85, 1.2), saturation=_between(rng, 0.65, 1.3),
        tint=(float(rng.normal(0, 3)), float(rng.normal(0, 3))),
        focus_px=_between(rng, 0.4, 1.1) * mode.height / 1088 if _chance(rng, 0.6) else 0.0,
    )  # fmt: skip


def varied_trouble(rng: Rng, seconds: float, height: int) -> PictureTrouble:
    """Returns one to three disturbances within `seconds`; blur scales with the picture's `height` (px)."""
    happens = set(rng.choice(DISTURBANCES, int(rng.integers(1, 4)), replace=False).tolist())
    lamp = _courses(rng, seconds) if "lamp" in happens else {}
    begins, takes = _between(rng, 1.0, seconds), _between(rng, 1.0, 3.5)
    passer = None
    if "passer" in happens:
        passer = PassingShadow(begins, takes, _between(rng, 0.15, 0.45), _between(rng, 0.25, 0.6))
    pushes = _pushes(rng, seconds) if "pushes" in happens else ()
    starts = [_between(rng, 1.0, seconds) for _ in range(FRAME_LOSSES)] if "lost" in happens else []
    runs = tuple((t, t + _between(rng, 0.01, 0.13)) for t in sorted(starts))
    start, lasts, soft = _between(rng, 1.0, seconds), _between(rng, 0.3, 3.0), _between(rng, 0.4, 1.4) * height / 1088
    unfocused = ((start, 0.0), (start + 0.15, soft), (start + 0.15 + lasts, soft), (start + 0.3 + lasts, 0.0))
    focus = TroubleCourse(unfocused) if "focus" in happens else TROUBLE_NOTHING
    return PictureTrouble(focus_px=focus, passer=passer, pushes=pushes, lost=runs, **lamp)


def _courses(rng: Rng, seconds: float) -> dict[str, TroubleCourse]:
    """Returns courses of a lamp switched or dimmed, and of the colours with it."""
    t, takes = _between(rng, 1.0, seconds), float(np.exp(rng.uniform(np.log(0.02), np.log(1.5))))
    lamp = TroubleCourse.step(1.0, float(np.exp(rng.uniform(np.log(0.6), np.log(1.45)))), t, takes)
    return {"lamp": lamp, "blue": TroubleCourse.step(0.0, float(rng.normal(0, 4)), t, takes),
            "red": TroubleCourse.step(0.0, float(rng.normal(0, 4)), t, takes)}  # fmt: skip


def _pushes(rng: Rng, seconds: float) -> tuple[Push, ...]:
    """Returns a jolt and the board's new place in the picture."""
    t, far, travel = _between(rng, 1.0, seconds), _between(rng, 2.0, 14.0), _between(rng, 0.0, math.tau)
    dx, dy, turn = far * math.cos(travel), far * math.sin(travel), float(rng.normal(0, 0.004))
    return Push(t, 1.4 * dx, 1.4 * dy, -turn), Push(t + JOLT_S, dx, dy, turn)


def varied_appearance(rng: Rng) -> Appearance:
    """Returns colours of woods, prints, coins, striker, hands and lamps."""
    wood = _hsv(rng, (24, 38), (0.25, 0.6), (0.6, 0.9))
    lamp = (float(rng.normal(0, 250)), float(rng.normal(0, 250)), _between(rng, 700.0, 1800.0))
    prints = Appearance(
        lines=_hsv(rng, (0, 360), (0.0, 0.4), (0.05, 0.22)), red=_hsv(rng, (350, 368), (0.65, 0.95), (0.5, 0.85)),
        grain=_between(rng, 0.02, 0.12), grain_across=_chance(rng, 0.5), worn=_between(rng, 0.0, 0.5),
        head_mm=(_between(rng, 8.0, 18.0), _between(rng, 3.0, 7.0)), has_arcs=_chance(rng, 0.8),
        petals=int(rng.choice((0, 0, 6, 8, 12))), petal=_hsv(rng, (0, 360), (0.2, 0.8), (0.3, 0.7)),
    )  # fmt: skip
    printed = list(Print)[int(rng.integers(len(Print)))]
    pieces = replace(
        prints, white=_white(rng, wood), black=_hsv(rng, (0, 360), (0.0, 0.35), (0.08, 0.22)),
        queen=_hsv(rng, (345, 362), (0.7, 0.95), (0.55, 0.9)), striker=_striker(rng), grooves=_grooves(rng),
        groove_shade=_between(rng, 0.7, 1.1), tone_spread=_between(rng, 0.0, 0.04),
        striker_print=printed, striker_ink=_hsv(rng, (0, 360), (0.2, 0.9), (0.2, 0.9)),
    )  # fmt: skip
    return replace(
        pieces, wood=wood, frame=_hsv(rng, (10, 30), (0.3, 0.8), (0.08, 0.5)),
        table=_hsv(rng, (0, 360), (0.0, 0.7), (0.1, 0.9)), cloth=list(Cloth)[int(rng.integers(len(Cloth)))],
        net=_hsv(rng, (0, 360), (0.0, 0.5), (0.05, 0.85)), nets_show=_chance(rng, 0.6),
        skin=_skin(rng), sleeves=(_sleeve(rng), _sleeve(rng)),
        lamp_mm=lamp, lamp_falloff_mm=_between(rng, 700.0, 1600.0), glares=_glares(rng, lamp),
        slope=(float(rng.normal(0, 0.25)), float(rng.normal(0, 0.25))), vignette=_between(rng, 0.0, 0.25),
        shadow=_between(rng, 0.2, 0.6), shadow_px=_between(rng, 0.8, 3.5),
    )  # fmt: skip


def _hsv(rng: Rng, hue: tuple[float, float], saturation: tuple[float, float], value: tuple[float, float]) -> Bgr:
    """Returns a colour from ranges of hue (degrees), saturation and value (shares)."""
    h, s, v = (_between(rng, *span) for span in (hue, saturation, value))
    r, g, b = colorsys.hsv_to_rgb(h / 360 % 1, s, v)
    return int(255 * b), int(255 * g), int(255 * r)


def _white(rng: Rng, wood: Bgr) -> Bgr:
    """Returns the colour of white coins: pale wood, ivory, yellow or brown, but distinct from the board's wood."""
    while True:
        brown = _chance(rng, 0.25)
        colour = (
            _hsv(rng, (20, 32), (0.45, 0.65), (0.45, 0.7)) if brown else _hsv(rng, (32, 50), (0.1, 0.45), (0.8, 0.98))
        )
        if math.dist(colour, wood) >= LEAST_COLOUR_DIFFERENCE:
            return colour


def _striker(rng: Rng) -> Bgr:
    if _chance(rng, 0.5):
        return _hsv(rng, (0, 360), (0.0, 0.2), (0.75, 0.95))
    return _hsv(rng, (0, 360), (0.3, 0.9), (0.35, 0.95))


def _skin(rng: Rng) -> Bgr:
    return _hsv(rng, (12, 28), (0.3, 0.6), (0.3, 0.95))


def _sleeve(rng: Rng) -> Bgr:
    """Returns the colour of a sleeve, or of a bare arm."""
    return _skin(rng) if _chance(rng, 0.3) else _hsv(rng, (0, 360), (0.0, 0.8), (0.08, 0.9))


def _grooves(rng: Rng) -> tuple[tuple[float, float], ...]:
    outer, inner = _between(rng, 0.72, 0.9), _between(rng, 0.3, 0.5)
    rings = ((outer, outer - 0.08), (inner, inner - 0.1))
    return rings[: int(rng.integers(0, 3))]


def _glares(rng: Rng, lamp: tuple[float, float, float]) -> tuple[Glare, ...]:
    """Returns the lamp's reflection half-way between its foot and the camera's, and perhaps a second one."""
    out = []
    if _chance(rng, 0.45):
        out.append(Glare(lamp[0] * 0.5, lamp[1] * 0.5, _between(rng, 25.0, 120.0), _between(rng, 10.0, 70.0)))
    if _chance(rng, 0.2):
        x, y = _between(rng, -300.0, 300.0), _between(rng, -300.0, 300.0)
        out.append(Glare(x, y, _between(rng, 20.0, 60.0), _between(rng, 10.0, 60.0)))
    return tuple(out)


def scattered(board: BoardModel, rng: Rng) -> tuple[Piece, ...]:
    """Returns coins as they lie midway through a board: some against cushions, some in contact with each other."""
    wanted = [k for k in (Kind.WHITE, Kind.BLACK) for _ in range(int(rng.integers(LEAST_LEFT, VARIETY_MOST_LEFT + 1)))]
    wanted += [Kind.QUEEN] * int(rng.random() < 0.7)
    lying: list[Piece] = []
    for kind in wanted[: sum(FULL_SET.values())]:
        lying.append(Piece(kind, *_spot(board, lying, rng)))
    return tuple(lying)


def _spot(board: BoardModel, lying: list[Piece], rng: Rng) -> tuple[float, float]:
    """Returns a free place off the pockets; now and then right against a cushion or another coin."""
    wall, inset = board.half - board.coin_radius, board.half - board.pocket_inset
    while True:
        x, y = (float(v) for v in rng.uniform(-wall + VARIETY_EDGE_MM, wall - VARIETY_EDGE_MM, 2))
        if _chance(rng, 0.15):
            x = math.copysign(wall, x)
        elif lying and _chance(rng, 0.2):
            near, turn = lying[int(rng.integers(len(lying)))], _between(rng, 0.0, math.tau)
            reach = 2 * board.coin_radius + 0.02
            x, y = near.x_mm + reach * math.cos(turn), near.y_mm + reach * math.sin(turn)
        off_pocket = math.hypot(abs(x) - inset, abs(y) - inset) > board.pocket_diameter / 2 + 2.0
        free = all(math.dist((x, y), (p.x_mm, p.y_mm)) >= 2 * board.coin_radius + 0.01 for p in lying)
        if off_pocket and free and max(abs(x), abs(y)) <= wall:
            return x, y
