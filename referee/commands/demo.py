"""`referee demo`: runs a simulated match through the whole pipeline, camera to scoreboard; needs no hardware."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from models.pieces import Seat
from referee.commands.analyse import announcer_of, summary
from referee.commands.errors import as_click_errors
from referee.commands.matches import matches
from referee.commands.number_range import NumberRange
from referee.commands.options import record_options
from referee.commands.showing import following, web_options
from referee.commands.stop import stopping
from referee.frames.frame import Source
from referee.frames.paced import PacedSource
from referee.log.identity import Origin
from referee.pipeline import MatchOutcome, MatchSettings
from referee.pipeline.frame_referee import Players
from referee.replay.recording_settings import RecordedMedia, Recording
from referee.sim.script import MatchConditions
from referee.sim.source import SimSource

DEMO_SIZE = (640, 480)
"""Size of the simulated picture, px. Rendering and vision together run in real time on two slow cores."""
DEMO_FPS = 30.0
BEGINS_S = 10
"""Time until the demo's board is found, s: 8.2 and 8.6 were measured on two busy cores."""
RULES = "icf+stay+games=1+boards=2"
"""Rule book: a match ends within minutes and the next begins. Simulated players keep their seats after a game."""
NAMES = ((Seat.SOUTH, "Asha"), (Seat.NORTH, "Ravi"))
"""Players of the demo, so that everything that belongs to names is there: results, standings, form."""


@click.command()
@click.option("--boards", type=click.IntRange(1), help="End after this number of boards; by default the match goes on.")
@click.option("--seconds", type=NumberRange(0, min_open=True), help="End after this many seconds of play.")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Seed of the match; another number plays another match."
)
@click.option(
    "--log", type=click.Path(dir_okay=False, path_type=Path), help="Path of the match log; by default it is not kept."
)
@click.option("--open/--no-open", "opens", default=None, help="Open the scoreboard in the browser; by default where "
              "a person is at a terminal and a desktop is there.")  # fmt: skip
@partial(record_options, default=RecordedMedia.VIDEO)
@web_options
def command(boards: int | None, seconds: float | None, seed: int, log: Path | None, opens: bool | None,
            recording: Recording, **web: Any) -> None:  # fmt: skip
    """Play a simulated match through the whole pipeline and serve the scoreboard.

    The simulator draws what a camera over a board would see; the referee calibrates itself on these pictures and knows
    nothing else. Open the printed address in a browser; Ctrl-C ends the match.
    The video of each stroke is kept for its replay, and goes with the match at the end unless --log says where to.

    \b
    referee demo
    """

    def opened() -> tuple[Source, Players]:
        sim = SimSource(
            width=DEMO_SIZE[0], height=DEMO_SIZE[1], fps=DEMO_FPS, seed=seed, manner=MatchConditions(boards=boards)
        )
        return PacedSource(sim), announcer_of(sim)

    def stopped(t: float) -> bool:
        return stop.asked or (seconds is not None and t >= seconds)

    outcome: MatchOutcome | None = None
    click.echo("The demo plays a simulated match through the whole pipeline: it draws what a camera would see.")
    with (
        as_click_errors(),
        stopping() as stop,
        _logged(log) as path,
        following(path, **web, tours=True, opens=opens) as show,
    ):
        click.echo(f"The referee now looks for the board in these pictures, about {BEGINS_S} s. Ctrl-C ends it.")
        chosen = MatchSettings(rules=RULES, players=NAMES, recording=recording, origin=Origin())
        outcome, _ = matches(opened, chosen, path, show.publisher, stopped, "demo",
                             others=(show.addresses,), time_left=stop.time_left)  # fmt: skip
    if outcome is not None:
        click.echo(summary(outcome.match))
    stop.leave()


@contextmanager
def _logged(log: Path | None) -> Iterator[Path]:
    """Yields the log of the demo's match: in a temporary folder, unless one is given."""
    if log is not None:
        yield log
        return
    with TemporaryDirectory(prefix="carrom-demo-") as folder:
        yield Path(folder) / "demo.jsonl"
