"""Takes jobs of what is judged again: fetches log and clip, has them judged, stores the results in one transaction."""

from __future__ import annotations

import asyncio
import json
import logging
import tempfile
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPException
from importlib.metadata import version
from pathlib import Path
from urllib.error import HTTPError

import psycopg
from procrastinate.exceptions import ConnectorException

from referee.hub.batches import BatchPart, BatchSource
from referee.hub.database import Database, connect
from referee.hub.ingest import log_bytes
from referee.hub.job_queue import (
    HEARTBEAT_S,
    JUDGE_TASK,
    QUEUE_POLL_S,
    STALLED_S,
    Attempts,
    Away,
    queue_of,
    rescue,
    worker_app,
)
from referee.membership.place import tls_of
from referee.pipeline.judge_again import JudgeError, JudgeResult, JudgeTask
from referee.pipeline.judge_process import JudgeProcess
from referee.replay.match_folder import MatchFolder

logger = logging.getLogger(__name__)

FETCH_S = 120.0
"""Longest wait for a file from the hub, which fetches it from the board, s."""
DATABASE_AGAIN_S = 2.0
"""Pause before a database that went away is tried again, s."""


@dataclass(frozen=True, slots=True)
class _Work:
    """A job with what its batch says."""

    part: BatchPart
    bytes: int
    source: str
    rules: str | None
    book: str | None
    key: str


class AgainWorker:
    """A worker with some processes that judge, one a core."""

    def __init__(self, address: str, processes: int, said: Callable[[str], None], hub: str | None = None) -> None:
        """`address`: of the database. `hub`: address of the hub's pages instead of the one it states itself."""
        self._address, self._said, self._hub = address, said, hub
        self._processes = [JudgeProcess() for _ in range(processes)]
        self._idle: asyncio.Queue[JudgeProcess] = asyncio.Queue()
        self.program = version("carrom-referee")

    async def run(self, once: bool) -> None:
        """Takes jobs until a signal ends it, or with `once` until there is none. A database that is away is awaited."""
        for process in self._processes:
            self._idle.put_nowait(process)
        try:
            while True:
                try:
                    await self._run_worker(once)
                    return
                except (ConnectorException, psycopg.OperationalError) as e:
                    if once:
                        raise
                    logger.warning("the database is away: %s", e)
                    await asyncio.sleep(DATABASE_AGAIN_S)
        finally:
            for process in self._processes:
                await process.close()

    async def _run_worker(self, once: bool) -> None:
        app, queue = worker_app(self._address, len(self._processes)), queue_of(self.program)
        app.task(name=JUDGE_TASK, retry=Attempts(), queue=queue)(self._judge)
        async with app.open_async():
            rescuing = asyncio.create_task(self._rescue(queue), name="rescue")
            try:
                await app.run_worker_async(
                    queues=[queue], name=f"again {self.program}", concurrency=len(self._processes), wait=not once,
                    fetch_job_polling_interval=QUEUE_POLL_S, update_heartbeat_interval=HEARTBEAT_S,
                    stalled_worker_timeout=STALLED_S,
                )  # fmt: skip
            finally:
                rescuing.cancel()
                with suppress(asyncio.CancelledError):
                    await rescuing

    async def _rescue(self, queue: str) -> None:
        app = worker_app(self._address, 1)
        async with app.open_async():
            while True:
                try:
                    if count := await rescue(app, self._address, queue):
                        self._said(f"{count} jobs of a worker that ended are taken again")
                except (ConnectorException, psycopg.OperationalError) as e:
                    logger.warning("the database is away: %s", e)
                await asyncio.sleep(HEARTBEAT_S)

    async def _judge(self, batch: int, match: str, n: int) -> None:
        """Does one job. Raises JudgeError or Away, which is its failed attempt."""
        part = BatchPart(batch, match, n)
        process = await self._idle.get()
        try:
            with tempfile.TemporaryDirectory(prefix="carrom-again-") as folder:
                log = Path(folder) / "match.jsonl"
                work = await asyncio.to_thread(self._fetch, part, log)
                if work is None:
                    return
                result = await process.judge(JudgeTask(str(log), n, work.source, work.rules, work.book))
            await asyncio.to_thread(self._store, part, result)
        except (JudgeError, Away) as e:
            await asyncio.to_thread(self._fail, part, str(e))
            raise
        finally:
            self._idle.put_nowait(process)

    def _fetch(self, part: BatchPart, log: Path) -> _Work | None:
        """Writes the log, and what was kept of the stroke; None if the batch was deleted. Raises JudgeError or Away."""
        with connect(self._address) as database:
            work = _work(database, part)
            if work is None:
                return None
            data = b"".join(log_bytes(database, part.match))[: work.bytes]
            if len(data) < work.bytes:
                raise JudgeError("the hub's copy of the log is shorter than it was: the database was restored")
            log.write_bytes(data)
            if work.source != BatchSource.STROKES:
                self._fetch_files(database, work, MatchFolder(log))
        return work

    def _fetch_files(self, database: Database, work: _Work, folder: MatchFolder) -> None:
        reach = database.execute("select url, certificate from reach").fetchone()
        url, certificate = reach if reach and self._hub is None else (self._hub, None)
        if url is None:
            raise Away("nobody knows where the hub is: start it, or name its address with --hub")
        context = tls_of(certificate) if certificate else None
        place = f"{url.rstrip('/')}/api/again/{work.part.batch}/{work.part.match}/{work.part.n}"
        folder.path.mkdir()

        def get(path: str) -> bytes:
            request = urllib.request.Request(path, headers={"authorization": f"Bearer {work.key}"})
            with urllib.request.urlopen(request, timeout=FETCH_S, context=context) as answer:
                return bytes(answer.read())

        try:
            for name in json.loads(get(place)):
                (folder.path / Path(name).name).write_bytes(get(f"{place}/{name}"))
        except HTTPError as e:
            with e:
                said = e.read().decode(errors="replace")
            with suppress(ValueError, TypeError, KeyError):
                said = json.loads(said)["detail"]
            raise Away(f"what was kept of it cannot be fetched: {said[:200]}") from None
        except (OSError, HTTPException) as e:
            raise Away(f"the hub at {url} does not answer: {e}") from None

    def _store(self, part: BatchPart, result: JudgeResult) -> None:
        with connect(self._address) as database, database.transaction():
            database.execute("delete from again where (batch, match, part) = (%s, %s, %s)", [*_key(part)])
            with database.cursor() as cursor:
                cursor.executemany(
                    "insert into again (batch, match, part, n, result) values (%s, %s, %s, %s, %s)",
                    [(*_key(part), n, text) for n, text in result.rows],
                )
            database.execute(
                "update part set strokes = %s, differ = %s, unseen = %s, digest = %s, problem = null, done_at = now() "
                "where (batch, match, n) = (%s, %s, %s)",
                [result.strokes, result.differ, result.unseen, result.digest, *_key(part)],
            )

    def _fail(self, part: BatchPart, problem: str) -> None:
        with connect(self._address) as database:
            database.execute(
                "update part set problem = %s where (batch, match, n) = (%s, %s, %s)", [problem, *_key(part)]
            )


def _key(part: BatchPart) -> tuple[int, str, int]:
    return part.batch, part.match, part.n


def _work(database: Database, part: BatchPart) -> _Work | None:
    found = database.execute(
        "select p.bytes, b.source, b.rules, b.book, b.key from part p join batch b on b.id = p.batch "
        "where (p.batch, p.match, p.n) = (%s, %s, %s)", [*_key(part)],
    ).fetchone()  # fmt: skip
    return None if found is None else _Work(part, *found)
