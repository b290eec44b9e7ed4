"""A match on one sheet to print: who played, each board, what the umpire changed; HTML that needs no network."""

from __future__ import annotations

from datetime import datetime
from html import escape
from typing import Any

from referee.log.stored import StoredMatch
from referee.match import ruling_line

STYLE = """
@page { size: A4; margin: 14mm; }
body { font: 10pt/1.35 sans-serif; color: #000; background: #fff; max-width: 182mm; margin: auto; }
h1 { font-size: 16pt; margin: 0 0 2mm; } h2 { font-size: 11pt; margin: 5mm 0 1mm; }
table { border-collapse: collapse; width: 100%; break-inside: auto; }
th, td { border-bottom: .2mm solid #999; padding: .6mm 2mm .6mm 0; text-align: left; vertical-align: top; }
th { font-weight: 600; } td.n, th.n { text-align: right; } tr { break-inside: avoid; }
thead { display: table-header-group; } .open { font-style: italic; } footer { margin-top: 4mm; font-size: 8pt; }
"""


def sheet(stored: StoredMatch) -> str:
    """The whole page."""
    view = stored.match.view()
    header = stored.contents.headers[0] if stored.contents.headers else {}
    title = f"Carrom: {' – '.join(_side(s) for s in view['sides']) or view['match']}"
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(_when(header))}rules {escape(view['rules'])}</p>",
        _table("Result", ("Side", "Points", "Games"), [(_side(s), s["score"], s["games"]) for s in view["sides"]]),
        _table("Strokes", ("No.", "Board", "Seat", "Stroke", "Ruling", "State after it"), _strokes(stored)),
        _table("The umpire's word", ("Stroke", "Word", "By"), _words(stored)),
        f"<footer>{escape(_foot(stored, header))}</footer>",
    ]
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{chr(10).join(parts)}\n</body></html>\n'


def _side(side: Any) -> str:
    return " & ".join(name or seat for seat, name in zip(side["seats"], side["players"], strict=True))


def _when(header: dict[str, Any]) -> str:
    wall = header.get("wall")
    return f"{datetime.fromtimestamp(wall):%Y-%m-%d %H:%M}, " if isinstance(wall, int | float) else ""


def _strokes(stored: StoredMatch) -> list[tuple[Any, ...]]:
    rows = []
    for n, ruling in stored.match.rulings.items():
        line = ruling_line(ruling)
        text = " ".join(d["text"] + (f" [{d['law']}]" if d["law"] else "") for d in line["decisions"])
        mark = "" if ruling.certain else " (not certain)"
        rows.append((n, ruling.board, ruling.seat.value, line["stroke_text"], text + mark, line["state"] or "?"))
    return rows


def _words(stored: StoredMatch) -> list[tuple[Any, ...]]:
    rows = []
    for line in stored.contents.lines:
        if line["type"] == "correction":
            said = (line.get(name) for name in ("action", "stroke_text", "foul", "state", "event", "breaker"))
            rows.append((line.get("stroke") or "", " ".join(str(x) for x in said if x), line.get("by") or ""))
    return rows


def _table(title: str, columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    """A table with its heading, or nothing when there are no rows."""
    if not rows:
        return ""
    head = "".join(f'<th scope="col">{escape(c)}</th>' for c in columns)
    body = "\n".join("<tr>" + "".join(_cell(value) for value in row) + "</tr>" for row in rows)
    return f"<h2>{escape(title)}</h2>\n<table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"


def _cell(value: Any) -> str:
    return f'<td class="n">{value}</td>' if isinstance(value, int) else f"<td>{escape(str(value))}</td>"


def _foot(stored: StoredMatch, header: dict[str, Any]) -> str:
    certain = sum(r.certain for r in stored.match.rulings.values())
    return (f"{certain} of {len(stored.match.rulings)} rulings certain; match {stored.match.start.match}; "
            f"seen by carrom-referee {header.get('program', '?')}")  # fmt: skip
