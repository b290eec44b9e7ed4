"""The thread that writes logs into the database: takes in batches, answers, and waits for a database that is away."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue

import psycopg

from referee.courier.topics import Topic, topic_of
from referee.hub.database import Database, connect
from referee.hub.ingest import Arrival, Committed, Ingest
from referee.hub.mirror import Mirror

logger = logging.getLogger(__name__)

BATCH = 200
"""Greatest number of messages in one transaction."""
DATABASE_RETRY_S = 0.5
"""Pause before the database is tried again, s."""
LONGEST_PAUSE_S = 0.2
"""Time between two looks for the end, s."""

PublishTopic = Callable[[str, bytes], None]


@dataclass(frozen=True, slots=True)
class Question:
    """A station asks how many bytes of these logs the hub has."""

    station: str
    uids: tuple[str, ...]


class IngestThread:
    """Use it in a `with`. `publish` sends to the broker; `committed` hears what was added, in this thread."""

    def __init__(self, address: str, mirror: Mirror, publish: PublishTopic,
                 committed: Callable[[Sequence[Committed]], None]) -> None:  # fmt: skip
        self._address, self._mirror, self._publish, self._committed = address, mirror, publish, committed
        self._queue: SimpleQueue[Arrival | Question] = SimpleQueue()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ingest", daemon=True)
        self.trouble = ""
        """Why nothing can be written now; "" while all is well."""

    def __enter__(self) -> IngestThread:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()

    def put(self, item: Arrival | Question) -> None:
        """Queues a message. Couriers bound what is on its way, so the queue cannot grow without end."""
        self._queue.put(item)

    def _run(self) -> None:
        batch: list[Arrival | Question] = []
        while not self._ending.is_set():
            try:
                with connect(self._address) as database:
                    self.trouble = ""
                    ingest = Ingest(database)
                    while not self._ending.is_set():
                        batch = batch or self._waiting()
                        self._write(database, ingest, batch)
                        batch = []
            except psycopg.OperationalError as e:
                if not self.trouble:
                    logger.warning("the database does not answer; what boards send waits (%s)", _reason(e))
                self.trouble = _reason(e)
                self._ending.wait(DATABASE_RETRY_S)

    def _waiting(self) -> list[Arrival | Question]:
        """Returns what has come, in order; waits a moment for the first."""
        batch: list[Arrival | Question] = []
        try:
            batch.append(self._queue.get(timeout=LONGEST_PAUSE_S))
            while len(batch) < BATCH:
                batch.append(self._queue.get_nowait())
        except Empty:
            pass
        return batch

    def _write(self, database: Database, ingest: Ingest, batch: list[Arrival | Question]) -> None:
        arrivals = [item for item in batch if isinstance(item, Arrival)]
        done = _committed(ingest, arrivals)
        newest = {(c.station, c.uid): c for c in done if c.gap is None and not c.refusal}
        for c in [*newest.values(), *(c for c in done if c.gap is not None or c.refusal)]:
            self._answer(c.station, {"uid": c.uid, "have": c.have} | ({} if c.gap is None else {"gap": c.gap})
                         | ({"refused": c.refusal} if c.refusal else {}))  # fmt: skip
        for question in batch:
            if isinstance(question, Question):
                for uid, have in ingest.have(question.uids).items():
                    self._answer(question.station, {"uid": uid, "have": have})
        added = [c for c in done if c.rows]
        for c in added:
            try:
                self._mirror.add(database, c)
            except OSError as e:
                logger.warning("the copy of %s cannot be written (%s); it is made anew later", c.uid, e.strerror)
        if done:
            self._committed(done)

    def _answer(self, station: str, answer: dict[str, object]) -> None:
        self._publish(topic_of(station, Topic.HAVE), json.dumps(answer, separators=(",", ":")).encode())


def _committed(ingest: Ingest, arrivals: list[Arrival]) -> list[Committed]:
    """Commits what can be committed: if the database refuses a batch, each alone."""
    if not arrivals:
        return []
    try:
        return ingest.add(arrivals)
    except psycopg.OperationalError:
        raise
    except psycopg.Error as e:
        if len(arrivals) == 1:
            logger.warning("rows of %s were refused by the database (%s)", arrivals[0].uid, _reason(e))
            return []
        return [c for arrival in arrivals for c in _committed(ingest, [arrival])]


def _reason(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
