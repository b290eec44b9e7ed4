"""Figures of a hall: latency one way and committed, jobs judged again with a worker killed, a backlog beside a plain
INSERT loop, and memory of each process.

    python -m tools.hall.bench --boards 64

Boards and couriers run in this process, hub and engines in their own, all on this machine: figures are of the whole.
"""

from __future__ import annotations

import asyncio
import subprocess
import threading
import time
from contextlib import ExitStack
from importlib.metadata import version
from math import ceil
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory

import click

from referee.courier.chunk import ChunkError, unpack
from referee.courier.courier import Courier
from referee.courier.mqtt import Incoming, connected
from referee.courier.topics import ROOT, Topic, address_of
from referee.hub.batches import BatchSource, BatchWish, ask
from referee.hub.broker_files import HUB_USER
from referee.hub.database import connect
from referee.log import LogWriter
from referee.log.identity import Station, match_uid
from referee.log.uid import uuid7
from tools.hall.engines import Broker, EngineMissing
from tools.hall.simulated_board import SimulatedBoard
from tools.hall.try_out import REFEREE, couriers, engines, hub, stations

LOG_POLL_S = 0.002
REFERENCE_S = 5.0
"""Length of the INSERT loop, s."""
JUDGED_JOBS = 500
"""Least number of jobs that are judged again."""
BACKLOG_LINE = "x" * 600
"""Text of a line of the backlog, which makes it as long as a log's line is on average (680 bytes)."""


class Latency:
    """Times of bytes written, at the broker, and committed."""

    def __init__(self) -> None:
        self.written: dict[str, list[tuple[int, float]]] = {}
        self.one_way: list[float] = []
        self.committed: list[float] = []
        self._at_broker: dict[str, int] = {}
        self._lock = threading.Lock()

    def wrote(self, log: Path) -> None:
        with self._lock:
            self.written.setdefault(match_uid(log), []).append((log.stat().st_size, time.perf_counter()))

    def heard(self, message: Incoming) -> None:
        """Called with what the broker passes on."""
        address = address_of(message.topic)
        if address is None or address.topic is not Topic.LOG:
            return
        try:
            end, now = unpack(message.payload).end, time.perf_counter()
        except ChunkError:
            return
        with self._lock:
            before = self._at_broker.get(address.uid, 0)
            self.one_way += [now - at for size, at in self.written.get(address.uid, ()) if before < size <= end]
            self._at_broker[address.uid] = max(before, end)

    def settle(self, found: list[Courier]) -> None:
        """Waits until all that was written before the play is committed, and forgets it."""
        while any(not courier.shipping.logs or courier.shipping.behind for courier in found):
            time.sleep(LOG_POLL_S)
        with self._lock:
            self.written.clear()
            self.one_way.clear()

    def look(self, found: list[Courier]) -> None:
        """Notes what the hub has answered to the couriers."""
        now = time.perf_counter()
        for courier in found:
            for uid, log in list(courier.shipping.logs.items()):
                with self._lock:
                    due = self.written.get(uid, [])
                    while due and log.have is not None and due[0][0] <= log.have:
                        self.committed.append(now - due.pop(0)[1])


def live(broker: Broker, address: str, url: str, folder: Path, count: int, every: float, seconds: float) -> Latency:
    """Plays on `count` boards and returns the latencies."""
    latency, stop = Latency(), threading.Event()
    paired = [(station, folder / station.id) for station in stations(count, broker, address)]
    with ExitStack() as stack:
        played = [stack.enter_context(SimulatedBoard(f, s, i, latency.wrote)) for i, (s, f) in enumerate(paired)]
        found = stack.enter_context(couriers(paired, broker, url))
        stack.callback(stop.set)
        _listen(broker, latency, stop)
        latency.settle(found)
        threads = [threading.Thread(target=board.run, args=(stop, every)) for board in played]
        for thread in threads:
            thread.start()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            latency.look(found)
            time.sleep(LOG_POLL_S)
        stop.set()
        for thread in threads:
            thread.join()
    return latency


def _listen(broker: Broker, latency: Latency, stop: threading.Event) -> None:
    async def run() -> None:
        async with connected(broker.place(HUB_USER), None, latency.heard) as connection:
            connection.subscribe([f"{ROOT}/+/{Topic.LOG}/+"])
            while not stop.is_set():
                await asyncio.sleep(0.1)

    threading.Thread(target=lambda: asyncio.run(run()), daemon=True).start()


def backlog(broker: Broker, address: str, url: str, folder: Path, count: int, lines: int) -> tuple[int, float]:
    """Ships so many lines of each of `count` boards at once; returns the lines and the seconds."""
    paired = [(station, folder / station.id) for station in stations(count, broker, address)]
    for station, place in paired:
        _write_backlog(place, station, lines)
    uids = [match_uid(place / "match.jsonl") for _, place in paired]
    sizes = {uid: (place / "match.jsonl").stat().st_size for uid, (_, place) in zip(uids, paired, strict=True)}
    began = time.perf_counter()
    with couriers(paired, broker, url), connect(address) as database:
        while True:
            rows = database.execute("select uid::text, have from match where uid = any(%s::uuid[])", [uids])
            if {str(uid): int(have) for uid, have in rows} == sizes:
                return count * lines, time.perf_counter() - began
            time.sleep(0.05)


def _write_backlog(folder: Path, station: Station, lines: int) -> None:
    folder.mkdir(parents=True)
    with LogWriter(folder / "match.jsonl") as log:
        log.header(time.time(), uid=uuid7(), station={"id": station.id, "name": station.name})
        for i in range(lines - 1):
            log.write({"type": "note", "n": i, "text": BACKLOG_LINE})


def reference(address: str) -> float:
    """Returns how many lines a second a plain INSERT loop commits, a transaction each."""
    row, count = f'{{"type":"note","text":"{BACKLOG_LINE}"}}\n'.encode(), 0
    with connect(address) as database:
        database.execute("create table reference (n int primary key, raw bytea)")
        end = time.perf_counter() + REFERENCE_S
        while time.perf_counter() < end:
            database.execute("insert into reference values (%s, %s)", [count, row])
            count += 1
    return count / REFERENCE_S


def judged(address: str, jobs: int) -> tuple[int, float, float]:
    """Has all matches judged again by two workers, at least so many jobs, and kills one of them in the middle.

    Returns the number of jobs, the seconds until all were done, and those until none but the killed one's were left.
    """
    done = (
        "select count(done_at), count(*) filter (where status = 'todo') "
        "from part join procrastinate_jobs j on j.id = job"
    )
    command = [*REFEREE, "worker", "--database", address]
    with connect(address) as database:
        (matches,) = database.execute("select count(*) from match").fetchone() or (0,)
        wish = BatchWish(BatchSource.STROKES, version("carrom-referee"), "masters")
        workers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        for worker in workers:
            assert worker.stdout is not None
            worker.stdout.readline()
        count = ceil(jobs / matches) * matches
        for _ in range(count // matches):
            ask(database, wish)
        began, left = time.perf_counter(), 0.0
        while True:
            finished, waiting = database.execute(done).fetchone() or (0, 0)
            if finished >= count // 2 and workers[0].poll() is None:
                workers[0].kill()
            if not waiting and not left:
                left = time.perf_counter() - began
            if finished == count:
                break
            time.sleep(LOG_POLL_S)
        took = time.perf_counter() - began
        for worker in workers:
            worker.terminate()
            worker.wait()
    return count, took, left


def memory_mb(pid: int) -> float:
    """Returns a process's memory, with its share of what it shares (Pss), MB."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


def _children(name: str, folder: Path) -> list[int]:
    """Returns the processes of a program that were started for this folder."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes().decode(errors="replace")
            cwd = (place / "cwd").resolve()
        except OSError:
            continue
        if name in words and (str(folder) in words or cwd.is_relative_to(folder)):
            found.append(int(place.name))
    return found


def percentiles(name: str, seconds: list[float]) -> str:
    cuts = quantiles(seconds, n=100)
    return f"{name}: p50 {cuts[49] * 1000:.1f} ms, p99 {cuts[98] * 1000:.0f} ms ({len(seconds)} lines)"


@click.command()
@click.option("--boards", type=click.IntRange(1, 64), default=64, show_default=True)
@click.option("--every", type=click.FloatRange(0.1), default=15.0, show_default=True, help="Seconds between strokes.")
@click.option("--seconds", type=click.FloatRange(1), default=40.0, show_default=True, help="Length of the play.")
@click.option("--lines", type=click.IntRange(1), default=500, show_default=True, help="Lines of backlog a board.")
def main(boards: int, every: float, seconds: float, lines: int) -> None:
    """Print the figures of a hall on this machine."""
    with TemporaryDirectory(prefix="carrom-bench-") as name, ExitStack() as stack:
        folder = Path(name)
        try:
            broker, database = stack.enter_context(engines(folder))
        except EngineMissing as e:
            raise click.ClickException(str(e)) from None
        address = database.new()
        process, url = stack.enter_context(hub(folder / "hub", broker, address, 0))
        latency = live(broker, address, url, folder / "live", boards, every, seconds)
        click.echo(f"{boards} boards, a stroke in {every:g} s")
        click.echo(percentiles("board to broker's reader", latency.one_way))
        click.echo(percentiles("board to committed answer", latency.committed))
        jobs, took, left = judged(address, JUDGED_JOBS)
        click.echo(f"judged again: {jobs} jobs by two workers in {left:.1f} s, {jobs / left:.0f} jobs/s, one of them "
                   f"killed halfway; the job it had is done after {took:.1f} s")  # fmt: skip
        plain = reference(address)
        count, took = backlog(broker, address, url, folder / "backlog", boards, lines)
        click.echo(f"backlog: {count} lines in {took:.1f} s, {count / took:.0f} lines/s; plain INSERT loop {plain:.0f} "
                   f"lines/s, ratio {count / took / plain:.2f}")  # fmt: skip
        postgres = _children("postgres", folder)
        click.echo(f"memory: hub {memory_mb(process.pid):.0f} MB, mosquitto {memory_mb(broker.process.pid):.1f} MB, "
                   f"postgres {sum(map(memory_mb, postgres)):.0f} MB in {len(postgres)} processes")  # fmt: skip


if __name__ == "__main__":
    main()
