"""Does slow work on the disk in order, in a thread of its own, so that the camera waits for no SD card."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

logger = logging.getLogger(__name__)


NICENESS = 10
"""Nice value of the threads that write replays: they step back behind the vision."""


def lower_priority() -> None:
    """Lowers the calling thread's priority where the system can."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


class JobWorker:
    """Does jobs in order: call `send` with each. Use it in a `with`, whose end waits until all are done."""

    def __init__(self, name: str) -> None:
        self.trouble: OSError | None = None
        """First error of the disk."""
        self._left, self._fewer = 0, threading.Condition()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name, initializer=lower_priority)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self._thread.shutdown(wait=True)

    def send(self, errand: Callable[[], None]) -> None:
        """Queues a job and returns at once.

        If it raises OSError that becomes `trouble`; later jobs are tried all the same.
        """
        with self._fewer:
            self._left += 1
        self._thread.submit(errand).add_done_callback(self._done)

    def leave(self, most: int = 0) -> None:
        """Waits until at most `most` jobs are left to do; by default until all are done."""
        with self._fewer:
            self._fewer.wait_for(lambda: self._left <= most)

    def _done(self, errand: Future[None]) -> None:
        error = errand.exception()
        if isinstance(error, OSError):
            self.trouble = self.trouble or error
        elif error is not None:
            # A fault of the program; it costs a replay, not the match.
            logger.error("a replay could not be kept", exc_info=error)
        with self._fewer:
            self._left -= 1
            self._fewer.notify_all()
