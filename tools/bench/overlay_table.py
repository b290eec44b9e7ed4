"""Figures of overlays as text for the terminal, and as one JSON object."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np

from referee.bench.truth import Truth
from tools.bench.overlay import NEAR_PX, Overlay, Sort, Visible

MOST_ASTRAY = 40
"""Greatest number of misplaced rings printed; the JSON has all."""


def overlay_line(o: Overlay) -> str:
    """Returns one clip in one line."""
    if o.failures:
        return f"{o.name:18} " + "; ".join(o.failures)
    rings = "  ".join(f"{sort.name.lower()} {_within(o, sort):>11} {_worst(o, sort):>6} px" for sort in Sort)
    return f"{o.name:18} frames {o.frames:5}  {rings}  moving pieces with a ring {_any(o, Visible.MOVING)}"


def halves(results: Sequence[tuple[Truth, Overlay]]) -> dict[str, Overlay]:
    """Returns the rings of the clips for tuning (a to l), of those only for measuring (m to z), and of all."""
    whole = {name: Overlay(name) for name in ("a-l", "m-z", "all")}
    for truth, overlay in results:
        whole["a-l" if truth.is_for_tuning else "m-z"].add(overlay)
        whole["all"].add(overlay)
    return whole


def overlay_table(whole: Mapping[str, Overlay]) -> Iterator[str]:
    """Yields the figures side by side."""
    rows: dict[str, Callable[[Overlay], str]] = {"frames": lambda o: str(o.frames)}
    for sort in Sort:
        rows[f"rings {sort.value}"] = partial(_within, sort=sort)
        rows[f"  px p50 / p99 / worst, {sort.name.lower()}"] = partial(_quantiles, sort=sort)
    for which in Visible:
        rows[f"visible pieces {which.value} with a sure ring"] = partial(_sure, which=which)
        rows[f"visible pieces {which.value} with any ring"] = partial(_any, which=which)
    yield f"{'':44}" + "".join(f"{name:>22}" for name in whole)
    for head, cell in rows.items():
        yield f"{head:44}" + "".join(f"{cell(o):>22}" for o in whole.values())


def astray_lines(whole: Overlay) -> Iterator[str]:
    """Yields each ring on no piece of its kind, sure ones first."""
    astray = sorted(whole.astray, key=lambda a: (a.sort is Sort.DOUBT, -a.off_px))
    for a in astray[:MOST_ASTRAY]:
        yield (
            f"{a.clip} at {a.t:.3f} s: a ring ({a.sort.value}, {a.kind}) at ({a.x_mm:.0f}, {a.y_mm:.0f}) mm, "
            f"{a.off_px:.1f} px off"
        )
    if len(astray) > MOST_ASTRAY:
        yield f"... and {len(astray) - MOST_ASTRAY} more"


def spotless(results: Sequence[tuple[Truth, Overlay]]) -> str:
    """Returns the clips on which every sure ring of every frame is on a piece of its kind."""
    good = [t.name for t, o in results if not o.failures and not any(a.sort is not Sort.DOUBT for a in o.astray)]
    return f"every sure ring within {NEAR_PX:g} px: {len(good)} of {len(results)} clips: {', '.join(good)}"


def overlay_json(results: Sequence[tuple[Truth, Overlay]]) -> dict[str, Any]:
    """Returns everything measured."""
    clips = {truth.name: _json(overlay) for truth, overlay in results}
    return {"near_px": NEAR_PX, "sheets": {name: _json(o) for name, o in halves(results).items()}, "clips": clips}


def _json(o: Overlay) -> dict[str, Any]:
    rings = {sort.value: {"rings": len(off), "near": _near(off), "px": _px(off)} for sort, off in o.off_px.items()}
    pieces = {v.value: {"visible": o.pieces[v], "sure": o.ringed[v], "any": o.marked[v]} for v in Visible}
    return {"frames": o.frames, "rings": rings, "pieces": pieces, "astray": [asdict(a) for a in o.astray],
            "failures": o.failures}  # fmt: skip


def _near(off: Sequence[float]) -> int:
    return sum(px < NEAR_PX for px in off)


def _px(off: Sequence[float]) -> dict[str, float] | None:
    """Returns a distance; None if there is no ring, or no piece for one."""
    finite = [px for px in off if np.isfinite(px)]
    if not finite:
        return None
    p50, p99 = np.percentile(finite, [50, 99]).tolist()
    return {"p50": round(p50, 2), "p99": round(p99, 2), "worst": round(max(finite), 2)}


def _within(o: Overlay, sort: Sort) -> str:
    off = o.off_px[sort]
    return f"{_near(off)} of {len(off)}"


def _worst(o: Overlay, sort: Sort) -> str:
    return f"{max(o.off_px[sort], default=0.0):.1f}"


def _quantiles(o: Overlay, sort: Sort) -> str:
    px = _px(o.off_px[sort])
    return " / ".join(f"{v:.2f}" for v in px.values()) if px else "-"


def _sure(o: Overlay, which: Visible) -> str:
    return _share(o.ringed[which], o.pieces[which])


def _any(o: Overlay, which: Visible) -> str:
    return _share(o.marked[which], o.pieces[which])


def _share(some: int, of: int) -> str:
    return f"{100 * some / of:.1f} %" if of else "-"
