"""`python -m referee.web.trial LOG`: renders a match in every way that pages do, for nobody, with little memory.

For an imported match before it is accepted: whatever it does, it does to this process alone.
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
from referee.replay.reanalyse import judged_again, reanalysed_from_tracks
from referee.replay.statistics import statistics
from referee.replay.store import Replay
from referee.replay.track_json import tracks_document
from referee.replay.tracks import TracksError
from referee.web.match_documents import evidence_entry, match_entry, row_entry
from referee.web.match_library import OpenMatch
from referee.web.wording import LANGUAGES

MEMORY_BYTES = 400 << 20
"""Memory limit of the process, bytes. A match of a whole evening needs a fifth."""
TRIAL_SECONDS = 120
"""Processor time limit, s. A match of two thousand strokes takes a Pi twenty."""


def main() -> None:
    """Exits with 0 if the match in the given file can be shown, else with a sentence."""
    _limit()
    try:
        show(Path(sys.argv[1]))
    except (LogError, MemoryError) as e:
        raise SystemExit(str(e) or "it takes more memory than any match") from None


def show(log: Path) -> None:
    """Makes everything that a page can request of the match. Raises LogError, or whatever a fault of ours raises."""
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
            _encoded(tracks_document(replay.tracks(n)))
        except TracksError:
            continue
    _encoded(document(replay.stored))
    csv_text(STROKE_COLUMNS, stroke_rows(replay.stored))
    csv_text(ruling_columns(replay.stored), ruling_rows(replay.stored))
    sheet(replay.stored, LANGUAGES[0])
    list(statistics([opened.figures]))
    judged_again(replay.stored, reanalysed_from_tracks(replay), None)


def _encoded(value: Any) -> None:
    """Encodes a value as a response does. Raises ValueError for what JSON cannot hold."""
    json.dumps(value, allow_nan=False, ensure_ascii=False).encode("utf-8")


def _limit() -> None:
    if sys.platform == "win32":
        return
    import resource

    for what, most in ((resource.RLIMIT_DATA, MEMORY_BYTES), (resource.RLIMIT_CPU, TRIAL_SECONDS)):
        resource.setrlimit(what, (most, most))


if __name__ == "__main__":
    main()
