"""Random states and strokes for the tests of the laws: sensible or not, but all that the text form can write."""

from __future__ import annotations

from hypothesis import strategies as st

from models.pieces import Kind
from referee.laws import FoulName, QueenStatus, Side, State, StrokeTokens, Token, TokenKind

pieces = st.sampled_from(list(Kind))
falls = st.builds(Token, st.just(TokenKind.POCKETED), pieces)
flights = st.builds(Token, st.just(TokenKind.OFF), pieces)
fouls = st.sampled_from(list(FoulName)).flatmap(
    lambda foul: st.sampled_from([TokenKind.FOUL, TokenKind.BEFORE]).map(lambda kind: Token(kind, foul=foul))
)
strokes = st.lists(st.one_of(falls, falls, falls, flights, fouls), max_size=6).map(lambda t: StrokeTokens(tuple(t)))
sides = st.sampled_from(list(Side))
counts = st.integers(0, 9)


@st.composite
def states(draw: st.DrawFn, unknown: bool = False) -> State:
    """Any state that the text form can write, sensible or not."""
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
