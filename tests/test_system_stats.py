"""What Linux and a Pi's firmware tell of the machine, read from files laid out as theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.web.system_stats import Machine, Throttle

CLOCK_SET = Path("run/systemd/timesync/synchronized")
FIRMWARE = Path("sys/devices/platform/soc/soc:firmware/get_throttled")
TEMPERATURE = Path("sys/class/thermal/thermal_zone0/temp")
"""Files in which Linux and a Pi's firmware tell of themselves."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A Pi's /proc, /sys and /run."""
    write(tmp_path, "proc/stat", "cpu  100 0 100 700 100 0 0 0 0 0\ncpu0 1 2 3\n")
    write(tmp_path, "proc/meminfo", "MemTotal:  4000000 kB\nMemFree: 1 kB\nMemAvailable:  1000000 kB\n")
    write(tmp_path, "proc/uptime", "3600.5 7000.0\n")
    write(tmp_path, TEMPERATURE, "61234\n")
    write(tmp_path, FIRMWARE, "50005\n")
    (tmp_path / CLOCK_SET).parent.mkdir(parents=True)
    return tmp_path


def write(root: Path, name: str | Path, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_pi_tells_of_itself(root: Path) -> None:
    reading = Machine(root, root).read()
    assert (reading.memory_mb, reading.memory_free_mb) == (4096, 1024)
    assert (reading.temperature_c, reading.up_s, reading.clock_set) == (61.2, 3600.5, False)
    write(root, CLOCK_SET, "")
    assert Machine(root, root).read().clock_set


def test_throttling_is_told_for_now_and_since_power_on(root: Path) -> None:
    reading = Machine(root, root).read()
    assert reading.throttled == Throttle.UNDER_VOLTAGE | Throttle.THROTTLED
    assert reading.throttled_since_boot == Throttle.UNDER_VOLTAGE | Throttle.THROTTLED
    assert reading.throttled.names == ["under_voltage", "throttled"]
    write(root, FIRMWARE, "80000\n")
    again = Machine(root, root).read()
    assert (again.throttled, again.throttled_since_boot) == (Throttle(0), Throttle.HOT)


def test_the_processors_share_is_that_since_the_last_reading(root: Path) -> None:
    machine = Machine(root, root)
    assert machine.read().cpu_share is None
    write(root, "proc/stat", "cpu  150 0 125 800 125 0 0 0 0 0\n")
    assert machine.read().cpu_share == 0.375


def test_how_long_the_disk_lasts_follows_from_the_last_hour(root: Path) -> None:
    times, free = iter((0.0, 100.0, 600.0)), iter((5060, 5040, 5000))
    machine = Machine(root, root, lambda: next(times), lambda _folder: next(free) * 1_000_000)
    assert machine.read().disk_hours is None
    assert machine.read().disk_hours is None, "two minutes say nothing"
    lasts = machine.read()
    assert (lasts.disk_free_mb, lasts.disk_hours) == (5000, 13.9), "60 MB went in ten minutes"


def test_what_a_machine_does_not_tell_is_none(tmp_path: Path) -> None:
    reading = Machine(tmp_path / "away", tmp_path).read()
    assert {getattr(reading, name) for name in reading.__slots__} == {None}
    write(tmp_path, TEMPERATURE, "")
    write(tmp_path, FIRMWARE, "?")
    assert (Machine(tmp_path, tmp_path).read().temperature_c, Machine(tmp_path, tmp_path).read().throttled) == (
        None,
        None,
    )


def test_this_machine_is_read() -> None:
    reading = Machine(Path()).read()
    assert reading.disk_free_mb
