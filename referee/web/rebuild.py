"""The match document from the log alone: what a house shows while the eyes, who know it better, are away."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from referee.log import Line, LogContents, LogError
from referee.log.stored import match_of
from referee.match import MatchView

logger = logging.getLogger(__name__)


def view_of_log(lines: Sequence[Line]) -> MatchView | None:
    """The match that these lines tell, None when they do not say how it began; what makes no sense is told once."""
    headers = tuple(line for line in lines if line["type"] == "header")
    if not headers:
        return None
    try:
        stored = match_of(LogContents(headers, tuple(lines), ()))
    except LogError as e:
        logger.warning("the match cannot be shown from its log: %s", e)
        return None
    for problem in stored.problems:
        logger.warning("%s", problem)
    return stored.match.view()
