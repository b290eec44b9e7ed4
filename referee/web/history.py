"""The match log as pages read it: lines by number, and each stroke with the ruling that holds now."""

from __future__ import annotations

from typing import Any

from referee.log import Line

PAGE_LINES = 500
"""Most lines in one answer; a page asks on from `next`."""

LETTER = {"white": "W", "black": "B", "queen": "Q", "striker": "S"}
"""A piece in the notation of strokes."""


class History:
    """Log lines in order, folded into strokes as they come."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forgets everything, since the log is read again from its start."""
        self.lines: list[Line] = []
        self.damaged = 0
        """Lines that failed their check and were left out."""
        self._strokes: dict[int, Line] = {}
        self._rulings: dict[int, Line] = {}
        self._corrections: list[Line] = []
        self._ruled = 0

    def add(self, line: Line) -> None:
        """Takes the next line; a later ruling on the same stroke replaces the earlier one."""
        self.lines.append(line)
        match line.get("type"):
            case "stroke":
                self._strokes[int(line["n"])] = line
            case "ruling":
                self._rulings[int(line["stroke"])] = line
                self._ruled += 1
            case "correction":
                self._corrections.append(line)
            case _:
                return

    def summary(self) -> dict[str, Any]:
        """What the hub's log section says: counts, and the last correction's id as its receipt."""
        last = self._corrections[-1] if self._corrections else {}
        return {"lines": len(self.lines), "strokes": len(self._strokes), "rulings": self._ruled,
                "corrections": len(self._corrections), "last_correction": last.get("id"),
                "damaged": self.damaged}  # fmt: skip

    def page(self, since: int) -> dict[str, Any]:
        """Lines from number `since` (0 = the first) on, and where to ask on."""
        lines = self.lines[max(since, 0) : max(since, 0) + PAGE_LINES]
        return {"lines": lines, "next": max(since, 0) + len(lines), "total": len(self.lines)}

    def strokes(self) -> list[dict[str, Any]]:
        """Every stroke, newest first: `n`, `seat`, `text` (tokens), `ruling` (the line that holds now, or None)."""
        return [self._entry(n) for n in sorted(self._strokes, reverse=True)]

    def last(self, kind: str) -> Line | None:
        """The newest line of a type."""
        return next((line for line in reversed(self.lines) if line.get("type") == kind), None)

    def _entry(self, n: int) -> dict[str, Any]:
        stroke, ruling = self._strokes[n], self._rulings.get(n)
        text = ruling.get("stroke_text") if ruling else None
        return {"n": n, "seat": stroke["seat"], "text": text or seen_text(stroke), "ruling": ruling}


def seen_text(stroke: Line) -> str:
    """What the camera saw leave the board, in the notation's tokens; "-" for nothing."""
    pocketed = [LETTER[p["kind"]] + (f"@{p['pocket']}" if p["pocket"] else "") for p in stroke["pocketed"]]
    off = [f"off:{LETTER[o['kind']]}" for o in stroke["off_board"]]
    return ",".join(pocketed + off) or "-"
