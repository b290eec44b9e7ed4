"""`python -m referee.web.trial LOG`: shows a match in every way that pages do, to nobody, with little memory.

For a match from elsewhere, before it is taken in: whatever it does, it does it to this process alone.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from models.rules import rule_names
from referee.log import LogError
from referee.log.index import rows_of
from referee.replay.csv_export import STROKE_COLUMNS, csv_text, document, ruling_columns, ruling_rows, stroke_rows
from referee.replay.print_sheet import sheet
from referee.replay.reanalyse import judged_again, seen_in_tracks
from referee.replay.statistics import statistics
from referee.replay.store import Replay
from referee.replay.track_json import drawn
from referee.replay.tracks import TracksError
from referee.web.library import OpenMatch
from referee.web.match_documents import evidence_entry, match_entry, row_entry
from referee.web.wording import LANGUAGES

MEMORY_BYTES = 400 << 20
"""Of its own; a match of a whole evening needs a fifth."""
TRIAL_SECONDS = 120
"""Of a processor: a match of two thousand strokes takes a Pi twenty."""


def main() -> None:
    """Ends with 0 when the match in the file that is named can be shown; else a sentence says why not."""
    _limit()
    try:
        show(Path(sys.argv[1]))
    except (LogError, MemoryError) as e:
        raise SystemExit(str(e) or "it takes more memory than any match") from None


def show(log: Path) -> None:
    """Makes of the match everything that a page can ask for. Raises LogError, or whatever a fault of ours raises."""
    replay = Replay(log)
    book = replay.stored.match.start.rules.partition("+")[0]
    if book not in rule_names():
        raise LogError(f"it was played by the rule book {book[:40]!r}, which is not known here")
    opened = OpenMatch(replay, (0, 0, 0))
    _encoded([row_entry(row, False) for row in rows_of(log.name, replay.stored, 0, 0)])
    for language in LANGUAGES:
        _encoded(match_entry("trial", opened, language, False))
    for n in replay.strokes:
        _encoded(evidence_entry(opened, n, LANGUAGES[0]))
        try:
            _encoded(drawn(replay.tracks(n)))
        except TracksError:
            continue
    _encoded(document(replay.stored))
    csv_text(STROKE_COLUMNS, stroke_rows(replay.stored))
    csv_text(ruling_columns(replay.stored), ruling_rows(replay.stored))
    sheet(replay.stored, LANGUAGES[0])
    list(statistics([opened.figures]))
    judged_again(replay.stored, seen_in_tracks(replay), None)


def _encoded(value: Any) -> None:
    """As an answer is: what JSON cannot hold raises ValueError."""
    json.dumps(value, allow_nan=False, ensure_ascii=False).encode("utf-8")


def _limit() -> None:
    if sys.platform == "win32":
        return
    import resource

    for what, most in ((resource.RLIMIT_DATA, MEMORY_BYTES), (resource.RLIMIT_CPU, TRIAL_SECONDS)):
        resource.setrlimit(what, (most, most))


if __name__ == "__main__":
    main()
