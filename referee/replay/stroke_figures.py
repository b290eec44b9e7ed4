"""Computes the figures of each stroke, the input of statistics, from its facts, its ruling and its tracks."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from models.pieces import Kind, Seat, to_side
from referee.laws import QueenStatus
from referee.laws.tokens import TokenKind
from referee.log import Line, LogError
from referee.log.stored_match import MatchRebuilder, opening_line
from referee.match import Ruling
from referee.match.seating import Seating
from referee.replay.interpolate import detections_by_track
from referee.replay.store import Replay, StrokeRecord
from referee.replay.tracks import DISC, TRACKS_LETTERS, Rows, Tracks, TracksError

SPEED_OVER_S = 0.1
"""Time from the strike over which the striker's speed is measured, in seconds; less if it hits something before."""
FIGURE_LEFT_MM, FIGURE_STRAIGHT_MM, FIGURE_LEAST_SIGHTINGS = 5.0, 4.0, 3
"""FIGURE_LEFT_MM: distance from its place beyond which the striker has left. FIGURE_STRAIGHT_MM: distance from a
uniform motion from which it has hit something. FIGURE_LEAST_SIGHTINGS: least number of detections for a speed."""
FROM_PLACE_MM, FIGURE_LEAST_WAY_MM = 40.0, 15.0
"""A motion is the striker's if at the strike it starts less than FROM_PLACE_MM from the striker's place and is longer
than FIGURE_LEAST_WAY_MM; else it is another disc's."""
PATH_STEP_MM = 8.0
"""Least distance between the points of a path: it is drawn, not measured."""

AIM_POINTS, AIM_LEAST_MM = 4, 25.0
"""AIM_POINTS: number of points of a path that give its direction. AIM_LEAST_MM: least distance that they span."""
AIM_STRAIGHT_MM, AIM_STRAIGHT_RAD = 6.0, 0.03
"""Distance from the straight line beyond which the striker has hit something: AIM_STRAIGHT_MM, and AIM_STRAIGHT_RAD
for each mm of the way."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class StrokeFigures:
    """Contribution of one stroke to the statistics; None where nothing was observed."""

    stroke: int
    board: int
    player: str
    """Name of the player, also after a change of seats; the seat if no name was given."""
    seat: Seat
    is_break: bool
    coins: int
    """Coins pocketed as ruled, with the queen, without the striker."""
    own: int
    """Coins of the player's own colour among them; all in games without colours."""
    fouls: tuple[str, ...]
    """As ruled."""
    certain: bool
    speed_mm_s: float | None
    """Mean speed of the striker over its first tenth of a second or until it hits something."""
    placed: Point | None
    """Place of the striker, mm, as the player sees it: x to his right, his side at negative y."""
    path: tuple[Point, ...]
    """Path of the striker on the board, mm; empty if it was not tracked."""
    pockets: tuple[str, ...]
    """Pockets into which coins fell, as far as detected."""
    queen: bool
    """Whether the stroke pocketed the queen."""
    covers: bool
    """Whether the stroke covered the queen."""
    reach_mm: float | None
    """Straight distance of the striker to its first contact, mm; None if it was not tracked that far."""
    aim_rad: float | None
    """Direction of the stroke, rad: 0 straight ahead as the player sees it, positive to his right; None if unknown."""
    time_s: float | None
    """Seconds from the rest of the stroke before to the strike; None for the first of a board and after a restart."""


def figures(replay: Replay) -> tuple[StrokeFigures, ...]:
    """Returns the figures of every stroke that was judged and not annulled, in the order of play."""
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
    """Returns the straight distance (mm) and the direction (rad) of a path; None where it is too short."""
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
    """Tells whether the opening formation stood before this stroke."""
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
    """Returns each stroke's player, also after a change of seats; the seat of one without a name.

    The result is empty if the log holds no names.
    """
    names = dict(replay.stored.match.start.players)
    rulings, found = replay.stored.match.rulings, {}
    for n, seating in (seatings_of(replay) if names else {}).items():
        seat = rulings[n].seat if n in rulings else Seat(replay.strokes[n].line["seat"])
        found[n] = names.get(seating.home(seat), "") or seat.value
    return found


def seatings_of(replay: Replay) -> dict[int, Seating]:
    """Returns the seating at each stroke, as far as it was known then."""
    contents = replay.stored.contents
    retelling, found = MatchRebuilder(opening_line(contents.lines) or {}, replay.stored.match.start.rules), {}
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
    """Returns the striker's speed (mm/s) on the straight path on which it left its place, and its detections.

    The speed is None if the start was not detected; the detections are then the longest track of a striker.
    """
    if tracks is None:
        return None, np.zeros(0, DISC)
    measured = detections_by_track(tracks)
    followed = [tracks.discs[tracks.discs["track"] == n] for n in np.unique(tracks.discs["track"])]
    if line["placement"]:
        stood = line["placement"]["x_mm"], line["placement"]["y_mm"]
        for rows in [*measured, *followed]:
            if (speed := _leaving(rows, stood, line["t_strike"])) is not None:
                return speed, rows
    strikers = [rows for rows in measured or followed if rows["kind"][0] == TRACKS_LETTERS[Kind.STRIKER]]
    return None, max(strikers, key=len, default=np.zeros(0, DISC))


def _leaving(rows: Rows, stood: Point, t_strike: float) -> float | None:
    """Returns the speed (mm/s) of a disc that leaves the place `stood` at the strike; None for any other disc."""
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
