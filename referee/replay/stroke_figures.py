"""Figures of each stroke, from its facts, its ruling and its tracks: what statistics are made of."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from models.pieces import Kind, Seat, to_side
from referee.laws import QueenStatus
from referee.laws.tokens import TokenKind
from referee.log import Line, LogError
from referee.log.stored_match import Retelling, begun
from referee.match import Ruling
from referee.match.seating import Seating
from referee.replay.interpolate import ways
from referee.replay.store import Replay, StrokeRecord
from referee.replay.tracks import DISC, TRACKS_LETTERS, Rows, Tracks, TracksError

SPEED_OVER_S = 0.1
"""The striker's speed is told of its first tenth of a second, or shorter when it meets something before."""
FIGURE_LEFT_MM, FIGURE_STRAIGHT_MM, FIGURE_LEAST_SIGHTINGS = 5.0, 4.0, 3
"""It has left when it is so far from its place; it meets nothing while its sightings lie so near a uniform motion."""
FROM_PLACE_MM, FIGURE_LEAST_WAY_MM = 40.0, 15.0
"""A motion that is shorter or does not lead back so near to where the striker stood at the strike is another disc's."""
PATH_STEP_MM = 8.0
"""Points of a path are at least so far apart: it is drawn, not measured."""

AIM_POINTS, AIM_LEAST_MM = 4, 25.0
"""A direction is told by so many points of a way that lie so far apart."""
AIM_STRAIGHT_MM, AIM_STRAIGHT_RAD = 6.0, 0.03
"""A striker that leaves the line by more, and by more for each mm of the way, has met something."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class StrokeFigures:
    """What one stroke adds to the statistics; None for what was not seen."""

    stroke: int
    board: int
    player: str
    """Name, or the seat where nobody told one; he goes with the seat that he changed to."""
    seat: Seat
    is_break: bool
    coins: int
    """Coins that were pocketed, as ruled; the queen too, the striker not."""
    own: int
    """Of these, coins of the player's own colour; in games without colours all."""
    fouls: tuple[str, ...]
    """As ruled."""
    certain: bool
    speed_mm_s: float | None
    """Of the striker, the mean over its first tenth of a second or until it meets something."""
    placed: Point | None
    """Where the striker stood, mm, as the player sees it: x to his right, his side at negative y."""
    path: tuple[Point, ...]
    """The striker's way on the board, mm; empty when it was not followed."""
    pockets: tuple[str, ...]
    """Into which pockets coins fell, as far as seen."""
    queen: bool
    """The queen was pocketed."""
    covers: bool
    """The queen is covered since this stroke."""
    reach_mm: float | None
    """How far the striker went straight before it first met something; None when it was not followed so far."""
    aim_rad: float | None
    """Where it was aimed: 0 straight ahead as the player sees it, positive to his right."""
    time_s: float | None
    """From the rest of the stroke before to the strike; None for the first of a board and after a restart."""


def figures(replay: Replay) -> tuple[StrokeFigures, ...]:
    """Every stroke of a match that was judged and not taken back, in the order of play."""
    players = players_of(replay)
    found: list[StrokeFigures] = []
    before: StrokeRecord | None = None
    covered = False
    for number, board in enumerate(replay.boards, 1):
        for i, n in enumerate(board.strokes):
            record = replay.strokes[n]
            covered = covered and i > 0
            if record.ruling is not None and not record.ruling.annulled:
                thought = _time(before, record) if i else None
                stroke = _figures(replay, record, record.ruling, number, i == 0, players, thought)
                is_covered = _is_covered(record.ruling)
                found.append(replace(stroke, covers=is_covered and not covered))
                covered = is_covered
            before = record
    return tuple(found)


def _figures(replay: Replay, record: StrokeRecord, ruling: Ruling, board: int, first: bool,
             players: dict[int, str], time_s: float | None) -> StrokeFigures:  # fmt: skip
    line, side = record.line, dict(ruling.colours).get(ruling.seat)
    fell = [t.piece for t in ruling.tokens.tokens if t.kind is TokenKind.POCKETED and t.piece is not Kind.STRIKER]
    speed, rows = _flight(_tracks(replay, record.n), line)
    place, path = line["placement"], _path(rows)
    reach, aim = _aim(ruling.seat, path)
    return StrokeFigures(
        stroke=record.n, board=board, player=players.get(record.n, ruling.seat.value), seat=ruling.seat,
        is_break=first and _is_opening(replay, record), coins=len(fell),
        own=sum(side is None or piece == side.value for piece in fell),
        fouls=tuple(str(f) for f in ruling.tokens.fouls()), certain=ruling.certain,
        speed_mm_s=speed,
        placed=to_side(ruling.seat, place["x_mm"], place["y_mm"]) if place else None,
        path=path,
        pockets=tuple(p["pocket"] for p in line["pocketed"] if p["pocket"] and p["kind"] != Kind.STRIKER),
        queen=Kind.QUEEN in fell, covers=False, reach_mm=reach, aim_rad=aim,
        time_s=time_s,
    )  # fmt: skip


def _is_covered(ruling: Ruling) -> bool:
    return ruling.state is not None and ruling.state.queen is QueenStatus.COVERED


def _aim(seat: Seat, path: tuple[Point, ...]) -> tuple[float | None, float | None]:
    """How far a way goes straight (mm) and its direction; None for both where it is too short to tell."""
    points = [to_side(seat, *point) for point in path]
    if len(points) < AIM_POINTS or math.dist(points[0], points[AIM_POINTS - 1]) < AIM_LEAST_MM:
        return None, None
    (x, y), (ax, ay) = points[0], points[AIM_POINTS - 1]
    aim = math.atan2(ax - x, ay - y)
    last = points[AIM_POINTS - 1]
    for point in points[AIM_POINTS:]:
        along, across = (point[0] - x) * math.sin(aim) + (point[1] - y) * math.cos(aim), 0.0
        across = (point[0] - x) * math.cos(aim) - (point[1] - y) * math.sin(aim)
        if abs(across) > AIM_STRAIGHT_MM + along * AIM_STRAIGHT_RAD or along < math.dist(points[0], last):
            return round(math.dist(points[0], last), 1), round(aim, 3)
        last = point
    return None, round(aim, 3)


def _is_opening(replay: Replay, record: StrokeRecord) -> bool:
    """Whether the formation stood before this stroke."""
    standing = False
    for line in replay.stored.contents.lines:
        if line["type"] == "formation":
            standing = True
        elif line["type"] == "stroke":
            if line["n"] == record.n:
                return standing
            standing = False
    return False


def players_of(replay: Replay) -> dict[int, str]:
    """The name of each stroke's player, who may have changed seats; strokes of players without names are left out."""
    names = dict(replay.stored.match.start.players)
    rulings, found = replay.stored.match.rulings, {}
    for n, seating in (seatings_of(replay) if names else {}).items():
        seat = rulings[n].seat if n in rulings else Seat(replay.strokes[n].line["seat"])
        found[n] = names.get(seating.home(seat), "") or seat.value
    return found


def seatings_of(replay: Replay) -> dict[int, Seating]:
    """Who sat where at each stroke, as far as it was known then."""
    contents = replay.stored.contents
    retelling, found = Retelling(begun(contents.lines) or {}, replay.stored.match.start.rules), {}
    for i, line in enumerate(contents.lines):
        retelling.add(line, first=i == 0)
        if line["type"] == "stroke" and (seating := retelling.match.position.seating):
            found[line["n"]] = seating
    return found


def _tracks(replay: Replay, n: int) -> Tracks | None:
    try:
        return replay.tracks(n)
    except (TracksError, LogError):
        return None


def _flight(tracks: Tracks | None, line: Line) -> tuple[float | None, Rows]:
    """The striker's speed (mm/s) on the straight way on which it left its place, and its sightings.

    The speed is None when its leaving was not seen; its track is then the longest of a striker's look.
    """
    if tracks is None:
        return None, np.zeros(0, DISC)
    measured = ways(tracks)
    followed = [tracks.discs[tracks.discs["track"] == n] for n in np.unique(tracks.discs["track"])]
    if line["placement"]:
        stood = line["placement"]["x_mm"], line["placement"]["y_mm"]
        for rows in [*measured, *followed]:
            if (speed := _leaving(rows, stood, line["t_strike"])) is not None:
                return speed, rows
    strikers = [rows for rows in measured or followed if rows["kind"][0] == TRACKS_LETTERS[Kind.STRIKER]]
    return None, max(strikers, key=len, default=np.zeros(0, DISC))


def _leaving(rows: Rows, stood: Point, t_strike: float) -> float | None:
    """The speed (mm/s) of a disc that leaves the place `stood` at the strike; None for any other."""
    away = np.hypot(rows["x"] - stood[0], rows["y"] - stood[1]) > FIGURE_LEFT_MM
    rows = rows[away & (rows["t"] > t_strike) & (rows["t"] <= t_strike + SPEED_OVER_S)]
    t, places = rows["t"] - t_strike, np.column_stack([rows["x"], rows["y"]]).astype(np.float64)
    for count in range(len(t), FIGURE_LEAST_SIGHTINGS - 1, -1):
        terms = np.column_stack([np.ones(count), t[:count]])
        (start, velocity), *_ = np.linalg.lstsq(terms, places[:count])
        if np.abs(terms @ [start, velocity] - places[:count]).max() < FIGURE_STRAIGHT_MM:
            speed = float(np.hypot(*velocity))
            left = speed * (t[count - 1] - t[0]) > FIGURE_LEAST_WAY_MM and math.dist(start, stood) < FROM_PLACE_MM
            return round(speed) if left else None
    return None


def _path(rows: Rows) -> tuple[Point, ...]:
    points: list[Point] = []
    for row in rows:
        point = round(float(row["x"]), 1), round(float(row["y"]), 1)
        if not points or math.dist(point, points[-1]) >= PATH_STEP_MM:
            points.append(point)
    return tuple(points)


def _time(before: StrokeRecord | None, record: StrokeRecord) -> float | None:
    if before is None or before.start != record.start:
        return None
    return round(float(record.line["t_strike"] - before.line["t_rest"]), 2)
