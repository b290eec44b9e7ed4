"""Fouls of the hand as two stories of one measure: what they tell, and that their fit finds them again."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from models.fitted import as_json, of_json
from referee.facts import Foul
from referee.fouls.stories import Stories, fitted
from tools.fit_outcome.fouls import fit, measured, report

HAND = (Foul.PUSH, Foul.HAND_OVER_DIAGONAL)


@pytest.mark.parametrize("foul", HAND)
def test_the_farther_a_hand_goes_the_surer_the_foul_and_never_quite(foul: Foul) -> None:
    told = [fitted().probability(foul, mm) for mm in (-200.0, 0.0, 20.0, 40.0, 60.0, 1000.0)]
    assert told == sorted(told)
    assert told[0] < 0.05
    assert 0.95 < told[-1] < 1.0


def test_a_coin_that_the_stroke_may_have_moved_was_hardly_touched() -> None:
    assert fitted().probability(Foul.TOUCHED_COIN, 1.0) < 0.2
    assert fitted().probability(Foul.TOUCHED_COIN, 0.0) > 0.9
    assert fitted().pushed_unseen_if(False) < 0.5 < fitted().pushed_unseen_if(True)


def test_stories_are_fitted_to_recorded_strokes_and_judged_on_them(tmp_path: Path) -> None:
    true, rng, path = Stories(push_limit_mm=50.0, push_scale_mm=6.0), np.random.default_rng(3), tmp_path / "seen.jsonl"
    lines = []
    for mm in rng.uniform(0.0, 100.0, 600):
        fouls = ["push"] if rng.random() < true.probability(Foul.PUSH, mm) else []
        lines.append({"truth": {"fouls": fouls}, "called": {"stroke": {}, "measured": {"push": mm}}})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    cases = list(measured([path]))
    found = fit(cases)
    assert found.push_limit_mm == pytest.approx(50.0, abs=6.0)
    assert found.over_scale_mm == pytest.approx(Stories().over_scale_mm, rel=0.01)
    assert of_json(Stories, as_json(found)).push_scale_mm == pytest.approx(found.push_scale_mm, abs=1e-6)
    assert next(report(cases, found)).startswith(f"push: looked for in 600, true {sum(c.is_true for c in cases)}")
