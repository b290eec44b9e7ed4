"""The health report in the Prometheus text exposition format 0.0.4."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

from referee.replay.retention import MEGABYTE
from referee.web.health import HealthTrouble
from referee.web.system_stats import Throttle

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
PREFIX = "carrom_"

Family = CounterMetricFamily | GaugeMetricFamily
Labels = tuple[str, ...]
"""Values of a metric's labels; none for a metric with one value."""


def metrics(report: dict[str, Any]) -> str:
    """Returns a report of `Health` as text, without unknown values."""
    return generate_latest(_Report(report)).decode("utf-8")


class _Report(Collector):
    """Metrics of one report."""

    def __init__(self, report: dict[str, Any]) -> None:
        self._report = report

    def collect(self) -> Iterator[Family]:
        return (family for family in _families(self._report) if family.samples)


def _families(report: dict[str, Any]) -> Iterator[Family]:
    eyes, machine = report["eyes"] or {}, report["machine"] or {}
    kinds = {alert["kind"] for alert in report["alerts"]}
    yield _gauge("camera_judging", "Whether the camera's pictures are judged.", eyes.get("camera") == "judging")
    yield _counter("frames", "Frames judged since the start.", eyes.get("frames"))
    yield _counter("frames_lost", "Frames lost since the start.", eyes.get("lost"))
    yield _gauge("frames_unrecorded", "Frames missing from the recording.", eyes.get("unrecorded"))
    yield _gauge("frames_per_second", "Frames judged per second over ten seconds.", eyes.get("fps"))
    yield _labelled("frame_delay_seconds", "From a frame's exposure to its end, beyond the promptest of a minute.",
                    ("frame",), {("median",): eyes.get("delay_s"), ("worst",): eyes.get("delay_worst_s")})  # fmt: skip
    yield _gauge("frames_behind_seconds", "How old what is judged is.", eyes.get("behind_s"))
    yield _gauge("ruling_delay_seconds", "The same for the last ruling.", eyes.get("ruling_s"))
    yield _gauge("eyes_memory_bytes", "Memory of the vision process.", _bytes(eyes.get("memory_mb")))
    condition = eyes.get("condition") or {}
    yield _gauge("camera_exposure_seconds", "The camera's exposure.", condition.get("exposure_s"))
    yield _gauge("camera_temperature_celsius", "The camera's temperature.", condition.get("temperature_c"))
    yield _gauge("cpu_share", "Share of all processors in use.", machine.get("cpu_share"))
    yield _gauge("memory_free_bytes", "Memory that programs can have.", _bytes(machine.get("memory_free_mb")))
    yield _gauge("temperature_celsius", "The processor's temperature.", machine.get("temperature_c"))
    yield _labelled("throttled", "Why the firmware slows the machine down.", ("why", "when"), _throttled(machine))
    yield _gauge("disk_free_bytes", "Free where matches are kept.", _bytes(machine.get("disk_free_mb")))
    yield _gauge("disk_hours", "How long the disk lasts at this pace.", machine.get("disk_hours"))
    yield _gauge("clock_set", "Whether the time of day comes from the network.", machine.get("clock_set"))
    yield _gauge("viewers", "Connected pages.", report["viewers"])
    yield _labelled("alert", "What people are told now.", ("kind",), {(str(k),): k in kinds for k in HealthTrouble})


def _gauge(name: str, text: str, value: float | None) -> GaugeMetricFamily:
    return GaugeMetricFamily(PREFIX + name, text, value=value)


def _counter(name: str, text: str, value: float | None) -> CounterMetricFamily:
    return CounterMetricFamily(PREFIX + name, text, value=value)


def _labelled(name: str, text: str, labels: Labels, values: Mapping[Labels, float | None]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(PREFIX + name, text, labels=labels)
    for of, value in values.items():
        if value is not None:
            family.add_metric(of, value)
    return family


def _throttled(machine: dict[str, Any]) -> dict[Labels, float | None]:
    when = {"now": machine.get("throttled"), "since_boot": machine.get("throttled_since_boot")}
    return {(why, time): why in names for time, names in when.items() if names is not None
            for why in Throttle(15).names}  # fmt: skip


def _bytes(megabytes: float | None) -> float | None:
    return None if megabytes is None else megabytes * MEGABYTE
