"""What the rule books make of each situation: as the matrix says by hand, and as the docs show."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest
from click.testing import CliRunner

from models.rules import Book, RulesError, load_book, sheet_names
from referee.cli import main
from referee.commands.rulebooks import Situation, code, is_of, mark, situations
from referee.laws import CollectState

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs" / "rulebooks.md"

BOOKS = [load_book(name) for name in sheet_names()]
GROUPS = {"ch": ["ch_de", "ch_en", "ch_fr", "ch_es"]}
COLLECTING = "# ---- collecting games ----"


def games() -> tuple[str, str]:
    """The lines of the race games and of the collecting games."""
    text = (HERE / "cases" / "differences.txt").read_text(encoding="utf-8")
    race, _, collecting = text.partition(COLLECTING)
    return race, collecting


def lines(text: str) -> dict[str, list[str]]:
    """The cells of each row by its number."""
    rows = [line.split("|") for line in text.splitlines() if line and line[0] not in "#+"]
    return {row.strip(): [cell.strip() for cell in cells] for row, *cells in rows}


RACE, COLLECT = map(lines, games())
MODIFIERS = {
    name.strip(): set(rows.split())
    for name, _, rows in (line.partition("|") for line in games()[1].splitlines() if line.startswith("+"))
}


def expected(situation: Situation, book: Book) -> str | None:
    """What the hand-made list says; None when the umpire has to decide."""
    rows = COLLECT if isinstance(situation.state, CollectState) else RACE
    said: dict[str, str] = {}
    for cell in rows.get(situation.row, []):
        what, _, books = cell.rpartition(" : ")
        said |= {name: what for word in books.split() for name in GROUPS.get(word, [word])}
    return said.get(book.name, said.get("all"))


CASES = [(each, book) for each in situations() for book in BOOKS if is_of(each, book)]


@pytest.mark.parametrize(("situation", "book"), CASES, ids=lambda v: v.row if isinstance(v, Situation) else v.name)
def test_a_book_says_what_the_matrix_says(situation: Situation, book: Book) -> None:
    wanted = expected(situation, book)
    if wanted is None:
        assert mark(situation, book) == "?", f"{book.name} decides {code(situation, book)} by itself"
    else:
        assert code(situation, book) == wanted


def test_two_books_differ_where_the_matrix_says_so_and_only_there() -> None:
    for situation in situations():
        for one in BOOKS:
            for other in BOOKS:
                wanted = [expected(situation, book) for book in (one, other) if is_of(situation, book)]
                if len(wanted) == 2 and None not in wanted:
                    same = code(situation, one) == code(situation, other)
                    assert same == (wanted[0] == wanted[1]), (situation.row, one.name, other.name)


def test_every_row_of_the_list_is_a_situation_and_names_known_books() -> None:
    rows = {isinstance(each.state, CollectState): set[str]() for each in situations()}
    for each in situations():
        assert each.row not in rows[isinstance(each.state, CollectState)], each.row
        rows[isinstance(each.state, CollectState)].add(each.row)
    assert set(RACE) == rows[False]
    assert set(COLLECT) <= rows[True]
    words = {word for cells in (*RACE.values(), *COLLECT.values()) for c in cells for word in c.split(" : ")[1].split()}
    assert words <= {*sheet_names(), *GROUPS, "all"}


@pytest.mark.parametrize("name", sheet_names())
@pytest.mark.parametrize("modifier", MODIFIERS)
def test_a_modifier_changes_its_rows_and_no_other_where_the_book_takes_it(name: str, modifier: str) -> None:
    plain = load_book(name)
    text = (resources.files("models") / "rulesets" / f"{name}.toml").read_text(encoding="utf-8")
    if f"[modifiers.{modifier.removeprefix('+')}" not in text:
        with pytest.raises(RulesError, match="unknown modifier"):
            load_book(name + modifier)
        return
    changed = load_book(name + modifier)
    mine = [each for each in situations() if is_of(each, plain)]
    differ = {s.row for s in mine if (code(s, plain), mark(s, plain)) != (code(s, changed), mark(s, changed))}
    assert differ == MODIFIERS[modifier]


def test_the_docs_show_what_the_command_writes() -> None:
    written = CliRunner().invoke(main, ["rule", "--table"])
    assert written.exit_code == 0
    assert DOCS.read_text(encoding="utf-8") == written.output, "write docs/rulebooks.md anew: referee rule --table"
