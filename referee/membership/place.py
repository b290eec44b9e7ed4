"""A board's place in a hall: address of the broker, user and secret, and the certificate that is trusted.

Pairing writes it to a file in the data folder, readable by its owner alone. Without the file the courier does nothing.
"""

from __future__ import annotations

import ipaddress
import json
import ssl
from dataclasses import asdict, dataclass
from pathlib import Path

from referee.atomic_files import written

HALL_FILE = "hall.json"
"""Name of the file in the data folder."""


class MembershipError(Exception):
    """The board's place in the hall cannot be used; the message is one sentence that says what to do."""


@dataclass(frozen=True, slots=True)
class Membership:
    """How a station, or the hub itself, comes to the broker."""

    host: str
    port: int
    user: str
    """Name at the broker: the station's id."""
    secret: str
    certificate: str | None = None
    """Certificate (PEM) of the hub, the only one that is accepted; None: in clear, on a loopback address only."""
    hub: str = ""
    """Address of the hub's pages, to which pictures and clips are uploaded when it wants them."""

    def tls(self) -> ssl.SSLContext | None:
        """Returns the context that accepts the hub's certificate and no other; None in clear. Raises MembershipError.

        The certificate itself is trusted, and no authority: whom its name is for does not matter.
        """
        if self.certificate is None:
            if not is_loopback(self.host):
                raise MembershipError(
                    f"{self.host} is another machine, and there is no certificate: pair this board anew"
                )
            return None
        return tls_of(self.certificate)


def tls_of(certificate: str) -> ssl.SSLContext:
    """Returns the context that accepts this certificate (PEM) and no other. Raises MembershipError."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.check_hostname = False
    try:
        context.load_verify_locations(cadata=certificate)
    except ssl.SSLError:
        raise MembershipError("the hub's certificate is damaged: pair this board anew") from None
    return context


def membership_of(folder: Path) -> Membership | None:
    """Returns the place of the board whose data folder this is; None if it is in no hall. Raises MembershipError."""
    path = folder / HALL_FILE
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        return Membership(str(said["host"]), int(said["port"]), str(said["user"]), str(said["secret"]),
                          said.get("certificate"), str(said.get("hub", "")))  # fmt: skip
    except FileNotFoundError:
        return None
    except OSError as e:
        raise MembershipError(
            f"{path} cannot be read ({e.strerror}): run the courier as the user of the referee"
        ) from None
    except (ValueError, KeyError, TypeError):
        raise MembershipError(f"{path} is damaged: delete it, and pair this board anew") from None


def keep_membership(folder: Path, membership: Membership) -> None:
    """Stores a board's place, readable by its owner alone. Raises OSError."""
    with written(folder / HALL_FILE) as part:
        part.touch(mode=0o600)
        part.write_text(json.dumps(asdict(membership)), encoding="utf-8")


def leave(folder: Path) -> None:
    """Takes the board out of its hall. Raises OSError."""
    (folder / HALL_FILE).unlink(missing_ok=True)


def is_loopback(host: str) -> bool:
    """Tells whether an address or a name is this machine's own."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
