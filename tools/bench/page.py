"""The bench's report: one HTML page made from the figure files beside it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from referee.bench.score import Error, ScoreRow
from referee.bench.stages import by_stage
from referee.bench.table import TABLE_GOALS
from tools.bench.plots import bars, curve, histogram, reliability

SPEED, CLIPS, STROKES = "speed", "clips", "strokes"
"""Kinds of run, and file names of their figures."""
PICTURES = "pictures"
UNITS = {Error.CALLED_S: "s", Error.PLACEMENT_Z: "sigma"}
"""Units of errors that are not in millimetres."""
STYLE = (
    "body{font:15px/1.45 sans-serif;max-width:1150px;margin:2em auto;padding:0 1em;color:#223}"
    "table{border-collapse:collapse;margin:.6em 0}td,th{padding:.15em .7em;border-bottom:1px solid #ddd;"
    "text-align:right}td:first-child,th:first-child{text-align:left}.bad{color:#b00;font-weight:bold}"
    "figure{display:inline-block;margin:.5em 1em .5em 0;vertical-align:top}img{max-width:550px}"
)


class ReportError(ValueError):
    """A page cannot be made; the message is one sentence that says what to do."""


def pictures_of(folder: Path) -> Path:
    """Returns the folder of a report's pictures of what went wrong, created if missing."""
    pictures = folder / PICTURES
    pictures.mkdir(parents=True, exist_ok=True)
    return pictures


def write_report(folder: Path, kind: str, figures: Mapping[str, Any]) -> Path:
    """Stores a run's figures in `folder` and makes the page from all runs stored there; returns the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{kind}.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return make_page(folder)


def make_page(folder: Path) -> Path:
    """Makes the page from the figures in `folder`; returns its path. Raises ReportError if there are none."""
    kept = {k: folder / f"{k}.json" for k in (SPEED, CLIPS, STROKES)}
    known = {k: json.loads(p.read_text(encoding="utf-8")) for k, p in kept.items() if p.is_file()}
    if not known:
        names = ", ".join(path.name for path in kept.values())
        raise ReportError(f"{folder} holds no figures: keep some there as one of {names}, with --json")
    page = folder / "index.html"
    page.write_text("\n".join(_page(known, folder / PICTURES)), encoding="utf-8")
    return page


def _page(known: Mapping[str, Any], pictures: Path) -> Iterator[str]:
    yield f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Bench</title><style>{STYLE}</style>'
    yield "<h1>Carrom referee: what was measured</h1>"
    if SPEED in known:
        yield from _speed(known[SPEED])
    if CLIPS in known:
        yield from _clips(known[CLIPS])
    if STROKES in known:
        yield "<h2>Simulated strokes through the pixels</h2>"
        yield f"<p>{known[STROKES]['worlds']} worlds, each a pure function of its seed.</p>"
        yield from _sheet(known[STROKES])
        worst = ([c["clip"], c["t"], c["text"], c["confidence"]] for c in known[STROKES]["wrong_and_certain"])
        yield _table(["wrong and certain", "s", "what", "confidence"], worst)
    if STROKES in known or CLIPS in known:
        yield from _reliability(known)
    yield from _pictures(pictures)
    yield "</html>"


def _speed(d: Mapping[str, Any]) -> Iterator[str]:
    yield f"<h2>Speed</h2><p>{escape(d['recording'])}, {d['frames']} frames.</p>"
    yardsticks = ([k, c["median"], c["p99"]] for k, c in d["yardsticks_ms"].items())
    yield _table(["yardstick", "median ms", "p99 ms"], yardsticks)
    rows = (
        [k, c["frames"], c["median"], c["p99"], *d["in_remaps"][k], d["in_copies"][k][0]]
        for k, c in d["frames_ms"].items()
    )
    yield _table(["frames", "count", "median ms", "p99 ms", "median in remaps", "p99 in remaps", "in copies"], rows)
    for show, parts in d["stages"].items():
        mean = d["frames_ms"][show]["mean"]
        spent = {name: mean * share for name, share in list(by_stage(parts).items())[:10]}
        yield f"<figure><figcaption>{show}: mean time by stage</figcaption>{bars(spent, 'ms')}</figure>"
    moving = {float(n): c["median"] for n, c in d["by_moving_ms"].items()}
    yield f"<figure><figcaption>by moving pieces</figcaption>{curve(moving, 'pieces', 'ms')}</figure>"
    sizes = {s: tuple(map(int, s.split("x"))) for s in d["by_size_ms"]}
    for show in d["frames_ms"]:
        points = {w * h / 1e6: d["by_size_ms"][s][show]["median"]
                  for s, (w, h) in sizes.items() if show in d["by_size_ms"][s]}  # fmt: skip
        if points:
            yield f"<figure><figcaption>{show} by pixels</figcaption>{curve(points, 'Mpx', 'ms')}</figure>"
    memory = d["memory"] and f"{d['memory']['peak_mb']} MB at the peak, {d['memory']['growth_mb']:+} MB of growth"
    yield (f"<p>Calibration {d['calibration_s']} s; start to first judged frame {d['start_s']} s; memory: {memory}; "
           f"a frame is {d['frame_bytes']} bytes, the board fills {d['board_bytes']}.</p>")  # fmt: skip


def _clips(d: Mapping[str, Any]) -> Iterator[str]:
    yield f"<h2>Clips</h2><p>{d['times_faster_than_tutorial']} times faster than the tutorial pipeline.</p>"
    for name, sheet in d["sheets"].items():
        yield f"<h3>{name}</h3>"
        yield from _sheet(sheet)
    rows = (
        [
            name,
            f"{c['size'][0]}x{c['size'][1]}",
            c["fps"],
            *(_of(c, row) for row in (ScoreRow.FOUND, ScoreRow.POCKETED)),
            _of(c, ScoreRow.PLACEMENT),
            c["errors"].get("pieces at rest mm", {}).get("p50"),
            c["seeing_ms"],
            c["decoding_ms"],
            c["failure"] or "",
        ]
        for name, c in d["clips"].items()
    )
    yield _table(["clip", "size", "fps", "strokes", "pocketed", "placement", "rest mm", "ms", "decoding ms", ""], rows)


def _of(d: Mapping[str, Any], row: ScoreRow) -> str:
    share = d["shares"].get(row.value)
    return f"{share['right']}/{share['of']}" if share else ""


def _sheet(d: Mapping[str, Any]) -> Iterator[str]:
    goals = {row.value: goal for row, goal in TABLE_GOALS.items()}
    rows = ([name, f"{s['right']}/{s['of']}", f"{100 * s['right'] / s['of']:.1f} %", goals.get(name, "")]
            for name, s in d["shares"].items())  # fmt: skip
    yield _table(["what", "right", "share", "goal"], rows)
    yield _table(["fault", "times"], ([k, n] for k, n in d["faults"].items()))
    for name, (edges, counts) in d["histograms"].items():
        yield f"<figure><figcaption>{name}</figcaption>{histogram(edges, counts, UNITS.get(name, 'mm'))}</figure>"
    fouls = ([k, n["true"], n["logged"], n["right"]] for k, n in d["fouls"].items() if n["true"] or n["logged"])
    yield _table(["foul", "true", "logged", "right"], fouls)
    if d["wrong"]:
        yield "<details><summary>what went wrong</summary><ul>"
        yield from (f"<li>{escape(text)}</li>" for text in d["wrong"])
        yield "</ul></details>"


def _reliability(known: Mapping[str, Any]) -> Iterator[str]:
    """Returns the plot of confidence against accuracy, for simulated strokes and clips."""
    series = {"simulated": known[STROKES]["reliability"]} if STROKES in known else {}
    if CLIPS in known:
        series["clips"] = known[CLIPS]["sheets"]["all"]["reliability"]
    yield "<h2>Confidence</h2><p>What left the board: how sure the calls were, and how many were right.</p>"
    for low, caption in ((0.0, "all calls"), (0.8, "the surest")):
        yield f"<figure><figcaption>{caption}, 95 % intervals</figcaption>{reliability(series, low)}</figure>"
    rows = (
        [name, f"{b['from']:g} to {min(b['to'], 1.0):g}", b["calls"], f"{b['mean']:.3f}",
         f"{b['right'] / b['calls']:.3f}", "{:.3f} to {:.3f}".format(*b["interval"])]
        for name, bins in series.items() for b in bins if b["calls"]
    )  # fmt: skip
    yield _table(["strokes", "confidence", "calls", "mean", "right", "95 % interval"], rows)


def _table(head: list[str], rows: Any) -> str:
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{''.join(f'<th>{escape(h)}</th>' for h in head)}</tr>{body}</table>"


def _pictures(folder: Path) -> Iterator[str]:
    """Returns the stored cases; true pieces have green rings, detected ones red."""
    files = sorted(folder.glob("*.jpg")) if folder.is_dir() else []
    if files:
        yield "<h2>Boards on which something went wrong</h2><p>Green: true pieces. Red: as seen.</p>"
    for file in files:
        data = base64.b64encode(file.read_bytes()).decode("ascii")
        yield f'<figure><img alt="{escape(file.stem)}" src="data:image/jpeg;base64,{data}"></figure>'
