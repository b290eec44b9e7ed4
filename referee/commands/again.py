"""`referee again`: has the matches of a hall judged again by workers, and shows what differs."""

from __future__ import annotations

import json
import time
from datetime import datetime
from importlib.metadata import version
from typing import Any

import click

from models.rules import RulesError, book_text, load_book, rule_names
from referee.commands.hall_database import database_option, hub_errors

AGAIN_SOURCES = ("strokes", "tracks", "video")
PROGRESS_POLL_S = 0.5
"""Interval at which the progress is looked up, s."""


@click.command()
@database_option
@click.option("--rules", help="Judge by this rule book; the path of a .toml file works too.")
@click.option("--program", help="Have each stroke's clip seen again by workers of this version of the program.")
@click.option("--from", "source", type=click.Choice(AGAIN_SOURCES),
              help="Where the facts come from: as logged, seen again in the tracks, or in the clips; clips with "
                   "--program, else as logged.")  # fmt: skip
@click.option("--since", type=click.DateTime(["%Y-%m-%d", "%Y-%m"]),
              help="Only matches that began on this day or later.")  # fmt: skip
@click.option("--player", help="Only matches of players with this in their name.")
@click.option("--wait", is_flag=True, help="Wait until all is judged, then show it.")
@click.option("--show", "number", type=click.IntRange(1), help="Show a batch: progress, differences, failures.")
@click.option("--retry", type=click.IntRange(1), help="Queue the failed jobs of a batch anew.")
@click.option("--hub", default="", help="Address of the hub's pages, to print links that can be opened.")
def command(database: str, rules: str | None, program: str | None, source: str | None, since: datetime | None,
            player: str | None, wait: bool, number: int | None, retry: int | None, hub: str) -> None:  # fmt: skip
    """Have the matches of a hall judged again. `referee worker` does the work, on any machine; no log is changed.

    \b
    referee again --rules masters --since 2026-01 --wait
    referee again --program 0.1.0 --player "Asha Rao"
    referee again --show 3
    """
    with hub_errors():
        from referee.hub.batches import ask, batches, try_again
        from referee.hub.database import opened

        with opened(database) as connection:
            if retry is not None:
                click.echo(f"{try_again(connection, retry)} jobs are queued anew")
                number = retry
            elif rules or program or source:
                number = ask(connection, _request(rules, program, source, since, player))
                click.echo(f"Batch {number}")
            elif number is None:
                for found in batches(connection):
                    click.echo(_progress(found))
                return
            _show(connection, number, wait, hub)


def _request(rules: str | None, program: str | None, source: str | None, since: datetime | None,
          player: str | None) -> Any:  # fmt: skip
    from referee.hub.batches import BatchSource, BatchWish

    try:
        book = None
        if rules:
            load_book(rules)
            name = rules.partition("+")[0]
            book = None if name in rule_names() else book_text(name)
    except RulesError as e:
        raise click.ClickException(str(e)) from None
    begun = None if since is None else since.timestamp()
    chosen = BatchSource(source or ("video" if program else "strokes"))
    return BatchWish(chosen, program or version("carrom-referee"), rules, book, begun, player)


def _show(connection: Any, number: int, wait: bool, hub: str) -> None:
    from referee.hub.batches import batch

    while (found := batch(connection, number)) and wait and found["done"] + found["failed"] < found["parts"]:
        time.sleep(PROGRESS_POLL_S)
    if found is None:
        raise click.ClickException(f"there is no batch {number}: referee again lists them")
    click.echo(_progress(found))
    for row in found["differences"]:
        click.echo(f"{_link(hub, row)}  {_difference(row)}")
    for row in found["failures"]:
        click.echo(f"{_link(hub, row)}  failed after {row['attempts']} attempts: {row['problem']}")


def _progress(found: dict[str, Any]) -> str:
    about = [f"by {found['rules']}" if found["rules"] else "by each match's book", f"from {found['source']}",
             f"program {found['program']}"]  # fmt: skip
    if found["player"]:
        about.append(f"player {found['player']}")
    counts = f"{found['done']} of {found['parts']} jobs, {found['strokes']} strokes, {found['differ']} differ"
    more = [f"{found[name]} {words}" for name, words in (("unseen", "not seen again"), ("failed", "jobs failed"))
            if found[name]]  # fmt: skip
    return f"{found['id']:4} {', '.join(about)}: {', '.join([counts, *more])}"


def _link(hub: str, row: dict[str, Any]) -> str:
    return f"{hub.rstrip('/')}/match/{row['uid']}" + (f"#stroke={row['stroke']}" if row["stroke"] else "")


def _difference(row: dict[str, Any]) -> str:
    """Returns what differs in a few words."""
    said = [f"{name}: {_short(was)} -> {_short(now)}" for name, (was, now) in row["facts"].items()]
    if row["ruling"]:
        before = row["before"] or {}
        said += [f"{name}: {_short(before.get(name))} -> {_short(now)}"
                 for name, now in row["now"].items() if before.get(name) != now]  # fmt: skip
    return "; ".join(said) or f"not seen again: {row['unseen']}"


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
