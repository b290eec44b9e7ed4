"""The support bundle: what helps to find a fault, in one zip file, without what opens the umpire's desk."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen
from zipfile import ZIP_DEFLATED, ZipFile

from referee.board_condition.condition import PASSPORT_NAME
from referee.web.serve import DEFAULT_PORT

LOGS = 5
"""Match logs packed, the newest ones."""
LOG_BYTES = 20_000_000
"""The end of a longer log is packed; a log of a whole match has a few megabytes."""
JOURNAL_LINES = 5000
ASK_S = 10.0
"""Longest wait for the running referee and for the journal; the camera's picture takes up to a few seconds."""
ASKED = {"health.json": "api/health", "metrics.txt": "metrics", "camera.jpg": "api/camera.jpg"}
"""What the running referee tells: name in the bundle -> address."""
SECRET = re.compile(r"(?im)^(\s*pin\s*=\s*|.*\bPIN )\S+")
"""A PIN in a settings file or in a line of the journal."""

Part = tuple[str, bytes]


def write_bundle(path: Path, findings: str, data: Path, settings: Path | None) -> tuple[str, ...]:
    """Packs everything at `path`; the names packed. Raises OSError. `findings` is what `referee check` tells."""
    port, profile = _settled(settings)
    parts = [("check.txt", findings.encode()), *_running(port), *_journal(), *_files(data, profile)]
    if settings is not None and settings.is_file():
        parts.append(("settings.toml", without_secrets(settings.read_text(encoding="utf-8")).encode()))
    with ZipFile(path, "w", ZIP_DEFLATED) as bundle:
        for name, content in parts:
            bundle.writestr(name, content)
    return tuple(name for name, _ in parts)


def without_secrets(text: str) -> str:
    """The text with every PIN taken out."""
    return SECRET.sub(r"\1(taken out)", text)


def _settled(settings: Path | None) -> tuple[int, Path | None]:
    """Port and profile of the settings' `run` table, as far as they can be read."""
    try:
        run: dict[str, Any] = tomllib.loads(settings.read_text(encoding="utf-8")).get("run", {}) if settings else {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        run = {}
    return int(run.get("port", DEFAULT_PORT)), Path(run["profile"]) if "profile" in run else None


def _running(port: int) -> Iterator[Part]:
    """What the referee that runs on this machine tells, or why it does not."""
    for name, address in ASKED.items():
        try:
            with urlopen(f"http://127.0.0.1:{port}/{address}", timeout=ASK_S) as answer:
                yield name, answer.read()
        except (URLError, OSError) as e:
            yield f"{name}.missing.txt", f"the referee at port {port} does not tell: {e}\n".encode()


def _journal() -> Iterator[Part]:
    """The service's own lines."""
    if not shutil.which("journalctl"):
        return
    command = ["journalctl", "--no-pager", "-u", "carrom", "-n", str(JOURNAL_LINES)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=ASK_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as e:
        yield "journal.missing.txt", f"the journal cannot be read: {e}\n".encode()
        return
    yield "journal.txt", without_secrets(done.stdout + done.stderr).encode()


def _files(data: Path, profile: Path | None) -> Iterator[Part]:
    """The newest match logs and the profile."""
    logs = sorted({*data.glob("*.jsonl"), *data.glob("matches/*.jsonl")}, key=lambda p: p.stat().st_mtime)
    passports = sorted({*data.glob(PASSPORT_NAME), *data.glob(f"matches/{PASSPORT_NAME}")})
    for path in [*logs[-LOGS:], *passports[-1:], *([profile] if profile is not None and profile.is_file() else [])]:
        yield f"files/{path.name}", path.read_bytes()[-LOG_BYTES:]
