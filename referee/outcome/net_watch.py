"""The nets: what lies in one is covered or stirs when another coin falls on it."""

from __future__ import annotations

from collections.abc import Mapping

from models.pieces import Pocket

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
