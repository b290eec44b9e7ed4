"""What the umpire's actions come to: which strokes and corrections hold after every undo and redo."""

from __future__ import annotations

from dataclasses import dataclass, replace

from models.pieces import Seat
from models.rulebook import FoulName
from referee.laws import StrokeTokens
from referee.match.events import ABOUT_A_STROKE, FROM_A_STROKE_ON, Action, Correction
from referee.match.refusals import MatchError, Refusal, Refused


@dataclass(frozen=True, slots=True)
class Step:
    """Something that undo can take back: a stroke, a correction of one, or a declaration."""

    event: int
    """Index of the event."""
    stroke: int | None
    """The stroke that it is, or is about."""
    correction: Correction | None
    """None for the stroke itself."""


@dataclass(frozen=True, slots=True)
class Word:
    """What the umpire said of one stroke, all his actions about it taken together."""

    tokens: StrokeTokens | None = None
    """What it really was; None = as the camera saw it."""
    seat: Seat | None = None
    """Who really played it."""
    confirmed: bool = False
    """It was as the camera saw it."""
    accepted: frozenset[FoulName] = frozenset()
    """Infringements that count by his word."""
    refused: frozenset[FoulName] = frozenset()
    """Proposed infringements that do not count."""

    @property
    def tells_what_fell(self) -> bool:
        return self.confirmed or self.tokens is not None

    def then(self, c: Correction) -> Word:
        """This and one more action; a correction outranks everything said before."""
        if c.action is Action.CORRECT:
            return Word(c.tokens, c.seat)
        if c.foul is None:
            return replace(self, confirmed=True)
        fouls = frozenset({c.foul})
        if c.action is Action.ACCEPT:
            return replace(self, accepted=self.accepted | fouls, refused=self.refused - fouls)
        return replace(self, accepted=self.accepted - fouls, refused=self.refused | fouls)


class History:
    """Steps in the order they came, each in force or undone. Nothing is ever removed."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._undone: dict[int, int] = {}
        """Index of each undone step, with a number that grows with each undo."""
        self._redoable_from = 0
        self._undos = 0

    def stroke(self, event: int, n: int) -> None:
        """A stroke was played."""
        self._add(Step(event, n, None))

    def correction(self, event: int, c: Correction) -> Step:
        """The umpire acts; gives the step that changed. Raises MatchError when there is nothing to act on."""
        if c.action is Action.UNDO:
            return self._undo(c.stroke)
        if c.action is Action.REDO:
            return self._redo(c.stroke)
        if (c.action in ABOUT_A_STROKE or c.stroke) and not self.knows(c.stroke):
            raise MatchError(Refusal(Refused.NO_STROKE, stroke=c.stroke))
        if c.action is Action.REFUSE and c.foul is None:
            raise MatchError(Refusal(Refused.NO_FOUL))
        return self._add(Step(event, c.stroke, c))

    def knows(self, n: int | None) -> bool:
        """A stroke of this number was seen."""
        return any(s.stroke == n and s.correction is None for s in self.steps)

    def annulled(self) -> set[int]:
        """Events of strokes that were taken back."""
        return {self.steps[i].event for i in self._undone if self.steps[i].correction is None}

    def words(self) -> dict[int, Word]:
        """What holds of each stroke that the umpire spoke about."""
        said: dict[int, Word] = {}
        for step in self._in_force():
            if step.correction and step.correction.action in ABOUT_A_STROKE and step.stroke is not None:
                said[step.stroke] = said.get(step.stroke, Word()).then(step.correction)
        return said

    def declarations(self) -> list[Step]:
        """The declarations and operator's events in force."""
        return [s for s in self._in_force() if s.correction and s.correction.action in FROM_A_STROKE_ON]

    def next_undo(self) -> Step | None:
        """What undo would take back."""
        return next((s for i, s in reversed(list(enumerate(self.steps))) if i not in self._undone), None)

    def next_redo(self) -> Step | None:
        """What redo would bring back: the last undone, unless something new has happened since."""
        i = self._last_undone(None)
        return None if i is None or self._undone[i] < self._redoable_from else self.steps[i]

    def _in_force(self) -> list[Step]:
        return [s for i, s in enumerate(self.steps) if i not in self._undone]

    def _add(self, step: Step) -> Step:
        self.steps.append(step)
        self._redoable_from = self._undos
        return step

    def _undo(self, stroke: int | None) -> Step:
        about = [i for i, s in enumerate(self.steps) if i not in self._undone and stroke in (None, s.stroke)]
        if not about:
            raise MatchError(_nothing(Refused.NOTHING_TO_UNDO, Refused.NOTHING_TO_UNDO_ABOUT, stroke))
        self._undone[about[-1]] = self._undos
        self._undos += 1
        return self.steps[about[-1]]

    def _redo(self, stroke: int | None) -> Step:
        i = self._last_undone(stroke)
        if i is None or (stroke is None and self._undone[i] < self._redoable_from):
            raise MatchError(_nothing(Refused.NOTHING_TO_REDO, Refused.NOTHING_TO_REDO_ABOUT, stroke))
        del self._undone[i]
        return self.steps[i]

    def _last_undone(self, stroke: int | None) -> int | None:
        about = [i for i in self._undone if stroke in (None, self.steps[i].stroke)]
        return max(about, key=self._undone.__getitem__, default=None)


def _nothing(at_all: Refused, about: Refused, stroke: int | None) -> Refusal:
    return Refusal(at_all) if stroke is None else Refusal(about, stroke=stroke)
