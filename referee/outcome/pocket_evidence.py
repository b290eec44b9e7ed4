"""Weighs what shows in the pockets after a stroke: nets hold coins in view, boxes and long nets hide them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from models.pieces import Pocket
from referee.outcome.odds import Odds


class PocketEvidence:
    """Log likelihoods of the looks of all pockets under falls, each against no fall."""

    def __init__(self, changed: Mapping[Pocket, float], earlier: float, odds: Odds) -> None:
        """`changed`: share of each pocket's opening that looks other than before, where it was compared. `earlier`: log
        likelihood ratio, by earlier strokes, that this board's nets hold coins in view.
        """
        self._odds = odds
        self._in_net = {pocket: self._net_log_ratio(changed[pocket]) if pocket in changed else 0.0 for pocket in Pocket}
        holds = math.log(odds.nets_hold / (1.0 - odds.nets_hold)) + earlier
        self._holds = 1.0 / (1.0 + math.exp(-holds))

    def _net_log_ratio(self, share: float) -> float:
        """Returns the log likelihood ratio of the share that differs, if the net holds coins."""
        o = self._odds
        none = o.net_stirs + (1.0 - o.net_stirs) * math.exp(-share / o.net_share) / o.net_share
        return math.log(o.net_shows / none + 1.0 - o.net_shows)

    def in_nets(self, pockets: Collection[Pocket]) -> float:
        """Returns the log likelihood of falls into these pockets if nets hold coins in view, against hidden ones."""
        return sum(self._in_net[pocket] for pocket in pockets)

    def seen_in(self, pockets: Collection[Pocket]) -> float:
        """Returns the log likelihood of falls into these pockets and no other."""
        return math.log(self._holds * math.exp(self.in_nets(pockets)) + 1.0 - self._holds)

    def unseen(self, likely: Pocket | None) -> tuple[float, Pocket | None]:
        """Returns the log likelihood of a fall that no track shows, and its pocket if the looks tell one.

        The piece fell into the `likely` pocket if there is one. Else it may have been any.
        """
        if likely is not None:
            return self.seen_in((likely,)), likely
        each = {pocket: math.exp(self.seen_in((pocket,))) for pocket in Pocket}
        total, best = sum(each.values()), max(each, key=lambda pocket: each[pocket])
        return math.log(total / len(each)), best if 2 * each[best] > total else None
