"""The guard: what befalls the picture as a whole is told in sentences, once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sim_scenes import SCATTERED, gate_over, studio

from calibration.geometry.picture import Picture
from referee.facts import Alert, AlertKind
from referee.strokes.disturbances import LOST_AGAIN_S, TRY_AGAIN_S, DisturbanceMonitor


def told(model_sure: bool) -> list[Alert]:
    """What is told of three frames of a still board."""
    at, background = studio(), gate_over()
    profile = replace(at.profile, residuals=replace(at.profile.residuals, model_sure=model_sure))
    guard, pictures = DisturbanceMonitor(background), [at.picture(SCATTERED, grain=i) for i in range(3)]
    guard.refer(profile, pictures)
    return [alert for i, p in enumerate(pictures) for alert in guard.watch(p, background.see(p, i / 30))]


@pytest.mark.parametrize("model_sure", [True, False])
def test_a_board_that_may_be_another_model_is_told_once_and_one_that_is_known_is_not(model_sure: bool) -> None:
    assert [a.kind for a in told(model_sure)] == ([] if model_sure else [AlertKind.BOARD_UNSURE])


def test_a_board_that_is_not_found_is_told_once_and_sought_again_after_a_while() -> None:
    at = studio()
    picture = at.picture()
    dark = Picture(np.full_like(picture.y, 40), picture.u, picture.v)
    guard = DisturbanceMonitor(gate_over())
    found = [guard.find(at.profile, dark, t) for t in (0.0, TRY_AGAIN_S / 2, 1.0, LOST_AGAIN_S + 1.0)]
    assert [profile for profile, _ in found] == [None] * 4
    assert [alert and alert.kind for _, alert in found] == [AlertKind.BOARD_LOST, None, None, AlertKind.BOARD_LOST]
