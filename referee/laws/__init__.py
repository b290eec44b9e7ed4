"""The laws: a state and a stroke give the next state and the decisions; no camera, no clock, no chance.

Modules of the package import each other's names directly; this list is what the other stages use.
"""

from models.rulebook import FoulName, Placer, PutBackPlace, Turn
from referee.laws.apply import AnyOutcome, AnyState, adapted, apply, first_state, is_collecting, parse_state
from referee.laws.collect_ruling import CollectOutcome, CollectResult
from referee.laws.collect_state import CollectState
from referee.laws.decisions import BoardResult, Certainty, Decision, DecisionKind, Outcome, Reason, Return
from referee.laws.notation import NotationError
from referee.laws.objections import Objection, Obstacle
from referee.laws.operator import objection, operate, outcome_of
from referee.laws.operator_word import EventKind, OperatorEvent
from referee.laws.sentences import objection_text, sentence
from referee.laws.sides import Side
from referee.laws.state import QueenStatus, State
from referee.laws.tokens import StrokeTokens, Token, TokenKind

__all__ = [
    "AnyOutcome",
    "AnyState",
    "BoardResult",
    "Certainty",
    "CollectOutcome",
    "CollectResult",
    "CollectState",
    "Decision",
    "DecisionKind",
    "EventKind",
    "FoulName",
    "NotationError",
    "Objection",
    "Obstacle",
    "OperatorEvent",
    "Outcome",
    "Placer",
    "PutBackPlace",
    "QueenStatus",
    "Reason",
    "Return",
    "Side",
    "State",
    "StrokeTokens",
    "Token",
    "TokenKind",
    "Turn",
    "adapted",
    "apply",
    "first_state",
    "is_collecting",
    "objection",
    "objection_text",
    "operate",
    "outcome_of",
    "parse_state",
    "sentence",
]
