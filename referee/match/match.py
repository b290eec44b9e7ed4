"""The match: takes events, returns rulings.

Everything is recomputed from the events, so any of them can be corrected.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Self

from models.rules import RulesError, book_of
from referee.facts import Alert, Fell, Formation, Pocketed, Returned, Stroke, Table
from referee.laws import AnyOutcome, AnyState
from referee.match.boards import declared, first_position, formation_stands
from referee.match.challenges import Challenge, check_answer, check_challenge
from referee.match.coins import EMPTY
from referee.match.corrections import Action, Correction
from referee.match.events import Event, Resumed, Start
from referee.match.games import wrong_game
from referee.match.history import History, HistoryStep, StrokeCorrections
from referee.match.judge import annul, judge_stroke
from referee.match.operate import apply_event, objection
from referee.match.position import NEVER_S, Position
from referee.match.refusals import MatchError, Refusal, Refused
from referee.match.ruling import Ruling
from referee.match.scoreboard import results_of, view_of
from referee.match.seating import seating_from
from referee.match.view import MatchView, WonView


class Match:
    """One match. Pure: no clock, no I/O; the same events always give the same rulings.

    A fact is judged on the position before it. A correction goes back to the stroke that it is about and judges again
    from there, with the same result as judging everything anew.
    """

    def __init__(self, start: Start) -> None:
        """Raises MatchError if the start makes no sense."""
        try:
            self.book = book_of(start.rules, start.book)
            self._first = first_position(start, self.book)
        except RulesError as e:
            raise MatchError(str(e)) from None
        self.start = start
        self.events: list[Event] = []
        self.rulings: dict[int, Ruling] = {}
        """Rulings by number of the stroke, in the order played."""
        self.outcomes: dict[int, AnyOutcome] = {}
        """Outcome of each operator event under the laws, by index of the event."""
        self.history = History()
        self._positions: list[Position] = []
        self._stroke_events: dict[int, int] = {}
        self._stroke_words: dict[int, StrokeCorrections] = {}
        self._late: dict[int, list[Pocketed]] = {}
        """Pieces that fell after a stroke had been called, by its number."""
        self._annulled: set[int] = set()
        self._declared: dict[int, list[HistoryStep]] = {}

    @classmethod
    def of(cls, start: Start, events: Iterable[Event]) -> Self:
        """Returns the match of these events."""
        match = cls(start)
        for event in events:
            match.add(event)
        return match

    @property
    def position(self) -> Position:
        """Present position of the match."""
        return self._before(len(self._positions))

    @property
    def state(self) -> AnyState | None:
        """State of the present board; None before anything is known of it."""
        return self.position.state

    @property
    def alerts(self) -> list[Alert]:
        """Alerts of vision since the referee was last started; times of earlier ones are of another clock."""
        started = max((i for i, e in enumerate(self.events) if isinstance(e, Resumed)), default=-1)
        return [e for e in self.events[started + 1 :] if isinstance(e, Alert)]

    def add(self, event: Event) -> tuple[Ruling, ...]:
        """Adds the next event; returns the rulings that it makes or changes, in the order of their strokes.

        Raises MatchError for a correction that makes no sense, and changes nothing then.
        """
        if isinstance(event, Correction):
            return self._correct(event)
        self.events.append(event)
        if isinstance(event, Stroke):
            self._stroke_events[event.n] = len(self.events) - 1
            self.history.stroke(len(self.events) - 1, event.n)
        if isinstance(event, Fell) and (n := self._last_stroke()) is not None:
            self._late.setdefault(n, []).append(Pocketed(event.kind, event.pocket, event.t))
            self._positions.append(self.position)
            return self._judge_from(self._stroke_events[n])
        return self._judge_from(len(self.events) - 1)

    def _last_stroke(self) -> int | None:
        """Returns the stroke that pockets what falls now.

        It is the last one, unless the next board's formation already stands.
        """
        last = next((e for e in reversed(self.events) if isinstance(e, Stroke | Formation)), None)
        return last.n if isinstance(last, Stroke) else None

    @property
    def results(self) -> list[WonView]:
        """Matches that were won, in the order played; the last may be the present one."""
        return results_of(self.position, self.start)

    def view(self) -> MatchView:
        """Returns the document that a scoreboard shows."""
        return view_of(self.start, self.position, list(self.rulings.values()), self.history, self.alerts, self.book,
                       self.challenges)  # fmt: skip

    @property
    def challenges(self) -> tuple[Challenge, ...]:
        """Returns every challenge in force, in the order asked."""
        found = []
        for step, upheld in self.history.challenges():
            word, position = step.correction, self._before(step.event + 1)
            if word is None or word.seat is None or step.stroke is None:
                continue
            side = position.seating.side_of(word.seat) if position.seating else None
            game = position.number, position.game
            found.append(Challenge(step.target, step.stroke, word.seat.value, side, game, upheld))
        return tuple(found)

    def _check_challenge(self, word: Correction) -> None:
        """Raises MatchError if a challenge may not be asked, or there is none to answer."""
        if word.action is Action.ANSWER:
            check_answer(self.challenges, word.target)
            return
        seating, game = self.position.seating, (self.position.number, self.position.game)
        side = seating.side_of(word.seat) if seating and word.seat else None
        check_challenge(self.challenges, self.book.match.challenges, side, game)

    def _correct(self, word: Correction) -> tuple[Ruling, ...]:
        seating_from(word.seats, self.book)
        if word.state and (why := wrong_game(word.state, self.book)):
            raise MatchError(why)
        if word.action is Action.OPERATE:
            self._check(word)
        if word.action in (Action.CHALLENGE, Action.ANSWER):
            self._check_challenge(word)
        step = self.history.correction(len(self.events), word)
        self.events.append(word)
        self._stroke_words = self.history.words()
        self._annulled = self.history.annulled()
        self._declared = {}
        for declaration in self.history.declarations():
            self._declared.setdefault(self._anchor(declaration), []).append(declaration)
        self._positions.append(self.position)
        return self._judge_from(self._anchor(step))

    def _check(self, word: Correction) -> None:
        """Raises MatchError if an operator event is impossible where it is to hold."""
        if word.event is None:
            raise MatchError(Refusal(Refused.NO_EVENT))
        if word.stroke and word.stroke not in self._stroke_events:
            raise MatchError(Refusal(Refused.NO_STROKE, stroke=word.stroke))
        at = len(self._positions) if word.stroke is None else self._stroke_events.get(word.stroke, -1) + 1
        why = objection(self._before(at), word.event, self.book)
        if why:
            raise MatchError(why)

    def _anchor(self, step: HistoryStep) -> int:
        """Returns the event from which on a step makes a difference; -1 for the start."""
        if step.stroke is None:
            return step.event
        return -1 if step.stroke == 0 else self._stroke_events[step.stroke]

    def _judge_from(self, index: int) -> tuple[Ruling, ...]:
        """Judges every event from `index` on; returns the rulings that changed."""
        changed = []
        del self._positions[max(index, 0) :]
        for i in range(max(index, 0), len(self.events)):
            position, ruling = self._after(self._before(i), i)
            self._positions.append(position)
            if ruling and self.rulings.get(ruling.stroke) != ruling:
                self.rulings[ruling.stroke] = ruling
                changed.append(ruling)
        return tuple(changed)

    def _before(self, index: int) -> Position:
        if index > 0:
            return self._positions[index - 1]
        return self._announced(self._first, -1)

    def _after(self, position: Position, index: int) -> tuple[Position, Ruling | None]:
        event, ruling = self.events[index], None
        match event:
            case Table():
                position = replace(position, census=position.census.with_table(event))
            case Returned():
                position = replace(position, census=position.census.with_returned(event))
            case Formation():
                # The formation is a settled board too.
                census = position.census.with_table(Table(event.t, event.pieces))
                position = replace(position, census=census)
                position = formation_stands(position, event.breaker, self.book)
            case Stroke() if index in self._annulled:
                ruling = annul(position, event, self.book)
            case Stroke():
                stroke = replace(event, pocketed=(*event.pocketed, *self._late.get(event.n, ())))
                position, ruling = judge_stroke(position, stroke, self._stroke_words.get(event.n), self.book)
            case Resumed():
                position = replace(position, census=EMPTY, census_since=NEVER_S)
            case Alert() | Correction() | Fell():
                pass
        return self._announced(position, index), ruling

    def _announced(self, position: Position, index: int) -> Position:
        for step in self._declared.get(index, ()):
            word = step.correction
            if word and word.event:
                position, outcome = apply_event(position, word.event, self.book)
                if outcome:
                    self.outcomes[step.event] = outcome
            elif word:
                position = declared(position, word, self.book)
        return position
