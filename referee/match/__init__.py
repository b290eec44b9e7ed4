"""The match: score, turn and doubts, recomputed from its events (strokes, other facts, the umpire's corrections).

It does no input or output.
"""

from referee.match.events import (
    Action,
    Correction,
    Event,
    Resumed,
    Start,
    correction_line,
    correction_message,
    correction_of,
    seats_of,
    start_fields,
    start_of,
)
from referee.match.match import Match
from referee.match.policy import Policy, Treatment
from referee.match.refusals import MatchError
from referee.match.ruling import Ruling, result_line, ruling_line, said_decisions
from referee.match.view import MatchView

__all__ = [
    "Action",
    "Correction",
    "Event",
    "Match",
    "MatchError",
    "MatchView",
    "Policy",
    "Resumed",
    "Ruling",
    "Start",
    "Treatment",
    "correction_line",
    "correction_message",
    "correction_of",
    "result_line",
    "ruling_line",
    "said_decisions",
    "seats_of",
    "start_fields",
    "start_of",
]
