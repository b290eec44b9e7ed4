"""The hall's engines for tests, started once, on free loopback ports and in temporary folders.

Where one is not installed its tests are skipped with the reason; with CARROM_ENGINES=1, as in CI, they fail.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from tools.hall.engines import Broker, Database, EngineMissing, await_port, free_port

__all__ = ["Broker", "Database", "await_port", "broker", "database", "free_port"]

REQUIRED = "CARROM_ENGINES"


def missing(why: EngineMissing) -> NoReturn:
    """Skips the test, or fails where the engines must be there."""
    if os.environ.get(REQUIRED):
        pytest.fail(str(why))
    pytest.skip(str(why))


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """Runs Mosquitto."""
    try:
        broker = Broker(tmp_path_factory.mktemp("broker"))
    except EngineMissing as e:
        missing(e)
    broker.start()
    yield broker
    broker.kill()


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
