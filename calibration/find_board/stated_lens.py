"""Weighs the focal length that a datasheet or a photograph states against the picture.

Lenses are exchanged, and photographs are cropped after their Exif was written. So there are two explanations: the
stated lens, or any other one about as long. Each is solved under its own prior. The likelier one is the result, and its
covariance is that of both together.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from calibration.find_board.model_selection import Attempt, SearchPicture
from calibration.fit_board.solve import CameraPrior, Free, Solution, difference, solve
from calibration.geometry.lens import LensOrigin, StatedLens

EXCHANGED_SPREAD = 0.5
"""Standard deviation of the logarithm of an exchanged lens's focal length about the stated one: lenses of 0.6 to 1.6
times its length are usual."""


def weigh_stated_lens(view: SearchPicture, found: Attempt) -> Attempt:
    """Returns the fit with the stated focal length, or with an exchanged lens's if the picture contradicts it."""
    stated = view.stated_lens
    if stated is None or view.lens or found.reasons:
        return found
    tried = []
    for spread, share in ((stated.spread, stated.share), (EXCHANGED_SPREAD, 1.0 - stated.share)):
        prior = replace(found.prior, focal_px=stated.focal_px, focal=spread)
        solution = solve(found.fit.camera, found.fit.layout, found.fit.book, found.fit.observations, Free.ALL, prior)
        tried.append((solution.evidence + math.log(share), solution, prior))
    (less, other, _), (more, likelier, prior) = sorted(tried, key=lambda each: each[0])
    solution = joined(likelier, other, 1.0 / (1.0 + math.exp(more - less)))
    # A surface off the prints' centre was measured apart from the fit.
    layout = solution.layout if found.middle == (0.0, 0.0) else found.fit.layout
    return replace(found, prior=prior, fit=replace(found.fit, solution=replace(solution, layout=layout)))


def joined(likelier: Solution, other: Solution, share: float) -> Solution:
    """Returns the likelier solution with the covariance of both, of which the other has that `share` of the weight."""
    apart = difference(other, likelier)
    both = (1.0 - share) * likelier.covariance + share * (other.covariance + np.outer(apart, apart))
    return replace(likelier, covariance=both)


def origin_of_lens(prior: CameraPrior, stated: StatedLens | None) -> LensOrigin:
    """Returns the source of an estimated lens, by the prior of its fit."""
    if stated is None or prior.focal == math.inf:
        return LensOrigin.ESTIMATED
    return stated.origin if prior.focal == stated.spread else LensOrigin.EXCHANGED
