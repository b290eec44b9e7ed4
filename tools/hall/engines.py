"""The hall's engines, Mosquitto and PostgreSQL, on free loopback ports in a folder, to try, to measure, to test."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

from referee.hub.broker_files import HUB_USER, WALL_USER, Account, BrokerFiles, hashed, new_secret
from referee.membership.place import Membership
from referee.web.certificate import own_certificate

OPEN_S = 30.0
"""Longest wait for an engine to open its port, s."""
POSTGRES_USER = "postgres"


class EngineMissing(Exception):
    """An engine is not installed; the message says how to install it."""

    def __init__(self, engine: str) -> None:
        super().__init__(f"{engine} is not installed: apt-get install -y mosquitto postgresql")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def await_port(port: int, alive: subprocess.Popen[bytes] | None = None) -> None:
    """Returns once something listens."""
    end = time.monotonic() + OPEN_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1.0).close()
            return
        except OSError:
            assert time.monotonic() < end, f"nothing listens at {port}"
            assert alive is None or alive.poll() is None, f"the process for {port} ended"
            time.sleep(0.02)


class Broker:
    """A Mosquitto with the hub's own files: users with their rights, in clear and with TLS."""

    def __init__(self, folder: Path) -> None:
        program = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
        if program is None:
            raise EngineMissing("mosquitto")
        self.program = program
        # Mosquitto gives up root's rights, and its user must then come to these files.
        self.folder = folder
        self.files = BrokerFiles(folder)
        self.port, self.tls_port = free_port(), free_port()
        self.secrets = {HUB_USER: new_secret(), WALL_USER: new_secret()}
        certificate = own_certificate(folder, None)
        self.certificate = certificate.cert.read_text()
        self.files.write_settings(certificate.cert, certificate.key, self.tls_port, self.port)
        if os.geteuid() == 0:
            with self.files.settings.open("a") as file:
                file.write("user root\n")
        self._write()
        self.process: subprocess.Popen[bytes]

    def start(self) -> None:
        self.process = subprocess.Popen([self.program, "-c", self.files.settings], stderr=subprocess.DEVNULL)
        await_port(self.port, self.process)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()

    def add(self, *users: str) -> None:
        """Makes stations known to the running broker."""
        self.secrets |= {user: new_secret() for user in users}
        self._write()

    def place(self, user: str, tls: bool = False, hub: str = "") -> Membership:
        """How a user comes to it."""
        port = self.tls_port if tls else self.port
        return Membership("127.0.0.1", port, user, self.secrets[user], self.certificate if tls else None, hub)

    def _write(self) -> None:
        accounts = {user: Account(user, hashed(secret)) for user, secret in self.secrets.items()}
        stations = [a for user, a in accounts.items() if user not in (HUB_USER, WALL_USER)]
        self.files.write_accounts(accounts[HUB_USER], accounts[WALL_USER], stations)


class Database:
    """A PostgreSQL server; databases are made in it."""

    def __init__(self, folder: Path) -> None:
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl")) or [
            Path(path) for path in [shutil.which("pg_ctl")] if path
        ]
        if not found:
            raise EngineMissing("postgresql")
        self.bin, self.folder, self.port = found[-1].parent, folder, free_port()
        self.data = folder / "data"
        self._made = 0
        self.as_user: list[str] = []
        if os.geteuid() == 0:
            # initdb and postgres refuse root.
            self.as_user = ["runuser", "-u", POSTGRES_USER, "--"]
            shutil.chown(folder, POSTGRES_USER)
        self._run("initdb", "--pgdata", self.data, "--username", "hall", "--auth", "trust", "--encoding", "UTF8",
                  "--locale", "C", "--no-sync")  # fmt: skip

    def start(self) -> None:
        options = f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories={self.folder} " \
                  "-c shared_buffers=32MB"  # fmt: skip
        self._run("pg_ctl", "start", "--wait", "--pgdata", self.data, "--log", self.folder / "log", "-o", options)

    def stop(self, mode: str) -> None:
        """Stops it: `fast`, or `immediate`, which is a crash."""
        self._run("pg_ctl", "stop", "--wait", "--pgdata", self.data, "--mode", mode)

    def new(self) -> str:
        """Returns the address of a new database."""
        self._made += 1
        name = f"hall{self._made}"
        self._run("createdb", "--host", "127.0.0.1", "--port", str(self.port), "--username", "hall", name)
        return f"postgresql://hall@127.0.0.1:{self.port}/{name}"

    def _run(self, program: str, *arguments: str | Path) -> None:
        done = subprocess.run([*self.as_user, self.bin / program, *arguments], cwd=self.folder, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)  # fmt: skip
        assert done.returncode == 0, done.stderr.decode()
