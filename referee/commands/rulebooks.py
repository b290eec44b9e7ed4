"""The table of docs/rulebooks.md: the ruling of every rule book on every situation, in short codes for comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources

from models.pieces import Kind
from models.rules import Book, CollectRules, Rules, load_book, sheet_names
from referee.laws import (
    AnyOutcome,
    AnyState,
    Certainty,
    CollectState,
    QueenStatus,
    Reason,
    Side,
    State,
    StrokeTokens,
    Turn,
    apply,
    parse_state,
)

HEAD = """\
# What the rule books say

Written by `referee rule --table`; a test compares it. Each row is a state and a stroke in the text form that
`referee rule` reads, each column a rule book, each cell what follows:

| code | means |
|---|---|
| `T+`, `T-` | the player goes on, the turn passes |
| `W+1`, `B-1` | so many coins more or fewer of that colour lie in pockets, when all that goes back is back |
| `due W+1` | White owes one penalty coin more |
| `Q pend`, `Q cov:W` | the queen waits for its cover, is covered by White |
| `Q void`, `Q back` | the queen goes back when the turn ends, goes back at once |
| `P1+5` | points that a player of a collecting game wins at once |
| `end W+6` | the board is over, and what it changes in the score; in a collecting game `end P1` names who won it |
| `°` | the book has no sentence for this; the ruling follows another book or the common custom, and says so |
| `!` | forbidden, but nothing follows; the ruling tells the players |
| `?` | only the umpire can decide; shown is what is proposed |
"""


@dataclass(frozen=True, slots=True)
class Situation:
    """One row of the table."""

    row: str
    """Number in the rules matrix, with a letter where a row has variants."""
    words: str
    state: AnyState
    stroke: StrokeTokens


def situations() -> tuple[Situation, ...]:
    """Returns every situation of the table, in its order."""
    text = (resources.files("referee.commands") / "situations.txt").read_text(encoding="utf-8")
    lines = [line.split("|") for line in text.splitlines() if line and not line.startswith("#")]
    return tuple(
        Situation(row.strip(), words.strip(), parse_state(state), StrokeTokens.parse(stroke.strip()))
        for row, words, state, stroke in lines
    )


def is_of(situation: Situation, book: Book) -> bool:
    """Tells whether the situation belongs to the kind of game of `book`."""
    return isinstance(situation.state, CollectState) is isinstance(book, CollectRules)


def code(situation: Situation, book: Book) -> str:
    """Returns the consequences, regardless of certainty: `W-1 Q back T-`."""
    before, outcome = situation.state, apply(situation.state, situation.stroke, book)
    over = [_end(before, outcome)] if outcome.state.over else []
    turn = {Turn.KEEP: ["T+"], Turn.PASS: ["T-"]}.get(outcome.turn, []) if outcome.turn else []
    return " ".join([*_numbers(before, outcome.state), *_queen(before, outcome), *over, *turn])


def mark(situation: Situation, book: Book) -> str:
    """Returns `?` if people decide, `°` if the book is silent, `!` if it only forbids, else nothing."""
    decisions = apply(situation.state, situation.stroke, book).decisions
    if any(d.certainty is Certainty.OPERATOR and d.reason is not Reason.EXTRA_POINTS for d in decisions):
        return "?"
    reasons = {d.reason for d in decisions}
    if reasons & {Reason.SILENT, Reason.SILENT_ALLOWED, Reason.SILENT_WARNED, Reason.SILENT_FOUL}:
        return "°"
    return "!" if Reason.WARNED in reasons else ""


def table() -> str:
    """Returns the whole page."""
    books = [load_book(name) for name in sheet_names()]
    races = [book for book in books if isinstance(book, Rules)]
    others = [book for book in books if isinstance(book, CollectRules)]
    parts = [HEAD, "## Each side clears its own colour\n", *_rows(races)]
    return "\n".join([*parts, "\n## Every coin counts for whoever pockets it\n", *_rows(others)]) + "\n"


def _rows(books: Sequence[Book]) -> Iterator[str]:
    yield "| row | situation | state | stroke | " + " | ".join(f"`{book.name}`" for book in books) + " |"
    yield "|" + "---|" * (4 + len(books))
    for each in situations():
        if is_of(each, books[0]):
            cells = [f"{code(each, book)} {mark(each, book)}".strip() for book in books]
            state = str(each.state).replace(" due 0/0", "").replace(" score 0:0", "")
            yield f"| {each.row} | {each.words} | `{state}` | `{each.stroke}` | " + " | ".join(cells) + " |"


def _numbers(before: AnyState, after: AnyState) -> Iterator[str]:
    """Yields the changes in points, pockets and dues."""
    if isinstance(before, CollectState) and isinstance(after, CollectState):
        players = [f"P{n}" for n in range(1, before.players + 1)]
        yield from _changes(players, before.points, after.points)
        yield from _changes("WB", after.left, before.left)
    elif isinstance(before, State) and isinstance(after, State):
        players = [side.letter for side in Side]
        yield from _changes(players, before.pocketed, after.pocketed)
    if not after.over:
        yield from (f"due {change}" for change in _changes(players, before.dues, after.dues))


def _changes(names: Sequence[str], before: Sequence[int], after: Sequence[int]) -> Iterator[str]:
    return (f"{name}{b - a:+}" for name, a, b in zip(names, before, after, strict=True) if a != b)


def _queen(before: AnyState, outcome: AnyOutcome) -> Iterator[str]:
    after = outcome.state
    lost = before.queen is not QueenStatus.BOARD and after.queen is QueenStatus.BOARD
    if lost or any(piece.kind is Kind.QUEEN for piece in outcome.returned):
        yield "Q back"
    elif (before.queen, _owner(before)) != (after.queen, _owner(after)):
        words = {QueenStatus.PENDING: "pend", QueenStatus.VOID: "void"}
        yield f"Q {words.get(after.queen, f'cov:{_owner(after)}')}"


def _owner(state: AnyState) -> str:
    """Returns who has the queen, as in the text notation."""
    if isinstance(state, CollectState):
        return "" if state.queen_player is None else f"P{state.queen_player + 1}"
    return state.queen_side.letter if state.queen_side else ""


def _end(before: AnyState, outcome: AnyOutcome) -> str:
    if isinstance(before, State) and isinstance(outcome.state, State):
        scored = _changes([side.letter for side in Side], before.score, outcome.state.score)
        return " ".join(["end", *scored])
    winner = outcome.result.winner if outcome.result else None
    return "end" if winner is None else f"end P{int(winner) + 1}"
