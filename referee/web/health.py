"""Health: joins the reports of the vision process and of the machine, and derives alerts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from referee.setup.verdict import is_small
from referee.web.broadcast import Broadcast, Section
from referee.web.system_stats import Machine, SystemReading, Throttle

HEALTH_LOOK_S = 5.0
"""Interval at which the machine is measured, s."""
HEALTH_SILENT_S = 10.0
"""Silence after which the vision process is taken to hang, or to be overloaded, s. While judging it reports every two
seconds.
"""
HOT_C = 75.0
"""Temperature from which the machine is hot, °C: five degrees below where a Pi's firmware begins to slow it down."""
BEHIND_S = 3.0
"""Delay of the scoreboard that people at the board notice, s."""
DISK_MB = 1000
"""Free disk space for an hour of clips, MB. The score itself needs one. Recording stops at half of it."""
DISK_HOURS, DISK_SOON_MB = 1.0, 5000
"""Time to a full disk at the present pace, h, and free space, MB, below both of which an alert is raised too."""
MEMORY_MB = 150
HEALTH_LOST_SHARE = 0.01
"""Share of lost frames above which an alert is raised. Single ones are lost everywhere; more of them hide strikes."""
MANY_WRONG = 10
"""Wrong PINs within an hour from which somebody is guessing. A hasty umpire enters two or three."""

VitalsReport = Mapping[str, Any]
"""Last `health` message of the vision process."""


class HealthTrouble(StrEnum):
    """Kinds of alert."""

    CAMERA_AWAY = "camera_away"
    NO_BOARD = "no_board"
    NO_LOG = "no_log"
    SET_UP = "set_up"
    EYES_SILENT = "eyes_silent"
    PICTURE_FROZEN = "picture_frozen"
    PICTURE_RESTLESS = "picture_restless"
    PICTURE_SMALL = "picture_small"
    FRAMES_LOST = "frames_lost"
    BEHIND = "behind"
    DISK_LOW = "disk_low"
    HOT = "hot"
    THROTTLED = "throttled"
    UNDER_VOLTAGE = "under_voltage"
    MEMORY_LOW = "memory_low"
    LOG_DAMAGED = "log_damaged"
    LOG_UNREADABLE = "log_unreadable"
    PIN_GUESSED = "pin_guessed"


SERIOUS = frozenset(
    {
        HealthTrouble.CAMERA_AWAY,
        HealthTrouble.NO_BOARD,
        HealthTrouble.NO_LOG,
        HealthTrouble.SET_UP,
        HealthTrouble.EYES_SILENT,
        HealthTrouble.LOG_UNREADABLE,
        HealthTrouble.PICTURE_FROZEN,
    }
)
"""Alerts during which nothing is refereed."""

HEALTH_TEXTS = {
    HealthTrouble.CAMERA_AWAY: "The camera gives no pictures: check its cable. The match goes on when they come again.",
    HealthTrouble.NO_BOARD: "No board is found in the picture: put it below the camera, with nothing over its lines.",
    HealthTrouble.NO_LOG: "The match cannot be written down: free some space on the disk. All written so far is kept.",
    HealthTrouble.SET_UP: "A set-up is under way: nothing is refereed until it is left.",
    HealthTrouble.EYES_SILENT: "The camera side does not answer; it is started again by itself.",
    HealthTrouble.PICTURE_FROZEN: "The camera repeats one picture, so nothing is seen: check its cable, or start it "
    "again.",
    HealthTrouble.PICTURE_RESTLESS: "Something keeps changing in the picture, such as a fan's shadow: strokes are told "
    "late.",
    HealthTrouble.PICTURE_SMALL: "The picture is small ({n} mm a pixel): hang the camera lower, or choose a larger "
    "picture.",
    HealthTrouble.FRAMES_LOST: "{n} % of the pictures are lost: check the camera's cable, close other programs.",
    HealthTrouble.BEHIND: "The computer is {n} s behind, so old is what is shown: close programs, or use smaller "
    "pictures.",
    HealthTrouble.DISK_LOW: "Only {n} GB are left on the disk: recording stops first, the score goes on.",
    HealthTrouble.HOT: "The computer is hot ({n} °C): give it air.",
    HealthTrouble.THROTTLED: "The computer slows itself down: cool it, or give it a stronger power supply.",
    HealthTrouble.UNDER_VOLTAGE: "The power supply is too weak for the computer: use the maker's own.",
    HealthTrouble.MEMORY_LOW: "Only {n} MB of memory are left: close other programs.",
    HealthTrouble.LOG_DAMAGED: "{n} lines of the match log are missing or damaged: check the score.",
    HealthTrouble.LOG_UNREADABLE: "The match log cannot be read: check the disk.",
    HealthTrouble.PIN_GUESSED: "Somebody is guessing the umpire's PIN: {n} wrong ones within an hour.",
}
"""English texts for programs and logs; the pages have words of their own."""


@dataclass(frozen=True, slots=True)
class HealthAlert:
    """An alert, with its number if it has one."""

    kind: HealthTrouble
    n: float | None = None
    hours: float | None = None
    """For a full disk: time until then at the present pace, h, if known."""

    @property
    def text(self) -> str:
        return HEALTH_TEXTS[self.kind].format(n=self.n)

    def as_dict(self) -> dict[str, Any]:
        return {"kind": self.kind.value, "n": self.n, "hours": self.hours, "text": self.text}


def alerts_of(vitals: VitalsReport | None, silent_s: float, machine: SystemReading | None) -> Iterator[HealthAlert]:
    """Yields alerts, the worst first; `silent_s` is the age of the last report of the vision process."""
    if vitals is not None:
        yield from _camera_alerts(vitals, silent_s)
    if machine is not None:
        yield from _machine_alerts(machine)
    if vitals is not None and vitals["camera"] == "judging" and is_small(vitals.get("mm_per_px") or 0):
        yield HealthAlert(HealthTrouble.PICTURE_SMALL, round(vitals["mm_per_px"], 1))


def _camera_alerts(vitals: VitalsReport, silent_s: float) -> Iterator[HealthAlert]:
    if vitals["camera"] == "judging" and silent_s > HEALTH_SILENT_S:
        yield HealthAlert(HealthTrouble.EYES_SILENT)
    elif vitals["camera"] == "away":
        yield HealthAlert(HealthTrouble.CAMERA_AWAY)
    elif vitals["camera"] == "no_board":
        yield HealthAlert(HealthTrouble.NO_BOARD)
    elif vitals["camera"] == "no_log":
        yield HealthAlert(HealthTrouble.NO_LOG)
    elif vitals["camera"] == "set_up":
        yield HealthAlert(HealthTrouble.SET_UP)
    elif HealthTrouble.PICTURE_FROZEN in vitals.get("troubles", ()):
        yield HealthAlert(HealthTrouble.PICTURE_FROZEN)
    elif HealthTrouble.PICTURE_RESTLESS in vitals.get("troubles", ()):
        yield HealthAlert(HealthTrouble.PICTURE_RESTLESS)
    else:
        if (vitals.get("behind_s") or 0) > BEHIND_S and vitals["camera"] == "judging":
            yield HealthAlert(HealthTrouble.BEHIND, round(vitals["behind_s"]))
        if (vitals["lost_share"] or 0) > HEALTH_LOST_SHARE:
            yield HealthAlert(HealthTrouble.FRAMES_LOST, round(100 * vitals["lost_share"]))


def _machine_alerts(machine: SystemReading) -> Iterator[HealthAlert]:
    disk, lasts = machine.disk_free_mb, machine.disk_hours
    soon = lasts is not None and lasts < DISK_HOURS
    if disk is not None and (disk < DISK_MB or (soon and disk < DISK_SOON_MB)):
        yield HealthAlert(HealthTrouble.DISK_LOW, round(disk / 1000, 1), None if lasts is None else round(lasts, 1))
    if machine.throttled is not None and Throttle.UNDER_VOLTAGE in machine.throttled:
        yield HealthAlert(HealthTrouble.UNDER_VOLTAGE)
    elif machine.throttled:
        yield HealthAlert(HealthTrouble.THROTTLED)
    if machine.temperature_c is not None and machine.temperature_c >= HOT_C:
        yield HealthAlert(HealthTrouble.HOT, round(machine.temperature_c))
    if machine.memory_free_mb is not None and machine.memory_free_mb < MEMORY_MB:
        yield HealthAlert(HealthTrouble.MEMORY_LOW, machine.memory_free_mb)


class Health:
    """State of the vision process and the machine; lives in the web server's event loop."""

    def __init__(self, machine: Machine, broadcast: Broadcast, clock: Callable[[], float] = time.monotonic) -> None:
        self.vitals: VitalsReport | None = None
        """Last report of the vision process; None before the first, and while it is not connected."""
        self.reading: SystemReading | None = None
        self._machine, self._broadcast, self._clock = machine, broadcast, clock
        self._since = clock()
        self._log: tuple[HealthAlert, ...] = ()
        self._wrong_pins: Callable[[], int] = lambda: 0

    def take_log(self, lost: int, is_readable: bool) -> None:
        """Records the state of the match log: number of missing or skipped lines, and whether it can be read at all."""
        unreadable = () if is_readable else (HealthAlert(HealthTrouble.LOG_UNREADABLE),)
        reported = (*unreadable, *((HealthAlert(HealthTrouble.LOG_DAMAGED, lost),) if lost else ()))
        if reported != self._log:
            self._log = reported
            self._publish()

    def watch_pins(self, wrong: Callable[[], int]) -> None:
        """Sets the function that returns the number of wrong PINs within the last hour."""
        self._wrong_pins = wrong

    def add(self, vitals: VitalsReport | None) -> None:
        """Records a report of the vision process, or that it has gone (None)."""
        self.vitals, self._since = vitals, self._clock()
        self._publish()

    async def watch(self) -> None:
        """Measures the machine for ever."""
        while True:
            self.reading = await asyncio.to_thread(self._machine.read)
            self._publish()
            await asyncio.sleep(HEALTH_LOOK_S)

    @property
    def alerts(self) -> tuple[HealthAlert, ...]:
        """Returns the present alerts."""
        wrong = self._wrong_pins()
        guessed = (HealthAlert(HealthTrouble.PIN_GUESSED, wrong),) if wrong >= MANY_WRONG else ()
        return (*self._log, *guessed, *alerts_of(self.vitals, self._clock() - self._since, self.reading))

    def report(self) -> dict[str, Any]:
        """Returns everything, for programs: `status` is ok, warning or failing."""
        alerts = self.alerts
        failing = self.vitals is None or any(alert.kind in SERIOUS for alert in alerts)
        return {
            "status": "failing" if failing else "warning" if alerts else "ok",
            "alerts": [alert.as_dict() for alert in alerts],
            "eyes": None if self.vitals is None else {k: v for k, v in self.vitals.items() if k != "type"},
            "machine": None if self.reading is None else _machine(self.reading),
            "viewers": self._broadcast.viewers,
        }

    def _publish(self) -> None:
        """Publishes the alerts, if they changed."""
        alerts = [{"kind": alert.kind.value, "n": alert.n, "hours": alert.hours} for alert in self.alerts]
        self._broadcast.update(Section.HEALTH, {"alerts": alerts})


def _machine(r: SystemReading) -> dict[str, Any]:
    return {
        "cpu_share": r.cpu_share, "memory_mb": r.memory_mb, "memory_free_mb": r.memory_free_mb,
        "temperature_c": r.temperature_c,
        "throttled": None if r.throttled is None else r.throttled.names,
        "throttled_since_boot": None if r.throttled_since_boot is None else r.throttled_since_boot.names,
        "disk_free_mb": r.disk_free_mb, "disk_hours": r.disk_hours, "clock_set": r.clock_set, "up_s": r.up_s,
    }  # fmt: skip
