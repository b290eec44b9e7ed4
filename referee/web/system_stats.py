"""The state of this machine: processor, memory, temperature, disk and clock, as Linux and a Pi's firmware report it."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Flag
from pathlib import Path

from referee.replay.retention import MEGABYTE

DISK_OVER_S = 3600.0
"""Time span over which the disk's fill rate is measured, s."""
DISK_AT_LEAST_S = 300.0
"""Shortest time span that gives a fill rate, s."""
FIRMWARE = Path("sys/devices/platform/soc/soc:firmware/get_throttled")
TEMPERATURE = Path("sys/class/thermal/thermal_zone0/temp")
CLOCK_SET = Path("run/systemd/timesync/synchronized")
STATS_ASK_S = 2.0
"""Longest wait for vcgencmd, s."""


class Throttle(Flag):
    """Why a Pi's firmware slows it down. The same bits sixteen places higher mean that it happened since power-on.

    Source: Raspberry Pi documentation, vcgencmd get_throttled.
    """

    UNDER_VOLTAGE = 1
    CAPPED = 2
    THROTTLED = 4
    HOT = 8

    @property
    def names(self) -> list[str]:
        """Names of the bits that are set."""
        return [str(each.name).lower() for each in self]


@dataclass(frozen=True, slots=True)
class SystemReading:
    """The machine at one moment; None for unknown values."""

    cpu_share: float | None
    """Share of all processors' time in use since the last reading, 0 to 1."""
    memory_mb: int | None
    """Total memory, MB."""
    memory_free_mb: int | None
    """Memory available to programs, MB."""
    temperature_c: float | None
    throttled: Throttle | None
    throttled_since_boot: Throttle | None
    disk_free_mb: int | None
    """Free space on the disk of the match logs, MB."""
    disk_hours: float | None
    """Time until the disk is full at the pace of the last hour, h; None while it does not fill."""
    clock_set: bool | None
    """The time of day has been set from the network since the start. A Pi has no clock of its own."""
    up_s: float | None
    """Time since power-on, s."""


def free_bytes(folder: Path) -> int:
    """Free space (bytes) of the disk that holds `folder`; raises OSError."""
    return shutil.disk_usage(folder).free


class Machine:
    """Call `read` now and then; it takes a few milliseconds and never waits for the network."""

    def __init__(self, folder: Path, root: Path = Path("/"), clock: Callable[[], float] = time.monotonic,
                 free: Callable[[Path], int] = free_bytes) -> None:  # fmt: skip
        """`folder` holds the match logs; `root` is where /proc and /sys are found; `free` tells a disk's free bytes."""
        self._folder, self._root, self._clock, self._free_of = folder, root, clock, free
        self._busy: tuple[int, int] | None = None
        self._free: deque[tuple[float, int]] = deque()

    def read(self) -> SystemReading:
        """Returns the present reading."""
        memory = self._memory()
        bits = self._throttled()
        free = self._disk()
        return SystemReading(
            self._cpu(), memory.get("MemTotal"), memory.get("MemAvailable"), self._temperature(),
            None if bits is None else Throttle(bits & 0xF), None if bits is None else Throttle(bits >> 16 & 0xF),
            free, self._hours(free), self._clock_set(), self._up(),
        )  # fmt: skip

    def _text(self, path: str | Path) -> str | None:
        try:
            return (self._root / path).read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError):
            return None

    def _cpu(self) -> float | None:
        text = self._text("proc/stat")
        if text is None:
            return None
        user, nice, system, idle, wait, *more = (int(word) for word in text.splitlines()[0].split()[1:9])
        total = user + nice + system + idle + wait + sum(more)
        before, self._busy = self._busy, (total, total - idle - wait)
        if before is None or total == before[0]:
            return None
        return round((self._busy[1] - before[1]) / (total - before[0]), 3)

    def _memory(self) -> dict[str, int]:
        lines = (line.split() for line in (self._text("proc/meminfo") or "").splitlines())
        return {words[0].rstrip(":"): int(words[1]) * 1024 // MEGABYTE for words in lines if len(words) > 1}

    def _temperature(self) -> float | None:
        text = self._text(TEMPERATURE)
        degrees = None if text is None else _number(text)
        return None if degrees is None else round(degrees / 1000, 1)

    def _throttled(self) -> int | None:
        """Returns the firmware's bits."""
        text = self._text(FIRMWARE)
        if text is not None:
            return _number(text, 16)
        if self._root != Path("/") or not shutil.which("vcgencmd"):
            return None
        try:
            said = subprocess.run(
                ["vcgencmd", "get_throttled"], capture_output=True, text=True, timeout=STATS_ASK_S, check=True
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return _number(said.stdout.partition("=")[2], 16)

    def _disk(self) -> int | None:
        try:
            return self._free_of(self._folder) // MEGABYTE
        except OSError:
            return None

    def _hours(self, free: int | None) -> float | None:
        if free is None:
            return None
        now = self._clock()
        self._free.append((now, free))
        while self._free[0][0] < now - DISK_OVER_S:
            self._free.popleft()
        then, before = self._free[0]
        if now - then < DISK_AT_LEAST_S or before <= free:
            return None
        return round(free / (before - free) * (now - then) / 3600, 1)

    def _clock_set(self) -> bool | None:
        """Tells whether systemd-timesyncd has set the clock, by its file; None without that service."""
        folder = self._root / CLOCK_SET.parent
        return (self._root / CLOCK_SET).exists() if folder.is_dir() else None

    def _up(self) -> float | None:
        text = self._text("proc/uptime")
        return None if text is None else float(text.split()[0])


def _number(text: str, base: int = 10) -> int | None:
    try:
        return int(text, base)
    except ValueError:
        return None
