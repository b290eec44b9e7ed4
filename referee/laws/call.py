"""A ruling as an umpire calls it: what happened, what follows and who plays, each said once.

"Striker with a coin: 2 white coins out. White plays again." Decisions that are proposed, left to the umpire or noted
have sentences of their own (`referee.laws.sentences`), and so have those that the call omits, for whoever asks why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from models.pieces import Kind
from models.rulebook import FoulName, Turn
from referee.laws.decisions import Certainty, Decision, DecisionKind, Reason
from referee.laws.sentences import (
    count_of,
    dues,
    formed,
    foul_text,
    load_phrases,
    nouns,
    player_word,
    sentence,
    turn_words,
)
from referee.laws.sides import Side
from referee.laws.tokens import StrokeTokens

CallNames = Mapping[str, str] | None

BACK = frozenset({Reason.OWN_BACK, Reason.OPPONENT_BACK, Reason.LAST_BACK, Reason.PIECE_OFF_BOARD, Reason.DUE_PAID})
QUEEN_BACK = frozenset({
    Reason.QUEEN_TOO_EARLY, Reason.QUEEN_WHILE_DUE, Reason.COVER_MISSED, Reason.QUEEN_WITH_STRIKER,
    Reason.QUEEN_TURN_ENDED, Reason.SAME_POCKET, Reason.IMPROPER_STROKE,
})  # fmt: skip
QUEEN_HELD = frozenset({Reason.QUEEN_PENDING, Reason.QUEEN_STILL_PENDING, Reason.QUEEN_COVERED})
PLAIN_TURNS = frozenset({Reason.OWN_POCKETED, Reason.COIN_POCKETED, Reason.QUEEN_POCKETED, Reason.IMPROPER_STROKE})
"""Reasons for a turn that are visible to everybody, or that the call has already given."""
UNSAID = frozenset({Reason.ALLOWED, Reason.BOARD_OPENED, Reason.DUE_WRITTEN_OFF})
"""Reasons of decisions without any consequence at the board, which the call omits."""


def call(decisions: Sequence[Decision], stroke: StrokeTokens, language: str, names: CallNames = None,
         turn_names: CallNames = None) -> str:  # fmt: skip
    """Returns the decisions on `stroke` in as few words as possible; empty if there are none.

    `names`: as for `sentence`; `turn_names`: the same for the turn, where a colour has two players. Raises ValueError
    for an unknown language.
    """
    in_turn = {DecisionKind.TURN: turn_names or names}
    settled = [d for d in decisions if d.certainty is Certainty.CERTAIN]
    said = [*_Call(settled, stroke, language, names, turn_names or names).sentences()]
    said += [sentence(d, language, in_turn.get(d.kind, names)) for d in decisions if d not in settled]
    return " ".join(said) or " ".join(sentence(d, language, in_turn.get(d.kind, names)) for d in decisions)


class _Call:
    """Joins the certain decisions."""

    def __init__(self, decisions: Sequence[Decision], stroke: StrokeTokens, language: str, names: CallNames,
                 turn_names: CallNames) -> None:  # fmt: skip
        self._decisions, self._stroke, self._language = decisions, stroke, language
        self._names, self._turn_names = names, turn_names
        self._words: dict[str, Any] = load_phrases(language)["call"]
        self._turn = next((d for d in decisions if d.kind is DecisionKind.TURN), None)
        self._over = any(d.kind is DecisionKind.RESULT for d in decisions)

    def sentences(self) -> Iterator[str]:
        """Yields the consequences with their cause, the queen, everything else, and the turn."""
        followed, head = [*self._follows()], self._head()
        queens = [d for d in self._decisions if d.reason in QUEEN_HELD and not self._over]
        if followed:
            yield self._because(head, self._words["and"].join(followed))
        for decision in queens:
            yield str(self._words[decision.reason]).format(side=self._player(decision.params.get("side")))
        yield from (sentence(d, self._language, self._names) for d in self._decisions if self._is_plain(d))
        if self._turn and not self._goes_without_saying(self._turn, queens):
            yield self._whose_turn(self._turn, "" if followed else head, bool((followed and head) or queens))

    def _follows(self) -> Iterator[str]:
        """Yields coins that go back, the queen, and what stays owed."""
        back: dict[str, int] = {}
        for decision in self._decisions:
            if decision.reason in BACK and decision.kind is not DecisionKind.TURN:
                coin = _coin(decision)
                back[coin] = back.get(coin, 0) + count_of(decision)
        if back.pop(Kind.QUEEN, 0) or any(self._returns_queen(d) for d in self._decisions):
            yield str(self._words["queen_back"])
        for coin, count in back.items():
            yield self._counted(self._words["out"], coin, count)
        for decision in self._decisions:
            if self._is_owed(decision):
                owed = dues(self._language, count_of(decision))
                yield str(self._words["owes"]).format(side=self._player(decision.params.get("side")), **owed)

    def _counted(self, template: str | list[str], coin: str, count: int) -> str:
        text = template if isinstance(template, str) else formed(self._language, template, count)
        return text.format(**nouns(self._language, coin, count))

    def _head(self) -> str:
        """Returns what the player did; "" if the consequences say it."""
        heads, stroke = self._words["heads"], self._stroke
        fouls = [
            foul_text(FoulName(str(d.params["foul"])), self._language)
            for d in self._decisions
            if d.kind is DecisionKind.FOUL
        ]
        if fouls:
            return str(heads["foul"]).format(foul=self._words["and"].join(fouls))
        if stroke.fell(Kind.STRIKER):
            coins = stroke.fell(Kind.WHITE) + stroke.fell(Kind.BLACK)
            return str(heads["striker_queen" if stroke.fell(Kind.QUEEN) else "striker_coin" if coins else "striker"])
        reasons = [d.reason for d in (self._turn, *self._decisions) if d is not None]
        return next((str(heads[reason]) for reason in reasons if reason in heads), "")

    def _because(self, head: str, what: str) -> str:
        return self._ended(str(self._words["because"]).format(head=head, what=what) if head else what)

    def _whose_turn(self, turn: Decision, head: str, known_why: bool) -> str:
        who = turn_words(self._language, turn, self._turn_names)
        if turn.reason in PLAIN_TURNS:
            return self._because(head or self._pocketed(), who) if not known_why else self._ended(who)
        if known_why:
            return self._ended(who)
        return self._because(head, who) if head else sentence(turn, self._language, self._turn_names)

    def _pocketed(self) -> str:
        """Returns the coins that fell; "" for none."""
        fell = [(kind, count) for kind in (Kind.WHITE, Kind.BLACK) if (count := self._stroke.fell(kind))]
        template = self._words["heads"]["pocketed"]
        return str(self._words["and"]).join(self._counted(template, kind, count) for kind, count in fell)

    def _goes_without_saying(self, turn: Decision, queens: list[Decision]) -> bool:
        """Tells whether the turn is implied: whoever must cover the queen plays again."""
        return turn.params.get("turn") is Turn.KEEP and any(d.reason is not Reason.QUEEN_COVERED for d in queens)

    def _is_plain(self, decision: Decision) -> bool:
        """Tells whether a decision needs a sentence of its own."""
        if decision.kind in (DecisionKind.TURN, DecisionKind.FOUL) or decision.reason in UNSAID | BACK:
            return False
        if decision.kind is DecisionKind.QUEEN:
            return not (self._over or decision.reason in QUEEN_HELD or self._returns_queen(decision))
        return decision.reason not in (Reason.DUE_INCURRED, Reason.DUE_OWED)

    def _returns_queen(self, decision: Decision) -> bool:
        return decision.kind is DecisionKind.QUEEN and decision.reason in QUEEN_BACK

    def _is_owed(self, decision: Decision) -> bool:
        """Tells whether a decision is about a debt that remains after all possible payments."""
        if decision.reason is Reason.DUE_OWED:
            return True
        side = decision.params.get("side")
        later = (Reason.DUE_OWED, Reason.DUE_PAID)
        settled = any(d.reason in later and d.params.get("side", side) == side for d in self._decisions)
        return decision.reason is Reason.DUE_INCURRED and not settled and not self._over

    def _ended(self, text: str) -> str:
        """Returns the words as a sentence."""
        return f"{text[:1].upper()}{text[1:]}{self._words['end']}"

    def _player(self, value: Any) -> str:
        return player_word(self._language, value, self._names)


def _coin(decision: Decision) -> str:
    """Returns which coins go back: those named, or those of the side."""
    coin, side = decision.params.get("coin"), decision.params.get("side")
    return str(coin or (side if side in set(Side) else "any"))
