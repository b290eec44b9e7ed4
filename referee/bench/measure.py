"""Compares a match log with the ground truth of its clip."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from calibration.geometry.camera import Camera
from calibration.profile import Point
from models.pieces import Kind, Piece
from referee.bench.pairing import STROKE_WINDOW_S, pair_pieces, pair_strokes
from referee.bench.score import Call, Case, Error, ScoreFault, ScoreRow, ScoreSheet
from referee.bench.truth import Gone, TrueMarks, TruePlacement, TruePlay, Truth
from referee.facts import Alert, Fact, Foul, OffBoard, Placement, Pocketed, Returned, Stroke, Table
from referee.log.fact_lines import FACT_TYPES, fact_of
from referee.log.line import Line

MEASURE_CERTAIN = 0.9
"""Confidence from which a wrong call counts as certain."""
DECIDABLE_MM, PLAIN_MM = 0.7, 1.5
"""Placement margins from which the verdict must be right, and from which there must be one, mm."""
RETURN_WINDOW_S, MEASURE_END_S = 1.0, 0.5
"""Greatest time between a logged return and the true one, and the end of the clip in which returns do not count, s."""
NOTICE_S, EARLY_S = 1.0, 0.1
"""Latest time after a disturbance at which it must be logged, and the earliest before, s."""
CALL_S = 0.3
"""Latest time after the last piece comes to rest at which a stroke must be called, unless a hand is in the way, s."""
ORDER_FRAMES = 2
"""Frames between two falls above which their order must be right."""
FAST_FPS = 60.0
GRID, GRID_SHARE, COIN_TOP_MM = 7, 0.9, 8.0
"""Grid on which a calibration is scored: points along each side, the share of the board that it spans, its
height (mm).
"""

FactT = TypeVar("FactT", Table, Stroke, Returned, Alert)


@dataclass(frozen=True, slots=True)
class Logged:
    """A log's lines as facts."""

    facts: tuple[Fact, ...]
    turns: dict[int, str | None]
    """Turn after each stroke, by stroke number, as last ruled."""
    camera: Camera | None
    circles: tuple[Point, ...] = ()
    """Measured centres of the base circles, mm."""

    def of(self, kind: type[FactT]) -> list[FactT]:
        """Returns the facts of one type, in the order of the log."""
        return [f for f in self.facts if isinstance(f, kind)]


def logged(lines: Iterable[Line], size: tuple[int, int]) -> Logged:
    """Returns a log's facts; `size` is the picture's width and height in pixels."""
    lines = list(lines)
    facts = tuple(fact_of(line) for line in lines if line["type"] in FACT_TYPES)
    turns = {line["stroke"]: line["turn"] for line in lines if line["type"] == "ruling"}
    found = next((line["calibration"] for line in lines if line.get("calibration")), None)
    mirror = bool(found and found.get("mirror"))
    camera = Camera.of(*size, found["K"], found["dist"], found["R"], found["t_mm"], mirror) if found else None
    board: dict[str, Any] = next((line["board"] for line in lines if line.get("board")), {})
    circles = tuple((c["x"], c["y"]) for c in board["circles"]) if board.get("measured") else ()
    return Logged(facts, turns, camera, circles)


def score_clip(truth: Truth, log: Logged) -> ScoreSheet:
    """Returns the score sheet of one clip."""
    sheet = ScoreSheet()
    true = [s for s in truth.strokes if _is_asked_for(s, truth)]
    called = log.of(Stroke)
    measured_row = pair_strokes(true, called)
    sheet.count(ScoreRow.FOUND, len(measured_row.pairs), len(true))
    sheet.faults[ScoreFault.MISSED] += len(measured_row.missed)
    sheet.wrong += [f"{truth.name}: the stroke at {s.t_strike:.2f} s was missed" for s in measured_row.missed]
    _spare_strokes(sheet, truth, called, measured_row.spare)
    for play, stroke in measured_row.pairs:
        _what_left(sheet, truth, play, stroke)
        _placement(sheet, truth, play.placement, stroke)
        _contact_and_fouls(sheet, truth, play, stroke)
        if truth.is_board and play.turn_after:
            sheet.count(ScoreRow.TURN, log.turns.get(stroke.n) == play.turn_after)
    _returns(sheet, truth, log.of(Returned))
    _rests(sheet, truth, true, log.of(Table))
    alerts = log.of(Alert)
    sheet.alerts.update(a.kind.value for a in alerts)
    for t in truth.disturbances:
        sheet.count(ScoreRow.NOTICED, any(-EARLY_S <= a.t - t <= NOTICE_S for a in alerts))
    if log.camera is not None:
        sheet.errors[Error.CALIBRATION_MM].append(calibration_error(truth.camera, log.camera, truth.marks))
    sheet.errors[Error.CIRCLES_MM] += [_circle_error(c, truth.marks) for c in log.circles]
    return sheet


def _circle_error(circle: Point, marks: TrueMarks) -> float:
    """Returns the distance (mm) of a measured base circle from the nearest true one of the eight."""
    x, y = map(abs, circle)
    return min(math.dist((x, y), (marks.base_circle_x, marks.base_circle_y)),
               math.dist((x, y), (marks.base_circle_y, marks.base_circle_x)))  # fmt: skip


def _is_asked_for(play: TruePlay, truth: Truth) -> bool:
    """Tells whether a stroke counts: it left the base line and lies wholly in the clip."""
    return play.left_base_line and play.t_strike >= 0 and play.t_rest < truth.duration_s


def _spare_strokes(sheet: ScoreSheet, truth: Truth, called: Sequence[Stroke], spare: Sequence[Stroke]) -> None:
    """Scores logged strokes that match no true one. A striker that stayed on its lines may be logged as such."""
    stayed = [s.t_strike for s in truth.strokes if not s.left_base_line]
    cut = [s.t_strike for s in truth.strokes if s.left_base_line and not _is_asked_for(s, truth)]
    no_leave = [s for s in called if Foul.NO_LEAVE in s.fouls]
    right = sum(_is_near(s, stayed) for s in no_leave)
    sheet.count(ScoreRow.NO_LEAVE_OF_TRUE, right, len(stayed))
    sheet.count(ScoreRow.NO_LEAVE_OF_LOGGED, right, len(no_leave))
    for s in spare:
        if not ((s in no_leave and _is_near(s, stayed)) or _is_near(s, cut)):
            sheet.faults[ScoreFault.INVENTED] += 1
            sheet.wrong.append(f"{truth.name}: the stroke logged at {s.t_strike:.2f} s never was")


def _is_near(stroke: Stroke, times: Sequence[float]) -> bool:
    return any(abs(stroke.t_strike - t) <= STROKE_WINDOW_S for t in times)


def _what_left(sheet: ScoreSheet, truth: Truth, play: TruePlay, stroke: Stroke) -> None:
    """Scores pocketed pieces, pieces off the board, and the call's confidence."""
    exact, off = _kinds(play.pocketed) == _kinds(stroke.pocketed), _kinds(play.off_board) == _kinds(stroke.off_board)
    sheet.count(ScoreRow.POCKETED, exact)
    sheet.count(ScoreRow.OFF_BOARD, off)
    sheet.count(ScoreRow.SEAT, play.seat is stroke.seat)
    sheet.count(ScoreRow.SURE, stroke.confidence >= MEASURE_CERTAIN)
    text = f"true {_reported(play.pocketed, play.off_board)}, logged {_reported(stroke.pocketed, stroke.off_board)}"
    sheet.calls.append(Call(truth.name, play.t_strike, stroke.confidence, exact and off, text))
    if not (exact and off):
        sheet.wrong.append(f"{truth.name}: stroke at {play.t_strike:.2f} s {text}, confidence {stroke.confidence:.3f}")
        sheet.faults[ScoreFault.WRONG_CERTAIN] += stroke.confidence >= MEASURE_CERTAIN
    if exact:
        _falls(sheet, truth, play, stroke)
    if not any(h.t_enter < play.t_rest + CALL_S and h.t_leave > play.t_rest for h in truth.hands):
        delay = stroke.t_called - play.t_rest
        sheet.errors[Error.CALLED_S].append(delay)
        sheet.count(ScoreRow.IN_TIME, delay <= CALL_S)


def _falls(sheet: ScoreSheet, truth: Truth, play: TruePlay, stroke: Stroke) -> None:
    """Scores pockets and order of the falls."""
    times = [p.t for p in play.pocketed if p.t is not None]
    if len(times) > 1 and min(b - a for a, b in pairwise(times)) > ORDER_FRAMES / truth.fps:
        in_order = [p.kind for p in play.pocketed] == [p.kind for p in stroke.pocketed]
        sheet.count(ScoreRow.ORDER, in_order)
        if not in_order:
            sheet.wrong.append(f"{truth.name}: falls at {play.t_strike:.2f} s in another order: {_fell(play, stroke)}")
    true = Counter((p.kind, p.pocket) for p in play.pocketed)
    logged = Counter((p.kind, p.pocket) for p in stroke.pocketed)
    sheet.count(ScoreRow.POCKET, (true & logged).total(), true.total())
    if true != logged:
        sheet.wrong.append(f"{truth.name}: falls at {play.t_strike:.2f} s into other pockets: {_fell(play, stroke)}")


def _fell(play: TruePlay, stroke: Stroke) -> str:
    return f"true {_reported(play.pocketed, ())}, logged {_reported(stroke.pocketed, ())}"


def _kinds(gone: Iterable[Gone | Pocketed | OffBoard]) -> Counter[Kind]:
    return Counter(g.kind for g in gone)


def _reported(pocketed: Iterable[Gone | Pocketed], off: Iterable[Gone | OffBoard]) -> str:
    """Returns what left the board, in words."""
    words = [f"{g.kind} in {g.pocket or 'a pocket'}" for g in pocketed] + [f"{g.kind} off" for g in off]
    return " + ".join(words) or "nothing"


def _placement(sheet: ScoreSheet, truth: Truth, true: TruePlacement | None, stroke: Stroke) -> None:
    logged = stroke.placement
    if true is None:
        return
    legal, margin = logged.legal if logged else None, abs(true.margin_mm)
    if margin >= DECIDABLE_MM:
        sheet.count(ScoreRow.PLACEMENT, _reads_alike(true, logged))
        if not _reads_alike(true, logged):
            sheet.wrong.append(f"{truth.name}: placement at {stroke.t_strike:.2f} s {_read(true, logged)}")
    if margin >= PLAIN_MM:
        sheet.count(ScoreRow.PLAIN, legal is not None)
    sheet.faults[ScoreFault.PLACEMENT_WRONG] += margin >= DECIDABLE_MM and legal is not None and legal != true.legal
    if logged is not None:
        dx, dy = logged.x_mm - true.x_mm, logged.y_mm - true.y_mm
        sheet.errors[Error.PLACEMENT_MM].append(math.hypot(dx, dy))
        if logged.sigma_mm > 0:
            sheet.errors[Error.PLACEMENT_Z] += [dx / logged.sigma_mm, dy / logged.sigma_mm]


def _read(true: TruePlacement, logged: Placement | None) -> str:
    """Returns a placement's truth and verdict, in words."""
    was = f"is {true.reason or 'legal'} by {true.margin_mm:+.2f} mm at ({true.x_mm:.1f}, {true.y_mm:.1f})"
    if logged is None:
        return f"{was}, not seen"
    said = "legal" if logged.legal else logged.reason or "open"
    return f"{was}, logged {said} by {logged.margin_mm:+.2f} mm at ({logged.x_mm:.1f}, {logged.y_mm:.1f})"


def _reads_alike(true: TruePlacement, logged: Placement | None) -> bool:
    return logged is not None and logged.legal == true.legal and (true.legal or logged.reason is true.reason)


def _contact_and_fouls(sheet: ScoreSheet, truth: Truth, play: TruePlay, stroke: Stroke) -> None:
    right = play.first_contact is stroke.first_contact
    sheet.count(ScoreRow.CONTACT, right)
    if not right:
        met, said = play.first_contact or "nothing", stroke.first_contact or "nothing"
        sheet.wrong.append(f"{truth.name}: first contact at {play.t_strike:.2f} s is {met}, logged {said}")
    if truth.fps >= FAST_FPS:
        sheet.count(ScoreRow.CONTACT_FAST, right)
    for name, true, logged in ((f.value, f in play.fouls, f in stroke.fouls) for f in Foul):
        sheet.fouls[name].update(true=int(true), logged=int(logged), right=int(true and logged))
    true_families, seen_families = _families(play.fouls), _families(stroke.fouls)
    both = len(true_families & seen_families)
    sheet.count(ScoreRow.FOULS_OF_TRUE, both, len(true_families))
    sheet.count(ScoreRow.FOULS_OF_LOGGED, both, len(seen_families))


def _families(fouls: Iterable[Foul]) -> set[str]:
    """Returns the fouls, all placement fouls as one. The striker's fall is scored with the pocketed pieces."""
    return {f.value.split(":")[0] for f in fouls if f is not Foul.STRIKER_POCKETED}


def _returns(sheet: ScoreSheet, truth: Truth, logged: Sequence[Returned]) -> None:
    last = truth.duration_s - MEASURE_END_S
    put = [p for s in truth.strokes for p in s.returned if 0 <= p.t <= last]
    left = [r for r in logged if r.t <= last]
    sheet.count(ScoreRow.RETURNS_OF_LOGGED, 0, len(left))
    for p in put:
        hit = next((r for r in left if r.kind is p.kind and abs(r.t - p.t) <= RETURN_WINDOW_S), None)
        sheet.count(ScoreRow.RETURNS_OF_TRUE, hit is not None)
        if hit is not None:
            left.remove(hit)
            sheet.count(ScoreRow.RETURNS_OF_LOGGED, 1, 0)


def _rests(sheet: ScoreSheet, truth: Truth, true: Sequence[TruePlay], tables: Sequence[Table]) -> None:
    """Scores the coins on the first table logged after each stroke."""
    ends = [*(s.t_strike for s in true[1:]), truth.duration_s]
    for play, end in zip(true, ends, strict=False):
        if not play.rest:
            continue
        table = next((t for t in tables if play.t_rest - EARLY_S <= t.t < end), None)
        sheet.count(ScoreRow.RESTS, table is not None)
        if table is not None:
            _coins(sheet, truth, play, table)
        _keep_case(sheet, truth, play, table)


def _keep_case(sheet: ScoreSheet, truth: Truth, play: TruePlay, table: Table | None) -> None:
    """Stores a board after a wrong call, or with wrong pieces, for inspection."""
    wrong = [c for c in sheet.calls if c.t == play.t_strike and not c.right]
    true, logged = _coins_of(play.rest), _coins_of(table.pieces if table else ())
    found = pair_pieces(true, logged)
    if wrong or found.missed or found.invented or any(a.kind is not b.kind for a, b in found.pairs):
        text = wrong[0].text if wrong else f"{found.missed} missed, {found.invented} invented"
        sheet.cases.append(Case(truth.name, play.t_rest, text, tuple(true), tuple(logged), bool(wrong)))


def _coins(sheet: ScoreSheet, truth: Truth, play: TruePlay, table: Table) -> None:
    found = pair_pieces(_coins_of(play.rest), _coins_of(table.pieces))
    sheet.faults[ScoreFault.PIECES_MISSED] += found.missed
    sheet.faults[ScoreFault.PIECES_INVENTED] += found.invented
    if found.missed or found.invented:
        sheet.wrong.append(f"{truth.name}: table at {table.t:.2f} s misses {found.missed} and invents {found.invented}")
    for true, logged in found.pairs:
        sheet.count(ScoreRow.KINDS, true.kind is logged.kind)
        sheet.errors[Error.REST_MM].append(math.hypot(true.x_mm - logged.x_mm, true.y_mm - logged.y_mm))


def _coins_of(pieces: Iterable[Piece]) -> list[Piece]:
    return [p for p in pieces if p.kind is not Kind.STRIKER]


def calibration_error(true: Camera, found: Camera, marks: TrueMarks) -> float:
    """Returns the RMS difference (mm) between the true and the calibrated camera.

    It is taken over base circles, pockets and a grid at the height of coins.
    """
    places = [(marks.base_circle_x, marks.base_circle_y), (marks.base_circle_y, marks.base_circle_x),
              (marks.pocket, marks.pocket)]  # fmt: skip
    flat = [(i * x, j * y) for i in (-1, 1) for j in (-1, 1) for x, y in places]
    along = np.linspace(-GRID_SHARE, GRID_SHARE, GRID) * marks.half
    points = np.array(flat + [(x, y) for x in along for y in along])
    z = np.where(np.arange(len(points)) < len(flat), 0.0, COIN_TOP_MM)
    off = true.to_pixels(points, z) - found.to_pixels(points, z)
    ruler = true.to_pixels([(-100.0, 0.0), (100.0, 0.0)])
    scale = float(np.hypot(*(ruler[0] - ruler[1]))) / 200
    return float(np.sqrt(np.mean(np.sum(off**2, axis=1)))) / scale
