"""A ruling of a collecting game in progress: points, coins, dues and the queen."""

from __future__ import annotations

from dataclasses import dataclass

from models.collecting import CollectRules
from models.pieces import Kind
from models.rulebook import Turn, WhenPaid
from referee.laws.collect_state import CollectState
from referee.laws.decisions import Certainty, Decision, DecisionKind, Reason, Return
from referee.laws.draft import Draft
from referee.laws.state import QueenStatus

COLOURS = (Kind.WHITE, Kind.BLACK)


@dataclass(frozen=True, slots=True)
class CollectResult:
    """Result of a board of a collecting game."""

    winner: int | None
    """The player, or the side of partners, with most points, counted from 0; None for a tie."""
    game_over: bool
    """The game is decided, not only this board."""


@dataclass(frozen=True, slots=True)
class CollectOutcome:
    """Everything that follows from one stroke of a collecting game."""

    state: CollectState
    decisions: tuple[Decision, ...]
    returned: tuple[Return, ...] = ()
    turn: Turn | None = None
    """Whether the same player goes on; None when the board is over."""
    result: CollectResult | None = None

    @property
    def board_over(self) -> bool:
        return self.state.over

    @property
    def certain(self) -> bool:
        """Tells whether no decision waits for people."""
        return all(d.certainty is Certainty.CERTAIN for d in self.decisions)


class CollectRuling(Draft):
    """The draft of a collecting game; `outcome` closes it."""

    state: CollectState
    rules: CollectRules

    def __init__(self, state: CollectState, rules: CollectRules) -> None:
        super().__init__(state)
        self.state, self.rules = state, rules
        self.mover = state.mover or 0
        self.side = state.side_of(self.mover)
        """Whose points, coins and penalties the player's are."""
        self.points, self.dues, self.left = list(state.points), list(state.dues), list(state.left)
        self.held = [list(pair) for pair in state.held] if state.held is not None else None
        self.queen, self.queen_player = state.queen, state.queen_player
        self.had_coin = self.has_coin
        """The player, or his partner, had a coin before this stroke."""

    @property
    def player(self) -> str:
        return name(self.mover)

    @property
    def follower(self) -> str:
        return name(self.next_player)

    @property
    def has_coin(self) -> bool:
        """Tells whether the player, or his partner, has a coin of this board. His points decide where the holdings are
        unknown.
        """
        return any(self.held[self.side]) if self.held is not None else self.points[self.side] > 0

    def collect(self, coins: tuple[int, int], law: str) -> None:
        """Gives white and black coins that fell, with their points, to the player."""
        values = self.rules.values
        won = coins[0] * values.white + coins[1] * values.black
        for slot in (0, 1):
            self.left[slot] -= coins[slot]
            if self.held is not None:
                self.held[self.side][slot] += coins[slot]
        self.points[self.side] += won
        if coins != (0, 0):
            self.say(DecisionKind.POINTS, Reason.COLLECTED, law, side=name(self.mover), points=won)

    def queen_back(self, reason: Reason, law: str, certainty: Certainty = Certainty.CERTAIN) -> None:
        """Returns the queen to the board; a failed cover may cost points."""
        waited = self.queen is QueenStatus.PENDING and self.queen_player == self.mover
        self.queen, self.queen_player = QueenStatus.BOARD, None
        self.put_back(Kind.QUEEN, 1, self.rules.queen.place, self.rules.queen.placed_by)
        self.say(DecisionKind.QUEEN, reason, law, certainty, side=name(self.mover))
        if (waited or reason is Reason.COVER_MISSED) and self.rules.queen.uncovered_points:
            self._lose(self.rules.queen.uncovered_points, law)

    def _lose(self, points: int, law: str) -> None:
        """Deducts points at once; not below zero where the book has no negative scores (X21)."""
        had = self.points[self.side]
        lost = points if self.rules.match.negative_scores else max(0, min(points, had))
        self.points[self.side] -= lost
        if lost:
            self.say(DecisionKind.POINTS, Reason.POINTS_DEDUCTED, law, side=name(self.mover), points=lost)

    def queen_pending(self, law: str) -> None:
        """Rules that the player must cover the queen by his next stroke."""
        self.queen, self.queen_player = QueenStatus.PENDING, self.mover
        self.say(DecisionKind.QUEEN, Reason.QUEEN_PENDING, law, side=name(self.mover))

    def queen_covered(self, reason: Reason, law: str, certainty: Certainty = Certainty.CERTAIN) -> None:
        """Gives the queen and its points to the player."""
        value = self.rules.values.queen
        self.queen, self.queen_player = QueenStatus.COVERED, self.mover
        self.points[self.side] += value
        self.say(DecisionKind.QUEEN, reason, law, certainty, side=name(self.mover))
        self.say(DecisionKind.POINTS, Reason.COLLECTED, law, side=name(self.mover), points=value)

    def incur(self, count: int, law: str) -> None:
        """Adds penalty coins to the player's dues."""
        if count:
            self.dues[self.side] += count
            self.say(DecisionKind.DUE, Reason.DUE_INCURRED, law, side=name(self.mover), count=count)

    def end_turn(self, turn: Turn, reason: Reason, law: str) -> None:
        """Rules who plays next; the end of a turn takes an uncovered queen back to the board."""
        if turn is Turn.PASS and self.queen is QueenStatus.PENDING and self.queen_player == self.mover:
            self.queen_back(Reason.QUEEN_TURN_ENDED, self.rules.queen.uncovered_law)
        if turn is Turn.PASS or self.rules.dues.when is WhenPaid.AFTER_STROKE:
            self.pay()
        self.turn = turn
        follower = self.mover if turn is Turn.KEEP else self.next_player
        self.say(DecisionKind.TURN, reason, law, turn=turn, side=name(self.mover), next=name(follower))

    @property
    def next_player(self) -> int:
        return (self.mover + 1) % self.state.players

    def payable(self, player: int) -> list[int]:
        """Returns the slots of the colours of which the side `player` has a coin to give back, the cheaper colour
        first.

        Where the holdings are unknown, any colour will do that is missing on the board and within his points.
        """
        values = (self.rules.values.white, self.rules.values.black)
        missing = [slot for slot in (1, 0) if self.left[slot] < self.rules.coins]
        if self.held is not None:
            slots = [slot for slot in missing if self.held[player][slot]]
        else:
            slots = [slot for slot in missing if self.points[player] >= values[slot]]
        return sorted(slots, key=lambda slot: values[slot])

    def pay(self) -> None:
        """Pays owed coins as far as there are any; which one is the operator's choice (row G1)."""
        dues, player = self.rules.dues, self.side
        while self.dues[player] and (slots := self.payable(player)):
            slot, coin = slots[0], COLOURS[slots[0]]
            value = (self.rules.values.white, self.rules.values.black)[slot]
            self.dues[player] -= 1
            self.left[slot] += 1
            self.points[player] -= value
            if self.held is not None:
                self.held[player][slot] -= 1
            self.put_back(coin, 1, dues.place, dues.placed_by)
            self.say(DecisionKind.DUE, Reason.DUE_PAID, dues.paid_law, coin=coin, count=1)
            self.say(DecisionKind.POINTS, Reason.POINTS_DEDUCTED, dues.paid_law, side=self.player, points=value)
            if len(slots) > 1 or self.held is None:
                self.say(DecisionKind.NOTE, Reason.COIN_CHOICE, dues.paid_law, Certainty.OPERATOR, coin=coin, count=1)
        if self.dues[player] and not dues.debts:
            self.dues[player] = 0
            self.say(DecisionKind.DUE, Reason.DUE_NONE, dues.owed_law, side=self.player)
        if self.dues[player] > self.state.dues[player]:
            self.say(DecisionKind.DUE, Reason.DUE_OWED, dues.owed_law, side=self.player, count=self.dues[player])

    def outcome(self) -> CollectOutcome:
        """Returns the ruling; the board ends at the target and when it is empty."""
        target = self.rules.match.target_points
        reached = bool(target) and max(self.points) >= target
        empty = self.left == [0, 0] and self.queen is QueenStatus.COVERED
        if not (reached or empty):
            return CollectOutcome(self._state(False), tuple(self._decisions), self._returns(), self.turn)
        state = self._state(True)
        result = collect_result(state, self.rules)
        winner = result.winner
        reason = Reason.BOARD_TIED if winner is None else Reason.TARGET_REACHED if reached else Reason.BOARD_EMPTY
        sure = Certainty.CERTAIN if winner is not None else Certainty.OPERATOR
        who = None if winner is None else name(winner)
        self.take_back_turn()
        self.say(DecisionKind.RESULT, reason, self.rules.board_law, sure, winner=who)
        return CollectOutcome(state, tuple(self._decisions), self._returns(), result=result)

    def _state(self, over: bool) -> CollectState:
        passed = self.turn is Turn.PASS
        return CollectState(
            points=tuple(self.points),
            left=(self.left[0], self.left[1]),
            queen=self.queen,
            queen_player=self.queen_player,
            coins=self.state.coins,
            partners=self.state.partners,
            dues=(0,) * len(self.dues) if over else tuple(self.dues),
            held=None if self.held is None else tuple((pair[0], pair[1]) for pair in self.held),
            mover=None if over else self.next_player if passed else self.mover,
            over=over,
            board=self.state.board,
            noleave=0 if over else self.noleave,
            breaks=None if over else self.breaks,
            strokes=None if over else 0 if passed else self.strokes,
        )


def name(player: int) -> str:
    """Returns a player's name in the text form."""
    return f"P{player + 1}"


def collect_result(ended: CollectState, rules: CollectRules) -> CollectResult:
    """Returns who leads after a finished board, and whether that decides the game."""
    leaders = [n for n, points in enumerate(ended.points) if points == max(ended.points)]
    winner = leaders[0] if len(leaders) == 1 else None
    target, most, board = rules.match.target_points, rules.match.max_boards, ended.board or 1
    reached = bool(target) and max(ended.points) >= target
    return CollectResult(winner, winner is not None and (reached or (bool(most) and board >= most)))
