"""Results of simulated worlds as text for the terminal, and as one JSON object."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from referee.bench.score import ScoreFault, ScoreRow, total
from referee.bench.table import right_of, sheet_json, wrong_and_certain
from tools.bench.worlds import WorldResult


def world_line(r: WorldResult) -> str:
    """Returns one simulated world in one line."""
    s = r.sheet
    if r.failure is not None:
        return f"world {r.seed:5} {r.scene:40} FAILED: {r.failure}"
    return (
        f"world {r.seed:5} {r.scene:40} strokes {right_of(s, ScoreRow.FOUND)} +{s.faults[ScoreFault.INVENTED]}"
        f"  pocketed {right_of(s, ScoreRow.POCKETED)}  placement {right_of(s, ScoreRow.PLACEMENT)}"
        f"  rest -{s.faults[ScoreFault.PIECES_MISSED]} +{s.faults[ScoreFault.PIECES_INVENTED]}"
        f"  certain-wrong {s.faults[ScoreFault.WRONG_CERTAIN]}"
    )


def worlds_json(results: list[WorldResult]) -> dict[str, Any]:
    """Returns everything measured on simulated worlds."""
    whole = total([r.sheet for r in results])
    worst = [asdict(c) for c in wrong_and_certain(whole)]
    failed = {r.seed: r.failure for r in results if r.failure is not None}
    return {"worlds": len(results), "not_calibrated": failed, "wrong_and_certain": worst, **sheet_json(whole)}
