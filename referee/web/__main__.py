"""`python -m referee.web`: the house alone, for a service of its own or as the wiring's child process."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import click

from referee.web.process import PIN_VARIABLE
from referee.web.serve import DEFAULT_PORT, EVERYWHERE, HouseError, HouseSettings, serve


@click.command()
@click.option("--log", type=click.Path(dir_okay=False, path_type=Path), required=True, help="The match log to show.")
@click.option(
    "--folder", type=click.Path(file_okay=False, path_type=Path), help="Folder of the eyes' socket [the log's]."
)
@click.option("--host", default=EVERYWHERE, show_default=True, help="Address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True, help="0: any free one.")
@click.option("--pin", envvar=PIN_VARIABLE, help='Umpire\'s PIN, "off" for none [random; off on a loopback address].')
@click.option("--child", is_flag=True, help="Report in JSON and end when the input is closed.")
def main(log: Path, folder: Path | None, host: str, port: int, pin: str | None, child: bool) -> None:
    """Serves the scoreboard of a match, e.g.: python -m referee.web --log match.jsonl --port 8080"""
    settings = HouseSettings(log, folder or log.parent, host, port, pin or None)
    try:
        serve(settings, _report if child else _announce, _close_with_input if child else None)
    except HouseError as e:
        if child:
            click.echo(json.dumps({"error": str(e)}))
            raise SystemExit(1) from None
        raise click.ClickException(str(e)) from None
    except KeyboardInterrupt:
        return


def _announce(urls: tuple[str, ...], pin: str | None) -> None:
    for url in urls:
        click.echo(f"Scoreboard: {url}")
    click.echo(f"Umpire's desk: {urls[0]}umpire" + (f" (PIN {pin})" if pin else " (no PIN)"))


def _report(urls: tuple[str, ...], _pin: str | None) -> None:
    click.echo(json.dumps({"urls": urls, "port": urlsplit(urls[0]).port}))
    sys.stdout.flush()


def _close_with_input(close: Callable[[], None]) -> None:
    """Ends the house when our parent closes its end of our input, or dies."""

    def wait() -> None:
        sys.stdin.buffer.read()
        close()

    threading.Thread(target=wait, name="parent-watch", daemon=True).start()


if __name__ == "__main__":
    main()
