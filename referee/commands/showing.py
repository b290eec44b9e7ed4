"""Shared by `run` and `demo`: the link in the data folder, the web server, and the lines that print its address."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import click

from referee.commands.data_folder import data_folder
from referee.commands.matches import next_log
from referee.frames.frame import Source
from referee.link import VisionEnd
from referee.pipeline.frame_referee import FrameReferee
from referee.pipeline.publisher import Publisher
from referee.pipeline.run_match import Audience, NoAudience
from referee.web.prefix import ROOT_PATH
from referee.web.process import PIN_VARIABLE, WebProcess
from referee.web.serve import DEFAULT_PORT, OFF, SERVE_EVERYWHERE, WebServerError, WebSettings
from referee.web.server import Secrets
from referee.web.sessions import qr_text
from referee.web.startup_message import welcome

WEB_OPTIONS = (
    "port",
    "host",
    "pin",
    "no_web",
    "no_pairing",
    "private",
    "name",
    "proxy",
    "root_path",
    "https",
    "cert",
    "key",
)
"""Options that `web_options` adds, as parameters of `shown`."""

DESKTOPS = ("DISPLAY", "WAYLAND_DISPLAY")
"""Variables that a desktop sets on Linux."""

Command = TypeVar("Command", bound=Callable[..., Any])


def _rooted(_context: click.Context, _option: click.Parameter, value: str) -> str:
    """Returns a path with a leading slash and no trailing one."""
    path = value.rstrip("/")
    if not ROOT_PATH.fullmatch(path):
        raise click.BadParameter(f"{value} is no path; write it as /carrom")
    return path


def web_options(command: Command) -> Command:
    """Adds options for where and to whom the scoreboard is served."""
    for option in (
        click.option("--key", type=click.Path(dir_okay=False, path_type=Path), help="Private key (PEM) of --cert."),
        click.option("--cert", type=click.Path(dir_okay=False, path_type=Path),
                     help="Serve HTTPS with this certificate (PEM)."),
        click.option("--https", is_flag=True, help="Serve HTTPS with a self-signed certificate of this machine."),
        click.option("--root-path", default="", callback=_rooted,
                     help="Path below which the proxy serves the pages, such as /carrom."),
        click.option("--proxy", help="Address of the reverse proxy, whose headers about the client are trusted."),
        click.option("--name", multiple=True, callback=lambda _c, _p, value: tuple(value),
                     help="Another host name under which browsers may reach the pages, such as carrom.example.org."),
        click.option("--private", is_flag=True, help="Show the pages only to those who sign in."),
        click.option("--no-pairing", is_flag=True, help="Do not let tablets be paired; only the PIN opens the desk."),
        click.option("--no-web", is_flag=True, help="Do not serve the scoreboard."),
        click.option("--pin", envvar=PIN_VARIABLE,
                     help='The umpire\'s PIN, or "off" for none; by default a random one is printed.'),
        click.option("--host", default=SERVE_EVERYWHERE, show_default=True, help="Network address on which to serve."),
        click.option("--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True,
                     help="Port of the scoreboard; 0 takes a free one."),
    ):  # fmt: skip
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Showing:
    """A match that is shown: who follows it, and the addresses that are still to be printed."""

    publisher: Publisher
    """The scoreboard's audience."""
    addresses: Audience
    """An audience that prints the addresses once the source and its board are there."""


class Addresses(NoAudience):
    """An audience that prints the pages' addresses when the first match begins, so that they lead somewhere."""

    def __init__(self, print_them: Callable[[], None]) -> None:
        self._print: Callable[[], None] | None = print_them

    def began(self, source: Source, frame_referee: FrameReferee, log: Path) -> None:
        self.print()

    def print(self) -> None:
        """Prints them, once."""
        if self._print is not None:
            self._print()
        self._print = None


@contextmanager
def following(log: Path, *, port: int, host: str, pin: str | None, no_web: bool, no_pairing: bool = False,
          private: bool = False, name: tuple[str, ...] = (), proxy: str | None = None, root_path: str = "",
          https: bool = False, cert: Path | None = None, key: Path | None = None,
          serves_on: Callable[[], bool] | None = None, at_once: bool = False, only_stored: bool = False,
          tours: bool = False, opens: bool | None = None) -> Iterator[Showing]:  # fmt: skip
    """Yields who follows a match logged at `log`, with the scoreboard served.

    Its addresses are printed once the board is there, or `at_once`. `only_stored`: nothing is played, so they are those
    of the stored matches. `tours`: the tour is offered too, and the scoreboard opened in the browser if `opens`, by
    default where a person and a desktop are there; else its code is printed.
    """
    with VisionEnd(log.parent) as link:
        if not only_stored:
            click.echo(f"Match log: {log}")
        if no_web:
            with Publisher(link) as audience:
                yield Showing(audience, NoAudience())
            return
        try:
            web = WebProcess(WebSettings(log, log.parent, host, port, pin, OFF if no_pairing else None, private,
                                               name, proxy, root_path, https, cert, key))  # fmt: skip
            with web, Publisher(link, serves_on) as audience:
                urls = public_urls(web.urls, name, root_path)
                addresses = Addresses(lambda: _announce(urls, web.keys, only_stored, tours, opens))
                if at_once or only_stored:
                    addresses.print()
                yield Showing(audience, addresses)
        except WebServerError as e:
            raise click.ClickException(str(e)) from None


def public_urls(urls: tuple[str, ...], names: tuple[str, ...], root_path: str) -> tuple[str, ...]:
    """Returns the addresses to print for a server at `urls`. Below a path only the proxy shows the pages."""
    if not root_path:
        return urls
    hosts = names or tuple(urlsplit(url).hostname or "" for url in urls)
    return tuple(f"http://{host}{root_path}/" for host in hosts)


def _announce(urls: tuple[str, ...], keys: Secrets, only_stored: bool, tours: bool, opens: bool | None) -> None:
    if only_stored:
        click.echo(f"Matches: {urls[0]}matches")
        click.echo(f"Players: {urls[0]}statistics")
        return
    for line in welcome(urls, keys):
        click.echo(line)
    if tours:
        click.echo(f"Tour in four pictures: {urls[0]}tour")
        _invite(urls, opens)


def _invite(urls: tuple[str, ...], opens: bool | None) -> None:
    """Opens the scoreboard on this computer, or prints the code that leads another device to it."""
    is_read = sys.stdout.isatty()
    has_desktop = sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in DESKTOPS)
    if (opens if opens is not None else is_read and has_desktop) and webbrowser.open(urls[-1]):
        return
    if is_read:
        click.echo("Scan to open the scoreboard on a phone or tablet:")
        click.echo(qr_text(urls[0]))


def new_log() -> Path:
    """Returns a log for a match that begins now, in the data folder, which is created if missing."""
    folder = data_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise click.ClickException(f"cannot make {folder}: {e.strerror}; give a file with --log") from None
    return next_log(folder)
