"""Judges the first picture of a match as `calibrate` would, and words what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from calibration.geometry.picture import Picture
from calibration.meters.meter import Gauge, MeterVerdict, Reading
from calibration.profile import Profile
from referee.setup.meters import readings
from referee.setup.steps import Progress
from referee.setup.verdict import CardLine, CardPoint, Result, card

POOR = "The picture is not good enough to referee by ({why}); calls are made all the same, look twice at them."
REASONS = {
    CardPoint.BOARD: "the board's marks fit badly, {value:.2f} mm off: straighten the camera, or measure its lens",
    CardPoint.SCALE: "{value:.1f} mm a pixel: hang the camera lower, or set a larger picture",
}
"""Reasons for the bad lines of the card that do not come from a meter."""


def picture_faults(picture: Picture, profile: Profile, exposure_s: float | None = None) -> str | None:
    """Returns the sentence on why `calibrate` would not pass this picture; None if it would."""
    meters = readings(picture, (), profile, exposure_s=exposure_s)
    verdict = card(meters, profile, Progress())
    return POOR.format(why="; ".join(_reasons(verdict.lines, meters))) if verdict.result is Result.FAIL else None


def _reasons(lines: Sequence[CardLine], meters: list[Reading]) -> Iterator[str]:
    texts = {reading.gauge: reading.text for reading in meters}
    for line in lines:
        if line.verdict is MeterVerdict.BAD:
            yield texts[line.point] if isinstance(line.point, Gauge) else REASONS[line.point].format(value=line.value)
