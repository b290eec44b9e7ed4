"""The settings file: options said once, mistakes told in a sentence, and a sample that equals the defaults."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from referee.cli import COMMANDS, load_command, main
from referee.commands.settings import SettingsError, defaults, key_of, whole

SAMPLE = Path(__file__).parents[1] / "deploy" / "settings.toml"
STROKE = ("--state", "W4 B2 Q=board due 0/0 score 0:0 mv W", "--stroke", "W,W,S")
EXAMPLE = re.compile(r"^# (?=[a-z-]+ = )", re.MULTILINE)


def rule(tmp_path: Path, text: str, *more: str, **environment: str) -> Result:
    """`referee rule` on a stroke, with this settings file."""
    path = tmp_path / "settings.toml"
    path.write_text(text)
    words = [] if environment else ["--settings", str(path)]
    return CliRunner().invoke(main, [*words, "rule", *STROKE, *more], env=environment)


def test_a_table_gives_the_options_of_its_command(tmp_path: Path) -> None:
    assert rule(tmp_path, '[rule]\nrules = "masters"\n').output.startswith("W5 B2")


def test_the_command_line_wins(tmp_path: Path) -> None:
    assert rule(tmp_path, '[rule]\nrules = "masters"\n', "--rules", "icf").output.startswith("W3 B2")


def test_the_environment_can_name_the_file(tmp_path: Path) -> None:
    result = rule(tmp_path, '[rule]\nrules = "masters"\n', CARROM_SETTINGS=str(tmp_path / "settings.toml"))
    assert result.output.startswith("W5 B2")


def test_an_argument_can_be_given_too(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('[analyse]\nsource = "nowhere"\n')
    result = CliRunner().invoke(main, ["--settings", str(path), "analyse", "--log", str(tmp_path / "a.jsonl")])
    assert "nowhere: no such file" in result.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[rule]\nruels = "icf"\n', "[rule]: there is no option ruels; did you mean rules?"),
        ("[rulle]\n", "there is no command rulle; did you mean rule?"),
        ("[rule]\nrules = 3\n", "[rule]: rules is 3, but must be a text in quotes"),
        ("[rule]\njson = 1\n", "[rule]: json is 1, but must be true or false"),
        ('rules = "icf"\n', "rules stands before any table"),
        ("[rule\n", "not TOML"),
        ("[rule]\nrules = " + "[" * 20000, "not TOML"),
    ],
)
def test_a_mistake_is_one_sentence_that_names_it(tmp_path: Path, text: str, told: str) -> None:
    result = rule(tmp_path, text)
    assert (result.exit_code, result.stdout) == (1, "")
    assert told in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_command_of_commands_has_a_table_for_each(tmp_path: Path) -> None:
    assert defaults(tmp_path, "bench", {"truth": {"only": "moon"}}, load_command("bench")) == {
        "truth": {"only": "moon"}
    }
    path = tmp_path / "settings.toml"
    path.write_text('[bench.truth]\nfolder = "nowhere"\n')
    result = CliRunner().invoke(main, ["--settings", str(path), "bench", "truth"])
    assert "'nowhere' does not exist" in result.stderr


@pytest.mark.parametrize(
    ("table", "told"),
    [({"frames": 0}, "frames stands in no table; put it below one of [bench.speed]"),
     ({"sped": {}}, "there is no command sped; did you mean speed?"),
     ({"speed": {"frame": 0}}, "[bench.speed]: there is no option frame; did you mean frames?")],
)  # fmt: skip
def test_a_mistake_in_the_table_of_such_a_command_is_told(tmp_path: Path, table: dict[str, Any], told: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(told)):
        defaults(tmp_path, "bench", table, load_command("bench"))


def test_values_are_checked_as_on_the_command_line(tmp_path: Path) -> None:
    table = {"port": 70000, "size": "3x", "fps": True, "stay": False}
    with pytest.raises(SettingsError) as caught:
        defaults(tmp_path, "run", table, load_command("run"))
    problems = str(caught.value).splitlines()
    assert [re.sub(r".*\[run\]: (\w+).*", r"\1", problem) for problem in problems] == ["port", "size", "fps"]


def commands(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """Yields the command, or those of a group, with their names."""
    if not isinstance(command, click.Group):
        yield name, command
        return
    for each, inner in command.commands.items():
        yield from commands(f"{name} {each}", inner)


def test_no_option_takes_a_number_that_is_none() -> None:
    """NaN is neither too small nor too large for click's own range."""
    taken, tried = [], 0
    for name in COMMANDS:
        for path, command in commands(name, load_command(name)):
            for param in command.params:
                if isinstance(param.type, click.FloatRange) or param.type is click.FLOAT:
                    tried += 1
                    try:
                        param.type.convert("nan", param, None)
                    except click.BadParameter:
                        continue
                    taken.append((path, param.name))
    assert tried > 5
    assert taken == []


@pytest.mark.parametrize("event", ["", "round=three", "round=99999", "board=٣", "day=monday", "tourney="])
def test_an_event_that_is_none_is_told(event: str) -> None:
    result = CliRunner().invoke(main, ["run", "sim", "--event", event, "--no-web"])
    assert result.exit_code == 2
    assert "write it as tourney=Club cup,round=3,board=7" in result.stderr


def test_a_missing_file_is_told_with_what_to_do(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["--settings", str(tmp_path / "none.toml"), "rule", *STROKE])
    assert (result.exit_code, "give another file with --settings" in result.stderr) == (1, True)


def test_check_looks_at_every_table(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("[run]\nprot = 80\n")
    result = CliRunner().invoke(main, ["--settings", str(path), "check", "--data", str(tmp_path)])
    assert result.exit_code == 1
    assert "did you mean port?" in result.output


def test_the_sample_equals_the_defaults() -> None:
    for name, table in tomllib.loads(SAMPLE.read_text()).items():
        params = {key_of(param): param for param in load_command(name).params}
        for key, value in table.items():
            default = params[key].get_default(click.Context(load_command(name)))
            assert value == (str(default) if isinstance(default, Path) else default), f"[{name}] {key}"


def test_the_sample_names_every_option_of_its_commands(tmp_path: Path) -> None:
    every = tmp_path / "every.toml"
    every.write_text(EXAMPLE.sub("", SAMPLE.read_text()).replace("/var/lib/carrom-referee/lens", str(tmp_path)))
    tables = tomllib.loads(every.read_text())
    for name, table in tables.items():
        assert table.keys() == {key_of(param) for param in load_command(name).params}, f"[{name}] of {SAMPLE.name}"
    assert whole(every, {name: (lambda name=name: load_command(name)) for name in COMMANDS}) == len(tables)
    assert {"run", "calibrate", "check"} <= tables.keys()
