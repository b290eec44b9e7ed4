"""Detects falls into nets that already hold a coin: the visible area over the pocket grows when another coin falls."""

from __future__ import annotations

from collections.abc import Mapping

from models.pieces import Pocket

Fall = tuple[float, Pocket]
"""Time (s) and pocket of a fall onto what lay in a net."""

NET_LAY_S = (0.06, 0.3)
"""Least and greatest age of the areas with which the present area is compared, in seconds."""
NET_LAY_TIMES = 4
"""Least number of these areas."""
GROWN, GROWN_TIMES = 1.3, 2
"""Growth factor of the area, and the number of consecutive frames with it, from which something fell.

A settling coin never grew by a fourth (34 clips).
"""


class NetWatch:
    """Collects in `falls` the falls onto what lay in nets; `update` is called for each frame of a stroke."""

    def __init__(self) -> None:
        self.falls: list[Fall] = []
        self._seen: dict[Pocket, list[tuple[float, float]]] = {}
        """Recent time (s) and visible area (mm²) over each pocket."""

    def update(self, t: float, areas: Mapping[Pocket, float]) -> None:
        """Adds the visible area (mm²) over each pocket into which something fell before, at time t (s)."""
        for pocket, area in areas.items():
            lately = [(at, seen) for at, seen in self._seen.get(pocket, []) if t - at <= NET_LAY_S[1]]
            seen = self._seen[pocket] = [*lately, (t, area)]
            if self._has_grown(t, seen) and not any(p is pocket and t - at < NET_LAY_S[1] for at, p in self.falls):
                self.falls.append((seen[-GROWN_TIMES][0], pocket))

    @staticmethod
    def _has_grown(t: float, seen: list[tuple[float, float]]) -> bool:
        lay = [area for at, area in seen if t - at >= NET_LAY_S[0]]
        if len(lay) < NET_LAY_TIMES:
            return False
        return min(area for _, area in seen[-GROWN_TIMES:]) > GROWN * max(lay)
