"""The command line: one group of commands, with a module for each that is loaded on demand."""

from __future__ import annotations

from importlib import import_module
from keyword import iskeyword
from pathlib import Path

import click

from referee.commands.settings import VARIABLE, SettingsError, check_names, defaults, read_settings

COMMANDS = {
    "demo": "play a simulated match and show it on the scoreboard",
    "run": "referee a camera, a video or the simulator and serve the scoreboard",
    "serve": "show the stored matches on pages, without a camera",
    "analyse": "referee a recording without web pages, as fast as possible",
    "detect": "find the pieces in one picture",
    "calibrate": "measure a board and its camera and store them as a profile",
    "rule": "apply a rule book to strokes given as text",
    "replay": "print a stored match, or judge it again",
    "statistics": "print the players' statistics of stored matches",
    "export": "write a stored match as tables, a printable sheet, a clip or an archive",
    "import": "add a match from an archive to the stored matches",
    "bench": "measure the speed and the accuracy of the referee",
    "languages": "list the languages and their missing phrases",
    "courier": "bring this board's matches to the hub of a hall",
    "hub": "join the boards of a hall: one wall, one chief's desk",
    "again": "have the matches of a hall judged again by workers",
    "worker": "judge matches of a hall again, on any machine",
    "check": "check the installation and the machine",
}
"""Help line of each command. Command `name` is the click command `command` of the module `referee.commands.name`.

If the name is a Python keyword, the module's name ends with an underscore.
"""


def load_command(name: str) -> click.Command:
    """Returns the command of that name."""
    command = import_module(f"referee.commands.{name}{'_' * iskeyword(name)}").command
    assert isinstance(command, click.Command)
    return command


class LazyGroup(click.Group):
    """Loads a command's module only when that command is used, so that `rule` needs no OpenCV."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load_command(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup)
@click.version_option(package_name="carrom-referee")
@click.option("--settings", type=click.Path(path_type=Path), envvar=VARIABLE,
              help=f"TOML file with a table of options for each command, as [run]; default: {VARIABLE}.")  # fmt: skip
@click.pass_context
def main(ctx: click.Context, settings: Path | None) -> None:
    """A camera over a carrom board that sees each stroke, applies the rule book and keeps the score."""
    name = ctx.invoked_subcommand
    if settings is None or name not in COMMANDS:
        return
    try:
        tables = read_settings(settings)
        check_names(settings, tables, COMMANDS)
        ctx.default_map = {name: defaults(settings, name, tables.get(name, {}), load_command(name))}
    except SettingsError as e:
        raise click.ClickException(str(e)) from None
