"""The health as Prometheus reads it (text exposition format 0.0.4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from referee.web.health import Trouble
from referee.web.system_stats import MEGABYTE, Throttle

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Samples = dict[str, float | None]
"""A metric's values by their labels, as written between the braces; None for what is not known."""


def metrics(report: dict[str, Any]) -> str:
    """A report of `Health` as text; what is not known is left out."""
    lines: list[str] = []
    for name, kind, told, samples in _families(report):
        known = {labels: value for labels, value in samples.items() if value is not None}
        if known:
            lines += [f"# HELP carrom_{name} {told}", f"# TYPE carrom_{name} {kind}"]
            lines += [f"carrom_{name}{labels} {float(value)!r}" for labels, value in known.items()]
    return "\n".join(lines) + "\n"


def _families(report: dict[str, Any]) -> Iterator[tuple[str, str, str, Samples]]:
    eyes, machine = report["eyes"] or {}, report["machine"] or {}
    kinds = {alert["kind"] for alert in report["alerts"]}
    yield "camera_judging", "gauge", "Whether the camera's pictures are judged.", {"": eyes.get("camera") == "judging"}
    yield "frames_total", "counter", "Frames judged since the start.", {"": eyes.get("frames")}
    yield "frames_lost_total", "counter", "Frames lost since the start.", {"": eyes.get("lost")}
    yield "frames_unrecorded", "gauge", "Frames missing from the recording.", {"": eyes.get("unrecorded")}
    yield "frames_per_second", "gauge", "Frames judged per second over ten seconds.", {"": eyes.get("fps")}
    yield "frame_delay_seconds", "gauge", "From a frame's exposure to its end, beyond the promptest of a minute.", {
        '{frame="median"}': eyes.get("delay_s"), '{frame="worst"}': eyes.get("delay_worst_s")}  # fmt: skip
    yield "frames_behind_seconds", "gauge", "How old what is judged is.", {"": eyes.get("behind_s")}
    yield "ruling_delay_seconds", "gauge", "The same for the last ruling.", {"": eyes.get("ruling_s")}
    yield "eyes_memory_bytes", "gauge", "Memory of the seeing process.", {"": _bytes(eyes.get("memory_mb"))}
    condition = eyes.get("condition") or {}
    yield "camera_exposure_seconds", "gauge", "The camera's exposure.", {"": condition.get("exposure_s")}
    yield "camera_temperature_celsius", "gauge", "The camera's temperature.", {"": condition.get("temperature_c")}
    yield "cpu_share", "gauge", "Share of all processors in use.", {"": machine.get("cpu_share")}
    yield "memory_free_bytes", "gauge", "Memory that programs can have.", {"": _bytes(machine.get("memory_free_mb"))}
    yield "temperature_celsius", "gauge", "The processor's temperature.", {"": machine.get("temperature_c")}
    yield "throttled", "gauge", "Why the firmware slows the machine down.", _throttled(machine)
    yield "disk_free_bytes", "gauge", "Free where matches are kept.", {"": _bytes(machine.get("disk_free_mb"))}
    yield "disk_hours", "gauge", "How long the disk lasts at this pace.", {"": machine.get("disk_hours")}
    yield "clock_set", "gauge", "Whether the time of day comes from the network.", {"": machine.get("clock_set")}
    yield "viewers", "gauge", "Connected pages.", {"": report["viewers"]}
    yield "alert", "gauge", "What people are told now.", {f'{{kind="{k}"}}': k in kinds for k in Trouble}


def _throttled(machine: dict[str, Any]) -> Samples:
    samples: Samples = {}
    for when, names in (("now", machine.get("throttled")), ("since_boot", machine.get("throttled_since_boot"))):
        if names is not None:
            samples |= {f'{{why="{t}",when="{when}"}}': t in names for t in Throttle(15).names}
    return samples


def _bytes(megabytes: float | None) -> float | None:
    return None if megabytes is None else megabytes * MEGABYTE
