"""Weighs each foul of the hand by the likelihood ratio of two hypotheses, the stories: with the foul, and without it.

Each foul has one measure, for example how far a hand went along. The ratio of the likelihoods of that measure under the
two hypotheses is 1 at the `limit`, and grows by the factor e with each `scale` beyond. Some fouls look like none
(`..._missed`) and the reverse (`..._seemed`), so that no ratio is boundless. The ratio and the prior probability of the
foul give its probability (Bayes). The parameters are fitted on strokes with known truth (`tools/fit_outcome/fouls`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from models.fitted import shipped
from referee.facts import Foul

FITTED_STORIES = "stories.json"
MOST_EXPONENT = 50.0
"""Greatest logarithm of a likelihood ratio before odd measures are allowed for."""


@dataclass(frozen=True, slots=True)
class Stories:
    """Parameters of the hypotheses; probabilities unless stated otherwise. The defaults are first guesses."""

    push: float = 0.15
    """A stroke is a push, before it is measured."""
    push_limit_mm: float = 32.0
    """Advance of a hand at which push and flick are alike."""
    push_scale_mm: float = 4.0
    """Advance that makes a push e times as likely."""
    over: float = 0.15
    """A hand is over the diagonal, before it is measured."""
    over_scale_mm: float = 2.0
    """Reach over the diagonal that makes it e times as likely that the arm is over. It may be on either side before."""
    touched: float = 0.5
    """A hand moved a coin that is found elsewhere, before it is known whether the stroke may have."""
    explained_touched: float = 0.1
    """The stroke may have moved a coin that a hand moved."""
    explained_struck: float = 0.97
    """The stroke may have moved a coin that it did move, as far as is seen."""
    stay_scale_mm: float = 0.6
    """Distance off the base lines that makes it e times as likely that the striker left them."""
    stay_missed: float = 0.01
    """A striker that stayed is detected off its lines."""
    stay_seemed: float = 0.1
    """A striker that left its lines and touched nothing is not detected off them."""
    pushed_unseen: float = 0.3
    """A striker that was never seen in flight was pushed, before hands are asked."""
    followed_pushed: float = 0.9
    """A hand is seen where a pushed striker was let go."""
    followed_flicked: float = 0.1
    """A hand is seen there after a flick."""
    push_missed: float = 0.03
    """The hand of a push is not seen to go along."""
    push_seemed: float = 0.002
    """The hand of a flick seems to go along."""
    over_missed: float = 0.001
    """An arm over the diagonal is not seen there."""
    over_seemed: float = 0.001
    """An arm on its own side seems to be over."""

    def probability(self, foul: Foul, measure: float) -> float:
        """Returns the probability of a push, a hand over the diagonal, a touched coin or a striker that stays.

        Their measures are the advance of the hand (mm), its reach over the diagonal (mm), 1 or 0 for a coin that the
        stroke may or cannot have moved, and how far the striker was detected off its lines (mm).
        """
        if foul is Foul.PUSH:
            return _posterior(
                self.push,
                _ratio((measure - self.push_limit_mm) / self.push_scale_mm, self.push_missed, self.push_seemed),
            )
        if foul is Foul.HAND_OVER_DIAGONAL:
            return _posterior(self.over, _ratio(measure / self.over_scale_mm, self.over_missed, self.over_seemed))
        if foul is Foul.NO_LEAVE:
            return _posterior(0.5, _ratio(-measure / self.stay_scale_mm, self.stay_missed, self.stay_seemed))
        return _posterior(self.touched, _evidence(measure > 0.5, self.explained_touched, self.explained_struck))

    def pushed_unseen_if(self, followed: bool) -> float:
        """Returns the probability of a push of a striker never seen in flight, by whether a hand `followed` it."""
        return _posterior(self.pushed_unseen, _evidence(followed, self.followed_pushed, self.followed_flicked))

    def probabilities(self, measured: Mapping[Foul, float]) -> dict[Foul, float]:
        """Returns the probability of each foul that was measured."""
        return {foul: self.probability(foul, measure) for foul, measure in measured.items()}


def _ratio(exponent: float, missed: float, seemed: float) -> float:
    """Returns the likelihood ratio of a measure whose logarithm is `exponent` where the foul is seen as it is.

    `missed` and `seemed` are the probabilities that a foul looks like none, and the reverse.
    """
    ratio = math.exp(min(max(exponent, -MOST_EXPONENT), MOST_EXPONENT))
    return ((1.0 - missed) * ratio + missed) / (1.0 - seemed + seemed * ratio)


def _evidence(is_seen: bool, with_foul: float, without: float) -> float:
    """Returns the likelihood ratio of an observation that is made with these probabilities."""
    return with_foul / without if is_seen else (1.0 - with_foul) / (1.0 - without)


def _posterior(prior: float, ratio: float) -> float:
    """Returns the probability of a foul of that prior probability, by a likelihood ratio."""
    return prior * ratio / (prior * ratio + 1.0 - prior)


@lru_cache(maxsize=1)
def fitted() -> Stories:
    """Returns the fitted parameters from the package data."""
    return shipped(Stories, "referee.fouls", FITTED_STORIES)
