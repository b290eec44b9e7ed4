"""The vision process at work: processes each frame once, in order, and judges and logs at once what it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from calibration.geometry.picture import Picture
from referee.board_condition.condition import Passport
from referee.facts import Alert, AlertKind, Fact, Stroke
from referee.frames.frame import Frame
from referee.log.session import Session
from referee.match import Ruling
from referee.pipeline.profile_line import profile_line
from referee.pipeline.repeated_picture import RepeatedPicture
from referee.seeing import Seeing

MANY_LOST = 12
"""Number of frames lost in a row that raises an alert: a fifth to two fifths of a second, enough to miss a strike."""

FROZEN_TEXT = "The camera repeats one picture, so nothing is seen: check its cable, or start it again."
MOVES_TEXT = "The camera gives new pictures again; what happened meanwhile was not seen: check the last stroke."
LASTING_ALERTS = frozenset({AlertKind.PICTURE_FROZEN, AlertKind.PICTURE_RESTLESS})
"""Alerts of conditions that last until the alert PICTURE_SOUND."""

Players = Callable[[Ruling], None]
"""Function that receives the ruling on each stroke just played; simulated players obey it."""


def ignore_ruling(ruling: Ruling) -> None:
    """Does nothing with the ruling: real players read the scoreboard."""


class FrameReferee:
    """Referees frames: call `process` for each in order; facts and rulings go to the session's log."""

    def __init__(self, seeing: Seeing, session: Session, players: Players = ignore_ruling, t: float = 0.0) -> None:
        """`t`: time (s) of the first frame that is refereed."""
        self.seeing, self.session = seeing, session
        self.t = t
        """Time (s) of the last frame."""
        self.picture: Picture | None = None
        """Picture of the last frame, valid until the next frame is read."""
        self.dropped = 0
        """Number of frames lost so far."""
        self.recording = "off"
        """What is being recorded now: "off", "pictures" or "video"."""
        self.passport: Passport = {}
        """Measured condition of the board: friction, light and the like."""
        self.unrecorded = 0
        """Number of frames missing from the recording because the encoder could not keep up."""
        self.troubles: frozenset[AlertKind] = frozenset()
        """Conditions that now prevent or delay the detection of strokes."""
        self._players, self._repeated = players, RepeatedPicture()
        self._profile = seeing.profile

    def process(self, frame: Frame, blind: bool = False) -> None:
        """Processes one frame. `blind`: frames lost before it raise no alert. Raises LogError when the log fails."""
        self.t, self.picture = frame.t, frame.picture
        self.dropped += frame.dropped
        if frame.dropped >= MANY_LOST and not blind:
            self.alert(AlertKind.FRAMES_DROPPED, lost_text(frame))
        if self._repeated.update(frame.picture, frame.t):
            frozen = self._repeated.frozen
            self.alert(*((AlertKind.PICTURE_FROZEN, FROZEN_TEXT) if frozen else (AlertKind.PICTURE_SOUND, MOVES_TEXT)))
        self._judge(self.seeing.process(frame))
        self._log_profile()

    def conclude(self) -> bool:
        """Judges the call that still waits at the end of the source; returns whether there was one."""
        return self._judge(self.seeing.conclude())

    def _log_profile(self) -> None:
        """Logs what the last frame added to the profile. It counts from the next stroke on; calls made stand."""
        before, self._profile = self._profile, self.seeing.watch.profile
        if before is not self._profile and (line := profile_line(before, self._profile, self.t)) is not None:
            self.session.write(line)

    def _judge(self, facts: Iterable[Fact]) -> bool:
        """Logs facts and their rulings; returns whether there were any."""
        any_fact = False
        for fact in facts:
            any_fact = True
            self._note(fact)
            rulings = self.session.add(fact)
            if isinstance(fact, Stroke) and rulings:
                self._players(rulings[-1])
        return any_fact

    def alert(self, kind: AlertKind, text: str) -> None:
        """Raises an alert for people, in the log and on the scoreboard."""
        alert = Alert(self.t, kind, text)
        self._note(alert)
        self.session.add(alert)

    def _note(self, fact: Fact) -> None:
        if isinstance(fact, Alert) and fact.kind is AlertKind.PICTURE_SOUND:
            self.troubles = frozenset()
        elif isinstance(fact, Alert) and fact.kind in LASTING_ALERTS:
            self.troubles |= {fact.kind}


def lost_text(frame: Frame) -> str:
    """Returns the alert's text on the frames lost before `frame`."""
    return (
        f"{frame.dropped} frames in a row were lost before {frame.t:.2f} s, and what happened meanwhile was not seen: "
        f"check the last stroke, and whether the computer or the camera's cable is overloaded"
    )
