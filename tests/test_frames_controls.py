"""A webcam's controls, against a kernel that keeps them in a table as videodev2.h lays them out."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from referee.frames.controls import CONTROL, G_CTRL, QUERY, QUERYCTRL, S_CTRL, Control, Controls, begin, fix


class Kernel:
    """The driver of a webcam: what it answers to ioctl(2)."""

    def __init__(self, **controls: tuple[int, int, int]) -> None:
        """Least, most and present value by control."""
        self.table = {Control[name.upper()]: list(values) for name, values in controls.items()}

    def __call__(self, _fd: int, request: int, argument: bytearray) -> int:
        known = self.table.get(Control(int.from_bytes(argument[:4], "little")))
        if known is None:
            raise OSError(errno.EINVAL, "no such control")
        if request == QUERYCTRL:
            least, most, value = known
            argument[:] = QUERY.pack(int.from_bytes(argument[:4], "little"), 1, b"", least, most, 1, value, 0, 0, 0)
        elif request == G_CTRL:
            argument[4:] = known[2].to_bytes(4, "little", signed=True)
        else:
            assert request == S_CTRL
            value = CONTROL.unpack(argument)[1]
            assert known[0] <= value <= known[1], "a driver refuses what is out of its span"
            known[2] = value
        return 0


@pytest.fixture
def device(tmp_path: Path) -> str:
    (tmp_path / "video0").touch()
    return str(tmp_path / "video0")


def test_the_calls_are_the_kernels() -> None:
    # As a C compiler gives VIDIOC_G_CTRL, VIDIOC_S_CTRL and VIDIOC_QUERYCTRL.
    assert (G_CTRL, S_CTRL, QUERYCTRL) == (0xC008561B, 0xC008561C, 0xC0445624)


def test_what_the_device_found_is_kept_and_no_exposure_outlasts_a_frame(device: str) -> None:
    kernel = Kernel(exposure_auto=(0, 3, 3), exposure_absolute=(3, 2047, 250), exposure_auto_priority=(0, 1, 1),
                    auto_white_balance=(0, 1, 1), white_balance_temperature=(2800, 6500, 4100), focus_auto=(0, 1, 1),
                    focus_absolute=(0, 250, 35))  # fmt: skip
    with Controls(device, kernel) as controls:
        begin(controls)
        assert kernel.table[Control.EXPOSURE_AUTO_PRIORITY][2] == 0
        assert kernel.table[Control.EXPOSURE_AUTO][2] == 3, "it still looks"
        done = fix(controls, 16_667)
    assert done == {"exposure_auto": 1, "exposure_absolute": 166, "auto_white_balance": 0,
                    "white_balance_temperature": 4100, "focus_auto": 0, "focus_absolute": 35}  # fmt: skip


def test_a_device_with_few_controls_keeps_the_others_as_they_are(device: str) -> None:
    kernel = Kernel(exposure_auto=(0, 3, 3), exposure_absolute=(3, 2047, 78))
    with Controls(device, kernel) as controls:
        begin(controls)
        assert fix(controls, 33_333) == {"exposure_auto": 1, "exposure_absolute": 78}
        assert controls.get(Control.FOCUS_AUTO) is None


def test_what_is_no_video_device_is_left_alone(device: str, tmp_path: Path) -> None:
    for path in (device, str(tmp_path / "none")):
        with Controls(path) as controls:
            begin(controls)
            assert fix(controls, 33_333) == {}
