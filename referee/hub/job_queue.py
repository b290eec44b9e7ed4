"""The queue of jobs in the hub's database (Procrastinate): put in, taken by workers, and taken again from dead ones."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from procrastinate import App, BaseRetryStrategy, PsycopgConnector, RetryDecision, SyncPsycopgConnector
from procrastinate.jobs import Job, Status

from referee.hub.database import Database, connect

JUDGE_TASK = "judge_again"
MOST_ATTEMPTS = 3
AWAY_PAUSE_S = 30
"""Pause before the second attempt if hub or board were away, s, twice that before the third. Everything else is
tried again at once."""
HEARTBEAT_S, STALLED_S = 2.0, 10.0
"""A worker tells so often that it lives, and counts as dead once it has not for so long, s."""
QUEUE_POLL_S = 1.0
RESCUE_LOCK = 0x6361_7273
"""Advisory lock held while jobs of dead workers are queued again, so that each is queued once."""
WORKER_ENDED = "the worker ended while it was being judged"


def queue_of(program: str) -> str:
    """Returns the queue of a program's version: another version would judge otherwise, and its workers take none."""
    return f"again {program}"[:40]


def put_in(database: Database, program: str, jobs: Sequence[dict[str, Any]]) -> list[int]:
    """Queues jobs in the connection's transaction, and returns their ids. Raises psycopg.Error."""
    task = App(connector=SyncPsycopgConnector()).configure_task(
        JUDGE_TASK, allow_unknown=True, queue=queue_of(program), connection=database
    )
    return task.batch_defer(*jobs)


def worker_app(address: str, slots: int) -> App:
    """Returns the queue as a worker sees it."""
    return App(connector=PsycopgConnector(conninfo=address, min_size=1, max_size=slots + 3))


class Away(Exception):
    """What a job needs cannot be reached now; the message says what."""


class Attempts(BaseRetryStrategy):
    """Tries a job three times."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        if job.attempts + 1 >= MOST_ATTEMPTS:
            return None
        pause = AWAY_PAUSE_S * (job.attempts + 1) if isinstance(exception, Away) else 0
        return RetryDecision(retry_in={"seconds": pause})


async def rescue(app: App, address: str, queue: str) -> int:
    """Queues the jobs of dead workers again, and returns how many. One that ended three workers has failed.

    Raises psycopg.Error or procrastinate's ConnectorException.
    """
    with connect(address) as database, database.transaction():
        (mine,) = database.execute("select pg_try_advisory_xact_lock(%s)", [RESCUE_LOCK]).fetchone() or (False,)
        stalled = await app.job_manager.get_stalled_jobs(queue=queue, seconds_since_heartbeat=STALLED_S) if mine else ()
        count = 0
        for job in stalled:
            database.execute("update part set problem = %s where job = %s", [WORKER_ENDED, job.id])
            await _retry(app, job)
            count += 1
    return count


async def _retry(app: App, job: Job) -> None:
    if job.attempts + 1 < MOST_ATTEMPTS:
        await app.job_manager.retry_job(job, retry_at=datetime.now(UTC))
    else:
        await app.job_manager.finish_job(job, Status.FAILED, delete_job=False)
