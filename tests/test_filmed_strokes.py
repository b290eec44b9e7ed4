"""What was observed of filmed strokes is explained rightly, or in doubt (`filmed_strokes.py` filmed them)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from filmed_strokes import FILMS

from models.pieces import Pocket
from referee.outcome.evidence import evidence_of
from referee.outcome.explanation import explain
from referee.outcome.observation_lines import from_line
from referee.outcome.odds import fitted
from referee.outcome.readings import PieceFate

SURE = 0.9
RECORDED = Path(__file__).parent / "recorded" / "films.jsonl"
LINES = {json.loads(line)["source"]: line for line in RECORDED.read_text(encoding="utf-8").splitlines()}
DOUBTFUL = {name for name in FILMS if "vanishes" in name or "edge" in name or "upon" in name}


def test_every_film_is_recorded_once() -> None:
    assert LINES.keys() == FILMS.keys()
    assert all(json.loads(LINES[name])["fell"] == list(film.fell) for name, film in FILMS.items())


@pytest.mark.parametrize("name", FILMS)
def test_what_fell_is_told_or_doubted(name: str) -> None:
    call, fell = explain(evidence_of(from_line(LINES[name])), fitted()).call, FILMS[name].fell
    assert (call.weight >= SURE) is (name not in DOUBTFUL)
    if name not in DOUBTFUL:
        assert call.left.off_board == ()
        assert [(m.kind, m.pocket) for m in call.claims if m.fate is PieceFate.FELL] == [(k, Pocket.NE) for k in fell]
