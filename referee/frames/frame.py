"""The frame: one picture with its time, and the contract of everything that gives frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self, runtime_checkable

from calibration.geometry.picture import Picture


class SourceError(Exception):
    """A source cannot be opened or read on; the message is one sentence that says what to do."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of the stream.

    The planes are read-only views into the decoder's, the camera's or the simulator's own memory. They are good until
    the next frame is taken; whoever keeps pixels longer copies them. Two sources promise more: frames of files and
    folders stay good as long as somebody holds them, and so do a camera's, but it lends from a pool of a few buffers,
    so that keeping its frames makes it lose pictures.
    """

    picture: Picture
    t: float
    """Seconds on the source's own clock, first frame at 0; the middle row's exposure where the source knows."""
    index: int
    """Number of this frame since the source was opened, lost frames not counted."""
    row_s: float | None
    """Seconds from one row's readout to the next; 0 for a global shutter, None when unknown."""
    dropped: int = 0
    """Frames lost directly before this one, as far as the source can tell."""
    lasts: bool = False
    """Whether its pixels stay good for nothing as long as somebody holds it."""


class Source(Protocol):
    """Gives frames in order until it ends; opens on `with`, releases in `__exit__`.

    Times strictly increase. Iteration ends quietly at the source's end. A source that breaks in the middle raises
    SourceError after the last good frame, so that what was refereed so far is kept.
    """

    @property
    def name(self) -> str:
        """What the source is, for people: a path, a device, "simulator"."""

    @property
    def fps(self) -> float | None:
        """Nominal rate, None when unknown or variable; cameras and files know it once opened."""

    @property
    def live(self) -> bool:
        """True when frames come at their own pace and are lost if nobody takes them."""

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None: ...  # fmt: skip

    def __iter__(self) -> Iterator[Frame]: ...


@runtime_checkable
class ReportsCondition(Protocol):
    """A source that tells how its camera does."""

    @property
    def condition(self) -> dict[str, float]:
        """`exposure_s`, `gain` and `temperature_c`, as far as the camera tells them."""
