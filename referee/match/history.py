"""What the umpire's actions come to: which strokes and corrections hold after every undo and redo."""

from __future__ import annotations

from dataclasses import dataclass, replace

from models.pieces import Seat
from models.rulebook import FoulName
from referee.laws import StrokeTokens
from referee.match.events import ABOUT_A_STROKE, FROM_A_STROKE_ON, Action, Correction
from referee.match.refusals import MatchError, Refusal, Refused


@dataclass(frozen=True, slots=True)
class HistoryStep:
    """Something that undo can take back: a stroke, a correction of one, or a declaration."""

    event: int
    """Index of the event."""
    stroke: int | None
    """The stroke that it is, or is about."""
    correction: Correction | None
    """None for the stroke itself."""

    @property
    def target(self) -> str:
        """What taking it back names: `stroke N`, or the correction's id; the event where it has none."""
        if self.correction is None:
            return f"stroke {self.stroke}"
        return self.correction.id or f"event {self.event}"


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
    """Steps in the order they came, each in force or undone. Nothing is ever removed.

    A step is named by its target: `stroke N`, or the id of the correction. What took a step back or brought it back has
    an id too: taking that back puts the step as it was.
    """

    def __init__(self) -> None:
        self.steps: list[HistoryStep] = []
        self._undone: dict[int, int] = {}
        """Index of each undone step, with a number that grows with each undo."""
        self._undos = 0
        self._by_target: dict[str, int] = {}
        self._switches: dict[str, tuple[int, bool]] = {}
        """By id of a taking back or bringing back: the step, and whether it took it back."""

    def stroke(self, event: int, n: int) -> None:
        """A stroke was played."""
        self._add(HistoryStep(event, n, None))

    def correction(self, event: int, c: Correction) -> HistoryStep:
        """The umpire acts; gives the step that changed. Raises MatchError when there is nothing to act on."""
        if c.action in (Action.UNDO, Action.REDO):
            return self._switch(c)
        if (c.action in ABOUT_A_STROKE or c.stroke) and not self.knows(c.stroke):
            raise MatchError(Refusal(Refused.NO_STROKE, stroke=c.stroke))
        if c.action is Action.REFUSE and c.foul is None:
            raise MatchError(Refusal(Refused.NO_FOUL))
        return self._add(HistoryStep(event, c.stroke, c))

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

    def declarations(self) -> list[HistoryStep]:
        """The declarations and operator's events in force."""
        return [s for s in self._in_force() if s.correction and s.correction.action in FROM_A_STROKE_ON]

    def next_undo(self) -> HistoryStep | None:
        """What undo would take back: the newest step in force."""
        i = self._newest()
        return None if i is None else self.steps[i]

    def next_redo(self) -> HistoryStep | None:
        """What redo would bring back: what was taken back last, whatever was played since."""
        i = self._last_undone(None)
        return None if i is None else self.steps[i]

    def in_force(self, target: str) -> bool | None:
        """Whether what `target` names holds; a taking back holds until its step is brought back. None: no such step."""
        if target in self._switches:
            step, undid = self._switches[target]
            return (step in self._undone) is undid
        return self._by_target[target] not in self._undone if target in self._by_target else None

    def _in_force(self) -> list[HistoryStep]:
        return [s for i, s in enumerate(self.steps) if i not in self._undone]

    def _newest(self) -> int | None:
        return next((i for i in reversed(range(len(self.steps))) if i not in self._undone), None)

    def _add(self, step: HistoryStep) -> HistoryStep:
        self.steps.append(step)
        self._by_target[step.target] = len(self.steps) - 1
        return step

    def _switch(self, c: Correction) -> HistoryStep:
        """Takes a step back, or brings it back; a target that is a switch itself is turned round."""
        takes_back = c.action is Action.UNDO
        i, undo = self._named(c.target, takes_back) if c.target else (self._about(c.stroke, takes_back), takes_back)
        if c.newest:
            self._refuse_older(i)
        if (i in self._undone) is undo:
            raise MatchError(Refusal(Refused.UNDONE_ALREADY if undo else Refused.IN_FORCE_ALREADY))
        if undo:
            self._undone[i] = self._undos
            self._undos += 1
        else:
            del self._undone[i]
        if c.id:
            self._switches[c.id] = i, undo
        return self.steps[i]

    def _named(self, target: str, takes_back: bool) -> tuple[int, bool]:
        """The step that a target names, and whether it is to be undone."""
        if target in self._switches:
            i, undid = self._switches[target]
            return i, undid is not takes_back
        if target not in self._by_target:
            raise MatchError(Refusal(Refused.NO_TARGET))
        return self._by_target[target], takes_back

    def _about(self, stroke: int | None, takes_back: bool) -> int:
        """The last step that can be taken back or brought back, of all or about a stroke."""
        if not takes_back:
            i = self._last_undone(stroke)
            if i is None:
                raise MatchError(_nothing(Refused.NOTHING_TO_REDO, Refused.NOTHING_TO_REDO_ABOUT, stroke))
            return i
        about = [i for i, s in enumerate(self.steps) if i not in self._undone and stroke in (None, s.stroke)]
        if not about:
            raise MatchError(_nothing(Refused.NOTHING_TO_UNDO, Refused.NOTHING_TO_UNDO_ABOUT, stroke))
        return about[-1]

    def _refuse_older(self, i: int) -> None:
        """Raises MatchError when a step in force is newer than step `i`."""
        newest = self._newest()
        if newest is not None and newest > i:
            step = self.steps[newest]
            stroke = step.stroke if step.correction is None else None
            why = Refusal(Refused.NEWER_WORD) if stroke is None else Refusal(Refused.NEWER_STROKE, stroke=stroke)
            raise MatchError(why)

    def _last_undone(self, stroke: int | None) -> int | None:
        about = [i for i in self._undone if stroke in (None, self.steps[i].stroke)]
        return max(about, key=self._undone.__getitem__, default=None)


def _nothing(at_all: Refused, about: Refused, stroke: int | None) -> Refusal:
    return Refusal(at_all) if stroke is None else Refusal(about, stroke=stroke)
