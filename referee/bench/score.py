"""The score sheet: shares, counts and errors of refereed clips. Sheets add up."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from models.pieces import Piece


class ScoreRow(StrEnum):
    """A property that is right in a share of the cases; the value is its name in tables."""

    CALIBRATED = "calibrated and run"
    FOUND = "strokes found"
    POCKETED = "pocketed set exact"
    POCKET = "pocket right"
    ORDER = "fall order right"
    OFF_BOARD = "off board exact"
    SURE = "called with 0.9 or more"
    SEAT = "seat right"
    PLACEMENT = "placement right"
    PLAIN = "plain placements called"
    CONTACT = "first contact right"
    CONTACT_FAST = "first contact right at 60 fps and more"
    FOULS_OF_TRUE = "fouls right of true"
    FOULS_OF_LOGGED = "fouls right of logged"
    NO_LEAVE_OF_TRUE = "no_leave right of true"
    NO_LEAVE_OF_LOGGED = "no_leave right of logged"
    RETURNS_OF_TRUE = "returns right of true"
    RETURNS_OF_LOGGED = "returns right of logged"
    RESTS = "rests seen"
    KINDS = "kinds right at rest"
    TURN = "turn right on boards"
    NOTICED = "disturbances noticed in 1 s"
    IN_TIME = "called within 0.3 s of the rest"


class ScoreFault(StrEnum):
    """A fault that should never happen; counted."""

    WRONG_CERTAIN = "wrong and certain"
    MISSED = "strokes missed"
    INVENTED = "strokes invented"
    PLACEMENT_WRONG = "placements called wrongly"
    PIECES_MISSED = "pieces missed at rest"
    PIECES_INVENTED = "pieces invented at rest"


class Error(StrEnum):
    """A measured quantity whose errors are collected."""

    CALIBRATION_MM = "calibration mm"
    CIRCLES_MM = "base circles mm"
    REST_MM = "pieces at rest mm"
    PLACEMENT_MM = "placement mm"
    PLACEMENT_Z = "placement error by sigma, each axis"
    CALLED_S = "rest to call s"


HISTOGRAM_BINS = 40
HISTOGRAM_TO = {
    Error.CALIBRATION_MM: 1.0,
    Error.CIRCLES_MM: 2.0,
    Error.REST_MM: 2.0,
    Error.PLACEMENT_MM: 2.0,
    Error.PLACEMENT_Z: 4.0,
    Error.CALLED_S: 1.0,
}
"""Upper ends of the histograms."""


@dataclass(frozen=True, slots=True)
class Call:
    """A called stroke: its confidence, and whether all that left the board was right."""

    clip: str
    t: float
    confidence: float
    right: bool
    text: str
    """Truth and call, in words."""


@dataclass(frozen=True, slots=True)
class Case:
    """A board at rest with something wrong, for inspection."""

    clip: str
    t: float
    """Time at which the last piece came to rest, s."""
    text: str
    true: tuple[Piece, ...]
    logged: tuple[Piece, ...]
    """Pieces of the logged table."""
    called_wrong: bool
    """The stroke before was called wrongly; otherwise only the table is wrong."""


@dataclass(slots=True)
class ScoreSheet:
    """Sums of scores; `right` and `of` by row."""

    right: Counter[ScoreRow] = field(default_factory=Counter)
    of: Counter[ScoreRow] = field(default_factory=Counter)
    faults: Counter[ScoreFault] = field(default_factory=Counter)
    errors: dict[Error, list[float]] = field(default_factory=lambda: defaultdict(list))
    fouls: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Numbers true, logged and right, by foul."""
    alerts: Counter[str] = field(default_factory=Counter)
    calls: list[Call] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    """A sentence for everything that went wrong."""
    cases: list[Case] = field(default_factory=list)

    def count(self, row: ScoreRow, right: int, of: int = 1) -> None:
        """Adds cases of `row`: `of` in number, `right` of them right."""
        self.right[row] += int(right)
        self.of[row] += int(of)

    def add(self, other: ScoreSheet) -> None:
        """Adds another sheet."""
        self.right.update(other.right)
        self.of.update(other.of)
        self.faults.update(other.faults)
        self.alerts.update(other.alerts)
        for error, values in other.errors.items():
            self.errors[error] += values
        for name, counts in other.fouls.items():
            self.fouls[name].update(counts)
        self.calls += other.calls
        self.wrong += other.wrong
        self.cases += other.cases

    def share(self, row: ScoreRow) -> float | None:
        """Returns the share of right cases; None without a case."""
        return self.right[row] / self.of[row] if self.of[row] else None

    def spread(self, error: Error) -> float | None:
        """Returns the root mean square of the errors; None without one."""
        values = self.errors.get(error)
        return float(np.sqrt(np.mean(np.square(values)))) if values else None

    def quantiles(self, error: Error) -> dict[str, float] | None:
        """Returns the median, 95th and 99th percentile; None without an error."""
        values = self.errors.get(error)
        return {f"p{q}": round(float(np.percentile(values, q)), 3) for q in (50, 95, 99)} if values else None

    def histogram(self, error: Error) -> tuple[list[float], list[int]]:
        """Returns the edges of bins and the number of errors in each; the last bin holds all larger ones."""
        edges = np.linspace(0.0, HISTOGRAM_TO[error], HISTOGRAM_BINS + 1)
        values = np.clip(np.abs(self.errors.get(error, [])), 0.0, edges[-1])
        return edges.round(4).tolist(), np.histogram(values, edges)[0].tolist()

    def as_dict(self) -> dict[str, Any]:
        """Returns the figures as plain JSON; faults that never happened appear as 0."""
        z = self.spread(Error.PLACEMENT_Z)
        return {
            "shares": {r.value: {"right": self.right[r], "of": self.of[r]} for r in ScoreRow if self.of[r]},
            "faults": {f.value: self.faults[f] for f in ScoreFault},
            "errors": {e.value: q for e in Error if e is not Error.PLACEMENT_Z and (q := self.quantiles(e))},
            "placement_error_by_sigma_rms": None if z is None else round(z, 2),
            "fouls": {name: dict(counts) for name, counts in sorted(self.fouls.items())},
            "alerts": dict(self.alerts),
        }


def total(sheets: list[ScoreSheet]) -> ScoreSheet:
    """Returns the sum of all sheets."""
    whole = ScoreSheet()
    for sheet in sheets:
        whole.add(sheet)
    return whole
