"""The card at the end of a set-up: a verdict on every point, and whether the whole suffices for refereeing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from calibration.meters.meter import Gauge, MeterVerdict, Reading, graded
from calibration.profile import Profile
from referee.setup.piece_colours import coins_apart, coins_verdict, striker_verdict
from referee.setup.steps import Progress, Step

FAIR_RMS_MM, BAD_RMS_MM = 0.45, 0.8
"""Residuals of the marks (RMS, mm) from which the board is fair and bad. Of 34 automatic calibrations most stay below
the first; beyond the second none is accepted.
"""
FAIR_SCALE, BAD_SCALE = 1.1, 3.0
"""Millimetres per pixel from which the scale is fair and bad. With much more than one, placements near a limit stay
open. At 2.6 the simulator's strokes are still counted correctly; beyond the second a coin is ten pixels wide.
"""


class CardPoint(StrEnum):
    """Points of the card besides the meters."""

    BOARD = "board"
    MODEL = "model"
    SCALE = "scale"
    COLOURS = "colours"
    STRIKER = "striker"
    MATCH = "match"


class Result(StrEnum):
    """Result of the set-up."""

    PASS = "pass"
    DOUBTS = "doubts"
    """Good enough to play, but more calls than necessary will be questions."""
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class CardLine:
    """One point of the card."""

    point: CardPoint | Gauge
    verdict: MeterVerdict
    value: float | None = None
    """Measured value: mm for board, scale and striker (diameter), standard deviations for colours, else the meter's
    own.
    """


@dataclass(frozen=True, slots=True)
class Card:
    """The final card."""

    lines: tuple[CardLine, ...]

    @property
    def result(self) -> Result:
        """FAIL with a bad point, PASS if all are good, else DOUBTS. An unknown point counts as fair."""
        verdicts = {line.verdict for line in self.lines}
        if MeterVerdict.BAD in verdicts:
            return Result.FAIL
        return Result.PASS if verdicts == {MeterVerdict.GOOD} else Result.DOUBTS


def mm_per_px(profile: Profile) -> float:
    """Returns the picture's scale in the middle of the board, mm per pixel."""
    return 1.0 / float(profile.camera.px_per_mm()[0])


def is_small(scale: float) -> bool:
    """Tells whether a picture of this scale (mm per pixel) is too small to be exact."""
    return scale >= FAIR_SCALE


def card(readings: Iterable[Reading], profile: Profile | None, progress: Progress) -> Card:
    """Returns the card of a set-up."""
    lines = [CardLine(r.gauge, r.verdict, r.value) for r in readings]
    return Card((*lines, *_board(profile), *_colours(profile, progress.done), _match(progress)))


def _board(profile: Profile | None) -> Sequence[CardLine]:
    if profile is None:
        return (CardLine(CardPoint.BOARD, MeterVerdict.BAD),)
    rms, scale = profile.residuals.rms_mm, mm_per_px(profile)
    sure = MeterVerdict.GOOD if profile.residuals.model_sure else MeterVerdict.FAIR
    return (
        CardLine(CardPoint.BOARD, graded(rms, FAIR_RMS_MM, BAD_RMS_MM), round(rms, 2)),
        CardLine(CardPoint.MODEL, sure),
        CardLine(CardPoint.SCALE, graded(scale, FAIR_SCALE, BAD_SCALE), round(scale, 2)),
    )


def _colours(profile: Profile | None, done: Sequence[Step]) -> Sequence[CardLine]:
    """Returns verdicts on the colours. Those not learned are unknown rather than bad: they are learned during
    the game.
    """
    coins = striker = MeterVerdict.UNKNOWN
    apart = size = None
    if profile is not None and Step.COLOURS in done:
        coins, apart = coins_verdict(profile), coins_apart(profile)
    if profile is not None and Step.STRIKER in done:
        striker, size = striker_verdict(profile), round(2 * profile.board.striker_radius, 1)
    return (CardLine(CardPoint.COLOURS, coins, None if apart is None else round(apart, 1)),
            CardLine(CardPoint.STRIKER, striker, size))  # fmt: skip


def _match(progress: Progress) -> CardLine:
    return CardLine(CardPoint.MATCH, MeterVerdict.GOOD if Step.MATCH in progress.done else MeterVerdict.UNKNOWN)
