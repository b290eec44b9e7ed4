"""Judges a stored match again, whole or one stroke, and gives results that are the same bytes wherever it is done."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calibration.profile import ProfileError
from models.rules import RulesError
from referee.log.line import Line, LogError
from referee.log.rejudge import REJUDGE_COMPARED
from referee.pipeline.reanalyse_clips import reanalysed_from_clips
from referee.replay.reanalyse import (
    NotReanalysed,
    ReanalysedStroke,
    StrokeComparison,
    compared_facts,
    judged_again,
    reanalysed_from_tracks,
)
from referee.replay.store import Replay

JUDGE_SOURCES: dict[str, Callable[[Replay, int | None], Iterable[ReanalysedStroke]]] = {
    "tracks": reanalysed_from_tracks,
    "video": reanalysed_from_clips,
}
"""Where facts are seen again; of every other source they are as logged."""
RULING_SHOWN = ("stroke_text", *REJUDGE_COMPARED)
"""Fields of a ruling that a result states."""


class JudgeError(Exception):
    """A match cannot be judged; the message says why."""


@dataclass(frozen=True, slots=True)
class JudgeTask:
    """What is to be judged."""

    log: str
    """Path of the log; what was kept of its strokes lies beside."""
    stroke: int = 0
    """Number of the only stroke; 0: all."""
    source: str = "strokes"
    rules: str | None = None
    book: str | None = None
    """Text of that rule book if it is the club's own."""


@dataclass(frozen=True, slots=True)
class JudgeResult:
    """What became of it."""

    strokes: int
    differ: int
    unseen: int
    """Number of strokes that could not be seen again, such as for want of a clip."""
    digest: str
    """SHA-256 over the results of all strokes."""
    rows: tuple[tuple[int, str], ...]
    """Number and result (JSON) of each stroke that differs or was not seen again."""


def judge_task(task: JudgeTask) -> JudgeResult:
    """Judges a match or a stroke of it. Raises JudgeError."""
    try:
        replay = Replay(Path(task.log))
        reanalyse = JUDGE_SOURCES.get(task.source)
        reanalysed = list(reanalyse(replay, task.stroke or None)) if reanalyse else []
        found = judged_again(replay.stored, reanalysed, task.rules, task.book)
    except (LogError, ProfileError, RulesError) as e:
        raise JudgeError(str(e)) from None
    for again in reanalysed:
        if again.unseen is NotReanalysed.UNREADABLE:
            raise JudgeError(f"its clip cannot be read: {again.why}")
    chosen = [c for c in found if task.stroke in (0, c.again.n)]
    if task.stroke and not chosen:
        raise JudgeError(f"the log has no ruling of stroke {task.stroke}")
    rows = [_row(c, replay.stored.strokes[c.again.n], reanalyse is not None) for c in chosen]
    texts = [json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False) for row in rows]
    return JudgeResult(
        len(rows), sum(row["differs"] for row in rows), sum(row["unseen"] is not None for row in rows),
        hashlib.sha256("\n".join(texts).encode()).hexdigest(),
        tuple((row["stroke"], text) for row, text in zip(rows, texts, strict=True) if row["differs"] or row["unseen"]),
    )  # fmt: skip


def _row(changed: StrokeComparison, logged: Line, is_seen: bool) -> dict[str, Any]:
    """Returns a stroke's result. Sentences may name files of this machine, so it holds labels only."""
    again = changed.again.line
    facts = {}
    if again is not None:
        was, now = compared_facts(logged), compared_facts(again)
        facts = {name: [was[name], now[name]] for name in changed.facts}
    unseen = changed.again.unseen if is_seen and again is None else None
    before = changed.ruling.before
    return {
        "stroke": changed.again.n, "differs": changed.differs, "facts": facts, "unseen": unseen and unseen.value,
        "before": before and {name: before.get(name) for name in RULING_SHOWN},
        "now": {name: changed.ruling.now.get(name) for name in RULING_SHOWN}, "ruling": changed.ruling.differs,
    }  # fmt: skip
