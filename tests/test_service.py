"""systemd is told that we are ready, that frames are judged, and that we stop; nobody is told where there is none."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_run import ended, running

from referee.pipeline.service import Service


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """The service manager's end of the socket, named in the environment."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(str(tmp_path / "notify"))
        sock.settimeout(20)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        monkeypatch.setenv("WATCHDOG_USEC", "1500000")
        yield sock


def heard(manager: socket.socket) -> list[str]:
    """What has been said by now."""
    manager.setblocking(False)
    said = []
    while True:
        try:
            said.append(manager.recv(4096).decode())
        except BlockingIOError:
            return said


def test_ready_is_said_with_what_it_does(manager: socket.socket) -> None:
    Service.of().ready("looking for the board")
    assert heard(manager) == ["READY=1\nSTATUS=looking for the board"]


def test_life_is_told_three_times_within_the_managers_patience(manager: socket.socket, tmp_path: Path) -> None:
    times = iter((0.0, 0.5, 1.9, 2.0, 3.9, 4.1))
    service = Service(str(tmp_path / "notify"), 6.0, lambda: next(times))
    for _ in range(6):
        service.alive()
    assert heard(manager) == ["WATCHDOG=1"] * 3


def test_a_watchdog_for_another_process_is_not_ours(manager: socket.socket, tmp_path: Path) -> None:
    address = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "6000000"}
    Service.of(address | {"WATCHDOG_PID": "1"}).alive()
    assert heard(manager) == []
    Service.of(address | {"WATCHDOG_PID": str(os.getpid())}).alive()
    assert heard(manager) == ["WATCHDOG=1"]


def test_a_status_is_said_once(manager: socket.socket) -> None:
    service = Service.of()
    service.status("waiting")
    service.status("waiting")
    assert heard(manager) == ["STATUS=waiting"]


def test_a_socket_without_a_file_is_reached_too() -> None:
    name = f"carrom-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind("\0" + name)
        Service("@" + name).stopping()
        assert heard(sock) == ["STOPPING=1"]


def test_without_a_manager_nothing_happens(tmp_path: Path) -> None:
    Service.of({}).ready("looking")
    Service(str(tmp_path / "gone")).stopping()


def test_run_tells_its_life_while_frames_are_judged(clip: Path, profile_file: Path, tmp_path: Path,
                                                    manager: socket.socket) -> None:  # fmt: skip
    with running("run", clip, "--profile", profile_file, "--log", tmp_path / "a.jsonl", "--no-web") as process:
        assert manager.recv(4096).startswith(b"READY=1")
        assert manager.recv(4096).startswith(b"STATUS=judging ")
        assert manager.recv(4096) == b"WATCHDOG=1"
        assert "1 stroke" in ended(process)
    said = heard(manager)
    assert "WATCHDOG=1" in said, "a slow machine that catches up has time for fewer beats"
    assert said[-1] == "STOPPING=1"


def test_run_lives_on_while_it_waits_for_a_camera_and_ends_when_asked(tmp_path: Path, manager: socket.socket) -> None:
    missing = tmp_path / "video9"
    with running("run", missing, "--log", tmp_path / "a.jsonl", "--no-web", "--wait") as process:
        assert manager.recv(4096).startswith(b"READY=1")
        said = [manager.recv(4096) for _ in range(5)]
        assert sum(m.startswith(f"STATUS=waiting: {missing}: no such file".encode()) for m in said) == 1
        assert said.count(b"WATCHDOG=1") == 4
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, err.count("no such file")) == (0, 1)
    assert "ended while waiting" in out
