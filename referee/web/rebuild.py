"""The match document from the log alone: what a house shows while the eyes, who know it better, are away."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from referee.log import FACT_TYPES, Line, LineError, fact_of
from referee.match import Event, Match, MatchError, MatchView, correction_of, start_of

logger = logging.getLogger(__name__)


def view_of_log(lines: Sequence[Line]) -> MatchView | None:
    """The match that these lines tell, None when they do not say how it began."""
    header = next((line for line in lines if line["type"] == "header"), None)
    if header is None:
        return None
    try:
        match = Match(start_of(header))
    except MatchError as e:
        logger.warning("the match cannot be shown from its log: %s", e)
        return None
    for event in _events(lines):
        _add(match, event)
    return match.view()


def _events(lines: Sequence[Line]) -> Iterator[Event]:
    """Facts and corrections in the log's order; a line that cannot be understood is left out and told."""
    for line in lines:
        try:
            if line["type"] in FACT_TYPES:
                yield fact_of(line)
            elif line["type"] == "correction":
                yield correction_of(line)
        except (LineError, MatchError) as e:
            logger.warning("a line of the log was left out: %s", e)


def _add(match: Match, event: Event) -> None:
    try:
        match.add(event)
    except MatchError as e:
        logger.warning("a correction in the log was left out: %s", e)
