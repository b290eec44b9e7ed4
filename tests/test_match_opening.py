"""The opening layout as a match tells it: once, in time, and only when certain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from match_play import stroke

from models.pieces import Kind, Piece, Seat, opening_formation
from models.rules import load_rules
from referee.facts import AlertKind, Formation, Table
from referee.laws import Side, State
from referee.log import LogWriter, read_log
from referee.log.session import Session
from referee.match import Start
from referee.match.opening import OpeningWatch
from referee.match.position import Position

WHOLE = opening_formation(31.0)
SWAPPED = [replace(p, kind={2: Kind.BLACK, 3: Kind.WHITE}.get(i, p.kind)) for i, p in enumerate(WHOLE)]
SEATS = ((Seat.SOUTH, Side.WHITE), (Seat.NORTH, Side.BLACK))


def alerts(folder: Path, *facts: object) -> list[str]:
    """What the log of a match with these facts tells of its layout."""
    path = folder / "a.jsonl"
    with LogWriter(path) as log:
        session = Session(log, Start("m1", seats=SEATS))
        session.begin(1.0)
        for fact in facts:
            session.add(fact)  # type: ignore[arg-type]
    lines = read_log(path).lines
    return [line["text"] for line in lines if line["type"] == "alert" and line["kind"] == AlertKind.LAYOUT_DIFFERS]


def table(t: float, pieces: Sequence[Piece]) -> Table:
    return Table(t, tuple(pieces))


def test_a_layout_by_the_book_is_not_talked_about(tmp_path: Path) -> None:
    break_ = stroke(1, "south", "-", 5.0)
    assert alerts(tmp_path, table(1.0, WHOLE), Formation(1.5, WHOLE), table(2.0, WHOLE), break_) == []


def test_swapped_coins_are_told_before_the_break_and_once(tmp_path: Path) -> None:
    shifted = [replace(p, x_mm=p.x_mm + 1.0) for p in SWAPPED]
    (text,) = alerts(tmp_path, table(1.0, SWAPPED), table(2.0, shifted), stroke(1, "south", "-", 5.0))
    assert text.startswith("The opening layout: A black coin lies where a white coin belongs: outer ring")
    assert "A white coin lies where a black coin belongs: outer ring" in text


def test_a_missing_coin_is_told_only_when_play_begins_without_it(tmp_path: Path) -> None:
    building = [table(1.0, WHOLE[:17]), table(2.0, WHOLE[:18])]
    assert alerts(tmp_path, *building, table(3.0, WHOLE), stroke(1, "south", "-", 5.0)) == []
    (tmp_path / "a.jsonl").unlink()
    (text,) = alerts(tmp_path, *building, stroke(1, "south", "-", 5.0))
    assert "A black coin is missing" in text


def test_a_spare_coin_is_told_while_it_can_be_taken_away(tmp_path: Path) -> None:
    spare = Piece(Kind.WHITE, 200.0, 10.0)
    (text,) = alerts(tmp_path, table(1.0, [*WHOLE, spare]))
    assert text == "The opening layout: A white coin lies beside the layout: x 200 mm, y 10 mm."


def test_a_board_under_way_is_no_layout_with_faults(tmp_path: Path) -> None:
    break_ = stroke(1, "south", "-", 5.0)
    assert alerts(tmp_path, Formation(1.0, WHOLE), table(1.5, WHOLE), break_, table(8.0, SWAPPED)) == []


def test_colours_that_are_all_wrong_were_misread_and_nothing_is_told(tmp_path: Path) -> None:
    turned = {Kind.WHITE: Kind.BLACK, Kind.BLACK: Kind.WHITE, Kind.QUEEN: Kind.QUEEN}
    assert alerts(tmp_path, table(1.0, [replace(p, kind=turned[p.kind]) for p in WHOLE])) == []


def test_the_next_board_is_looked_at_anew(tmp_path: Path) -> None:
    over = Position(state=State.parse("W9 B5 Q=cov:W mv end board 1"), played=True)
    watch, rules = OpeningWatch(), load_rules("icf")
    assert watch.check(table(1.0, SWAPPED), over, rules)
    assert not watch.check(table(2.0, SWAPPED), over, rules)
    assert not watch.check(table(3.0, SWAPPED), replace(over, state=State(), played=True), rules)
    assert watch.check(table(4.0, SWAPPED), over, rules)


@pytest.mark.parametrize(("wanted", "told"), [(True, True), (False, False)])
def test_the_arm_must_point_at_the_breaker_only_where_the_book_wants_it(wanted: bool, told: bool) -> None:
    icf = load_rules("icf")
    rules = replace(icf, opening=replace(icf.opening, arm_to_breaker=wanted))
    watch = OpeningWatch()
    north = Position(first=Seat.NORTH, state=State(board=1, breaks=0, strokes=0))
    alert = watch.check(table(1.0, WHOLE), north, rules)
    assert (alert is not None) is told
    assert not alert or alert.text.endswith("this is no foul.")
