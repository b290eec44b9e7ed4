"""Speed figures as text for the terminal, and as one JSON object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from referee.bench.child import Memory
from referee.bench.recording import FrameContent
from referee.bench.scaling import Scale, exponent, slope
from referee.bench.speed import Speed
from referee.bench.stages import by_stage
from referee.bench.yardsticks import Yardstick

SPEED_TABLE_GOALS = {FrameContent.STILL: (0.12, None), FrameContent.MOVING: (0.4, 1.5), FrameContent.HAND: (0.45, None)}
"""Greatest median and 99th percentile, in remaps, by content of the frames."""
MOST_STAGES = 9
"""Number of stages listed; the others take less."""
MEMORY_GOAL_MB, CALIBRATION_GOAL_S, START_GOAL_S = 300, 10, 2


@dataclass(frozen=True, slots=True)
class SpeedReport:
    """All that `referee bench` measures of speed. Parts that were not requested are None or empty."""

    speed: Speed
    memory: Memory | None
    start_s: float | None
    """Time from the start of a process with a profile to its first judged frame, s."""
    scales: Sequence[Scale]


def speed_lines(report: SpeedReport) -> Iterator[str]:
    """Yields everything as a table."""
    speed = report.speed
    yield f"{speed.recording.title}, {len(speed.recording.labels)} frames"
    for name, cost in speed.yardsticks.items():
        yield f"yardstick {name.value:14} median {1e3 * cost.median:8.3f} ms   p99 {1e3 * cost.p99:8.3f} ms"
    yield f"{'frames':16}{'count':>7}{'median':>11}{'p99':>11}   in remaps       in copies   goal in remaps"
    for show, cost in speed.shows.items():
        median, p99 = speed.ratio(show, Yardstick.REMAP)
        copies = speed.ratio(show, Yardstick.COPY)[0]
        goal, goal_p99 = SPEED_TABLE_GOALS[show]
        limit = f"{goal}" + (f", p99 {goal_p99}" if goal_p99 else "")
        yield (f"{show.value:16}{cost.frames:7}{1e3 * cost.median:8.2f} ms{1e3 * cost.p99:8.2f} ms"
               f"{median:7.2f} /{p99:6.2f}{copies:12.1f}   {limit}")  # fmt: skip
    remap = speed.yardsticks[Yardstick.REMAP].median
    every = (f"{show.value} {c.median / remap:.2f} / {c.p99 / remap:.2f}" for show, c in speed.every_play.items())
    yield f"each play's frames for themselves, in remaps: {', '.join(every)}"
    for show in speed.shows:
        parts = list(by_stage(speed.stages.get(show.value, {})).items())[:MOST_STAGES]
        yield f"{show.value}: " + ", ".join(f"{name} {100 * share:.0f} %" for name, share in parts)
    yield from _limits(speed)
    yield f"calibration {speed.calibration_s:.2f} s (goal {CALIBRATION_GOAL_S} s)"
    if report.start_s is not None:
        yield f"start to first judged frame with a profile {report.start_s:.2f} s (goal {START_GOAL_S} s)"
    if report.memory is not None:
        m = report.memory
        yield (f"memory at its peak {m.peak_mb:.0f} MB (goal {MEMORY_GOAL_MB} MB), grown by {m.growth_mb:+.1f} MB "
               f"between the second and the last quarter of {m.frames} frames")  # fmt: skip
    yield from _curves(report)


def _limits(speed: Speed) -> Iterator[str]:
    copy = speed.yardsticks[Yardstick.COPY].median
    luma = speed.recording.width * speed.recording.height
    rate = luma / copy / 1e9
    yield (f"limit: a frame is {speed.recording.frame_bytes / 1e6:.2f} MB, its luma {luma / 1e6:.2f} MB, read and "
           f"written at {rate:.1f} GB/s in one copy; the board fills {speed.board_bytes / 1e6:.2f} MB")  # fmt: skip


def _curves(report: SpeedReport) -> Iterator[str]:
    line = slope(report.speed.by_moving)
    if line is not None:
        yield f"moving pieces: {1e3 * line[0]:.2f} ms at rest and {1e3 * line[1]:.3f} ms for each"
    for scale in report.scales:
        parts = "".join(f"{show.value} {1e3 * c.median:8.2f} ms   " for show, c in scale.shows.items())
        yield f"{scale.width:5}x{scale.height:<5} {parts}remap {1e3 * scale.remap.median:8.2f} ms"
    powers = ", ".join(f"{show.value} {p:.2f}" for show, p in pixel_powers(report.scales).items())
    if powers:
        yield f"cost grows with pixels to the power of: {powers} (goal 1 at most)"


def pixel_powers(scales: Sequence[Scale]) -> dict[FrameContent, float]:
    """Returns the exponent with which each kind of frame's median grows with the pixels."""
    medians = {show: {s.pixels: s.shows[show].median for s in scales if show in s.shows} for show in FrameContent}
    return {show: p for show, costs in medians.items() if (p := exponent(costs)) is not None}


def speed_json(report: SpeedReport) -> dict[str, Any]:
    """Returns everything as plain JSON."""
    speed, memory, line = report.speed, report.memory, slope(report.speed.by_moving)
    return {
        "recording": speed.recording.title,
        "frames": len(speed.recording.labels),
        "yardsticks_ms": {y.value: c.as_ms() for y, c in speed.yardsticks.items()},
        "frames_ms": {s.value: c.as_ms() | {"frames": c.frames} for s, c in speed.shows.items()},
        "in_remaps": {s.value: [round(r, 3) for r in speed.ratio(s, Yardstick.REMAP)] for s in speed.shows},
        "every_play_ms": {s.value: c.as_ms() | {"frames": c.frames} for s, c in speed.every_play.items()},
        "in_copies": {s.value: [round(r, 1) for r in speed.ratio(s, Yardstick.COPY)] for s in speed.shows},
        "stages": {k: {m: round(v, 4) for m, v in parts.items()} for k, parts in speed.stages.items()},
        "frame_bytes": speed.recording.frame_bytes,
        "board_bytes": speed.board_bytes,
        "calibration_s": round(speed.calibration_s, 2),
        "start_s": None if report.start_s is None else round(report.start_s, 2),
        "memory": None if memory is None else {
            "frames": memory.frames, "peak_mb": memory.peak_mb, "growth_mb": round(memory.growth_mb, 2)},
        "by_moving_ms": {n: c.as_ms() | {"frames": c.frames} for n, c in speed.by_moving.items()},
        "moving_ms": None if line is None else {"rest": round(1e3 * line[0], 3), "each": round(1e3 * line[1], 4)},
        "by_size_ms": {
            f"{s.width}x{s.height}": {k.value: c.as_ms() for k, c in s.shows.items()} for s in report.scales},
        "pixel_powers": {s.value: round(p, 2) for s, p in pixel_powers(report.scales).items()},
    }  # fmt: skip
