"""Computes the effect of a change on a copy of the match: nothing is sent and nothing is written."""

from __future__ import annotations

from typing import Any

from referee.match import Match
from referee.web.umpire_requests import UmpireRequest
from referee.web.wording import ruling_entry, worded

UMPIRE_PREVIEW_COMPARED = ("sides", "turn", "queen", "board", "board_over", "match_over", "winner")
"""Parts of the match document that are compared."""

Document = dict[str, Any]


def preview(match: Match, request: UmpireRequest, language: str) -> Document:
    """Returns `before` and `after` (the compared parts of the match document) and the `rulings` that would differ.

    Raises MatchError with the sentence that refuses the change.
    """
    changed = Match.of(match.start, [*match.events])
    rulings = changed.add(request.correction())
    before, after = worded(match, language), worded(changed, language)
    return {
        "before": {key: before[key] for key in UMPIRE_PREVIEW_COMPARED},
        "after": {key: after[key] for key in UMPIRE_PREVIEW_COMPARED},
        "rulings": [ruling_entry(r, language) for r in rulings],
    }
