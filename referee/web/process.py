"""The web server as a child process: started, restarted when it dies, ended with the parent."""

from __future__ import annotations

import json
import logging
import os
import select
import subprocess
import sys
import threading
from dataclasses import replace
from types import TracebackType
from typing import Self

from referee.process_priority import raise_priority
from referee.web.serve import OFF, WebServerError, WebSettings, chosen_keys

logger = logging.getLogger(__name__)

PIN_VARIABLE = "CARROM_PIN"
PAIRING_VARIABLE = "CARROM_PAIRING"
"""Environment variable of the pairing code, as above of the PIN. Command-line arguments are readable by every user of
the machine.
"""
RESTART_S = 1.0
"""Pause before a dead server is restarted, s."""
PROCESS_SILENT_S = 12.0
"""Silence after which the server hangs, s. It sends a heartbeat every two, on a busy machine every four."""
BEATS_BYTES = 4096
PROCESS_END_S = 1.5
"""Longest wait for the server to close by itself, s."""


class WebProcess:
    """Runs the web server in a child process; use it in a `with`. Raises HouseError if it cannot open.

    A server that dies later is restarted with the same keys, at the same port; the caller never waits for it. It ends
    when the `with` ends, and by itself when the caller's process dies.
    """

    def __init__(self, settings: WebSettings) -> None:
        self.keys = chosen_keys(settings)
        """PIN for the umpire, and code for tablets to be paired."""
        self.urls: tuple[str, ...] = ()
        """The scoreboard's addresses, the one for other devices first."""
        # The code is stored beside the log. A restarted server reads the last one there.
        pairing = settings.pairing if self.keys.pairing else OFF
        self._settings = replace(settings, pin=self.keys.pin or OFF, pairing=pairing)
        self._ending = threading.Event()
        self._starting = threading.Lock()
        self._process: subprocess.Popen[str]
        self._keeper = threading.Thread(target=self._keep, name="web-keeper", daemon=True)

    @property
    def pid(self) -> int:
        """Process id of the present server."""
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
                   "--host", s.host, "--port", str(s.port), *(["--private"] if s.private else []),
                   *(["--https"] if s.https else []), *_option("--proxy", s.proxy), *_option("--cert", s.cert),
                   *_option("--key", s.key), *_option("--root-path", s.root_path),
                   *(word for name in s.names for word in ("--name", name))]  # fmt: skip
        environment = os.environ | {PIN_VARIABLE: s.pin or "", PAIRING_VARIABLE: s.pairing or ""}
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=None, env=environment, text=True
        )

    def _opened(self, process: subprocess.Popen[str]) -> tuple[str, ...]:
        """Waits for the child's first line: its addresses, or why it cannot open."""
        assert process.stdout is not None
        line = process.stdout.readline()
        said = json.loads(line) if line else {"error": "the scoreboard's process ended before it opened its port"}
        if "error" in said:
            _end(process)
            raise WebServerError(said["error"])
        # A port chosen by the system stays the same over restarts, so that tablets find the server again.
        self._settings = replace(self._settings, port=int(said["port"]))
        return tuple(said["urls"])

    def _keep(self) -> None:
        """Restarts the server when it dies, and when its heartbeat stops."""
        while True:
            why = self._watched(self._process)
            self._ending.wait(RESTART_S)
            with self._starting:
                if self._ending.is_set():
                    return
                logger.warning("the scoreboard's process %s and is started again", why)
                _end(self._process)
                self._process = self._start()
            try:
                self._opened(self._process)
            except WebServerError as e:
                logger.warning("%s", e)

    def _watched(self, process: subprocess.Popen[str]) -> str:
        """Returns when the server has died or hangs, and then kills it; says which."""
        assert process.stdout is not None
        try:
            fd = process.stdout.fileno()
            while sys.platform == "win32" or select.select([fd], [], [], PROCESS_SILENT_S)[0]:
                if not os.read(fd, BEATS_BYTES):
                    return f"ended with code {process.wait()}"
        except (OSError, ValueError):
            return "is ending"
        if self._ending.is_set():
            return "is ending"
        process.kill()
        process.wait()
        return f"has not answered for {PROCESS_SILENT_S:.0f} s"


def _option(option: str, value: object) -> list[str]:
    return [option, str(value)] if value else []


def _end(process: subprocess.Popen[str]) -> None:
    """Closes the child's input, which makes it end; kills it if it does not."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    raise_priority(process.pid)
    try:
        process.wait(PROCESS_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
