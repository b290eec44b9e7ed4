"""`deploy/dev hall`: a hall of your own to try: engines in a temporary folder, a hub, and simulated boards."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import uuid4

import click

from referee.courier.courier import Courier
from referee.hub.broker_files import HUB_USER, WALL_USER, hashed
from referee.hub.database import connect
from referee.log.identity import Station
from tools.hall.engines import Broker, Database, EngineMissing, free_port
from tools.hall.simulated_board import SimulatedBoard

REFEREE = [sys.executable, "-c", "from referee.cli import main; main()"]


@contextmanager
def engines(folder: Path) -> Iterator[tuple[Broker, Database]]:
    """Runs both engines in a folder. Raises EngineMissing."""
    folder.chmod(0o755)  # PostgreSQL does not run as root, and its user must come in
    for name in ("broker", "database"):
        (folder / name).mkdir()
    broker, database = Broker(folder / "broker"), Database(folder / "database")
    broker.start()
    database.start()
    try:
        yield broker, database
    finally:
        broker.kill()
        database.stop("immediate")


@contextmanager
def hub(folder: Path, broker: Broker, address: str, port: int) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Runs a hub; yields its process and the address of its wall."""
    folder.mkdir(exist_ok=True)
    (folder / "hub.json").write_text(json.dumps({user: broker.secrets[user] for user in (HUB_USER, WALL_USER)}))
    words = {"database": address, "data": folder, "broker-port": broker.port, "tls-port": broker.tls_port,
             "pair-port": 0, "port": port, "pin": "off"}  # fmt: skip
    given = [word for name, value in words.items() for word in (f"--{name}", str(value))]
    process = subprocess.Popen([*REFEREE, "hub", *given], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    first = process.stdout.readline()
    try:
        if not first:
            raise click.ClickException("the hub did not start; see above")
        yield process, first.split()[-1]
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def stations(count: int, broker: Broker, address: str) -> list[Station]:
    """Returns new stations, paired with the hall."""
    made = [Station(str(uuid4()), str(i)) for i in range(1, count + 1)]
    broker.add(*(station.id for station in made))
    with connect(address) as database:
        for station in made:
            database.execute("insert into station (id, name, hashed) values (%s, %s, %s)",
                             [station.id, station.name, hashed(broker.secrets[station.id])])  # fmt: skip
    return made


@contextmanager
def couriers(found: list[tuple[Station, Path]], broker: Broker, url: str) -> Iterator[list[Courier]]:
    """Runs the boards' couriers in one thread."""
    runs = [Courier(folder, s, broker.place(s.id, hub=url), lambda said: None) for s, folder in found]
    loop = asyncio.new_event_loop()

    async def all_of_them() -> None:
        async with asyncio.TaskGroup() as tasks:
            for courier in runs:
                tasks.create_task(courier.run())

    task = loop.create_task(all_of_them())
    thread = threading.Thread(target=lambda: loop.run_until_complete(asyncio.wait([task])), daemon=True)
    thread.start()
    try:
        yield runs
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join()


@click.command()
@click.option("--boards", type=click.IntRange(1, 64), default=8, show_default=True)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Port of the wall; 0: any."
)
@click.option(
    "--every", type=click.FloatRange(0.1), default=6.0, show_default=True, help="Seconds from stroke to stroke."
)
def main(boards: int, port: int, every: float) -> None:
    """Try a hall: a wall and a chief's desk over simulated boards, all in a temporary folder. Ctrl-C ends it."""
    # Started in the background it would ignore Ctrl-C, and SIGTERM would leave the engines running.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="carrom-hall-") as name, ExitStack() as stack:
        folder = Path(name)
        try:
            broker, database = stack.enter_context(engines(folder))
        except EngineMissing as e:
            raise click.ClickException(str(e)) from None
        address, stop = database.new(), threading.Event()
        _, url = stack.enter_context(hub(folder / "hub", broker, address, port or free_port()))
        paired = stations(boards, broker, address)
        found = [(station, folder / f"board-{station.name}") for station in paired]
        played = [stack.enter_context(SimulatedBoard(f, s, i)) for i, (s, f) in enumerate(found)]
        stack.enter_context(couriers(found, broker, url))
        threads = [threading.Thread(target=board.run, args=(stop, every), daemon=True) for board in played]
        for thread in threads:
            thread.start()
        click.echo(f"Wall: {url}\nChief's desk: {url}chief\nCtrl-C ends it.")
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            stop.set()
            for thread in threads:
                thread.join()


if __name__ == "__main__":
    main()
