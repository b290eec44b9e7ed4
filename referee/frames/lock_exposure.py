"""A camera that measures light and focus once and then leaves them alone: what it is told when it has looked.

Names and meanings of the controls: picamera2's manual and libcamera's control_ids_core.yaml.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LOCK_SETTLE_S = 2.0
"""Longest wait for exposure and white balance to find the light, seconds; a second is usual."""
FOCUS_S = 4.0
"""Longest wait for the lens; a sweep over its whole way takes two seconds."""
WANTED_US = 2000
"""Exposure (microseconds) that keeps a hard stroke's coin (5 m/s) a disc: it smears over a third of it."""
MOST_GAIN = 8.0
"""More gain is more noise than a short exposure is worth: from here on the exposure grows instead."""
FOCUSED, FAILED = 2, 3
"""AfState."""
AUTO, MANUAL = 1, 0
"""AfMode."""
TRIGGER = 0
"""AfTrigger: start."""

Controls = dict[str, Any]
Limits = Mapping[str, tuple[Any, Any, Any]]
"""Least, most and usual value by control, as picamera2's `camera_controls`."""


def beginning(limits: Limits) -> Controls:
    """What to set before it looks: everything automatic, the lens once over its way."""
    wishes = {"AeEnable": True, "AwbEnable": True, "AfMode": AUTO, "AfTrigger": TRIGGER}
    return _known(wishes, limits)


def has_settled(metadata: Mapping[str, Any], limits: Limits, waited_s: float) -> bool:
    """Whether light and focus have been found, or are not worth waiting for any longer."""
    lit = bool(metadata.get("AeLocked", metadata.get("AeState") == 2)) or waited_s >= LOCK_SETTLE_S
    sharp = "AfMode" not in limits or metadata.get("AfState") in (FOCUSED, FAILED) or waited_s >= FOCUS_S
    return lit and sharp


def fixed(metadata: Mapping[str, Any], limits: Limits, period_us: int) -> Controls:
    """What to set once it has looked: its own findings, the exposure as short as the gain allows."""
    wishes: Controls = {"AwbEnable": False}
    if "ExposureTime" in metadata and "AnalogueGain" in metadata:
        light = float(metadata["ExposureTime"]) * float(metadata["AnalogueGain"])
        wishes |= {"AeEnable": False} | exposed(light, limits, period_us)
    if "ColourGains" in metadata:
        wishes["ColourGains"] = tuple(metadata["ColourGains"])
    if "LensPosition" in metadata:
        wishes |= {"AfMode": MANUAL, "LensPosition": metadata["LensPosition"]}
    return _known(wishes, limits)


def exposed(light: float, limits: Limits, period_us: int) -> Controls:
    """Exposure (us) and gain whose product is `light`: short, until the gain would be more than is worth it."""
    least_us, _, _ = limits.get("ExposureTime", (1, period_us, None))
    least_gain, most_gain, _ = limits.get("AnalogueGain", (1.0, MOST_GAIN, None))
    most_gain = min(float(most_gain or MOST_GAIN), MOST_GAIN)
    exposure = min(max(WANTED_US, light / most_gain), light / max(1.0, float(least_gain or 1.0)), period_us)
    exposure = max(exposure, float(least_us or 1))
    gain = min(max(light / exposure, float(least_gain or 1.0)), most_gain)
    return {"ExposureTime": round(exposure), "AnalogueGain": round(gain, 3)}


def _known(wishes: Controls, limits: Limits) -> Controls:
    """Those that this camera has; it refuses all for one that it has not."""
    return {name: value for name, value in wishes.items() if name in limits}
