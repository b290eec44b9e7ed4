"""`referee worker`: judges again what `referee again` and the hub's page ask for, on any machine that reaches the
database.
"""

from __future__ import annotations

import asyncio
import logging

import click

from referee.commands.hall_database import database_option, hub_errors


@click.command()
@database_option
@click.option("--processes", type=click.IntRange(1, 64), default=1, show_default=True,
              help="Number of jobs at once, each in a process of its own.")  # fmt: skip
@click.option("--hub", help="Address of the hub's pages, if the one that it states cannot be reached from here.")
@click.option("--once", is_flag=True, help="End when there is nothing left to do.")
def command(database: str, processes: int, hub: str | None, once: bool) -> None:
    """Judge matches of a hall again, as `referee again` asks for. Any number may run; killing one loses nothing.

    \b
    referee worker --database postgresql://hall.local/carrom --processes 4
    """
    with hub_errors():
        from referee.hub.database import opened
        from referee.pipeline.again_worker import AgainWorker

        # Its own sentences stand in the database, beside the job that they are about.
        logging.getLogger("procrastinate").setLevel(logging.CRITICAL)
        opened(database).close()
        worker = AgainWorker(database, processes, click.echo, hub)
        click.echo(f"Judging with program {worker.program}, {processes} at once")
        asyncio.run(worker.run(once))
