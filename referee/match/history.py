"""History of strokes and the umpire's actions: which of them are in force after every undo and redo."""

from __future__ import annotations

from dataclasses import dataclass, replace

from models.pieces import Seat
from models.rulebook import FoulName
from referee.laws import StrokeTokens
from referee.match.corrections import ABOUT_A_STROKE, FROM_A_STROKE_ON, Action, Correction
from referee.match.refusals import MatchError, Refusal, Refused


@dataclass(frozen=True, slots=True)
class HistoryStep:
    """Step that can be undone: a stroke, a correction of one, or a declaration."""

    event: int
    """Index of the event."""
    stroke: int | None
    """Number of the stroke that it is, or is about."""
    correction: Correction | None
    """None for the stroke itself."""

    @property
    def target(self) -> str:
        """Name of the step in undo and redo: `stroke N`, or the correction's id; the event if it has none."""
        if self.correction is None:
            return f"stroke {self.stroke}"
        return self.correction.id or f"event {self.event}"


@dataclass(frozen=True, slots=True)
class StrokeCorrections:
    """All the umpire's actions about one stroke, combined."""

    tokens: StrokeTokens | None = None
    """The stroke as it really was; None = as detected by the camera."""
    seat: Seat | None = None
    """Seat that really played it."""
    confirmed: bool = False
    """True if it was as detected by the camera."""
    accepted: frozenset[FoulName] = frozenset()
    """Infringements that the umpire has accepted."""
    refused: frozenset[FoulName] = frozenset()
    """Proposed infringements that the umpire has refused."""

    @property
    def tells_what_fell(self) -> bool:
        return self.confirmed or self.tokens is not None

    def then(self, c: Correction) -> StrokeCorrections:
        """Returns this with one more action; a correction replaces all earlier ones."""
        if c.action is Action.CORRECT:
            return StrokeCorrections(c.tokens, c.seat)
        if c.foul is None:
            return replace(self, confirmed=True)
        fouls = frozenset({c.foul})
        if c.action is Action.ACCEPT:
            return replace(self, accepted=self.accepted | fouls, refused=self.refused - fouls)
        return replace(self, accepted=self.accepted - fouls, refused=self.refused | fouls)


class History:
    """Steps in order, each in force or undone. Nothing is ever removed.

    A step is named by its target: `stroke N`, or the id of the correction. An undo or redo has an id too: undoing that
    restores the step as it was.
    """

    def __init__(self) -> None:
        self.steps: list[HistoryStep] = []
        self._undone: dict[int, int] = {}
        """Index of each undone step, with a number that increases with each undo."""
        self._undos = 0
        self._by_target: dict[str, int] = {}
        self._switches: dict[str, tuple[int, bool]] = {}
        """Undos and redos by id: index of the step, and True if it was undone."""

    def stroke(self, event: int, n: int) -> None:
        """Adds a stroke."""
        self._add(HistoryStep(event, n, None))

    def correction(self, event: int, c: Correction) -> HistoryStep:
        """Applies an action of the umpire; returns the step that changed.

        Raises MatchError if there is nothing to act on.
        """
        if c.action in (Action.UNDO, Action.REDO):
            return self._switch(c)
        if (c.action in ABOUT_A_STROKE or c.action is Action.CHALLENGE or c.stroke) and not self.knows(c.stroke):
            raise MatchError(Refusal(Refused.NO_STROKE, stroke=c.stroke))
        if c.action is Action.REFUSE and c.foul is None:
            raise MatchError(Refusal(Refused.NO_FOUL))
        return self._add(HistoryStep(event, c.stroke, c))

    def knows(self, n: int | None) -> bool:
        """Tells whether there is a stroke of this number."""
        return any(s.stroke == n and s.correction is None for s in self.steps)

    def annulled(self) -> set[int]:
        """Returns the events of strokes that are undone."""
        return {self.steps[i].event for i in self._undone if self.steps[i].correction is None}

    def words(self) -> dict[int, StrokeCorrections]:
        """Returns the umpire's actions in force, combined by stroke."""
        said: dict[int, StrokeCorrections] = {}
        for step in self._in_force():
            if step.correction and step.correction.action in ABOUT_A_STROKE and step.stroke is not None:
                said[step.stroke] = said.get(step.stroke, StrokeCorrections()).then(step.correction)
        return said

    def declarations(self) -> list[HistoryStep]:
        """Returns the declarations and operator events in force."""
        return [s for s in self._in_force() if s.correction and s.correction.action in FROM_A_STROKE_ON]

    def challenges(self) -> list[tuple[HistoryStep, bool | None]]:
        """Returns the challenges in force, each with its answer: right, wrong, or None while it waits."""
        answers = {s.correction.target: s.correction.upheld for s in self._in_force()
                   if s.correction and s.correction.action is Action.ANSWER}  # fmt: skip
        asked = [s for s in self._in_force() if s.correction and s.correction.action is Action.CHALLENGE]
        return [(s, answers.get(s.target)) for s in asked]

    def next_undo(self) -> HistoryStep | None:
        """Returns the step that undo would take back: the newest in force."""
        i = self._newest()
        return None if i is None else self.steps[i]

    def next_redo(self) -> HistoryStep | None:
        """Returns the step that redo would bring back: the last one undone, whatever was played since."""
        i = self._last_undone(None)
        return None if i is None else self.steps[i]

    def in_force(self, target: str) -> bool | None:
        """Tells whether what `target` names is in force; an undo is until its step is redone. None: no such step."""
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
        """Undoes or redoes a step; if the target is itself an undo or redo, reverses that."""
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
        """Returns the step that a target names, and whether it is to be undone."""
        if target in self._switches:
            i, undid = self._switches[target]
            return i, undid is not takes_back
        if target not in self._by_target:
            raise MatchError(Refusal(Refused.NO_TARGET))
        return self._by_target[target], takes_back

    def _about(self, stroke: int | None, takes_back: bool) -> int:
        """Returns the last step that can be undone or redone, of all or about a stroke.

        Raises MatchError if there is none.
        """
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
        """Raises MatchError if a step in force is newer than step `i`."""
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
