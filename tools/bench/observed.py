"""Writes out the observations of strokes with known truth, so that they can be explained again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from referee.bench.pairing import pair_strokes
from referee.bench.truth import Gone, TruePlay, Truth
from referee.facts import OffBoard, Pocketed, Stroke
from referee.log.fact_lines import line_of
from referee.outcome.observation import Observation
from referee.outcome.observation_lines import to_line
from referee.pipeline.frame_referee import FrameReferee
from referee.pipeline.run_match import NoAudience
from referee.strokes.observe import Called


class Observed(NoAudience):
    """Records every census of a source's strokes with the call that followed."""

    def __init__(self) -> None:
        self._seen: list[tuple[Observation, Called]] = []

    def began(self, source: Any, frame_referee: FrameReferee, log: Path) -> None:
        frame_referee.seeing.watch.observe(lambda observation, called: self._seen.append((observation, called)))

    def append_to(self, path: Path, truth: Truth) -> None:
        """Appends a line for each census: observation, call, and truth; null for a stroke that never was.

        The censuses are cleared afterwards, for the next source.
        """
        called = [c.stroke for _, c in self._seen if c.stroke is not None]
        pairs = pair_strokes(truth.strokes, called).pairs
        plays = {stroke.n: play for play, stroke in pairs}
        strokes = iter([*called, None])
        with path.open("a", encoding="utf-8") as file:
            coming = next(strokes)
            for observation, c in self._seen:
                play = plays.get(coming.n) if coming is not None and _is_of(observation, coming) else None
                file.write(to_line(observation, source=truth.name, called=_called(c), truth=_truth(play)) + "\n")
                coming = next(strokes) if c.stroke is not None else coming
        self._seen.clear()


def _is_of(observation: Observation, stroke: Stroke) -> bool:
    """Tells whether a census belongs to a stroke that was called then or later."""
    return observation.t <= stroke.t_called and observation.t_strike >= stroke.t_strike - 1.0


def _called(c: Called) -> dict[str, Any]:
    return {"over": c.is_over, "stroke": None if c.stroke is None else line_of(c.stroke),
            "measured": {foul.value: round(measure, 2) for foul, measure in c.measured.items()}}  # fmt: skip


def _truth(play: TruePlay | None) -> dict[str, Any] | None:
    if play is None:
        return None
    contact = play.first_contact.value if play.first_contact else None
    return {"t_strike": play.t_strike, "t_rest": play.t_rest, "pocketed": _left(play.pocketed),
            "off_board": _left(play.off_board), "first_contact": contact, "left": play.left_base_line,
            "fouls": sorted(foul.value for foul in play.fouls)}  # fmt: skip


def _left(gone: Iterable[Gone | Pocketed | OffBoard]) -> list[dict[str, Any]]:
    return [{"kind": g.kind.value, "pocket": getattr(g, "pocket", None)} for g in gone]
