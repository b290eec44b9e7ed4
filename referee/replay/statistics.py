"""Statistics of players over the strokes of one match or of many; every number fits into a table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from models.pieces import Pocket, Seat, to_side
from referee.replay.stroke_figures import Point, StrokeFigures

LEFT, RIGHT = -60.0, 60.0
"""Bounds of the middle of the base line, in mm from its centre along the line."""


NEAR_MM = (150.0, 300.0, 450.0)
"""Ends of the intervals of distance, mm; the last interval is open. A board is 740 mm wide."""
AIMED_RAD = (math.radians(15), math.radians(30), math.radians(45))
"""Ends of the intervals of direction to either side, rad; the last interval is open."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Number of strokes of one kind, and how many of them succeeded."""

    strokes: int
    made: int
    """Strokes that pocketed an own coin."""


@dataclass(frozen=True, slots=True)
class PlayerStatistics:
    """Statistics of one player; None where no stroke gives a value."""

    player: str
    strokes: int
    pocketing: int
    """Strokes that pocketed at least one own coin."""
    coins: int
    """Coins pocketed, the queen included."""
    boards: int
    """Boards in which he played."""
    breaks: int
    breaks_pocketing: int
    """Breaks that pocketed a coin."""
    fouls: Mapping[str, int]
    """How often each foul was ruled."""
    uncertain: int
    """Strokes whose ruling is not certain; they count as ruled."""
    speed_mm_s: float | None
    """Median speed of the striker after the strike."""
    fastest_mm_s: float | None
    speeds: int
    """Strokes whose speed was measured."""
    placed: Mapping[str, int]
    """How often the striker was placed "left", "middle" and "right" as the player sees it."""
    places: tuple[Point, ...]
    """Places of the striker, mm, the player's side at negative y."""
    shots: tuple[tuple[Point, ...], ...]
    """Paths of the striker, mm, the player's side at negative y."""
    made: tuple[bool, ...]
    """For each of these paths, whether an own coin was pocketed."""
    speed_list: tuple[float, ...]
    """Every speed that was measured, mm/s."""
    queens: int
    """Number of strokes that pocketed the queen."""
    queens_covered: int
    """Number of strokes that covered her."""
    near: tuple[Tally, ...]
    """Tallies by the straight distance to the first contact, one an interval of `NEAR_MM`."""
    aimed: tuple[Tally, ...]
    """Tallies by the direction of the stroke, one an interval of `AIMED_RAD`."""
    pockets: Mapping[str, int]
    """Number of coins by pocket, as the player sees them from his side: SW at his left hand."""
    time_s: float | None
    """Median time from the rest of the stroke before to the strike."""
    longest_s: float | None
    total_s: float
    """Sum of these times."""

    @property
    def pocketing_rate(self) -> float | None:
        """Share of the strokes that pocketed an own coin."""
        return self.pocketing / self.strokes if self.strokes else None

    @property
    def strokes_per_board(self) -> float | None:
        return self.strokes / self.boards if self.boards else None


def _tallies(strokes: list[tuple[float, bool]], ends: tuple[float, ...]) -> tuple[Tally, ...]:
    """Counts strokes, (value, success) each, by the intervals that end at `ends`; the last one is open."""
    found = []
    for start, end in pairwise((0.0, *ends, math.inf)):
        within = [made for value, made in strokes if start <= value < end]
        found.append(Tally(len(within), sum(within)))
    return tuple(found)


def statistics(matches: Iterable[Iterable[StrokeFigures]]) -> tuple[PlayerStatistics, ...]:
    """Returns the statistics of each player over these matches, those with most strokes first."""
    played = [(i, f) for i, match in enumerate(matches) for f in match]
    names = Counter(f.player for _, f in played)
    return tuple(_of_player(name, [(i, f) for i, f in played if f.player == name]) for name, _ in names.most_common())


def _of_player(name: str, played: list[tuple[int, StrokeFigures]]) -> PlayerStatistics:
    strokes = [f for _, f in played]
    breaks = [f for f in strokes if f.is_break]
    speeds = [f.speed_mm_s for f in strokes if f.speed_mm_s is not None]
    times = [f.time_s for f in strokes if f.time_s is not None]
    places = tuple(f.placed for f in strokes if f.placed is not None)
    return PlayerStatistics(
        player=name,
        strokes=len(strokes),
        pocketing=sum(f.own > 0 for f in strokes),
        coins=sum(f.coins for f in strokes),
        boards=len({(i, f.board) for i, f in played}),
        breaks=len(breaks),
        breaks_pocketing=sum(f.coins > 0 for f in breaks),
        fouls=dict(Counter(foul for f in strokes for foul in f.fouls)),
        uncertain=sum(not f.certain for f in strokes),
        speed_mm_s=median(speeds) if speeds else None,
        fastest_mm_s=max(speeds, default=None),
        speeds=len(speeds),
        placed=dict(Counter(_third(x) for x, _ in places)),
        places=places,
        shots=tuple(tuple(to_side(f.seat, *point) for point in f.path) for f in strokes if f.path),
        made=tuple(f.own > 0 for f in strokes if f.path),
        speed_list=tuple(speeds),
        queens=sum(f.queen for f in strokes),
        queens_covered=sum(f.covers for f in strokes),
        near=_tallies([(f.reach_mm, f.own > 0) for f in strokes if f.reach_mm is not None], NEAR_MM),
        aimed=_tallies([(abs(f.aim_rad), f.own > 0) for f in strokes if f.aim_rad is not None], AIMED_RAD),
        pockets=dict(Counter(_own(f.seat, pocket) for f in strokes for pocket in f.pockets)),
        time_s=round(median(times), 2) if times else None,
        longest_s=max(times, default=None),
        total_s=round(sum(times), 2),
    )


def _own(seat: Seat, pocket: str) -> str:
    """Returns the pocket's name as if the player's side were south."""
    x, y = to_side(seat, *Pocket(pocket).corner)
    return ("S" if y < 0 else "N") + ("W" if x < 0 else "E")


def _third(x_mm: float) -> str:
    return "left" if x_mm < LEFT else "right" if x_mm > RIGHT else "middle"
