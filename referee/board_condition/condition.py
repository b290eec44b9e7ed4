"""The passport: how fast this board is, how well it is lit and told apart; each figure with how sure it is."""

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
    """What is typical of a board where it stands; the unit stands behind."""

    FRICTION = "friction_mm_s2"
    """Deceleration of a sliding piece: less with more powder."""
    RESTITUTION = "cushion_restitution"
    """Share of the speed towards a cushion that is left after it."""
    STRIKE = "strike_mm_s"
    """Speed of the hardest stroke seen."""
    RUNS = "runs"
    """How many lengths of the board the striker of that stroke would run, straight to and fro."""
    POCKET = "pocket_mm"
    """Diameter of the pockets, at the mean."""
    LIGHT = "light_percent"
    """Light of the board, of white."""
    FLICKER = "flicker_percent"
    """By how much the light swings to either side."""
    COLOURS = "colours_sigma"
    """How far apart the looks of the two most alike kinds are, in standard deviations of their coins."""
    SCALE = "px_per_mm"
    """Pixels a millimetre in the middle."""
    HEIGHT = "camera_mm"
    """Height of the camera above the surface."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A measured figure."""

    value: float
    sigma: float
    n: int
    """Number of measurements."""


Passport = Mapping[Trait, Quantity]
"""What has been measured by now."""


class Matter(StrEnum):
    """What has changed when traits do."""

    POWDER = "powder"
    LIGHT = "light"
    CAMERA = "camera"


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How much a trait may differ from one match to the next."""

    matter: Matter
    share: float = 0.0
    """Of the value before."""
    least: float = 0.0
    """In the trait's own unit."""


PASSPORT_NAME = "passport.json"
"""In the folder of the match logs: of the board that was last played on there."""
CONDITION_SURE = 3.0
"""A change must exceed so many standard deviations too."""
TOLERANCES = {
    # A player notices a board that is a seventh slower; from one evening to the next humidity alone makes a tenth.
    Trait.FRICTION: Tolerance(Matter.POWDER, share=0.15),
    Trait.RESTITUTION: Tolerance(Matter.POWDER, least=0.08),
    # A third of an aperture stop, and a lamp that begins to flicker visibly.
    Trait.LIGHT: Tolerance(Matter.LIGHT, share=0.25),
    Trait.FLICKER: Tolerance(Matter.LIGHT, least=2.0),
    # Hung anew by hand: some centimetres at a metre.
    Trait.SCALE: Tolerance(Matter.CAMERA, share=0.05),
    Trait.HEIGHT: Tolerance(Matter.CAMERA, share=0.05),
}


@dataclass(frozen=True, slots=True)
class Change:
    """A trait that is another than at the last match."""

    trait: Trait
    before: Quantity
    now: Quantity

    @property
    def matter(self) -> Matter:
        return TOLERANCES[self.trait].matter

    @property
    def text(self) -> str:
        """In English, with both figures."""
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
    """The value to the last place that means something, and how sure it is."""
    places = max(0, -math.floor(math.log10(q.sigma))) if q.sigma > 0 else 2
    return f"{q.value:.{places}f} ± {q.sigma:.{places}f}"


def lines(passport: Passport) -> Iterator[str]:
    """Each figure for people."""
    for trait, q in passport.items():
        yield f"{trait.name.lower()} {_figure(q)} {UNITS[trait]} ({q.n})"


def changes(before: Passport, now: Passport) -> Iterator[Change]:
    """What differs by more than its tolerance and by more than it is unsure."""
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
    """For the log, for pages and for files."""
    return {trait.value: asdict(q) for trait, q in passport.items()}


def of_dict(d: Mapping[str, Any]) -> Passport:
    """Inverse of `as_dict`; traits that are not known here are left out. Raises ValueError for anything else."""
    known = {trait.value: trait for trait in Trait}
    try:
        return {known[name]: Quantity(float(q["value"]), float(q["sigma"]), int(q["n"]))
                for name, q in d.items() if name in known}  # fmt: skip
    except (KeyError, TypeError, AttributeError) as e:
        raise ValueError(f"not a passport: {e!r}") from None


def save(path: Path, passport: Passport) -> None:
    """Writes the file, whole or not at all; raises OSError."""
    with written(path) as part:
        part.write_text(json.dumps(as_dict(passport), indent=1), encoding="ascii")


def load(path: Path) -> Passport:
    """The passport kept at `path`; an empty one where there is none or it is damaged: then it is measured anew."""
    try:
        return of_dict(json.loads(path.read_text(encoding="ascii")))
    except (OSError, ValueError):
        return {}
