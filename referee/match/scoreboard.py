"""Builds the document that the scoreboard shows of a match."""

from __future__ import annotations

from itertools import takewhile

from models.pieces import Seat
from models.rulebook import FoulName
from models.rules import Book, CollectRules
from referee.facts import Alert
from referee.laws import CollectState, QueenStatus, Reason, State
from referee.match.boards import next_breaker
from referee.match.challenges import Challenge, challenges_left, open_challenge
from referee.match.corrections import ABOUT_A_STROKE, Action
from referee.match.doubts import DoubtReason
from referee.match.events import Start
from referee.match.games import expected_coins, names_of, owner_name, points_of, queen_owner
from referee.match.history import History, HistoryStep
from referee.match.policy import ADJUSTABLE_FOULS
from referee.match.position import Position
from referee.match.results import BoardScore, MatchResult
from referee.match.ruling import Ruling, called, proposal_text, ruling_texts
from referee.match.seating import Seating, SidePoints
from referee.match.view import (
    AlertView,
    BoardView,
    ChallengesView,
    MatchView,
    OpenChallengeView,
    ProposalView,
    QueenView,
    RulingView,
    SentenceView,
    SideView,
    StepView,
    WonView,
)

SHOWN_RULINGS = 12
SHOWN_ALERTS = 5


def view_of(start: Start, position: Position, rulings: list[Ruling], history: History, alerts: list[Alert],
            book: Book, asked: tuple[Challenge, ...]) -> MatchView:  # fmt: skip
    """Returns the whole document; see `referee.match.view` for its fields."""
    seating = position.seating or Seating.of(Seat.SOUTH, book)
    state = position.state
    over = state is not None and state.over
    by_seat = {seat: _score(position, seating)[seating.side_of(seat) or 0] for seat in seating.seats}
    last = rulings[-1] if rulings else None
    return MatchView(
        match=start.match,
        rules=book.name,
        collecting=isinstance(book, CollectRules),
        board=position.board,
        game=position.game,
        sides=[_side(i, start, position, seating) for i in range(seating.teams)],
        players={seat.value: dict(start.players).get(seating.home(seat), "") for seat in seating.seats},
        turn=position.turn.value if position.turn and not over else None,
        change_seats=position.to_change,
        breaks_next=_breaks_next(position, book),
        colours={seat.value: side and side.value for seat, side in seating.colours().items()},
        score=_named(_score(position, seating), seating, book),
        score_by_seat={seat.value: score for seat, score in by_seat.items()},
        coins_left=_coins_left(position),
        queen=_queen(position, seating),
        dues=dict(zip(names_of(book), state.dues if state else (0,) * seating.teams, strict=True)),
        rulings=[_ruling(r) for r in rulings[-SHOWN_RULINGS:]],
        alerts=[AlertView(t=round(a.t, 4), kind=a.kind.value, text=a.text) for a in alerts[-SHOWN_ALERTS:]],
        undo=_step(history.next_undo(), rulings),
        redo=_step(history.next_redo(), rulings),
        board_over=over,
        match_over=position.match_over,
        winner=None if position.winner is None else seating.sides[position.winner][0].value,
        number=position.number,
        boards=[_board(board) for board in position.boards],
        finished=[_won(n, result, start) for n, result in enumerate(position.finished, 1)],
        needs_operator=_open_questions(rulings),
        policy={foul.value: position.policy.of(foul).value for foul in ADJUSTABLE_FOULS},
        challenges=_challenges(asked, position, seating, book),
        certain=(last is None or last.certain) and not position.open,
        strokes=len(rulings),
    )


def _challenges(asked: tuple[Challenge, ...], position: Position, seating: Seating, book: Book) -> ChallengesView:
    allowed, game, waiting = book.match.challenges, (position.number, position.game), open_challenge(asked)
    return ChallengesView(
        allowed=allowed,
        left=[challenges_left(asked, allowed, side, game) for side in range(seating.teams)],
        open=OpenChallengeView(target=waiting.target, stroke=waiting.stroke, seat=waiting.seat) if waiting else None,
    )


def _score(position: Position, seating: Seating) -> SidePoints:
    """Returns points by side, with the present board's result once it is over."""
    state = position.state
    # A collecting game counts points as coins fall; they are unknown if the referee joined it in the middle.
    live = state is not None and (state.over or isinstance(state, CollectState) or state.score != (0, 0))
    return points_of(state, seating) if state and live else position.points


def _named(points: SidePoints, seating: Seating, book: Book) -> dict[str, int]:
    numbers = points if isinstance(book, CollectRules) else seating.by_colour(points)
    return dict(zip(names_of(book), numbers, strict=True))


def _side(i: int, start: Start, position: Position, seating: Seating) -> SideView:
    names, colour, state = dict(start.players), seating.colour(i), position.state
    known = state if colour and isinstance(state, State) and not position.unseen else None
    due = known.dues[colour.slot] if known and colour else 0
    if isinstance(state, CollectState):
        due = state.dues[i]
    return SideView(
        seats=[seat.value for seat in seating.sides[i]],
        players=[names.get(seating.home(seat), "") for seat in seating.sides[i]],
        colour=colour and colour.value,
        score=_score(position, seating)[i],
        games=position.games[i],
        coins_left=known.left(colour) if known and colour else None,
        due=due,
    )


def _breaks_next(position: Position, book: Book) -> str | None:
    between = position.waiting or (position.state is not None and position.state.over)
    seat = next_breaker(position, book) if between else None
    return seat and seat.value


def _coins_left(position: Position) -> dict[str, int | None]:
    state = position.state
    coins = (
        expected_coins(state) if state and not position.unseen else position.census.latest if state is None else None
    )
    if coins is None:
        return {"white": None, "black": None, "queen": None}
    return {"white": coins.white, "black": coins.black, "queen": coins.queen}


def _queen(position: Position, seating: Seating) -> QueenView:
    state = position.state
    if state is None or state.queen is QueenStatus.UNKNOWN:
        return QueenView(status=None, side=None, seats=[])
    owner = queen_owner(state)
    side = owner % seating.teams if isinstance(owner, int) else seating.side_playing(owner) if owner else None
    seats = [] if side is None else [seat.value for seat in seating.sides[side]]
    return QueenView(status=state.queen.value, side=owner_name(state), seats=seats)


def _ruling(r: Ruling) -> RulingView:
    return RulingView(
        stroke=r.stroke,
        board=r.board,
        seat=r.seat.value,
        stroke_text=str(r.tokens),
        seen_text=str(r.seen),
        call=called(r),
        sentences=[SentenceView(kind=s["kind"], reason=s["reason"], law=s["law"], text=s["text"], certain=s["certain"])
                   for s in ruling_texts(r)],
        turn=r.turn and r.turn.value,
        certain=r.certain,
        annulled=r.annulled,
        corrected=r.corrected,
        match=r.match,
        board_over=r.board_over,
    )  # fmt: skip


def _open_questions(rulings: list[Ruling]) -> list[ProposalView]:
    """Returns the proposals of the present board that wait for the umpire, oldest first."""
    last = (rulings[-1].match, rulings[-1].board) if rulings else (0, 0)
    present = takewhile(lambda r: (r.match, r.board) == last, reversed(rulings))
    played = [r for r in present if not r.annulled]
    return [question for r in reversed(played) for question in _questions(r, r is played[0])]


def _questions(r: Ruling, is_last: bool) -> list[ProposalView]:
    """Returns the proposals of one stroke; one out of turn stands once the next is played (R24, row I12)."""
    unsure = [d for d in r.doubts if d.why is DoubtReason.FALLS_UNSURE]
    asked = [(unsure[0].why.value, str(r.tokens), _text(r, unsure[0].why))] if unsure else []
    asked += [(d.reason.value, str(r.tokens), _text(r, d.reason)) for d in r.decisions if d.reason is Reason.CHOICE]
    asked += [(p.foul.value, str(p.tokens), proposal_text(r, p)) for p in r.proposals
              if is_last or p.foul is not FoulName.OUT_OF_TURN]  # fmt: skip
    return [ProposalView(stroke=r.stroke, reason=why, text=text, stroke_text=tokens) for why, tokens, text in asked]


def _text(r: Ruling, why: DoubtReason | Reason) -> str:
    return str(next(s["text"] for s in ruling_texts(r) if s["reason"] == why))


def _board(result: BoardScore) -> BoardView:
    return BoardView(game=result.game, board=result.board, points=list(result.points), score=list(result.score))


def _won(number: int, result: MatchResult, start: Start) -> WonView:
    names, seating = dict(start.players), result.seating
    sides = [
        SideView(
            seats=[seat.value for seat in seating.sides[i]],
            players=[names.get(seating.home(seat), "") for seat in seating.sides[i]],
            colour=None,
            score=result.score[i],
            games=result.games[i],
            coins_left=None,
            due=0,
        )
        for i in range(seating.teams)
    ]
    winner = seating.sides[result.winner][0].value
    return WonView(number=number, winner=winner, sides=sides, boards=[_board(b) for b in result.boards])


def results_of(position: Position, start: Start) -> list[WonView]:
    """Returns every match of the log that was won, the present one too."""
    return [_won(n, result, start) for n, result in enumerate(position.results, 1)]


def _step(step: HistoryStep | None, rulings: list[Ruling]) -> StepView | None:
    """Returns the step that undo takes back or redo brings back."""
    if step is None:
        return None
    word = step.correction
    if word is None or word.action in ABOUT_A_STROKE:
        what = "stroke" if word is None else "correction" if word.action is Action.CORRECT else "decision"
        ruling = next((r for r in reversed(rulings) if r.stroke == step.stroke), None)
        text, seat = (str(ruling.tokens), ruling.seat.value) if ruling else ("", None)
        return StepView(what=what, stroke=step.stroke, event="", target=step.target, text=text, seat=seat)
    if word.action in (Action.CHALLENGE, Action.ANSWER):
        seat = word.seat and word.seat.value
        return StepView(what=word.action.value, stroke=step.stroke, event="", target=step.target, text="", seat=seat)
    what = "policy" if word.policy else "rematch" if word.rematch else "event"
    return StepView(what=what, stroke=None, event=str(word.event or ""), target=step.target, text="", seat=None)
