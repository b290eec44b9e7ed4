"""Chooses the settings of a camera that measures light and focus once and then keeps them fixed.

Names and meanings of the controls: picamera2's manual and libcamera's control_ids_core.yaml.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LOCK_SETTLE_S = 2.0
"""Longest wait for exposure and white balance to find the light, seconds; a second is usual."""
FOCUS_S = 4.0
"""Longest wait for the lens, seconds; a sweep over its whole range takes two seconds."""
WANTED_US = 2000
"""Exposure (microseconds) at which a coin of a hard stroke (5 m/s) is still a disc: it blurs by a third of its
width."""
MOST_GAIN = 8.0
"""Greatest gain: beyond it the noise costs more than a short exposure gains, so the exposure grows instead."""
FOCUSED, FAILED = 2, 3
"""Values of AfState."""
AUTO, MANUAL = 1, 0
"""Values of AfMode."""
TRIGGER = 0
"""Value of AfTrigger: start."""

ControlValues = dict[str, Any]
Limits = Mapping[str, tuple[Any, Any, Any]]
"""Least, greatest and default value by control, as in picamera2's `camera_controls`."""


def automatic_controls(limits: Limits) -> ControlValues:
    """Returns the controls before the measuring: everything automatic, the lens once over its range."""
    wishes = {"AeEnable": True, "AwbEnable": True, "AfMode": AUTO, "AfTrigger": TRIGGER}
    return _known(wishes, limits)


def has_settled(metadata: Mapping[str, Any], limits: Limits, waited_s: float) -> bool:
    """Tells whether light and focus have been found, or were waited for long enough."""
    lit = bool(metadata.get("AeLocked", metadata.get("AeState") == 2)) or waited_s >= LOCK_SETTLE_S
    sharp = "AfMode" not in limits or metadata.get("AfState") in (FOCUSED, FAILED) or waited_s >= FOCUS_S
    return lit and sharp


def fixed(metadata: Mapping[str, Any], limits: Limits, period_us: int) -> ControlValues:
    """Returns the controls after the measuring: the values found, with the exposure as short as the gain allows."""
    wishes: ControlValues = {"AwbEnable": False}
    if "ExposureTime" in metadata and "AnalogueGain" in metadata:
        light = float(metadata["ExposureTime"]) * float(metadata["AnalogueGain"])
        wishes |= {"AeEnable": False} | exposure_and_gain(light, limits, period_us)
    if "ColourGains" in metadata:
        wishes["ColourGains"] = tuple(metadata["ColourGains"])
    if "LensPosition" in metadata:
        wishes |= {"AfMode": MANUAL, "LensPosition": metadata["LensPosition"]}
    return _known(wishes, limits)


def exposure_and_gain(light: float, limits: Limits, period_us: int) -> ControlValues:
    """Returns exposure (us) and gain whose product is `light`: as short as a gain up to MOST_GAIN allows."""
    least_us, _, _ = limits.get("ExposureTime", (1, period_us, None))
    least_gain, most_gain, _ = limits.get("AnalogueGain", (1.0, MOST_GAIN, None))
    most_gain = min(float(most_gain or MOST_GAIN), MOST_GAIN)
    exposure = min(max(WANTED_US, light / most_gain), light / max(1.0, float(least_gain or 1.0)), period_us)
    exposure = max(exposure, float(least_us or 1))
    gain = min(max(light / exposure, float(least_gain or 1.0)), most_gain)
    return {"ExposureTime": round(exposure), "AnalogueGain": round(gain, 3)}


def _known(wishes: ControlValues, limits: Limits) -> ControlValues:
    """Returns the controls that this camera has; it would refuse all for one that it lacks."""
    return {name: value for name, value in wishes.items() if name in limits}
