"""Files of the hall's broker, Mosquitto: its settings, its users, and who may publish and read which topic.

Nobody is anonymous. A station writes below its own id only, and reads only what the hub sends to it; a wall's user
reads. Mosquitto 2.0 reads users and rights again on SIGHUP.
"""

from __future__ import annotations

import base64
import hashlib
import os
import secrets
import signal
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from referee.atomic_files import written
from referee.courier.topics import FROM_BOARD, HUB, ROOT, TO_BOARD, Topic

HUB_USER, WALL_USER = "hub", "wall"
SETTINGS_NAME, USERS_NAME, RIGHTS_NAME, PID_NAME = "mosquitto.conf", "users", "rights", "mosquitto.pid"
TLS_PORT, CLEAR_PORT = 8883, 1883
ITERATIONS = 101
"""Rounds of the passwords' hash, Mosquitto's own number: the secrets have 128 random bits, which nobody guesses."""
SALT_BYTES, SECRET_BYTES = 12, 16
WALL_READS = (Topic.UP, Topic.STATE, Topic.HEALTH)

SETTINGS = """\
# Written by referee hub; changes are lost.
per_listener_settings false
allow_anonymous false
password_file {folder}/{users}
acl_file {folder}/{rights}
pid_file {folder}/{pid}
persistence false
max_inflight_messages 0
max_queued_messages 2000
max_packet_size 2000000
log_dest stderr
log_type error
log_type warning
listener {clear_port} 127.0.0.1
"""
TLS_SETTINGS = """\
listener {tls_port}
certfile {cert}
keyfile {key}
tls_version tlsv1.2
"""


@dataclass(frozen=True, slots=True)
class Account:
    """A user of the broker, with the hash of its secret."""

    user: str
    hashed: str


def new_secret() -> str:
    """Returns a new secret of 128 random bits."""
    return secrets.token_urlsafe(SECRET_BYTES)


def hashed(secret: str) -> str:
    """Returns a secret's hash as Mosquitto's password file holds it (PBKDF2 with SHA-512)."""
    salt = secrets.token_bytes(SALT_BYTES)
    digest = hashlib.pbkdf2_hmac("sha512", secret.encode(), salt, ITERATIONS)
    return f"$7${ITERATIONS}${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"


def is_secret(secret: str, stored: str) -> bool:
    """Tells whether this is the secret of a hash."""
    try:
        _, kind, iterations, salt, digest = stored.split("$")
        found = hashlib.pbkdf2_hmac("sha512", secret.encode(), base64.b64decode(salt), int(iterations))
        return kind == "7" and secrets.compare_digest(found, base64.b64decode(digest))
    except ValueError:
        return False


class BrokerFiles:
    """The broker's files in a folder of the hub."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def settings(self) -> Path:
        """The file with which Mosquitto is started."""
        return self.folder / SETTINGS_NAME

    def write_settings(
        self, cert: Path | None, key: Path | None, tls_port: int = TLS_PORT, clear_port: int = CLEAR_PORT
    ) -> None:
        """Writes the settings; without a certificate there is the loopback's listener only. Raises OSError."""
        text = SETTINGS.format(folder=self.folder, users=USERS_NAME, rights=RIGHTS_NAME, pid=PID_NAME,
                               clear_port=clear_port)  # fmt: skip
        if cert is not None:
            text += TLS_SETTINGS.format(tls_port=tls_port, cert=cert, key=key)
        _write(self.settings, text)

    def write_accounts(self, hub: Account, wall: Account, stations: Iterable[Account]) -> None:
        """Writes all users with their rights, and makes a running broker read them. Raises OSError."""
        stations = list(stations)
        _write(self.folder / USERS_NAME, "".join(f"{a.user}:{a.hashed}\n" for a in (hub, wall, *stations)))
        _write(self.folder / RIGHTS_NAME, "\n".join([_hub_rights(), _wall_rights(), *(map(_rights, stations))]))
        with suppress(FileNotFoundError, ValueError, ProcessLookupError):
            process = int((self.folder / PID_NAME).read_text())
            if is_broker(process):
                os.kill(process, signal.SIGHUP)


def is_broker(process: int) -> bool:
    """Tells whether this is Mosquitto: after a power cut its number may be another program's.

    Raises FileNotFoundError if there is none.
    """
    if not Path("/proc/self").exists():
        return True
    return Path(f"/proc/{process}/comm").read_text(encoding="utf-8").strip() == "mosquitto"


def _hub_rights() -> str:
    return f"user {HUB_USER}\ntopic readwrite {ROOT}/#\n"


def _wall_rights() -> str:
    return f"user {WALL_USER}\n" + "".join(f"topic read {ROOT}/+/{topic}\n" for topic in WALL_READS)


def _rights(station: Account) -> str:
    mine = f"{ROOT}/{station.user}"
    writes = [f"{mine}/{topic}" + ("/+" if topic is Topic.LOG else "") for topic in FROM_BOARD]
    reads = [HUB, *(f"{mine}/{topic}" for topic in TO_BOARD)]
    rights = [*(f"topic write {topic}" for topic in writes), *(f"topic read {topic}" for topic in reads)]
    return "\n".join([f"user {station.user}", *rights, ""])


def _write(path: Path, text: str) -> None:
    with written(path) as part:
        part.touch(mode=0o600)
        part.write_text(text, encoding="utf-8")
