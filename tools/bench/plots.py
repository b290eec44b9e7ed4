"""Small plots as SVG text. A page of the bench must open anywhere, without libraries or a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

WIDTH, HEIGHT, LEFT, BOTTOM = 420, 220, 44, 30
INK, BAR, LINE = "#223", "#3b78b8", "#c33"
ROW_PX, NAME_PX = 18, 190


def histogram(edges: Sequence[float], counts: Sequence[int], unit: str) -> str:
    """Returns a histogram of errors; the last bar holds all larger ones."""
    most, high = max([*counts, 1]), HEIGHT - BOTTOM - 12
    wide = (WIDTH - LEFT) / max(len(counts), 1)
    bars = [
        f'<rect x="{LEFT + i * wide:.1f}" y="{HEIGHT - BOTTOM - high * n / most:.1f}" width="{max(wide - 1, 1):.1f}" '
        f'height="{high * n / most:.1f}" fill="{BAR}"/>'
        for i, n in enumerate(counts)
    ]
    steps = max(1, len(counts) // 4)
    marks = [_text(LEFT + i * wide, HEIGHT - 12, f"{edges[i]:g}") for i in range(0, len(edges), steps)]
    axis = [_text(2, 14, str(most)), _text(WIDTH - 40, HEIGHT - 1, unit)]
    return _svg(WIDTH, HEIGHT, [*bars, *marks, *axis, _rule(LEFT, HEIGHT - BOTTOM, WIDTH, HEIGHT - BOTTOM)])


def reliability(series: Mapping[str, Sequence[Mapping[str, Any]]], low: float = 0.0) -> str:
    """Returns accuracy over confidence from `low` on, a colour for each run, with 95 % intervals.

    Calibrated confidence lies on the diagonal.
    """
    side = HEIGHT - BOTTOM - 10

    def x(share: float) -> float:
        return LEFT + side * (share - low) / (1 - low)

    def y(share: float) -> float:
        return HEIGHT - BOTTOM - side * max(0.0, share - low) / (1 - low)

    parts = [_rule(x(low), y(low), x(1), y(1), "#bbb"), _rule(x(low), y(low), x(1), y(low)),
             _rule(x(low), y(low), x(low), y(1))]  # fmt: skip
    for colour, (row, (name, bins)) in zip((LINE, BAR), enumerate(series.items()), strict=False):
        parts.append(f'<circle cx="{x(1) + 14:.1f}" cy="{22 + 16 * row}" r="4" fill="{colour}"/>')
        parts.append(_text(x(1) + 22, 26 + 16 * row, name))
        for b in bins:
            if b["calls"] and b["mean"] >= low:
                at, (least, most) = x(b["mean"]) + 3 * row, b["interval"]
                parts.append(_rule(at, y(least), at, y(most), colour))
                parts.append(f'<circle cx="{at:.1f}" cy="{y(b["right"] / b["calls"]):.1f}" r="4" fill="{colour}"/>')
    marks = (low, (1 + low) / 2, 1.0)
    parts += [_text(x(s) - 8, HEIGHT - 12, f"{s:g}") for s in marks] + [_text(8, y(s) + 4, f"{s:g}") for s in marks]
    return _svg(LEFT + side + 120, HEIGHT, [*parts, _text(LEFT + side / 2 - 30, HEIGHT - 1, "confidence")])


def bars(values: Mapping[str, float], unit: str) -> str:
    """Returns named amounts as bars, one below the other."""
    most = max([*values.values(), 1e-12])
    rows = []
    for i, (name, value) in enumerate(values.items()):
        top, wide = i * ROW_PX, (WIDTH - 70) * value / most
        rows.append(_text(0, top + 13, name))
        rows.append(f'<rect x="{NAME_PX}" y="{top + 3}" width="{wide:.1f}" height="{ROW_PX - 5}" fill="{BAR}"/>')
        rows.append(_text(NAME_PX + wide + 4, top + 13, f"{value:.3g} {unit}"))
    return _svg(NAME_PX + WIDTH, ROW_PX * max(len(values), 1), rows)


def curve(points: Mapping[float, float], x_unit: str, y_unit: str) -> str:
    """Returns points in order, joined, from zero."""
    if not points:
        return ""
    right, top = max(points), max([*points.values(), 1e-12])
    wide, high = WIDTH - LEFT - 20, HEIGHT - BOTTOM - 16
    at = [(LEFT + wide * x / max(right, 1e-12), HEIGHT - BOTTOM - high * y / top) for x, y in sorted(points.items())]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{BAR}"/>' for x, y in at]
    frame = [_rule(LEFT, HEIGHT - BOTTOM, WIDTH, HEIGHT - BOTTOM), _rule(LEFT, 10, LEFT, HEIGHT - BOTTOM)]
    names = [_text(2, 10, f"{top:.3g} {y_unit}"), _text(WIDTH - 90, HEIGHT - 12, f"{right:g} {x_unit}")]
    return _svg(WIDTH, HEIGHT, [f'<polyline points="{line}" fill="none" stroke="{BAR}"/>', *dots, *frame, *names])


def _svg(width: float, height: float, parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
    return f'{head} font-family="sans-serif" font-size="11">{"".join(parts)}</svg>'


def _text(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{INK}">{text}</text>'


def _rule(x0: float, y0: float, x1: float, y1: float, colour: str = INK) -> str:
    return f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="{colour}"/>'
