"""Users of the broker: the hub, the walls, and the stations that were paired. Their secrets are known as hashes only,
but for those of hub and wall, which the hub keeps for itself."""

from __future__ import annotations

import json
from pathlib import Path

from referee.atomic_files import written
from referee.hub.broker_files import (
    CLEAR_PORT,
    HUB_USER,
    WALL_USER,
    Account,
    BrokerFiles,
    hashed,
    is_secret,
    new_secret,
)
from referee.hub.database import Database
from referee.membership.place import Membership

SECRETS_NAME = "hub.json"
"""File of the secrets of hub and wall, in the hub's folder."""


class Accounts:
    """The broker's users, in the database and in the broker's files."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError."""
        self._path = folder / SECRETS_NAME
        self.files = BrokerFiles(folder)
        self._secrets = self._stored_secrets()

    def hub(self, port: int = CLEAR_PORT) -> Membership:
        """Returns how the hub comes to its broker."""
        return Membership("127.0.0.1", port, HUB_USER, self._secrets[HUB_USER])

    def publish(self, database: Database) -> None:
        """Writes the broker's files from the database. Raises OSError, psycopg.Error."""
        rows = database.execute(
            "select id, hashed from station where hashed is not null and retired_at is null order by id"
        ).fetchall()
        hub, wall = (Account(user, hashed(self._secrets[user])) for user in (HUB_USER, WALL_USER))
        self.files.write_accounts(hub, wall, [Account(station, stored) for station, stored in rows])

    def add(self, database: Database, station: str, name: str, by: str) -> str:
        """Gives a station access and returns its secret; an earlier one is void. Raises OSError, psycopg.Error."""
        secret = new_secret()
        database.execute(
            "insert into station (id, name, hashed, paired_by, paired_at) values (%s, %s, %s, %s, now()) "
            "on conflict (id) do update set name = excluded.name, hashed = excluded.hashed, "
            "paired_by = excluded.paired_by, "
            "paired_at = excluded.paired_at, retired_at = null",
            [station, name, hashed(secret), by],
        )
        self.publish(database)
        return secret

    def retire(self, database: Database, station: str) -> bool:
        """Takes a station's access away; its matches stay. False if there is none. Raises OSError, psycopg.Error."""
        done = database.execute("update station set retired_at = now(), hashed = null where id = %s", [station])
        self.publish(database)
        return done.rowcount > 0

    def _stored_secrets(self) -> dict[str, str]:
        try:
            known = json.loads(self._path.read_text(encoding="utf-8"))
            return {user: str(known[user]) for user in (HUB_USER, WALL_USER)}
        except (FileNotFoundError, ValueError, LookupError, TypeError):
            made = {user: new_secret() for user in (HUB_USER, WALL_USER)}
        with written(self._path) as part:
            part.touch(mode=0o600)
            part.write_text(json.dumps(made), encoding="utf-8")
        return made


def is_station(database: Database, station: str, secret: str) -> bool:
    """Tells whether this is a station's secret. Raises psycopg.Error."""
    row = database.execute("select hashed from station where id = %s and retired_at is null", [station]).fetchone()
    return row is not None and row[0] is not None and is_secret(secret, row[0])
