"""A ruling of a race game in progress: pocketed coins, dues and the queen."""

from __future__ import annotations

from models.pieces import Kind
from models.rulebook import Placer, PutBackPlace, Rules, Turn, WhenPaid
from referee.laws.decisions import BoardResult, Certainty, DecisionKind, Outcome, Reason
from referee.laws.draft import Draft
from referee.laws.sides import Side
from referee.laws.state import QueenStatus, State


class RaceRuling(Draft):
    """The draft of a race game; `outcome` or `ended` closes it."""

    state: State
    rules: Rules

    def __init__(self, state: State, mover: Side, rules: Rules) -> None:
        super().__init__(state)
        self.state, self.rules, self.mover = state, rules, mover
        self.pocketed, self.dues = list(state.pocketed), list(state.dues)
        self.had_own = [side in state.had_own or state.pocketed[side.slot] > 0 for side in Side]
        self.queen, self.queen_side, self.qpocket = state.queen, state.queen_side, state.qpocket
        self.score = [state.score[0], state.score[1]]
        self.place = rules.dues.place
        """Where this stroke's own and penalty coins go."""

    @property
    def player(self) -> str:
        return self.mover

    @property
    def follower(self) -> str:
        return self.mover.other

    def left_points(self, side: Side) -> int:
        """Returns the points that the coins of `side` on the board are worth."""
        return (self.rules.coins - self.pocketed[side.slot]) * self.rules.match.coin_points

    def pocket(self, side: Side, count: int) -> None:
        """Counts coins of `side` that fell and, for now, stay pocketed."""
        self.pocketed[side.slot] += count
        if count:
            self.had_own[side.slot] = True

    def coins_back(self, side: Side, count: int, reason: Reason, law: str, place: PutBackPlace | None = None,
                   by: Placer | None = None) -> None:  # fmt: skip
        """Returns coins pocketed by this stroke to the board at once."""
        self.pocketed[side.slot] -= count
        self.put_back(side.kind, count, place or self.place, by or self.rules.dues.placed_by)
        self.say(DecisionKind.RETURN, reason, law, side=side, count=count)

    def incur(self, count: int, law: str) -> None:
        """Adds penalty coins to the player's dues."""
        if count:
            self.dues[self.mover.slot] += count
            self.say(DecisionKind.DUE, Reason.DUE_INCURRED, law, side=self.mover, count=count)

    @property
    def waits_for_cover(self) -> bool:
        """Tells whether the player pocketed the queen by an earlier stroke and has to cover it now."""
        return self.queen is QueenStatus.PENDING and self.queen_side is self.mover

    def queen_back(self, reason: Reason, law: str, certainty: Certainty = Certainty.CERTAIN) -> None:
        """Returns the queen to the board; a failed cover may cost points."""
        failed = self.waits_for_cover or reason is Reason.COVER_MISSED
        self.queen, self.queen_side, self.qpocket = QueenStatus.BOARD, None, None
        self.put_back(Kind.QUEEN, 1, self.rules.queen.place, self.rules.queen.placed_by)
        self.say(DecisionKind.QUEEN, reason, law, certainty, side=self.mover)
        if failed and self.rules.queen.uncovered_points:
            self._lose(self.rules.queen.uncovered_points, law)

    def _lose(self, points: int, law: str) -> None:
        """Deducts points from the player at once; not below zero where the book has no negative scores (X21)."""
        slot = self.mover.slot
        lost = points if self.rules.match.negative_scores else max(0, min(points, self.score[slot]))
        self.score[slot] -= lost
        if lost:
            self.say(DecisionKind.POINTS, Reason.POINTS_DEDUCTED, law, side=self.mover, points=lost)

    def queen_to(self, status: QueenStatus, reason: Reason, law: str, side: Side | None = None) -> None:
        """Gives the queen to the player, or to `side`, pending, void or covered."""
        self.queen, self.queen_side = status, side or self.mover
        if status is not QueenStatus.PENDING:
            self.qpocket = None
        self.say(DecisionKind.QUEEN, reason, law, side=self.queen_side)

    def end_turn(self, turn: Turn, reason: Reason, law: str) -> None:
        """Rules who plays next; the end of a turn takes an uncovered queen back to the board."""
        if turn is Turn.PASS and (self.waits_for_cover or self.queen is QueenStatus.VOID):
            self.queen_back(Reason.QUEEN_TURN_ENDED, self.rules.queen.uncovered_law)
        self._pay(turn)
        self.turn = turn
        follower = self.mover if turn is Turn.KEEP else self.mover.other
        self.say(DecisionKind.TURN, reason, law, turn=turn, side=self.mover, next=follower)

    def _pay(self, turn: Turn) -> None:
        """Pays owed coins as far as there are any, of both sides, since either may have become able to pay.

        Where dues are paid at the end of the turn (row H2), the player's own wait while he goes on.
        """
        if self.dues == [0, 0]:
            return
        waits = self.rules.dues.when is WhenPaid.END_OF_TURN and turn is Turn.KEEP
        for side in (self.mover.other,) if waits else (self.mover, self.mover.other):
            self._pay_side(side)

    def _pay_side(self, side: Side) -> None:
        if not self.dues[side.slot]:
            return
        dues = self.rules.dues
        paid = min(self.dues[side.slot], self.pocketed[side.slot])
        if paid:
            self.dues[side.slot] -= paid
            self.pocketed[side.slot] -= paid
            self.put_back(side.kind, paid, self.place if side is self.mover else dues.place, dues.placed_by)
            self.say(DecisionKind.DUE, Reason.DUE_PAID, dues.paid_law, side=side, count=paid)
        if self.dues[side.slot] and not dues.debts:
            self.dues[side.slot] = 0
            self.say(DecisionKind.DUE, Reason.DUE_NONE, dues.owed_law, side=side)
        if self.dues[side.slot] > self.state.dues[side.slot]:
            self.say(DecisionKind.DUE, Reason.DUE_OWED, dues.owed_law, side=side, count=self.dues[side.slot])

    def outcome(self) -> Outcome:
        """Returns the ruling when the board goes on."""
        passed = self.turn is Turn.PASS
        state = State(
            pocketed=(self.pocketed[0], self.pocketed[1]),
            queen=self.queen,
            queen_side=self.queen_side,
            dues=(self.dues[0], self.dues[1]),
            score=(self.score[0], self.score[1]),
            mover=self.mover.other if passed else self.mover,
            board=self.state.board,
            noleave=self.noleave,
            breaks=self.breaks,
            qpocket=self.qpocket,
            had_own=tuple(s for s in Side if self.had_own[s.slot] and not self.pocketed[s.slot]),
            strokes=0 if passed else self.strokes,
            coins=self.state.coins,
        )
        return Outcome(state, tuple(self._decisions), self._returns(), self.turn)

    def ended(self, result: BoardResult) -> Outcome:
        """Returns the ruling when the board is over: dues are written off and the result is in the score."""
        for side in Side:
            if self.dues[side.slot]:
                law = self.rules.dues.written_off_law
                self.say(DecisionKind.DUE, Reason.DUE_WRITTEN_OFF, law, side=side, count=self.dues[side.slot])
        score = list(self.score)
        score[result.winner.slot] += result.points
        score[result.winner.other.slot] -= result.lost
        state = State(
            pocketed=(self.pocketed[0], self.pocketed[1]),
            queen=self.queen,
            queen_side=self.queen_side,
            score=(score[0], score[1]),
            mover=None,
            over=True,
            board=self.state.board,
            coins=self.state.coins,
        )
        return Outcome(state, tuple(self._decisions), result=result)
