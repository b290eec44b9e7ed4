"""Renders a match as one sheet to print: players, boards, strokes, the umpire's corrections.

The sheet is HTML that needs no network.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from html import escape
from types import MappingProxyType
from typing import Any

from referee.languages import load_language
from referee.log.stored_match import StoredMatch
from referee.match import ruling_line
from referee.match.ruling import ruling_texts
from referee.match.view import MatchView, WonView
from referee.replay.words import phrases, seat_word

STYLE = """
@page { size: A4; margin: 14mm; }
body { font: 10pt/1.35 sans-serif; color: #000; background: #fff; max-width: 182mm; margin: auto; }
h1 { font-size: 16pt; margin: 0 0 2mm; } h2 { font-size: 11pt; margin: 5mm 0 1mm; }
table { border-collapse: collapse; width: 100%; break-inside: auto; }
th, td { border-bottom: .2mm solid #999; padding: .6mm 2mm .6mm 0; text-align: left; vertical-align: top; }
th { font-weight: 600; } td.n, th.n { text-align: right; } tr { break-inside: avoid; }
thead { display: table-header-group; } .open { font-style: italic; } footer { margin-top: 4mm; font-size: 8pt; }
"""


SIGNS = {"W": "○", "B": "●", "Q": "♛"}
"""Signs of the coins, which need no translation."""
POCKET_SIGNS = {"SW": "↙", "SE": "↘", "NE": "↗", "NW": "↖"}
"""Directions of the pockets as seen from south, as on the pages."""
POCKETED = re.compile(r"\bW(\d+) B(\d+) Q=(\w+)")
"""Coins off the board at the start of a state in the notation."""


def sheet(stored: StoredMatch, language: str = "en", players: Mapping[int, str] = MappingProxyType({})) -> str:
    """Returns the whole page; raises ValueError for an unknown language.

    `players` are the names by stroke where they are known; seats stand for all others.
    """
    view, said = stored.match.view(), phrases(language)
    header = stored.contents.headers[0] if stored.contents.headers else {}
    title = f"Carrom: {' – '.join(_side(s, language) for s in view['sides']) or view['match']}"
    rules = said["rules"].format(book=stored.match.book.title)
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(_when(header))}{escape(rules)}</p>",
        *(f"<p><b>{escape(_won(result, language))}</b></p>" for result in stored.match.results),
        _table(said["result"], [(_side(s, language), s["score"], s["games"]) for s in view["sides"]]),
        _table(said["boards"], _boards(view)),
        _table(said["strokes"], _strokes(stored, language, players)),
        _table(said["words"], _words(stored, language)),
        f"<footer>{escape(_foot(stored, header, language))}</footer>",
    ]
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
    body = "\n".join(parts)
    runs = load_language(language).direction
    root = f'<html lang="{language}" dir="{runs}">'
    return f"<!doctype html>\n{root}<head>{head}</head>\n<body>\n{body}\n</body></html>\n"


def _side(side: Any, language: str) -> str:
    named = zip(side["seats"], side["players"], strict=True)
    return " & ".join(name or seat_word(seat, language) for seat, name in named)


def _won(result: WonView, language: str) -> str:
    winner = next(side for side in result["sides"] if result["winner"] in side["seats"])
    score = " : ".join(str(side["score"]) for side in result["sides"])
    return f"{phrases(language)['won'].format(who=_side(winner, language))} ({score})"


def _boards(view: MatchView) -> list[tuple[Any, ...]]:
    """Returns every board of the log that is over, those of earlier matches too."""
    played = [(won["number"], board) for won in view["finished"] for board in won["boards"]]
    played += [(view["number"], board) for board in view["boards"]]
    return [(match, b["game"], b["board"], _numbers(b["points"]), _numbers(b["score"])) for match, b in played]


def _numbers(numbers: list[int]) -> str:
    return " : ".join(map(str, numbers))


def _when(header: dict[str, Any]) -> str:
    wall = header.get("wall")
    return f"{datetime.fromtimestamp(wall):%Y-%m-%d %H:%M}, " if isinstance(wall, int | float) else ""


def _strokes(stored: StoredMatch, language: str, players: Mapping[int, str]) -> list[tuple[Any, ...]]:
    rows = []
    for n, ruling in stored.match.rulings.items():
        text = " ".join(s["text"] + (f" [{s['law']}]" if s["law"] else "") for s in ruling_texts(ruling, language))
        mark = "" if ruling.certain else f" {phrases(language)['not_certain']}"
        name, seat = players.get(n), ruling.seat.value
        who = name if name and name != seat else seat_word(seat, language)
        state = _pocketed(ruling_line(ruling)["state"] or "?")
        rows.append((n, ruling.board, who, _signs(str(ruling.tokens)), text + mark, state))
    return rows


def _signs(tokens: str) -> str:
    """Returns the result of a stroke with signs for coins and pockets: `W@NE,foul:push` as `○↗, foul:push`."""

    def sign(token: str) -> str:
        piece, _, pocket = token.partition("@")
        return SIGNS.get(piece, piece) + POCKET_SIGNS.get(pocket, "")

    return "–" if tokens == "-" else ", ".join(map(sign, tokens.split(",")))


def _pocketed(state: str) -> str:
    """Returns the coins off the board in a state in the notation; other notations as they are."""
    found = POCKETED.search(state)
    if found is None:
        return state
    white, black, queen = found.groups()
    return f"○ {white}  ● {black}" + ("" if queen == "board" else "  ♛")


def _words(stored: StoredMatch, language: str) -> list[tuple[Any, ...]]:
    rows = []
    for line in stored.contents.lines:
        if line["type"] == "correction":
            action = phrases(language)["actions"].get(line["action"], line["action"])
            said = [action, *(line.get(name) for name in ("stroke_text", "foul", "state", "event", "breaker"))]
            rows.append((line.get("stroke") or "", " ".join(str(x) for x in said if x), line.get("by") or ""))
    return rows


def _table(heading: list[str], rows: list[tuple[Any, ...]]) -> str:
    """Returns a table with its title and the names of its columns, or an empty text when there are no rows."""
    if not rows:
        return ""
    title, *columns = heading
    head = "".join(
        f'<th scope="col"{_align(value)}>{escape(c)}</th>' for c, value in zip(columns, rows[0], strict=True)
    )
    body = "\n".join("<tr>" + "".join(_cell(value) for value in row) + "</tr>" for row in rows)
    return f"<h2>{escape(title)}</h2>\n<table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"


def _cell(value: Any) -> str:
    return f"<td{_align(value)}>{escape(str(value))}</td>"


def _align(value: Any) -> str:
    """Returns the class that aligns a number, and the name of its column, to the right."""
    return ' class="n"' if isinstance(value, int) else ""


def _foot(stored: StoredMatch, header: dict[str, Any], language: str) -> str:
    rulings = stored.match.rulings.values()
    certain, program = sum(r.certain for r in rulings), header.get("program", "?")
    counts = {"certain": certain, "all": len(rulings), "match": stored.match.start.match, "program": program}
    return str(phrases(language)["foot"]).format(**counts)
