"""The eyes at work: each frame seen once, in order; what it shows is judged and logged at once."""

from __future__ import annotations

from collections.abc import Callable

from calibration.geometry.picture import Picture
from referee.board_condition.condition import Passport
from referee.facts import Alert, AlertKind, Seen, Stroke
from referee.frames.frame import Frame
from referee.log.session import Session
from referee.match import Ruling
from referee.pipeline.repeated_picture import RepeatedPicture
from referee.seeing import Seeing

MANY_LOST = 12
"""Frames lost in a row that people are told of: a fifth to two fifths of a second, enough to miss a strike."""

FROZEN_TEXT = "The camera repeats one picture, so nothing is seen: check its cable, or start it again."
MOVES_TEXT = "The camera gives new pictures again; what happened meanwhile was not seen: check the last stroke."
LASTING = frozenset({AlertKind.PICTURE_FROZEN, AlertKind.PICTURE_RESTLESS})
"""Alerts of what goes on until the picture is said to be sound."""

Players = Callable[[Ruling], None]
"""Hears the ruling on each stroke just played; simulated players obey it."""


def nobody(ruling: Ruling) -> None:
    """Real players read the scoreboard."""


class Eyes:
    """Call `see` for each frame in order; what it makes of it goes to the session's log."""

    def __init__(self, seeing: Seeing, session: Session, players: Players = nobody, t: float = 0.0) -> None:
        """The first frame that is refereed is that of time `t`."""
        self.seeing, self.session = seeing, session
        self.t = t
        """Time (s) of the last frame."""
        self.picture: Picture | None = None
        """The last frame's picture, good until the next frame is taken."""
        self.dropped = 0
        """Frames lost so far."""
        self.recording = "off"
        """Which pictures are kept just now: "off", "pictures" or "video"."""
        self.passport: Passport = {}
        """What is known of the board's friction, light and the like."""
        self.unrecorded = 0
        """Frames missing from the recording because the encoder could not keep up."""
        self.troubles: frozenset[AlertKind] = frozenset()
        """What keeps strokes from being told just now, or makes them late."""
        self._players, self._repeated = players, RepeatedPicture()

    def see(self, frame: Frame, blind: bool = False) -> None:
        """Takes in one frame; `blind` says that the loss before it is no news. Raises LogError when the log fails."""
        self.t, self.picture = frame.t, frame.picture
        self.dropped += frame.dropped
        if frame.dropped >= MANY_LOST and not blind:
            self.alert(AlertKind.FRAMES_DROPPED, lost_text(frame))
        if self._repeated.see(frame.picture, frame.t):
            frozen = self._repeated.frozen
            self.alert(*((AlertKind.PICTURE_FROZEN, FROZEN_TEXT) if frozen else (AlertKind.PICTURE_SOUND, MOVES_TEXT)))
        for fact in self.seeing.see(frame):
            self._note(fact)
            rulings = self.session.add(fact)
            if isinstance(fact, Stroke) and rulings:
                self._players(rulings[-1])

    def alert(self, kind: AlertKind, text: str) -> None:
        """Says something to people, in the log and on the scoreboard."""
        alert = Alert(self.t, kind, text)
        self._note(alert)
        self.session.add(alert)

    def _note(self, fact: Seen) -> None:
        if isinstance(fact, Alert) and fact.kind is AlertKind.PICTURE_SOUND:
            self.troubles = frozenset()
        elif isinstance(fact, Alert) and fact.kind in LASTING:
            self.troubles |= {fact.kind}


def lost_text(frame: Frame) -> str:
    """What a gap before `frame` means for those at the table."""
    return (
        f"{frame.dropped} frames in a row were lost before {frame.t:.2f} s, and what happened meanwhile was not seen: "
        f"check the last stroke, and whether the computer or the camera's cable is overloaded"
    )
