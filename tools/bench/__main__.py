"""`python -m tools.bench`: compares the referee with ground truth, for its developers; see docs/bench.md."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import click

from referee.bench.clips import ClipResult, referee_clips
from referee.bench.score import total
from referee.bench.table import clip_line, clips_json, clips_lines, sheets_lines
from referee.bench.truth import Truth, chosen_clips
from referee.commands.bench import clips_argument, json_option, keep_json, logs_option, measuring, only_option
from referee.outcome.observation_lines import ObservationError
from referee.outcome.odds import fitted
from referee.sim.variety import WorldOdds
from tools.bench.altered import Altered
from tools.bench.explained import compare, recorded
from tools.bench.observed import Observed
from tools.bench.overlay import Overlay, measure_overlay
from tools.bench.overlay_table import astray_lines, halves, overlay_json, overlay_line, overlay_table, spotless
from tools.bench.page import CLIPS, STROKES, ReportError, make_page, pictures_of, write_report
from tools.bench.pictures import keep_clip
from tools.bench.worlds import WorldResult, referee_worlds
from tools.bench.worlds_table import world_line, worlds_json

SEED = click.IntRange(0)
SHARE = click.FloatRange(0, 1)

report_option = click.option("--report", type=click.Path(file_okay=False, path_type=Path),
                             help="Keep the figures in this folder, with a page of tables and plots of all runs and "
                             "pictures of what went wrong.")  # fmt: skip


observations_option = click.option("--observations", type=click.Path(dir_okay=False, path_type=Path),
                                   help="Append what was observed of each stroke here, with its truth.")  # fmt: skip


@click.group()
def main() -> None:
    """Compare the referee with ground truth: altered clips, simulated worlds, and the overlays of replays."""


@main.command(short_help="clips, as filmed or shown otherwise")
@clips_argument
@only_option
@logs_option
@click.option("--relit", type=SEED, metavar="SEED",
              help="Show the clips in another light, colours and focus, drawn by this seed.")  # fmt: skip
@click.option("--swayed", type=SEED, metavar="SEED",
              help="Show the clips from a camera that trembles and hunts for its focus.")  # fmt: skip
@click.option("--rehung", type=SEED, metavar="SEED",
              help="Show the clips mirrored, turned a little and with fewer pixels.")  # fmt: skip
@observations_option
@report_option
@json_option
def clips(folder: Path, only: str, logs: Path | None, relit: int | None, swayed: int | None, rehung: int | None,
          observations: Path | None, report: Path | None, json_file: Path | None) -> None:  # fmt: skip
    """Referee the clips of FOLDER, as filmed or altered, and compare the logs with the truth.

    \b
    python -m tools.bench clips clips/ --report out/
    python -m tools.bench clips clips/ --relit 21
    """
    results: list[ClipResult] = []
    observed = None if observations is None else Observed()
    with measuring():
        for result in referee_clips(chosen_clips(folder, only), logs, Altered(relit, swayed, rehung), observed):
            results.append(result)
            click.echo(clip_line(result))
            if observed is not None and observations is not None:
                observed.append_to(observations, result.truth)
            if report is not None:
                keep_clip(result, pictures_of(report))
        for line in clips_lines(results):
            click.echo(line)
    _keep(clips_json(results), CLIPS, report, json_file)


@main.command(short_help="simulated strokes through the pixels")
@click.argument("strokes", type=click.IntRange(1))
@click.option("--seed", type=SEED, default=0, show_default=True, help="The first world.")
@click.option("--slips", type=SHARE, default=0.0, show_default=True,
              help="Share of the strokes in which a hand pushes, touches a coin, reaches too far, or flicks too "
              "weakly.")  # fmt: skip
@click.option("--stars", type=SHARE, default=0.0, show_default=True, help="Share of the boards that bear a star.")
@click.option("--troubles", type=SHARE, default=0.0, show_default=True,
              help="Share of the worlds in which lamps are switched, shadows pass, the camera is pushed, loses frames "
              "or its focus.")  # fmt: skip
@click.option("--results", type=click.Path(dir_okay=False, path_type=Path),
              help="Keep each world's result here, and go on where the file ends.")  # fmt: skip
@observations_option
@report_option
@json_option
def worlds(strokes: int, seed: int, slips: float, stars: float, troubles: float, results: Path | None,
           observations: Path | None, report: Path | None, json_file: Path | None) -> None:  # fmt: skip
    """Referee a number of simulated STROKES, four a world; 500 make a reference run and take hours.

    One world is played again with 4 strokes and its number as the seed.

    \b
    python -m tools.bench worlds 500 --results strokes.jsonl
    """
    pictures = None if report is None else pictures_of(report)
    refereed: list[WorldResult] = []
    with measuring():
        for result in referee_worlds(strokes, seed, results, pictures, odds=WorldOdds(slips, stars, troubles),
                                     observations=observations):  # fmt: skip
            refereed.append(result)
            click.echo(world_line(result))
        for line in sheets_lines({"simulated": total([r.sheet for r in refereed])}, "simulated"):
            click.echo(line)
    _keep(worlds_json(refereed), STROKES, report, json_file)


@main.command(short_help="every ring that a replay draws over a clip")
@clips_argument
@only_option
@logs_option
@json_option
def overlay(folder: Path, only: str, logs: Path | None, json_file: Path | None) -> None:
    """Compare the rings that a replay draws over each clip with NAME.truth.npz; --logs stores the matches.

    \b
    python -m tools.bench overlay clips/
    """
    results: list[tuple[Truth, Overlay]] = []
    with measuring(), tempfile.TemporaryDirectory() as passing:
        for truth in chosen_clips(folder, only):
            results.append((truth, measure_overlay(truth, logs or Path(passing))))
            click.echo(overlay_line(results[-1][1]))
        whole = halves(results)
        for lines in (overlay_table(whole), [spotless(results)], astray_lines(whole["all"])):
            click.echo("\n".join(["", *lines]))
    keep_json(overlay_json(results), json_file)


@main.command(short_help="recorded strokes explained again")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_option
def explain(files: tuple[Path, ...], json_file: Path | None) -> None:
    """Explain the strokes observed in FILES again, and compare with the calls and the truth.

    \b
    python -m tools.bench worlds 40 --observations observed.jsonl
    python -m tools.bench explain observed.jsonl
    """
    try:
        comparison = compare(list(recorded(files)), fitted())
    except ObservationError as e:
        raise click.ClickException(str(e)) from None
    for line in (*comparison.differences, *comparison.lines()):
        click.echo(line)
    keep_json(comparison.as_dict(), json_file)


@main.command(short_help="the page of a report, made anew")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def page(folder: Path) -> None:
    """Make the page of FOLDER anew from the figures in it: speed.json, clips.json and strokes.json.

    \b
    referee bench --json out/speed.json
    python -m tools.bench page out/
    """
    try:
        click.echo(f"report {make_page(folder)}")
    except ReportError as e:
        raise click.ClickException(str(e)) from None


def _keep(figures: dict[str, Any], kind: str, report: Path | None, json_file: Path | None) -> None:
    """Writes figures to the page and to the file, if requested."""
    if report is not None:
        click.echo(f"report {write_report(report, kind, figures)}")
    keep_json(figures, json_file)


if __name__ == "__main__":
    main(prog_name="python -m tools.bench")
