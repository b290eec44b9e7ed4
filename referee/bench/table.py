"""Score sheets of clips as text for the terminal, and as one JSON object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from referee.bench.clips import ClipResult, tutorial_ratio
from referee.bench.measure import MEASURE_CERTAIN
from referee.bench.reliability import Bin, bins
from referee.bench.score import Call, Error, ScoreFault, ScoreRow, ScoreSheet, total

TABLE_GOALS = {
    ScoreRow.CALIBRATED: "100 %",
    ScoreRow.FOUND: "100 %",
    ScoreRow.POCKETED: "99.5 %",
    ScoreRow.POCKET: "99 %",
    ScoreRow.ORDER: "100 %",
    ScoreRow.OFF_BOARD: "95 %",
    ScoreRow.SURE: "97 %",
    ScoreRow.PLACEMENT: "100 %",
    ScoreRow.PLAIN: "98 %",
    ScoreRow.CONTACT_FAST: "97 %",
    ScoreRow.FOULS_OF_TRUE: "95 %",
    ScoreRow.FOULS_OF_LOGGED: "95 %",
    ScoreRow.RETURNS_OF_TRUE: "95 %",
    ScoreRow.RETURNS_OF_LOGGED: "95 %",
    ScoreRow.NO_LEAVE_OF_TRUE: "95 %",
    ScoreRow.NO_LEAVE_OF_LOGGED: "95 %",
    ScoreRow.KINDS: "100 %",
    ScoreRow.NOTICED: "100 %",
    ScoreRow.IN_TIME: "100 %",
}
"""Goals, where a figure is set."""
ERROR_GOALS = {
    Error.CALIBRATION_MM: "0.5 each",
    Error.REST_MM: "0.25 at p50, 1.0 at p99",
    Error.CALLED_S: "0.3",
}
MOST_WRONG = 40
"""Greatest number of sentences printed on what went wrong; the JSON has all."""


def clip_line(r: ClipResult) -> str:
    """Returns one clip in one line."""
    s = r.sheet
    if r.failure is not None:
        return f"{r.truth.name:18} FAILED: {r.failure}"
    rest = s.quantiles(Error.REST_MM)
    seeing = 1e3 * sum(r.spent.seeing) / max(1, len(r.spent.seeing))
    return (
        f"{r.truth.name:18} strokes {right_of(s, ScoreRow.FOUND)} +{s.faults[ScoreFault.INVENTED]}"
        f"  pocketed {right_of(s, ScoreRow.POCKETED)}  placement {right_of(s, ScoreRow.PLACEMENT)}"
        f"  rest {rest['p50'] if rest else '-':>5} mm"
        f" -{s.faults[ScoreFault.PIECES_MISSED]} +{s.faults[ScoreFault.PIECES_INVENTED]}"
        f"  certain-wrong {s.faults[ScoreFault.WRONG_CERTAIN]}  {seeing:6.2f} ms/frame"
    )


def right_of(sheet: ScoreSheet, row: ScoreRow) -> str:
    """Returns the number right and the number of cases, as `31/31`."""
    return f"{sheet.right[row]}/{sheet.of[row]}"


def split(results: list[ClipResult]) -> dict[str, ScoreSheet]:
    """Returns sheets of the clips for tuning (a to l), of those only for measuring (m to z), and of all."""
    tuning = [r.sheet for r in results if r.truth.is_for_tuning]
    measuring = [r.sheet for r in results if not r.truth.is_for_tuning]
    return {"a-l": total(tuning), "m-z": total(measuring), "all": total(tuning + measuring)}


def sheet_table(sheets: dict[str, ScoreSheet]) -> Iterator[str]:
    """Yields the rows side by side."""
    yield f"{'':40}" + "".join(f"{name:>18}" for name in sheets) + "   goal"
    for row in ScoreRow:
        if any(s.of[row] for s in sheets.values()):
            yield (
                f"{row.value:40}"
                + "".join(f"{_share(s, row):>18}" for s in sheets.values())
                + f"   {TABLE_GOALS.get(row, '')}"
            )
    for fault in ScoreFault:
        yield f"{fault.value:40}" + "".join(f"{s.faults[fault]:>18}" for s in sheets.values()) + "   0"
    for error in Error:
        if error is not Error.PLACEMENT_Z:
            cells = "".join(f"{_quantiles(s, error):>18}" for s in sheets.values())
            yield f"{error.value + ' p50/p99':40}{cells}   {ERROR_GOALS.get(error, '')}"
    spreads = "".join(f"{_number(s.spread(Error.PLACEMENT_Z)):>18}" for s in sheets.values())
    yield f"{Error.PLACEMENT_Z.value:40}{spreads}   0.7 to 1.3"


def _share(sheet: ScoreSheet, row: ScoreRow) -> str:
    share = sheet.share(row)
    return "-" if share is None else f"{right_of(sheet, row)} {100 * share:5.1f} %"


def _quantiles(sheet: ScoreSheet, error: Error) -> str:
    q = sheet.quantiles(error)
    return f"{q['p50']:.2f} / {q['p99']:.2f}" if q else "-"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def foul_table(sheet: ScoreSheet) -> Iterator[str]:
    """Yields each foul by name: numbers true, logged and logged rightly."""
    yield f"{'foul':36}{'true':>6}{'logged':>8}{'right':>7}"
    for name, n in sorted(sheet.fouls.items()):
        if n["true"] or n["logged"]:
            yield f"{name:36}{n['true']:6}{n['logged']:8}{n['right']:7}"


def reliability_table(sheet: ScoreSheet) -> Iterator[str]:
    """Yields confidence beside the share of right calls."""
    yield f"{'confidence':16}{'calls':>6}{'mean':>8}{'right':>8}   95 % interval"
    for b in bins(sheet.calls):
        if b.calls:
            low, high = b.interval
            share = f"{b.mean:8.3f}{b.right / b.calls:8.3f}"
            yield f"{b.low:.2f} - {b.high:.2f}     {b.calls:6}{share}   {low:.3f} - {high:.3f}"


def wrong_and_certain(sheet: ScoreSheet) -> list[Call]:
    """Returns the worst defects: calls that were wrong and certain, by falling confidence."""
    worst = [c for c in sheet.calls if not c.right and c.confidence >= MEASURE_CERTAIN]
    return sorted(worst, key=lambda c: -c.confidence)


def certain_lines(sheet: ScoreSheet) -> Iterator[str]:
    """Yields each wrong and certain call."""
    for c in wrong_and_certain(sheet):
        yield f"WRONG AND CERTAIN {c.clip} at {c.t:.2f} s: {c.text}, confidence {c.confidence:.3f}"


def wrong_lines(sheet: ScoreSheet) -> Iterator[str]:
    """Yields the first `MOST_WRONG` sentences on what went wrong."""
    yield from sheet.wrong[:MOST_WRONG]
    if len(sheet.wrong) > MOST_WRONG:
        yield f"... and {len(sheet.wrong) - MOST_WRONG} more"


def sheets_lines(sheets: dict[str, ScoreSheet], whole: str) -> Iterator[str]:
    """Yields the tables of score sheets, and the details of the `whole` one."""
    sheet = sheets[whole]
    for lines in (sheet_table(sheets), foul_table(sheet), reliability_table(sheet), certain_lines(sheet),
                  wrong_lines(sheet)):  # fmt: skip
        yield ""
        yield from lines


def clips_lines(results: list[ClipResult]) -> Iterator[str]:
    """Yields the tables of all clips together."""
    yield from sheets_lines(split(results), "all")
    ratio = tutorial_ratio(results)
    if ratio is not None:
        yield ""
        yield f"{ratio:.1f} times faster than the tutorial pipeline (goal 7), decoding apart"


def sheet_json(sheet: ScoreSheet) -> dict[str, Any]:
    """Returns a sheet with its reliability and all that went wrong."""
    histograms = {error.value: sheet.histogram(error) for error in Error if sheet.errors.get(error)}
    reliability = [_bin(b) for b in bins(sheet.calls)]
    return sheet.as_dict() | {"reliability": reliability, "histograms": histograms, "wrong": sheet.wrong}


def _bin(b: Bin) -> dict[str, Any]:
    low, high = (round(v, 3) for v in b.interval)
    mean = None if b.mean is None else round(b.mean, 4)
    span = {"from": b.low, "to": b.high, "mean": mean}
    return span | {"calls": b.calls, "right": b.right, "interval": [low, high]}


def clips_json(results: list[ClipResult]) -> dict[str, Any]:
    """Returns everything measured on a folder of clips."""
    ratio = tutorial_ratio(results)
    return {
        "sheets": {name: sheet_json(sheet) for name, sheet in split(results).items()},
        "times_faster_than_tutorial": None if ratio is None else round(ratio, 2),
        "clips": {r.truth.name: _clip_json(r) for r in results},
    }


def _clip_json(r: ClipResult) -> dict[str, Any]:
    frames = max(1, len(r.spent.seeing))
    return {
        "failure": r.failure, "frames": r.truth.frames, "fps": r.truth.fps,
        "size": [r.truth.camera.width, r.truth.camera.height],
        "seeing_ms": round(1e3 * sum(r.spent.seeing) / frames, 3),
        "decoding_ms": round(1e3 * r.spent.decoding / max(1, r.truth.frames), 3),
        "ready_s": round(r.spent.ready, 2),
        "yardsticks_ms": {y.value: round(1e3 * sum(v) / len(v), 3) for y, v in r.spent.yardsticks.items() if v},
        **r.sheet.as_dict(),
    }  # fmt: skip
