"""Fits the stories of fouls (`referee/fouls/stories.json`) on recorded strokes, and judges them on others.

    python -m tools.fit_outcome.fouls train.jsonl --held held.jsonl --out referee/fouls/stories.json

The files are those of `tools.fit_outcome.fit`. The fit minimises the mean surprise, -log of the probability of what was
true, with a pull to the first guess, so that a parameter that no stroke of the sample concerns stays there.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from models.fitted import as_json
from referee.bench.reliability import wilson
from referee.facts import Foul
from referee.fouls.stories import Stories
from tools.fit_outcome.scale import from_free, to_free

FOULS = (Foul.PUSH, Foul.HAND_OVER_DIAGONAL, Foul.TOUCHED_COIN)
LENGTHS = ("push_limit_mm", "push_scale_mm", "over_scale_mm")
UNSEEN = ("pushed_unseen", "followed_pushed", "followed_flicked", "stay_scale_mm", "stay_missed", "stay_seemed")
"""Parameters of strokes that leave no observation; they keep their first guesses."""
SHARES = ("push", "over", "touched")
PULL_SIGMA = 1.0
"""Standard deviation of a parameter about its first guess, as a logarithm or log-odd."""
LIKELY = 0.5
"""Probability from which a foul is told."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One foul that was looked for in a stroke."""

    foul: Foul
    measure: float
    is_true: bool


def measured(paths: Iterable[Path]) -> Iterator[Measured]:
    """Yields what was measured of the strokes in some files whose truth is known."""
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            d = json.loads(line)
            if d["truth"] is not None and d["called"]["stroke"] is not None:
                true = d["truth"]["fouls"]
                yield from (Measured(Foul(foul), measure, foul in true)
                            for foul, measure in d["called"]["measured"].items())  # fmt: skip


def surprise(cases: Sequence[Measured], stories: Stories) -> float:
    """Returns the sum of -log of the probability of what was true."""
    told = (stories.probability(c.foul, c.measure) for c in cases)
    return -sum(math.log(max(1e-9, p if c.is_true else 1.0 - p)) for c, p in zip(cases, told, strict=True))


def fit(cases: Sequence[Measured]) -> Stories:
    """Returns the stories of least surprise and pull.

    The shares of fouls are fitted beside the rest but not kept: the sample has more of them than play.
    """
    names = [f.name for f in fields(Stories) if f.name not in UNSEEN]
    first = np.array([to_free(getattr(Stories(), name), name in LENGTHS) for name in names])

    def of(free: Sequence[float]) -> Stories:
        return Stories(**{name: from_free(value, name in LENGTHS) for name, value in zip(names, free, strict=True)})

    def loss(free: Sequence[float]) -> float:
        return surprise(cases, of(free)) + float(np.sum((np.array(free) - first) ** 2)) / (2 * PULL_SIGMA**2)

    best = minimize(loss, first, method="L-BFGS-B").x
    return replace(of(best), **{name: getattr(Stories(), name) for name in SHARES})


def report(cases: Sequence[Measured], stories: Stories) -> Iterator[str]:
    """Yields a line for each foul: strokes, precision and recall with intervals, and surprise."""
    for foul in FOULS:
        mine = [c for c in cases if c.foul is foul]
        told = [c.is_true for c in mine if stories.probability(foul, c.measure) >= LIKELY]
        true = sum(c.is_true for c in mine)
        precision, recall = wilson(sum(told), len(told)), wilson(sum(told), true)
        yield (f"{foul.value}: looked for in {len(mine)}, true {true}, told {len(told)}, of these right {sum(told)}; "
               f"95 % intervals: precision {precision[0]:.3f} to {precision[1]:.3f}, recall {recall[0]:.3f} to "
               f"{recall[1]:.3f}; mean surprise {surprise(mine, stories) / max(1, len(mine)):.4f}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train", nargs="+", type=Path, help="recorded strokes to fit")
    parser.add_argument("--held", nargs="*", default=[], type=Path, help="recorded strokes that judge the fit")
    parser.add_argument("--out", type=Path, required=True, help="where the stories go")
    options = parser.parse_args()
    stories = fit(list(measured(options.train)))
    options.out.write_text(as_json(stories), encoding="utf-8")
    for name, value in asdict(stories).items():
        print(f"{name} {value:.4g}")
    for name, paths in (("fitted", options.train), ("held apart", options.held)):
        print("\n".join(["", f"{name}:", *report(list(measured(paths)), stories)]))


if __name__ == "__main__":
    main()
