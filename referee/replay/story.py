"""A match as a story: how it stood after each stroke, and what of it is worth being seen again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from referee.laws import State
from referee.match import Ruling
from referee.match.seating import Seating, SidePoints
from referee.match.view import BoardView, SideView
from referee.replay.store import Replay
from referee.replay.stroke_figures import StrokeFigures, seatings_of

REEL_LENGTH = 8
"""Most strokes of the highlights."""
MANY_COINS = 2
"""A stroke that pockets so many of the player's coins is a highlight."""


@dataclass(frozen=True, slots=True)
class StoryStep:
    """How the match stood after a stroke."""

    stroke: int
    board: int
    """Number of the board in the log, from 1."""
    score: SidePoints
    """Points of the game, by side."""
    left: tuple[int | None, ...]
    """Coins that each side has still to pocket; None while nobody knows and in collecting games."""
    player: str
    coins: int
    """Own coins that it pocketed."""
    speed_mm_s: float | None


@dataclass(frozen=True, slots=True)
class StoryRun:
    """Strokes of one player without a break, each of which pocketed one of his coins."""

    player: str
    coins: int
    strokes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StoryQueen:
    """A board in which the queen was covered."""

    board: int
    player: str
    """Who covered her, or the side that did."""
    stroke: int


@dataclass(frozen=True, slots=True)
class Story:
    """One match of a log."""

    number: int
    """Of the match in its log, from 1."""
    winner: int | None
    """Index of the side that won it."""
    sides: tuple[SideView, ...]
    boards: tuple[BoardView, ...]
    steps: tuple[StoryStep, ...]
    run: StoryRun | None
    """The longest; the first of several."""
    fastest: StoryStep | None
    """The stroke with the fastest striker."""
    queens: tuple[StoryQueen, ...]
    best: int | None
    """The stroke whose clip is worth most; None where nothing was kept."""
    reel: tuple[int, ...]
    """Strokes worth being seen again of which something was kept, in the order of play."""


def story(replay: Replay, strokes: Iterable[StrokeFigures], number: int | None = None) -> Story:
    """The match `number` of the log, the last one when left out; `strokes` are the figures of its strokes."""
    view = replay.stored.match.view()
    number = number if number is not None and 1 <= number <= view["number"] else view["number"]
    won = view["finished"][number - 1] if number <= len(view["finished"]) else None
    sides, boards = (won["sides"], won["boards"]) if won else (view["sides"], view["boards"])
    winner = won["winner"] if won else view["winner"]
    rulings = replay.stored.match.rulings
    mine = [f for f in strokes if rulings[f.stroke].match == number]
    seatings = seatings_of(replay)
    steps = tuple(_step(f, rulings[f.stroke], seatings.get(f.stroke)) for f in mine)
    measured = [step for step in steps if step.speed_mm_s is not None]
    fastest = max(measured, key=lambda step: step.speed_mm_s or 0.0, default=None)
    queens = tuple(StoryQueen(f.board, f.player, f.stroke) for f in mine if f.covers)
    recorded = {n for n, record in replay.strokes.items() if record.clip is not None or record.has_tracks}
    worth = _score(mine, rulings, fastest, queens)
    shown = worth.keys() & recorded
    best = max(shown, key=lambda n: (replay.strokes[n].clip is not None, worth[n], -n), default=None)
    chosen = sorted(shown, key=lambda n: (-worth[n], n))[:REEL_LENGTH]
    return Story(
        number=number,
        winner=next((i for i, side in enumerate(sides) if winner in side["seats"]), None),
        sides=tuple(sides),
        boards=tuple(boards),
        steps=steps,
        run=max(_runs(mine), key=lambda run: run.coins, default=None),
        fastest=fastest,
        queens=queens,
        best=best,
        reel=tuple(sorted(chosen)),
    )


def _step(f: StrokeFigures, ruling: Ruling, seating: Seating | None) -> StoryStep:
    colours, state = dict(ruling.colours), ruling.state
    known = [colours.get(seating.sides[i][0]) if seating else None for i in range(len(ruling.names))]
    left = tuple(state.left(colour) if isinstance(state, State) and colour else None for colour in known)
    return StoryStep(f.stroke, f.board, score_by_side(ruling, seating), left, f.player, f.own, f.speed_mm_s)


def score_by_side(ruling: Ruling, seating: Seating | None) -> SidePoints:
    """The points after a stroke in the order of the match's sides, whatever colours they play."""
    return tuple(ruling.score[_slot(ruling, seating, i)] for i in range(len(ruling.names)))


def _slot(ruling: Ruling, seating: Seating | None, side: int) -> int:
    """Where a side of the match stands among the ruling's numbers: by its colour, else in its own place."""
    colour = dict(ruling.colours).get(seating.sides[side][0]) if seating else None
    return ruling.names.index(colour.value) if colour and colour.value in ruling.names else side


def _runs(strokes: Iterable[StrokeFigures]) -> Iterator[StoryRun]:
    """Every run of at least one coin, in the order of play."""
    for (_, player, pockets), group in groupby(strokes, key=lambda f: (f.board, f.player, f.own > 0)):
        if pockets:
            run = list(group)
            yield StoryRun(player, sum(f.own for f in run), tuple(f.stroke for f in run))


def _score(strokes: list[StrokeFigures], rulings: dict[int, Ruling], fastest: StoryStep | None,
           queens: tuple[StoryQueen, ...]) -> dict[int, int]:  # fmt: skip
    """How much each highlight is worth being seen: coins at once, the queen, a board's end, the fastest stroke."""
    worth: dict[int, int] = {}
    for f in strokes:
        points = 2 * f.own if f.own >= MANY_COINS else 0
        points += 3 * any(queen.stroke == f.stroke for queen in queens)
        points += 2 * (rulings[f.stroke].board_over and f.own > 0)
        points += fastest is not None and fastest.stroke == f.stroke
        if points:
            worth[f.stroke] = points
    return worth
