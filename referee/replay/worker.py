"""Does slow work on the disk in order, in a thread of its own, so that the camera waits for no SD card."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from referee.replay.pace import TimeLeft, never_ends

logger = logging.getLogger(__name__)


NICENESS = 10
"""Nice value of the threads that write replays: they step back behind the vision."""
END_POLL_S = 0.1
"""Longest time (s) until a waiting caller notices a request to end: a signal handler may wake nobody."""


def lower_priority() -> None:
    """Lowers the calling thread's priority where the system can."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, max(NICENESS, os.getpriority(os.PRIO_PROCESS, thread)))


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work."""

    work: Callable[[], None]
    about: str
    """What it stores, in words; empty if nobody would miss it."""
    is_long: bool
    """Takes seconds, so that at the end the others are done first."""


class JobWorker:
    """Does jobs in order: call `send` with each. Use it in a `with`, whose end waits until all are done.

    Nobody waits when no time is left: a disk that does not answer must not keep the program from ending.
    """

    def __init__(self, name: str, time_left: TimeLeft = never_ends) -> None:
        self.trouble: OSError | None = None
        """First error of the disk."""
        self._time_left = time_left
        self._jobs: deque[Job] = deque()
        """Jobs to do; the first is under way and stays until it is done."""
        self._is_closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self.finish()

    def send(self, work: Callable[[], None], about: str = "", *, is_long: bool = False) -> None:
        """Queues a job and returns at once; after the end nothing is done.

        If it raises OSError that becomes `trouble`; later jobs are tried all the same.
        """
        with self._changed:
            if not self._is_closed:
                self._jobs.append(Job(work, about, is_long))
                self._changed.notify_all()

    def leave(self, most: int = 0) -> None:
        """Waits until at most `most` jobs are left to do, by default until all are done, or until no time is left."""
        with self._changed:
            while len(self._jobs) > most and (left := self._time_left()) > 0:
                self._changed.wait(min(left, END_POLL_S))

    def finish(self) -> tuple[str, ...]:
        """Ends the work; returns what the jobs were about that could not be finished in time."""
        with self._changed:
            waiting = [self._jobs.pop() for _ in range(1, len(self._jobs))][::-1]
            self._jobs.extend(sorted(waiting, key=lambda job: job.is_long))
        self.leave()
        with self._changed:
            unfinished, self._is_closed = tuple(job.about for job in self._jobs if job.about), True
            is_idle = not self._jobs
            while len(self._jobs) > 1:
                self._jobs.pop()
            self._changed.notify_all()
        if is_idle:
            self._thread.join()
        return unfinished

    def _work(self) -> None:
        lower_priority()
        while (job := self._next()) is not None:
            self._do(job)
            with self._changed:
                self._jobs.popleft()
                self._changed.notify_all()

    def _next(self) -> Job | None:
        """Waits for a job and returns it; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._jobs or self._is_closed)
            return self._jobs[0] if self._jobs and not self._is_closed else None

    def _do(self, job: Job) -> None:
        try:
            job.work()
        except OSError as e:
            self.trouble = self.trouble or e
        except Exception:
            # A fault of the program; it costs a replay, not the match.
            logger.exception("a replay could not be kept")
