"""Computes a board's traits from data of normal play: tracks of strokes, the profile, pictures of the board at rest."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from calibration.geometry.least_squares import MAD_SIGMA
from calibration.meters.lighting import LightReading, flicker
from calibration.meters.meter import MeterVerdict
from calibration.profile import Profile
from models.board import BoardModel
from models.pieces import Kind
from referee.board_condition.bounces import bounces
from referee.board_condition.condition import Passport, Quantity, Trait
from referee.board_condition.glides import MeasuredGlide, measured_glides
from referee.pieces.colour_classes import floor_sigmas
from referee.replay.tracks import TRACKS_LETTERS, Tracks

TRAIT_LONG_S, SURE_SHARE = 0.15, 0.2
"""Least duration in seconds of a glide that measures friction, and greatest relative standard deviation of its
result."""
LEAST_GLIDES, LEAST_BOUNCES, LEAST_STRIKES = 8, 5, 1
"""Least numbers of measurements before a figure is reported."""
LATELY = 60
"""Number of last strokes used for friction and restitution, about two boards: powder wears, and memory must not
grow."""
FRICTION_SHARE, LEFT_SIGMA, SPEED_SHARE = 0.01, 0.01, 0.02
"""Least standard deviations from errors of the camera model, measured on simulated boards.

They apply to friction (relative), restitution (absolute) and striking speed (relative)."""
LIGHT_SIGMA, FLICKER_SIGMA, COLOUR_SHARE = 0.5, 0.3, 0.05
"""Standard deviations of the light (percent of white), of the flicker (percent), and of colour distances learned from
nine coins (relative)."""
SCALE_SHARE, HEIGHT_SHARE = 0.002, 0.01
"""Relative standard deviations of scale and camera height from one calibration to the next."""
TRAIT_AT_ONCE_S = 0.08
"""Time after the strike, in seconds, within which a gliding striker has hit nothing yet: five frames at 60 a second."""


class Survey:
    """Collects the tracks of strokes and computes the traits that they determine."""

    def __init__(self, board: BoardModel) -> None:
        self._board = board
        self._glides: deque[tuple[MeasuredGlide, ...]] = deque(maxlen=LATELY)
        self._decelerations: deque[list[float]] = deque(maxlen=LATELY)
        self._hardest, self._strikes = (0.0, 0.0), 0

    def add(self, tracks: Tracks, t_strike: float) -> None:
        """Adds the tracks of a stroke that began at `t_strike`, in seconds."""
        found = tuple(measured_glides(tracks))
        self._glides.append(found)
        self._decelerations.append([a for glide in found if (a := deceleration(glide)) is not None])
        first = next((glide for glide in found if glide.kind == TRACKS_LETTERS[Kind.STRIKER]), None)
        if first is not None and first.t[0] < t_strike + TRAIT_AT_ONCE_S:
            self._hardest, self._strikes = max(self._hardest, starting_speed(first)), self._strikes + 1

    def passport(self) -> Passport:
        """Returns friction, restitution, the hardest stroke and its runs, each if there are enough measurements."""
        traits: dict[Trait, Quantity] = {}
        slows = [a for stroke in self._decelerations for a in stroke]
        if len(slows) >= LEAST_GLIDES:
            friction = traits[Trait.FRICTION] = typical(slows, FRICTION_SHARE)
            left = [b for glides in self._glides for b in self._left(glides, friction.value)]
            if len(left) >= LEAST_BOUNCES:
                traits[Trait.RESTITUTION] = typical(left, least=LEFT_SIGMA)
        if self._strikes >= LEAST_STRIKES:
            speed, sigma = self._hardest
            traits[Trait.STRIKE] = Quantity(speed, max(sigma, SPEED_SHARE * speed), self._strikes)
        return traits | _runs(traits, self._board)

    def _left(self, found: Sequence[MeasuredGlide], friction: float) -> list[float]:
        """Returns the coefficient of restitution of each bounce."""
        striker = [glide for glide in found if glide.kind == TRACKS_LETTERS[Kind.STRIKER]]
        coins = [glide for glide in found if glide.kind != TRACKS_LETTERS[Kind.STRIKER]]
        sizes = ((striker, self._board.striker_radius), (coins, self._board.coin_radius))
        return [b.left for mine, radius in sizes for b in bounces(mine, friction, self._board.half, radius)]


def deceleration(glide: MeasuredGlide) -> float | None:
    """Returns a glide's deceleration in mm/s²; None if the glide is too short or the result too uncertain."""
    if glide.lasts_s < TRAIT_LONG_S:
        return None
    coefficients, covariance, _ = glide.fit(2)
    slows, sigma = -2 * float(coefficients[2]), 2 * float(np.sqrt(covariance[2, 2]))
    return slows if slows > 0 and sigma < SURE_SHARE * slows else None


def starting_speed(glide: MeasuredGlide) -> tuple[float, float]:
    """Returns the speed in mm/s at a glide's first sighting, and its standard deviation."""
    coefficients, covariance, _ = glide.fit(2)
    since = float(glide.t[0] - glide.t.mean())
    slope = np.array([0.0, 1.0, 2 * since])
    return float(slope @ coefficients), float(np.sqrt(slope @ covariance @ slope))


def typical(values: Sequence[float], share: float = 0.0, least: float = 0.0) -> Quantity:
    """Returns the median of values that include outliers, with its standard deviation.

    The standard deviation is at least `share` of the median and at least `least`."""
    middle = float(np.median(values))
    spread = MAD_SIGMA * float(np.median(np.abs(np.asarray(values) - middle)))
    # The median of n normal values has sqrt(pi / 2) times the standard deviation of their mean.
    sigma = spread * float(np.sqrt(np.pi / 2 / len(values)))
    return Quantity(middle, max(sigma, share * abs(middle), least), len(values))


def lengths_run(speed_mm_s: float, friction_mm_s2: float, left: float, length_mm: float) -> float:
    """Returns how many lengths of the board a striker runs to and fro until it rests.

    `left` is the share of its speed that each cushion leaves. `length_mm` is the way from one cushion to the
    opposite.
    """
    count, energy = 0.0, speed_mm_s**2
    travel = 2 * friction_mm_s2 * length_mm
    while energy > travel and count < 100:
        count, energy = count + 1, (energy - travel) * left**2
    return count + energy / travel


def _runs(traits: Passport, board: BoardModel) -> dict[Trait, Quantity]:
    """Returns the striker's runs at the hardest stroke; empty unless striking speed, friction and restitution are
    known.
    """
    sources = (Trait.STRIKE, Trait.FRICTION, Trait.RESTITUTION)
    if any(trait not in traits for trait in sources):
        return {}
    length = 2 * (board.half - board.striker_radius)
    known = [traits[trait] for trait in sources]
    value = lengths_run(known[0].value, known[1].value, known[2].value, length)
    variance = 0.0
    for i in range(len(known)):
        moved = [q.value + (q.sigma if j == i else 0.0) for j, q in enumerate(known)]
        variance += (lengths_run(moved[0], moved[1], moved[2], length) - value) ** 2
    return {Trait.RUNS: Quantity(value, float(np.sqrt(variance)), min(q.n for q in known))}


def of_profile(profile: Profile) -> Passport:
    """Returns the traits from the calibration: pocket size, colour distance of the kinds, scale, height of the
    camera.
    """
    rms, marks = profile.residuals.rms_mm, profile.residuals.marks
    camera = profile.camera
    scale = float(camera.px_per_mm()[0])
    traits = {Trait.SCALE: Quantity(scale, SCALE_SHARE * scale, marks)}
    if profile.lens.is_measured:
        # From above, a longer lens hung higher gives the same picture: without a measured lens the height is unknown.
        height = abs(float((-camera.r.T @ camera.t)[2]))
        traits[Trait.HEIGHT] = Quantity(height, HEIGHT_SHARE * height, marks)
    if profile.pockets:
        widths = [2 * circle.radius for circle in profile.pockets.values()]
        traits[Trait.POCKET] = Quantity(float(np.mean(widths)), max(float(np.std(widths)), rms), len(widths))
    apart = least_apart(profile)
    if apart is not None:
        traits[Trait.COLOURS] = Quantity(apart, COLOUR_SHARE * apart, sum(profile.full_set.values()))
    return traits


def least_apart(profile: Profile) -> float | None:
    """Returns the colour distance of the two most similar kinds in standard deviations; None if fewer than two are
    known.
    """
    colours = list(profile.colours.values())
    found = []
    for i, a in enumerate(colours):
        for b in colours[:i]:
            spread = floor_sigmas(np.hypot(a.sigma, b.sigma))
            found.append(float(np.linalg.norm((np.array(a.mean) - b.mean) / spread)))
    return min(found, default=None)


def of_light(lights: Sequence[LightReading]) -> Passport:
    """Returns light and flicker from pictures of the board at rest; empty if there are too few."""
    reading = flicker(lights)
    if reading.verdict is MeterVerdict.UNKNOWN or reading.value is None:
        return {}
    level = 100 * float(np.median([np.median(light.cells) for light in lights]))
    return {Trait.LIGHT: Quantity(level, LIGHT_SIGMA, len(lights)),
            Trait.FLICKER: Quantity(reading.value, FLICKER_SIGMA, len(lights))}  # fmt: skip
