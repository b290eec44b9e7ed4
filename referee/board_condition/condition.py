"""Stores a board's measured traits, each with its standard deviation, and compares them with the last match.

The collection of traits is called the board's passport. It is kept as a JSON file beside the match logs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from referee.atomic_files import written


class Trait(StrEnum):
    """Measured trait of a board at its location; the value is the name in files and logs, mostly with the unit."""

    FRICTION = "friction_mm_s2"
    """Deceleration of a sliding piece; powder lowers it."""
    RESTITUTION = "cushion_restitution"
    """Coefficient of restitution: share of the speed towards a cushion that is left after the bounce."""
    STRIKE = "strike_mm_s"
    """Speed of the hardest stroke measured."""
    RUNS = "runs"
    """Number of board lengths that the striker of that stroke would run straight to and fro."""
    POCKET = "pocket_mm"
    """Mean diameter of the pockets."""
    LIGHT = "light_percent"
    """Brightness of the board, in percent of white."""
    FLICKER = "flicker_percent"
    """Amplitude of the light's flicker to either side."""
    COLOURS = "colours_sigma"
    """Colour distance of the two most similar kinds, in standard deviations of their coins."""
    SCALE = "px_per_mm"
    """Pixels per millimetre at the board's centre."""
    HEIGHT = "camera_mm"
    """Height of the camera above the playing surface."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A measured value with its standard deviation."""

    value: float
    sigma: float
    n: int
    """Number of measurements."""


Passport = Mapping[Trait, Quantity]
"""All traits measured so far."""


class Matter(StrEnum):
    """Possible cause of a changed trait."""

    POWDER = "powder"
    LIGHT = "light"
    CAMERA = "camera"


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Greatest change of a trait from one match to the next; the larger of the two limits counts."""

    matter: Matter
    share: float = 0.0
    """Limit as a share of the former value."""
    least: float = 0.0
    """Limit in the trait's own unit."""


PASSPORT_NAME = "passport.json"
"""Name of the file, in the folder of the match logs, with the passport of the board last played on there."""
CONDITION_SURE = 3.0
"""Number of standard deviations that a change must also exceed."""
TOLERANCES = {
    # A player notices a board that is a seventh slower; from one evening to the next humidity alone makes a tenth.
    Trait.FRICTION: Tolerance(Matter.POWDER, share=0.15),
    Trait.RESTITUTION: Tolerance(Matter.POWDER, least=0.08),
    # A third of an aperture stop, and a lamp that begins to flicker visibly.
    Trait.LIGHT: Tolerance(Matter.LIGHT, share=0.25),
    Trait.FLICKER: Tolerance(Matter.LIGHT, least=2.0),
    # A camera hung again by hand: some centimetres at a metre.
    Trait.SCALE: Tolerance(Matter.CAMERA, share=0.05),
    Trait.HEIGHT: Tolerance(Matter.CAMERA, share=0.05),
}


@dataclass(frozen=True, slots=True)
class Change:
    """A trait that has changed since the last match."""

    trait: Trait
    before: Quantity
    now: Quantity

    @property
    def matter(self) -> Matter:
        return TOLERANCES[self.trait].matter

    @property
    def text(self) -> str:
        """English sentence with both figures."""
        both = f"{_figure(self.now)} instead of {_figure(self.before)} {UNITS[self.trait]}"
        return f"{CONDITION_SENTENCES[self.trait]} ({both})"


CONDITION_SENTENCES = {
    Trait.FRICTION: "the pieces slide differently than at the last match: look at the powder",
    Trait.RESTITUTION: "the cushions give back another share of the speed than at the last match",
    Trait.LIGHT: "the board is lit differently than at the last match: look at lamps and exposure",
    Trait.FLICKER: "the light flickers otherwise than at the last match: look at the lamps",
    Trait.SCALE: "the camera shows the board at another size than at the last match",
    Trait.HEIGHT: "the camera hangs at another height than at the last match",
}
UNITS = {Trait.FRICTION: "mm/s^2", Trait.RESTITUTION: "of the speed", Trait.STRIKE: "mm/s", Trait.RUNS: "lengths",
         Trait.POCKET: "mm", Trait.LIGHT: "% of white", Trait.FLICKER: "%", Trait.COLOURS: "sigma",
         Trait.SCALE: "px/mm", Trait.HEIGHT: "mm"}  # fmt: skip


def _figure(q: Quantity) -> str:
    """Returns the value and its standard deviation, rounded to the last significant place."""
    places = max(0, -math.floor(math.log10(q.sigma))) if q.sigma > 0 else 2
    return f"{q.value:.{places}f} ± {q.sigma:.{places}f}"


def lines(passport: Passport) -> Iterator[str]:
    """Yields each figure as a line of text, with its unit and number of measurements."""
    for trait, q in passport.items():
        yield f"{trait.name.lower()} {_figure(q)} {UNITS[trait]} ({q.n})"


def changes(before: Passport, now: Passport) -> Iterator[Change]:
    """Yields the traits whose change exceeds both its tolerance and `CONDITION_SURE` standard deviations."""
    for trait, tolerance in TOLERANCES.items():
        if trait not in before or trait not in now:
            continue
        was, is_now = before[trait], now[trait]
        off = abs(is_now.value - was.value)
        if off > max(
            tolerance.share * abs(was.value), tolerance.least, CONDITION_SURE * math.hypot(was.sigma, is_now.sigma)
        ):
            yield Change(trait, was, is_now)


def as_dict(passport: Passport) -> dict[str, Any]:
    """Returns the passport as a dictionary for logs, pages and files."""
    return {trait.value: asdict(q) for trait, q in passport.items()}


def of_dict(d: Mapping[str, Any]) -> Passport:
    """Returns the passport of a dictionary made by `as_dict`, without unknown traits; raises ValueError if it is
    malformed.
    """
    known = {trait.value: trait for trait in Trait}
    try:
        return {known[name]: Quantity(float(q["value"]), float(q["sigma"]), int(q["n"]))
                for name, q in d.items() if name in known}  # fmt: skip
    except (KeyError, TypeError, AttributeError) as e:
        raise ValueError(f"not a passport: {e!r}") from None


def save(path: Path, passport: Passport) -> None:
    """Writes the passport to a file atomically; raises OSError."""
    with written(path) as part:
        part.write_text(json.dumps(as_dict(passport), indent=1), encoding="ascii")


def load(path: Path) -> Passport:
    """Returns the passport stored at `path`; an empty one if the file is missing or damaged, so that it is measured
    again.
    """
    try:
        return of_dict(json.loads(path.read_text(encoding="ascii")))
    except (OSError, ValueError):
        return {}
