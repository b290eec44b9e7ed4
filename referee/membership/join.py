"""Joins a hall: fetches the hub's certificate, compares its fingerprint, and hands in the code over that connection."""

from __future__ import annotations

import json
import ssl
import urllib.request
from pathlib import Path
from urllib.error import HTTPError, URLError

from referee.log.identity import Station
from referee.membership.invitation import Invitation, InvitationError, fingerprint_of
from referee.membership.place import Membership, MembershipError, keep_membership, tls_of

JOIN_S = 10.0
"""Longest wait for the hub, s."""
JOIN_PATH = "api/station/join"
MOST_ANSWER_BYTES = 10_000


def join_hall(invitation: Invitation, station: Station, folder: Path) -> Membership:
    """Joins the hall and keeps the board's place in `folder`. Raises InvitationError."""
    certificate = _certificate(invitation)
    hub = f"https://{invitation.host}:{invitation.port}/"
    body = {"code": invitation.code, "station": {"id": station.id, "name": station.name}}
    request = urllib.request.Request(
        f"{hub}{JOIN_PATH}", json.dumps(body).encode(), {"content-type": "application/json"}, method="POST"
    )
    try:
        with urllib.request.urlopen(request, timeout=JOIN_S, context=tls_of(certificate)) as answer:
            said = json.loads(answer.read(MOST_ANSWER_BYTES))
        place = Membership(
            invitation.host.strip("[]"), int(said["port"]), station.id, str(said["secret"]), certificate, hub
        )
        keep_membership(folder, place)
    except HTTPError as e:
        e.close()
        raise InvitationError(
            "the hub does not take this code, which is good once and for two minutes: let the desk show another"
        ) from None
    except (URLError, OSError, ValueError, KeyError, TypeError, MembershipError) as e:
        raise InvitationError(f"the hall cannot be joined ({e}); try again with another code") from None
    return place


def _certificate(invitation: Invitation) -> str:
    """Returns the certificate that the hub shows (PEM), if it is the invitation's."""
    try:
        certificate = ssl.get_server_certificate((invitation.host.strip("[]"), invitation.port), timeout=JOIN_S)
    except (OSError, ValueError):
        raise InvitationError(
            f"the hub at {invitation.host}:{invitation.port} does not answer: bring the board into its network"
        ) from None
    if fingerprint_of(certificate) != invitation.fingerprint:
        raise InvitationError(
            "somebody else answers at the hub's address, or it has another certificate now: nothing was told to it"
        )
    return certificate
