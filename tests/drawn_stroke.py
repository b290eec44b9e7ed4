"""Draws a stroke with known truth in many kinds of trouble: a hand places the striker, a coin is struck, all come to
rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Sequence
from functools import cache

import numpy as np
import pytest
from sim_scenes import SCATTERED, SIZE, Studio, hand_over
from watching import facts_of

from calibration.geometry.picture import Picture
from models.pieces import Kind, Piece, Seat
from referee.facts import Alert, AlertKind, Fact, Returned, Stroke, Table
from referee.frames.frame import Frame
from referee.sim.scene import HandPose
from referee.sim.sensor_noise import Exposure, Sensor
from referee.sim.trouble import PictureTrouble

FPS = 30
PLACED_S, STRUCK_S, HIT_S, REST_S, END_S = 0.4, 1.2, 1.5, 2.1, 2.9
HOME, GOAL = (0.0, 60.0), (-30.0, 255.0)
"""Positions of the coin before and after the stroke."""
STOOD, STRUCK_FROM = (0.0, -252.6), (0.0, 29.0)
"""Positions of the striker before and after the stroke."""
OTHERS = SCATTERED[:2] + SCATTERED[3:5]
CALM, PLAIN = PictureTrouble(), Exposure()
Painted = Callable[[Picture, float], Picture]
"""Changes a picture at a time by adding something to it."""


def slid(start: tuple[float, float], end: tuple[float, float], part: float) -> tuple[float, float]:
    """Returns the position of a disc after part of the time in which it slides and slows down evenly."""
    part = min(max(part, 0.0), 1.0)
    share = part * (2.0 - part)
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])


@cache
def quiet() -> Studio:
    """Returns a camera without noise."""
    return Studio(noise=0.0)


@cache
def drawn(i: int, at: Studio, company: Sequence[HandPose] = ()) -> Picture:
    """Returns frame `i` of the stroke, with more hands than the player's."""
    t = i / FPS
    striker = slid(STOOD, STRUCK_FROM, (t - STRUCK_S) / (HIT_S - STRUCK_S))
    coin = slid(HOME, GOAL, (t - HIT_S) / (REST_S - HIT_S))
    hands = [hand_over(Seat.SOUTH, 0.0, -275.0 - 15 * max(0.0, 0.6 - t))] if 0.3 < t < STRUCK_S + 0.4 else []
    placed = (Piece(Kind.STRIKER, *striker),) if t > PLACED_S else ()
    return at.picture((*OTHERS, *placed, Piece(Kind.BLACK, *coin)), (*hands, *company))


def seen(clean: Sequence[Picture], trouble: PictureTrouble = CALM, exposure: Exposure = PLAIN,
         lost: Container[int] = ()) -> list[Fact]:  # fmt: skip
    """Returns the facts from pictures without noise, filmed in trouble, with frames lost."""
    sensor = Sensor(*SIZE, exposure, np.random.default_rng(5), trouble)
    taken = (sensor.expose(p.y.copy(), p.u.copy(), p.v.copy(), i / FPS, i) for i, p in enumerate(clean))
    frames = [Frame(p, i / FPS, i, 0.0) for i, p in enumerate(taken) if i not in lost]
    return facts_of(quiet().profile, frames)


def played(painted: Painted | None = None, at: Studio | None = None, company: Sequence[HandPose] = ()) -> list[Picture]:
    """Returns the stroke's pictures."""
    plain = [drawn(i, at or quiet(), tuple(company)) for i in range(round(END_S * FPS))]
    return plain if painted is None else [painted(p, i / FPS) for i, p in enumerate(plain)]


def alerts(facts: list[Fact], kind: AlertKind) -> list[float]:
    return [f.t for f in facts if isinstance(f, Alert) and f.kind is kind]


def assert_right(facts: list[Fact], struck_within_s: float = 0.12) -> None:
    """Asserts that there is one stroke, called correctly, with every piece in its place."""
    (stroke,) = [f for f in facts if isinstance(f, Stroke)]
    assert (stroke.seat, stroke.pocketed, stroke.off_board) == (Seat.SOUTH, (), ())
    assert stroke.first_contact is Kind.BLACK
    assert stroke.t_strike == pytest.approx(STRUCK_S, abs=struck_within_s)
    assert stroke.t_rest == pytest.approx(REST_S, abs=0.25)
    assert stroke.placement is not None
    assert math.dist((stroke.placement.x_mm, stroke.placement.y_mm), STOOD) < 1.0
    assert not [f for f in facts if isinstance(f, Returned)]
    table = [f for f in facts if isinstance(f, Table)][-1]
    true = (*OTHERS, Piece(Kind.BLACK, *GOAL), Piece(Kind.STRIKER, *STRUCK_FROM))
    assert len(table.pieces) == len(true)
    for p in true:
        assert min(math.dist((p.x_mm, p.y_mm), (q.x_mm, q.y_mm)) for q in table.pieces if q.kind is p.kind) < 1.0
