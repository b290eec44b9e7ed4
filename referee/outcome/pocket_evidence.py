"""Weighs what shows in the pockets after a stroke: nets hold coins in view, boxes and long nets hide them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from models.pieces import Pocket
from referee.outcome.odds import Odds


class PocketEvidence:
    """Log likelihoods of the looks of all pockets under falls, each against no fall."""

    def __init__(self, changed: Mapping[Pocket, float], earlier: float, odds: Odds) -> None:
        """`changed`: share of each pocket's opening that looks other than before, where it was compared. `earlier`: log
        likelihood ratio, by earlier strokes, that this board's nets hold coins in view.
        """
        self._odds = odds
        self._changed = changed
        holds = math.log(odds.nets_hold / (1.0 - odds.nets_hold)) + earlier
        self._holds = 1.0 / (1.0 + math.exp(-holds))
        self.alone: Mapping[Pocket | None, float] = {pocket: self.seen_in((pocket,)) for pocket in Pocket} | {None: 0.0}
        """Log likelihood of one fall into each pocket and of none other; 0 for a piece that fell into none."""

    def _net_log_ratio(self, pocket: Pocket, falls: int) -> float:
        """Returns the log likelihood ratio of a pocket's look if its net holds coins and some fell, against none."""
        if pocket not in self._changed:
            return 0.0
        o, share = self._odds, self._changed[pocket]
        none = o.net_stirs + (1.0 - o.net_stirs) * math.exp(-share / o.net_share) / o.net_share
        unseen = (1.0 - o.net_shows) ** falls
        return math.log((1.0 - unseen) / none + unseen)

    def in_nets(self, pockets: Sequence[Pocket]) -> float:
        """Returns the log likelihood of falls into these pockets if nets hold coins in view, against hidden ones."""
        return sum(self._net_log_ratio(pocket, falls) for pocket, falls in Counter(pockets).items())

    def seen_in(self, pockets: Sequence[Pocket]) -> float:
        """Returns the log likelihood of falls into these pockets, one for each coin, and no other."""
        return math.log(self._holds * math.exp(self.in_nets(pockets)) + 1.0 - self._holds)

    def together(self, pockets: Sequence[Pocket]) -> float:
        """Returns the log likelihood of these falls against the product of each alone."""
        return self.seen_in(pockets) - sum(self.alone[pocket] for pocket in pockets)

    def unseen(self, likely: Pocket | None) -> tuple[float, Pocket | None]:
        """Returns the log likelihood of a fall that no track shows, and its pocket if the looks tell one.

        The piece fell into the `likely` pocket if there is one. Else it may have been any.
        """
        if likely is not None:
            return self.alone[likely], likely
        each = {pocket: math.exp(self.alone[pocket]) for pocket in Pocket}
        total, best = sum(each.values()), max(each, key=lambda pocket: each[pocket])
        return math.log(total / len(each)), best if 2 * each[best] > total else None
