"""Rule books as data: the shipped ones load, and every mistake of a house rule is told at once."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from models.rules import RulesError, book_text, load_book, load_rules, parse_book, parse_rules, read_rules, rule_names


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
    with pytest.raises(RulesError, match="icf: unknown modifier 'turbo'; it takes knockout, stay, team"):
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


def test_a_house_rule_is_chosen_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "a+b" / "club.toml"
    path.parent.mkdir()
    path.write_text(icf_text().replace("target_points = 25", "target_points = 13"), encoding="utf-8")
    rules = load_rules(f"{path}+team+boards=3")
    assert (rules.match.target_points, rules.match.max_boards, rules.seating.players) == (13, 3, 4)
    with pytest.raises(RulesError, match="cannot read the rule book"):
        load_rules(str(tmp_path / "none.toml"))


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("masters+target=21", ("match", "target_points"), 21),
        ("ch_en+boards=6", ("match", "max_boards"), 6),
        ("booklet+games=3", ("match", "games"), 3),
        ("booklet_family+players=4", ("seating", "players"), 4),
    ],
)
def test_numbers_of_a_match_stand_in_its_name(name: str, field: tuple[str, str], value: int) -> None:
    assert getattr(getattr(load_book(name), field[0]), field[1]) == value


@pytest.mark.parametrize("name", ["icf+target=", "icf+target=-1", "icf+target=x", "icf+goals=3"])
def test_a_number_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(RulesError, match="unknown modifier"):
        load_rules(name)


def test_numbers_that_would_never_end_a_game_are_refused() -> None:
    with pytest.raises(RulesError, match="no game would ever end"):
        load_rules("ch_en+target=0")
    with pytest.raises(RulesError, match="must be 2 or 4 in a race game"):
        load_rules("icf+players=3")
    with pytest.raises(RulesError, match="must be 2 to 4"):
        load_book("booklet_21+players=9")


MODIFIED = {
    "ch_de": ("board_60", "arc_rule", "team"),
    "ch_en": ("team",),
    "ch_fr": ("board_60", "arc_rule", "team"),
    "ch_es": ("board_60", "arc_rule", "team"),
    "short_de": ("team",),
    "masters": ("team",),
    "booklet": ("team",),
    "mix25": ("team",),
    "icf": ("team", "knockout"),
}


@pytest.mark.parametrize(("name", "modifiers"), MODIFIED.items())
def test_every_modifier_of_a_book_loads(name: str, modifiers: tuple[str, ...]) -> None:
    for modifier in modifiers:
        assert load_rules(f"{name}+{modifier}") != load_rules(name)
    assert load_rules("+".join((name, *modifiers))).name == "+".join((name, *modifiers))


def test_a_collecting_game_is_no_race() -> None:
    with pytest.raises(RulesError, match="booklet_21 is a collecting game"):
        load_rules("booklet_21")


def test_a_book_says_which_kind_of_game_it_is() -> None:
    with pytest.raises(RulesError, match="mode must be one of race, collect, not 'chess'"):
        parse_rules(icf_text().replace('mode = "race"', 'mode = "chess"'), "house")
    with pytest.raises(RulesError, match="modifiers must be tables"):
        parse_rules("modifiers = 3\n" + icf_text().split("# ---- modifiers")[0], "house")


def test_an_ending_needs_a_law_or_a_row_and_not_two_answers() -> None:
    def replaced(new: str) -> str:
        return icf_text().replace('mine           = { winner = "mover", law = "R25a", points = "board" }', new, 1)

    with pytest.raises(RulesError, match=r"end\.own\.mine\.law is missing"):
        parse_rules(replaced('mine = { winner = "mover", points = "board" }'), "house")
    both = 'mine = { winner = "mover", law = "x", row = { turn = "pass", law = "x" } }'
    with pytest.raises(RulesError, match=r"end\.own\.mine cannot have both a winner and a row"):
        parse_rules(replaced(both), "house")


def test_a_collecting_book_is_held_to_its_own_tables() -> None:
    text = (resources.files("models") / "rulesets" / "booklet_21.toml").read_text(encoding="utf-8")
    with pytest.raises(RulesError) as error:
        parse_book(text.replace("[stroke.cover]", "[stroke.other]").replace("white = 1", "white = -1"), "house")
    for problem in ("stroke.other is unknown", "values.white must not be negative"):
        assert problem in str(error.value)
    only = text[: text.index("[stroke.cover]")] + text[text.index("# ---- strokes with") :]
    with pytest.raises(RulesError, match=r"stroke\.cover lacks nothing, own, striker, striker_own"):
        parse_book(only, "house")


def test_faults_of_values_and_of_the_whole_are_told_together() -> None:
    """A wrong value must not hide that a row is missing or a number senseless."""
    text = book_text("ch_de")
    for old, new in (
        ("games = 1 ", "games = 0\nfrobs = 3 "),
        ("players = 2", "players = 3"),
        ('direction = "right"', 'direction = "up"'),
        ("[queen]\n", '[queen]\nshape = "round"\n'),
        ("\nown         ", "\nowned         "),
    ):
        assert old in text
        text = text.replace(old, new, 1)
    with pytest.raises(RulesError) as error:
        parse_rules(text, "club")
    for problem in ("match.frobs is unknown", "seating.direction must be", "queen.shape is unknown", "lacks own",
                    "match.games must be at least 1", "seating.players must be 2 or 4"):  # fmt: skip
        assert problem in str(error.value), str(error.value)
