"""The house as a child process of the one who wires everything: started, started again when it dies, ended with us."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
from dataclasses import replace
from types import TracebackType
from typing import Self

from referee.web.serve import OFF, HouseError, HouseSettings, chosen_keys

logger = logging.getLogger(__name__)

PIN_VARIABLE = "CARROM_PIN"
PAIRING_VARIABLE = "CARROM_PAIRING"
"""PIN and pairing code travel in the environment: arguments can be read by every user of the machine."""
RESTART_S = 1.0
"""Pause before a house that died is started again, seconds."""
END_S = 5.0
"""Longest wait for the house to close by itself, seconds."""


class HouseProcess:
    """Runs the house beside the caller; use it in a `with`. Raises HouseError when it cannot open.

    A house that dies later is started again with the same keys, at the same port; the caller never waits for it. It
    ends when the `with` ends, and by itself when the caller's process dies.
    """

    def __init__(self, settings: HouseSettings) -> None:
        self.keys = chosen_keys(settings)
        """What to tell the umpire, and what to show to tablets that are to be paired."""
        self.urls: tuple[str, ...] = ()
        """The scoreboard's addresses, the one for other devices first."""
        self._settings = replace(settings, pin=self.keys.pin or OFF, pairing=self.keys.pairing or OFF)
        self._ending = threading.Event()
        self._starting = threading.Lock()
        self._process: subprocess.Popen[str]
        self._keeper = threading.Thread(target=self._keep, name="house-keeper", daemon=True)

    @property
    def pid(self) -> int:
        """Process id of the house that runs now."""
        return self._process.pid

    def __enter__(self) -> Self:
        self._process = self._start()
        self.urls = self._opened(self._process)
        self._keeper.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self._ending.set()
        with self._starting:
            _end(self._process)
        self._keeper.join()

    def _start(self) -> subprocess.Popen[str]:
        s = self._settings
        command = [sys.executable, "-m", "referee.web", "--child", "--log", str(s.log), "--folder", str(s.folder),
                   "--host", s.host, "--port", str(s.port), *(["--private"] if s.private else [])]  # fmt: skip
        environment = os.environ | {PIN_VARIABLE: s.pin or "", PAIRING_VARIABLE: s.pairing or ""}
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=None, env=environment, text=True
        )

    def _opened(self, process: subprocess.Popen[str]) -> tuple[str, ...]:
        """Waits for the child's one line: where it serves, or why it cannot."""
        assert process.stdout is not None
        line = process.stdout.readline()
        said = json.loads(line) if line else {"error": "the scoreboard's process ended before it opened its port"}
        if "error" in said:
            _end(process)
            raise HouseError(said["error"])
        # A port chosen by the system is kept for restarts, so that tablets find the house again.
        self._settings = replace(self._settings, port=int(said["port"]))
        return tuple(said["urls"])

    def _keep(self) -> None:
        while True:
            code = self._process.wait()
            self._ending.wait(RESTART_S)
            with self._starting:
                if self._ending.is_set():
                    return
                logger.warning("the scoreboard's process ended with code %s and is started again", code)
                _end(self._process)
                self._process = self._start()
            try:
                self._opened(self._process)
            except HouseError as e:
                logger.warning("%s", e)


def _end(process: subprocess.Popen[str]) -> None:
    """Closing its input is the child's sign to close; it is killed when it does not."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    try:
        process.wait(END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
