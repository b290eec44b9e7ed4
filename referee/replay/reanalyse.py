"""Derives the strokes of a stored match again from their tracks, and lists what differs from the log."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np

from referee.log import Line
from referee.log.rejudge import RulingDifference
from referee.log.stored_match import StoredMatch, match_of
from referee.match import Ruling, ruling_line
from referee.replay.store import Replay
from referee.replay.track_json import KIND_OF
from referee.replay.tracks import Tracks, TracksError

AGAIN_MOUTH_MM = 8.0
"""Greatest distance beyond a pocket's rim of the last detected centre of a disc that fell: in the hole it is hard to
detect."""
OVER_FRAME_MM = 4.0
"""Least distance beyond the cushion of the last detected centre of a disc that jumped off the board."""
AGAIN_STRIKER = "striker"


class NotReanalysed(StrEnum):
    """Reason why a stroke was not analysed again, as a label that pages translate."""

    NOT_ASKED = "not_asked"
    NO_TRACKS = "no_tracks"
    """The tracks were not stored, or they are damaged."""
    NO_VIDEO = "no_video"
    NOT_FOUND = "not_found"
    """The clip shows no stroke at its time."""
    UNREADABLE = "unreadable"
    """Nothing can be detected in the clip."""


@dataclass(frozen=True, slots=True)
class ReanalysedStroke:
    """A stroke analysed again."""

    n: int
    line: Line | None
    """Its facts by the new analysis; None if it was not analysed again."""
    why: str = ""
    """Reason why it was not, as a sentence."""
    unseen: NotReanalysed | None = None
    """The same reason as a label."""


@dataclass(frozen=True, slots=True)
class StrokeComparison:
    """Facts and ruling of a stroke, as logged and now."""

    again: ReanalysedStroke
    facts: tuple[str, ...]
    """Names of the facts that differ."""
    ruling: RulingDifference
    now: Ruling
    """The ruling now, which can be worded in any language."""

    @property
    def differs(self) -> bool:
        return bool(self.facts) or self.ruling.differs


def judged_again(
    stored: StoredMatch, reanalysed: Iterable[ReanalysedStroke], rules: str | None, book: str | None = None
) -> list[StrokeComparison]:
    """Compares every stroke's facts and ruling as logged with those of the new analysis, judged under `rules` if given.

    `book`: text of that rule book if it is the club's own. A stroke that was not analysed again counts as logged.
    Raises LogError as `match_of` does.
    """
    by_number = {again.n: again for again in reanalysed}
    lines = tuple(_recalled(line, by_number) for line in stored.contents.lines)
    match = match_of(replace(stored.contents, lines=lines), rules, book).match
    logged, strokes = stored.rulings, stored.strokes
    changed = []
    for n, ruling in match.rulings.items():
        again = by_number.get(n, ReanalysedStroke(n, None, "it was not looked for", NotReanalysed.NOT_ASKED))
        facts = differing_facts(strokes[n], again.line) if again.line else ()
        changed.append(StrokeComparison(again, facts, RulingDifference(n, logged.get(n), ruling_line(ruling)), ruling))
    return changed


def _recalled(line: Line, reanalysed: Mapping[int, ReanalysedStroke]) -> Line:
    again = reanalysed.get(line["n"]) if line["type"] == "stroke" else None
    return again.line if again and again.line else line


def differing_facts(before: Line, now: Line) -> tuple[str, ...]:
    """Returns the names of the facts in which two lines of a stroke differ; times and lengths are not compared."""
    was, is_now = compared_facts(before), compared_facts(now)
    return tuple(name for name in was if was[name] != is_now[name])


def compared_facts(line: Line) -> dict[str, Any]:
    """Returns the facts of a stroke's line that are compared, by name."""
    return {
        "seat": line["seat"],
        "pocketed": sorted(p["kind"] for p in line["pocketed"]),
        "off_board": sorted(o["kind"] for o in line["off_board"]),
        "fouls": sorted(line["fouls"]),
        "placement": line["placement"] and line["placement"]["legal"],
    }


def reanalysed_from_tracks(replay: Replay, only: int | None = None) -> Iterator[ReanalysedStroke]:
    """Yields every stroke, or only one, as derived from its tracks."""
    for n, record in replay.strokes.items():
        if only not in (None, n):
            continue
        board = replay.header(n).get("board")
        try:
            if board is None:
                raise TracksError("the log's header does not say how the board lies")
            yield from_tracks(record.line, replay.tracks(n), board)
        except TracksError as e:
            yield ReanalysedStroke(n, None, str(e), NotReanalysed.NO_TRACKS)


def from_tracks(line: Line, tracks: Tracks, board: Mapping[str, Any]) -> ReanalysedStroke:
    """Returns a stroke's line with the pieces that left the board derived from its tracks alone.

    `board`: geometry of the board from the header. A coin that lay there before the strike and nowhere at the call has
    left. The end of a track of its kind shows how: at a pocket or over the frame. Without such a track it fell into an
    unknown pocket. The striker has left only if its track ended so, since hands remove it.
    """
    before, after = _lying(tracks, line["t_strike"]), _lying(tracks, math.inf)
    gone = list((before - after).elements())
    ends = _ends(tracks, board)
    pocketed: list[dict[str, Any]] = []
    off: list[dict[str, Any]] = []
    for kind in [*gone, *([AGAIN_STRIKER] if AGAIN_STRIKER not in after else [])]:
        end = next((e for e in ends if e["kind"] == kind), None)
        if end is not None:
            ends.remove(end)
            (off if end["pocket"] is None else pocketed).append(end)
        elif kind != AGAIN_STRIKER:
            pocketed.append({"kind": kind, "pocket": None, "t": line["t_rest"]})
    changed = [{"kind": o["kind"], "t": o["t"]} for o in off]
    return ReanalysedStroke(
        line["n"], line | {"pocketed": sorted(pocketed, key=lambda p: p["t"]), "off_board": changed}
    )


def _lying(tracks: Tracks, t: float) -> Counter[str]:
    """Counts the kinds at rest just before t, without a striker that is being placed.

    With an infinite t it counts all pieces at rest at the end.
    """
    change = max(int(np.searchsorted(tracks.changes, t)) - 1, 0)
    kinds = [KIND_OF[bytes(k)] for k in tracks.lying["kind"][tracks.lying["change"] == change]]
    return Counter(k for k in kinds if k != AGAIN_STRIKER or t == math.inf)


def _ends(tracks: Tracks, board: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns the ends of tracks in a pocket or over the frame, in order of time."""
    found = []
    for number in np.unique(tracks.discs["track"]):
        last = tracks.discs[tracks.discs["track"] == number][-1]
        kind, x, y = KIND_OF.get(bytes(last["kind"])), float(last["x"]), float(last["y"])
        pocket = _pocket_at(x, y, board)
        if kind and (pocket or max(abs(x), abs(y)) > board["surface"] / 2 + OVER_FRAME_MM):
            found.append({"kind": kind, "pocket": pocket, "t": round(float(last["t"]), 4)})
    return sorted(found, key=lambda e: e["t"])


def _pocket_at(x: float, y: float, board: Mapping[str, Any]) -> str | None:
    for p in board["pockets"]:
        if math.dist((x, y), (p["x"], p["y"])) < p["r"] + AGAIN_MOUTH_MM:
            return ("S" if p["y"] < 0 else "N") + ("W" if p["x"] < 0 else "E")
    return None
