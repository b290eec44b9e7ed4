"""Defines the readings of the set-up's meters: a value, a verdict on whether it suffices for refereeing, and advice."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Gauge(StrEnum):
    """Measured quantities."""

    FOCUS = "focus"
    EXPOSURE = "exposure"
    BLUR = "blur"
    FLICKER = "flicker"
    GLARE = "glare"


class MeterVerdict(StrEnum):
    """Ratings of a measured quantity."""

    GOOD = "good"
    FAIR = "fair"
    """Sufficient to play; better light or a better lens would leave fewer doubtful decisions."""
    BAD = "bad"
    UNKNOWN = "unknown"
    """Not measurable yet; the advice says what is missing."""


class Advice(StrEnum):
    """Advice to the user; its text is in `ADVICE`, with placeholders filled from the reading's `blanks`."""

    FOCUS_SHARP = "focus_sharp"
    FOCUS_TURN = "focus_turn"
    FOCUS_SIDE = "focus_side"
    FOCUS_SEEK = "focus_seek"
    EXPOSURE_RIGHT = "exposure_right"
    EXPOSURE_LESS = "exposure_less"
    EXPOSURE_MORE = "exposure_more"
    BLUR_SHORT = "blur_short"
    BLUR_SHORTEN = "blur_shorten"
    BLUR_UNTOLD = "blur_untold"
    FLICKER_NONE = "flicker_none"
    FLICKER_LAMP = "flicker_lamp"
    FLICKER_UNSTEADY = "flicker_unsteady"
    FLICKER_WAIT = "flicker_wait"
    GLARE_NONE = "glare_none"
    GLARE_LAMP = "glare_lamp"
    GLARE_NO_BOARD = "glare_no_board"


ADVICE = {
    Advice.FOCUS_SHARP: "the marks are sharp",
    Advice.FOCUS_TURN: "turn the lens's focus ring until the figure is lowest, and fix it there",
    Advice.FOCUS_SIDE: "only {side} is blurred: hang the camera straight over the middle, or stop the lens down",
    Advice.FOCUS_SEEK: "turn the lens's focus ring to and fro: the picture is sharpest at {best} %",
    Advice.EXPOSURE_RIGHT: "the board is well lit",
    Advice.EXPOSURE_LESS: "the picture is too bright: expose shorter, or dim the lamps",
    Advice.EXPOSURE_MORE: "the picture is too dark: add light, or raise the gain",
    Advice.BLUR_SHORT: "a fast coin stays a disc",
    Advice.BLUR_SHORTEN: "expose at most {ms} ms, with more light instead",
    Advice.BLUR_UNTOLD: "the source does not tell its exposure: set it to 2 ms or less",
    Advice.FLICKER_NONE: "the light is steady",
    Advice.FLICKER_LAMP: "the lamps flicker with the {hz} Hz mains: use lamps that do not, or expose for 1/{twice} s",
    Advice.FLICKER_UNSTEADY: "the light is not steady: switch automatic exposure off, and shut out changing light",
    Advice.FLICKER_WAIT: "two seconds of pictures are needed",
    Advice.GLARE_NONE: "no lamp is mirrored",
    Advice.GLARE_LAMP: "a lamp is mirrored towards {side}: move it aside, or shade it",
    Advice.GLARE_NO_BOARD: "the board must be found first",
}  # fmt: skip
"""English texts, for terminals; the web pages have their own texts."""

Number = float | int | str


@dataclass(frozen=True, slots=True)
class Reading:
    """Reading of one meter."""

    gauge: Gauge
    verdict: MeterVerdict
    value: float | None
    """Measured value in the gauge's own unit (see the measuring function); None when it is not measurable."""
    advice: Advice
    blanks: tuple[tuple[str, Number], ...] = ()
    """Names and values of the advice's placeholders."""

    @property
    def text(self) -> str:
        """Advice in English."""
        return ADVICE[self.advice].format(**dict(self.blanks))


def graded(value: float, fair: float, bad: float) -> MeterVerdict:
    """Returns good below `fair`, fair below `bad`, and bad from `bad` on."""
    return MeterVerdict.GOOD if value < fair else MeterVerdict.FAIR if value < bad else MeterVerdict.BAD
