"""Explains recorded strokes again, and compares with the calls at the time and with the truth."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from models.pieces import Kind
from referee.outcome.evidence import StrokeEvidence, evidence_of
from referee.outcome.explanation import explain
from referee.outcome.observation import Observation
from referee.outcome.observation_lines import ObservationError, from_line
from referee.outcome.odds import Odds
from referee.outcome.readings import Explanation, Left

SURE = 0.9
"""Confidence from which a call counts as certain."""
LEAST_SHARE = 1e-4
"""Probability assumed for a true reading that an explanation lacks."""


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """A census after which a stroke was called, and its truth."""

    source: str
    t: float
    """Time of the call, s."""
    evidence: StrokeEvidence
    called: Left
    confidence: float
    true: Left | None
    """None for a stroke that never was."""

    @property
    def name(self) -> str:
        return f"{self.source} at {self.t:.2f} s"


def recorded(paths: Iterable[Path]) -> Iterator[Recorded]:
    """Yields the censuses of some files after which a stroke was called. Raises ObservationError with the file and
    line.
    """
    for path in paths:
        with path.open(encoding="utf-8") as file:
            for n, line in enumerate(file, 1):
                try:
                    told = _told(line)
                except (ObservationError, KeyError, TypeError, ValueError) as e:
                    raise ObservationError(f"{path}, line {n}: {e}; record it again") from None
                if told is not None:
                    source, observation, called, confidence, true = told
                    yield Recorded(source, observation.t, evidence_of(observation), called, confidence, true)


def _told(line: str) -> tuple[str, Observation, Left, float, Left | None] | None:
    """Returns source, observation, call, confidence and truth of a line; None for a census without a call."""
    observation, d = from_line(line), json.loads(line)
    called, true = d["called"]["stroke"], d["truth"]
    if called is None:
        return None
    return (d["source"], observation, _left(called), float(called["confidence"]),
            None if true is None else _left(true))  # fmt: skip


def _left(d: dict[str, Any]) -> Left:
    return Left.of(*((Kind(g["kind"]) for g in d[name]) for name in ("pocketed", "off_board")))


@dataclass(slots=True)
class Tally:
    """Accuracy of some calls."""

    calls: int = 0
    exact: int = 0
    sure: int = 0
    sure_wrong: int = 0
    surprise: float = 0.0
    """Sum of -log of the probability that each call gave to its being right or wrong, whichever it was."""

    def add(self, is_right: bool, confidence: float) -> None:
        """Counts one call."""
        self.calls += 1
        self.exact += is_right
        self.sure += confidence >= SURE
        self.sure_wrong += confidence >= SURE and not is_right
        self.surprise -= math.log(max(LEAST_SHARE, confidence if is_right else 1.0 - confidence))

    def line(self, name: str) -> str:
        """Returns the figures as text."""
        mean = self.surprise / max(1, self.calls)
        return (f"{name}: sets exact {self.exact}/{self.calls}, told with {SURE} or more {self.sure}, of these wrong "
                f"{self.sure_wrong}, mean surprise {mean:.4f}")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Comparison:
    """Strokes as called and as explained."""

    called: Tally
    explained: Tally
    both: Tally
    """As called, with the lower of both confidences."""
    differences: tuple[str, ...]
    """A line for each stroke that one of them has wrong or is not certain of."""

    def lines(self) -> Iterator[str]:
        """Yields the sums as text."""
        yield self.called.line("as called")
        yield self.explained.line("as explained")
        yield self.both.line("as called, no surer than explained")

    def as_dict(self) -> dict[str, Any]:
        """Returns the figures as plain JSON."""
        return {"called": asdict(self.called), "explained": asdict(self.explained), "both": asdict(self.both),
                "differences": list(self.differences)}  # fmt: skip


def compare(cases: Sequence[Recorded], odds: Odds) -> Comparison:
    """Compares calls with explanations where the truth is known."""
    called, explained, both = Tally(), Tally(), Tally()
    differences = []
    for case in cases:
        if case.true is None:
            continue
        e = explain(case.evidence, odds)
        no_surer = min(case.confidence, e.share(case.called))
        called.add(case.called == case.true, case.confidence)
        explained.add(e.call.left == case.true, e.call.weight)
        both.add(case.called == case.true, no_surer)
        if case.called != case.true or e.call.left != case.true or no_surer < SURE:
            differences.append(_difference(case, e))
    return Comparison(called, explained, both, tuple(differences))


def _difference(case: Recorded, e: Explanation) -> str:
    other = f", else {told(e.other.left)} {e.other.weight:.3f}" if e.other is not None else ""
    true = told(case.true) if case.true is not None else "no stroke"
    return (f"{case.name}: true {true}; called {told(case.called)} {case.confidence:.3f}; explained "
            f"{told(e.call.left)} {e.call.weight:.3f}{other}")  # fmt: skip


def told(left: Left) -> str:
    """Returns what left the board, in words."""
    return " + ".join([*left.pocketed, *(f"{kind} off" for kind in left.off_board)]) or "nothing"


def surprise(cases: Sequence[Recorded], odds: Odds) -> float:
    """Returns the mean of -log of the true reading's share."""
    known = [case for case in cases if case.true is not None]
    shares = (explain(case.evidence, odds).share(case.true) for case in known if case.true is not None)
    return sum(-math.log(max(LEAST_SHARE, share)) for share in shares) / max(1, len(known))
