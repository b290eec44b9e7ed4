"""`referee check`: checks whether everything that the referee needs is there and works."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Literal

import click

from models.board import board_names, load_board
from models.rules import load_book, rule_names
from referee.board_condition.condition import PASSPORT_NAME, lines
from referee.board_condition.condition import load as load_passport
from referee.commands.data_folder import data_folder
from referee.commands.settings import SettingsError, whole
from referee.frames.v4l2 import BY_ID, lasting_name
from referee.web.health import alerts_of
from referee.web.system_stats import Machine

OLDEST_PYTHON = (3, 11)

LIBRARIES = {"numpy": "numpy", "scipy": "scipy", "opencv-python-headless": "cv2", "av": "av", "pi-heif": "pi_heif",
             "pillow": "PIL", "fastapi": "fastapi", "uvicorn": "uvicorn", "websockets": "websockets", "segno": "segno",
             "click": "click", "pydyf": "pydyf", "uharfbuzz": "uharfbuzz",
             "prometheus-client": "prometheus_client",
             "glicko2-py": "glicko2"}  # fmt: skip
"""Required package -> module that must load."""

DECODERS = ("h264", "hevc", "mjpeg", "vp9", "av1")
"""Formats that cameras and phones record. All but the first are needed for some recordings only."""

SPACE_MB = 500
"""Free disk space below which a match with its clips may not fit, MB."""

CHECK_AGAIN = "install again with: deploy/dev check"


class FindingState(StrEnum):
    """State of a part of the installation."""

    OK = "ok"
    MISSING = "missing"
    """Not there, and needed only for some sources."""
    BROKEN = "broken"
    """Needed, but missing or not working."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the list."""

    name: str
    state: FindingState
    text: str
    """The finding and, unless all is well, what to do."""


@click.command()
@click.argument("logs", nargs=-1, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--data", type=click.Path(path_type=Path),
              help="Folder for the match logs; by default where referee run keeps them.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@click.option("--bundle", type=click.Path(dir_okay=False, path_type=Path),
              help="Pack logs and settings for finding a fault into this zip file, without the PIN.")  # fmt: skip
@click.pass_context
def command(ctx: click.Context, logs: tuple[Path, ...], data: Path | None, as_json: bool, bundle: Path | None) -> None:
    """Check the installation, or whether match LOGS are untouched; exit 1 when something is broken.

    \b
    referee check
    ok       python        3.11.2 on aarch64
    ok       numpy         2.4.6
    missing  picamera2     only for Raspberry Pi cameras; ...

    \b
    referee check match.jsonl
    ok       match.jsonl   412 lines, numbered and chained: none is missing, ...
    """
    file = ctx.parent.params.get("settings") if ctx.parent else None
    data = data or existing(data_folder())
    findings = list(chain.from_iterable(map(log_findings, logs))) if logs else [*check(data), *settings(file)]
    for finding in findings:
        click.echo(json.dumps(asdict(finding)) if as_json else line(finding))
    if bundle is not None:
        pack_bundle(bundle, findings, data, file)
    if broken := [finding.name for finding in findings if finding.state is FindingState.BROKEN]:
        raise click.ClickException(f"{len(broken)} broken: {', '.join(broken)}")


def existing(folder: Path) -> Path:
    """Returns the folder, or the nearest one above it that exists: there it would be made."""
    return next((each for each in (folder, *folder.parents) if each.is_dir()), Path())


def log_findings(path: Path) -> Iterator[Finding]:
    """Checks that the log is as it was written: its lines are numbered, and each holds a checksum of the one before."""
    # Loads numpy, which may be what is broken where the installation is checked.
    from referee.log import LogError, read_log

    try:
        contents = read_log(path)
        fingerprint = hashlib.sha256(path.read_bytes()).hexdigest()
    except (LogError, OSError) as e:
        yield Finding(path.name, FindingState.BROKEN, str(e))
        return
    for problem in contents.problems:
        yield Finding(path.name, FindingState.MISSING if problem.torn else FindingState.BROKEN, problem.text)
    if any(not problem.torn for problem in contents.problems):
        return
    last, lines_of = contents.next_place, len(contents.lines)
    end = f"it ends with line {last.number - 1}, check {last.before}, and its SHA-256 is {fingerprint}"
    if contents.unplaced:
        text = f"{contents.unplaced} of {lines_of} lines are of an older program that did not number them"
        yield Finding(path.name, FindingState.MISSING, f"{text}: what was left out among them nothing shows; {end}")
        return
    text = f"{lines_of} lines, numbered and chained: none is missing, doubled or changed; {end}"
    yield Finding(path.name, FindingState.OK, f"{text}: whoever noted that can show that nothing was added or cut off")


def line(finding: Finding) -> str:
    """Returns a finding as text."""
    return f"{finding.state:8} {finding.name:22} {finding.text}"


def pack_bundle(path: Path, findings: list[Finding], data: Path, file: Path | None) -> None:
    """Writes the support bundle and prints what is in it."""
    # Loads the web server, whose libraries may be broken. The findings are complete by now.
    from referee.commands.bundle import write_bundle

    try:
        names = write_bundle(path, "".join(f"{line(each)}\n" for each in findings), data, file)
    except OSError as e:
        raise click.ClickException(f"cannot write {path}: {e.strerror}; choose another place with --bundle") from None
    click.echo(f"wrote {path}: {', '.join(names)}", err=True)
    click.echo("Match logs hold the players' names, the picture shows the board: look before you send it.", err=True)


def check(data: Path) -> Iterator[Finding]:
    """Yields every finding, in the order of the layers; `data` is the folder for match logs."""
    yield python()
    for name, module in LIBRARIES.items():
        yield library(name, module)
    yield loads("boards", lambda: ", ".join(load_board(name).name for name in board_names()))
    yield loads("rule books", lambda: ", ".join(load_book(name).name for name in rule_names()))
    yield pages()
    yield from codecs()
    yield picamera()
    yield webcams()
    yield folder(data)
    yield machine(data)
    yield passport(data)


def settings(path: Path | None) -> Iterator[Finding]:
    """Checks every table of the settings file, if one is given."""
    from referee.cli import COMMANDS, load_command

    if path is None:
        return
    try:
        count = whole(path, {name: partial(load_command, name) for name in COMMANDS})
        yield Finding("settings", FindingState.OK, f"{path}, {count} tables")
    except SettingsError as e:
        yield Finding("settings", FindingState.BROKEN, "; ".join(str(e).splitlines()))


def python() -> Finding:
    """Checks that the interpreter is new enough."""
    text = f"{platform.python_version()} on {platform.machine()}"
    if sys.version_info < OLDEST_PYTHON:
        return Finding("python", FindingState.BROKEN, f"{text}; {'.'.join(map(str, OLDEST_PYTHON))} or newer is needed")
    return Finding("python", FindingState.OK, text)


def library(name: str, module: str) -> Finding:
    """Checks that a required library loads. Its compiled parts may lack the system's libraries even when it is
    installed.
    """
    try:
        import_module(module)
        return Finding(name, FindingState.OK, version(name))
    except PackageNotFoundError:
        return Finding(name, FindingState.OK, "not from a package index")
    except (ImportError, OSError) as e:
        return Finding(name, FindingState.BROKEN, f"{e}; {CHECK_AGAIN}")


def loads(name: str, load: Callable[[], str]) -> Finding:
    """Checks that the package's own data can be read."""
    try:
        return Finding(name, FindingState.OK, load())
    except (OSError, ValueError, KeyError, TypeError) as e:
        return Finding(name, FindingState.BROKEN, f"{e}; {CHECK_AGAIN}")


def pages() -> Finding:
    """Checks that the scoreboard's pages are in the package."""
    static = files("referee").joinpath("web", "static")
    count = sum(1 for entry in static.iterdir() if entry.is_file()) if static.is_dir() else 0
    if not count:
        return Finding("web pages", FindingState.BROKEN, f"the package holds none; {CHECK_AGAIN}")
    return Finding("web pages", FindingState.OK, f"{count} files")


def codecs() -> Iterator[Finding]:
    """Checks that FFmpeg, through PyAV, reads what cameras and phones record and writes what browsers play."""
    try:
        from av import Codec
        from av.codec.codec import UnknownCodecError
    except (ImportError, OSError) as e:
        yield Finding("video codecs", FindingState.BROKEN, f"{e}; {CHECK_AGAIN}")
        return

    def knows(name: str, mode: Literal["r", "w"]) -> bool:
        try:
            Codec(name, mode)
        except UnknownCodecError:
            return False
        return True

    lacking = [name for name in DECODERS if not knows(name, "r")]
    state = FindingState.BROKEN if "h264" in lacking else FindingState.MISSING if lacking else FindingState.OK
    yield Finding("video decoders", state, f"without {', '.join(lacking)}" if lacking else ", ".join(DECODERS))
    encodes = knows("h264", "w")
    yield Finding(
        "video encoder",
        FindingState.OK if encodes else FindingState.MISSING,
        "h264" if encodes else "no h264: no clips",
    )


def picamera() -> Finding:
    """Checks that picamera2 loads and finds a camera."""
    try:
        from referee.frames.frame import SourceError
        from referee.frames.picamera import cameras
    except (ImportError, OSError) as e:
        return Finding("picamera2", FindingState.MISSING, f"cannot be asked: {e}")
    try:
        names = cameras()
    except SourceError as e:
        return Finding("picamera2", FindingState.MISSING, f"only for Raspberry Pi cameras; {e}")
    return Finding(
        "picamera2", FindingState.OK if names else FindingState.MISSING, ", ".join(names) or "no camera connected"
    )


def webcams(folder: Path = Path("/dev"), names: Path = BY_ID) -> Finding:
    """Checks for V4L2 devices in `folder`; tells them by their lasting `names`."""
    devices = sorted(folder.glob("video[0-9]*")) if folder.is_dir() else []
    closed = [str(device) for device in devices if not os.access(device, os.R_OK | os.W_OK)]
    if closed:
        return Finding(
            "webcams", FindingState.MISSING, f"{', '.join(closed)} may not be opened; add this user to group video"
        )
    return Finding(
        "webcams",
        FindingState.OK,
        ", ".join(lasting_name(str(device), names) for device in devices) or "none connected",
    )


def machine(data: Path) -> Finding:
    """Checks that the computer is cool, has enough power and knows the time."""
    reading = Machine(data).read()
    lines_of = [alert.text for alert in alerts_of(None, 0.0, reading)]
    if reading.throttled_since_boot:
        lines_of.append(f"since power-on it was slowed down: {', '.join(reading.throttled_since_boot.names)}")
    if reading.clock_set is False:
        lines_of.append("the clock is not set by the network yet")
    heat = "temperature not told" if reading.temperature_c is None else f"{reading.temperature_c} °C"
    return Finding("machine", FindingState.MISSING if lines_of else FindingState.OK, "; ".join([heat, *lines_of]))


def passport(data: Path) -> Finding:
    """Reports the condition of the board last played on."""
    found = next((known for place in (data, data / "matches") if (known := load_passport(place / PASSPORT_NAME))), {})
    lines_of = "; ".join(lines(found))
    return Finding(
        "board passport", FindingState.OK, lines_of or "not measured yet: it is while people play before a live camera"
    )


def folder(data: Path) -> Finding:
    """Checks that the folder for match logs is writable and has room."""
    name = "data folder"
    try:
        with tempfile.TemporaryFile(dir=data):
            free_mb = shutil.disk_usage(data).free // 1_000_000
    except OSError as e:
        return Finding(
            name, FindingState.BROKEN, f"{data.absolute()}: {e.strerror}; give a folder you may write with --data"
        )
    if free_mb < SPACE_MB:
        return Finding(name, FindingState.BROKEN, f"{data.absolute()} has {free_mb} MB free; {SPACE_MB} MB are needed")
    return Finding(name, FindingState.OK, f"{data.absolute()}, {free_mb} MB free")
