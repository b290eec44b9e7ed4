"""Many viewers at once: python tests/web_load.py http://127.0.0.1:8000/ --clients 50 prints what they received."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass, field
from statistics import median

import click
from websockets.asyncio.client import ClientConnection, connect

LIVE, LIVE_WITHIN = '"section":"live"', 80
"""Beginning of a live picture's message."""
TIME, LOST = re.compile(r'"t":([0-9.]+)'), re.compile(r'"dropped":([0-9]+)')


@dataclass(slots=True)
class Viewer:
    """Messages that one viewer received."""

    updates: int = 0
    size: int = 0
    """Bytes."""
    first: float | None = None
    last: float | None = None
    """Times (s) of the first and the last live picture on the frames' clock."""
    span: float = 0.0
    """Seconds on this machine between the two."""
    _begun: float = 0.0
    dropped: list[int] = field(default_factory=list)
    """Frames lost by the vision process, at the first and at the last live picture."""

    @property
    def behind(self) -> float:
        """Increase of the newest picture's delay from the beginning to the end, s."""
        return self.span - (self.last - self.first) if self.first is not None and self.last is not None else 0.0

    async def watch(self, socket: ClientConnection) -> None:
        async for message in socket:
            self.size += len(message)
            self._take(str(message))

    def _take(self, message: str) -> None:
        # Read only as far as counted: fifty readers on the referee's own machine must not be what slows it.
        if LIVE not in message[:LIVE_WITHIN]:
            return
        t, lost = float(found(TIME, message)), int(found(LOST, message))
        self.updates += 1
        if self.first is None:
            self.first, self._begun = t, time.monotonic()
        self.last, self.span = t, time.monotonic() - self._begun
        self.dropped = [*self.dropped[:1], lost]


def found(pattern: re.Pattern[str], message: str) -> str:
    """Returns the group of a pattern in a live message."""
    match = pattern.search(message)
    assert match is not None, message
    return match[1]


async def crowd(url: str, clients: int, seconds: float) -> list[Viewer]:
    """Watches the web server at `url` with so many viewers for so long."""
    viewers = [Viewer() for _ in range(clients)]
    address = url.replace("http", "ws", 1) + "ws"

    async def one(viewer: Viewer) -> None:
        async with connect(address, compression=None, max_size=None) as socket:
            try:
                await asyncio.wait_for(viewer.watch(socket), seconds)
            except TimeoutError:
                return

    await asyncio.gather(*(one(viewer) for viewer in viewers))
    return viewers


def report(viewers: list[Viewer], seconds: float) -> str:
    """Returns one line about what a crowd received."""
    rates = sorted(viewer.updates / seconds for viewer in viewers)
    lost = max((viewer.dropped[-1] - viewer.dropped[0] for viewer in viewers if viewer.dropped), default=0)
    each = median(viewer.size for viewer in viewers) / seconds / 1000
    rate = f"{rates[0]:.1f} to {rates[-1]:.1f} live pictures a second each (median {median(rates):.1f})"
    late = median(viewer.behind for viewer in viewers)
    vision = f"frames lost meanwhile: {lost}; the vision fell {max(late, 0):.1f} s behind"
    return f"{len(viewers)} viewers over {seconds:.0f} s: {rate}, {each:.0f} kB/s each; {vision}"


@click.command()
@click.argument("url")
@click.option("--clients", default=50, show_default=True)
@click.option("--seconds", default=20.0, show_default=True)
def main(url: str, clients: int, seconds: float) -> None:
    """Watches URL with many viewers and prints what they got."""
    click.echo(report(asyncio.run(crowd(url, clients, seconds)), seconds))


if __name__ == "__main__":
    main()
