"""Many and slow connections of one address, and guessing: newcomers are served, the journal stays short."""

from __future__ import annotations

import os
import socket
import time
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from campaign.cuts import Result
from referee.web.process import WebProcess
from referee.web.rate_limit import RateLimit, RateLimited
from referee.web.serve import WebSettings

ATTACKER, NEWCOMER = "127.0.0.1", "127.0.0.2"
HELD = 1015
SERVED_S, JOURNAL_A_MINUTE = 2.0, 1_000_000
WRONG_AN_HOUR, KEPT_OUT_S = 100, 30.0
HOUR = 3600


class Hands:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def connections(folder: Path, seconds: float) -> Result:
    """So long one address holds 1,015 half-sent requests, asks for nonsense, and another one asks for the page."""
    result, worst = Result(), 0.0
    log, journal = folder / "match.jsonl", folder / "journal"
    with (
        _journal(journal),
        WebProcess(WebSettings(log, folder, "127.0.0.1", 0, pin="24681357")) as house,
        ExitStack() as stack,
    ):
        at = urlsplit(house.urls[0])
        place = (at.hostname or "", at.port or 0)
        began = time.monotonic()
        held: deque[socket.socket] = deque()
        while time.monotonic() - began < seconds:
            while len(held) < HELD:
                held.append(stack.enter_context(_half_sent(place)))
            for n in range(50):
                _asked(place, f"/{'x' * 2000}{n}", ATTACKER)
                held.popleft().close()
            asked = time.monotonic()
            answer = _asked(place, "/", NEWCOMER)
            worst = max(worst, time.monotonic() - asked)
            result.tries += 1
            if not answer.startswith(b"HTTP/1.1 200"):
                result.lost.append(f"a newcomer was answered {answer[:40]!r}")
        minutes = max(1.0, (time.monotonic() - began) / 60)
    size = journal.stat().st_size / minutes
    if worst > SERVED_S:
        result.lost.append(f"a newcomer waited {worst:.1f} s")
    if size > JOURNAL_A_MINUTE:
        result.lost.append(f"the journal grew by {size:.0f} bytes a minute")
    result.figures |= {"worst_ms": 1000 * worst, "journal_a_minute": size}
    return result


def pins(hours: int) -> Result:
    """A thousand addresses guess every second; one that was right once mistypes five times every ten minutes."""
    result, clock = Result(), Hands()
    brake = RateLimit(clock)
    brake.right("10.0.0.1")
    wrong: deque[float] = deque()
    worst_wait, most = 0.0, 0
    for second in range(hours * HOUR):
        clock.now = now = float(second)
        for guesser in range(3):
            with suppress(RateLimited):
                brake.check(f"10.{second % 4}.{second % 250}.{guesser}")
                brake.wrong(f"10.{second % 4}.{second % 250}.{guesser}")
                wrong.append(now)
        while wrong and wrong[0] <= now - HOUR:
            wrong.popleft()
        most = max(most, len(wrong))
        if second % 600 == 0:
            worst_wait = max(worst_wait, _kept_out(brake, clock))
        result.tries += 3
    if most > WRONG_AN_HOUR:
        result.lost.append(f"{most} wrong PINs were taken within an hour")
    if worst_wait > KEPT_OUT_S:
        result.lost.append(f"the umpire was kept out for {worst_wait:.0f} s")
    result.figures |= {"most_an_hour": most, "umpire_kept_out_s": worst_wait}
    return result


def _kept_out(brake: RateLimit, clock: Hands) -> float:
    """How long the umpire waits who mistypes five times and then gives the right PIN; a minute is tried."""
    began = clock.now
    for _ in range(5):
        with suppress(RateLimited):
            brake.check("10.0.0.1")
            brake.wrong("10.0.0.1")
    while clock.now < began + 60:
        try:
            brake.check("10.0.0.1")
        except RateLimited:
            clock.now += 1.0
        else:
            brake.right("10.0.0.1")
            break
    waited, clock.now = clock.now - began, began
    return waited


def _half_sent(place: tuple[str, int]) -> socket.socket:
    sock = socket.create_connection(place, timeout=10)
    with suppress(OSError):
        sock.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
    return sock


def _asked(place: tuple[str, int], path: str, source: str) -> bytes:
    """The first bytes of the answer to one request."""
    try:
        with socket.create_connection(place, timeout=10, source_address=(source, 0)) as sock:
            sock.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
            return sock.recv(100)
    except OSError as e:
        return str(e).encode()


@contextmanager
def _journal(path: Path) -> Iterator[None]:
    """What child processes say on standard error goes into this file."""
    kept = os.dup(2)
    with path.open("wb") as file:
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
