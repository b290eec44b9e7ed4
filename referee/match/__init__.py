"""The match: score, turn and doubts, recomputed from its events (strokes, other facts, the umpire's corrections).

It does no input or output.
"""

from referee.match.corrections import Action, Correction, correction_line, correction_message, correction_of
from referee.match.events import Event, Resumed, Start, start_fields, start_of
from referee.match.match import Match
from referee.match.policy import Policy, Treatment
from referee.match.refusals import MatchError
from referee.match.ruling import Ruling, result_line, ruling_line, said_decisions
from referee.match.seating import seats_of
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
