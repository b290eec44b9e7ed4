"""Random states and strokes for the tests of the laws: everything that the text form can express, sensible or not."""

from __future__ import annotations

from hypothesis import strategies as st

from models.pieces import Kind
from referee.laws import AnyState, CollectState, FoulName, QueenStatus, Side, State, StrokeTokens, Token, TokenKind

pieces = st.sampled_from(list(Kind))
falls = st.builds(Token, st.just(TokenKind.POCKETED), pieces)
flights = st.builds(Token, st.just(TokenKind.OFF), pieces)
fouls = st.sampled_from(list(FoulName)).flatmap(
    lambda foul: st.sampled_from([TokenKind.FOUL, TokenKind.BEFORE]).map(lambda kind: Token(kind, foul=foul))
)
tokens = st.one_of(falls, falls, falls, flights, fouls)
strokes = st.lists(tokens, max_size=6).map(lambda t: StrokeTokens(tuple(t)))
sides = st.sampled_from(list(Side))
counts = st.integers(0, 9)

LEGAL = [StrokeTokens.parse(line) for line in ("W@SW", "B@SW", "Q@NE", "Q@NE,W@SW", "Q@NE,B@SW", "-", "W@SW,W@SW")]
"""Strokes that advance a board. The queen and its cover fall into different pockets."""


@st.composite
def states(draw: st.DrawFn, unknown: bool = False) -> State:
    """Draws any state that the text form can express, sensible or not."""
    queens = [s for s in QueenStatus if unknown or s is not QueenStatus.UNKNOWN]
    queen = draw(st.sampled_from(queens))
    owned = queen not in (QueenStatus.BOARD, QueenStatus.UNKNOWN)
    return State(
        pocketed=(draw(counts), draw(counts)),
        queen=queen,
        queen_side=draw(sides) if owned else None,
        dues=(draw(st.integers(0, 3)), draw(st.integers(0, 3))),
        score=(draw(st.integers(0, 30)), draw(st.integers(0, 30))),
        mover=None if unknown and draw(st.booleans()) else draw(sides),
        board=draw(st.none() | st.integers(1, 9)),
        breaks=draw(st.none() | st.integers(0, 2)),
        had_own=tuple(s for s in Side if draw(st.booleans())),
        strokes=draw(st.none() | st.integers(0, 3)),
    )


def coins_left(state: AnyState) -> dict[Kind, int]:
    """Returns the coins on the board after everything that goes back is back."""
    queen = int(state.queen is QueenStatus.BOARD)
    white, black = state.left if isinstance(state, CollectState) else (state.left(Side.WHITE), state.left(Side.BLACK))
    return {Kind.WHITE: white, Kind.BLACK: black, Kind.QUEEN: queen}


def to_go(state: AnyState) -> int:
    """Returns roughly the number of strokes until the end of the board."""
    if state.over:
        return 0
    left = coins_left(state)
    coins = sum if isinstance(state, CollectState) else min
    queen = 0 if state.queen is QueenStatus.COVERED else 1 if state.queen is QueenStatus.PENDING else 2
    return 1 + queen + coins((left[Kind.WHITE], left[Kind.BLACK]))


def fallen(stroke: StrokeTokens, kind: Kind) -> int:
    """Returns the number of pieces of a kind that left the board."""
    return stroke.fell(kind) + stroke.off(kind)
