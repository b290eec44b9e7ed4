"""What the commands of a hall share: the database's address, and its errors in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from referee.web.serve import WebServerError

DATABASE_VARIABLE = "CARROM_DATABASE"
DEFAULT_DATABASE = "postgresql:///carrom"

database_option = click.option("--database", envvar=DATABASE_VARIABLE, default=DEFAULT_DATABASE, show_default=True,
                               help="Address of the PostgreSQL database.")  # fmt: skip


@contextmanager
def hub_errors() -> Iterator[None]:
    """Turns what can go wrong into one sentence and exit code 1."""
    try:
        import procrastinate
        import psycopg

        from referee.hub.database import DatabaseError
    except ImportError as e:
        raise click.ClickException(f"{e.name} is not installed: pip install 'carrom-referee[hall]'") from None
    try:
        yield
    except (DatabaseError, WebServerError) as e:
        raise click.ClickException(str(e)) from None
    except (psycopg.Error, procrastinate.exceptions.ConnectorException) as e:
        why = str(e).strip() or str(e.__cause__ or type(e).__name__).strip()
        raise click.ClickException(f"the database cannot be used: {why.splitlines()[0]}") from None
    except OSError as e:
        raise click.ClickException(
            f"{e.filename or 'the folder'} cannot be used: {e.strerror}; choose another"
        ) from None
