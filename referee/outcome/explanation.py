"""Infers from the evidence of a stroke which pieces were pocketed or left the board, with probabilities.

An assignment gives each missing piece one explanation: a disc found, the end of a track, or no detection. Its weight
is the product of the likelihoods of all evidence under it. Assignments by which the same pieces left the board are one
reading, and the heaviest of them gives the reading its weight. The heaviest reading is the call.
Its confidence is its share of a sum: the weights of all readings, each to a fitted power (`Odds.sharpness`), and one
more weight for what no assignment explains (`Odds.unmodelled`).

Few assignments matter, so few are computed. The first is the heaviest of all. For each piece and each other fate of it
(on the board, pocketed, off the board) comes the heaviest one with that fate. For each end of a track that shows a fall
comes the heaviest one by which that end is no fall. The good ones among these are varied once more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from calibration.geometry.camera import F64
from models.pieces import Kind, Pocket
from referee.outcome.evidence import End, StrokeEvidence
from referee.outcome.likelihoods import FORBIDDEN, Likelihoods, log_of
from referee.outcome.odds import Odds
from referee.outcome.readings import Claim, Explanation, How, Left, PieceFate, StrokeReading
from referee.tracking.assignment import assigned

FURTHER = 6.0
"""Greatest loss of log weight against the heaviest assignment at which a variant is varied again; it counts up to twice
that loss."""
EXPLANATION_ROUNDS = 2
"""Greatest number of changes by which a variant differs from the heaviest assignment."""


def explain(e: StrokeEvidence, odds: Odds) -> Explanation:
    """Returns all relevant readings of the evidence under the given odds."""
    weights = _Weights(e, odds)
    heaviest: dict[Left, tuple[float, tuple[Claim, ...]]] = {}
    for log, claim in weights.readings():
        left, weight = _left(claim), log + weights.likelihoods.pockets.together(_pockets_of(claim))
        if left not in heaviest or weight > heaviest[left][0]:
            heaviest[left] = weight, claim
    disturbed = odds.disturbed_sharpness**e.observation.disturbed
    sharpness = odds.sharpness * disturbed
    top = max(weight for weight, _ in heaviest.values())
    shares = {left: math.exp(sharpness * (weight - top)) for left, (weight, _) in heaviest.items()}
    unmodelled = odds.unmodelled_unplaced if e.observation.stood is None else odds.unmodelled
    other = (unmodelled / (1.0 - unmodelled)) ** disturbed
    total = sum(shares.values()) * (1.0 + other)
    readings = sorted((StrokeReading(left, share / total, heaviest[left][1]) for left, share in shares.items()),
                      key=lambda r: -r.weight)  # fmt: skip
    hidden, unseen = (sum(r.weight for r in readings if any(m.how in hows and m.sought for m in r.claims))
                      for hows in ((How.HIDDEN, How.COVERED), (How.UNSEEN,)))  # fmt: skip
    nets = weights.likelihoods.pockets.in_nets(_pockets_of(readings[0].claims))
    return Explanation(tuple(readings), hidden, unseen, nets, weights.extras)


def _left(claim: Sequence[Claim]) -> Left:
    fell, off = ([m.kind for m in claim if m.fate is fate] for fate in (PieceFate.FELL, PieceFate.OFF))
    return Left.of(fell, off)


def _pockets_of(claims: Sequence[Claim]) -> list[Pocket]:
    """Returns the pockets of the falls, one for each coin whose pocket is known."""
    return [m.pocket for m in claims if m.fate is PieceFate.FELL and m.pocket is not None]


def _heaviest(log: F64) -> tuple[float, list[int]]:
    """Returns the log weight of the heaviest assignment, and the column of each row in it."""
    rows, columns = assigned(-log)
    return float(log[rows, columns].sum()), columns.tolist()


class _Weights:
    """The matrix of the log weights of all assignments.

    Rows are missing pieces. Columns are discs found and ends of tracks, then the columns
    of each piece alone for fates without a detection. A disc or an end that is assigned to no piece has a weight too;
    the entries are relative to it.
    """

    def __init__(self, e: StrokeEvidence, odds: Odds) -> None:
        self.e = e
        self.likelihoods = likelihoods = Likelihoods(e, odds)
        self.loose = likelihoods.loose
        private = [list(likelihoods.unseen(s)) for s in e.sought]
        n, widest = len(e.sought), max((len(p) for p in private), default=0)
        d, f = len(e.observation.found), len(e.falls)
        self.n, shared = n, d + f
        self.log = np.full((n, shared + n * widest), -FORBIDDEN)
        self.fates = np.empty(self.log.shape, object)
        self.claims: list[list[Claim | None]] = [[None] * self.log.shape[1] for _ in range(n)]
        extras = [likelihoods.extra(disc) for disc in e.observation.found]
        self.extras = tuple(max(each, key=lambda k: each[k]) for each in extras)
        extra = [log_of(sum(each.values())) for each in extras]
        for i, s in enumerate(e.sought):
            for j, disc in enumerate(e.observation.found):
                claim = Claim(s, s.piece.kind, PieceFate.BOARD, How.FOUND, disc.place, disc=j)
                self._put(i, j, log_of(likelihoods.found_at(s, j)) - extra[j], claim)
            for j, fall in enumerate(e.falls):
                fate = PieceFate.OFF if fall.end is End.OVER_FRAME else PieceFate.FELL
                claim = Claim(s, s.piece.kind, fate, How.SEEN, None, fall.pocket, fall.t)
                self._put(i, d + j, log_of(likelihoods.fell(s, fall)) - self.loose[j][0], claim)
            for j, (weight, claim) in enumerate(private[i]):
                self._put(i, shared + i * widest + j, log_of(weight), claim)

    def _put(self, i: int, j: int, log: float, claim: Claim) -> None:
        self.log[i, j], self.fates[i, j], self.claims[i][j] = log, claim.fate, claim

    # -- assignments -----------------------------------------------------------------------------------------------

    def readings(self) -> Iterator[tuple[float, tuple[Claim, ...]]]:
        """Yields the log weight and claims of the heaviest assignment, and of variants with up to two changes.

        The weights count the look of a pocket once for each coin in it.
        """
        yield from self._varied(self.log, EXPLANATION_ROUNDS, _heaviest(self.log)[0])

    def _varied(self, log: F64, rounds: int, best: float) -> Iterator[tuple[float, tuple[Claim, ...]]]:
        """Yields the readings of the heaviest assignment under `log`, and of its variants."""
        weight, columns = _heaviest(log)
        if weight > best - 2 * FURTHER:
            yield from self._reading(weight, columns)
        if rounds and weight > best - FURTHER:
            for other in self._variants(log, columns):
                yield from self._varied(other, rounds - 1, best)

    def _variants(self, log: F64, columns: Sequence[int]) -> Iterator[F64]:
        """Yields matrices under which one piece has another fate, or one end that shows a fall is none: any of several
        like coins may have fallen there.
        """
        for i in range(self.n):
            for fate in (fate for fate in PieceFate if fate is not self.fates[i, columns[i]]):
                other = log.copy()
                other[i, self.fates[i] != fate] = -FORBIDDEN
                yield other
        first = len(self.e.observation.found)
        for j in (j for j in columns if first <= j < first + len(self.e.falls)):
            other = log.copy()
            other[:, j] = -FORBIDDEN
            yield other

    def _reading(self, weight: float, columns: Sequence[int]) -> Iterator[tuple[float, tuple[Claim, ...]]]:
        """Yields an assignment with the likeliest reading of its unassigned ends, then its variants.

        In a variant one unassigned end changes between an unknown coin's fall and none.
        """
        first = len(self.e.observation.found)
        loose = [j for j in range(len(self.e.falls)) if first + j not in columns]
        base = [m for i, j in enumerate(columns) if (m := self.claims[i][j]) is not None]
        best = weight + sum(max(self.loose[j][:2]) - self.loose[j][0] for j in loose)
        for j in loose:
            none, coin, kind = self.loose[j]
            if coin > none and kind is not None:
                base.append(self._unknown(j, kind))
        yield best, tuple(base)
        for j in loose:
            none, coin, kind = self.loose[j]
            if kind is None:
                continue
            there = self._unknown(j, kind)
            changed = [m for m in base if m != there] if coin > none else [*base, there]
            yield best - abs(coin - none), tuple(changed)

    def _unknown(self, j: int, kind: Kind) -> Claim:
        fall = self.e.falls[j]
        return Claim(None, kind, PieceFate.FELL, How.SEEN, None, fall.pocket, fall.t)
