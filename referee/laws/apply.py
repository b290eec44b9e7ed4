"""The single entry to the laws: for either kind of game, a state and a stroke give the next state and the decisions."""

from __future__ import annotations

from dataclasses import replace
from typing import overload

from models.collecting import CollectRules
from models.rules import Book, Rules
from referee.laws.collect import judge_collect
from referee.laws.collect_ruling import CollectOutcome
from referee.laws.collect_state import CollectState, fresh_board
from referee.laws.decisions import Outcome
from referee.laws.race import judge_race
from referee.laws.state import State
from referee.laws.tokens import StrokeTokens

AnyState = State | CollectState
AnyOutcome = Outcome | CollectOutcome


@overload
def apply(state: State, stroke: StrokeTokens, rules: Rules) -> Outcome: ...
@overload
def apply(state: CollectState, stroke: StrokeTokens, rules: CollectRules) -> CollectOutcome: ...
@overload
def apply(state: AnyState, stroke: StrokeTokens, rules: Book) -> AnyOutcome: ...
def apply(state: AnyState, stroke: StrokeTokens, rules: Book) -> AnyOutcome:
    """Returns what follows from `stroke`. Never raises for a state of the book's own game; TypeError for the other
    kind.
    """
    if isinstance(state, State) and isinstance(rules, Rules):
        return judge_race(state, stroke, rules)
    if isinstance(state, CollectState) and isinstance(rules, CollectRules):
        return judge_collect(state, stroke, rules)
    raise TypeError(f"{rules.name} does not play the game of this state: {state}")


def parse_state(line: str) -> AnyState:
    """Returns the state that `line` spells, of either kind of game. Raises NotationError naming the offending token."""
    return CollectState.parse(line) if is_collecting(line) else State.parse(line)


def is_collecting(line: str) -> bool:
    """Tells whether the line has players' points, as in a collecting game."""
    return any(word[:1] == "P" and "=" in word for word in line.split())


def adapted(state: AnyState, rules: Book) -> AnyState:
    """Returns the same situation for `rules` with another number of coins or with partners.

    As many coins are left on the board, and a side that had pocketed none still has none.
    """
    more = rules.coins - state.coins
    if isinstance(state, State):
        white, black = (n + more if n else 0 for n in state.pocketed)
        return replace(state, pocketed=(white, black), coins=rules.coins)
    left = (
        state.left[0] + more * (state.left[0] == state.coins),
        state.left[1] + more * (state.left[1] == state.coins),
    )
    partners = rules.seating.partners and len(state.points) == 2
    return replace(state, left=left, coins=rules.coins, partners=partners)


def first_state(rules: Book) -> AnyState:
    """Returns the state before the break of a game's first board."""
    if isinstance(rules, Rules):
        return State(board=1, breaks=0, strokes=0, coins=rules.coins)
    return fresh_board(rules, (0,) * rules.sides, board=1)
