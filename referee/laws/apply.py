"""The one door to the judges: whatever the game, a state and a stroke give the next state and the decisions."""

from __future__ import annotations

from models.rules import Rules
from referee.laws.decisions import Outcome
from referee.laws.race import judge_race
from referee.laws.state import State
from referee.laws.tokens import StrokeTokens


def apply(state: State, stroke: StrokeTokens, rules: Rules) -> Outcome:
    """What follows from `stroke`; never raises."""
    return judge_race(state, stroke, rules)
