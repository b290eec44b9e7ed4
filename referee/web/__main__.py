"""`python -m referee.web`: runs the web server alone, as a service of its own or as a child process of `run`."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from referee.web.process import PAIRING_VARIABLE, PIN_VARIABLE
from referee.web.serve import DEFAULT_PORT, SERVE_EVERYWHERE, WebServerError, WebSettings, serve
from referee.web.server import Secrets
from referee.web.startup_message import welcome

WEB_NICENESS = 2
"""Niceness relative to the vision process. On an overloaded machine pages wait and no frame does."""


@click.command()
@click.option("--log", type=click.Path(dir_okay=False, path_type=Path), required=True, help="The match log to show.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the vision process's socket [the log's].",
)
@click.option("--host", default=SERVE_EVERYWHERE, show_default=True, help="Address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True, help="0: any free one.")
@click.option("--pin", envvar=PIN_VARIABLE, help='Umpire\'s PIN, "off" for none [random; off on a loopback address].')
@click.option("--pairing", envvar=PAIRING_VARIABLE, help='Code that pairs a tablet, "off" for none [random].')
@click.option("--private", is_flag=True, help="Only who signs in may look.")
@click.option("--name", "names", multiple=True, help="A name of the wide world under which people come.")
@click.option("--proxy", help="Address of a proxy whose word on who asks is believed.")
@click.option("--root-path", default="", help="Where the proxy serves this, such as /carrom.")
@click.option("--https", is_flag=True, help="Encrypted, with a certificate of the machine's own.")
@click.option("--cert", type=click.Path(dir_okay=False, path_type=Path), help="Certificate (PEM) instead.")
@click.option("--key", type=click.Path(dir_okay=False, path_type=Path), help="Its key (PEM).")
@click.option("--child", is_flag=True, help="Report in JSON and end when the input is closed.")
def main(log: Path, folder: Path | None, host: str, port: int, pin: str | None, pairing: str | None, private: bool,
         child: bool, **more: Any) -> None:  # fmt: skip
    """Serves the scoreboard of a match, e.g.: python -m referee.web --log match.jsonl --port 8080"""
    os.nice(WEB_NICENESS)
    settings = WebSettings(log, folder or log.parent, host, port, pin or None, pairing or None, private, **more)
    try:
        serve(settings, _report if child else _announce, _close_with_input if child else None,
              _beat if child else None)  # fmt: skip
    except WebServerError as e:
        if child:
            click.echo(json.dumps({"error": str(e)}))
            raise SystemExit(1) from None
        raise click.ClickException(str(e)) from None
    except KeyboardInterrupt:
        return


def _announce(urls: tuple[str, ...], keys: Secrets) -> None:
    for line in welcome(urls, keys):
        click.echo(line)


def _report(urls: tuple[str, ...], _keys: Secrets) -> None:
    click.echo(json.dumps({"urls": urls, "port": urlsplit(urls[0]).port}))
    sys.stdout.flush()


def _beat() -> None:
    """Writes a heartbeat to the parent process."""
    try:
        os.write(sys.stdout.fileno(), b"\n")
    except BrokenPipeError:
        # The parent has gone; the end of our input says so too.
        return


def _close_with_input(close: Callable[[], None]) -> None:
    """Ends the server when the parent process closes its end of standard input, or dies.

    The input is read without its buffer, whose lock would make the interpreter abort at an interrupt.
    """

    def wait() -> None:
        while os.read(sys.stdin.fileno(), 1):
            pass
        close()

    threading.Thread(target=wait, name="parent-watch", daemon=True).start()


if __name__ == "__main__":
    main()
