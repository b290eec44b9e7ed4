"""A stroke in the laws' own terms: whose coins fell, what flew off, what was improper, limited to what is possible."""

from __future__ import annotations

from dataclasses import dataclass

from models.pieces import Kind, Pocket
from models.rulebook import SPECIAL_FOULS, Endgame, FoulName, QueenCase, Rules, Verdict, WhatFell
from models.rules import Book
from referee.laws.sides import Side
from referee.laws.state import QueenStatus, State
from referee.laws.tokens import Choice, StrokeTokens, TokenKind

_SLOT = {Kind.WHITE: 0, Kind.BLACK: 1, Kind.QUEEN: 2, Kind.STRIKER: 3}
_QUEEN, _STRIKER = 2, 3
"""Indices of the kinds in lists of counts."""

_FELL = {
    (False, False, False): WhatFell.NOTHING,
    (True, False, False): WhatFell.OWN,
    (False, True, False): WhatFell.OPPONENT,
    (True, True, False): WhatFell.OWN_OPPONENT,
    (False, False, True): WhatFell.STRIKER,
    (True, False, True): WhatFell.STRIKER_OWN,
    (False, True, True): WhatFell.STRIKER_OPPONENT,
    (True, True, True): WhatFell.STRIKER_OWN_OPPONENT,
}
"""Case by whether an own coin, an opponent's coin and the striker fell."""


@dataclass(frozen=True, slots=True)
class StrokeFacts:
    """What one stroke by a known player did. Counts never exceed what lay on the board."""

    own: int
    opponent: int
    queen: bool
    """The queen fell, from the board."""
    striker: bool
    queen_pocket: Pocket | None
    own_pockets: tuple[Pocket | None, ...]
    """Pockets of the own coins that fell; None for an unseen one."""
    off_own: int
    off_opponent: int
    off_queen: bool
    off_striker: bool
    improper: tuple[FoulName, ...]
    """Infringements during the stroke that the book counts or puts to the operator."""
    before: tuple[FoulName, ...]
    """The same before the stroke."""
    allowed: tuple[FoulName, ...]
    """Reported, but nothing follows from it in this book."""
    choice: Choice | None
    """What the player chose where the book lets him; None if unknown."""
    special: frozenset[FoulName]
    """Which of `no_leave`, `no_break`, `out_of_turn` were reported."""
    impossible: bool
    """More fell or flew off than lay on the board; the surplus is left out."""

    @property
    def fell(self) -> WhatFell:
        return _FELL[self.own > 0, self.opponent > 0, self.striker]

    @property
    def coins_fell(self) -> bool:
        """Tells whether a coin or the queen was pocketed."""
        return self.own > 0 or self.opponent > 0 or self.queen

    @property
    def off_coins(self) -> bool:
        """Tells whether a coin or the queen left the board."""
        return self.off_own > 0 or self.off_opponent > 0 or self.off_queen

    @property
    def moved_nothing(self) -> bool:
        """Tells whether neither coins nor the striker fell or flew off."""
        return not (self.coins_fell or self.striker or self.off_coins or self.off_striker)


def figure_of(state: State, mover: Side, stroke: StrokeTokens, rules: Book) -> StrokeFacts:
    """Returns the figure of `stroke` by `mover`; total, whatever the tokens say."""
    fell, off, impossible = _counted(state, stroke, rules.coins)
    own, opponent = (0, 1) if mover is Side.WHITE else (1, 0)
    fouls = [(t.kind, t.foul) for t in stroke.tokens if t.foul is not None]
    judged = [(kind, foul) for kind, foul in fouls if is_infringement(foul, rules)]
    return StrokeFacts(
        own=fell[own],
        opponent=fell[opponent],
        queen=fell[_QUEEN] > 0,
        striker=fell[_STRIKER] > 0,
        queen_pocket=stroke.pocket_of(Kind.QUEEN) if fell[_QUEEN] else None,
        own_pockets=tuple(t.pocket for t in stroke.tokens if t.kind is TokenKind.POCKETED and t.piece is mover.kind),
        off_own=off[own],
        off_opponent=off[opponent],
        off_queen=off[_QUEEN] > 0,
        off_striker=off[_STRIKER] > 0,
        improper=tuple(foul for kind, foul in judged if kind is TokenKind.FOUL),
        before=tuple(foul for kind, foul in judged if kind is TokenKind.BEFORE),
        allowed=tuple(f for _, f in fouls if f not in SPECIAL_FOULS and not is_infringement(f, rules)),
        choice=stroke.choice,
        special=frozenset(f for _, f in fouls if f in SPECIAL_FOULS),
        impossible=impossible,
    )


def _counted(state: State, stroke: StrokeTokens, coins: int) -> tuple[list[int], list[int], bool]:
    """Returns the pieces that fell and that flew off, by kind, cut to what lay on the board, and whether any were cut.

    `coins`: of each colour.
    """
    fell, off = [0, 0, 0, 0], [0, 0, 0, 0]
    for token in stroke.tokens:
        if token.piece is not None:
            (fell if token.kind is TokenKind.POCKETED else off)[_SLOT[token.piece]] += 1
    impossible = False
    white, black = state.pocketed
    room = (coins - white, coins - black, int(state.queen is QueenStatus.BOARD), 1)
    for slot, most in enumerate(room):
        if fell[slot] + off[slot] > most:
            impossible = True
            fell[slot] = min(fell[slot], most)
            off[slot] = most - fell[slot]
    return fell, off, impossible


def is_infringement(foul: FoulName, rules: Book) -> bool:
    """Tells whether the book forbids `foul` with a consequence, certain or possible."""
    return foul not in SPECIAL_FOULS and rules.fouls[foul].verdict in (Verdict.FOUL, Verdict.ASK)


def queen_case(state: State, mover: Side, figure: StrokeFacts, rules: Rules) -> QueenCase:
    """Returns how this stroke concerns the queen (R65, R68, R70)."""
    queen = rules.queen
    if not figure.queen:
        if state.queen is not QueenStatus.PENDING or state.queen_side is not mover:
            return QueenCase.REST
        same = queen.other_pocket and figure.own and in_queens_pocket(figure, state.qpocket)
        return QueenCase.SAME_POCKET if same else QueenCase.COVER
    if queen.due_blocks and state.dues[mover.slot]:
        return QueenCase.DUE
    if figure.own and queen.other_pocket and in_queens_pocket(figure, figure.queen_pocket):
        return QueenCase.FIRST
    if state.pocketed[mover.slot] or (queen.first_once and figure.own and mover in state.had_own):
        return QueenCase.FALLS
    if figure.own:
        return QueenCase.FALLS if 0 < queen.first_cover_coins <= figure.own else QueenCase.FIRST
    # All nine own coins lie on the board. Whoever has pocketed one before may take the queen (R68c), though not
    # together with the striker (R68d).
    may = not queen.needs_own_first or (mover in state.had_own and not figure.striker)
    return QueenCase.FALLS if may else QueenCase.EARLY


def in_queens_pocket(figure: StrokeFacts, pocket: Pocket | None) -> bool:
    """Tells whether all own coins of the stroke were seen to fall into the queen's own pocket."""
    return pocket is not None and all(each is pocket for each in figure.own_pockets)


def in_another_pocket(figure: StrokeFacts, pocket: Pocket | None) -> bool:
    """Tells whether an own coin was seen to fall into another pocket than the queen."""
    return pocket is not None and any(each not in (None, pocket) for each in figure.own_pockets)


def is_last_own(state: State, mover: Side, figure: StrokeFacts, coins: int) -> bool:
    """Tells whether the player's last coin fell."""
    return figure.own > 0 and state.pocketed[mover.slot] + figure.own == coins


def is_last_opponent(state: State, mover: Side, figure: StrokeFacts, coins: int) -> bool:
    """Tells whether the opponent's last coin fell."""
    return figure.opponent > 0 and state.pocketed[mover.other.slot] + figure.opponent == coins


def endgame_of(state: State, mover: Side, case: QueenCase, figure: StrokeFacts, cleared: bool) -> Endgame:
    """Returns the queen's place when a last coin falls; `cleared`: it was the player's own."""
    striker = figure.striker
    if case is QueenCase.COVER:
        return Endgame.COVER_STRIKER if striker else Endgame.COVER
    if case is QueenCase.FALLS or (case is QueenCase.FIRST and not cleared):
        return Endgame.FALLS_STRIKER if striker else Endgame.FALLS
    if state.queen is not QueenStatus.COVERED:
        return Endgame.BOARD_STRIKER if striker else Endgame.BOARD
    if state.queen_side is mover:
        return Endgame.MINE_STRIKER if striker else Endgame.MINE
    return Endgame.THEIRS_STRIKER if striker else Endgame.THEIRS
