"""Who goes with whom: the least of all ways, and what is loaded for it when."""

from __future__ import annotations

import subprocess
import sys
import threading
from itertools import permutations
from pathlib import Path

import numpy as np

from referee.tracking.assignment import assigned, possible_pairs, prepare

ROOT = Path(__file__).parents[1]


def test_the_pairs_cost_least_of_all_ways() -> None:
    rng = np.random.default_rng(1)
    for rows, columns in ((1, 1), (3, 5), (5, 3), (5, 5)):
        cost = rng.uniform(0, 9, (rows, columns))
        across = cost if rows <= columns else cost.T
        least = min(sum(across[i, j] for i, j in enumerate(way)) for way in permutations(range(max(cost.shape)),
                                                                                         min(cost.shape)))  # fmt: skip
        found = assigned(cost)
        assert np.isclose(cost[found].sum(), least)
        assert found[0].tolist() == sorted(set(found[0].tolist()))


def test_what_is_impossible_is_left_open_though_another_pair_costs_more_for_it() -> None:
    never = np.inf
    for cost, pairs in (
        ([[never, 1.0], [never, 2.0]], [(0, 1)]),
        ([[1.0, 2.0], [3.0, never]], [(0, 1), (1, 0)]),
        ([[never, never], [never, never]], []),
    ):
        rows, columns = possible_pairs(np.array(cost))
        assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == pairs


def test_what_a_first_frame_does_without_is_not_loaded_before_it() -> None:
    code = "import sys, referee.commands.run; print(sorted({'scipy', 'referee.sim.source'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


def test_it_is_loaded_beside_what_else_goes_on() -> None:
    prepare()
    for thread in threading.enumerate():
        if thread.name == "loading":
            thread.join()
    assert "scipy.optimize" in sys.modules
