"""`PYTHONPATH=tests python -m campaign [PART...] [--scale N]`: the long campaign; prints a line of figures a part.

Scale 1 is the whole: 2,000 kills, 200 power cuts (50 of them with syncs of 500 ms), 20,000 damaged logs, ten minutes of
fuzzing a target. Parts: kills; cuts, slow and failing (of a real file system, as root); the same as a model; damage,
connections, pins, cameras, pictures and fuzz targets. The exit code is 1 if anything was lost.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import click

from campaign.cameras import camera_faults
from campaign.cuts import Result, kills, power_cuts
from campaign.damage import TARGETS, damaged_logs, fuzzed
from campaign.disk import NoDisk
from campaign.doors import connections, pins
from campaign.pictures import disturbed_pictures
from campaign.power import real_cuts

FUZZ_S = 600.0


def parts(scale: float, seed: int) -> dict[str, Callable[[Path], Result]]:
    """Returns every part by its name."""

    def many(n: int) -> int:
        return max(1, round(n * scale))

    return {
        "kills": lambda folder: kills(folder, many(2000), seed),
        "cuts": lambda folder: real_cuts(folder, many(130), 0, seed),
        "slow": lambda folder: real_cuts(folder, many(50), 250, seed),
        "failing": lambda folder: real_cuts(folder, many(20), 10, seed, failing=True),
        "model": lambda folder: power_cuts(folder, many(130), 0, 0, seed),
        "model_slow": lambda folder: power_cuts(folder, many(50), 500, 0, seed),
        "model_failing": lambda folder: power_cuts(folder, many(20), 20, 7, seed),
        "damage": lambda folder: damaged_logs(folder, many(20_000), seed),
        "connections": lambda folder: connections(folder, many(60)),
        "pins": lambda folder: pins(many(24)),
        "cameras": lambda folder: camera_faults(folder, many(400), seed),
        "pictures": lambda folder: disturbed_pictures(many(400), seed),
    } | {name: lambda folder, name=name: fuzzed(folder, name, FUZZ_S * scale, seed) for name in TARGETS}


@click.command()
@click.argument("names", nargs=-1)
@click.option("--scale", default=1.0, show_default=True, help="Share of the whole campaign.")
@click.option("--seed", default=1, show_default=True)
def main(names: tuple[str, ...], scale: float, seed: int) -> None:
    """Runs the campaign."""
    every, failed = parts(scale, seed), False
    for name in names or tuple(every):
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try:
                result = every[name](Path(folder))
            except NoDisk as e:
                click.echo(f"{name}: left out: {e}")
                continue
        told = ", ".join(f"{key} {value:.0f}" for key, value in result.figures.items())
        click.echo(
            f"{name}: {result.tries} tries, {len(result.lost)} findings in {time.monotonic() - began:.0f} s {told}"
        )
        for each in result.lost[:10]:
            click.echo(f"  {each}")
        failed = failed or bool(result.lost)
    sys.exit(failed)


if __name__ == "__main__":
    main()
