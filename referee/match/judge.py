"""Judges one stroke: compares the coins, decides who plays, applies the laws, and collects the doubts."""

from __future__ import annotations

from dataclasses import replace

from models.pieces import Kind, Seat
from models.rulebook import Turn
from models.rules import Book
from referee.facts import OtherFalls, Stroke
from referee.laws import AnyOutcome, AnyState, CollectState, QueenStatus, Reason, Side, State, StrokeTokens
from referee.laws.apply import apply
from referee.laws.observed import CERTAIN_CONFIDENCE
from referee.match.boards import before_the_end, begin_board, ended, is_left_over, may_go_on
from referee.match.coins import COINS_NONE, Counts
from referee.match.compare import compared, queen_found
from referee.match.doubts import DoubtReason, MatchDoubt
from referee.match.games import (
    followed,
    names_of,
    played_by,
    points_of,
    queen_owner,
    seated_for,
    unknown_board,
    with_queen,
)
from referee.match.history import StrokeCorrections
from referee.match.policy import SortedStroke, read_stroke, with_out_of_turn
from referee.match.position import OpenQuestion, Position
from referee.match.ruling import Ruling, RulingProposal, new_decisions
from referee.match.seating import Seating

SUSPECT_DISAGREEMENTS = 2
"""Number of strokes in one board by another side than ruled from which the colours themselves are in doubt."""


def judge_stroke(
    position: Position, stroke: Stroke, word: StrokeCorrections | None, rules: Book
) -> tuple[Position, Ruling]:
    """Returns the position after `stroke` and the ruling on it; `word`: the umpire's actions about it, if any."""
    corrected, word = word is not None, word or StrokeCorrections()
    position, seat = _on_a_board(position, word.seat or stroke.seat, stroke.t_strike, rules)
    if _counts_for_nothing(position, stroke.t_strike):
        return position, replace(annul(position, stroke, rules), annulled=False, after_end=True, corrected=corrected)
    position = compared(position, stroke.t_strike, rules)
    position = _with_player(position, seat)
    reading = read_stroke(stroke, _state(position, rules), rules, position.policy)
    if any(doubt.why is DoubtReason.TURN_DIFFERS for doubt in position.news):
        reading = with_out_of_turn(reading, position.policy)
    says_what_fell = word.tells_what_fell
    tokens = _corrected(reading.tokens, word)
    position = queen_found(position, tokens, None if says_what_fell else stroke.first_contact)
    state = _state(position, rules)
    outcome = apply(state, tokens, rules)
    other = None
    if not says_what_fell and stroke.confidence < CERTAIN_CONFIDENCE:
        position = _doubting(position, MatchDoubt(DoubtReason.FALLS_UNSURE))
        if stroke.other is not None:
            other = _corrected(_otherwise(stroke, stroke.other, state, rules, position), word)
    proposals = () if word.tokens is not None else _proposals(state, reading, word, tokens, rules)
    ruling = Ruling(
        stroke=stroke.n, rules=rules.name, seat=seat, tokens=tokens, seen=reading.tokens, state=outcome.state,
        colours=(), names=names_of(rules), match=position.number, order=_order(position), certain=False,
        score=_score(outcome.state), turn=_next(position.seating, seat, outcome),
        decisions=outcome.decisions, proposals=proposals,
        noted=() if says_what_fell else reading.noted, to_return=_returns(outcome), corrected=corrected, other=other,
    )  # fmt: skip
    return _concluded(position, stroke, state, outcome, ruling, says_what_fell, rules)


def _otherwise(stroke: Stroke, other: OtherFalls, state: AnyState, rules: Book, position: Position) -> StrokeTokens:
    """The stroke if something else fell."""
    otherwise = replace(stroke, pocketed=other.pocketed, off_board=other.off_board)
    return read_stroke(otherwise, state, rules, position.policy).tokens


def _state(position: Position, rules: Book) -> AnyState:
    return position.state or unknown_board(rules)


def _order(position: Position) -> tuple[Seat, ...]:
    return position.seating.order if position.seating else ()


def _score(state: AnyState) -> tuple[int, ...]:
    """Returns match points as (white, black), or those of each player."""
    return state.points if isinstance(state, CollectState) else state.score


def annul(position: Position, stroke: Stroke, rules: Book) -> Ruling:
    """Returns the ruling on a stroke that the umpire has undone: everything stays as it was."""
    state, seating = position.state, position.seating
    detected = read_stroke(stroke, _state(position, rules), rules, position.policy).tokens
    return Ruling(
        stroke=stroke.n, rules=rules.name, seat=stroke.seat, tokens=detected, seen=detected, state=state,
        colours=tuple(seating.colours().items()) if seating else (), names=names_of(rules),
        match=position.number, order=_order(position), score=_score(_state(position, rules)),
        turn=position.turn, certain=True, annulled=True,
    )  # fmt: skip


def _concluded(position: Position, stroke: Stroke, before: AnyState, outcome: AnyOutcome, ruling: Ruling,
               says_what_fell: bool, rules: Book) -> tuple[Position, Ruling]:  # fmt: skip
    """Returns the position after the ruling, and the ruling with its doubts and colours."""
    news = () if says_what_fell else position.news
    still_open = _still_open(position, outcome)
    if still_open and not says_what_fell:
        news = (*news, MatchDoubt(DoubtReason.STILL_OPEN, stroke=position.open_stroke))
    changing = any(p.changes and p.confidence > 1 - CERTAIN_CONFIDENCE for p in ruling.proposals)
    certain = outcome.certain and not (news or changing or position.unseen)
    left, left_by = _left_open(position, stroke.n, before, outcome, certain or says_what_fell)
    seating = position.seating
    ruling = replace(
        ruling,
        certain=certain,
        doubts=news,
        state=None if position.unseen else outcome.state,
        colours=tuple(seating.colours().items()) if seating else (),
    )
    after = replace(
        position,
        state=outcome.state,
        played=True,
        turn=ruling.turn,
        census_since=stroke.t_strike,
        to_return=position.to_return + _put_back(outcome),
        penalties=_penalties(outcome),
        offset=position.offset + _miscounted(ruling),
        queen_was=_queen_was(position, before, outcome),
        cover_missed=before.queen is QueenStatus.PENDING,
        payer=before.side_of(before.mover or 0) if isinstance(before, CollectState) else None,
        before_change=None,
        news=(),
        open=left,
        open_stroke=left_by,
    )
    if outcome.board_over and not before.over:
        after = replace(ended(after, before, rules), ended_by_word=says_what_fell)
    return replace(after, breaker_announced=False), ruling


def _on_a_board(position: Position, seat: Seat, t_strike: float, rules: Book) -> tuple[Position, Seat]:
    """Returns the position with a board that is in play, and a seat that plays in it."""
    if position.waiting:
        position = begin_board(position, seat, rules, observed=True)
    seating = position.seating or seated_for(position.state, seat, rules)
    position = replace(position, seating=seating)
    if seating.side_of(seat) is None:
        turn = position.turn or seating.order[0]
        position, seat = _doubting(position, MatchDoubt(DoubtReason.FOREIGN_SEAT, seat=seat, turn=turn)), turn
    if position.state is None or position.unseen:
        counted = position.census.readings(position.census_since, t_strike)
        state = unknown_board(rules)
        state = followed(state, counted[0]) if counted else with_queen(state, QueenStatus.UNKNOWN)
        position = replace(position, state=state, unseen=not counted, points_unknown=isinstance(state, CollectState))
    if position.unseen:
        position = _doubting(position, MatchDoubt(DoubtReason.COINS_UNSEEN))
    if position.points_unknown:
        position = _doubting(position, MatchDoubt(DoubtReason.POINTS_UNKNOWN))
    if position.state and position.state.over:
        position = _after_the_end(position, seat, t_strike, rules)
    return position, seat


def _after_the_end(position: Position, seat: Seat, t_strike: float, rules: Book) -> Position:
    """Returns the position for a stroke after the board was called over.

    The board is revived if the coins allow it, else there is a doubt. A board that the umpire ended stays ended until
    that is undone.
    """
    if position.ended_by_word:
        over = _counts_for_nothing(position, t_strike)
        return position if over else _doubting(position, MatchDoubt(DoubtReason.PLAY_WENT_ON, seat=seat))
    readings = position.census.readings(position.census_since, t_strike)
    if readings and all(may_go_on(position, reading) for reading in readings):
        return _doubting(before_the_end(position, rules), MatchDoubt(DoubtReason.BOARD_REVIVED, seat=seat))
    return _doubting(position, MatchDoubt(DoubtReason.PLAY_WENT_ON, seat=seat))


def _counts_for_nothing(position: Position, t_strike: float) -> bool:
    """Tells whether the umpire ended the board and the coins on it are left over from it, as far as detected."""
    if position.state is None or not position.state.over or not position.ended_by_word:
        return False
    readings = position.census.readings(position.census_since, t_strike)
    return all(is_left_over(position, reading) for reading in readings)


def _with_player(position: Position, seat: Seat) -> Position:
    """Returns the position with the stroke given to the seat that plays it.

    A doubt is added if the ruling gave it to another.
    """
    state, seating = position.state, position.seating
    if state is None or seating is None or state.over:
        return position
    if seating.white is None and isinstance(state.mover, Side):
        # The state was declared without seats: the seat that plays now has the colour to move.
        white = seat if state.mover is Side.WHITE else seating.next_seat(seat)
        seating = seating.with_white(white) if white else seating
        position = replace(position, seating=seating, points=points_of(state, seating), turn=seat)
    if position.turn is not None and OpenQuestion.TURN in position.open:
        position = replace(position, open=position.open - {OpenQuestion.TURN})
    if position.turn not in (None, seat):
        # A stroke by the partner puts no colour in doubt, and a collecting game has none.
        colours = isinstance(state, State) and seating.side_of(seat) != seating.side_of(position.turn or seat)
        position = replace(position, disagreements=position.disagreements + colours)
        position = _doubting(position, MatchDoubt(DoubtReason.TURN_DIFFERS, seat=seat, turn=position.turn))
        state = replace(state, strokes=0)
    if position.disagreements >= SUSPECT_DISAGREEMENTS:
        position = _doubting(position, MatchDoubt(DoubtReason.SEATS_SUSPECT))
    return replace(position, state=played_by(state, seating, seat))


def _corrected(detected: StrokeTokens, word: StrokeCorrections) -> StrokeTokens:
    """Returns the stroke as corrected by the umpire, or else as detected, with the infringements that he accepted."""
    tokens = detected if word.tokens is None else word.tokens
    for foul in sorted(word.accepted - set(tokens.fouls())):
        tokens = tokens.with_foul(foul)
    return tokens


def _proposals(state: AnyState, reading: SortedStroke, word: StrokeCorrections, tokens: StrokeTokens, rules: Book,
               ) -> tuple[RulingProposal, ...]:  # fmt: skip
    """Returns the infringements that wait for the umpire, each with what would change."""
    outcome = apply(state, tokens, rules)
    waiting = [p for p in reading.proposed if p.foul not in word.accepted | word.refused]
    made = [(p, tokens.with_foul(p.foul)) for p in waiting]
    return tuple(
        RulingProposal(p.foul, p.confidence, t, new_decisions(outcome, apply(state, t, rules))) for p, t in made
    )


def _next(seating: Seating | None, seat: Seat, outcome: AnyOutcome) -> Seat | None:
    if seating is None or outcome.board_over or outcome.turn is None:
        return None
    return seat if outcome.turn is Turn.KEEP else seating.next_seat(seat)


def _still_open(position: Position, outcome: AnyOutcome) -> bool:
    """Tells whether an earlier stroke in doubt affects this ruling; an open score does only when the board ends."""
    held = position.open if outcome.board_over else position.open - {OpenQuestion.SCORE}
    return bool(held)


def _left_open(position: Position, n: int, before: AnyState, outcome: AnyOutcome,
               proved: bool) -> tuple[frozenset[OpenQuestion], int | None]:  # fmt: skip
    """Returns what later events have to confirm, and since which stroke."""
    left = position.open & {OpenQuestion.SCORE} if outcome.board_over else position.open
    if not proved:
        new = {OpenQuestion.SCORE} if outcome.board_over else {OpenQuestion.COINS, OpenQuestion.TURN}
        if outcome.state.dues != before.dues and not outcome.board_over:
            new.add(OpenQuestion.DUES)
        return left | new, position.open_stroke if left else n
    return left, position.open_stroke if left else None


def _queen_was(position: Position, before: AnyState, outcome: AnyOutcome) -> Side | int | None:
    """Returns the last owner of the queen, also if she fell and was put back by this very stroke."""
    for state in (outcome.state, before):
        if (owner := queen_owner(state)) is not None:
            return owner
    fell = any(r.kind is Kind.QUEEN for r in outcome.returned)
    return before.mover if fell else position.queen_was


def _returns(outcome: AnyOutcome) -> tuple[tuple[Kind, int], ...]:
    return tuple(_put_back(outcome).kinds())


def _put_back(outcome: AnyOutcome) -> Counts:
    total = COINS_NONE
    for r in outcome.returned:
        total += Counts.of([r.kind] * r.count)
    return total


def _penalties(outcome: AnyOutcome) -> Counts:
    """Returns the coins that the ruling puts back as penalty."""
    paid = [d.params for d in outcome.decisions if d.reason is Reason.DUE_PAID]
    return Counts.of(Kind(str(p.get("coin") or p["side"])) for p in paid for _ in range(int(p["count"] or 0)))


def _miscounted(ruling: Ruling) -> Counts:
    """Returns the coins pocketed by the camera's account less those by the umpire's."""
    return _fallen(ruling.seen) - _fallen(ruling.tokens)


def _fallen(tokens: StrokeTokens) -> Counts:
    return Counts.of(t.piece for t in tokens.tokens if t.piece is not None)


def _doubting(position: Position, doubt: MatchDoubt) -> Position:
    return position if doubt in position.news else replace(position, news=(*position.news, doubt))
