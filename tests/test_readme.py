"""The README tells the truth: its commands exist, its examples run and print what it says."""

from __future__ import annotations

import doctest
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import cv2
import pytest
from click.testing import CliRunner
from sim_clips import one_stroke

from referee.cli import COMMANDS, main
from tools.bench.__main__ import main as tools

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")

PICTURE_BYTES = 300 * 1024


def told_commands() -> list[list[str]]:
    """Returns the words of every `referee ...` in the README's code."""
    found = re.findall(r"(?:^(?:    |\$ )|`)(?:referee|deploy/dev) ([a-z]+\b[^`#\n]*)", README, re.MULTILINE)
    return [shlex.split(words) for words in found]


def examples() -> Iterator[tuple[str, str]]:
    """Each command of a console block with the output below it."""
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


@pytest.mark.parametrize("words", told_commands(), ids=" ".join)
def test_every_command_and_option_named_exists(words: list[str]) -> None:
    name, *rest = words
    if name in ("test", "lint", "hall"):
        assert re.search(rf"^{name}\)", (ROOT / "deploy" / "dev").read_text(), re.MULTILINE)
        return
    command = main.get_command(click.Context(main), name)
    assert command is not None, f"there is no command {name}"
    if isinstance(command, click.Group) and rest:
        command = command.commands[rest[0]]
    options = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in rest if word.startswith("-")} <= options


def told_measurements() -> list[list[str]]:
    """Every `python -m tools.bench ...` and `referee bench ...` in the docs' indented lines as words."""
    texts = [README, *(path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md")))]
    lines = (
        re.findall(r"^    (?:\S+python -m tools\.|referee )(bench\b[^#\n]*)", text, re.MULTILINE) for text in texts
    )
    return [shlex.split(words) for found in lines for words in found]


@pytest.mark.parametrize("words", told_measurements(), ids=" ".join)
def test_every_measurement_named_in_the_docs_exists(words: list[str]) -> None:
    _, *rest = words
    name = rest[0] if rest and not rest[0].startswith("-") else "speed"
    bench = main.get_command(click.Context(main), "bench")
    assert isinstance(bench, click.Group)
    command = (bench.commands | tools.commands)[name]
    options = {option for parameter in command.params for option in parameter.opts + parameter.secondary_opts}
    assert {word for word in rest if word.startswith("-")} <= options


def test_every_command_is_named() -> None:
    assert {words[0] for words in told_commands()} >= set(COMMANDS)


def test_the_examples_print_what_the_readme_says(clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "match.mkv").write_bytes(clip.read_bytes())
    cv2.imwrite(str(tmp_path / "photo.png"), one_stroke(65)[0].bgr())
    monkeypatch.chdir(tmp_path)
    for command, output in examples():
        result = CliRunner().invoke(main, shlex.split(command)[1:])
        assert result.exit_code == 0, result.output
        same = doctest.OutputChecker().check_output(output, result.stdout, doctest.ELLIPSIS)
        assert same, f"{command} prints\n{result.stdout}"


def test_links_and_pictures_exist() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).is_file(), target
    assert (ROOT / "docs" / "scoreboard.png").stat().st_size < PICTURE_BYTES


def test_every_file_and_folder_named_in_code_exists() -> None:
    """Of the README and of the table that says where each thing is decided; some are named without their folder."""
    texts = README + (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:\w+/)*\w+\.py|(?:\w+/)+)`", texts))
    assert len(named) > 30
    code = [path for package in ("models", "calibration", "referee", "tests", "tools") for path in
            (ROOT / package, *(ROOT / package).rglob("*")) if "__pycache__" not in path.parts]  # fmt: skip
    here = {f"/{path.relative_to(ROOT)}" + ("/" if path.is_dir() else "") for path in code}
    assert sorted(name for name in named if not any(path.endswith(f"/{name}") for path in here)) == []


def test_every_library_we_need_is_explained() -> None:
    wanted = re.findall(r'^  "([a-z0-9-]+)>=', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    told = README[README.index("## Built with") :]
    assert [name for name in wanted if name not in told and name not in ("simplejpeg", "hatchling", "editables")] == []
