"""`referee analyse`: referees a recording without the web, as fast as possible; time comes from its frames."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import click

from models.pieces import Kind, Seat
from referee.commands.errors import as_click_errors
from referee.commands.notes import PictureNotes
from referee.commands.options import camera_options, check_among, match_options, record_options, setting
from referee.commands.progress import ProgressLine
from referee.commands.stop import stopping
from referee.frames.frame import Source
from referee.frames.open import open_source
from referee.match import Match
from referee.pipeline import MatchOutcome, MatchSettings, referee
from referee.pipeline.frame_referee import Players, ignore_ruling
from referee.pipeline.memory import return_freed_memory
from referee.pipeline.run_match import Audiences


@click.command()
@click.argument("source")
@camera_options
@match_options
@record_options
@click.option(
    "--log",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Path of the match log; an existing one is continued. By default match.jsonl beside match.mp4.",
)
def command(source: str, log: Path | None, **options: Any) -> None:
    """Referee SOURCE without web pages, as fast as possible.

    SOURCE is a video file, an image folder or a camera; sim plays one simulated board. A recording is refereed from
    where it shows the board. The log is the same at every run but for the time of day in its header.

    \b
    referee analyse match.mp4
    referee analyse match.mp4 --log evening.jsonl --rules masters
    """
    return_freed_memory()
    log = log or log_beside(source)
    outcome: MatchOutcome | None = None
    with as_click_errors(), stopping() as stop, ProgressLine() as progress:
        opened = open_source(source, simulator=one_board)
        check_seated(opened, chosen := setting(**options))
        outcome = referee(opened, chosen, log, Path(source).name,
                          audience=Audiences(PictureNotes(), progress), players=announcer_of(opened),
                          stopped=lambda t: progress.at(t) or stop.asked, time_left=stop.time_left)  # fmt: skip
    _report_end(outcome, log)
    stop.leave()


def _report_end(outcome: MatchOutcome | None, log: Path) -> None:
    if outcome is None:
        click.echo("ended before the board was found: nothing was logged")
        return
    for problem in outcome.problems:
        click.echo(f"note: {problem}", err=True)
    click.echo(f"{summary(outcome.match)}; {outcome.frames} frames, log {log}")


def log_beside(source: str) -> Path:
    """Returns the log of a recording: beside it, or in this folder for what is no file."""
    path = Path(source)
    return path.with_suffix(".jsonl") if path.exists() and not path.is_char_device() else Path(f"{path.name}.jsonl")


@runtime_checkable
class SimulatedPlayers(Protocol):
    """A source with simulated players, who need to hear the rulings. The simulator is loaded only when it is
    requested.
    """

    @property
    def seats(self) -> tuple[Seat, Seat]:
        """The seats at which they sit."""

    def announce(self, turn: Seat | None, returns: Sequence[Kind] = (), board_over: bool = False) -> None:
        """Announces the referee's ruling on the last stroke."""


def one_board() -> Source:
    """Returns a simulated match of one board."""
    from referee.sim.script import MatchConditions
    from referee.sim.source import SimSource

    return SimSource(manner=MatchConditions(boards=1))


def announcer_of(source: Source) -> Players:
    """Returns how rulings reach the players: simulated ones are told, all others read them."""
    if not isinstance(source, SimulatedPlayers):
        return ignore_ruling
    return lambda r: source.announce(r.turn, [k for k, n in r.to_return for _ in range(n)], r.board_over)


def check_seated(source: Source, chosen: MatchSettings) -> None:
    """Raises MatchError if a name or a declared seat is for a seat at which no simulated player sits."""
    if isinstance(source, SimulatedPlayers):
        check_among(source.seats, [*chosen.players, *chosen.seats], "the simulated players sit at")


def summary(match: Match) -> str:
    """Returns the number of strokes seen and of certain rulings, in words."""
    certain = sum(r.certain for r in match.rulings.values())
    return f"{_many(len(match.rulings), 'stroke')}, {_many(certain, 'ruling')} certain"


def _many(n: int, what: str) -> str:
    return f"{n} {what}" + ("" if n == 1 else "s")
