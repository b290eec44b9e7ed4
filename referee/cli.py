"""The command line: one lazy group, a module per command."""

from __future__ import annotations

from importlib import import_module
from keyword import iskeyword
from pathlib import Path

import click

from referee.commands.settings import VARIABLE, SettingsError, check_names, defaults, read_settings

COMMANDS = {
    "demo": "play a simulated match through the whole pipeline and serve the dashboard",
    "run": "referee a camera, a video or the simulator and serve the dashboard",
    "serve": "serve the stored matches without a camera",
    "analyse": "referee a recording without the web, as fast as it can",
    "detect": "find the pieces in one picture",
    "calibrate": "build a profile of a board and its camera",
    "rule": "apply a rule book to strokes given as text",
    "replay": "show or judge again a stored match",
    "statistics": "tell players' figures over stored matches",
    "export": "write a stored match as tables, a sheet or an archive",
    "import": "take over a match from an archive",
    "bench": "measure how fast and how right the referee is",
    "languages": "list the languages and what each lacks",
    "check": "check the installation",
}
"""Each command `name` is the click command `command` of the module `referee.commands.name`, loaded when asked for.

A name that Python keeps for itself has its module with an underscore behind it.
"""


def load(name: str) -> click.Command:
    """The command of that name."""
    command = import_module(f"referee.commands.{name}{'_' * iskeyword(name)}").command
    assert isinstance(command, click.Command)
    return command


class LazyGroup(click.Group):
    """Loads a command's module only when that command is used, so that `rule` needs no OpenCV."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup)
@click.version_option(package_name="carrom-referee")
@click.option("--settings", type=click.Path(path_type=Path), envvar=VARIABLE,
              help=f"A TOML file with a table of options per command, as [run]; also from {VARIABLE}.")  # fmt: skip
@click.pass_context
def main(ctx: click.Context, settings: Path | None) -> None:
    """A camera over a carrom board that sees each stroke, applies the rule book and keeps the score."""
    name = ctx.invoked_subcommand
    if settings is None or name not in COMMANDS:
        return
    try:
        tables = read_settings(settings)
        check_names(settings, tables, COMMANDS)
        ctx.default_map = {name: defaults(settings, name, tables.get(name, {}), load(name))}
    except SettingsError as e:
        raise click.ClickException(str(e)) from None
