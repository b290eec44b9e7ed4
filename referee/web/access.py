"""Who may change the match: the umpire by PIN, a tablet paired at the box. Sessions are kept only as hashes."""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from referee.web.rate_limit import Brake

logger = logging.getLogger(__name__)

PIN_DIGITS = 6
"""A million PINs and the brake make guessing from the hall hopeless; six digits can still be read out loud."""
KEY_BYTES = 16
"""Random bytes of a session's token and of the pairing code: nobody guesses 128 bits."""
SESSIONS_NAME = "sessions.json"
UMPIRE_S = 12 * 3600.0
"""An umpire's session lasts a day of play, seconds."""
TABLET_S = 365 * 86400.0
"""A tablet is paired once; after a year without the box it is asked again, seconds."""


def one_line(text: str) -> str:
    """A name as lists and logs can show it: what steers printers and terminals is a space."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


Name = Annotated[str, Field(max_length=40), AfterValidator(one_line)]
"""What somebody is to be called in the log."""


class Role(StrEnum):
    """What a session may do."""

    UMPIRE = "umpire"
    """Everything."""
    TABLET = "tablet"
    """Answer the referee's questions, undo and redo."""


LASTS_S = {Role.UMPIRE: UMPIRE_S, Role.TABLET: TABLET_S}


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who may change something."""

    role: Role
    name: str = ""
    """How the holder wants to be called in the log."""
    key: str = ""
    """SHA-256 of the token, hexadecimal."""
    until: float = float("inf")
    """Unix seconds."""

    @property
    def by(self) -> str:
        """Who, as the log says it."""
        return self.name or self.role.value


class Refused(Exception):
    """A PIN or a pairing code is missing or wrong; the message is for the one who gave it."""


class Doors:
    """The PIN, the pairing code and the sessions that they opened."""

    def __init__(self, pin: str | None, pairing: str | None, file: Path | None = None,
                 wall: Callable[[], float] = time.time, brake: Brake | None = None) -> None:  # fmt: skip
        """`pin` None: everybody is the umpire. `pairing` None: no tablet can be paired and none counts as paired."""
        self._pin, self.pairing = pin, pairing
        self._file, self._wall = file, wall
        self._brake = brake or Brake()
        self._sessions = {s.key: s for s in _read(file)}

    @property
    def locked(self) -> bool:
        """False when the house was started without a PIN."""
        return self._pin is not None

    def session(self, token: str | None) -> Session | None:
        """Whose token this is; None for nobody's."""
        if self._pin is None:
            return Session(Role.UMPIRE)
        found = self._sessions.get(_hashed(token)) if token else None
        if found is None or found.until < self._wall() or (found.role is Role.TABLET and self.pairing is None):
            return None
        return found

    def by_pin(self, pin: str, name: str, address: str) -> str:
        """A new umpire's token; raises Refused, or Braked after too many wrong ones."""
        self._brake.check(address)
        if self._pin is not None and not secrets.compare_digest(pin.encode(), self._pin.encode()):
            self._brake.wrong(address)
            raise Refused("that is not the umpire's PIN, which was shown when the referee was started")
        self._brake.right(address)
        return self._open(Role.UMPIRE, name)

    def by_pairing(self, code: str, name: str, address: str) -> str:
        """A new tablet's token; raises Refused, or Braked after too many wrong ones."""
        self._brake.check(address)
        if self.pairing is None:
            raise Refused("tablets cannot be paired here: ask the umpire for the PIN")
        if not secrets.compare_digest(code.encode(), self.pairing.encode()):
            self._brake.wrong(address)
            raise Refused("this code is no longer valid: scan the one that the referee shows now")
        return self._open(Role.TABLET, name)

    def close(self, token: str | None) -> None:
        """Ends a session."""
        if token and self._sessions.pop(_hashed(token), None):
            self._keep()

    def _open(self, role: Role, name: str) -> str:
        token = secrets.token_urlsafe(KEY_BYTES)
        session = Session(role, name, _hashed(token), self._wall() + LASTS_S[role])
        self._sessions = {k: s for k, s in self._sessions.items() if s.until > self._wall()} | {session.key: session}
        self._keep()
        return token

    def _keep(self) -> None:
        """Sessions outlive the house; the file holds nothing that opens a door."""
        if self._file is None:
            return
        text = json.dumps([asdict(s) for s in self._sessions.values()])
        new = self._file.with_suffix(".new")
        try:
            new.touch(mode=0o600)
            new.write_text(text, encoding="utf-8")
            new.replace(self._file)
        except OSError as e:
            logger.warning("sessions cannot be kept (%s): a restart asks for the PIN again", e.strerror)


def random_pin() -> str:
    """A new PIN for one run of the house."""
    return f"{secrets.randbelow(10**PIN_DIGITS):0{PIN_DIGITS}d}"


def random_pairing() -> str:
    """A new pairing code for one run of the house."""
    return secrets.token_urlsafe(KEY_BYTES)


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _read(file: Path | None) -> list[Session]:
    """The sessions kept; a file that cannot be read costs a new sign-in and nothing else."""
    if file is None or not file.is_file():
        return []
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
        return [Session(Role(r["role"]), str(r["name"]), str(r["key"]), float(r["until"])) for r in rows]
    except (OSError, ValueError, TypeError, KeyError):
        return []
