"""Rule books as data: the shipped ones load, and every mistake of a house rule is told at once."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from models.rules import RulesError, load_book, load_rules, parse_rules, read_rules, rule_names


def icf_text() -> str:
    return (resources.files("models") / "rulesets" / "icf.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", rule_names())
def test_every_shipped_book_loads(name: str) -> None:
    assert load_book(name).name == name


def test_the_icf_numbers_are_those_of_the_laws() -> None:
    icf = load_rules("icf")
    assert (icf.match.target_points, icf.match.max_boards, icf.match.games, icf.match.max_board_points) == (
        25,
        8,
        3,
        12,
    )
    assert (icf.queen.points, icf.queen.cap, icf.opening.tries) == (3, 22, 3)


def test_every_answer_of_a_book_names_its_law() -> None:
    """`law = ""` is refused, so no ruling can be without one."""
    with pytest.raises(RulesError, match=r"stroke\.rest\.own\.law must not be empty"):
        parse_rules(icf_text().replace('own                  = { turn = "keep", law = "R21" }',
                                       'own                  = { turn = "keep", law = "" }', 1), "house")  # fmt: skip


def test_an_unknown_book_names_the_known_ones() -> None:
    with pytest.raises(RulesError, match=r"unknown rule book 'club'.*icf"):
        load_rules("club")


def test_an_unknown_modifier_is_refused() -> None:
    with pytest.raises(RulesError, match="icf: unknown modifier 'turbo'; it takes knockout, team"):
        load_rules("icf+turbo")


def test_a_book_may_bring_modifiers_of_its_own() -> None:
    text = icf_text() + "\n[modifiers.short.match]\ntarget_points = 11\n[modifiers.single.match]\ngames = 1\n"
    rules = parse_rules(text, "house+short+single", ("short", "single"))
    assert (rules.match.target_points, rules.match.games, rules.match.max_boards) == (11, 1, 8)


def test_all_problems_are_listed_at_once() -> None:
    text = icf_text().replace("target_points = 25", "target_points = 0\nfun = true")
    text = text.replace("max_boards = 8", 'max_boards = "eight"').replace('when = "after_stroke"', 'when = "later"')
    text = text.replace("points = 3 ", "points = -3 ").replace("push               =", "shove =")
    with pytest.raises(RulesError) as error:
        parse_rules(text, "house")
    for problem in ("match.fun is unknown", "match.max_boards must be a whole number, not 'eight'",
                    "dues.when must be one of after_stroke, end_of_turn", "queen.points must not be negative",
                    "fouls.shove is unknown"):  # fmt: skip
        assert problem in str(error.value)


def test_a_table_with_a_gap_is_refused() -> None:
    lines = [line for line in icf_text().splitlines() if not line.startswith(("push", "theirs_striker"))]
    with pytest.raises(RulesError) as error:
        parse_rules("\n".join(lines), "house")
    assert "fouls lacks push" in str(error.value)
    assert "end.own lacks theirs_striker" in str(error.value)
    assert "improper_end.both lacks theirs_striker" in str(error.value)


def test_a_section_left_out_and_a_section_of_the_wrong_kind_are_told() -> None:
    text = icf_text().replace("[no_leave]", "[other]").replace("[placement]", "[[placement]]")
    with pytest.raises(RulesError) as error:
        parse_rules(text, "house")
    assert "no_leave is missing" in str(error.value)
    assert "other is unknown" in str(error.value)
    assert "placement must be a table" in str(error.value)


def test_numbers_that_make_no_sense_are_refused() -> None:
    with pytest.raises(RulesError, match=r"match\.games must be at least 1, not 0"):
        parse_rules(icf_text().replace("games = 3", "games = 0"), "house")


def test_a_text_that_is_no_toml_is_refused() -> None:
    with pytest.raises(RulesError, match="not TOML"):
        parse_rules("[match\n", "house")


def test_a_house_rule_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "friday.toml"
    path.write_text(icf_text().replace("target_points = 25", "target_points = 13"), encoding="utf-8")
    rules = read_rules(path)
    assert (rules.name, rules.match.target_points) == ("friday", 13)
    with pytest.raises(RulesError, match="cannot read the rule book"):
        read_rules(tmp_path / "absent.toml")
