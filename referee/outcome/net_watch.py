"""The nets: what lies in one is covered or stirs when another coin falls on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from models.pieces import Pocket
from referee.outcome.fates import FATE_UNSEEN, CensusFate, Missing
from referee.tracking.tracker import Track

Fall = tuple[float, Pocket]
"""When something fell on what lay in a net, and where."""

NET_LAY_S = (0.06, 0.3)
"""What lies in a net is held against how it lay so long before."""
NET_LAY_TIMES, NET_STEADY = 4, 1.1
"""It lay still if it was seen so often then, and no larger than so many times its least."""
GROWN, GROWN_TIMES = 1.3, 2
"""Something falls on it if it shows so much larger, so many times running: settling, it was never seen to grow by a
fourth (34 clips).
"""
FELL_ON, NET_SAME_S = 0.95, 0.5
"""How sure it is that a coin that nobody saw go is what fell on another; it may be one that was followed into that
pocket if that fell within so long.
"""


class NetWatch:
    """Call `see` for each frame of a stroke; `falls` tells when something fell on what lay in a net, and where."""

    def __init__(self) -> None:
        self.falls: list[Fall] = []
        self._seen: dict[Pocket, list[tuple[float, float]]] = {}
        """What has been seen lately over each pocket: when, and how much."""

    def see(self, t: float, areas: Mapping[Pocket, float]) -> None:
        """Takes in how much (mm²) is seen over each pocket into which something fell before."""
        for pocket, area in areas.items():
            lately = [(at, seen) for at, seen in self._seen.get(pocket, []) if t - at <= NET_LAY_S[1]]
            seen = self._seen[pocket] = [*lately, (t, area)]
            if self._has_grown(t, seen) and not any(p is pocket and t - at < NET_LAY_S[1] for at, p in self.falls):
                self.falls.append((seen[-GROWN_TIMES][0], pocket))

    @staticmethod
    def _has_grown(t: float, seen: list[tuple[float, float]]) -> bool:
        lay = [area for at, area in seen if t - at >= NET_LAY_S[0]]
        if len(lay) < NET_LAY_TIMES or max(lay) > NET_STEADY * min(lay):
            return False
        return min(area for _, area in seen[-GROWN_TIMES:]) > GROWN * max(lay)


def fell_on(falls: Sequence[Fall], missing: list[Missing], ended: Sequence[tuple[Track, Missing]]) -> list[Missing]:
    """The `missing` pieces, the one that nobody saw go as what fell on another in a net: if there is one such fall that
    no track explains that `ended` in a pocket, and one such coin.
    """
    alone = [
        (t, pocket)
        for t, pocket in falls
        if not any(outcome.pocket is pocket and abs(outcome.t - t) < NET_SAME_S for _, outcome in ended)
    ]
    unseen = [m for m in missing if m.fate is CensusFate.POCKETED and m.confidence <= FATE_UNSEEN]
    if len(alone) != 1 or len(unseen) != 1:
        return missing
    t, pocket = alone[0]
    return [replace(m, t=t, pocket=pocket, confidence=FELL_ON) if m is unseen[0] else m for m in missing]
