"""Start-up message at the box: the pages' addresses, the PIN, and the code that pairs a tablet."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from referee.web.server import Secrets
from referee.web.sessions import pairing_url, qr_text


def welcome(urls: tuple[str, ...], keys: Secrets) -> Iterator[str]:
    """Yields lines to print; the pairing code only in a terminal that a person reads."""
    for url in urls:
        yield f"Scoreboard: {url}"
    yield f"Umpire's desk: {urls[0]}umpire" + (f" (PIN {keys.pin})" if keys.pin else " (no PIN)")
    yield f"Set-up: {urls[0]}setup"
    if keys.pairing and sys.stdout.isatty():
        yield "Pair a tablet, which then may answer questions and undo:"
        yield qr_text(pairing_url(urls[0], keys.pairing))
