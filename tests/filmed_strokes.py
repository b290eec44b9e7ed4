"""Strokes filmed from scripts in which it is hard to tell what fell; run it to record anew what is observed of them.

    cd tests && python filmed_strokes.py recorded/films.jsonl

`test_filmed_strokes.py` explains what was recorded, so that no test draws these films.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from film import STRUCK_S, Film
from sim_scenes import BOARD, LOOK, TOUCHING_MM, Studio

from calibration.geometry.picture import Picture, picture_from_bgr
from models.pieces import Kind, Piece, Pocket, Seat
from referee.outcome.observation import Observation
from referee.outcome.observation_lines import to_line
from referee.sim.scene import Scene
from referee.sim.stage import STAGE_STRIKER, pocket_centre
from referee.strokes.observe import Called

HOLE = pocket_centre(BOARD, Pocket.NE)
Y = -BOARD.base_y
"""Where strikers stand, between the lines."""
OTHERS = (Piece(Kind.WHITE, -180.0, 140.0), Piece(Kind.BLACK, -210.0, -90.0), Piece(Kind.QUEEN, 0.0, 0.0),
          Piece(Kind.WHITE, -90.0, 220.0))  # fmt: skip
BROWN = replace(LOOK, wood=(84, 128, 166), white=(58, 92, 128))
"""A board of brown wood whose "white" coins are a darker brown."""


@dataclass(frozen=True)
class Filmed:
    """A film, and what fell into the north-eastern pocket in it."""

    film: Callable[[], Film]
    fell: tuple[Kind, ...] = ()
    seconds: float = 4.5


def beyond(start: tuple[float, float], end: tuple[float, float], mm: float) -> tuple[float, float]:
    """The point `mm` past `end` on the line from `start`."""
    reach = math.dist(start, end)
    return end[0] + (end[0] - start[0]) * mm / reach, end[1] + (end[1] - start[1]) * mm / reach


def ghost(coin: Piece, goal: tuple[float, float]) -> tuple[float, float]:
    """Where the striker must meet the coin for it to go to the goal."""
    return beyond(goal, (coin.x_mm, coin.y_mm), BOARD.coin_radius + BOARD.striker_radius)


def struck(coin: Piece, x: float, speed: float, *others: Piece, fps: float = 30.0, at: Studio | None = None) -> Film:
    """A coin sent to the north-eastern pocket."""
    film = Film([*(others or OTHERS), coin], fps=fps, at=at)
    film.stroke(x, Y, ghost(coin, HOLE), speed)
    return film


def hand_beside_a_pocket() -> Film:
    """North's hand comes down beside NE during the stroke, stays over the coin there, and leaves."""
    coin = Piece(Kind.BLACK, HOLE[0] - 45.0, HOLE[1] - 30.0)
    film = Film([*OTHERS, coin])
    film.stroke(-40.0, Y, (-90.0, 220.0), 900.0)
    hand = film.hand(Seat.NORTH)
    film.then(1.0, lambda: hand.move(1.0, 0.5, hand.over(coin.x_mm, coin.y_mm - 20.0, TOUCHING_MM)))
    film.then(3.2, lambda: hand.move(3.2, 0.4, hand.away()))
    return film


def nets_that_show() -> Film:
    """Coins lie in the nets before."""
    film = struck(Piece(Kind.BLACK, 250.0, 250.0), 60.0, 1300.0)
    for disc in (3, 4, 12):
        film.stage.drop(disc)
    return film


def striker_in_the_mouth() -> Film:
    """It stops before it comes over the hole."""
    film = Film(OTHERS)
    rests = beyond((0.0, 0.0), HOLE, -BOARD.pocket_diameter / 2 - 3.0)
    film.stroke(100.0, Y, HOLE, 900.0)

    def rolls(t: float) -> tuple[float, float, float]:
        part = min(max((t - STRUCK_S) / 0.9, 0.0), 1.0)
        share = part * (2.0 - part)
        return 100.0 + share * (rests[0] - 100.0), Y + share * (rests[1] - Y), 0.0

    film.goes(STAGE_STRIKER, STRUCK_S, rolls)
    return film


def next_hand() -> Film:
    """A coin still rolls to its pocket as north reaches over the board."""
    film = struck(Piece(Kind.WHITE, 150.0, 150.0), 70.0, 1150.0)
    hand = film.hand(Seat.NORTH)
    film.then(1.9, lambda: hand.move(1.9, 0.5, hand.over(-200.0, 200.0, TOUCHING_MM)))
    film.then(3.4, lambda: hand.move(3.4, 0.4, hand.away()))
    return film


def striker_gone(speed: float, by_hand: bool) -> Film:
    """It is found nowhere after the stroke: a hand took it, or it just vanished (simulated world 1084)."""
    coin = Piece(Kind.WHITE, 20.0, -40.0)
    film = Film([*(OTHERS if speed > 1000.0 else OTHERS[:3]), coin])
    film.stroke(20.0, Y, (coin.x_mm, coin.y_mm), speed)
    if by_hand:
        film.fetch(STAGE_STRIKER, 2.2, Seat.NORTH)
    else:
        film.then(2.2, lambda: film.stage.pocket_away(STAGE_STRIKER))
    return film


class OnEdge(Studio):
    """From the moment of a stroke a white coin stands on its edge at `at_mm`."""

    at_mm, heading = (120.0, -40.0), 0.6

    def shot(self, scene: Scene, grain: int = 0) -> Picture:
        picture = super().shot(scene, grain)
        if scene.t < STRUCK_S + 0.6:
            return picture
        image = picture.bgr()
        cv2.fillConvexPoly(image, self._outline(), (150, 196, 214), cv2.LINE_AA, 4)
        return picture_from_bgr(image)

    def _outline(self) -> np.ndarray:
        """A coin's edge, as thick as a coin is high and as tall as it is wide."""
        along = np.array([math.cos(self.heading), math.sin(self.heading)])
        across = np.array([-along[1], along[0]]) * BOARD.coin_height / 2
        turn = np.linspace(0.0, 2 * math.pi, 48, endpoint=False)
        rim = np.array(self.at_mm) + BOARD.coin_radius * np.cos(turn)[:, None] * along
        points = np.concatenate([rim - across, rim + across])
        px = self.camera.to_pixels(points, np.tile(BOARD.coin_radius * (1 + np.sin(turn)), 2))
        return np.asarray(np.rint(cv2.convexHull(px.astype(np.float32)) * 16), np.int32)


def on_edge() -> Film:
    coin = Piece(Kind.WHITE, 120.0, -40.0)
    film = Film([*OTHERS, coin], at=OnEdge())
    film.stroke(100.0, Y, (coin.x_mm, coin.y_mm), 900.0)
    film.goes(film.disc(coin), STRUCK_S + 0.6, lambda t: (400.0, 400.0, -200.0))
    return film


def upon_another(upper: Kind, apart: float) -> Film:
    """A coin climbs on a black one and stays there."""
    under, coin = Piece(Kind.BLACK, 90.0, 60.0), Piece(upper, 20.0, -40.0)
    film = Film([*OTHERS, under, coin])
    film.stroke(20.0, Y, (20.0, -40.0), 900.0)
    film.goes(film.disc(under), 0.0, lambda t: (under.x_mm, under.y_mm, 0.0))

    def climbs(t: float) -> tuple[float, float, float]:
        part = min(max((t - STRUCK_S - 0.15) / 0.5, 0.0), 1.0)
        end = under.x_mm - apart, under.y_mm - 4.0
        x, y = coin.x_mm + part * (end[0] - coin.x_mm), coin.y_mm + part * (end[1] - coin.y_mm)
        return x, y, BOARD.coin_height if part > 0.7 else 0.0

    film.goes(film.disc(coin), STRUCK_S, climbs)
    return film


BEFORE = Piece(Kind.WHITE, HOLE[0] - 120.0, HOLE[1] - 120.0)
"""A coin a hand's breadth before the pocket."""
FILMS = {
    "a hand over a coin beside a pocket": Filmed(hand_beside_a_pocket, (), 4.8),
    "coins that show in the nets": Filmed(nets_that_show, (Kind.BLACK,)),
    "a coin seen in one frame, 30 fps": Filmed(lambda: struck(BEFORE, 100.0, 6000.0), (Kind.WHITE,)),
    "a coin seen in one frame, 60 fps": Filmed(lambda: struck(BEFORE, 100.0, 6000.0, fps=60.0), (Kind.WHITE,)),
    "a hard stroke at 30 fps": Filmed(lambda: struck(BEFORE, 100.0, 3000.0), (Kind.WHITE,)),
    "a striker in a pocket's mouth": Filmed(striker_in_the_mouth),
    "the next hand comes early": Filmed(next_hand, (Kind.WHITE,), 5.0),
    "the striker is picked up early": Filmed(lambda: striker_gone(1300.0, by_hand=True), (), 5.0),
    "the striker is taken": Filmed(lambda: striker_gone(900.0, by_hand=True)),
    "the striker vanishes": Filmed(lambda: striker_gone(900.0, by_hand=False)),
    "a coin on its edge": Filmed(on_edge),
    **{f"a {upper} coin upon another, {apart:.0f} mm aside": Filmed(lambda u=upper, a=apart: upon_another(u, a))
       for upper in (Kind.WHITE, Kind.BLACK) for apart in (9.0, 20.0)},
    "a brown white coin": Filmed(
        lambda: struck(Piece(Kind.WHITE, 200.0, 200.0), 60.0, 1500.0, at=Studio(look=BROWN)), (Kind.WHITE,)
    ),
}  # fmt: skip


def recorded(name: str) -> list[str]:
    """The census of a film after which its stroke was called, as a line."""
    lines: list[str] = []

    def observe(o: Observation, called: Called) -> None:
        if called.is_over:
            fell = [kind.value for kind in FILMS[name].fell]
            lines.append(to_line(o, source=name, fell=fell))

    FILMS[name].film().facts(FILMS[name].seconds, observe)
    return lines


if __name__ == "__main__":
    Path(sys.argv[1]).write_text("".join(line + "\n" for name in FILMS for line in recorded(name)), encoding="utf-8")
