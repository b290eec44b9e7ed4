"""The support bundle: one zip file with what helps to find a fault, without secrets that open the umpire's desk."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen
from zipfile import ZIP_DEFLATED, ZipFile

from referee.board_condition.condition import PASSPORT_NAME
from referee.web.access import PAIRING_NAME
from referee.web.process import PAIRING_VARIABLE, PIN_VARIABLE
from referee.web.serve import DEFAULT_PORT

LOGS = 5
"""Number of match logs packed, the newest ones."""
BUNDLE_LOG_BYTES = 20_000_000
"""Greatest size of a packed log, of which the end is kept, bytes. A whole match has a few megabytes."""
JOURNAL_LINES = 5000
BUNDLE_ASK_S = 10.0
"""Longest wait for the running referee and for the journal, s. The camera's picture takes up to a few seconds."""
ASKED = {"health.json": "api/health", "metrics.txt": "metrics", "camera.jpg": "api/camera.jpg"}
"""Requests to the running referee: name in the bundle -> address."""
SECRET = re.compile(
    r"(?i)((?:\b|_)PIN(?:\s+is)?[\s:=\"'(]+|/pair#|\b(?:password|passwort|psk|pairing|token)(?:\s+is)?[\s:=\"']+)[^\s\"',)]+"
)
"""Matches a secret in a line of the journal or in a text that is not TOML."""
SECRET_KEYS = re.compile(r"(?i)pin|pass|psk|secret|token|pairing|key")
"""Matches names of settings whose values are secrets."""
IN_ADDRESS = re.compile(r"(?<=://)[^\s/@\"']+(?=@)")
"""Matches the name and password in an address, such as that of a network camera."""
TAKEN_OUT = "(taken out)"
WIFI = Path("/etc/NetworkManager/system-connections/carrom.nmconnection")
LEAST_SECRET = 4
"""Shortest secret that is removed elsewhere. A shorter one would match times and lengths."""

BundlePart = tuple[str, bytes]


def write_bundle(path: Path, findings: str, data: Path, settings: Path | None) -> tuple[str, ...]:
    """Packs everything at `path` and returns the names packed. Raises OSError. `findings` is the report of `referee
    check`.
    """
    port, profile = _settled(settings)
    parts = [("check.txt", findings.encode()), *_running(port), *_journal(), *_files(data, profile)]
    if settings is not None and settings.is_file():
        parts.append(("settings.toml", _settings(settings).encode()))
    known = [secret.encode() for secret in _secrets(settings, data)]
    with ZipFile(path, "w", ZIP_DEFLATED) as bundle:
        for name, content in parts:
            for secret in () if name.endswith(".jpg") else known:
                content = content.replace(secret, TAKEN_OUT.encode())
            bundle.writestr(name, content)
    return tuple(name for name, _ in parts)


def without_secrets(text: str) -> str:
    """Returns the text without anything that looks like a PIN, a pairing link or a password."""
    return IN_ADDRESS.sub(TAKEN_OUT, SECRET.sub(rf"\1{TAKEN_OUT}", text))


def _settings(path: Path) -> str:
    """Returns the settings, parsed and written anew: a secret can be spelled in more ways than a search would find."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, RecursionError, tomllib.TOMLDecodeError) as e:
        return f"# left out, for it cannot be read as TOML and may hold the PIN: {type(e).__name__}\n"
    return "".join(_table(name, value) for name, value in tables.items())


def _table(name: str, value: Any) -> str:
    if not isinstance(value, dict):
        return f"{_text(name)} = {_value(name, value)}\n"
    rows = "".join(f"{_text(key)} = {_value(key, each)}\n" for key, each in value.items())
    return f"[{_text(name)}]\n{rows}\n"


def _value(key: str, value: Any) -> str:
    """Returns a value in TOML; what is neither text, number nor list becomes text."""
    if SECRET_KEYS.search(key):
        return _text(TAKEN_OUT)
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_text(k)} = {_value(k, v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(_value(key, each) for each in value)}]"
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    return _text(without_secrets(str(value)))


def _text(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else json.dumps(text)


def _secrets(settings: Path | None, data: Path) -> Iterator[str]:
    """Yields all known secrets of this machine, to be removed wherever they occur."""
    found = [os.environ.get(name, "") for name in (PIN_VARIABLE, PAIRING_VARIABLE)]
    for file in (data / PAIRING_NAME, data / "matches" / PAIRING_NAME):
        with suppress(OSError, UnicodeDecodeError):
            found.append(file.read_text(encoding="ascii").strip())
    with suppress(OSError, UnicodeDecodeError):
        found += re.findall(r"(?m)^psk=(.*)$", WIFI.read_text(encoding="utf-8"))
    with suppress(OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        tables = tomllib.loads(settings.read_text(encoding="utf-8")) if settings else {}
        found += _values_of(tables)
    yield from (secret for secret in found if len(secret) >= LEAST_SECRET)


def _values_of(table: dict[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _values_of(value)
        elif SECRET_KEYS.search(key) and isinstance(value, str | int) and key != "key":
            yield str(value)
        elif isinstance(value, str):
            yield from (found.partition(":")[2] for found in IN_ADDRESS.findall(value))


def _settled(settings: Path | None) -> tuple[int, Path | None]:
    """Returns port and profile of the settings' `run` table, as far as they can be read."""
    try:
        run: Any = tomllib.loads(settings.read_text(encoding="utf-8")).get("run", {}) if settings else {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        run = {}
    run = run if isinstance(run, dict) else {}
    port, profile = run.get("port", DEFAULT_PORT), run.get("profile")
    return (
        port if isinstance(port, int) else DEFAULT_PORT,
        Path(profile) if isinstance(profile, str) else None,
    )


def _running(port: int) -> Iterator[BundlePart]:
    """Yields the answers of the running referee, or why there are none."""
    for name, address in ASKED.items():
        try:
            with urlopen(f"http://127.0.0.1:{port}/{address}", timeout=BUNDLE_ASK_S) as answer:
                yield name, answer.read()
        except (URLError, OSError) as e:
            yield f"{name}.missing.txt", f"the referee at port {port} does not tell: {e}\n".encode()


def _journal() -> Iterator[BundlePart]:
    """Yields the service's own lines."""
    if not shutil.which("journalctl"):
        return
    command = ["journalctl", "--no-pager", "-u", "carrom", "-n", str(JOURNAL_LINES)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=BUNDLE_ASK_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as e:
        yield "journal.missing.txt", f"the journal cannot be read: {e}\n".encode()
        return
    yield "journal.txt", without_secrets(done.stdout + done.stderr).encode()


def _files(data: Path, profile: Path | None) -> Iterator[BundlePart]:
    """Yields the newest match logs and the profile."""
    logs = sorted({*data.glob("*.jsonl"), *data.glob("matches/*.jsonl")}, key=lambda p: p.stat().st_mtime)
    passports = sorted({*data.glob(PASSPORT_NAME), *data.glob(f"matches/{PASSPORT_NAME}")})
    for path in [*logs[-LOGS:], *passports[-1:], *([profile] if profile is not None and profile.is_file() else [])]:
        yield f"files/{path.name}", path.read_bytes()[-BUNDLE_LOG_BYTES:]
