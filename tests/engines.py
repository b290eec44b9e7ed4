"""The hall's engines for tests, on free loopback ports and in temporary folders.

Where one is not installed its tests are skipped with the reason; with CARROM_ENGINES=1, as in CI, they fail.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

from tools.hall.engines import Broker, Database, EngineMissing, await_port, free_port

__all__ = ["Broker", "Database", "await_port", "broker", "database", "free_port", "running_broker"]

REQUIRED = "CARROM_ENGINES"


def missing(why: EngineMissing) -> NoReturn:
    """Skips the test, or fails where the engines must be there."""
    if os.environ.get(REQUIRED):
        pytest.fail(str(why))
    pytest.skip(str(why))


@contextmanager
def running_broker(folder: Path) -> Iterator[Broker]:
    """Runs Mosquitto. Only one hub may be at it: every hub answers every board."""
    try:
        broker = Broker(folder)
    except EngineMissing as e:
        missing(e)
    broker.start()
    try:
        yield broker
    finally:
        broker.kill()


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """Runs one for each file, as it keeps what another file's boards said last."""
    with running_broker(tmp_path_factory.mktemp("broker")) as broker:
        yield broker


@pytest.fixture(scope="session")
def database() -> Iterator[Database]:
    """Runs PostgreSQL, in a folder that its user may enter: pytest's own are closed to others."""
    with tempfile.TemporaryDirectory(prefix="carrom-database-") as folder:
        try:
            database = Database(Path(folder))
        except EngineMissing as e:
            missing(e)
        database.start()
        yield database
        database.stop("immediate")
