"""The command line: one lazy group, a module per command."""

from __future__ import annotations

from importlib import import_module

import click

COMMANDS = {
    "demo": "play a simulated match through the whole pipeline and serve the dashboard",
    "run": "referee a camera, a video or the simulator and serve the dashboard",
    "analyse": "referee a recording without the web, as fast as it can",
    "detect": "find the pieces in one picture",
    "calibrate": "build a profile of a board and its camera",
    "rule": "apply a rule book to strokes given as text",
    "replay": "show or judge again a stored match",
    "export": "write a stored match as tables",
    "bench": "measure how fast and how right the referee is",
    "check": "check the installation",
}
"""Each command `name` is the click command `command` of the module `referee.commands.name`, loaded when asked for."""


class LazyGroup(click.Group):
    """Loads a command's module only when that command is used, so that `rule` needs no OpenCV."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"referee.commands.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup)
@click.version_option(package_name="carrom-referee")
def main() -> None:
    """A camera over a carrom board that sees each stroke, applies the rule book and keeps the score."""
