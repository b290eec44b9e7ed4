"""A webcam's controls through the kernel: locks exposure, white balance and focus once the device has found them.

Numbers and layouts: Linux's videodev2.h and v4l2-controls.h; they are the same on every architecture.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Callable
from enum import IntEnum
from types import TracebackType
from typing import Self

if sys.platform == "linux":
    from fcntl import ioctl as _ioctl
else:

    def _ioctl(_fd: int, _request: int, _argument: bytearray, _mutate: bool = True, /) -> int:
        raise OSError("this system has no V4L2")


Ioctl = Callable[[int, int, bytearray], int]
"""The kernel's system call, which changes the bytes in place."""

CONTROL = struct.Struct("=Ii")
"""struct v4l2_control: id, value."""
QUERY = struct.Struct("=II32siiiiI2I")
"""struct v4l2_queryctrl: id, type, name, minimum, maximum, step, default, flags, reserved."""
READ_WRITE = 3 << 30
G_CTRL = READ_WRITE | CONTROL.size << 16 | ord("V") << 8 | 27
S_CTRL = READ_WRITE | CONTROL.size << 16 | ord("V") << 8 | 28
QUERYCTRL = READ_WRITE | QUERY.size << 16 | ord("V") << 8 | 36
DISABLED = 1
"""Flag of a control that the driver lists but does not have."""

US_PER_STEP = 100
"""Unit of EXPOSURE_ABSOLUTE, in microseconds."""


class Control(IntEnum):
    """Identifiers of controls (V4L2_CID_...)."""

    AUTO_WHITE_BALANCE = 0x0098090C
    WHITE_BALANCE_TEMPERATURE = 0x0098091A
    EXPOSURE_AUTO = 0x009A0901
    EXPOSURE_ABSOLUTE = 0x009A0902
    EXPOSURE_AUTO_PRIORITY = 0x009A0903
    FOCUS_ABSOLUTE = 0x009A090A
    FOCUS_AUTO = 0x009A090C


EXPOSURE_MANUAL = 1
"""Value of EXPOSURE_AUTO for manual exposure."""


class Controls:
    """Controls of the device at `path`, opened beside the reader of its pictures; use it in a `with`.

    A device that has none, or may not be opened, is left as it is.
    """

    def __init__(self, path: str, ioctl: Ioctl = _ioctl) -> None:
        self._path, self._ioctl = path, ioctl
        self._fd = -1

    def __enter__(self) -> Self:
        try:
            self._fd = os.open(self._path, os.O_RDWR | getattr(os, "O_NONBLOCK", 0))
        except OSError:
            self._fd = -1
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def span(self, control: Control) -> tuple[int, int] | None:
        """Returns the least and greatest value of a control; None if the device lacks it."""
        query = bytearray(QUERY.pack(control, 0, b"", 0, 0, 0, 0, 0, 0, 0))
        if not self._ask(QUERYCTRL, query):
            return None
        _, _, _, least, most, _, _, flags, _, _ = QUERY.unpack(query)
        return None if flags & DISABLED else (least, most)

    def get(self, control: Control) -> int | None:
        """Returns the value of a control; None if the device lacks it."""
        query = bytearray(CONTROL.pack(control, 0))
        return CONTROL.unpack(query)[1] if self._ask(G_CTRL, query) else None

    def set(self, control: Control, value: int) -> bool:
        """Sets a control, within the limits of the device; returns False if it lacks the control or refuses."""
        span = self.span(control)
        if span is None:
            return False
        return self._ask(S_CTRL, bytearray(CONTROL.pack(control, min(max(value, span[0]), span[1]))))

    def _ask(self, request: int, argument: bytearray) -> bool:
        if self._fd < 0:
            return False
        try:
            self._ioctl(self._fd, request, argument)
        except OSError:
            return False
        return True


def begin(controls: Controls) -> None:
    """Keeps the frame rate that was asked for, however dark it is; call it before exposure is measured."""
    controls.set(Control.EXPOSURE_AUTO_PRIORITY, 0)


def fix(controls: Controls, period_us: int) -> dict[str, int]:
    """Locks the exposure, white balance and focus that the device has found; returns the values set by control name.

    The gain is left to the device's firmware: it has no agreed unit, so exposure cannot be traded for it. An exposure
    longer than `period_us`, the time between frames, is cut to it.
    """
    done: dict[str, int] = {}

    def put(control: Control, value: int | None) -> None:
        if value is not None and controls.set(control, value):
            done[control.name.lower()] = controls.get(control) or 0

    found = controls.get(Control.EXPOSURE_ABSOLUTE)
    warmth, lens = controls.get(Control.WHITE_BALANCE_TEMPERATURE), controls.get(Control.FOCUS_ABSOLUTE)
    if found is not None:
        put(Control.EXPOSURE_AUTO, EXPOSURE_MANUAL)
        put(Control.EXPOSURE_ABSOLUTE, min(found, period_us // US_PER_STEP))
    put(Control.AUTO_WHITE_BALANCE, 0)
    put(Control.WHITE_BALANCE_TEMPERATURE, warmth)
    put(Control.FOCUS_AUTO, 0)
    put(Control.FOCUS_ABSOLUTE, lens)
    return done
