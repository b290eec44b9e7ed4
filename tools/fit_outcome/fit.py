"""Fits the odds for explaining strokes (`referee/outcome/odds.json`) on recorded strokes with known truth.

Record the strokes first, separately for fitting and for judging, for example

    python -m tools.bench worlds 400 --seed 40000 --slips 0.35 --observations train.jsonl
    python -m tools.bench worlds 200 --seed 50000 --slips 0.35 --observations held.jsonl
    python -m tools.fit_outcome.fit train.jsonl --held held.jsonl --out referee/outcome/odds.json

The fit minimises the mean surprise: -log of the probability of the true reading, with a weak pull to the initial guess.
So odds that do not occur in the sample stay there. It tries each odd in turn larger and smaller on a logarithmic scale
(probabilities by their log-odds), and halves the step where neither is better.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import asdict
from pathlib import Path

from models.fitted import as_json, of_json
from referee.outcome.odds import Odds, names
from tools.bench.explained import Recorded, compare, recorded, surprise
from tools.fit_outcome.scale import from_free, to_free

LENGTHS = {"look_sigma", "rest_mm", "look_odd_sigma", "fell_mm_s", "off_mm_s", "speed_spread"}
"""Odds that are not probabilities."""
PULL_SIGMA = 2.0
"""Standard deviation of an odd about its initial guess, as a log-odd."""
LEAST_STEP = 0.1


def loss(cases: list[Recorded], free: dict[str, float], first: dict[str, float]) -> float:
    """Returns the mean surprise plus the pull to the initial guess, weighted for the number of cases."""
    odds = Odds(**{name: from_free(value, name in LENGTHS) for name, value in free.items()})
    pull = sum(((free[name] - first[name]) / PULL_SIGMA) ** 2 / 2 for name in free)
    return surprise(cases, odds) + pull / max(1, len(cases))


def fit(cases: list[Recorded], start: Odds, until: float, chosen: list[str]) -> Odds:
    """Returns the odds of least loss that are found before a time (s, monotonic) by trying those `chosen`."""
    first = {name: to_free(value, name in LENGTHS) for name, value in asdict(Odds()).items()}
    free = {name: to_free(value, name in LENGTHS) for name, value in asdict(start).items()}
    steps = dict.fromkeys(chosen, 0.8)
    best = loss(cases, free, first)
    print(f"{len(cases)} strokes, loss {best:.4f}", flush=True)
    while time.monotonic() < until and max(steps.values()) > LEAST_STEP:
        for name in chosen:
            if steps[name] <= LEAST_STEP or time.monotonic() > until:
                continue
            tried = [(loss(cases, free | {name: free[name] + d}, first), d) for d in (steps[name], -steps[name])]
            least, step = min(tried)
            if least < best - 1e-6:
                best, free[name] = least, free[name] + step
                steps[name] *= 1.3
                print(f"{name} {from_free(free[name], name in LENGTHS):.4g}: loss {best:.4f}", flush=True)
            else:
                steps[name] /= 2
    return Odds(**{name: from_free(value, name in LENGTHS) for name, value in free.items()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train", nargs="+", type=Path, help="recorded strokes to fit")
    parser.add_argument("--held", nargs="*", default=[], type=Path, help="recorded strokes that judge the fit")
    parser.add_argument("--out", type=Path, required=True, help="where the odds go")
    parser.add_argument("--start", type=Path, help="odds to start from instead of the first guess")
    parser.add_argument("--only", nargs="*", choices=names(), default=names(), help="odds to try, not all")
    parser.add_argument("--minutes", type=float, default=30.0, help="how long to try")
    options = parser.parse_args()
    cases = list(recorded(options.train))
    if not cases:
        sys.exit("no stroke with truth in these files: record some with python -m tools.bench worlds --observations")
    start = Odds() if options.start is None else of_json(Odds, options.start.read_text(encoding="utf-8"))
    odds = fit(cases, start, time.monotonic() + 60 * options.minutes, options.only)
    options.out.write_text(as_json(odds), encoding="utf-8")
    for name, paths in (("fitted", options.train), ("held apart", options.held)):
        print(f"\n{name}:")
        comparison = compare(list(recorded(paths)), odds)
        print("\n".join([*comparison.differences, *comparison.lines()]))


if __name__ == "__main__":
    main()
