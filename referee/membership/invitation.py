"""An invitation to a hall: where the hub is, the fingerprint of its certificate, and a code that is good once.

`carrom-hub:HOST:PORT#SHA256.CODE`; the fingerprint is 64 hexadecimal digits. It is shown as a QR code.
"""

from __future__ import annotations

import hashlib
import re
import ssl
from dataclasses import dataclass

SCHEME = "carrom-hub"
INVITATION = re.compile(
    SCHEME + r":(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]{1,253}):(\d{1,5})#([0-9a-f]{64})\.([A-Za-z0-9_-]{8,64})"
)


class InvitationError(Exception):
    """A hall cannot be joined; the message is one sentence that says what to do."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """What the QR code holds."""

    host: str
    port: int
    fingerprint: str
    """SHA-256 of the hub's certificate (DER), in hexadecimal digits."""
    code: str

    def __str__(self) -> str:
        return f"{SCHEME}:{self.host}:{self.port}#{self.fingerprint}.{self.code}"


def invitation_of(text: str) -> Invitation:
    """Returns the invitation in a text. Raises InvitationError."""
    found = INVITATION.fullmatch(text.strip())
    if found is None or not 0 < int(found[2]) < 65536:
        raise InvitationError("this is no invitation to a hall: take the code that the chief's desk shows")
    return Invitation(found[1], int(found[2]), found[3], found[4])


def fingerprint_of(certificate: str) -> str:
    """Returns the fingerprint of a certificate (PEM)."""
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate)).hexdigest()
