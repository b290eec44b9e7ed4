"""Authorisation of changes: the umpire by PIN, a tablet by a pairing code. Sessions are stored as hashes only."""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from referee.atomic_files import written
from referee.replay.ages import since_boot, steady_now
from referee.web.rate_limit import RateLimit

logger = logging.getLogger(__name__)

PIN_DIGITS = 8
"""Digits of a PIN. A hundred million PINs and the rate limit make guessing hopeless; eight digits can still be read
out.
"""
KEY_BYTES = 16
"""Random bytes of a session's token and of the pairing code. 128 bits cannot be guessed."""
SESSIONS_NAME = "sessions.json"
PAIRING_NAME = "pairing.key"
UMPIRE_S = 12 * 3600.0
"""Lifetime of an umpire's session, s: a day of play."""
MOST_SESSIONS = 200
"""Greatest number of sessions, more than any tournament has; the oldest is dropped."""
TABLET_S = 365 * 86400.0
"""Lifetime of a tablet's pairing without the box, s: a year."""


def one_line(text: str) -> str:
    """Returns a name for lists and logs, with control characters as spaces."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


Name = Annotated[str, Field(max_length=40), AfterValidator(one_line)]
"""A person's name as the log shows it."""


class Role(StrEnum):
    """Rights of a session."""

    UMPIRE = "umpire"
    """Everything."""
    TABLET = "tablet"
    """Answer the referee's questions, undo and redo."""


LASTS_S = {Role.UMPIRE: UMPIRE_S, Role.TABLET: TABLET_S}


@dataclass(frozen=True, slots=True)
class UmpireSession:
    """A session that may change something."""

    role: Role
    name: str = ""
    """The holder's name in the log."""
    key: str = ""
    """SHA-256 of the token, hexadecimal."""
    until: float = float("inf")
    """End of the session on the clock of `Access`, s."""
    address: str = ""
    """Network address from which it was opened."""

    @property
    def by(self) -> str:
        """Author of a change, as in the log."""
        return self.name or self.role.value


class AccessRefused(Exception):
    """A PIN or a pairing code is missing or wrong; the message is for its sender."""


class Access:
    """The PIN, the pairing code and the sessions that they opened.

    A session is valid only with the secret that opened it: with another PIN, or another code, it is void.
    """

    def __init__(self, pin: str | None, pairing: str | None, file: Path | None = None,
                 wall: Callable[[], float] = steady_now, brake: RateLimit | None = None) -> None:  # fmt: skip
        """`pin` None: everybody is the umpire. `pairing` None: no tablet can be paired, and none counts as paired."""
        self._pin, self.pairing = pin, pairing
        self._file, self._wall = file, wall
        self._brake = brake or RateLimit()
        self._sessions = {s.key: s for s in _read(file, wall())}
        for session in self._sessions.values():
            if session.address and session.until > wall():
                self._brake.know(session.address)

    @property
    def locked(self) -> bool:
        """False if the server was started without a PIN."""
        return self._pin is not None

    @property
    def wrong_within_hour(self) -> int:
        """Number of wrong PINs and codes within the last hour."""
        return self._brake.wrong_within_hour

    def session(self, token: str | None) -> UmpireSession | None:
        """Returns the session of a token; None for an unknown one."""
        if self._pin is None:
            return UmpireSession(Role.UMPIRE)
        for role, secret in self._secrets() if token else ():
            found = self._sessions.get(_hashed(token or "", secret))
            if found is not None and found.role is role and found.until >= self._wall():
                return found
        return None

    def by_pin(self, pin: str, name: str, address: str) -> str:
        """Returns a new umpire's token. Raises AccessRefused, or Braked after too many wrong PINs."""
        self._brake.check(address)
        if self._pin is not None and not secrets.compare_digest(pin.encode(), self._pin.encode()):
            self._brake.wrong(address)
            raise AccessRefused("that is not the umpire's PIN, which was shown when the referee was started")
        self._brake.right(address)
        return self._open(Role.UMPIRE, name, self._pin or "", address)

    def by_pairing(self, code: str, name: str, address: str) -> str:
        """Returns a new tablet's token. Raises AccessRefused, or Braked after too many wrong codes."""
        self._brake.check(address)
        if self.pairing is None:
            raise AccessRefused("tablets cannot be paired here: ask the umpire for the PIN")
        if not secrets.compare_digest(code.encode(), self.pairing.encode()):
            self._brake.wrong(address)
            raise AccessRefused("this code is no longer valid: scan the one that the referee shows now")
        return self._open(Role.TABLET, name, self.pairing, "")

    def close(self, token: str | None) -> None:
        """Ends a session."""
        if (session := self.session(token)) is not None and session.key in self._sessions:
            del self._sessions[session.key]
            self._keep()

    def close_all(self, role: Role) -> None:
        """Ends every session of umpires, or unpairs every tablet and replaces the pairing code."""
        self._sessions = {key: s for key, s in self._sessions.items() if s.role is not role}
        if role is Role.TABLET and self.pairing is not None:
            self.pairing = random_pairing()
            if self._file is not None:
                keep_pairing(self._file.with_name(PAIRING_NAME), self.pairing)
        self._keep()

    def _secrets(self) -> Iterator[tuple[Role, str]]:
        yield Role.UMPIRE, self._pin or ""
        if self.pairing is not None:
            yield Role.TABLET, self.pairing

    def _open(self, role: Role, name: str, secret: str, address: str) -> str:
        token = secrets.token_urlsafe(KEY_BYTES)
        session = UmpireSession(role, name, _hashed(token, secret), self._wall() + LASTS_S[role], address)
        living = {k: s for k, s in self._sessions.items() if s.until > self._wall()}
        if len(living) >= MOST_SESSIONS:
            living.pop(next(iter(living)))
        self._sessions = living | {session.key: session}
        self._keep()
        return token

    def _keep(self) -> None:
        """Stores the sessions, which outlive the server. The file holds no secret that opens one."""
        if self._file is None:
            return
        boot = {"boot": _boot(), "since_boot": since_boot() - self._wall()}
        text = json.dumps([asdict(s) | boot for s in self._sessions.values()])
        _keep_private(self._file, text, "sessions cannot be kept: a restart asks for the PIN again")


def stored_pairing(folder: Path) -> str:
    """Returns this box's pairing code. It is drawn once and stored, so that tablets stay paired over restarts."""
    file = folder / PAIRING_NAME
    try:
        known = file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        known = ""
    if known.isprintable() and len(known) >= KEY_BYTES:
        return known
    code = random_pairing()
    keep_pairing(file, code)
    return code


def keep_pairing(file: Path, code: str) -> None:
    """Stores the code, readable by its owner alone."""
    _keep_private(file, code, "the pairing code cannot be kept: after a restart tablets are paired again")


def _keep_private(file: Path, text: str, otherwise: str) -> None:
    try:
        with written(file) as part:
            part.touch(mode=0o600)
            part.write_text(text, encoding="utf-8")
    except OSError as e:
        logger.warning("%s (%s)", otherwise, e.strerror)


def random_pin() -> str:
    """Returns a new random PIN."""
    return f"{secrets.randbelow(10**PIN_DIGITS):0{PIN_DIGITS}d}"


def random_pairing() -> str:
    """Returns a new random pairing code."""
    return secrets.token_urlsafe(KEY_BYTES)


def _hashed(token: str, secret: str) -> str:
    """Returns the hash of a token (128 random bits) with the secret that opened it. It does not reveal the PIN, and
    another secret gives another hash.
    """
    return hashlib.sha256(f"{secret}\0{token}".encode()).hexdigest()


def _boot() -> str:
    """Returns the id of this boot of the machine; empty where Linux reports none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _read(file: Path | None, now: float) -> list[UmpireSession]:
    """Returns the stored sessions; none if the file is unreadable, which costs a new sign-in only.

    While the machine runs they age by its steady clock, whoever sets the time of day.
    """
    if file is None or not file.is_file():
        return []
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
        return [_session_of(row, now) for row in rows]
    except (OSError, ValueError, TypeError, KeyError):
        return []


def _session_of(row: dict[str, Any], now: float) -> UmpireSession:
    until, boot = float(row["until"]), row.get("boot")
    if boot and boot == _boot():
        until += float(row["since_boot"]) - (since_boot() - now)
    return UmpireSession(Role(row["role"]), str(row["name"]), str(row["key"]), until, str(row.get("address", "")))
